// What has arrived and waits: inputs, and the errands of control messages between them, in order of arrival and within bounds.

import type { Fault, Result } from '@plumb/wire'
import type { Control } from '../control/message.js'
import type { Cancellation } from '../conversation/cancellation.js'

/** What an input comes to: the line to write, or why there is none; `isShared` where others fail with the same one. */
export type Outcome =
  | { readonly ok: true; readonly value: string }
  | { readonly ok: false; readonly error: Fault; readonly isShared?: true }

/** An input, counted from 1; `outcome` is there once it is answered. */
export interface Input {
  readonly kind: 'input'
  readonly seq: number
  readonly line: number
  readonly bytes: number
  readonly read: () => Result<string>
  readonly cancellation: Cancellation
  /** When answering began and when `outcome` was there. */
  begunMs?: number
  doneMs?: number
  outcome?: Outcome
}

/** The part of a control message that waits for a place between two inputs. */
export interface Errand {
  readonly kind: 'errand'
  readonly control: Control
  readonly isAsked: Asked
}

/** How a control message came, and so where its reply goes. */
export type Asked = 'by-envelope' | 'by-descriptor'

// plumb-wire(5), Envelopes: so much data may wait while control goes on.
const MAX_BYTES = 16 * 1024 * 1024
// What one takes besides its text, so that very short ones are bounded too.
const ITEM_BYTES = 256

export class Held {
  #items: (Input | Errand)[] = []
  #bytes = 0

  get isEmpty(): boolean {
    return this.#items.length === 0
  }

  get isFull(): boolean {
    return this.#bytes >= MAX_BYTES
  }

  push(item: Input | Errand): void {
    this.#items.push(item)
    this.#bytes += bytesOf(item)
  }

  /** The next in line, if it is an input. */
  takeInput(): Input | undefined {
    const item = this.#items[0]
    return item?.kind === 'input' ? (this.#take(0) as Input) : undefined
  }

  /** The next in line, if it is an errand; with `overtakes` the first errand there is. */
  takeErrand(overtakes: boolean): Errand | undefined {
    const place = overtakes ? this.#items.findIndex(({ kind }) => kind === 'errand') : 0
    return this.#items[place]?.kind === 'errand' ? (this.#take(place) as Errand) : undefined
  }

  clear(): void {
    this.#items = []
    this.#bytes = 0
  }

  #take(place: number): Input | Errand | undefined {
    const [item] = this.#items.splice(place, 1)
    if (item) this.#bytes -= bytesOf(item)
    return item
  }
}

const bytesOf = (item: Input | Errand): number => ITEM_BYTES + (item.kind === 'input' ? item.bytes : 0)
