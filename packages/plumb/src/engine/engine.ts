// What stands between the parts of a run: an interface, so that something else than PostgreSQL can do it.

import type { Claim, Fault } from '@plumb/wire'
import type { ListedCall } from '@plumb/wire/approval'
import type { PartEvent } from './part-events.js'
import type { Spent } from './spent.js'

export interface RunRow {
  readonly id: string
  readonly name: string
  readonly state: RunState
  readonly digest: string
  readonly protocol: number
  /** JSON, as it was submitted; null: none. */
  readonly limits: string | null
  /** What happens in it stays in the tables. */
  readonly keep: boolean
  /** By the numbers of parts: the label of the workers that have it. */
  readonly pins: Readonly<Record<string, string>>
}

/** `closed`: no more input comes. */
export type RunState = 'open' | 'closed' | 'done' | 'cancelled'

/** One that a part was given. */
export interface TakenMessage {
  readonly id: string
  readonly port: number
  /** Its place in the order of the run, in PostgreSQL's words for a list: `{3,1}`. */
  readonly ord: string
  /** The input of the run that it stems from, from 1. */
  readonly origin: string
  readonly value: string
  /** How often it was taken, with this time. */
  readonly tries: number
}

export interface NewMessage {
  /** 0: an output of the whole run. */
  readonly part: number
  readonly port: number
  readonly ord: string
  readonly origin: string
  readonly value: string
}

export interface TakeOptions {
  readonly run: string
  readonly part: number
  readonly lease: string
  readonly most: number
  /** One that was in hand when a process ended, and nothing beside it. */
  readonly isAlone: boolean
  /** In the order of the run; the parts that may still give something that comes before. Undefined: in any. */
  readonly above: readonly number[] | undefined
}

export interface Loan {
  readonly run: string
  /** What it is of: `calls`, `tokens`, `cost` in nanodollars. */
  readonly balance: string
  readonly limit: number
  readonly spent: number
  readonly back: number
  readonly need: number
}

/** A call that needs a person, of one message. */
export interface KeptCall {
  readonly id: string
  readonly ord: string
  readonly call: ListedCall
}

export interface Letter {
  readonly message: TakenMessage
  readonly fault: Fault
}

/** All that comes of some messages of a part, at once or not at all. */
export interface Settlement {
  readonly run: string
  readonly part: number
  readonly lease: string
  readonly done: readonly string[]
  /** And their places in the order of the run. */
  readonly ords: readonly string[]
  readonly outputs: readonly NewMessage[]
  readonly letters: readonly Letter[]
  /** They are given out again, so many seconds from now, alone. */
  readonly again: readonly { readonly id: string; readonly afterSeconds: number }[]
  /** They are given out again when the run goes on, as if they had not been. */
  readonly back: readonly string[]
  /** They wait until a person has decided. */
  readonly parked: readonly string[]
  /** Calls that need a person, as they are now. */
  readonly calls: readonly KeptCall[]
  /** Lines of a state file; undefined: the part remembers nothing. */
  readonly memory: readonly string[] | undefined
  /** What happened in its process, where that is kept. */
  readonly events: readonly PartEvent[]
  readonly tally: Spent & { readonly taken: number; readonly outputs: number; readonly dropped: number; readonly failed: number }
}

export interface Engine {
  /** Runs that are not over. */
  runs(): Promise<readonly RunRow[]>
  take(options: TakeOptions): Promise<readonly TakenMessage[]>
  /** False: the messages, or the part, belong to another worker by now, or the run is over. */
  settle(settlement: Settlement): Promise<boolean>
  /** What this worker has in hand stays with it. */
  renew(): Promise<void>
  /** Gives what was taken under this lease back; `isAlone`: one of them may have ended a process. */
  release(lease: string, isAlone: boolean): Promise<void>
  /** This worker lacks what the part needs: what was taken under the lease counts as not tried, and the reason is shown to all. */
  giveUp(part: number, lease: string, reason: string): Promise<void>
  /** The part is this worker's; its memory, a line each. Undefined: it is another's. */
  own(run: string, part: number): Promise<readonly string[] | undefined>
  /** It is anybody's. */
  disown(run: string, part: number): Promise<void>
  /** Gives back what workers had that have ended. */
  reap(): Promise<void>
  /** `isCrowded`: one of the parts behind has more waiting than it should; `hasAlone`: something waits that is taken alone. */
  look(run: string, part: number, behind: readonly number[]): Promise<{ readonly isCrowded: boolean; readonly hasAlone: boolean }>
  /** Nothing more can come to this part, besides what is in hand under the lease. */
  isLast(run: string, part: number, above: readonly number[], lease: string): Promise<boolean>
  /**
   * Of what a run may spend: `spent` and `back` are what was borrowed before, and is no more. Gives what is lent, `need` or more.
   * `waits`: others have borrowed it, and may give it back; `none`: it cannot be had.
   */
  lend(loan: Loan): Promise<number | 'waits' | 'none'>
  /** Milliseconds until a request may be sent by the rate of its provider; 0: now, and it counts. */
  pace(run: string, id: string, claim: Claim): Promise<number>
  /** What that request has used. */
  paced(run: string, id: string, tokens: number): Promise<void>
  /**
   * The calls of a message that wait for a person or did, as lines of a journal. What was allowed counts as begun from then on, until it is
   * settled.
   */
  callsOf(run: string, part: number, ord: string): Promise<readonly string[]>
  /** No more of the run is given out, until its limits are raised; they are these still, or nothing is done. */
  park(run: string, limits: string | null, why: Fault): Promise<void>
  /** It has ended, or no part has anything to do any more. */
  isOver(run: string): Promise<boolean>
}
