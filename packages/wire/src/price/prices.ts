// All the prices that are known: those that were given, then those of the table; of servers on this machine, none.

import { ACCOUNTS } from '../accounts.js'
import { halfOf, type Price } from './price.js'
import { findGiven, type GivenPrices } from './prices-file.js'
import { findInTable, PRICES_SOURCE } from './table.js'

/** What is priced, as far as its provider is known. */
export interface PricedModel {
  readonly model: string
  readonly provider: string | undefined
  /** By the provider's batches: for half the price. */
  readonly lane?: 'batch' | undefined
}

export interface Prices {
  /** Of the table: a library, its version and its date. */
  readonly source: string
  /** Undefined: not known. */
  quote(priced: PricedModel, kind?: RequestKind): Quote | undefined
}

/** What makes input dearer. */
export interface RequestKind {
  /** Something of it is to be cached for an hour. */
  readonly hasHourCache: boolean
  readonly hasAudio: boolean
}

export interface Quote {
  readonly price: Price
  /** Tokens that fit into the model, where that is known. */
  readonly window: number | undefined
}

const FREE: Quote = { price: { input: 0, output: 0 }, window: undefined }
const PLAIN: RequestKind = { hasHourCache: false, hasAudio: false }

/** `given`: by --prices. */
export const openPrices = (given: GivenPrices): Prices => ({
  source: PRICES_SOURCE,
  quote: ({ model, provider, lane }, { hasHourCache, hasAudio } = PLAIN) => {
    const byLane = (price: Price): Price => (lane === 'batch' ? halfOf(price) : price)
    const own = findGiven(given, model)
    if (own) return { price: byLane(own), window: undefined }
    if (isHere(provider)) return FREE
    const found = findInTable(model, provider, Date.now())
    if (!found) return undefined
    const { price, hourCache, audio, window } = found
    return {
      price: byLane({
        ...price,
        ...(hasHourCache && hourCache !== undefined ? { cache_creation: hourCache } : {}),
        ...(hasAudio && audio !== undefined ? { input: audio } : {}),
      }),
      window,
    }
  },
})

/** It is not billed by anyone. */
const isHere = (provider: string | undefined): boolean =>
  provider === 'eliza' || ACCOUNTS.some(({ name, keyVariable }) => name === provider && keyVariable === undefined)
