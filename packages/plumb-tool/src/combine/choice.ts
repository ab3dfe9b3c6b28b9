// f + g: f; if it fails, g. A hand-off does the same for some errors only.

import type { Fault, Result } from '@plumb/wire'
import type { JsonText } from '../json-text.js'
import type { Run, Runnable, Within } from './run.js'

/** The next tool is tried for errors that `isPassedOn`; never after cancellation. */
export const choiceOf =
  <C extends Within>(tools: readonly Runnable<C>[], isPassedOn: (error: Fault) => boolean = () => true): Run<C> =>
  async (input, call) => {
    const errors: Fault[] = []
    for (const tool of tools) {
      const result = await tool.run(input, call)
      if (result.ok) return result
      errors.push(result.error)
      if (call.signal.aborted || !isPassedOn(result.error)) break
    }
    return withEarlier(errors)
  }

/** Enough to see what happened, without repeating a thousand equal failures. */
const MOST = 20

/** `errors` is not empty. Errors with earlier errors are flattened, so that grouping makes no difference. */
const withEarlier = (errors: readonly Fault[]): Result<JsonText> => {
  const all = errors.flatMap(takeApart)
  const last = all.pop() as Fault
  return { ok: false, error: all.length === 0 ? last : { ...last, earlier: all.slice(-MOST) } }
}

const takeApart = ({ earlier, ...error }: Fault): Fault[] => [...(isHistory(earlier) ? earlier : []), error as Fault]

const isHistory = (value: unknown): value is readonly Fault[] => Array.isArray(value)
