// The cost of tokens, in whole nanodollars: sums are exact, and always rounded up, so that no budget is exceeded by rounding.

import { isTokenCount, MAX_CALL_TOKENS, toNano } from '@plumb/wire'

/** Dollars for a million tokens. From `above` tokens of input on, all tokens of the request cost more. */
export type Rate = number | { readonly base: number; readonly tiers: readonly { readonly start: number; readonly price: number }[] }

/** Tokens read from or written to a cache cost as much as input by default. */
export interface Price {
  readonly input: Rate
  readonly output: Rate
  readonly cache_read?: Rate
  readonly cache_creation?: Rate
}

/** Each token is counted once, as in `usage` of plumb-agent(1). */
export interface PricedTokens {
  readonly input: number
  readonly output: number
  readonly cache_read: number
  readonly cache_creation: number
}

const KINDS = ['input', 'output', 'cache_read', 'cache_creation'] as const

/** Of a batch: every rate is half. */
export const halfOf = ({ input, output, cache_read, cache_creation }: Price): Price => ({
  input: half(input),
  output: half(output),
  ...(cache_read === undefined ? {} : { cache_read: half(cache_read) }),
  ...(cache_creation === undefined ? {} : { cache_creation: half(cache_creation) }),
})

const half = (rate: Rate): Rate =>
  typeof rate === 'number' ? rate / 2 : { base: rate.base / 2, tiers: rate.tiers.map(({ start, price }) => ({ start, price: price / 2 })) }

/** The cost of one request, in nanodollars; an invalid count of tokens counts as the maximum. */
export const costOf = (price: Price, tokens: PricedTokens): number => {
  const read = tokens.input + tokens.cache_read + tokens.cache_creation
  const millionths = KINDS.reduce(
    (sum, kind) =>
      sum + BigInt(isTokenCount(tokens[kind]) ? tokens[kind] : MAX_CALL_TOKENS) * nanoPerMillion(price[kind] ?? price.input, read),
    0n,
  )
  return Number((millionths + 999_999n) / 1_000_000n)
}

/** The maximum cost of a request with so many tokens in and out, in nanodollars, cached or not. */
export const maxCostOf = (price: Price, { input, output }: { readonly input: number; readonly output: number }): number => {
  const dearest = (rate: Rate): number =>
    typeof rate === 'number' ? rate : Math.max(rate.base, ...rate.tiers.filter(({ start }) => input > start).map((tier) => tier.price))
  const { cache_read = price.input, cache_creation = price.input } = price
  const read = Math.max(dearest(price.input), dearest(cache_read), dearest(cache_creation))
  return costOf({ input: read, output: dearest(price.output) }, { input, output, cache_read: 0, cache_creation: 0 })
}

const nanoPerMillion = (rate: Rate, read: number): bigint => BigInt(toNano(dollarsAt(rate, read)))

const dollarsAt = (rate: Rate, read: number): number => {
  if (typeof rate === 'number') return rate
  return rate.tiers.reduce((price, tier) => (read > tier.start ? tier.price : price), rate.base)
}
