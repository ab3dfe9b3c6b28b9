// A prompt file as a tool: each call is a new conversation in its own process, with the authority of its caller.

import { dirname, resolve } from 'node:path'
import type { Json, ToolPlan } from '@plumb/lang'
import { readSandbox } from '@plumb/sandbox'
import { fail, preview, type Result, succeed } from '@plumb/wire'
import type { Run } from '../../combine/run.js'
import { processRun } from '../process/process-run.js'
import { loadPromptProgram, type PromptProgram, whyPromptForbidden } from './prompt-program.js'

export const promptRun = (plan: ToolPlan, config: Config, docroot: string): Result<Run> => {
  const sandbox = readSandbox(config.sandbox, { who: `tool '${plan.name}'`, docroot, effects: config.effects, isDefault: false })
  if (!sandbox.ok) return sandbox
  const mounted = mountPrompt(plan, config)
  if (!mounted.ok) return mounted
  const { bound, filesFor } = mounted.value
  const file = promptFile(plan, config)
  const run = processRun(bound, { sandbox: sandbox.value, filesFor: ({ caller }) => filesFor(caller) })
  return succeed(async (input, call) => {
    const { grant } = call.session.authority()
    // Without a grant nothing narrows what a prompt may read, so there is no docroot to check.
    const docroot = grant === undefined ? undefined : call.session.docroot
    const why = whyPromptForbidden(file, { docroot, mayReadFiles: grant?.includes('fs.read') ?? true })
    return why ? { ok: false, error: why } : run(input, call)
  })
}

type Config = { readonly [key: string]: Json }

const promptFile = ({ specPath }: ToolPlan, config: Config): string => resolve(dirname(specPath), String(config.agent))

/** The program of the prompt. `config_invalid` if it may do what the tool does not say. */
export const mountPrompt = (plan: ToolPlan, config: Config): Result<PromptProgram> => {
  const declared = (config.effects ?? []) as readonly string[]
  const loaded = loadPromptProgram(promptFile(plan, config), plan, { allowed: declared })
  if (!loaded.ok) return loaded
  const beyond = loaded.value.effects.filter((effect) => !declared.includes(effect))
  return beyond.length === 0 ? loaded : undeclared(plan.name, String(config.agent), beyond, [...new Set([...declared, ...beyond])])
}

const undeclared = (tool: string, file: string, beyond: readonly string[], all: readonly string[]) =>
  fail(
    'config_invalid',
    `the prompt '${preview(file, 200)}' may do ${beyond.join(', ')}, and tool '${tool}', which mounts it, does not say so: ` +
      `write effects: ${JSON.stringify(all)}, if that is meant`,
  )
