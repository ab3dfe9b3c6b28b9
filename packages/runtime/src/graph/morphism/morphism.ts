// The base of all processes inside this one: they end when nothing more can come in, and their outputs close with them. Also the simplest
// of them.

import { Outlet, type Receiver } from '../channel.js'
import type { Holding } from '../holding.js'

export abstract class Morphism implements Receiver {
  readonly outlets: readonly Outlet[]
  /** The number of open channels, by input. */
  readonly #open: number[]
  #inputsClosed: (() => void) | undefined

  /** `feeds[i]` channels lead into input i. */
  constructor(feeds: readonly number[], outputs: number) {
    this.#open = [...feeds]
    this.outlets = Array.from({ length: outputs }, () => new Outlet())
  }

  abstract receive(input: number, buf: Buffer, start: number, end: number): void

  /** The messages that wait in it. Undefined: none ever does. */
  holding?(name: string): Holding

  /** Inputs without a channel are closed from the beginning. */
  start(): void {
    for (const [input, feeds] of this.#open.entries()) if (feeds === 0) this.inputClosed(input)
    if (this.#open.length === 0) this.finish()
    if (this.#isClosed) this.#inputsClosed?.()
  }

  closeInput(input: number): void {
    const left = (this.#open[input] ?? 0) - 1
    this.#open[input] = left
    if (left > 0) return
    this.inputClosed(input)
    if (this.#isClosed) this.#inputsClosed?.()
  }

  /** Called once, when nothing more comes in. Call it before `start`. */
  onInputsClosed(closed: () => void): void {
    const before = this.#inputsClosed
    this.#inputsClosed = () => {
      this.#inputsClosed = undefined
      before?.()
      closed()
    }
  }

  get #isClosed(): boolean {
    return this.#open.every((feeds) => feeds <= 0)
  }

  protected isOpen(input: number): boolean {
    return (this.#open[input] ?? 0) > 0
  }

  protected inputClosed(_input: number): void {
    if (this.#isClosed) this.finish()
  }

  protected finish(): void {
    for (const outlet of this.outlets) outlet.close()
  }
}

/** id, copy, merge, channels and the ends of bound chains: every message of every input goes to every output, unchanged. */
export class Pass extends Morphism {
  readonly passesTo = this.outlets

  receive(_input: number, buf: Buffer, start: number, end: number): void {
    for (const outlet of this.outlets) outlet.send(buf, start, end)
  }
}

/** empty: sends nothing, and closes at once. */
export class Empty extends Morphism {
  receive(): void {}
}
