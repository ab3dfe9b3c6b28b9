// The prices, loaded on first use: most runs need none.

import type { Prices } from './prices.js'
import type { GivenPrices } from './prices-file.js'
import SOURCE from './providers.json?source'

export const loadPrices = async (given: GivenPrices = {}): Promise<Prices> => {
  const { openUserPrices } = await import('./prices.js')
  return openUserPrices(given)
}

/** The tables themselves, for those who show and replace them. */
export const loadPriceTables = () => import('./prices.js')

/** The source of the table: a library, its version and its date. Declared here, since declarations that are packed cannot name what the build makes. */
export const PRICES_SOURCE: string = SOURCE

/** What --version says of a program that knows prices. */
export const versionAndPrices = (version: string): string => `${version}\nprices: ${PRICES_SOURCE}`
