// The tables of prices, for those who show and replace them.

export type { Price, Rate } from './price.js'
export { entriesOf, SHIPPED } from './table.js'
export { MAX_PRICES_BYTES, pricesIn, readUserPrices, type UserPrices, userPricesPath } from './user-prices.js'
