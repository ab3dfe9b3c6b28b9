// One text for all ways in which the same JSON can be written, and its hash: the order of keys and the space around values do not count.

import { createHash } from 'node:crypto'

/** Of a value as JSON.parse gives it; what JSON leaves out, such as undefined, is left out here. */
export const canonicalText = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalText(item ?? null)).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonicalText(member)}`).join(',')}}`
}

/** SHA-256 of the canonical text, in 64 hexadecimal digits. */
export const hashOf = (value: unknown): string => createHash('sha256').update(canonicalText(value)).digest('hex')
