// The hash of a value that is kept: the same for all ways in which its JSON can be written.

import { createHash } from 'node:crypto'
import { canonicalJson } from '../json/canonical.js'

/** What JSON leaves out, such as undefined, is left out here. */
export const canonicalText = (value: unknown): string => canonicalJson(JSON.stringify(value) ?? 'null')

/** SHA-256 of the canonical text, in 64 hexadecimal digits. */
export const hashOf = (value: unknown): string => createHash('sha256').update(canonicalText(value)).digest('hex')
