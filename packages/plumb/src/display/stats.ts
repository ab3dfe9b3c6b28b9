// What a run has done so far, stage by stage.

import { costOf, type Prices, priceOf, type Tokens } from './prices.js'

/** What one agent used of one model. */
export interface Use {
  readonly agent: string
  readonly model: string
  calls: number
  tokens: Tokens
}

export interface StageTally {
  readonly name: string
  /** Messages that came, and that it gave. */
  taken: number
  given: number
  /** Messages that were answered from a record, and not asked. */
  replayed: number
  toolCalls: number
  /** Attempts after the first, of requests and of tools. */
  retries: number
  errors: number
  /** By agent and model; a nested plumb has several agents. */
  readonly uses: Use[]
  /** Milliseconds of the clock of the run; undefined until a message came. */
  since: number | undefined
}

export interface Tally {
  /** Inputs of the run, good or bad, and outputs. */
  taken: number
  given: number
  /** By code. */
  readonly errors: Map<string, number>
  /** In the order of the program. */
  readonly stages: StageTally[]
}

export const emptyStage = (name: string): StageTally => ({
  name,
  taken: 0,
  given: 0,
  replayed: 0,
  toolCalls: 0,
  retries: 0,
  errors: 0,
  uses: [],
  since: undefined,
})

export const NO_TOKENS: Readonly<Tokens> = { input: 0, output: 0, cache_read: 0, cache_creation: 0 }

export const addTokens = (a: Readonly<Tokens>, b: Readonly<Tokens>): Tokens => ({
  input: a.input + b.input,
  output: a.output + b.output,
  cache_read: a.cache_read + b.cache_read,
  cache_creation: a.cache_creation + b.cache_creation,
})

/** What a model read, from wherever, and what it wrote. */
export const readAndWritten = ({ input, output, cache_read, cache_creation }: Readonly<Tokens>): { read: number; written: number } => ({
  read: input + cache_read + cache_creation,
  written: output,
})

export const addUse = (uses: Use[], agent: string, model: string, tokens: Tokens): void => {
  const known = uses.find((use) => use.agent === agent && use.model === model)
  if (!known) uses.push({ agent, model, calls: 1, tokens })
  else {
    known.calls++
    known.tokens = addTokens(known.tokens, tokens)
  }
}

export const allUses = ({ stages }: Tally): Use[] => stages.flatMap(({ uses }) => uses)

export const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0)

export const tokensOf = (uses: readonly Use[]): Tokens => uses.reduce<Tokens>((all, { tokens }) => addTokens(all, tokens), { ...NO_TOKENS })

export interface Cost {
  readonly known: number
  /** Models that have no price. */
  readonly unpriced: readonly string[]
}

/** Undefined where no prices were given, or nothing that costs was used. */
export const spentOn = (uses: readonly Use[], prices: Prices | undefined): Cost | undefined => {
  if (!prices || uses.length === 0) return undefined
  const priced = uses.map(({ model, tokens }) => ({ model, tokens, price: priceOf(prices, model) }))
  const unpriced = priced.flatMap(({ model, price }) => (price ? [] : [model]))
  return { known: sum(priced.map(({ tokens, price }) => (price ? costOf(price, tokens) : 0))), unpriced: [...new Set(unpriced)] }
}
