// What tokens cost, by model: --prices FILE.

import { fail, preview, type Result, readSpec, succeed } from '@plumb/wire'

/** Of a million tokens each, in any one currency. Tokens read from or written to a cache cost as much as input by default. */
export interface Price {
  readonly input: number
  readonly output: number
  readonly cache_read?: number
  readonly cache_creation?: number
}

/** Each token is counted once, as in `usage` of plumb-agent(1). */
export interface TokenCounts {
  input: number
  output: number
  cache_read: number
  cache_creation: number
}

export type Prices = ReadonlyMap<string, Price>

const KINDS = ['input', 'output', 'cache_read', 'cache_creation'] as const
const MILLION = 1_000_000
const EXAMPLE = '{"MODEL":{"input":3,"output":15}}'

/** A JSON object from models to prices; keys of a price are those of `Price`. */
export const readPrices = (path: string): Result<Prices> => {
  const text = readSpec(path)
  if (!text.ok) return text
  const refuse = (why: string) =>
    fail('config_invalid', `prices '${preview(path)}': ${why}; it is such as ${EXAMPLE}, for a million tokens`)
  let value: unknown
  try {
    value = JSON.parse(text.value)
  } catch {
    return refuse('it is no JSON')
  }
  if (!isObject(value)) return refuse('it is no object')
  for (const [model, price] of Object.entries(value)) {
    const wrong = priceProblem(price)
    if (wrong !== undefined) return refuse(`'${preview(model)}' ${wrong}`)
  }
  return succeed(new Map(Object.entries(value) as [string, Price][]))
}

const priceProblem = (price: unknown): string | undefined => {
  if (!isObject(price)) return 'has no object'
  const odd = Object.keys(price).find((key) => !(KINDS as readonly string[]).includes(key))
  if (odd !== undefined) return `has '${preview(odd)}', which is none of ${KINDS.join(', ')}`
  const isPrice = (kind: string) => typeof price[kind] === 'number' && (price[kind] as number) >= 0
  const bad = KINDS.find((kind) => (kind in price || kind === 'input' || kind === 'output') && !isPrice(kind))
  return bad === undefined ? undefined : `has no number from 0 as its '${bad}'`
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The price of the model, else of the longest name that it begins with (`gpt-x` for `gpt-x-2026-01-01`). */
export const priceOf = (prices: Prices, model: string): Price | undefined => {
  const exact = prices.get(model)
  if (exact) return exact
  const names = [...prices.keys()].filter((name) => model.startsWith(name) && /[-@:.]/.test(model[name.length] ?? ''))
  const [longest] = names.sort((a, b) => b.length - a.length)
  return longest === undefined ? undefined : prices.get(longest)
}

export const costOf = ({ input, output, cache_read = input, cache_creation = input }: Price, tokens: TokenCounts): number =>
  (tokens.input * input + tokens.output * output + tokens.cache_read * cache_read + tokens.cache_creation * cache_creation) / MILLION
