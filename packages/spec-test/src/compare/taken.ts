// What each row of a variant took, as if the variant had run alone: an answer that was kept from another variant takes what it took there.

import { costOfUsage, type Prices } from '@plumb/ledger'
import type { RatedRow } from '../rate-rows.js'
import type { Usage } from '../spending.js'
import type { Measured } from './measure.js'

export interface Taken {
  readonly ms: number
  /** Nanodollars, of models that have a price. */
  readonly nano: number
  readonly tokens: number
  readonly requests: number
  readonly unpriced: readonly string[]
}

/** Of the rows of all variants of one test; to be asked in the order of the variants. */
export class Takings {
  /** What was asked in earnest, by row, repetition, and what was used. */
  readonly #asked = new Map<string, Usage>()

  constructor(
    all: readonly Measured[],
    private readonly prices: Prices | undefined,
  ) {
    for (const { rows } of all)
      for (const [row, { runs }] of rows)
        for (const [i, { usages }] of runs.entries())
          for (const usage of usages) if (usage.kept === undefined) this.#asked.set(keyOf(row, i, usage), usage)
  }

  of(row: number, repetition: number, { ms, usages }: RatedRow): Taken {
    let [nano, tokens, kept] = [0, 0, 0]
    const unpriced: string[] = []
    for (const usage of usages) {
      const asked = usage.kept === undefined ? usage : (this.#asked.get(keyOf(row, repetition, usage)) ?? usage)
      const cost = costOfUsage(this.prices, asked)
      nano += cost ?? 0
      if (cost === undefined && asked.model !== 'scripted') unpriced.push(asked.model)
      tokens += asked.input_tokens + asked.output_tokens + asked.cache_read_tokens + asked.cache_creation_tokens
      if (usage.kept !== undefined) kept += asked.ms
    }
    return { ms: ms + kept, nano, tokens, requests: usages.length, unpriced }
  }
}

const keyOf = (row: number, repetition: number, { agent, input_tokens, output_tokens }: Usage): string =>
  `${row} ${repetition} ${input_tokens} ${output_tokens} ${agent}`
