// Numbers: read from their text, computed, rounded. What is whole is exact or an error; any other number is a double and finite.

import { withoutLastZeros } from '@plumb/wire/json'
import { isIntegerText } from '../../scan/integer.js'
import { isWholePower, isWholeProduct, isWholeQuotient, isWholeSum } from './exact.js'
import { failEvaluation, type Site } from './failure.js'

const LIMIT = 2 ** 53
const POWERS = Array.from({ length: 16 }, (_, k) => 10 ** k)

/** The double of a JSON number. */
export const parseNumberAt = (buf: Buffer, start: number, end: number): number => {
  // At most 15 digits: they and the power of ten are exact, so one division rounds correctly.
  if (end - start > 16) return Number(buf.toString('latin1', start, end))
  let i = start
  const isNegative = buf[i] === 45
  if (isNegative) i++
  let n = 0
  let point = -1
  for (; i < end; i++) {
    const c = buf[i] as number
    if (c === 46) point = i + 1
    else if (c > 47) n = 10 * n + c - 48
    else return Number(buf.toString('latin1', start, end))
    if (c > 57 || n >= 1e15) return Number(buf.toString('latin1', start, end))
  }
  if (point >= 0) n /= POWERS[end - point] as number
  return isNegative ? -n : n
}

/** An int for a computation. One beyond ±2^53 is valid text, but a double would lose digits of it. */
export const intAt = (buf: Buffer, start: number, end: number, site: Site): number => {
  const n = parseNumberAt(buf, start, end)
  return n < LIMIT && n > -LIMIT ? n : limitedInt(integerOf(buf.toString('latin1', start, end)), site)
}

/** Any number for a computation. Of one beyond ±2^53 a double would lose digits, whole or not. */
export const numberAt = (buf: Buffer, start: number, end: number, site: Site): number => {
  const n = parseNumberAt(buf, start, end)
  if (n < LIMIT && n > -LIMIT) return n
  const text = buf.toString('latin1', start, end)
  if (isIntegerText(text)) return limitedInt(integerOf(text), site)
  return Math.abs(n) > LIMIT ? failEvaluation(site, 'a number beyond ±2^53 cannot be computed with') : n
}

/** For comparisons: exact for ints of any size. `==` and `<` compare both kinds correctly. */
export const exactAt = (buf: Buffer, start: number, end: number): number | bigint => {
  const n = parseNumberAt(buf, start, end)
  if (n < LIMIT && n > -LIMIT) return n
  const text = buf.toString('latin1', start, end)
  return isIntegerText(text) ? integerOf(text) : n
}

const integerOf = (text: string): bigint => {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  const digits = withoutLastZeros(fraction)
  const scale = Number(exponent) - digits.length
  const n = BigInt(whole + digits)
  return scale < 0 ? n / 10n ** BigInt(-scale) : n * 10n ** BigInt(scale)
}

export const limitedInt = (n: bigint, site: Site): number =>
  n <= BigInt(LIMIT) && n >= -BigInt(LIMIT) ? Number(n) : failEvaluation(site, BEYOND)

const BEYOND = 'a whole number beyond ±2^53 cannot be computed with'

// A double at the limit may stand for a neighbour that it cannot represent.
const isSafe = (n: number): boolean => n < LIMIT && n > -LIMIT

export const addInts = (a: number, b: number, site: Site): number => (isSafe(a + b) ? a + b : limitedInt(BigInt(a) + BigInt(b), site))
export const subtractInts = (a: number, b: number, site: Site): number => (isSafe(a - b) ? a - b : limitedInt(BigInt(a) - BigInt(b), site))
export const multiplyInts = (a: number, b: number, site: Site): number => (isSafe(a * b) ? a * b : limitedInt(BigInt(a) * BigInt(b), site))

const finite = (n: number, site: Site): number => (Number.isFinite(n) ? n : failEvaluation(site, 'the result is too large for a number'))

/** `n`, unless it is beyond ±2^53 and the exact result is whole. */
const exact = (n: number, isWhole: () => boolean, site: Site): number => {
  if (isSafe(n)) return n
  finite(n, site)
  return isWhole() && Math.abs(n) > LIMIT ? failEvaluation(site, BEYOND) : n
}

export const add = (a: number, b: number, site: Site): number =>
  isSafe(a + b)
    ? a + b
    : Number.isInteger(a) && Number.isInteger(b)
      ? limitedInt(BigInt(a) + BigInt(b), site)
      : exact(a + b, () => isWholeSum(a, b), site)
export const subtract = (a: number, b: number, site: Site): number => add(a, -b, site)
export const multiply = (a: number, b: number, site: Site): number =>
  isSafe(a * b)
    ? a * b
    : Number.isInteger(a) && Number.isInteger(b)
      ? limitedInt(BigInt(a) * BigInt(b), site)
      : exact(a * b, () => isWholeProduct(a, b), site)

export const divide = (a: number, b: number, site: Site): number =>
  b === 0 ? failEvaluation(site, 'division by zero') : exact(a / b, () => isWholeQuotient(a, b), site)

/** The sign is that of `a`, so that `a = b * div(a, b) + a % b`. */
export const remainder = (a: number, b: number, site: Site): number => (b === 0 ? failEvaluation(site, 'division by zero') : a % b)

/** Whole, towards zero. */
export const quotient = (a: number, b: number, site: Site): number => whole(Math.round((a - remainder(a, b, site)) / b), site)

export const power = (base: number, exponent: number, site: Site): number => {
  const n = base ** exponent
  return Number.isNaN(n) ? failEvaluation(site, 'the result is not a number') : exact(n, () => isWholePower(base, exponent), site)
}

/** A result that has to be a number, and finite. */
export const defined = (n: number, site: Site): number =>
  Number.isNaN(n) ? failEvaluation(site, 'the result is not a number') : finite(n, site)

/** The result of rounding, as an int. */
export const whole = (n: number, site: Site): number => (n <= LIMIT && n >= -LIMIT ? n : failEvaluation(site, BEYOND))

export const roundAwayFromZero = (n: number): number => (n < 0 ? -Math.round(-n) : Math.round(n))
