// What a budget is to who spends of it, whatever stands behind it.

import type { Fault } from '../error.js'
import type { GivenPrices } from '../price/prices-file.js'
import type { Result } from '../result.js'
import type { AgentLimit, Claim } from './claim.js'

export interface BudgetLimits {
  /** Requests to models; those that a provider refuses and those that repair an answer count too. */
  readonly calls: number | null
  /** In and out; what a call in flight will use is known when it is over. */
  readonly tokens: number | null
  /** Nanodollars. */
  readonly cost: number | null
  /** Those that were given to the run, for all of its processes. */
  readonly prices?: GivenPrices | undefined
  /** What the run had spent when it stopped, and is gone on with. */
  readonly before?: SpentBefore | undefined
  /** They are those of several machines: each call is asked for; see `openLender`. */
  readonly lent?: true | undefined
}

export interface SpentBefore {
  readonly calls: number
  readonly tokens: number
  /** Nanodollars, and of them by agents with limits of their own. */
  readonly cost: number
  readonly agents: Readonly<Record<string, number>>
}

export interface Budget {
  readonly fd: number
  readonly limits: BudgetLimits
  /** Before a call. The fault, `budget_spent`: there is nothing left for it. */
  take(): Fault | undefined
  /** The same, where it may take its time: the limits may be those of several machines. `signal`: it is not wanted any more. */
  ask(signal?: AbortSignal): Promise<Fault | undefined>
  /** Instead of it: no request was sent, since there is no money for one. */
  giveBack(): void
  /** After it. What is no count of tokens counts as the most that a call may use. */
  use(tokens: number): void
  /** Before a request is sent: waits until its cost fits, and its rate. `signal`: it is not wanted any more. */
  reserve(claim: Claim, signal: AbortSignal, as?: Member): Promise<Result<Reservation>>
  /** What something has cost that reserved nothing, in nanodollars. */
  pay(cost: number, agent?: string): void
  /** A process that shares it. */
  join(): Member
  /** Nothing more is given out, whatever is left. */
  close(why?: string): void
  /** What is left for this agent, in nanodollars, below 0 where more was spent; null: there is no limit. */
  left(agent?: AgentLimit): number | null
  /** As far as is known now. */
  readonly spent: Spent
}

export interface Member {
  readonly name: string
  /** It has ended: what was held for it counts as spent. */
  leave(): void
}

export interface Reservation {
  /** Nanodollars. */
  readonly cost: number
  /** The request is over, and has cost so much. */
  settle(cost: number, tokens: number): void
}

export interface Spent {
  readonly calls: number
  readonly tokens: number
  /** Nanodollars: of requests that are over, and at most of those that are not. */
  readonly cost: number
  readonly held: number
  /** Another call would be denied. */
  readonly isOver: boolean
}
