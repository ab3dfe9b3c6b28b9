// The queue of inputs, and of control messages between them, in order of arrival and within limits.

import type { Result } from '@plumb/wire'
import type { QueuedControl } from '../control/message.js'
import type { InputOutcome } from '../conversation/conversation.js'
import type { UserInput } from '../io/intake.js'
import type { Cancellation } from '../provider/cancellation.js'

/** `seq` counts from 1. */
export interface Input {
  readonly kind: 'input'
  readonly seq: number
  readonly line: number
  readonly bytes: number
  readonly read: () => Result<UserInput>
  readonly cancellation: Cancellation
  /** Among those in flight. */
  place?: number
  startMs?: number
  /** It is being answered, or was. */
  hasBegun?: true
  endMs?: number
  outcome?: InputOutcome
}

// plumb-wire(5), Envelopes: data that may wait while control is read.
const MAX_BYTES = 16 * 1024 * 1024
// The cost of an item other than its text, so that many short ones are bounded too.
const ITEM_BYTES = 256

export class PendingQueue {
  #items: (Input | QueuedControl)[] = []
  #bytes = 0

  get isEmpty(): boolean {
    return this.#items.length === 0
  }

  get isFull(): boolean {
    return this.#bytes >= MAX_BYTES
  }

  push(item: Input | QueuedControl): void {
    this.#items.push(item)
    this.#bytes += bytesOf(item)
  }

  /** The next item, if it is an input. */
  nextInput(): Input | undefined {
    const item = this.#items[0]
    return item?.kind === 'input' ? (this.#take(0) as Input) : undefined
  }

  /** The next item, if it is control; with `overtakes`, the first control in the queue. */
  nextControl(overtakes: boolean): QueuedControl | undefined {
    const place = overtakes ? this.#items.findIndex(({ kind }) => kind === 'control') : 0
    return this.#items[place]?.kind === 'control' ? (this.#take(place) as QueuedControl) : undefined
  }

  clear(): void {
    this.#items = []
    this.#bytes = 0
  }

  #take(place: number): Input | QueuedControl | undefined {
    const [item] = this.#items.splice(place, 1)
    if (item) this.#bytes -= bytesOf(item)
    return item
  }
}

const bytesOf = (item: Input | QueuedControl): number => ITEM_BYTES + (item.kind === 'input' ? item.bytes : 0)
