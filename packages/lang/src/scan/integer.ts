// Whether a number's text has no fraction: by its digits, not by its double, so that none of them is lost.

import { withoutLastZeros } from '@plumb/wire/json'

const PLAIN = /^-?\d+$/

/** `1.0`, `1e2` and `12345678901234567890` are ints; `1.5`, `1e-2` and `9007199254740993.5` are not. Takes a valid JSON number. */
export const isIntegerText = (text: string): boolean => {
  if (PLAIN.test(text)) return true
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  const digits = (whole + fraction).replace(/[^0-9]/g, '')
  const significant = withoutLastZeros(digits)
  if (significant === '') return true
  return fraction.length - Number(exponent) <= digits.length - significant.length
}

/**
 * At the `.`, `e` or `E` of an int in a message: returns the offset after a fraction of zeros; -1 for anything else, which the tree
 * decides.
 */
export const skipIntegerRest = (buf: Uint8Array, at: number): number => {
  if (buf[at] !== 46 || buf[at + 1] !== 48) return -1
  let i = at + 2
  while (buf[i] === 48) i++
  return i
}
