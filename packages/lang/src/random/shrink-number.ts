// Simpler numbers than one, as JSON text, so that none of its digits is lost: whole before broken, near to zero, positive, with few digits.

import { isIntegerText } from '../scan/integer.js'
import { type Bounds, isInBounds } from './bounds.js'
import { nearestWhole } from './number-edges.js'

/** The simplest first. */
export function* shrinkNumber(text: string, bounds: Bounds): Generator<string> {
  for (const simpler of isIntegerText(text) ? smallerWhole(text, bounds) : simplerBroken(text)) {
    if (simpler !== text && isInBounds(Number(simpler), bounds)) yield simpler
  }
}

// The one that is nearest to zero, then those half as far from it as the one before.
function* smallerWhole(text: string, bounds: Bounds): Generator<string> {
  const value = wholeOf(text)
  const least = nearestWhole(bounds)
  if (least === undefined) return
  yield String(least)
  if (value < 0n) yield String(-value)
  yield* approaching(value, least)
  // Of several spellings the one without an exponent.
  yield String(value)
}

function* approaching(value: bigint, least: bigint): Generator<string> {
  for (let distance = (value - least) / 2n; distance !== 0n; distance /= 2n) yield String(value - distance)
}

/** Zero may have any exponent, so it is recognized as a double; all other numbers have few digits. */
const wholeOf = (text: string): bigint => {
  if (Number(text) === 0) return 0n
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  const shift = Number(exponent) - fraction.length
  const digits = BigInt(whole + fraction)
  return shift >= 0 ? digits * 10n ** BigInt(shift) : digits / 10n ** BigInt(-shift)
}

const PLAIN = /^(-?)(\d+)\.(\d+)$/

function* simplerBroken(text: string): Generator<string> {
  const value = Number(text)
  for (const whole of new Set([Math.trunc(value), Math.ceil(value), Math.floor(value)])) yield String(BigInt(whole))
  if (text.startsWith('-')) yield text.slice(1)
  const [, sign = '', whole = '', fraction = ''] = PLAIN.exec(text) ?? []
  if (whole === '') {
    yield text.replace(/\.\d+/, '')
    return
  }
  for (let digits = 1; digits < fraction.length; digits++) {
    const shorter = fraction.slice(0, digits)
    if (/[1-9]$/.test(shorter)) yield `${sign}${whole}.${shorter}`
  }
  if (whole !== '0') yield `${sign}0.${fraction}`
  for (const nearer of approaching(BigInt(whole), 0n)) yield `${sign}${nearer}.${fraction}`
}
