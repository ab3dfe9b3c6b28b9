// What a program was sent, and of which part of it more may come: the one count of that, for children of a run, workers and conversations.

/** A message until nothing more comes of it. */
export interface Sent<T> {
  /** Its number among the messages that the program was sent, from 1. */
  readonly n: number
  readonly of: T
  hasValue: boolean
}

/** So many whole messages at the beginning are forgotten at once. */
const COMPACT_AFTER = 1024

export class SentMessages<T> {
  /** Messages so far. */
  count: number
  /** Those of which more may come. */
  inHand = 0
  /** `#sent[i]` is message `#first + i`; those that are whole leave a gap. */
  #sent: (Sent<T> | undefined)[] = []
  #first: number
  /** Gaps at the beginning. */
  #gaps = 0
  #controls = 0
  readonly #openControls = new Set<number>()
  /** Numbers of messages that failed here, of which the program may tell more. */
  readonly #refused = new Set<number>()
  #waiting = { count: 0, isBatched: false }
  /** It takes no message until it is resumed. */
  isPaused = false

  /** `before`: messages that it was sent before these, all of which are whole. */
  constructor(before = 0) {
    this.count = before
    this.#first = before + 1
  }

  send(of: T): Sent<T> {
    const sent = { n: ++this.count, of, hasValue: false }
    this.#sent.push(sent)
    this.inHand++
    return sent
  }

  /** The n-th message. Undefined: it was never sent, or is whole. */
  at(n: number): Sent<T> | undefined {
    return this.#sent[n - this.#first]
  }

  /** Nothing more comes of it. */
  end({ n }: Sent<T>): void {
    this.#sent[n - this.#first] = undefined
    this.inHand--
    this.#waiting.count = 0
    while (this.#gaps < this.#sent.length && this.#sent[this.#gaps] === undefined) this.#gaps++
    if (this.#gaps < COMPACT_AFTER && this.#gaps < this.#sent.length) return
    this.#sent.splice(0, this.#gaps)
    this.#first += this.#gaps
    this.#gaps = 0
  }

  /** What it gave does not count: the message has ended here, though the program may tell more of it. */
  refuse(sent: Sent<T>): void {
    this.#refused.add(sent.n)
    this.end(sent)
  }

  /** Whether it is one that was refused. `isEnd`: the program tells nothing more of it. */
  wasRefused(n: number, isEnd: boolean): boolean {
    return isEnd ? this.#refused.delete(n) : this.#refused.has(n)
  }

  sendControl(): void {
    this.#openControls.add(++this.#controls)
  }

  /** Control messages that it has not dealt with. */
  get controlsInHand(): number {
    return this.#openControls.size
  }

  /** The k-th control message was dealt with. False: it was never sent, or was before. */
  endControl(k: number, isPaused: boolean): boolean {
    this.isPaused = isPaused
    this.#waiting.count = 0
    return this.#openControls.delete(k)
  }

  /** It says that so many of the messages wait in it for others. */
  wait(count: number, isBatched: boolean): void {
    this.#waiting = { count, isBatched }
  }

  /** The messages in hand that wait in it for others, unless something has been told since. */
  get waiting(): number {
    return this.controlsInHand === 0 ? this.#waiting.count : 0
  }

  /** Some of these are in batches. */
  get isBatched(): boolean {
    return this.waiting > 0 && this.#waiting.isBatched
  }

  /** Those of which more may come, in the order in which they were sent. */
  *[Symbol.iterator](): Iterator<Sent<T>> {
    for (const sent of [...this.#sent]) if (sent) yield sent
  }
}
