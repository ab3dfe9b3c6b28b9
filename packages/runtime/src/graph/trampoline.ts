// Processes pass messages on by calling each other. A long chain would exhaust the stack, so beyond some depth a call waits until the
// outermost one has returned; then all later calls wait behind it. The order is still depth first.

import type { InputContext } from './input-context.js'

/** The maximum nesting of calls. */
const MAX_CALL_DEPTH = 100

/** Undefined: none is needed. In a graph without cycles a message passes each node once on any path. */
export const openTrampoline = (nodes: number, hasCycles: boolean, current: InputContext): Trampoline | undefined =>
  nodes <= MAX_CALL_DEPTH && !hasCycles ? undefined : new Trampoline(current)

export class Trampoline {
  #depth = 0
  /** The calls that the current call has postponed. */
  #waiting: (() => void)[] = []

  constructor(private readonly current: InputContext) {}

  /** The next call has to wait. */
  get isDeep(): boolean {
    return this.#depth >= MAX_CALL_DEPTH || this.#waiting.length > 0
  }

  /** Postpones the call, with the current message as its context. */
  defer(call: () => void): void {
    const { current } = this
    const { origin } = current
    origin.retain()
    this.#waiting.push(() => {
      const before = current.enter(origin)
      call()
      current.leave(before)
      origin.release()
    })
  }

  enter(): void {
    this.#depth++
  }

  leave(): void {
    if (--this.#depth === 0 && this.#waiting.length > 0) this.#drain()
  }

  // Calls postponed by a call come before those that waited beside it.
  #drain(): void {
    const lists = [this.#waiting.reverse()]
    for (let list = lists.at(-1); list; list = lists.at(-1)) {
      const call = list.pop()
      if (!call) {
        lists.pop()
        continue
      }
      this.#waiting = []
      this.#depth = 1
      call()
      if (this.#waiting.length > 0) lists.push(this.#waiting.reverse())
    }
    this.#waiting = []
    this.#depth = 0
  }
}
