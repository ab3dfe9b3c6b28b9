// Lines about inputs that wait for the receivers of their outputs, while what is after them on the same stream is read.

/** Then the stream waits as a whole (plumb-wire(5), Envelopes). */
const MAX_BYTES = 16 * 1024 * 1024
/** So many that were taken are forgotten at once. */
const COMPACT_AFTER = 1024
const NOTHING = Buffer.alloc(0)

export class HeldLines {
  #lines: Buffer[] = []
  #first = 0
  #bytes = 0

  get isEmpty(): boolean {
    return this.#first === this.#lines.length
  }

  get isFull(): boolean {
    return this.#bytes > MAX_BYTES
  }

  add(line: Uint8Array): void {
    this.#lines.push(Buffer.from(line))
    this.#bytes += line.length
  }

  /** The first, which no longer waits. */
  take(): Buffer | undefined {
    const line = this.#lines[this.#first]
    if (!line) return undefined
    this.#lines[this.#first++] = NOTHING
    this.#bytes -= line.length
    if (this.isEmpty) this.clear()
    else if (this.#first === COMPACT_AFTER) this.#compact()
    return line
  }

  clear(): void {
    this.#lines = []
    this.#first = this.#bytes = 0
  }

  // Behind a slow receiver it is never empty.
  #compact(): void {
    this.#lines.splice(0, this.#first)
    this.#first = 0
  }
}
