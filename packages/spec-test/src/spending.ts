// The requests to real models of a test, and their cost.

import { costOfUsage, type Prices } from '@plumb/ledger'
import type { AgentTelemetry } from '@plumb/runtime/event'
import { toDollars } from '@plumb/wire'
import type { TestCost } from './report/result.js'

export type Usage = Extract<AgentTelemetry, { kind: 'usage' }>

export class ModelSpending {
  #calls = 0
  #nano = 0
  readonly #unpriced = new Set<string>()

  constructor(private readonly prices: Prices | undefined) {}

  /** A kept answer costs nothing, and makes no request. */
  note(usage: Usage): void {
    if (usage.kept !== undefined) return
    const cost = costOfUsage(this.prices, usage)
    this.#calls++
    this.#nano += cost ?? 0
    if (cost === undefined) this.#unpriced.add(usage.model)
  }

  /** Undefined: no real model was called. */
  get spent(): TestCost | undefined {
    return this.#calls === 0 ? undefined : { calls: this.#calls, cost: toDollars(this.#nano), unpriced: [...this.#unpriced] }
  }
}

export const addTestCost = (one: TestCost | undefined, other: TestCost | undefined): TestCost | undefined =>
  one && other
    ? { calls: one.calls + other.calls, cost: one.cost + other.cost, unpriced: [...new Set([...one.unpriced, ...other.unpriced])] }
    : (one ?? other)
