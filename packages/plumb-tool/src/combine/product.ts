// f * g: both on the same input, or each on its part of a tuple, at once or in order; one error cancels the others.

import { fail, mapLimit, parseTree, preview, type Result, succeed } from '@plumb/wire'
import { linkedAbort } from '../call/linked-abort.js'
import type { JsonText } from '../json-text.js'
import type { Run, Runnable, Within } from './run.js'

/** Resolves when all have ended: cancelled parts have really stopped. The error is the first one. */
export const productOf =
  <C extends Within>(tools: readonly Runnable<C>[], isOnParts: boolean, isInOrder = false): Run<C> =>
  async (input, call) => {
    const inputs = isOnParts ? splitTuple(input, tools.length) : { ok: true as const, value: tools.map(() => input) }
    if (!inputs.ok) return inputs
    const { signal, abort, unlink } = linkedAbort(call.signal)
    let failure: Result<JsonText> | undefined
    const results = await mapLimit(tools, isInOrder ? 1 : tools.length, async (tool, i) => {
      if (isInOrder && failure) return ''
      const result = await tool.run(inputs.value[i] as JsonText, { ...call, signal })
      if (result.ok) return result.value
      failure ??= result
      abort()
      return ''
    })
    unlink()
    return failure ?? { ok: true, value: `[${results.join(',')}]` }
  }

/** The parts of a tuple as they are written, so that numbers keep their digits. */
const splitTuple = (text: JsonText, length: number): Result<readonly JsonText[]> => {
  const bytes = Buffer.from(text)
  const tree = parseTree(bytes, 0, bytes.length)
  if (tree.kind === 'array' && tree.items.length === length) {
    return succeed(tree.items.map(({ start, end }) => bytes.toString('utf8', start, end)))
  }
  return fail('input_type_mismatch', `expected a tuple of ${length} parts, found ${preview(text)}`)
}
