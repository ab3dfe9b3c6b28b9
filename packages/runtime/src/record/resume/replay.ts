// Gives the recorded answers of one agent instead of asking it again. Answers keep the order of the messages: a recorded answer waits for
// those of earlier messages that are asked now.

import type { Fault } from '@plumb/wire'
import type { Origin } from '../../graph/origin.js'
import type { ReplayAnswers, ReplayedOutcome } from './answers.js'

export interface ReplayOptions {
  readonly answers: ReplayAnswers
  /** Passes an answer on, with its origin: a line with its end. */
  readonly give: (origin: Origin, line: Buffer) => void
  readonly refuse: (origin: Origin, fault: Fault) => void
  /** The receivers of its answers are full. */
  readonly isFull: () => boolean
}

interface Slot {
  /** Undefined: the agent is asked now. */
  readonly answer: { readonly origin: Origin; readonly outcome: ReplayedOutcome } | undefined
  isDone: boolean
}

/** Maximum recorded answers that wait. */
const MAX_WAITING = 1000

export class Replay {
  readonly #o: ReplayOptions
  #slots: Slot[] = []
  readonly #asked = new Map<number, Slot>()

  constructor(options: ReplayOptions) {
    this.#o = options
  }

  get isFull(): boolean {
    return this.#slots.length > MAX_WAITING || this.#o.isFull()
  }

  /** Undefined: there is no recorded answer, so the agent has to be asked. */
  take(origin: Origin, buf: Buffer, start: number, end: number): ReplayedOutcome | undefined {
    const outcome = this.#o.answers.take(origin.seq, buf, start, end)
    if (!outcome) return undefined
    origin.retain()
    this.#slots.push({ answer: { origin, outcome }, isDone: false })
    this.#advance()
    return outcome
  }

  /** The agent was sent its n-th message. */
  sent(n: number): void {
    const slot = { answer: undefined, isDone: false }
    this.#asked.set(n, slot)
    this.#slots.push(slot)
  }

  /** The n-th message was answered or refused. */
  settled(n: number): void {
    const slot = this.#asked.get(n)
    if (!slot) return
    this.#asked.delete(n)
    slot.isDone = true
    this.#advance()
  }

  /** Stops waiting for the messages that are asked now. */
  release(): void {
    for (const slot of this.#asked.values()) slot.isDone = true
    this.#asked.clear()
    this.#advance()
  }

  #advance(): void {
    for (let slot = this.#slots[0]; slot && (slot.isDone || slot.answer); slot = this.#slots[0]) {
      this.#slots.shift()
      if (!slot.answer) continue
      const { origin, outcome } = slot.answer
      if (outcome.fault) this.#o.refuse(origin, outcome.fault)
      else this.#o.give(origin, outcome.line)
      origin.release()
    }
  }
}
