// Numbers at which programs go wrong, as JSON text, since a double holds not all of them.

import { isIntegerText } from '../scan/integer.js'
import { type Bounds, isInBounds } from './bounds.js'

const WHOLE = [
  ...['0', '1', '-1', '2', '10', '-10', '100'],
  ...['2147483647', '2147483648', '-2147483649', '4294967296'],
  // 2^53 and its neighbours; of the second neighbours a double has only one.
  ...['9007199254740991', '9007199254740992', '9007199254740993', '-9007199254740993'],
  ...['12345678901234567890', '-1000000000000000000000000000000', '-0'],
]
const BROKEN = ['0.5', '-0.5', '0.1', '0.30000000000000004', '0.10000000000000000555', '1e-9', '-2.25', '5e-324']
const HUGE = ['1e21', '1e308', '-1e308', '1.7976931348623157e308']

const EVERY = { int: WHOLE, number: [...WHOLE, ...BROKEN, ...HUGE] } as const

/** The nearest to zero, a whole one where there is any. */
export const leastNumber = (kind: 'int' | 'number', bounds: Bounds | undefined): string => {
  if (!bounds) return '0'
  const whole = nearestWhole(bounds)
  return whole === undefined ? numberText(bounds.least > 0 ? bounds.least : bounds.most, kind) : String(whole)
}

/** Undefined: there is none within the bounds. */
export const nearestWhole = (bounds: Bounds): bigint | undefined => {
  if (isInBounds(0, bounds)) return 0n
  const whole = bounds.least > 0 ? Math.ceil(bounds.least) : Math.floor(bounds.most)
  return isInBounds(whole, bounds) ? BigInt(whole) : undefined
}

/** Those within the bounds, the nearest to zero first, then the bounds and what is next to them. */
export const numberEdges = (kind: 'int' | 'number', bounds: Bounds): readonly string[] => {
  const ends = [bounds.least, bounds.most].filter(Number.isFinite)
  const near = ends.flatMap((end) => [end, end - 1, end + 1, ...(kind === 'number' ? [end - 0.5, end + 0.5] : [])])
  const texts = [leastNumber(kind, bounds), ...near.map((n) => numberText(n, kind)), ...EVERY[kind]]
  return [...new Set(texts)].filter((text) => isInBounds(Number(text), bounds) && (kind === 'number' || isIntegerText(text)))
}

/** The digits of an int, all of them, and the shortest text of another double. */
export const numberText = (n: number, kind: 'int' | 'number'): string => (kind === 'int' ? String(BigInt(n)) : JSON.stringify(n))
