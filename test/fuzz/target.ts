// What is fuzzed: where its inputs come from, and what must hold of each.

import type { Random } from './random.js'

export interface Target {
  /** Also the directory of its corpus. */
  readonly name: string
  readonly seeds: readonly (string | Buffer)[]
  readonly words: readonly string[]
  /** In `npm test`. */
  readonly cases: number
  /** 16 KiB. */
  readonly maxBytes?: number
  /** Throws where something does not hold. What it draws from `random` is the same for the same input. */
  readonly judge: (input: Buffer, random: Random) => unknown
}

/** Thrown by `judge`. */
export const must = (holds: unknown, words: string): void => {
  if (!holds) throw new Error(words)
}
