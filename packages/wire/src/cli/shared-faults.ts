// One error for all inputs that fail with one cause, such as a key that is refused: it is told once no more have failed with it for a
// moment, or another error is told.

import { type Fault, fault } from '../error.js'

/** Maximum inputs that one error names. */
const MAX_INPUTS = 10_000
const QUIET_MS = 100

export class SharedFaults {
  #cause: Fault | undefined
  #text = ''
  #seqs: number[] = []
  #quiet: NodeJS.Timeout | undefined

  /** `print` gets one error for all; `named`: how its `seqs` name the inputs, which are sorted. */
  constructor(
    private readonly print: (fault: Fault) => void,
    private readonly named: (seqs: readonly number[]) => readonly unknown[],
  ) {}

  /** Call it with an error of one input. */
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

  /** Call it before anything else is told. */
  flush(): void {
    const cause = this.#cause
    if (!cause) return
    clearTimeout(this.#quiet)
    const seqs = this.#seqs.sort((a, b) => a - b)
    this.#cause = undefined
    this.#text = ''
    this.#seqs = []
    if (seqs.length < 2) return this.print(cause)
    const { line: _, ...about } = cause
    const detail = `${cause.detail}; ${seqs.length} inputs fail with it`
    this.print(fault(cause.error, detail, { ...about, seq: seqs[0], seqs: this.named(seqs) }))
  }
}
