// Messages that reached a child after its end, and the inputs that they came from.

import type { Fault } from '@plumb/wire'
import { addTo } from '../graph/input-context.js'
import type { Origin } from '../graph/origin.js'
import { droppedAt } from './end.js'

export class Dropped {
  #count = 0
  readonly #seqs: [number, number][] = []
  /** How it ended, once that is known. */
  end: 'unknown' | 'well' | 'badly' = 'unknown'

  add(origin: Origin): void {
    this.#count++
    if (origin.seq > 0) addTo(this.#seqs, origin.seq)
    else for (const seq of origin.seqs) addTo(this.#seqs, seq)
  }

  /** The first input that was lost, or may have been; Infinity: none. */
  get oldest(): number {
    return this.end === 'well' ? Number.POSITIVE_INFINITY : (this.#seqs[0]?.[0] ?? Number.POSITIVE_INFINITY)
  }

  /** Undefined: nothing was lost. */
  faultOf(name: string): Fault | undefined {
    return this.end === 'badly' && this.#count > 0 ? droppedAt(name, this.#count, this.#seqs) : undefined
  }
}
