// What a server says in the form of MCP, with names as plumb has them: media_type for mimeType, data for blob.

import type { Json } from '@plumb/lang'

export const toOurs = (value: Json | object): Json => {
  if (Array.isArray(value)) return value.map(toOurs)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value as Record<string, Json>).map(([key, part]) => [nameOf(key), KEPT.has(key) ? part : toOurs(part)]),
  )
}

/** Theirs, to the last name in it. */
const KEPT = new Set(['_meta', 'annotations'])

const NAMES = new Map([
  ['mimeType', 'media_type'],
  ['blob', 'data'],
])

const nameOf = (key: string): string => NAMES.get(key) ?? key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** A JSON object of strings. */
export const isTexts = (value: unknown): value is Readonly<Record<string, string>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.values(value).every((text) => typeof text === 'string')
