// What stands for the key of a message where equal keys are to be found: a string or a number, "1" apart from 1.

import { kindOfValue } from '../run/coerce.js'
import { identityOf } from '../run/equal.js'
import { type Slice, sliceOf } from '../run/slice.js'

/** Numbers that a double holds exactly are themselves; a larger one is its digits, and a string has a mark before its JSON. */
export type Identity = string | number

const MARK = 's'

/** Undefined: it is neither a string nor a number. */
export const identityOfKey = (key: Slice): Identity | undefined => {
  const kind = kindOfValue(key)
  if (kind === 'string') return `${MARK}${identityOf(key)}`
  return kind === 'number' ? identityOf(key) : undefined
}

/** The same of a key as JSON text. */
export const identityOfJson = (text: string): Identity | undefined => identityOfKey(sliceOf(text))

/** The key as JSON. */
export const jsonOfKey = (identity: Identity): string =>
  typeof identity === 'string' && identity.startsWith(MARK) ? identity.slice(MARK.length) : String(identity)
