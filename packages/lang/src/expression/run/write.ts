// Writes values into a sink as JSON. Each function takes the offset to write at and returns the offset after it.

import { isTooDeep, MAX_JSON_DEPTH } from '@plumb/wire/json'
import { EvaluationFailure } from './failure.js'
import { Sink } from './sink.js'
import { type FieldKey, membersOf, type RuntimeValue, Slice } from './slice.js'

// For fewer bytes a loop is faster than a copy.
const SHORT = 64
// From here on its bytes are counted, so that no room is asked for that it does not need.
const LONG = 65_536

/** The offset for so many bytes, and one more. */
export const room = (out: Sink, at: number, bytes: number): number => (at + bytes < out.buf.length ? at : out.grow(at, bytes))

/** Unchanged bytes: moved values and constants. */
export const put = (out: Sink, at: number, from: Buffer, start: number, end: number): number => {
  const length = end - start
  const p = room(out, at, length)
  const to = out.buf
  if (length < SHORT) for (let i = 0; i < length; i++) to[p + i] = from[start + i] as number
  else from.copy(to, p, start, end)
  return p + length
}

export const putNumber = (out: Sink, at: number, n: number): number => {
  const p = room(out, at, 25)
  const to = out.buf
  const size = Math.abs(n)
  const places = digitsOf(size)
  if (places < 0) return putText(to, p, String(n))
  const from = n < 0 ? p + 1 : p
  if (n < 0) to[p] = MINUS
  const power = POWERS[places] as number
  const digits = Math.round(size * power)
  const whole = Math.floor(digits / power)
  const point = putDigits(to, from, whole, countDigits(whole))
  if (places === 0) return point
  to[point] = POINT
  return putDigits(to, point + 1, digits - whole * power, places)
}

// The minimal number of decimal places that identifies this number, if it has at most 15 digits: two decimals of so few digits are never
// the same double, so a reader gets the same number, and fewer digits would be another. -1: it has more, or needs an exponent.
const digitsOf = (size: number): number => {
  if (size === (size | 0)) return 0
  if (size > MAX_DIGITS) return -1
  if (size < MAX_SIXTHS) return sixthsOf(size)
  for (let places = 0; places < POWERS.length; places++) {
    const power = POWERS[places] as number
    const digits = Math.round(size * power)
    if (digits > MAX_DIGITS) return -1
    if (digits / power === size) return places
  }
  return -1
}

// The same, from the last place up: with six places too it has at most 15 digits.
const sixthsOf = (size: number): number => {
  let digits = Math.round(size * 1e6)
  if (digits / 1e6 !== size) return -1
  let places = 6
  for (let tenth = Math.floor(digits / 10); tenth * 10 === digits; tenth = Math.floor(digits / 10)) {
    digits = tenth
    places--
  }
  return places
}

const MAX_SIXTHS = 1e9 - 1
const MAX_DIGITS = 1e15 - 1
// From 0.000001 on; smaller ones have an exponent.
const POWERS = [1, 10, 100, 1e3, 1e4, 1e5, 1e6]
const [MINUS, POINT, ZERO] = [45, 46, 48]
// Counted without fractions, which is faster.
const SMALL = 2 ** 31 - 1

const countDigits = (n: number): number => {
  let count = 1
  for (let power = 10; n >= power; power *= 10) count++
  return count
}

const putDigits = (to: Buffer, at: number, n: number, count: number): number => {
  let rest = n
  let i = at + count - 1
  for (; rest > SMALL; i--) {
    const tenth = Math.floor(rest / 10)
    to[i] = ZERO + rest - 10 * tenth
    rest = tenth
  }
  for (let small = rest | 0; i >= at; i--) {
    const tenth = (small / 10) | 0
    to[i] = ZERO + small - 10 * tenth
    small = tenth
  }
  return at + count
}

const putText = (to: Buffer, at: number, text: string): number => {
  for (let i = 0; i < text.length; i++) to[at + i] = text.charCodeAt(i)
  return at + text.length
}

export const putString = (out: Sink, at: number, text: string): number => {
  const { length } = text
  let p = at
  if (length < SHORT) {
    p = room(out, at, length + 2)
    const to = out.buf
    let i = 0
    for (; i < length; i++) {
      const c = text.charCodeAt(i)
      if (c < 32 || c > 126 || c === 34 || c === 92) break
      to[p + i + 1] = c
    }
    if (i === length) {
      to[p] = 34
      to[p + i + 1] = 34
      return p + i + 2
    }
  }
  // A surrogate half is written as an escape.
  const json = JSON.stringify(text)
  p = room(out, p, json.length < LONG ? 3 * json.length : Buffer.byteLength(json))
  return p + out.buf.write(json, p, 'utf8')
}

export const putValue = (out: Sink, at: number, value: RuntimeValue): number => {
  if (value instanceof Slice) return put(out, at, value.buf, value.start, value.end)
  if (typeof value === 'string') return putString(out, at, value)
  if (typeof value === 'number') return putNumber(out, at, value)
  return value === null ? put(out, at, NULL, 0, 4) : putBool(out, at, value)
}

export const putBool = (out: Sink, at: number, isTrue: boolean): number => (isTrue ? put(out, at, TRUE, 0, 4) : put(out, at, FALSE, 0, 5))

const TRUE = Buffer.from('true')
const FALSE = Buffer.from('false')
const NULL = Buffer.from('null')

/** Runs `write` on a sink of its own. */
export const build = (write: (out: Sink) => number): Slice => {
  const out = scratch[depth] ?? new Sink()
  scratch[depth++] = out
  try {
    out.commit(write(out))
  } finally {
    depth--
  }
  return new Slice(out.buf, out.start, out.end)
}

/** A value as text, followed by a byte. */
export const sliced = (value: RuntimeValue): Slice => (value instanceof Slice ? value : build((out) => putValue(out, out.at, value)))

// One for each nesting level, since a message that is being written owns its sink.
const scratch: Sink[] = []
let depth = 0

export type Put = (item: RuntimeValue) => void

/** The items in the order in which `fill` adds them. */
export const listFrom = (fill: (put: Put) => void): Slice =>
  build((out) => {
    let p = put(out, out.at, OPEN, 0, 1)
    let isFirst = true
    fill((item) => {
      if (!isFirst) p = put(out, p, COMMA, 0, 1)
      isFirst = false
      p = putValue(out, p, item)
    })
    return put(out, p, CLOSE, 0, 1)
  })

export const listOf = (items: readonly RuntimeValue[]): Slice =>
  listFrom((put) => {
    for (const item of items) put(item)
  })

/** Fields and spread records, in order: a later one replaces an earlier one of its name. */
export const merge = (...parts: readonly (readonly [FieldKey, RuntimeValue] | Slice)[]): Slice => {
  const fields = new Map<string, RuntimeValue>()
  for (const part of parts) {
    if (part instanceof Slice) for (const [name, value] of membersOf(part)) fields.set(name, value)
    else fields.set(part[0].text, part[1])
  }
  return writeRecord(fields)
}

export const writeRecord = (fields: ReadonlyMap<string, RuntimeValue>): Slice =>
  build((out) => {
    let p = put(out, out.at, OPEN, 2, 3)
    let isFirst = true
    for (const [key, value] of fields) {
      if (!isFirst) p = put(out, p, COMMA, 0, 1)
      isFirst = false
      p = putValue(out, put(out, putString(out, p, key), COMMA, 1, 2), value)
    }
    return put(out, p, CLOSE, 2, 3)
  })

const OPEN = Buffer.from('[ {')
const CLOSE = Buffer.from('] }')
const COMMA = Buffer.from(',:')

/** Fails for a result that no reader would accept, and that a loop could nest deeper for ever. */
export const refuseDeep = ({ buf, start, end }: Sink): void => {
  if (isTooDeep(buf, start, end)) throw new EvaluationFailure(`the result is nested more than ${MAX_JSON_DEPTH} deep`, 'too_deep')
}
