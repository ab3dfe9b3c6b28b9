// The quick road through JSON that is as machines write it: where a value ends, or that JsonScan has to look.

import { MAX_JSON_DEPTH } from './scan.js'

const [SPACE, QUOTE, COMMA, MINUS, DOT, ZERO, ONE, NINE, COLON] = [0x20, 0x22, 0x2c, 0x2d, 0x2e, 0x30, 0x31, 0x39, 0x3a]
const [OPEN_ARRAY, BACKSLASH, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5c, 0x5d, 0x7b, 0x7d]
const [LOWER_E, UPPER_E, LOWER_U] = [0x65, 0x45, 0x75]
const [TRUE, FALSE, NULL] = [Buffer.from('true'), Buffer.from('false'), Buffer.from('null')]

// 1: stands for itself inside a string.
const PLAIN = new Uint8Array(256).fill(1)
PLAIN.fill(0, 0, SPACE)
PLAIN[QUOTE] = PLAIN[BACKSLASH] = 0

// 1: may follow a backslash and ends the escape.
const ESCAPE = new Uint8Array(256)
for (const byte of Buffer.from('"\\/bfnrt')) ESCAPE[byte] = 1

const HEX = new Uint8Array(256)
for (const byte of Buffer.from('0123456789abcdefABCDEF')) HEX[byte] = 1

/**
 * The index behind the value that begins at `at`; -1 where it is none, or holds what is rare: exponents, and more white space than one after
 * each comma and colon.
 */
export const skipValue = (buf: Buffer, at: number, end: number): number => {
  let depth = 0
  let i = at
  for (;;) {
    const byte = buf[i] as number
    if (byte === QUOTE) i = skipString(buf, i, end)
    else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      if (depth === MAX_JSON_DEPTH) return -1
      const isObject = byte === OPEN_OBJECT
      const next = buf[++i]
      if (next === (isObject ? CLOSE_OBJECT : CLOSE_ARRAY)) i++
      else {
        OPENED[depth++] = isObject ? CLOSE_OBJECT : CLOSE_ARRAY
        if (isObject) i = skipKey(buf, i, end)
        if (i < 0) return -1
        continue
      }
    } else if (byte <= NINE) i = skipNumber(buf, i)
    else i = skipWord(buf, i)

    // Behind a value: the ends of all that it closes, then a comma.
    while (depth > 0 && i >= 0 && buf[i] === OPENED[depth - 1]) {
      depth--
      i++
    }
    if (i < 0 || i > end) return -1
    if (depth === 0) return i
    if (buf[i++] !== COMMA) return -1
    if (buf[i] === SPACE) i++
    if (OPENED[depth - 1] === CLOSE_OBJECT) i = skipKey(buf, i, end)
    if (i < 0) return -1
  }
}

// How each open bracket is closed. No two values are skipped at once.
const OPENED = new Uint8Array(MAX_JSON_DEPTH)

const skipKey = (buf: Buffer, at: number, end: number): number => {
  if (buf[at] !== QUOTE) return -1
  const i = skipString(buf, at, end)
  if (i < 0 || buf[i] !== COLON) return -1
  return buf[i + 1] === SPACE ? i + 2 : i + 1
}

const skipString = (buf: Buffer, at: number, end: number): number => {
  let i = at + 1
  for (;;) {
    while (i < end && PLAIN[buf[i] as number] === 1) i++
    if (i >= end) return -1
    if (buf[i] === QUOTE) return i + 1
    if (buf[i] !== BACKSLASH) return -1
    const next = buf[i + 1] as number
    if (next === LOWER_U ? !isHexAt(buf, i + 2) : ESCAPE[next] !== 1) return -1
    i += next === LOWER_U ? 6 : 2
  }
}

const isHexAt = (buf: Buffer, at: number): boolean =>
  HEX[buf[at] as number] === 1 && HEX[buf[at + 1] as number] === 1 && HEX[buf[at + 2] as number] === 1 && HEX[buf[at + 3] as number] === 1

// May read on behind the end, where whoever asked will see that it has left the line.
const skipNumber = (buf: Buffer, at: number): number => {
  let i = at
  if (buf[i] === MINUS) i++
  if (buf[i] === ZERO) i++
  else if ((buf[i] as number) >= ONE) i = skipDigits(buf, i)
  else return -1
  if (buf[i] === DOT) i = skipDigits(buf, i + 1)
  // Without an exponent it takes more than 308 digits to leave the range of numbers.
  return i < 0 || buf[i] === LOWER_E || buf[i] === UPPER_E || i - at > 308 ? -1 : i
}

const skipDigits = (buf: Buffer, at: number): number => {
  let i = at
  while ((buf[i] as number) >= ZERO && (buf[i] as number) <= NINE) i++
  return i > at ? i : -1
}

const skipWord = (buf: Buffer, at: number): number => {
  const byte = buf[at]
  const word = byte === TRUE[0] ? TRUE : byte === FALSE[0] ? FALSE : NULL
  for (let i = 0; i < word.length; i++) if (buf[at + i] !== word[i]) return -1
  return at + word.length
}
