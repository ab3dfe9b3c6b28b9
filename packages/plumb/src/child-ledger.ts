// What a child was sent and what it has answered: by its own word (`settled`, wire.md), else one output for each input.

import type { Settled } from '@plumb/wire'
import { addTo, Origins } from './origins.js'

/**
 * An agent of ours gives one output or one error for each input, in order. So does another program in its place, as long as it has not said
 * what it settles. A plumb gives any number.
 */
export type ChildKind = 'agent' | 'program' | 'plumb'

type Word = Pick<Settled, 'inputs' | 'controls' | 'outputs' | 'paused'>

/** An error on stderr may come so many outputs late. */
const LATE = 1024

export class ChildLedger {
  readonly #origins = new Origins()
  /** Messages it was sent. */
  sent = 0
  /** The message that the last output answers, from 1; 0 where that is not known. */
  answered = 0
  #controls = 0
  #received = 0
  /** The message that the next output answers, from 1, and those that were answered by errors, which may come early. */
  #next = 1
  readonly #refused = new Set<number>()
  #settled: Word | undefined

  constructor(private readonly kind: ChildKind) {}

  /** `seq` of the input that it came from; 0 where that is not known. */
  send(seq: number): void {
    this.sent++
    this.#origins.add(seq)
  }

  sendControl(): void {
    this.#controls++
  }

  /** One more output; gives the `seq` of the input that it answers, 0 where that is not known. */
  receive(): number {
    this.#received++
    this.answered = 0
    if (!this.answersEach) return 0
    this.#passRefused()
    this.#origins.forget(this.#next - LATE)
    this.answered = this.#next++
    return this.#origins.of(this.answered)
  }

  /** The input that the n-th message came from; 0 where that is not known. */
  originOf(n: number): number {
    return this.#origins.of(n)
  }

  /** One more error, about the n-th message that it was sent; gives the `seq` of the input. */
  refuse(n: number): number {
    if (this.answersEach && n >= this.#next && n <= this.sent) this.#refused.add(n)
    this.#passRefused()
    return this.#origins.of(n)
  }

  settle(settled: Word): void {
    const before = this.#settled
    // Its outputs may still be read, and tell what they answer.
    if (before && this.#received >= before.outputs) this.#origins.forget(before.inputs - LATE)
    this.#settled = settled
  }

  /** Messages not done with, and outputs announced that have not come. */
  get inFlight(): number {
    const settled = this.#settled
    if (!settled) return Math.max(0, this.sent + 1 - this.#next - this.#refused.size)
    const left = this.sent - settled.inputs + (this.#controls - settled.controls)
    return Math.max(0, left) + Math.max(0, settled.outputs - this.#received)
  }

  /** Of the messages in flight, those that wait for it to be told to resume. */
  get held(): number {
    return this.#settled?.paused ? Math.max(0, this.sent - this.#settled.inputs) : 0
  }

  /** The least `seq` of an input that it still has in hand; Infinity: there is none. */
  get oldest(): number {
    let oldest = Number.POSITIVE_INFINITY
    for (let n = this.#firstInHand; n <= this.sent; n++) {
      const seq = this.#refused.has(n) ? 0 : this.#origins.of(n)
      if (seq > 0 && seq < oldest) oldest = seq
    }
    return oldest
  }

  /** It may end when it likes: it said itself how far it was, or was told to end. */
  get isExcused(): boolean {
    return this.#settled !== undefined || this.#controls > 0
  }

  /** Messages it has not answered as far as is known, and the inputs they came from. */
  get unanswered(): { count: number; of: number; seqs: [number, number][] } {
    const seqs: [number, number][] = []
    let count = 0
    for (let n = this.#firstInHand; n <= this.sent; n++) {
      if (this.#refused.has(n)) continue
      count++
      addTo(seqs, this.#origins.of(n))
    }
    return { count, of: this.sent, seqs }
  }

  get #firstInHand(): number {
    return Math.max(this.answersEach ? this.#next : 1, (this.#settled?.inputs ?? 0) + 1)
  }

  #passRefused(): void {
    while (this.#refused.delete(this.#next)) this.#next++
  }

  /** Each input has one output or one error, in order, so that it is known which are in hand. */
  get answersEach(): boolean {
    return this.kind === 'agent' || (this.kind === 'program' && !this.#settled)
  }
}
