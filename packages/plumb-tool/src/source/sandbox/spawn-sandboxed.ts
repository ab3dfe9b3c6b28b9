// Starts a program in its sandbox, or without one.

import { type Child, type Result, type SpawnOptions, spawnChild, succeed } from '@plumb/wire'
import { buildSandboxCommand, type SandboxCommand, type SandboxedProgram } from './bubblewrap-command.js'
import type { Sandbox } from './sandbox.js'

export interface SandboxedChild extends Child {
  /** What the sandbox denied it, for its error; see SandboxCommand. */
  readonly findMissingAccess?: (said: string) => string | undefined
}

/** As `spawnChild`; the program must be an absolute path. Without a sandbox it is `spawnChild`. */
export const spawnSandboxed = (
  sandbox: Sandbox | undefined,
  options: SpawnOptions,
  context: Pick<SandboxedProgram, 'visible' | 'words' | 'programFiles' | 'caller'>,
): Result<SandboxedChild> => {
  if (!sandbox) return spawnChild(options)
  const { command, cwd = process.cwd(), env } = options
  const enclosure = buildSandboxCommand(sandbox, { ...context, program: command, cwd, env })
  if (!enclosure.ok) return enclosure
  const { command: before, given, shared, listener, env: inner, close, settle } = enclosure.value
  const child = spawnChild({
    ...options,
    command: [...before, ...command],
    env: inner,
    given: given ?? {},
    shared: shared ?? {},
    ...(listener ? { listener } : {}),
  })
  close()
  if (!child.ok) {
    settle()
    return child
  }
  const closing = closeWithChild(child.value, enclosure.value)
  return succeed(sandbox.trace ? traceRefusals(closing, enclosure.value, sandbox.trace) : closing)
}

const MAX_TRACED_BYTES = 1024 * 1024

/** Once the child has ended, reports the lines of its output that show refusals. A caller that terminates it waits for that. */
const traceRefusals = (child: SandboxedChild, { listRefusals }: SandboxCommand, trace: (refusal: string) => void): SandboxedChild => {
  const chunks: Buffer[] = []
  let kept = 0
  const keep = (chunk: Buffer): void => {
    if (kept < MAX_TRACED_BYTES) chunks.push(Buffer.from(chunk))
    kept += chunk.length
  }
  for (const stream of [child.stdout, child.stderr]) stream.on('data', keep)
  const traced = child.ended.then(() => {
    for (const refusal of listRefusals(Buffer.concat(chunks).toString('utf8'))) trace(refusal)
    if (kept > MAX_TRACED_BYTES) trace('it wrote more than 1 MiB, and what it was refused is looked for in the beginning only')
  })
  const terminate = async (graceMs: number): Promise<void> => {
    await child.terminate(graceMs)
    await traced
  }
  return { ...child, terminate }
}

/** Follows a child to its end, and kills what bubblewrap left behind when it is terminated. */
export const closeWithChild = (child: Child, enclosure: SandboxCommand | undefined): SandboxedChild => {
  if (!enclosure) return child
  // If the signal ended bubblewrap while it was starting, its child may not yet be bound to its death.
  const terminate = async (graceMs: number): Promise<void> => {
    await child.terminate(graceMs)
    try {
      process.kill(-child.pid, 'SIGKILL')
    } catch {
      // The group no longer exists.
    }
  }
  return { ...enclosure.follow(child), terminate, findMissingAccess: enclosure.findMissingAccess }
}

/** Adds the access that the program lacked to the detail of its error. */
export const addMissingAccess = <T>(result: Result<T>, { findMissingAccess }: SandboxedChild): Result<T> => {
  if (result.ok || !findMissingAccess || result.error.error === 'cancelled') return result
  const { detail, output } = result.error
  const missing = findMissingAccess(typeof output === 'string' && output !== '' ? output : detail)
  return missing === undefined ? result : { ok: false, error: { ...result.error, detail: `${detail}; ${missing}` } }
}
