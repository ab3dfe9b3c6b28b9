// The spending of a program that does not know of budgets: counted by its reported usage.

import { type AgentLimit, type TokenCounts, toNano } from '@plumb/wire'
import { costOf, type PricedTokens } from '../price/price.js'
import type { PricedModel, Prices } from '../price/prices.js'
import type { Budget } from './interface.js'

/** `provider`, and `cost` in dollars, if it reports them. */
export interface ReportedUsage extends TokenCounts {
  readonly model: string
  readonly provider?: string
  readonly cost?: number
  readonly lane?: 'batch'
  /** It was answered before, and is not paid for again. */
  readonly kept?: string
  /** The model whose prices are its own. */
  readonly price_as?: string
}

/** The model that a price is looked up for. `priceAs`: another whose prices it has, of whatever provider. */
export const pricedBy = (priced: PricedModel, priceAs: string | undefined): PricedModel =>
  priceAs === undefined ? priced : { ...priced, model: priceAs, provider: undefined }

/** In nanodollars. A reported cost is as good as reported tokens. Undefined: its model has no price. */
export const costOfUsage = (
  prices: Prices | undefined,
  { model, provider, lane, cost, kept, price_as, ...usage }: ReportedUsage,
): number | undefined => {
  if (kept !== undefined) return 0
  if (typeof cost === 'number' && cost >= 0 && Number.isSafeInteger(toNano(cost))) return toNano(cost)
  const price = prices?.quote(pricedBy({ model, provider, lane }, price_as))?.price
  const { input_tokens: input, output_tokens: output, cache_read_tokens: cache_read, cache_creation_tokens: cache_creation } = usage
  return price && costOf(price, { input, output, cache_read, cache_creation })
}

/** A request to a model, as a run tells it. */
export interface PaidCall {
  readonly model: string
  readonly provider: string | undefined
  readonly lane: 'batch' | undefined
  /** The model whose prices it has. */
  readonly priceAs: string | undefined
  /** Dollars, where the agent says it, which is more exact: it knows the request. */
  readonly cost: number | undefined
  readonly tokens: PricedTokens
}

/** In nanodollars; undefined: it has no price. */
export const costOfCall = (prices: Prices | undefined, { priceAs, cost, tokens, ...model }: PaidCall): number | undefined => {
  if (cost !== undefined) return toNano(cost)
  const price = prices?.quote(pricedBy(model, priceAs))?.price
  return price && costOf(price, tokens)
}

export interface Payment {
  readonly budget: Budget
  readonly prices: Prices | undefined
  readonly limit: AgentLimit | undefined
}

/** `unpriced`: it may have cost all that was left, and counts as that. `over`: it exceeded what was left. */
export const payUsage = ({ budget, prices, limit }: Payment, usage: ReportedUsage): 'paid' | 'unpriced' | 'over' => {
  const left = budget.left(limit)
  if (left === null) return 'paid'
  const cost = costOfUsage(prices, usage)
  budget.pay(cost ?? Math.max(0, left), limit?.name)
  if (cost === undefined) return left > 0 ? 'unpriced' : 'over'
  return cost > left ? 'over' : 'paid'
}
