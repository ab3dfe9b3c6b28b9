// The bounds that @min and @max set for a kind of values.

import { LIMITED, type ValueLimits } from '../types/limits.js'

/** Inclusive; infinite if unbounded. */
export interface Bounds {
  readonly least: number
  readonly most: number
}

const ANY_SIZE: Bounds = { least: 0, most: Number.POSITIVE_INFINITY }
const ANY_NUMBER: Bounds = { least: Number.NEGATIVE_INFINITY, most: Number.POSITIVE_INFINITY }

/** The allowed lengths of a string in code points, or of a list. Undefined: none is allowed. */
export const sizeBounds = (kind: 'string' | 'list', limits: ValueLimits | undefined): Bounds | undefined => {
  if (!limits || (limits.kinds & LIMITED[kind]) === 0) return ANY_SIZE
  return nonEmpty({ least: Math.max(0, Math.ceil(limits.min)), most: Math.floor(limits.max) })
}

/** Undefined: no number is allowed. */
export const numberBounds = (kind: 'int' | 'number', limits: ValueLimits | undefined): Bounds | undefined => {
  if (!limits || (limits.kinds & LIMITED.number) === 0) return ANY_NUMBER
  const { min, max } = limits
  return nonEmpty(kind === 'int' ? { least: Math.ceil(min), most: Math.floor(max) } : { least: min, most: max })
}

export const isInBounds = (value: number, { least, most }: Bounds): boolean => value >= least && value <= most

const nonEmpty = (bounds: Bounds): Bounds | undefined => (bounds.least <= bounds.most ? bounds : undefined)
