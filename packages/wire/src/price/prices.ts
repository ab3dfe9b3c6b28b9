// All known prices: those given by the user, then the table's; servers on this machine have none.

import { ACCOUNTS } from '../accounts.js'
import { halfOf, type Price } from './price.js'
import { findGiven, type GivenPrices } from './prices-file.js'
import { findInTable } from './table.js'

/** The model, as far as its provider is known. */
export interface PricedModel {
  readonly model: string
  readonly provider: string | undefined
  /** In the provider's batches: for half the price. */
  readonly lane?: 'batch' | undefined
}

export interface Prices {
  /** Undefined: unknown. */
  quote(priced: PricedModel, kind?: RequestKind): Quote | undefined
}

/** Options that make input dearer. */
export interface RequestKind {
  /** Some of it is cached for an hour. */
  readonly hasHourCache: boolean
  readonly hasAudio: boolean
}

export interface Quote {
  readonly price: Price
  /** The context window in tokens, if it is known. */
  readonly window: number | undefined
}

const FREE: Quote = { price: { input: 0, output: 0 }, window: undefined }
const PLAIN: RequestKind = { hasHourCache: false, hasAudio: false }

/** `given`: by --prices. */
export const openPrices = (given: GivenPrices): Prices => ({
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

/** It is not billed. */
const isHere = (provider: string | undefined): boolean =>
  provider === 'eliza' || ACCOUNTS.some(({ name, keyVariable }) => name === provider && keyVariable === undefined)
