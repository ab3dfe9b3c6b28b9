// A deadline for the work, which is aborted after it, and awaited for a short while.

import { fail, type Result, startDeadline } from '@plumb/wire'
import type { JsonText } from '../json-text.js'
import { cancelled } from './cancelled.js'
import { lastWords } from './last-words.js'
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

/** Fails with `timeout` after `timeoutMs`, and stops the work. An answer after the deadline is dropped, unless it is marked as partial. */
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
        if (result?.ok && call.record.isPartial) {
          note(call, 'timeout', 'the time is up: the result is what there was')
          return result
        }
        note(call, 'timeout', result ? 'too late: stopped' : 'too late: aborted, and not waited for any longer')
        return fail('timeout', lateDetail(tool.name, timeoutMs, result), { tool: tool.name, ...outputOf(result) })
      }
      return result ?? cancelled(tool.name)
    },
  })

// What a command had written tells how far it came.
const outputOf = (result: Result<JsonText> | undefined): { readonly output?: string } => {
  const output = result?.ok === false ? result.error.output : undefined
  return typeof output === 'string' && output !== '' ? { output } : {}
}

const lateDetail = (name: string, timeoutMs: number, result: Result<JsonText> | undefined): string => {
  const { output } = outputOf(result)
  return `'${name}' gave no result within ${showMs(timeoutMs)}${output === undefined ? '' : `, and had written: ${lastWords(output)}`}`
}

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
