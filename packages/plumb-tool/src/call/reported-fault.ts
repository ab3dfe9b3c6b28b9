// An error that a foreign program reports as an object of the one table (plumb-wire(5), Errors).

import { ERRORS, type Fault, fault, isCode, preview, scrub } from '@plumb/wire'

const MAX_DETAIL = 600
const MAX_EXTRAS = 16
const MAX_EXTRA = 200
/** Members that only the caller can know: where the input stood, what came before, what a server passed on. */
const RESERVED: readonly string[] = ['error', 'category', 'detail', 'seq', 'seqs', 'line', 'earlier', 'content', 'source', 'tool']

/** Undefined: not such an error, or its category is not that of the code. `subject` names the tool, if the error has no detail. */
export const reportedFault = (value: unknown, subject: string): Fault | undefined => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const { error, category, detail = '' } = value as Readonly<Record<string, unknown>>
  if (typeof error !== 'string' || !isCode(error) || ERRORS[error].category !== category || typeof detail !== 'string') return undefined
  const words = detail === '' ? `${subject} says: ${ERRORS[error].meaning}` : preview(scrub(detail), MAX_DETAIL)
  return fault(error, words, extrasOf(value))
}

/** Plain values, such as `retry_after`; nothing that could be large. */
const extrasOf = (value: object): Record<string, unknown> => {
  const extras = Object.entries(value).flatMap(([name, extra]): [string, unknown][] => {
    if (RESERVED.includes(name)) return []
    if (typeof extra === 'string') return [[name, preview(scrub(extra), MAX_EXTRA)]]
    return typeof extra === 'boolean' || Number.isFinite(extra) ? [[name, extra]] : []
  })
  return Object.fromEntries(extras.slice(0, MAX_EXTRAS))
}
