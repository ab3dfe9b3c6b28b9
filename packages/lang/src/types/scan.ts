// A type → a function over bytes that accepts only texts of that type and notes where the wanted parts stand.
// It may refuse what the type accepts (escaped or repeated keys, absent defaults, deep nesting): the tree decides then.

import { generateScanner } from './scan-code.js'
import type { Type } from './type.js'

/**
 * The whole message is `buf[start..end)`; gives `end`, or -1 for "not sure: ask the tree". `caps` receives start and end of wanted path k
 * at 2k and 2k + 1, start -1 where it is absent. The bytes are valid UTF-8, and `end` is inside the buffer, not its length.
 */
export type Scanner = (buf: Uint8Array, start: number, end: number, caps: Int32Array) => number

/** Field names and tuple indexes from the root down. */
export type Path = readonly (string | number)[]

export const makeScanner = (type: Type, paths: readonly Path[]): Scanner => {
  const key = JSON.stringify(paths)
  const known = cache.get(type) ?? new Map<string, Scanner>()
  cache.set(type, known)
  const scanner = known.get(key) ?? generateScanner(type, paths)
  known.set(key, scanner)
  return scanner
}

const cache = new WeakMap<Type, Map<string, Scanner>>()
