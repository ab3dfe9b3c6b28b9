// The child of a function: a module runs in a process of its own without our keys, in a sandbox, and can be killed.

import { existsSync, realpathSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import type { ToolPlan } from '@plumb/lang'
import { hostPolicy, readSandbox, type SandboxAtStart, type SandboxedChild, spawnSandboxed, withGitGuard } from '@plumb/sandbox'
import { childEnv, fail, preview, type Result, succeed } from '@plumb/wire'
import type { Session } from '../../call/call.js'
import { deepenNesting } from '../process/nesting-depth.js'
import { whyChanged } from '../program-files/detect-changes.js'
import { protectedProgramFiles } from '../program-files/protected-files.js'

export interface FunctionTarget {
  readonly tool: string
  readonly file: string
  /** Of the export. */
  readonly name: string
  readonly sandbox: SandboxAtStart
}

/** Finds what is wrong before anything starts. */
export const functionTarget = (
  { name: tool, specPath }: Pick<ToolPlan, 'name' | 'specPath'>,
  config: Extract<ToolPlan['body'], { kind: 'tool' }>['config'],
  docroot: string,
): Result<FunctionTarget> => {
  const [, path = '', name = 'default'] = /^(.*?)(?:#(.*))?$/s.exec(String(config.function)) ?? []
  const sandbox = readSandbox(config.sandbox, { who: `tool '${tool}'`, docroot, effects: config.effects, isDefault: true })
  if (!sandbox.ok) return sandbox
  const file = resolve(dirname(specPath), path)
  if (!existsSync(file)) return fail('file_not_found', `tool '${tool}' is a function of '${preview(file, 200)}', which does not exist`)
  return succeed({ tool, file, name, sandbox: sandbox.value })
}

export interface FunctionChild {
  readonly child: SandboxedChild
  /** Descriptor 4 of the child, and 5. */
  readonly requests: Writable
  readonly answers: Readable
}

const [REQUESTS, ANSWERS] = [4, 5] as const

/** `command` is absolute. `env` is added to what every such child gets. */
export const spawnFunctionChild = async (
  { tool, file, sandbox: open }: FunctionTarget,
  session: Session,
  command: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Result<FunctionChild>> => {
  const changed = await whyChanged(session, [file])
  if (changed) return { ok: false, error: changed }
  const depth = deepenNesting()
  if (!depth.ok) return depth
  const sandbox = open(session.servers)
  if (!sandbox.ok) return sandbox
  const child = spawnSandboxed(
    sandbox.value,
    {
      command,
      cwd: session.docroot,
      env: withGitGuard({ ...childEnv('foreign'), ...depth.value, ...env }),
      fds: { [REQUESTS]: 'in', [ANSWERS]: 'out' },
      isForeign: false,
    },
    // The module and what it imports must be visible in the sandbox, also where a link leads to it.
    {
      visible: [dirname(file), dirname(realpathSync(file))],
      words: [file],
      programFiles: await protectedProgramFiles(session, sandbox.value, [file]),
      caller: hostPolicy(tool, session.authority),
    },
  )
  if (!child.ok) return child
  const { fds } = child.value
  return succeed({ child: child.value, requests: fds.get(REQUESTS) as Writable, answers: fds.get(ANSWERS) as Readable })
}
