// The parts of a tuple as they are written, so that numbers keep their digits.

import { fail, parseTree, preview, type Result, succeed } from '@plumb/wire'
import type { JsonText } from '../json-text.js'

export const splitTuple = (text: JsonText, length: number): Result<readonly JsonText[]> => {
  const bytes = Buffer.from(text)
  const tree = parseTree(bytes, 0, bytes.length)
  if (tree.kind === 'array' && tree.items.length === length) {
    return succeed(tree.items.map(({ start, end }) => bytes.toString('utf8', start, end)))
  }
  return fail('input_type_mismatch', `expected a tuple of ${length} parts, found ${preview(text)}`)
}
