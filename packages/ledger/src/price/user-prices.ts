// Prices that this user has taken in place of the shipped ones (`plumb prices --update`): checked whole before they replace anything, and
// again when they are read.

import { readFileSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { fail, isRecord, preview, type Result, succeed } from '@plumb/wire'
import { type GivenPrices, givenProblem } from './prices-file.js'
import { type Match, type PriceTable, SHIPPED, type TableModel } from './table.js'

export interface UserPrices {
  /** Where they are from, and the day on which they were taken. */
  readonly source: string
  readonly date: string
  /** In place of the shipped table. Undefined: that counts. */
  readonly table?: PriceTable
  /** By model, before any table. */
  readonly given?: GivenPrices
}

/** The path that the XDG base directory specification gives; undefined when there is no home directory. */
export const userPricesPath = ({ XDG_DATA_HOME = '', HOME = '' }: NodeJS.ProcessEnv = process.env): string | undefined => {
  // The specification says to ignore a relative path.
  const data = isAbsolute(XDG_DATA_HOME) ? XDG_DATA_HOME : isAbsolute(HOME) ? join(HOME, '.local/share') : undefined
  return data === undefined ? undefined : join(data, 'plumb', 'prices.json')
}

export const MAX_PRICES_BYTES = 16 * 1024 * 1024

/** Undefined: there are none. */
export const readUserPrices = (): Result<UserPrices> | undefined => {
  const path = userPricesPath()
  if (path === undefined) return undefined
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
  const refuse = (why: string) =>
    fail('config_invalid', `the prices in '${path}' are not used: ${why}; take them again, or delete the file`)
  const value = parsed(text)
  if (!isRecord(value) || typeof value.source !== 'string' || typeof value.date !== 'string') return refuse('they are not in our form')
  const wrong = value.given === undefined ? tableProblem(value.table) : givenProblem(value.given)
  return wrong === undefined ? succeed(value as unknown as UserPrices) : refuse(wrong)
}

/** Of a text in the form of `--prices`, or in that of the library: a list of providers. */
export const pricesIn = (text: string): Result<Pick<UserPrices, 'table' | 'given'>> => {
  const refuse = (why: string) => fail('config_invalid', why)
  if (text.length > MAX_PRICES_BYTES) return refuse(`they are longer than ${MAX_PRICES_BYTES} characters`)
  const value = parsed(text)
  if (value === undefined) return refuse('it is not JSON')
  if (!Array.isArray(value)) {
    const wrong = givenProblem(value)
    return wrong === undefined ? succeed({ given: value as GivenPrices }) : refuse(wrong)
  }
  const wanted = new Set(Object.keys(SHIPPED))
  const table: Record<string, readonly unknown[]> = {}
  for (const provider of value) {
    if (!isRecord(provider) || typeof provider.id !== 'string' || !Array.isArray(provider.models))
      return refuse('a provider has no id and models')
    if (wanted.has(provider.id)) table[provider.id] = provider.models.flatMap(pricedModel)
  }
  const missing = [...wanted].filter((id) => !(table[id]?.length ?? 0))
  if (missing.length > 0) return refuse(`it has no prices of ${missing.join(', ')}`)
  const wrong = tableProblem(table)
  return wrong === undefined ? succeed({ table: table as unknown as PriceTable }) : refuse(wrong)
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const KINDS = ['input_mtok', 'output_mtok', 'cache_read_mtok', 'cache_write_mtok', 'cache_write_1h_mtok', 'input_audio_mtok'] as const

/** What is not priced by tokens is left out, as in the shipped table. */
const pricedModel = (model: unknown): readonly unknown[] => {
  if (!isRecord(model)) return [model]
  const { match, context_window: window, prices } = model
  const list = (Array.isArray(prices) ? prices : [{ prices }]).map((one) => {
    const { constraint, prices: all } = isRecord(one) ? one : {}
    const kept = Object.fromEntries(KINDS.flatMap((kind) => (isRecord(all) && all[kind] != null ? [[kind, all[kind]]] : [])))
    return { ...(constraint ? { constraint } : {}), prices: kept }
  })
  const isByToken = list.every(({ prices: all }) => 'input_mtok' in all && 'output_mtok' in all)
  return isByToken ? [{ match, ...(typeof window === 'number' ? { window } : {}), prices: list }] : []
}

/** Why it is not a `PriceTable`. */
const tableProblem = (table: unknown): string | undefined => {
  if (!isRecord(table)) return 'they hold no table'
  for (const [provider, models] of Object.entries(table)) {
    if (!Array.isArray(models)) return `'${preview(provider)}' has no list of models`
    const bad = models.findIndex((model) => !isModel(model))
    if (bad >= 0) return `model ${bad} of '${preview(provider)}' is not one: ${preview(JSON.stringify(models[bad]) ?? 'nothing', 120)}`
  }
  return undefined
}

const isModel = (model: unknown): model is TableModel =>
  isRecord(model) &&
  isMatch(model.match, 0) &&
  (model.window === undefined || typeof model.window === 'number') &&
  Array.isArray(model.prices) &&
  model.prices.length > 0 &&
  model.prices.every(isDated)

const isMatch = (match: unknown, depth: number): match is Match => {
  if (!isRecord(match) || depth > 8) return false
  const [[key, value] = [], another] = Object.entries(match)
  if (another !== undefined) return false
  if (key === 'or' || key === 'and') return Array.isArray(value) && value.length > 0 && value.every((one) => isMatch(one, depth + 1))
  if (typeof value !== 'string' || value === '') return false
  return key === 'regex' ? isPlainPattern(value) : ['equals', 'starts_with', 'ends_with', 'contains'].includes(key ?? '')
}

// Three repetitions of single characters at most, so that no name takes long.
const isPlainPattern = (source: string): boolean => {
  if (source.length > 200 || /\)[*+{]/.test(source) || (source.match(/[*+]|\{\d+,/g) ?? []).length > 3 || /\\[1-9k]/.test(source))
    return false
  try {
    return new RegExp(source) instanceof RegExp
  } catch {
    return false
  }
}

const isDated = (one: unknown): boolean => {
  if (!isRecord(one) || !isRecord(one.prices)) return false
  const { constraint, prices } = one
  const isKnown =
    constraint === undefined || (isRecord(constraint) && (constraint.type !== 'start_date' || typeof constraint.start_date === 'string'))
  return (
    isKnown &&
    'input_mtok' in prices &&
    Object.entries(prices).every(([kind, rate]) => (KINDS as readonly string[]).includes(kind) && isRate(rate))
  )
}

/** A dollar a token: a higher price is a mistake. */
const MAX_PRICE = 1_000_000
const isPrice = (price: unknown): boolean => typeof price === 'number' && price >= 0 && price <= MAX_PRICE

const isRate = (rate: unknown): boolean =>
  isPrice(rate) ||
  (isRecord(rate) &&
    isPrice(rate.base) &&
    Array.isArray(rate.tiers) &&
    rate.tiers.every((tier) => isRecord(tier) && typeof tier.start === 'number' && isPrice(tier.price)))
