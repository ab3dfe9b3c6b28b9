// What the requests of an agent cost: the most that each can is reserved before it is sent, and what it has cost takes its place.

import {
  type AgentLimit,
  costOf,
  type Fault,
  fail,
  fault,
  maxCostOf,
  type Prices,
  type ProviderLane,
  type Quote,
  type RateLimit,
  type Result,
  succeed,
  type TokenCounts,
  toDollars,
  totalTokens,
} from '@plumb/wire'
import type { RequestSize } from '../provider/request-size.js'
import type { Allowance } from './allowance.js'

export interface Billing {
  /** A fault, `budget_spent`: the request may not be sent. */
  reserve(size: RequestSize, signal: AbortSignal): Promise<Result<Bill>>
  /** Tokens that were used for what came to nothing. */
  lose(tokens: number): void
}

/** Of one request. Called once it is over. */
export interface Bill {
  /** What it has cost in nanodollars, where that is known. `most`: its usage is not known, and nothing else counts it. */
  settle(used: TokenCounts | 'nothing' | 'most', isReported?: boolean): number | undefined
}

export interface BillingOptions {
  readonly allowance: Allowance
  /** Undefined: money is not limited. */
  readonly prices: Prices | undefined
  readonly provider: string
  readonly lane: ProviderLane
  readonly limit: AgentLimit | undefined
  readonly rate: RateLimit | undefined
  readonly warn: (warning: Fault) => void
}

/** Tokens, where that of the model is not known. */
const LARGEST_WINDOW = 1_000_000

export const openBilling = ({ allowance, prices, provider, lane, limit, rate: ofRequests, warn }: BillingOptions): Billing => ({
  reserve: async (size, signal) => {
    const { model, output } = size
    const quote = prices?.quote({ model, provider, ...(lane === 'batch' ? { lane } : {}) }, size)
    if (prices && !quote) return fail('config_invalid', unpriced(model))
    const price = quote?.price
    const { input, cost } = mostOf(size, quote)
    const tokens = input + output
    // Batches have limits of their own.
    const rate = lane === 'batch' ? undefined : ofRequests
    const isClaimed = price !== undefined || rate !== undefined
    const claim = { cost, tokens, ...(limit ? { agent: limit } : {}), ...(rate ? { rate } : {}) }
    const reserved = isClaimed ? await allowance.reserve(claim, signal) : succeed(undefined)
    if (!reserved.ok) return reserved
    const settle: Bill['settle'] = (used, isReported = true) => {
      if (used === 'most') allowance.lose(tokens)
      const isKnown = typeof used === 'object' && isReported
      const billed = used === 'nothing' ? 0 : price && isKnown ? costOf(price, pricedTokens(used)) : cost
      reserved.value?.settle(billed, typeof used === 'object' ? totalTokens(used) : used === 'most' ? tokens : 0)
      if (billed > cost) warn(fault('usage_unknown', overBill(model, billed, cost)))
      return price ? billed : undefined
    }
    return succeed({ settle })
  },
  lose: allowance.lose,
})

/** The same, and how many requests it let go out. */
export const countGranted = (billing: Billing): { readonly billing: Billing; readonly granted: number } => {
  let granted = 0
  const reserve: Billing['reserve'] = async (size, signal) => {
    const bill = await billing.reserve(size, signal)
    if (bill.ok) granted++
    return bill
  }
  return {
    billing: { ...billing, reserve },
    get granted() {
      return granted
    },
  }
}

/** Tokens, and nanodollars; 0 where no price is known. */
export const mostOf = (size: RequestSize, quote: Quote | undefined): { input: number; output: number; cost: number } => {
  const { price, window = LARGEST_WINDOW } = quote ?? {}
  const { output } = size
  const input = size.input + (size.fillsWindow ? window : 0)
  return { input, output, cost: price ? maxCostOf(price, { input, output }) : 0 }
}

export const unpriced = (model: string): string =>
  `no price is known for model '${model}', so that no limit of money can hold: say with --prices what a million of its tokens cost`

const overBill = (model: string, billed: number, most: number): string =>
  `a request to '${model}' was billed $${toDollars(billed)}, and by its prices ` +
  `$${toDollars(most)} is the most that it can cost: check --prices`

export const pricedTokens = ({ input_tokens, output_tokens, cache_read_tokens, cache_creation_tokens }: TokenCounts) => ({
  input: input_tokens,
  output: output_tokens,
  cache_read: cache_read_tokens,
  cache_creation: cache_creation_tokens,
})
