// Amounts of money, in whole nanodollars: sums are exact.

const NANO = 1_000_000_000

/** A million dollars: sums stay exact. */
export const MAX_NANO = 1e15

/** Dollars as whole nanodollars. */
export const toNano = (dollars: number): number => Math.round(dollars * NANO)

/** Nanodollars as a number of dollars, for people and JSON. */
export const toDollars = (nano: number): number => nano / NANO
