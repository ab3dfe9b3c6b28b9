// The storage between the parts of a run: an interface, so that PostgreSQL can be replaced.

import type { ListedCall } from '@plumb/ledger/approval'
import type { EntryKey, SharedKey } from '@plumb/ledger/kept'
import type { Claim, Fault } from '@plumb/wire'
import type { PartEvent } from './part-events.js'
import type { AgentSpending } from './spent.js'

/** A request, with its number among equal ones of the run, the same whenever its message is delivered. */
export interface Numbered {
  readonly nth: number
  /** As it is kept, JSON. Null: it is not. */
  readonly answer: string | null
}

export interface RunRow {
  readonly id: string
  readonly name: string
  readonly state: RunState
  readonly digest: string
  readonly protocol: number
  /** JSON, as it was submitted; null: none. */
  readonly limits: string | null
  /** Its events are stored in the tables. */
  readonly keep: boolean
  /** Undefined: its answers are not kept for other runs. */
  readonly cache: CacheOptions | undefined
  /** By the numbers of parts: the label of the workers that have it. */
  readonly pins: Readonly<Record<string, string>>
}

/** `closed`: no more input comes. */
export type RunState = 'open' | 'closed' | 'done' | 'cancelled'

/** The cache of a run (--cache), which its submitter has and all workers share. */
export interface CacheOptions {
  /** Nothing is requested that is not kept. */
  readonly isOnly: boolean
  /** It keeps requests with their answers. */
  readonly hasRequests: boolean
}

/** Texts are JSON. */
export interface CachedAnswer extends EntryKey {
  readonly answer: string
  readonly request: string | null
}

/** What a model answered, or a tool gave, for a message; JSON. */
export interface RecordedAnswer extends Omit<SharedKey, 'delivery'> {
  readonly answer: string
}

/** A message that a part was given. */
export interface TakenMessage {
  readonly id: string
  readonly port: number
  /** Its position in the order of the run, as a PostgreSQL list: `{3,1}`. */
  readonly ord: string
  /** The input of the run that it stems from, from 1. */
  readonly origin: string
  readonly value: string
  /** How often it was delivered, this time included. */
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
  /** A message that was in flight when a process ended, and is delivered alone. */
  readonly isAlone: boolean
  /** In the order of the run; the parts whose earlier messages may still come. Undefined: in any. */
  readonly above: readonly number[] | undefined
}

export interface Loan {
  readonly run: string
  /** The kind of balance: `calls`, `tokens`, `cost` in nanodollars. */
  readonly balance: string
  readonly limit: number
  readonly spent: number
  readonly back: number
  readonly need: number
}

/** A call of a message that needs approval. */
export interface KeptCall {
  readonly id: string
  readonly ord: string
  readonly call: ListedCall
}

export interface DeadLetter {
  readonly message: TakenMessage
  readonly fault: Fault
}

/** The outcome of some messages of a part, stored in one transaction. */
export interface Settlement {
  readonly run: string
  readonly part: number
  readonly lease: string
  readonly done: readonly string[]
  /** And their places in the order of the run. */
  readonly ords: readonly string[]
  readonly outputs: readonly NewMessage[]
  readonly letters: readonly DeadLetter[]
  /** Delivered again after so many seconds, alone. */
  readonly again: readonly { readonly id: string; readonly afterSeconds: number }[]
  /** Delivered again when the run continues, as if they had not been. */
  readonly back: readonly string[]
  /** Messages that wait for a decision. */
  readonly parked: readonly string[]
  /** Calls that need approval, in their present state. */
  readonly calls: readonly KeptCall[]
  /** Lines of a state file. Undefined: the part has no memory. */
  readonly memory: readonly string[] | undefined
  /** What the record keeps of its requests, with the places of their messages in the order of the run. */
  readonly answers: readonly (RecordedAnswer & { readonly ord: string })[]
  /** Events of its process, if they are stored. */
  readonly events: readonly PartEvent[]
  readonly tally: AgentSpending & { readonly taken: number; readonly outputs: number; readonly dropped: number; readonly failed: number }
}

export interface Engine {
  /** Runs that are not over. */
  runs(): Promise<readonly RunRow[]>
  take(options: TakeOptions): Promise<readonly TakenMessage[]>
  /** False: the messages, or the part, belong to another worker now, or the run has ended. */
  settle(settlement: Settlement): Promise<boolean>
  /** Renews the lease of this worker's messages. */
  renew(): Promise<void>
  /** Returns the messages of this lease; `isAlone`: one of them may have ended a process. */
  release(lease: string, isAlone: boolean): Promise<void>
  /** This worker lacks what the part needs: its messages count as not tried, and the reason is shown to all. */
  yieldPart(part: number, lease: string, reason: string): Promise<void>
  /** Makes the part this worker's; returns its memory, a line each. Undefined: it is another's. */
  claim(run: string, part: number): Promise<readonly string[] | undefined>
  /** Releases the part. */
  unclaim(run: string, part: number): Promise<void>
  /** Releases the messages of workers that have ended. */
  reap(): Promise<void>
  /** `isCrowded`: one of the parts after it has more waiting than it should; `hasAlone`: something waits that is delivered alone. */
  look(run: string, part: number, behind: readonly number[]): Promise<{ readonly isCrowded: boolean; readonly hasAlone: boolean }>
  /** Nothing more can come to this part, except the messages of the lease. */
  isLast(run: string, part: number, above: readonly number[], lease: string): Promise<boolean>
  /**
   * Borrows from a balance of the run: `spent` and `back` settle earlier loans. Returns the loan, `need` or more. `waits`: others have
   * borrowed it, and may return it; `none`: it is unavailable.
   */
  lend(loan: Loan): Promise<number | 'waits' | 'none'>
  /** Milliseconds until a request may be sent by the rate of its provider; 0: now, and it counts. */
  pace(run: string, id: string, claim: Claim): Promise<number>
  /** The usage of that request. */
  paced(run: string, id: string, tokens: number): Promise<void>
  /**
   * The calls of a message that wait or waited for approval, as lines of a journal. Approved calls count as begun from then on, until they
   * are settled.
   */
  callsOf(run: string, part: number, ord: string): Promise<readonly string[]>
  /** Numbers requests among equal ones of the run, and finds their answers; `places`: those of all its processes. */
  findAnswers(run: string, keys: readonly SharedKey[], places: readonly string[]): Promise<readonly Numbered[]>
  /** For all workers, and for the cache of the submitter. */
  cacheAnswers(run: string, answers: readonly CachedAnswer[]): Promise<void>
  /** No more of the run is delivered, until its limits are raised; if they have changed meanwhile, nothing is done. */
  park(run: string, limits: string | null, why: Fault): Promise<void>
  /** It has ended, or no part has anything to do any more. */
  isOver(run: string): Promise<boolean>
}
