// A deadline for the work, which is aborted when it has passed, and waited for a little while it stops.

import { fail, type Result, startDeadline } from '@plumb/wire'
import { linkedAbort } from '../combine/linked-abort.js'
import type { JsonText } from '../json-text.js'
import type { Wrap } from '../tool.js'
import { cancelled } from './cancelled.js'
import { note, showMs } from './note.js'

export interface TimeoutOptions {
  readonly timeoutMs: number
  /** How long work that was aborted is waited for; 5 s. */
  readonly graceMs?: number
}

// Longer than a child has between SIGTERM and SIGKILL, so that as a rule the work is over when the error is given.
const GRACE_MS = 5000

/** An answer that comes after the deadline is dropped. */
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
        note(call, 'timeout', result ? 'too late: stopped' : 'too late: told to stop, and not waited for any longer')
        return fail('timeout', `'${tool.name}' gave no result within ${showMs(timeoutMs)}`, { tool: tool.name })
      }
      return result ?? cancelled(tool.name)
    },
  })

/** Undefined: it did not stop within the grace. */
const settled = (running: Promise<Result<JsonText>>, signal: AbortSignal, graceMs: number): Promise<Result<JsonText> | undefined> =>
  new Promise((resolve, reject) => {
    let grace: NodeJS.Timeout | undefined
    const giveUp = (): void => {
      grace = setTimeout(() => resolve(undefined), graceMs)
    }
    if (signal.aborted) giveUp()
    else signal.addEventListener('abort', giveUp, { once: true })
    running.then(resolve, reject).finally(() => {
      clearTimeout(grace)
      signal.removeEventListener('abort', giveUp)
    })
  })
