// A program that is not ours, in its sandbox where it has one.

import { type Child, type ChildOptions, type Result, spawnChild, succeed } from '@plumb/wire'
import { type Enclosure, enclose, type Place } from './bubblewrap-command.js'
import type { Sandbox } from './sandbox.js'

export interface BoxedChild extends Child {
  /** What its sandbox has kept from it, for the error when it fails. */
  readonly lacked?: (said: string) => string | undefined
}

/** As `spawnChild`; the program is given by its path. */
export const spawnBoxed = (
  sandbox: Sandbox | undefined,
  options: ChildOptions,
  place: Pick<Place, 'visible' | 'programFiles' | 'caller'>,
): Result<BoxedChild> => {
  if (!sandbox) return spawnChild(options)
  const { command, cwd = process.cwd(), env } = options
  const { visible, programFiles, caller } = place
  const enclosure = enclose(sandbox, { program: command, cwd, env, visible, programFiles, ...(caller ? { caller } : {}) })
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
  return child.ok ? succeed(inEnclosure(child.value, enclosure.value)) : child
}

/** Its net is closed with it. */
export const inEnclosure = (child: Child, enclosure: Enclosure | undefined): BoxedChild => {
  if (!enclosure) return child
  const { net, lacked } = enclosure
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
  return { ...child, terminate, lacked }
}

/** What has failed in a sandbox says what it lacked there. */
export const tellLack = <T>(result: Result<T>, { lacked }: BoxedChild): Result<T> => {
  if (result.ok || !lacked || result.error.error === 'cancelled') return result
  const { detail, output } = result.error
  const lack = lacked(typeof output === 'string' && output !== '' ? output : detail)
  return lack === undefined ? result : { ok: false, error: { ...result.error, detail: `${detail}; ${lack}` } }
}
