// The prices of a library's table, by provider and model. If prices change with the time of day, the highest counts.

import { isRecord } from '../is-record.js'
import type { Price, Rate } from './price.js'
import text from './providers.json?prices'

interface TableModel {
  readonly match: Match
  /** The context window in tokens. */
  readonly window?: number
  readonly prices: readonly DatedPrices[]
}

interface DatedPrices {
  readonly constraint?: { readonly type: 'start_date'; readonly start_date: string } | { readonly type: 'time_of_date' }
  readonly prices: TablePrices
}

/** Dollars for a million tokens. */
interface TablePrices {
  readonly input_mtok: Rate
  readonly output_mtok: Rate
  readonly cache_read_mtok?: Rate
  readonly cache_write_mtok?: Rate
  readonly cache_write_1h_mtok?: Rate
  readonly input_audio_mtok?: Rate
}

type Match =
  | { readonly or: readonly Match[] }
  | { readonly and: readonly Match[] }
  | { readonly equals: string }
  | { readonly starts_with: string }
  | { readonly ends_with: string }
  | { readonly contains: string }
  | { readonly regex: string }

const providers = text as Readonly<Record<string, readonly TableModel[]>>

export interface TableEntry {
  readonly price: Price
  /** Where it differs: input that is cached for an hour, and audio. */
  readonly hourCache: Rate | undefined
  readonly audio: Rate | undefined
  readonly window: number | undefined
}

/** Provider names of plumb that differ from the table's. */
const OTHER_NAMES: Readonly<Record<string, string>> = { xai: 'x-ai', gemini: 'google' }

/** `provider` undefined: the first that has such a model. `nowMs`: since 1970. */
export const findInTable = (model: string, provider: string | undefined, nowMs: number): TableEntry | undefined => {
  const lists = provider === undefined ? Object.values(providers) : [providers[OTHER_NAMES[provider] ?? provider] ?? []]
  for (const models of lists) {
    const found = models.find(({ match }) => matches(match, model))
    if (found) return entryOf(found, nowMs)
  }
  return undefined
}

const matches = (match: Match, model: string): boolean => {
  if ('or' in match) return match.or.some((one) => matches(one, model))
  if ('and' in match) return match.and.every((one) => matches(one, model))
  if ('regex' in match) return new RegExp(match.regex).test(model)
  const name = model.toLowerCase()
  if ('equals' in match) return name === match.equals.toLowerCase()
  if ('starts_with' in match) return name.startsWith(match.starts_with.toLowerCase())
  if ('ends_with' in match) return name.endsWith(match.ends_with.toLowerCase())
  return name.includes(match.contains.toLowerCase())
}

const entryOf = ({ window, prices }: TableModel, nowMs: number): TableEntry => {
  const isNow = ({ constraint }: DatedPrices) => constraint?.type !== 'start_date' || Date.parse(constraint.start_date) <= nowMs
  const isByTime = ({ constraint }: DatedPrices) => constraint?.type === 'time_of_date'
  const now = prices.filter(isNow)
  // Prices of a later day replace earlier ones; all times of a day are considered.
  const latest = now.filter((one) => !isByTime(one)).at(-1)
  const near = [...(latest ? [latest] : []), ...now.filter(isByTime)].map((one) => one.prices)
  const dearest = (kind: keyof TablePrices): Rate | undefined => near.reduce<Rate | undefined>((a, one) => dearer(a, one[kind]), undefined)
  const [read, write] = [dearest('cache_read_mtok'), dearest('cache_write_mtok')]
  return {
    price: {
      input: dearest('input_mtok') ?? 0,
      output: dearest('output_mtok') ?? 0,
      ...(read === undefined ? {} : { cache_read: read }),
      ...(write === undefined ? {} : { cache_creation: write }),
    },
    hourCache: dearest('cache_write_1h_mtok'),
    audio: dearest('input_audio_mtok'),
    window,
  }
}

const dearer = (a: Rate | undefined, b: Rate | undefined): Rate | undefined => {
  if (a === undefined || b === undefined) return a ?? b
  return baseOf(a) >= baseOf(b) ? a : b
}

const baseOf = (rate: Rate): number => (isRecord(rate) ? rate.base : rate)
