// The prices, loaded on first use: most runs need none.

import type { Prices } from './prices.js'
import type { GivenPrices } from './prices-file.js'

export const loadPrices = async (given: GivenPrices = {}): Promise<Prices> => {
  const { openPrices } = await import('./prices.js')
  return openPrices(given)
}

/** What --version prints for a program that knows prices. */
export const versionAndPrices = async (version: string): Promise<string> => `${version}\nprices: ${(await loadPrices()).source}\n`
