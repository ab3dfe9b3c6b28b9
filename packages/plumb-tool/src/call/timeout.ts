// A deadline for the work, which is aborted after it, and awaited for a short while.

import { fail, type Result, startDeadline } from '@plumb/wire'
import type { JsonText } from '../json-text.js'
import { cancelled } from './cancelled.js'
import { linkedAbort } from './linked-abort.js'
import { note, showMs } from './note.js'
import type { Wrap } from './tool.js'

export interface TimeoutOptions {
  readonly timeoutMs: number
  /** How long aborted work is awaited; 5 s. */
  readonly graceMs?: number
}

// Longer than a child has between SIGTERM and SIGKILL, so that the work is usually over when the error is returned.
const GRACE_MS = 5000

/** Fails with `timeout` after `timeoutMs`, and stops the work. An answer after the deadline is dropped. */
export const withTimeout =
  ({ timeoutMs, graceMs = GRACE_MS }: TimeoutOptions): Wrap =>
  (tool) => ({
    ...tool,
    run: async (input, call) => {
      note(call, 'timeout', `${showMs(timeoutMs)} at most`)
      const work = linkedAbort(call.signal)
      let isLate = false
      const forget = startDeadline(timeoutMs, () => {
        isLate = true
        work.abort()
      })
      const result = await settled(tool.run(input, { ...call, signal: work.signal }), work.signal, graceMs)
      forget()
      work.unlink()
      if (isLate && !call.signal.aborted) {
        note(call, 'timeout', result ? 'too late: stopped' : 'too late: aborted, and not waited for any longer')
        return fail('timeout', `'${tool.name}' gave no result within ${showMs(timeoutMs)}`, { tool: tool.name })
      }
      return result ?? cancelled(tool.name)
    },
  })

/** Undefined: it did not stop within the grace. */
const settled = (running: Promise<Result<JsonText>>, signal: AbortSignal, graceMs: number): Promise<Result<JsonText> | undefined> =>
  new Promise((resolve, reject) => {
    let grace: NodeJS.Timeout | undefined
    const onAbort = (): void => {
      grace = setTimeout(() => resolve(undefined), graceMs)
    }
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
    running.then(resolve, reject).finally(() => {
      clearTimeout(grace)
      signal.removeEventListener('abort', onAbort)
    })
  })
