// trace(f): f on its own output until that is stable or a condition holds.

import { canonicalJson, fail, preview, type Result } from '@plumb/wire'
import type { JsonText } from '../json-text.js'
import type { Run, Runnable, Within } from './run.js'

export interface FeedbackOptions {
  /** The maximum number of runs of f; at least 1. */
  readonly max: number
  /** Tests each output; an error of its own ends it. */
  readonly until?: (output: JsonText) => Result<boolean>
}

export const DEFAULT_MAX = 100

/** With `until`, a value for which it does not hold is never returned: `trace_limit`, also if f is stable before. */
export const feedbackOf =
  <C extends Within>(tool: Runnable<C>, { max, until }: FeedbackOptions): Run<C> =>
  async (input, call) => {
    let value = input
    for (let i = 0; i < max; i++) {
      const result = await tool.run(value, call)
      if (!result.ok) return result
      const isDone = until?.(result.value)
      if (isDone?.ok === false) return isDone
      const isSettled = value === result.value || canonicalJson(value) === canonicalJson(result.value)
      value = result.value
      if (isDone?.value === true) break
      if (isSettled) return until ? unmet(value, `it no longer changes after ${i + 1} rounds`) : result
      if (until && i + 1 === max) return unmet(value, `there were ${max} rounds, as many as 'max' allows`)
    }
    return { ok: true, value }
  }

const unmet = (value: JsonText, why: string) =>
  fail('trace_limit', `'until' of the trace does not hold: ${why}; the last value is ${preview(value)}`)
