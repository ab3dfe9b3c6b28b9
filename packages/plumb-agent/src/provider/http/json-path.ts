// Reads foreign JSON by path: undefined for missing values and other kinds.

import { parseJson, parseTree, type Result } from '@plumb/wire'

export const at = (value: unknown, ...path: readonly (string | number)[]): unknown => {
  let part = value
  for (const key of path) {
    if (typeof part !== 'object' || part === null || !Object.hasOwn(part, key)) return undefined
    part = (part as Readonly<Record<string | number, unknown>>)[key]
  }
  return part
}

export const textAt = (value: unknown, ...path: readonly (string | number)[]): string | undefined => {
  const part = at(value, ...path)
  return typeof part === 'string' ? part : undefined
}

export const numberAt = (value: unknown, ...path: readonly (string | number)[]): number | undefined => {
  const part = at(value, ...path)
  return typeof part === 'number' ? part : undefined
}

/** A count as it was sent; NaN if absent, -1 if it is not a number. */
export const countAt = (value: unknown, ...path: readonly (string | number)[]): number => {
  const part = at(value, ...path)
  if (part === undefined || part === null) return Number.NaN
  return typeof part === 'number' ? part : -1
}

export const listAt = (value: unknown, ...path: readonly (string | number)[]): readonly unknown[] => {
  const part = at(value, ...path)
  return Array.isArray(part) ? part : []
}

/** With the limit on depth that all JSON from outside has, and on numbers. */
export const readJson = (text: string): Result<unknown> => {
  if (text.length < SHORT && !EXPONENT.test(text)) {
    try {
      return { ok: true, value: JSON.parse(text) }
    } catch {
      // What is wrong with it is reported below.
    }
  }
  const bytes = Buffer.from(text)
  return parseJson(bytes, 0, bytes.length, true)
}

/** The same, with NaN and Infinity read as null: servers in Python write them for probabilities. */
export const readTolerantly = (text: string): Result<unknown> => {
  const read = readJson(text)
  if (read.ok || !/\b(?:NaN|Infinity)\b/.test(text)) return read
  const mended = readJson(text.replace(/"(?:[^"\\]|\\.)*"|-?\b(?:NaN|Infinity)\b/g, (part) => (part.startsWith('"') ? part : 'null')))
  return mended.ok ? mended : read
}

/** No text of so few characters is too deep, nor, without an exponent, has a number that is too large for a double. */
const SHORT = 300
const EXPONENT = /\d[eE]/

/** A part of a JSON text as it is written there. */
export const valueAt = (text: string, ...path: readonly (string | number)[]): string | undefined => {
  const bytes = Buffer.from(text)
  const root = parseTree(bytes, 0, bytes.length)
  let node = root.kind === 'fault' ? undefined : root
  for (const key of path) {
    if (node?.kind === 'object') node = node.entries.find((entry) => entry.key === key)?.node
    else node = node?.kind === 'array' ? node.items[Number(key)] : undefined
  }
  return node && bytes.toString('utf8', node.start, node.end)
}
