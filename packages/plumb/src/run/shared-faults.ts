// One error for all inputs that fail with one cause, such as a key that is refused: it is told once no more have failed with it for a
// moment, or another error is told.

import { type Fault, fault } from '@plumb/wire'
import { addTo } from '../graph/input-context.js'

/** Maximum inputs that one error names. */
const MAX_INPUTS = 10_000
const QUIET_MS = 100

export class SharedFaults {
  #cause: Fault | undefined
  #text = ''
  #seqs: number[] = []
  #quiet: NodeJS.Timeout | undefined

  constructor(private readonly print: (fault: Fault) => void) {}

  add(error: Fault): void {
    const { seq, line: _, ...cause } = error
    const text = JSON.stringify(cause)
    if (text !== this.#text || this.#seqs.length === MAX_INPUTS) this.flush()
    this.#cause ??= error
    this.#text = text
    if (typeof seq === 'number') this.#seqs.push(seq)
    clearTimeout(this.#quiet)
    this.#quiet = setTimeout(() => this.flush(), QUIET_MS)
  }

  flush(): void {
    const cause = this.#cause
    if (!cause) return
    clearTimeout(this.#quiet)
    const seqs = this.#seqs.sort((a, b) => a - b)
    this.#cause = undefined
    this.#text = ''
    this.#seqs = []
    if (seqs.length < 2) return this.print(cause)
    const ranges: [number, number][] = []
    for (const seq of seqs) addTo(ranges, seq)
    const { line: _, ...about } = cause
    this.print(fault(cause.error, `${cause.detail}; ${seqs.length} inputs fail with it`, { ...about, seq: seqs[0], seqs: ranges }))
  }
}
