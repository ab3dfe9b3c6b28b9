// What a child was sent and what it has answered: by its own word (`settled`, wire.md), else one output for each input.

import type { Settled } from '@plumb/wire'
import { Origins } from './origins.js'

/** An error on stderr may come so many outputs late. */
const LATE = 1024

export class ChildLedger {
  readonly #origins = new Origins()
  #sent = 0
  #controls = 0
  #received = 0
  #refused = 0
  #settled: Pick<Settled, 'inputs' | 'controls' | 'outputs'> | undefined

  /** An agent gives one output or one error for each input, in order; a plumb gives any number. */
  constructor(private readonly isAgent: boolean) {}

  /** `seq` of the input that it came from; 0 where that is not known. */
  send(seq: number): void {
    this.#sent++
    this.#origins.add(seq)
  }

  sendControl(): void {
    this.#controls++
  }

  /** One more output; gives the `seq` of the input that it answers, 0 where that is not known. */
  receive(): number {
    this.#received++
    if (!this.isAgent || this.#settled) return 0
    this.#origins.forget(this.#received - LATE)
    return this.#origins.of(this.#received + this.#refused)
  }

  /** One more error, about the n-th message that it was sent; gives the `seq` of the input. */
  refuse(n: number): number {
    if (this.isAgent) this.#refused++
    return this.#origins.of(n)
  }

  settle(settled: Pick<Settled, 'inputs' | 'controls' | 'outputs'>): void {
    if (this.#settled) this.#origins.forget(this.#settled.inputs)
    this.#settled = settled
  }

  /** Messages not done with, and outputs announced that have not come. */
  get inFlight(): number {
    const settled = this.#settled
    if (!settled) return Math.max(0, this.#sent - this.#answered)
    const left = this.#sent - settled.inputs + (this.#controls - settled.controls)
    return Math.max(0, left) + Math.max(0, settled.outputs - this.#received)
  }

  /** It may end when it likes: it said itself how far it was, or was told to end. */
  get isExcused(): boolean {
    return this.#settled !== undefined || this.#controls > 0
  }

  /** Messages it has not answered as far as is known, and the inputs they came from. */
  get unanswered(): { count: number; of: number; seqs: [number, number][] } {
    const count = Math.max(0, this.#sent - this.#answered)
    return { count, of: this.#sent, seqs: this.#origins.ranges(this.#answered + 1, this.#sent) }
  }

  get #answered(): number {
    const answers = this.isAgent ? this.#received + this.#refused : 0
    return Math.max(answers, this.#settled?.inputs ?? 0)
  }
}
