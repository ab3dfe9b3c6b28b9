// Starts a program in its sandbox, or without one.

import { type Child, type Exit, type Result, type SpawnOptions, spawnChild, succeed } from '@plumb/wire'
import type { Sandbox } from '../plan/sandbox.js'
import { buildSandboxCommand, type SandboxCommand, type SandboxedProgram } from './bubblewrap-command.js'

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

/**
 * Keeps git from treating a directory that a model wrote as a bare repository, whose configuration can name programs to run
 * (git-config(1), safe.bareRepository). Appends to the GIT_CONFIG_… variables that are already set.
 */
export const withGitGuard = (env: Readonly<Record<string, string>>): Record<string, string> => {
  const before = Number(env.GIT_CONFIG_COUNT ?? '0')
  const count = Number.isSafeInteger(before) && before > 0 ? before : 0
  return {
    ...env,
    GIT_CONFIG_COUNT: String(count + 1),
    [`GIT_CONFIG_KEY_${count}`]: 'safe.bareRepository',
    [`GIT_CONFIG_VALUE_${count}`]: 'explicit',
  }
}

/** Between SIGTERM and SIGKILL. */
export const GRACE_MS = 400

/** The exit status for a temporary failure, sysexits(3). */
export const EX_TEMPFAIL = 75

/** A polite request to stop before SIGTERM. */
interface Notice {
  readonly ask: () => void
  readonly graceMs: number
}

/** The exit of the child, or `aborted` if the signal fired; either way the child has ended. */
export const stopWhenAborted = (child: Child, signal: AbortSignal, notice?: Notice): Promise<Exit | 'aborted'> =>
  new Promise((resolve) => {
    const end = () => void child.terminate(GRACE_MS).then(() => resolve('aborted'))
    const stop = () => {
      if (!notice) return end()
      notice.ask()
      const timer = setTimeout(end, notice.graceMs)
      void child.exited.then(() => {
        clearTimeout(timer)
        end()
      })
    }
    if (signal.aborted) return stop()
    signal.addEventListener('abort', stop, { once: true })
    void child.exited.then((exit) => {
      signal.removeEventListener('abort', stop)
      if (!signal.aborted) resolve(exit)
    })
  })
