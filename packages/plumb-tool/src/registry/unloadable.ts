// Finds tools that a run would refuse to load, without starting anything: for `check`. What is missing on this machine is found elsewhere.

import { existsSync } from 'node:fs'
import { dirname, resolve, sep } from 'node:path'
import type { ToolPlan } from '@plumb/lang'
import { realPath } from '@plumb/sandbox'
import type { Fault } from '@plumb/wire'
import { mountPrompt } from '../source/agent/prompt-run.js'
import { builtinTool } from '../source/builtin/builtin-tool.js'

interface Unloadable {
  readonly plan: ToolPlan
  readonly fault: Fault
}

/** Built-ins that are none or have other types, and prompt files with errors, or with effects that their tool does not say. */
export const findUnloadable = (plans: readonly ToolPlan[]): readonly Unloadable[] =>
  plans.flatMap((plan) => {
    const { body } = plan
    if (body.kind !== 'tool') return []
    const loaded =
      body.source === 'builtin'
        ? builtinTool(plan, body.config)
        : body.source === 'agent' && isBeside(plan, String(body.config.agent))
          ? mountPrompt(plan, body.config)
          : undefined
    return loaded === undefined || loaded.ok ? [] : [{ plan, fault: loaded.error }]
  })

// A spec of others may name any file, and an error shows a piece of it.
const isBeside = ({ specPath }: ToolPlan, name: string): boolean => {
  const [home, file] = [realPath(dirname(resolve(specPath))), resolve(dirname(specPath), name)]
  return existsSync(file) && realPath(file).startsWith(home.endsWith(sep) ? home : home + sep)
}
