// How many calls of tools were made for one input, against `max_tool_calls`.

import { type Fault, fault } from '@plumb/wire'

export class CallCount {
  #own = 0
  #inner = 0
  #isPast = false

  constructor(private readonly max: number) {}

  /** Of an answer of the model: a batch is run whole, also where it goes past the limit. */
  add(calls: number): void {
    this.#own += calls
  }

  /** Before each call inside of a chain, which is ended at the limit. */
  readonly takeInner = (): Fault | undefined => {
    if (this.#own + this.#inner >= this.max) {
      this.#isPast = true
      return this.fault
    }
    this.#inner++
    return undefined
  }

  /** No further answer is asked for. */
  get isSpent(): boolean {
    return this.#isPast || this.#own >= this.max
  }

  get fault(): Fault {
    const { max } = this
    return fault('tool_limit', `tools were called ${max} times or more for this message, which is the limit of 'max_tool_calls'`)
  }
}
