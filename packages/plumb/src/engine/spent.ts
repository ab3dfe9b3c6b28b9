// What the processes of a part have spent, by the usage that their agents tell.

import { costOfUsage, type Prices, readUsage, type Telemetry, totalTokens } from '@plumb/wire'

export interface Spent {
  /** Requests to models. */
  readonly calls: number
  /** Read and written. */
  readonly tokens: number
  /** Nanodollars, of those that have a price. */
  readonly cost: number
}

export const NOTHING: Spent = { calls: 0, tokens: 0, cost: 0 }

export const addSpent = (a: Spent, b: Spent): Spent => ({ calls: a.calls + b.calls, tokens: a.tokens + b.tokens, cost: a.cost + b.cost })

/** What was answered before was no request this time. */
export const spentIn = (told: Extract<Telemetry, { kind: 'usage' }>, prices: Prices | undefined): Spent => {
  if (told.kept !== undefined) return NOTHING
  const { usage } = readUsage(told)
  return { calls: 1, tokens: totalTokens(usage), cost: costOfUsage(prices, usage) ?? 0 }
}
