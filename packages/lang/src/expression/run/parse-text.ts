// JSON inside strings: what `parse` and `number` read.

import { isJson, skipNumber, skipSpace, skipValue } from '@plumb/wire/json'
import { failEvaluation, type Site } from './failure.js'
import { Slice } from './slice.js'
import { isHalved } from './text.js'

/** The text itself, so that numbers keep their digits. */
export const parseText = (text: string, site: Site): Slice => {
  const buf = encode(text)
  const end = buf ? buf.length - 1 : 0
  const start = buf ? skipSpace(buf, 0) : 0
  const stop = buf ? skipValue(buf, start, 0) : -1
  if (!buf || stop < 0 || skipSpace(buf, stop) !== end) return failEvaluation(site, 'the string is not a JSON value')
  return new Slice(buf, start, stop)
}

/** Exactly one JSON number, without white space. */
export const parseNumber = (text: string, site: Site): Slice => {
  const buf = encode(text)
  if (!buf || skipNumber(buf, 0) !== buf.length - 1) return failEvaluation(site, 'the string is not a JSON number')
  return new Slice(buf, 0, buf.length - 1)
}

// Followed by a byte, at which every scan stops. Newlines can only be white space, and a message has none; a surrogate half has no bytes
// and becomes an escape, if it is in a valid place: JSON.parse decides.
const encode = (text: string): Buffer | undefined => {
  let plain = text
  if (isHalved(text)) {
    if (!isJson(text)) return undefined
    plain = text.replace(/\p{Surrogate}/gu, (c) => `\\u${c.charCodeAt(0).toString(16)}`)
  }
  return Buffer.from(`${plain.replaceAll('\n', ' ')}\0`)
}
