// Strings as bytes: base64, SHA-256, parts of a URL. Bytes are those of UTF-8.

import { createHash } from 'node:crypto'
import { failEvaluation, type Site } from './failure.js'
import { isHalved, limitedText } from './text.js'

/** A surrogate half has no bytes. */
const whole = (text: string, site: Site): string =>
  isHalved(text) ? failEvaluation(site, 'half a surrogate pair has no bytes in UTF-8') : text

export const toBase64 = (text: string, site: Site): string => limitedText(Buffer.from(whole(text, site)).toString('base64'), site)

// Of any length: nothing in it repeats a group, for which V8 takes memory of its stack.
const isBase64 = (text: string): boolean => {
  const end = text.length - (text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0)
  return text.length % 4 === 0 && !/[^A-Za-z0-9+/]/.test(text.slice(0, end))
}

export const fromBase64 = (text: string, site: Site): string =>
  isBase64(text) ? decoded(Buffer.from(text, 'base64'), site) : failEvaluation(site, 'the string is not base64')

const decoded = (bytes: Uint8Array, site: Site): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return failEvaluation(site, 'the bytes are not UTF-8')
  }
}

/** In hexadecimal digits. */
export const sha256 = (text: string, site: Site): string => {
  return createHash('sha256').update(whole(text, site)).digest('hex')
}

export const toUrl = (text: string, site: Site): string =>
  limitedText(
    encodeURIComponent(whole(text, site)).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`),
    site,
  )

export const fromUrl = (text: string, site: Site): string => {
  whole(text, site)
  if (/%(?![0-9A-Fa-f]{2})/.test(text)) return failEvaluation(site, "a '%' is not followed by two hexadecimal digits")
  try {
    return decodeURIComponent(text)
  } catch {
    return failEvaluation(site, 'the bytes are not UTF-8')
  }
}
