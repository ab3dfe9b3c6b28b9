// All known prices: those given by the user, then the table's; servers on this machine have none.

import { ACCOUNTS, isOnThisMachine } from '@plumb/wire'
import { halfOf, type Price } from './price.js'
import { findGiven, type GivenPrices } from './prices-file.js'
import { entriesOf, findInTable, SHIPPED } from './table.js'
import { readUserPrices, type UserPrices } from './user-prices.js'

export { entriesOf, SHIPPED } from './table.js'
export { MAX_PRICES_BYTES, pricesIn, readUserPrices, userPricesPath } from './user-prices.js'

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
  /** The names in the table that are most like it, for a model without a price. */
  relatives(model: string): readonly string[]
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

/** `given`: by --prices. `newer`: what `plumb prices --update` has kept. */
export const openPrices = (given: GivenPrices, newer?: UserPrices): Prices => ({
  quote: ({ model, provider, lane }, { hasHourCache, hasAudio } = PLAIN) => {
    const byLane = (price: Price): Price => (lane === 'batch' ? halfOf(price) : price)
    const own = findGiven(given, model) ?? (newer?.given && findGiven(newer.given, model))
    if (own) return { price: byLane(own), window: undefined }
    if (isHere(provider)) return FREE
    const found = findInTable(model, provider, Date.now(), newer?.table)
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
  relatives: (model) => {
    const names = [
      ...Object.keys(given),
      ...Object.keys(newer?.given ?? {}),
      ...entriesOf(newer?.table ?? SHIPPED, Date.now()).map(([, name]) => name),
    ]
    const near = [...new Set(names)].map((name) => [name, likeness(name, model)] as const).filter(([, alike]) => alike >= MIN_ALIKE)
    return near
      .sort((a, b) => b[1] - a[1] || a[0].length - b[0].length)
      .slice(0, 3)
      .map(([name]) => name)
  },
})

/** The same, with those that this user has taken. A file of them that cannot be read is told by `plumb prices`. */
export const openUserPrices = (given: GivenPrices): Prices => {
  const newer = readUserPrices()
  return openPrices(given, newer?.ok ? newer.value : undefined)
}

/** Characters that both begin with, behind the name of who made it. */
const likeness = (name: string, model: string): number => {
  const [a, b] = [name, model].map((one) => one.replace(/^\*/, '').split('/').at(-1)?.toLowerCase() ?? '') as [string, string]
  let same = 0
  while (same < a.length && a[same] === b[same]) same++
  return same
}
const MIN_ALIKE = 4

/** It is not billed. */
const isHere = (provider: string | undefined): boolean =>
  provider === 'eliza' || ACCOUNTS.some((account) => account.name === provider && isOnThisMachine(account))
