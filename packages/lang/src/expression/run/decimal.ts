// The digits of a number as written: rounded to whole numbers and to places, without a double between.

import { isIntegerText } from '../../scan/integer.js'
import { failEvaluation, type Site } from './failure.js'
import { limitedInt, parseNumberAt, roundAwayFromZero, whole } from './number.js'
import { type RuntimeValue, Slice } from './slice.js'
import { limitedText } from './text.js'

interface Digits {
  readonly isNegative: boolean
  /** Before and after the point. */
  readonly whole: string
  readonly fraction: string
}

/** Farther from the point a digit decides nothing. */
const MAX_SHIFT = 400

const digitsOf = (text: string): Digits => {
  const isNegative = text.startsWith('-')
  const [mantissa = '', exponent = '0'] = text
    .slice(isNegative ? 1 : 0)
    .toLowerCase()
    .split('e')
  const [before = '', after = ''] = mantissa.split('.')
  const shift = Math.max(Number(exponent), -MAX_SHIFT)
  if (shift >= 0) return { isNegative, whole: before + after.slice(0, shift).padEnd(shift, '0'), fraction: after.slice(shift) }
  const padded = before.padStart(1 - shift, '0')
  return { isNegative, whole: padded.slice(0, shift), fraction: padded.slice(shift) + after }
}

type Rounding = 'round' | 'floor' | 'ceil'

const ROUND: Readonly<Record<Rounding, (n: number) => number>> = { round: roundAwayFromZero, floor: Math.floor, ceil: Math.ceil }

/** Up to so many characters a double holds them all. */
const SHORT = 15

export const rounded =
  (rounding: Rounding) =>
  (value: RuntimeValue, site: Site): number => {
    if (!(value instanceof Slice)) return whole(ROUND[rounding](value as number), site)
    const { buf, start, end } = value
    if (end - start <= SHORT) return whole(ROUND[rounding](parseNumberAt(buf, start, end)), site)
    const text = buf.toString('latin1', start, end)
    const { isNegative, whole: before, fraction } = digitsOf(text)
    const up = { round: /^[5-9]/.test(fraction), floor: isNegative, ceil: !isNegative }[rounding]
    const size = BigInt(before) + (up && !isIntegerText(text) ? 1n : 0n)
    return limitedInt(isNegative ? -size : size, site)
  }

/** With so many digits after the point; halves away from zero. */
export const fixed = (value: RuntimeValue, places: number, site: Site): string => {
  if (!(places >= 0 && places <= 20)) return failEvaluation(site, `${places} places are not possible, only 0 to 20`)
  const text = value instanceof Slice ? value.buf.toString('latin1', value.start, value.end) : String(value)
  const { isNegative, whole: before, fraction } = digitsOf(text)
  const kept = BigInt(before + fraction.slice(0, places).padEnd(places, '0')) + (/^[5-9]/.test(fraction.slice(places)) ? 1n : 0n)
  const digits = String(kept).padStart(places + 1, '0')
  const point = digits.length - places
  const sign = isNegative && /[1-9]/.test(before + fraction) ? '-' : ''
  return limitedText(`${sign}${digits.slice(0, point)}${places > 0 ? '.' : ''}${digits.slice(point)}`, site)
}
