// Gives the recorded answers of one agent in place of asking it again. Answers keep the order of the messages: a recorded answer waits for
// those of earlier messages that are asked now, and what a message was asked before its turn (head-start.ts) waits for its turn.
//
//   message             takes a slot                 its slot is done
//   recorded            when it comes                at once
//   asked               when it is sent              when it was answered or refused
//   asked before        when it comes, in its turn   when it was answered or refused; that may be before
//   postponed           when it comes                when it was asked, and answered or refused
//
// Postponed is what has to be asked since its recorded answer turns out damaged, and all that is asked after it, until those that were asked
// before their turn have their outcomes: equal questions get the answers that the record has for them in the order in which they are asked.
//
// Done slots leave in order.

import type { Fault } from '@plumb/wire'
import type { Origin } from '../../graph/origin.js'
import type { ReplayAnswers, ReplayedOutcome } from './answers.js'

export interface ReplayOptions {
  readonly answers: ReplayAnswers
  /** It answers in the order in which it is asked. */
  readonly isOrdered: boolean
  /** Passes an answer on, with its origin: a line with its end. */
  readonly give: (origin: Origin, line: Buffer) => void
  readonly refuse: (origin: Origin, fault: Fault) => void
  /** A message that was postponed comes again: `take` gives nothing for it. */
  readonly ask: (origin: Origin, line: Buffer) => void
  /** The receivers of its answers are full. */
  readonly isFull: () => boolean
}

interface Slot {
  /** What is left to do when all before it is done; `isWanted`: false if its message never came. */
  finish: ((isWanted: boolean) => void) | undefined
  isDone: boolean
  /** Its message has come. */
  hasTurn: boolean
}

interface Postponed {
  readonly slot: Slot
  readonly origin: Origin
  readonly line: Buffer
}

/** Maximum recorded answers that wait. */
const MAX_WAITING = 1000

export class Replay {
  readonly #o: ReplayOptions
  #slots: Slot[] = []
  readonly #asked = new Map<number, Slot>()
  /** Asked before their turn, by the numbers of their inputs. */
  readonly #early = new Map<number, Slot>()
  /** Some were: outcomes may come in another order than their messages. */
  #hasEarly = false
  /** The numbers of those that have no outcome. */
  readonly #waitedFor = new Set<number>()
  #postponed: Postponed[] = []
  /** One that is asked now. */
  #resumed: Slot | undefined
  #whenAsked: (() => void)[] = []

  constructor(options: ReplayOptions) {
    this.#o = options
  }

  get isFull(): boolean {
    return this.#slots.length > MAX_WAITING || this.#o.isFull()
  }

  /** Whether the message was asked before its turn, which is now. */
  isAsked(seq: number): boolean {
    const slot = this.#early.get(seq)
    if (!slot) return false
    this.#early.delete(seq)
    slot.hasTurn = true
    this.#slots.push(slot)
    this.#advance()
    return true
  }

  /** Undefined: there is no recorded answer, so the agent has to be asked. */
  take(origin: Origin, buf: Buffer, start: number, end: number): ReplayedOutcome | 'postponed' | undefined {
    const { answers } = this.#o
    if (this.#resumed) return undefined
    const outcome = answers.take(origin.seq, buf, start, end)
    if (!outcome && answers.hasVain && this.#waitedFor.size > 0) return this.#postpone(origin, Buffer.from(buf.subarray(start, end)))
    if (!outcome) return void answers.takeBack?.()
    origin.retain()
    const finish = () => {
      if (outcome.fault) this.#o.refuse(origin, outcome.fault)
      else this.#o.give(origin, outcome.line)
      origin.release()
    }
    this.#slots.push({ finish, isDone: true, hasTurn: true })
    this.#advance()
    return outcome
  }

  /** The agent was sent its n-th message. */
  sent(n: number): void {
    const slot = this.#resumed ?? { finish: undefined, isDone: false, hasTurn: true }
    this.#asked.set(n, slot)
    if (!this.#resumed) this.#slots.push(slot)
  }

  /** The same, before the turn of that message, which comes from the input `seq`. */
  sentEarly(n: number, seq: number): void {
    const slot = { finish: undefined, isDone: false, hasTurn: false }
    this.#asked.set(n, slot)
    this.#early.set(seq, slot)
    this.#hasEarly = true
    this.#waitedFor.add(n)
  }

  /** False: nothing is postponed. Else calls back when nothing is any more. */
  waitsToAsk(then: () => void): boolean {
    if (this.#postponed.length > 0) this.#whenAsked.push(then)
    return this.#postponed.length > 0
  }

  /** The outcome of the n-th message has to wait for its turn: give it to `hold`. */
  isEarly(n: number): boolean {
    const slot = this.#hasEarly ? this.#asked.get(n) : undefined
    return slot !== undefined && !(slot.hasTurn && (slot === this.#slots[0] || !this.#o.isOrdered))
  }

  hold(n: number, finish: (isWanted: boolean) => void): void {
    const slot = this.#asked.get(n)
    if (slot) slot.finish = finish
    this.settled(n)
  }

  /** The n-th message was answered or refused. */
  settled(n: number): void {
    const slot = this.#asked.get(n)
    if (!slot) return
    this.#asked.delete(n)
    slot.isDone = true
    this.#advance()
    if (this.#waitedFor.delete(n) && this.#waitedFor.size === 0) this.#askPostponed()
  }

  /** Stops waiting for the messages that are asked now. */
  release(): void {
    this.#waitedFor.clear()
    this.#askPostponed()
    for (const slot of this.#asked.values()) slot.isDone = true
    this.#asked.clear()
    this.#advance()
    for (const slot of this.#early.values()) slot.finish?.(false)
    this.#early.clear()
  }

  #postpone(origin: Origin, line: Buffer): 'postponed' {
    origin.retain()
    const slot = { finish: undefined, isDone: false, hasTurn: true }
    this.#slots.push(slot)
    this.#postponed.push({ slot, origin, line })
    return 'postponed'
  }

  #askPostponed(): void {
    const { answers, ask } = this.#o
    const postponed = this.#postponed
    this.#postponed = []
    if (postponed.length > 0) answers.takeBack?.()
    for (const { slot, origin, line } of postponed) {
      this.#resumed = slot
      ask(origin, line)
      this.#resumed = undefined
      origin.release()
    }
    for (const then of this.#whenAsked.splice(0)) then()
  }

  #advance(): void {
    for (let slot = this.#slots[0]; slot?.isDone; slot = this.#slots[0]) {
      this.#slots.shift()
      slot.finish?.(true)
    }
  }
}
