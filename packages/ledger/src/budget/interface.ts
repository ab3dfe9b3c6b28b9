// The interface of a budget for code that spends from it, whatever stores it.

import type { AgentLimit, Claim, Fault, Result } from '@plumb/wire'
import type { GivenPrices } from '../price/prices-file.js'

export interface BudgetLimits {
  /** Requests to models; those that a provider refuses and those that repair an answer count too. */
  readonly calls: number | null
  /** In and out; the usage of a call in flight is known when it has ended. */
  readonly tokens: number | null
  /** Nanodollars. */
  readonly cost: number | null
  /** The limits of the run, for all of its processes. */
  readonly prices?: GivenPrices | undefined
  /** The earlier spending of a resumed run. */
  readonly before?: SpentBefore | undefined
  /** The limits hold over several machines: each call is requested; see `openLender`. */
  readonly lent?: true | undefined
}

export interface SpentBefore {
  readonly calls: number
  readonly tokens: number
  /** Nanodollars, and those of agents with limits of their own. */
  readonly cost: number
  readonly agents: Readonly<Record<string, number>>
}

export interface Budget {
  readonly fd: number
  readonly limits: BudgetLimits
  /** Call it before a call. Fault `budget_spent`: nothing is left for it. */
  take(): Fault | undefined
  /** The same, if it may take time: the limits may hold over several machines. `signal`: it is no longer wanted. */
  ask(signal?: AbortSignal): Promise<Fault | undefined>
  /** Call it instead of that, if no request was sent because there was no money for one. */
  giveBack(): void
  /** Call it after the call. An invalid count of tokens counts as the maximum of a call. */
  use(tokens: number): void
  /** Call it before a request is sent: waits until its cost and its rate allow it. `signal`: it is no longer wanted. */
  reserve(claim: Claim, signal: AbortSignal, as?: Member): Promise<Result<Reservation>>
  /** The cost of something that reserved nothing, in nanodollars. */
  pay(cost: number, agent?: string): void
  /** A process that shares it. */
  join(): Member
  /** Nothing more is granted, whatever is left. */
  close(why?: string): void
  /** What is left for this agent, in nanodollars, below 0 if it was exceeded; null: there is no limit. */
  left(agent?: AgentLimit): number | null
  /** As far as is known now. */
  readonly spent: Spent
}

export interface Member {
  readonly name: string
  /** It has ended: its reservations count as spent. */
  leave(): void
}

export interface Reservation {
  /** Nanodollars. */
  readonly cost: number
  /** The request has ended, at this cost. */
  settle(cost: number, tokens: number): void
}

export interface Spent {
  readonly calls: number
  readonly tokens: number
  /** Nanodollars: of finished requests, plus the maximum of the others. */
  readonly cost: number
  readonly held: number
  /** Another call would be denied. */
  readonly isOver: boolean
}
