// Prices given by the user instead of the table's: --prices FILE.

import { fail, isRecord, preview, type Result, readSpec, succeed } from '@plumb/wire'
import type { Price } from './price.js'

/** By model; dollars for a million tokens. */
export type GivenPrices = Readonly<Record<string, Price>>

const KINDS = ['input', 'output', 'cache_read', 'cache_creation'] as const
const EXAMPLE = '{"MODEL":{"input":3,"output":15}}'
/** A dollar a token: a higher price is a mistake. */
const MAX_PRICE = 1_000_000

/** A JSON object from models to prices; keys of a price are those of `Price`. */
export const readPrices = (path: string): Result<GivenPrices> => {
  const text = readSpec(path)
  if (!text.ok) return text
  const refuse = (why: string) =>
    fail('config_invalid', `prices '${preview(path)}': ${why}; it is such as ${EXAMPLE}, dollars for a million tokens`)
  let value: unknown
  try {
    value = JSON.parse(text.value)
  } catch {
    return refuse('it is not JSON')
  }
  const wrong = givenProblem(value)
  return wrong === undefined ? succeed(value as GivenPrices) : refuse(wrong)
}

/** Why it is not `GivenPrices`. */
export const givenProblem = (value: unknown): string | undefined => {
  if (!isRecord(value)) return 'it is not an object'
  for (const [model, price] of Object.entries(value)) {
    const wrong = priceProblem(price)
    if (wrong !== undefined) return `'${preview(model)}' ${wrong}`
  }
  return undefined
}

const priceProblem = (price: unknown): string | undefined => {
  if (!isRecord(price)) return 'has no object'
  const odd = Object.keys(price).find((key) => !(KINDS as readonly string[]).includes(key))
  if (odd !== undefined) return `has '${preview(odd)}', which is not one of ${KINDS.join(', ')}`
  const isPrice = (kind: string) => typeof price[kind] === 'number' && (price[kind] as number) >= 0 && (price[kind] as number) <= MAX_PRICE
  const bad = KINDS.find((kind) => (kind in price || kind === 'input' || kind === 'output') && !isPrice(kind))
  return bad === undefined ? undefined : `has no number from 0 to ${MAX_PRICE} as its '${bad}'`
}

/** The price of the model, else that of the longest name that it begins with (`gpt-x` for `gpt-x-2026-01-01`). */
export const findGiven = (prices: GivenPrices, model: string): Price | undefined => {
  if (Object.hasOwn(prices, model)) return prices[model]
  const names = Object.keys(prices).filter((name) => model.startsWith(name) && /[-@:.]/.test(model[name.length] ?? ''))
  const [longest] = names.sort((a, b) => b.length - a.length)
  return longest === undefined ? undefined : prices[longest]
}
