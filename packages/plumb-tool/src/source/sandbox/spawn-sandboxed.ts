// A program that is not ours, in its sandbox where it has one.

import { type Child, type Result, type SpawnOptions, spawnChild, succeed } from '@plumb/wire'
import { buildSandboxCommand, type SandboxCommand, type SandboxedProgram } from './bubblewrap-command.js'
import type { Sandbox } from './sandbox.js'

export interface SandboxedChild extends Child {
  /** What its sandbox has kept from it, for the error when it fails. */
  readonly findMissingAccess?: (said: string) => string | undefined
}

/** As `spawnChild`; the program is given by its path. */
export const spawnSandboxed = (
  sandbox: Sandbox | undefined,
  options: SpawnOptions,
  place: Pick<SandboxedProgram, 'visible' | 'programFiles' | 'caller'>,
): Result<SandboxedChild> => {
  if (!sandbox) return spawnChild(options)
  const { command, cwd = process.cwd(), env } = options
  const { visible, programFiles, caller } = place
  const enclosure = buildSandboxCommand(sandbox, { program: command, cwd, env, visible, programFiles, ...(caller ? { caller } : {}) })
  if (!enclosure.ok) return enclosure
  const { command: before, given, shared, listener, env: inner, close } = enclosure.value
  const child = spawnChild({
    ...options,
    command: [...before, ...command],
    env: inner,
    given: given ?? {},
    shared: shared ?? {},
    ...(listener ? { listener } : {}),
  })
  close()
  return child.ok ? succeed(closeWithChild(child.value, enclosure.value)) : child
}

/** Its net is closed with it. */
export const closeWithChild = (child: Child, enclosure: SandboxCommand | undefined): SandboxedChild => {
  if (!enclosure) return child
  const { net, findMissingAccess } = enclosure
  if (net) void child.ended.then(net.close)
  // What bubblewrap had started when the signal ended it, but not yet bound to its own end, is still there.
  const terminate = async (graceMs: number): Promise<void> => {
    await child.terminate(graceMs)
    try {
      process.kill(-child.pid, 'SIGKILL')
    } catch {
      // Nothing was.
    }
  }
  return { ...child, terminate, findMissingAccess }
}

/** What has failed in a sandbox says what it lacked there. */
export const addMissingAccess = <T>(result: Result<T>, { findMissingAccess }: SandboxedChild): Result<T> => {
  if (result.ok || !findMissingAccess || result.error.error === 'cancelled') return result
  const { detail, output } = result.error
  const missing = findMissingAccess(typeof output === 'string' && output !== '' ? output : detail)
  return missing === undefined ? result : { ok: false, error: { ...result.error, detail: `${detail}; ${missing}` } }
}
