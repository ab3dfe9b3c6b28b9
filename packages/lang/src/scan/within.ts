// Whether JSON text is within the limits of a field.

import { asciiText, countItems } from '@plumb/wire/json'
import { LIMITED } from '../types/limits.js'

/** Whether the JSON text `buf[start..end)`, of the field's type, is within its limits. */
export const within = (buf: Uint8Array, start: number, end: number, min: number, max: number, kinds: number): boolean => {
  const size = measureSize(buf, start, end, kinds)
  return size === undefined || (size >= min && size <= max)
}

/** The number that is compared with the limits. Undefined for a value of another kind. */
export const measureSize = (buf: Uint8Array, start: number, end: number, kinds: number): number | undefined => {
  const c = buf[start] as number
  if (c === 34) return kinds & LIMITED.string ? countCodePoints(buf, start + 1, end - 1) : undefined
  if (c === 91) return kinds & LIMITED.list ? countItems(buf, start) : undefined
  return kinds & LIMITED.number && (c === 45 || (c > 47 && c < 58)) ? Number(asciiText(buf, start, end)) : undefined
}

const BACKSLASH = 92

// Between the quotes. A lone surrogate counts as one, as in a JavaScript string.
const countCodePoints = (buf: Uint8Array, start: number, end: number): number => {
  let count = 0
  for (let i = start; i < end; count++) {
    if (buf[i] !== BACKSLASH) {
      i++
      // The other bytes of the code point.
      while (((buf[i] as number) & 0xc0) === 0x80) i++
    } else if (buf[i + 1] !== 0x75) i += 2
    else i += isHigh(buf, i) && buf[i + 6] === BACKSLASH && buf[i + 7] === 0x75 && isLow(buf, i + 6) ? 12 : 6
  }
  return count
}

const unitAt = (buf: Uint8Array, at: number): number => Number.parseInt(asciiText(buf, at + 2, at + 6), 16)
const isHigh = (buf: Uint8Array, at: number): boolean => (unitAt(buf, at) & 0xfc00) === 0xd800
const isLow = (buf: Uint8Array, at: number): boolean => (unitAt(buf, at) & 0xfc00) === 0xdc00
