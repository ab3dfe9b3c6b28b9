// Processes hand messages on by calling each other. A long chain of them would exhaust the stack, so past some depth a call waits until the
// outermost one has returned; from then on all wait behind it. Calls are made in the order of a walk in depth all the same.

import type { InputContext } from './input-context.js'

/** So many calls may be inside each other. */
const MAX_CALL_DEPTH = 100

/** Undefined: none is needed. A message runs through each node of a graph without cycles once on any way. */
export const openTrampoline = (nodes: number, hasCycles: boolean, current: InputContext): Trampoline | undefined =>
  nodes <= MAX_CALL_DEPTH && !hasCycles ? undefined : new Trampoline(current)

export class Trampoline {
  #depth = 0
  /** What the call that is being made has left over. */
  #waiting: (() => void)[] = []

  constructor(private readonly current: InputContext) {}

  /** The next call has to wait. */
  get isDeep(): boolean {
    return this.#depth >= MAX_CALL_DEPTH || this.#waiting.length > 0
  }

  /** Makes the call later, on behalf of the message that is being worked on now. */
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

  // What a call leaves over comes before what has waited beside it.
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
