// Errors and warnings as programs write them, one object a line: {"error":CODE,…}, and {"warning":CODE,…} for what stops nothing.

import { type Fault, isCode } from './error.js'
import { isRecord } from './is-record.js'

/** A warning is kept as the fault of its code. */
export interface Reported {
  readonly severity: 'error' | 'warning'
  readonly fault: Fault
}

export const isFault = (value: unknown): value is Fault =>
  isRecord(value) &&
  typeof value.error === 'string' &&
  isCode(value.error) &&
  typeof value.category === 'string' &&
  typeof value.detail === 'string'

/** Inputs of one range in an error. */
const MAX_NAMED = 1 << 18

/** The inputs in `seq` or `seqs` of an error: one, several, or ranges of them. */
export const numbersIn = (seqs: unknown): number[] => {
  if (typeof seqs === 'number') return [seqs]
  if (!Array.isArray(seqs)) return []
  return seqs.flatMap((one) => {
    if (!Array.isArray(one)) return typeof one === 'number' ? [one] : []
    const [first, last] = one as [number, number]
    return Array.from({ length: Math.max(0, Math.min(last - first + 1, MAX_NAMED)) }, (_, i) => first + i)
  })
}

/** Undefined: it is neither. */
export const readReported = (value: unknown): Reported | undefined => {
  if (isFault(value)) return { severity: 'error', fault: value }
  if (!isRecord(value)) return undefined
  const { warning, ...others } = value
  const fault = { error: warning, ...others }
  return 'error' in others || !isFault(fault) ? undefined : { severity: 'warning', fault }
}

/** As it is written. */
export const showReported = ({ severity, fault }: Reported): string => {
  const { error, ...others } = fault
  return JSON.stringify({ [severity]: error, ...others })
}
