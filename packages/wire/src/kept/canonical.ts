// The hash of a kept value: the same for all ways to write its JSON.

import { createHash } from 'node:crypto'
import { canonicalJson } from '../json/canonical.js'

/** Values that JSON omits, such as undefined, are omitted here too. */
export const canonicalText = (value: unknown): string => canonicalJson(JSON.stringify(value) ?? 'null')

/** SHA-256 of the canonical text, in 64 hexadecimal digits. */
export const hashOf = (value: unknown): string => createHash('sha256').update(canonicalText(value)).digest('hex')
