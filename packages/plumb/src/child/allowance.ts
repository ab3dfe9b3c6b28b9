// What a child spends that shares no budget with us: one elsewhere asks us for each call, of another program the messages and what it tells
// count.

import { type Budget, type Fault, fault } from '@plumb/wire'
import type { Purse } from './spawn-via.js'

export interface ChildAllowanceOptions {
  readonly budget: Budget
  /** Undefined: it does not ask. */
  readonly purse: Purse | undefined
  readonly warn: (warning: Fault) => void
  /** It has made a call for which there was nothing left. */
  readonly overrun: () => void
}

/** Messages that may be with it at once: each may cost a call, or many. */
const MAX_IN_HAND = 8

export class ChildAllowance {
  readonly #o: ChildAllowanceOptions
  /** Calls that were counted and whose usage it has not reported. */
  #counted = 0
  /** What it was sent since its last answer, while it has reported no usage. */
  #sentBytes = 0
  #hasTold = false
  #isBlindnessTold = false

  constructor(options: ChildAllowanceOptions) {
    this.#o = options
  }

  get asks(): boolean {
    return this.#o.purse !== undefined
  }

  isFull(inFlight: number): boolean {
    return inFlight >= MAX_IN_HAND
  }

  /** Why it is sent no message. Each message counts as one call at least, where it does not ask. */
  send(bytes: number): Fault | undefined {
    const { budget } = this.#o
    if (this.asks) return budget.spent.isOver ? BUDGET_SPENT : undefined
    const denied = budget.take()
    if (denied) return BUDGET_SPENT
    this.#counted++
    this.#sentBytes += bytes
    return undefined
  }

  ask(ask: number): void {
    const { budget, purse } = this.#o
    const denied = budget.take()
    if (!denied) this.#counted++
    purse?.answer(ask, denied)
  }

  used(tokens: number): void {
    const { budget, overrun } = this.#o
    this.#hasTold = true
    const isCounted = this.#counted > 0
    if (isCounted) this.#counted--
    const isOver = !isCounted && budget.take() !== undefined
    budget.use(tokens)
    if (isOver) overrun()
  }

  /** An answer came. As long as it tells no usage, each byte of both counts as a token. */
  answered(bytes: number): void {
    if (this.#hasTold || this.asks) return
    this.#o.budget.use(this.#sentBytes + bytes)
    this.#sentBytes = 0
    if (this.#isBlindnessTold) return
    this.#isBlindnessTold = true
    const what = 'it tells no usage on descriptor 3, so that the budget counts each message as one call, and each byte as a token'
    this.#o.warn(fault('usage_unknown', `${what}; what it really spends is not known`))
  }

  /** It was sent its last message, and has answered all. */
  close(): void {
    this.#o.purse?.close()
  }
}

const BUDGET_SPENT = fault('budget_spent', 'the budget of this run is spent')
