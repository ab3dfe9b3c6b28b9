// Retries errors of the category `unavailable`, and no others. A dead server is not reconnected in the same session, so its requests can
// only succeed elsewhere.

import { type Fault, isRetryable } from '@plumb/wire'
import type { Call } from './call.js'
import { cancelled } from './cancelled.js'
import { note, showMs } from './note.js'
import type { Tool, Wrap } from './tool.js'

export interface ToolRetryOptions {
  /** In total; 1 never repeats. */
  readonly attempts: number
  /** A timeout is not repeated. */
  readonly isLocal?: true
  /** From 0 up to but not including 1; Math.random. */
  readonly random?: () => number
  readonly wait?: Wait
}

const MIN_BACKOFF_MS = 100
const MAX_BACKOFF_MS = 10_000
const JITTER = 0.1

/** Repeats a call that fails with an `unavailable` error, after a wait that doubles, or as long as the error asks for. */
export const withRetry =
  ({ attempts, isLocal, random = Math.random, wait: pause = wait }: ToolRetryOptions): Wrap =>
  (tool) => {
    const once: Tool['run'] = (input, call) => {
      begin(1, 1, call)
      return tool.run(input, call)
    }
    const again: Tool['run'] = async (input, call) => {
      let late: Fault | undefined
      for (let attempt = 1; ; attempt++) {
        begin(attempt, attempts, call)
        const result = await tool.run(input, call)
        // A server that does not answer in time was cancelled for this reason.
        if (late && !result.ok && result.error.error === 'mcp_dead' && result.error.server === late.server)
          return { ok: false, error: late }
        late = !result.ok && result.error.error === 'timeout' ? result.error : undefined
        if (late && isLocal) return result
        if (result.ok || attempt >= attempts || !isRetryable(result.error) || result.error.error === 'mcp_dead' || call.signal.aborted)
          return result
        const asked = askedMs(result.error)
        if (asked !== undefined && asked > MAX_BACKOFF_MS) {
          note(call, 'retry', `stops: asked to wait ${showMs(asked)}, longer than ${showMs(MAX_BACKOFF_MS)}`)
          return result
        }
        const ms = asked ?? backoffMs(attempt, random)
        note(call, 'retry', `waits ${showMs(ms)} after ${result.error.error}`)
        await pause(ms, call.signal)
        if (call.signal.aborted) return cancelled(tool.name)
      }
    }
    return { ...tool, run: attempts === 1 ? once : again }
  }

const begin = (attempt: number, attempts: number, call: Call): void => {
  call.record.attempts = attempt
  note(call, 'retry', `attempt ${attempt} of ${attempts}`)
}

// The seconds that a server asks for; invalid values count as none.
const askedMs = ({ retry_after }: Fault): number | undefined =>
  typeof retry_after === 'number' && retry_after >= 0 ? retry_after * 1000 : undefined

/** 100 ms doubling to 10 s, ±10 %. */
const backoffMs = (attempt: number, random: () => number): number =>
  Math.min(MIN_BACKOFF_MS * 2 ** (attempt - 1), MAX_BACKOFF_MS) * (1 + JITTER * (2 * random() - 1))

type Wait = (ms: number, signal: AbortSignal) => Promise<void>

/** Resolves when the time is up or the signal fires. */
const wait: Wait = (ms, signal) =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const done = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done, { once: true })
  })
