// The statistics of a run, stage by stage.

import { toDollars } from '@plumb/wire'
import type { GrowingAnswer } from '../event/growing.js'

/** Each token is counted once, as in `usage` of plumb-agent(1). */
export interface StageTokens {
  input: number
  output: number
  cache_read: number
  cache_creation: number
}

/** Requests of one agent to one model. */
export interface ModelUsage {
  readonly agent: string
  readonly model: string
  calls: number
  tokens: StageTokens
  /** Nanodollars, of those that have a price. */
  cost: number
  /** Those that have none. */
  unpriced: number
}

export interface StageStats {
  readonly name: string
  /** Messages that it received, and that it sent. */
  inputs: number
  outputs: number
  /** Messages that were answered from a record instead of the agent. */
  fromRecord: number
  toolCalls: number
  /** Those whose result was an error. */
  failedCalls: number
  /** Attempts after the first, of requests and of tools. */
  retries: number
  errors: number
  /** By agent and model; a nested plumb has several agents. */
  readonly usages: ModelUsage[]
  /** When its first message came, in milliseconds of the clock of the run. */
  firstInputMs: number | undefined
}

export interface RunStats {
  /** Inputs of the run, good or bad, and outputs. */
  inputs: number
  outputs: number
  /** By code. */
  readonly errors: Map<string, number>
  /** Errors that an error port, or another part of `p + q`, has taken. */
  handled: number
  /** Batches of questions that are waited for, by process and id. */
  readonly batches: Map<string, { readonly requests: number; readonly done: number }>
  /** In the order of the program. */
  readonly stages: StageStats[]
  /** Answers that are still being written. */
  growing?: () => readonly GrowingAnswer[]
}

export const emptyStageStats = (name: string): StageStats => ({
  name,
  inputs: 0,
  outputs: 0,
  fromRecord: 0,
  toolCalls: 0,
  failedCalls: 0,
  retries: 0,
  errors: 0,
  usages: [],
  firstInputMs: undefined,
})

export const NO_TOKENS: Readonly<StageTokens> = { input: 0, output: 0, cache_read: 0, cache_creation: 0 }

export const addTokens = (a: Readonly<StageTokens>, b: Readonly<StageTokens>): StageTokens => ({
  input: a.input + b.input,
  output: a.output + b.output,
  cache_read: a.cache_read + b.cache_read,
  cache_creation: a.cache_creation + b.cache_creation,
})

/** All tokens that a model read, cached or not, and that it wrote. */
export const readAndWritten = ({
  input,
  output,
  cache_read,
  cache_creation,
}: Readonly<StageTokens>): { read: number; written: number } => ({
  read: input + cache_read + cache_creation,
  written: output,
})

/** `cost`: in nanodollars; undefined: it has no price. */
export const countUsage = (usages: ModelUsage[], agent: string, model: string, tokens: StageTokens, cost: number | undefined): void => {
  const known = usages.find((usage) => usage.agent === agent && usage.model === model)
  const [priced, unpriced] = [cost ?? 0, cost === undefined ? 1 : 0]
  if (!known) usages.push({ agent, model, calls: 1, tokens, cost: priced, unpriced })
  else {
    known.calls++
    known.tokens = addTokens(known.tokens, tokens)
    known.cost += priced
    known.unpriced += unpriced
  }
}

export const allUsages = ({ stages }: RunStats): ModelUsage[] => stages.flatMap(({ usages }) => usages)

export const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0)

export const sumTokens = (usages: readonly ModelUsage[]): StageTokens =>
  usages.reduce<StageTokens>((all, { tokens }) => addTokens(all, tokens), { ...NO_TOKENS })

export interface Cost {
  /** Dollars. */
  readonly known: number
  /** Models that have no price. */
  readonly unpriced: readonly string[]
}

/** Undefined where no model was asked. */
export const costOfUsages = (usages: readonly ModelUsage[]): Cost | undefined => {
  if (usages.length === 0) return undefined
  const unpriced = usages.filter((usage) => usage.unpriced > 0).map(({ model }) => model)
  return { known: toDollars(sum(usages.map(({ cost }) => cost))), unpriced: [...new Set(unpriced)] }
}

/** What people are shown: where there is something to pay, or they asked for it. */
export const costToShow = (usages: readonly ModelUsage[], isAsked: boolean): Cost | undefined => {
  const cost = costOfUsages(usages)
  return cost && (isAsked || cost.known > 0) ? cost : undefined
}
