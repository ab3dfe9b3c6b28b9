// The cost of an agent's requests: the maximum is reserved before a request is sent, and replaced by the actual cost.

import { costOf, maxCostOf, type Prices, pricedBy, type Quote } from '@plumb/ledger'
import {
  type AgentLimit,
  type Fault,
  fail,
  fault,
  type ProviderLane,
  type RateLimit,
  succeed,
  type TokenCounts,
  toDollars,
  totalTokens,
} from '@plumb/wire'
import type { Bill, Billing } from '../provider/provider.js'
import type { RequestSize } from '../provider/request-size.js'
import type { Allowance } from './allowance.js'

export interface BillingOptions {
  readonly allowance: Allowance
  /** Undefined: money is not limited. */
  readonly prices: Prices | undefined
  readonly provider: string
  /** The model whose prices a model has. */
  readonly priceAs?: ((model: string) => string | undefined) | undefined
  readonly lane: ProviderLane
  readonly limit: AgentLimit | undefined
  readonly rate: RateLimit | undefined
  readonly warn: (warning: Fault) => void
}

/** The maximum tokens of a model with an unknown limit. */
const LARGEST_WINDOW = 1_000_000

export const openBilling = ({ allowance, prices, provider, priceAs, lane, limit, rate: ofRequests, warn }: BillingOptions): Billing => ({
  reserve: async (size, signal) => {
    const { model, output } = size
    const quote = prices?.quote(pricedBy({ model, provider, ...(lane === 'batch' ? { lane } : {}) }, priceAs?.(model)), size)
    if (prices && !quote) return fail('config_invalid', unpriced(model, prices))
    const price = quote?.price
    const { input, cost, answer } = mostOf(size, quote)
    const tokens = input + output
    // Batches have limits of their own.
    const rate = lane === 'batch' ? undefined : ofRequests
    const isClaimed = price !== undefined || rate !== undefined
    const claim = {
      cost,
      tokens,
      ...(price ? { answer: { tokens: output, cost: answer } } : {}),
      ...(limit ? { agent: limit } : {}),
      ...(rate ? { rate } : {}),
    }
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

/** The same, with a count of the requests that were allowed. */
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

/** Tokens, and nanodollars, those of the answer too; 0 if the price is unknown. */
export const mostOf = (size: RequestSize, quote: Quote | undefined): { input: number; output: number; cost: number; answer: number } => {
  const { price, window = LARGEST_WINDOW } = quote ?? {}
  const { output } = size
  const input = size.input + (size.fillsWindow ? window : 0)
  const cost = price ? maxCostOf(price, { input, output }) : 0
  return { input, output, cost, answer: price ? cost - maxCostOf(price, { input, output: 0 }) : 0 }
}

export const unpriced = (model: string, prices: Pick<Prices, 'relatives'>): string => {
  const near = prices.relatives(model).map((name) => `'${name}'`)
  const known = near.length === 0 ? '' : ` (there are prices for ${near.join(', ')})`
  return (
    `no price is known for model '${model}'${known}, so that no limit of money can hold: say with --prices what a million of its tokens ` +
    "cost, with price_as in the spec whose prices it has, or take newer ones with 'plumb prices --update'"
  )
}

const overBill = (model: string, billed: number, most: number): string =>
  `a request to '${model}' was billed $${toDollars(billed)}, and by its prices ` +
  `$${toDollars(most)} is the most that it can cost: check --prices`

export const pricedTokens = ({ input_tokens, output_tokens, cache_read_tokens, cache_creation_tokens }: TokenCounts) => ({
  input: input_tokens,
  output: output_tokens,
  cache_read: cache_read_tokens,
  cache_creation: cache_creation_tokens,
})
