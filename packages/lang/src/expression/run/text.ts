// Strings: sequences of code points; a JSON escape may leave a surrogate half, which is kept.

import { eachItem } from '@plumb/wire/json'
import { EvaluationFailure, type Site } from './failure.js'
import { MAX_RESULT } from './sink.js'
import { boundOf, type RuntimeValue, Slice, stringAt } from './slice.js'

const SURROGATE = 0xd800

/** Negative, 0 or positive: by code points, the order of the UTF-8 bytes. */
export const compareStrings = (a: string, b: string): number => {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i)
    const y = b.charCodeAt(i)
    if (x === y) continue
    // Surrogates stand for code points above U+FFFF.
    return x >= SURROGATE && y >= SURROGATE ? rank(x) - rank(y) : x - y
  }
  return a.length - b.length
}

const rank = (unit: number): number => (unit < 0xe000 ? unit + 0x2000 : unit - 0x800)

export const countCodePoints = (text: string): number => {
  let count = text.length
  for (let i = 1; i < text.length; i++) {
    const isLow = (text.charCodeAt(i) & 0xfc00) === 0xdc00
    if (isLow && (text.charCodeAt(i - 1) & 0xfc00) === SURROGATE) {
      count--
      i++
    }
  }
  return count
}

/** With an empty separator, into code points. */
export const split = (text: string, separator: string): string[] => (separator === '' ? Array.from(text) : text.split(separator))

/** All occurrences, without patterns: `replace(s, a, b)` is `join(split(s, a), b)`. */
export const replaceAll = (text: string, what: string, by: string): string => split(text, what).join(by)

/** A string stays; anything else as JSON, in the digits and with the white space in which it was written. */
export const textOf = (value: RuntimeValue): string => {
  if (typeof value === 'string') return value
  if (!(value instanceof Slice)) return JSON.stringify(value)
  const { buf, start, end } = value
  return buf[start] === 34 ? stringAt(buf, start + 1, end - 1) : buf.toString('utf8', start, end)
}

/** Whether it contains a surrogate half, which only an escape can write. */
export const isHalved = (text: string): boolean => /\p{Surrogate}/u.test(text)

/** The items of a list of strings. */
export const stringsOf = ({ buf, start }: Slice): string[] => {
  const strings: string[] = []
  eachItem(buf, start, (start, end) => strings.push(stringAt(buf, start + 1, end - 1)))
  return strings
}

/** Whether the string at `[start..end)`, quotes outside, equals this one. Its bytes are compared; it is decoded only if it has escapes. */
export const isText = (buf: Buffer, start: number, end: number, text: string, bytes: Uint8Array): boolean => {
  const length = bytes.length
  if (end - start < length) return false
  if (end - start === length) {
    let i = 0
    while (i < length && buf[start + i] === bytes[i]) i++
    if (i === length) return true
  }
  for (let i = start; i < end; i++) if (buf[i] === 92) return stringAt(buf, start, end) === text
  return false
}

/** A text within the size limit of a result. */
export const limitedText = (text: string, site: Site): string => {
  if (text.length <= MAX_RESULT) return text
  throw new EvaluationFailure(`the text of '${site}' is longer than ${MAX_RESULT.toLocaleString('en')} characters`, 'too_large')
}

/** Lines end with `\n` or `\r\n`; nothing after the last one is not a line. */
export const linesOf = (text: string): string[] => {
  const lines = text.split(/\r?\n/)
  if (lines.at(-1) === '') lines.pop()
  return lines
}

/** The words between white space. */
export const wordsOf = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '')

/** By code points: negative from the end, and clamped to the text. */
export const sliceText = (text: string, from?: number, to?: number): string => {
  // In ASCII a unit is a code point.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are ASCII too
  const points = /^[\x00-\x7f]*$/.test(text) ? text : Array.from(text)
  const start = boundOf(from ?? 0, points.length)
  const part = points.slice(start, Math.max(boundOf(to ?? points.length, points.length), start))
  return typeof part === 'string' ? part : part.join('')
}

/** Pads with spaces to `width` code points: at the end, or at the start if the width is negative. */
export const pad = (text: string, width: number, site: Site): string => {
  const missing = Math.abs(width) - countCodePoints(text)
  if (missing <= 0) return text
  if (missing > MAX_RESULT) {
    throw new EvaluationFailure(`the text of '${site}' is longer than ${MAX_RESULT.toLocaleString('en')} characters`, 'too_large')
  }
  const spaces = ' '.repeat(missing)
  return width < 0 ? spaces + text : text + spaces
}
