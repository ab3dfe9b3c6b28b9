// p + q, its entrance: sends each message to the first alternative with an origin of its own, and, once that has failed and nothing more
// comes of it, to the next. If an alternative contains another process, messages wait here while the maximum is in flight, or it is full.

import { type GraphPosition, put, Sink } from '@plumb/lang'
import { Backpressure, type Buffering } from '../backpressure.js'
import type { Worker } from '../cycle.js'
import type { Holding } from '../holding.js'
import type { RunContext } from '../run-context.js'
import type { ScheduledSource } from '../schedule.js'
import { Morphism } from './morphism.js'
import type { Attempts, Select, SelectAttempt } from './select.js'

export interface ChoiceOptions {
  /** By alternative. */
  readonly places: readonly GraphPosition[]
  readonly select: Select
  /** An alternative answers asynchronously: messages may have to wait. */
  readonly waits: boolean
}

export class ChoiceMorphism extends Morphism implements ScheduledSource, Buffering, Worker, Attempts {
  readonly held = 0
  readonly gathered = 0
  /** The receivers in the alternatives. */
  readonly backpressure = new Backpressure()
  readonly #o: ChoiceOptions
  readonly #pending: SelectAttempt[] = []
  /** Copies of messages, for the next alternative. */
  readonly #copies = new Sink()
  #isEnding = false

  constructor(
    feeds: readonly number[],
    private readonly context: Pick<RunContext, 'current'>,
    options: ChoiceOptions,
  ) {
    super(feeds, options.places.length)
    this.#o = options
    options.select.entrance = this
  }

  get waits(): boolean {
    return this.#o.waits
  }

  get isFull(): boolean {
    return this.#pending.length > 0
  }

  /** Messages that a cycle has to wait for. Sent ones are counted where they are in flight. */
  get inFlight(): number {
    return this.#pending.length
  }

  override holding(name: string): Holding {
    return { of: 'choice', name, waiting: this.#pending.length, messages: this.#o.select.messages }
  }

  receive(_input: number, buf: Buffer, start: number, end: number): void {
    const copies = this.#copies
    copies.commit(put(copies, copies.at, buf, start, end))
    this.#pending.push(this.#o.select.open({ buf: copies.buf, start: copies.start, end: copies.end }))
    if (this.#pending.length === 1) this.step(Number.POSITIVE_INFINITY)
  }

  canRun(): boolean {
    return this.#pending.length > 0 && (!this.waits || (this.#o.select.hasRoom && this.backpressure.isOpen()))
  }

  step(most: number): number {
    let sent = 0
    for (; sent < most && this.canRun(); sent++) this.attempt(this.#pending.shift() as SelectAttempt)
    this.#closeWhenDone()
    return sent
  }

  attempt(attempt: SelectAttempt): void {
    const { places, select } = this.#o
    const { current } = this.context
    const { message, alternative } = attempt
    const origin = attempt.origin.at(places[alternative] as GraphPosition)
    select.begin(attempt, origin)
    const before = current.enter(origin)
    this.outlets[alternative]?.send(message.buf, message.start, message.end)
    current.leave(before)
    origin.release()
    this.#closeWhenDone()
  }

  hasNext({ alternative }: SelectAttempt): boolean {
    return alternative + 1 < this.#o.places.length
  }

  settled(): void {
    this.#closeWhenDone()
  }

  protected override finish(): void {
    this.#isEnding = true
    this.#closeWhenDone()
  }

  // A message that still may fail needs the later alternatives. One of these may wait for the end of its input before it answers.
  #closeWhenDone(): void {
    if (!this.#isEnding || this.#pending.length > 0) return
    for (const [alternative, outlet] of this.outlets.entries()) if (this.#o.select.isClosedBefore(alternative)) outlet.close()
  }
}
