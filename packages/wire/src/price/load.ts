// The prices, loaded when they are first wanted: most runs ask for none.

import type { Prices } from './prices.js'
import type { GivenPrices } from './prices-file.js'

export const loadPrices = async (given: GivenPrices = {}): Promise<Prices> => {
  const { openPrices } = await import('./prices.js')
  return openPrices(given)
}

/** What --version prints of a program that knows prices. */
export const versionAndPrices = async (version: string): Promise<string> => `${version}\nprices: ${(await loadPrices()).source}\n`
