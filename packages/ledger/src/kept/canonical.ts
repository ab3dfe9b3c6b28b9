// The hash of a value that is kept: the same for all ways in which its JSON can be written.

import { sha256Of } from '@plumb/wire'
import { canonicalJson, MAX_JSON_DEPTH } from '@plumb/wire/json'

/** What JSON leaves out, such as undefined, is left out here. */
export const canonicalText = (value: unknown): string => partText(value, 0) ?? canonicalJson(JSON.stringify(value) ?? 'null')

/** SHA-256 of the canonical text, in 64 hexadecimal digits. */
export const hashOf = (value: unknown): string => sha256Of(canonicalText(value))

/**
 * The canonical text of a value as JSON.parse returns them, which is `depth` levels deep in another, without writing and parsing JSON: its
 * numbers are doubles. Undefined: it has objects of other classes, or is nested too deep to be parsed.
 */
export const partText = (value: unknown, depth: number): string | undefined => {
  if (typeof value !== 'object' || value === null) return isPlain(value) ? JSON.stringify(value) : undefined
  if (depth === MAX_JSON_DEPTH) return undefined
  return Array.isArray(value) ? arrayText(value, depth) : objectText(value, depth)
}

const isPlain = (value: unknown): boolean =>
  value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'

const arrayText = (items: readonly unknown[], depth: number): string | undefined => {
  let text = '['
  for (const item of items) {
    const part = partText(item, depth + 1)
    if (part === undefined) return undefined
    text += text.length === 1 ? part : `,${part}`
  }
  return `${text}]`
}

const objectText = (value: object, depth: number): string | undefined => {
  const prototype: unknown = Object.getPrototypeOf(value)
  if ((prototype !== Object.prototype && prototype !== null) || 'toJSON' in value) return undefined
  let text = '{'
  for (const key of Object.keys(value).sort()) {
    const item = (value as Readonly<Record<string, unknown>>)[key]
    if (item === undefined) continue
    const part = partText(item, depth + 1)
    if (part === undefined) return undefined
    text += `${text.length === 1 ? '' : ','}${JSON.stringify(key)}:${part}`
  }
  return `${text}}`
}
