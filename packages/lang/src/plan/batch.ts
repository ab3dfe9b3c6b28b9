// batch(n, within: s): what its numbers say.

import { error, type Report } from '../diagnostic/diagnostic.js'
import type { BatchAtom, Literal } from '../parse/ast.js'

/** A timer takes no more, in seconds. */
const MAX_WITHIN = 2_000_000

/** `withinMs`: a list that is not full leaves so long after its first message. */
export const batchSettings = ({ size, within }: BatchAtom, report: Report): { size: number; withinMs: number | undefined } => {
  const refuse = (message: string, { span }: Literal) => report(error('type_mismatch', message, span))
  const { value: count } = size
  const isCount = typeof count === 'number' && Number.isSafeInteger(count) && count >= 1
  if (!isCount) refuse("'batch' takes a whole number from 1: so many messages make a list", size)
  const seconds = within?.value
  const isTime = typeof seconds === 'number' && seconds > 0 && seconds <= MAX_WITHIN
  if (within && !isTime) refuse("'within' is a number of seconds over 0, at most 2,000,000", within)
  return { size: isCount ? count : 1, withinMs: isTime ? seconds * 1000 : undefined }
}
