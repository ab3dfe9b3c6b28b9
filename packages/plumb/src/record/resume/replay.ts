// What one agent answered in the run that is resumed, in the place of asking it again. Answers keep the order of the messages: what was
// answered before waits for what is asked now, if that came first.

import type { Fault } from '@plumb/wire'
import type { Origin } from '../../graph/origin.js'
import type { RecordedAnswers, RecordedOutcome } from './answers.js'

export interface ReplayOptions {
  readonly answers: RecordedAnswers
  /** Passes an answer on, as one that stems from there. */
  readonly give: (origin: Origin, json: string) => void
  readonly refuse: (origin: Origin, fault: Fault) => void
  /** What is behind it takes no more by now. */
  readonly isFull: () => boolean
}

interface Slot {
  /** Undefined: it is asked now. */
  readonly answer: { readonly origin: Origin; readonly sealed: RecordedOutcome } | undefined
  isDone: boolean
}

/** Answers that may wait for one that is asked now. */
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

  /** Undefined: it is not known, and to be asked. */
  take(origin: Origin, buf: Buffer, start: number, end: number): RecordedOutcome | undefined {
    const sealed = this.#o.answers.take(origin.seq, buf.toString('utf8', start, end))
    if (!sealed) return undefined
    origin.retain()
    this.#slots.push({ answer: { origin, sealed }, isDone: false })
    this.#advance()
    return sealed
  }

  /** The n-th message that the agent is really sent. */
  sent(n: number): void {
    const slot = { answer: undefined, isDone: false }
    this.#asked.set(n, slot)
    this.#slots.push(slot)
  }

  /** It was answered, or refused. */
  settled(n: number): void {
    const slot = this.#asked.get(n)
    if (!slot) return
    this.#asked.delete(n)
    slot.isDone = true
    this.#advance()
  }

  /** What is asked now is not waited for any more. */
  release(): void {
    for (const slot of this.#asked.values()) slot.isDone = true
    this.#asked.clear()
    this.#advance()
  }

  #advance(): void {
    for (let slot = this.#slots[0]; slot && (slot.isDone || slot.answer); slot = this.#slots[0]) {
      this.#slots.shift()
      if (!slot.answer) continue
      const { origin, sealed } = slot.answer
      if (sealed.fault) this.#o.refuse(origin, sealed.fault)
      else this.#o.give(origin, sealed.output)
      origin.release()
    }
  }
}
