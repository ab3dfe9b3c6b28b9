// Counts the tool calls of one input, against `max_tool_calls`.

import { type Fault, fault } from '@plumb/wire'

export class CallCount {
  #own = 0
  #inner = 0
  #isPast = false

  constructor(private readonly max: number) {}

  /** Counts the calls of one answer: all of them are made, even beyond the limit. */
  add(calls: number): void {
    this.#own += calls
  }

  /** Called before each call inside a chain, which ends at the limit. */
  readonly takeInner = (): Fault | undefined => {
    if (this.#own + this.#inner >= this.max) {
      this.#isPast = true
      return this.fault
    }
    this.#inner++
    return undefined
  }

  /** No further answer is requested. */
  get isSpent(): boolean {
    return this.#isPast || this.#own >= this.max
  }

  get fault(): Fault {
    const { max } = this
    return fault('tool_limit', `tools were called ${max} times or more for this message, which is the limit of 'max_tool_calls'`)
  }
}
