// The prices of a table, by provider and model: a library's, or a newer one of the user's. If prices change with the time of day, the highest
// counts.

import { isRecord } from '@plumb/wire'
import type { Price, Rate } from './price.js'
import text from './providers.json?prices'

export interface TableModel {
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
export interface TablePrices {
  readonly input_mtok: Rate
  readonly output_mtok: Rate
  readonly cache_read_mtok?: Rate
  readonly cache_write_mtok?: Rate
  readonly cache_write_1h_mtok?: Rate
  readonly input_audio_mtok?: Rate
}

export type Match =
  | { readonly or: readonly Match[] }
  | { readonly and: readonly Match[] }
  | { readonly equals: string }
  | { readonly starts_with: string }
  | { readonly ends_with: string }
  | { readonly contains: string }
  | { readonly regex: string }

/** By the library's name of a provider. */
export type PriceTable = Readonly<Record<string, readonly TableModel[]>>

export const SHIPPED = text as PriceTable

export interface TableEntry {
  readonly price: Price
  /** Where it differs: input that is cached for an hour, and audio. */
  readonly hourCache: Rate | undefined
  readonly audio: Rate | undefined
  readonly window: number | undefined
}

/** Provider names of plumb that differ from the table's. */
const OTHER_NAMES: Readonly<Record<string, string>> = { xai: 'x-ai', gemini: 'google', bedrock: 'aws', vertex: 'google' }

/** Where a provider has the models of another under their own names, and at their prices. */
const ALSO: Readonly<Record<string, string>> = { azure: 'openai' }

const listsOf = (provider: string | undefined, table: PriceTable): readonly (readonly TableModel[])[] => {
  if (provider === undefined) return Object.values(table)
  return [OTHER_NAMES[provider] ?? provider, ALSO[provider] ?? ''].map((name) => table[name] ?? [])
}

/** `provider` undefined: the first that has such a model. `nowMs`: since 1970. */
export const findInTable = (
  model: string,
  provider: string | undefined,
  nowMs: number,
  table: PriceTable = SHIPPED,
): TableEntry | undefined => {
  // Vertex names who made a model before it.
  const name = provider === 'vertex' ? model.replace(/^[a-z-]+\//, '') : model
  for (const models of listsOf(provider, table)) {
    const found = models.find(({ match }) => matches(match, name))
    if (found) return entryOf(found, nowMs)
  }
  return undefined
}

/** A table as lines: a name, where an end that does not matter is a star, and its price. */
export const entriesOf = (table: PriceTable, nowMs: number): readonly (readonly [provider: string, name: string, entry: TableEntry])[] =>
  Object.entries(table).flatMap(([provider, models]) =>
    models.map((model) => [nameHere(provider), nameOf(model.match), entryOf(model, nowMs)] as const),
  )

const nameHere = (provider: string): string => Object.entries(OTHER_NAMES).find(([, theirs]) => theirs === provider)?.[0] ?? provider

const nameOf = (match: Match): string => {
  if ('or' in match || 'and' in match) return nameOf(('or' in match ? match.or : match.and)[0] as Match)
  if ('equals' in match) return match.equals
  if ('starts_with' in match) return `${match.starts_with}*`
  if ('ends_with' in match) return `*${match.ends_with}`
  return 'contains' in match ? `*${match.contains}*` : match.regex
}

/** Of a name that is compared with patterns. */
const MAX_NAME = 300

const matches = (match: Match, model: string): boolean => {
  if ('or' in match) return match.or.some((one) => matches(one, model))
  if ('and' in match) return match.and.every((one) => matches(one, model))
  if ('regex' in match) return model.length <= MAX_NAME && new RegExp(match.regex).test(model)
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
