// What one agent answered in the run that is resumed, in the place of asking it again. Answers keep the order of the messages: what was
// answered before waits for what is asked now, if that came first.

import type { Fault } from '@plumb/wire'
import type { Answers, Sealed } from './answers.js'

export interface ReplayOptions {
  readonly answers: Answers
  /** Passes an answer on, as that of the input `seq`. */
  readonly give: (seq: number, json: string) => void
  readonly refuse: (seq: number, fault: Fault) => void
  /** What is behind it takes no more by now. */
  readonly isFull: () => boolean
}

interface Slot {
  readonly seq: number
  /** Undefined: it is asked now. */
  readonly sealed: Sealed | undefined
  isDone: boolean
}

/** Answers that may wait for one that is asked now. */
const MOST_WAITING = 1000

export class Replay {
  readonly #o: ReplayOptions
  #slots: Slot[] = []
  readonly #asked = new Map<number, Slot>()

  constructor(options: ReplayOptions) {
    this.#o = options
  }

  get isFull(): boolean {
    return this.#slots.length > MOST_WAITING || this.#o.isFull()
  }

  /** False: it is not known, and to be asked. */
  take(seq: number, buf: Buffer, start: number, end: number): boolean {
    const sealed = this.#o.answers.take(seq, buf.toString('utf8', start, end))
    if (!sealed) return false
    this.#slots.push({ seq, sealed, isDone: false })
    this.#advance()
    return true
  }

  /** The n-th message that the agent is really sent. */
  sent(n: number): void {
    const slot = { seq: 0, sealed: undefined, isDone: false }
    this.#asked.set(n, slot)
    this.#slots.push(slot)
  }

  /** It was answered, or refused. */
  landed(n: number): void {
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
    for (let slot = this.#slots[0]; slot && (slot.isDone || slot.sealed); slot = this.#slots[0]) {
      this.#slots.shift()
      if (!slot.sealed) continue
      const { output, fault } = slot.sealed
      if (fault) this.#o.refuse(slot.seq, fault)
      else this.#o.give(slot.seq, output)
    }
  }
}
