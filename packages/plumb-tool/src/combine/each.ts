// each(f): f on every element of a list, several at once; the results are a list in the same order.

import { atIndex, type Fault, fail, mapLimit, parseTree, preview, type Result, succeed } from '@plumb/wire'
import { linkedAbort } from '../call/linked-abort.js'
import type { JsonText } from '../json-text.js'
import type { Run, Runnable, Within } from './run.js'

export interface EachToolOptions {
  /** Maximum number of calls at once. */
  readonly parallel: number
  /** Failures are left out, with a warning; else the first failure fails the list. */
  readonly skips: boolean
}

/** Resolves when all started calls have ended. The first error cancels the running calls and skips the rest. */
export const eachTool =
  <C extends Within>(tool: Runnable<C>, { parallel, skips }: EachToolOptions): Run<C> =>
  async (input, call) => {
    const elements = splitList(input)
    if (!elements.ok) return elements
    const { signal, abort, unlink } = linkedAbort(call.signal)
    let failure: Fault | undefined
    const report = call.leftOut ?? ((fault) => call.session.servers.warn(fault))
    const results = await mapLimit(elements.value, parallel, async (element, index) => {
      if (failure) return undefined
      const result = await tool.run(element, { ...call, signal, leftOut: (fault) => report(atIndex(fault, index)) })
      if (result.ok) return result.value
      const error = atIndex(result.error, index)
      if (skips && !signal.aborted) report(error)
      else {
        failure ??= error
        abort()
      }
      return undefined
    })
    unlink()
    return failure ? { ok: false, error: failure } : succeed(`[${results.filter((result) => result !== undefined).join(',')}]`)
  }

/** The elements as they are written, so that numbers keep their digits. */
const splitList = (text: JsonText): Result<readonly JsonText[]> => {
  const bytes = Buffer.from(text)
  const tree = parseTree(bytes, 0, bytes.length)
  if (tree.kind === 'array') return succeed(tree.items.map(({ start, end }) => bytes.toString('utf8', start, end)))
  return fail('input_type_mismatch', `'each' takes a list, found ${preview(text)}`)
}
