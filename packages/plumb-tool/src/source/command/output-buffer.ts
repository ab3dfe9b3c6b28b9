// What a command writes, to a limit; what comes after that is drained and counted.

import type { Readable } from 'node:stream'

export class OutputBuffer {
  /** Of all that came. */
  bytes = 0
  readonly #maxBytes: number
  readonly #chunks: Buffer[] = []
  #kept = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Several streams leave their chunks in the order in which they come. */
  listen(stream: Readable): void {
    stream.on('data', (chunk: Buffer) => {
      this.bytes += chunk.length
      if (this.#kept >= this.#maxBytes) return
      // A copy: a slice would hold all of its chunk.
      this.#chunks.push(Buffer.from(chunk.subarray(0, this.#maxBytes - this.#kept)))
      this.#kept = Math.min(this.#maxBytes, this.#kept + chunk.length)
    })
  }

  /** As much as was kept. */
  get beginning(): Buffer {
    return Buffer.concat(this.#chunks, this.#kept)
  }

  /** The same, where something was dropped without the character that was cut in two. */
  get wholeCharacters(): Buffer {
    const bytes = this.beginning
    if (bytes.length === this.bytes) return bytes
    let end = bytes.length
    while (end > 0 && ((bytes[end - 1] as number) & 0xc0) === 0x80) end--
    return bytes.subarray(0, Math.max(0, end - 1))
  }
}

const MAX_LAST_BYTES = 64 * 1024

/** The end of what a command writes, for its last line. */
export class OutputTail {
  readonly #bytes = Buffer.alloc(2 * MAX_LAST_BYTES)
  #length = 0

  listen(stream: Readable): void {
    stream.on('data', (chunk: Buffer) => {
      const part = chunk.subarray(Math.max(0, chunk.length - MAX_LAST_BYTES))
      if (this.#length + part.length > this.#bytes.length) {
        this.#bytes.copy(this.#bytes, 0, this.#length - MAX_LAST_BYTES, this.#length)
        this.#length = MAX_LAST_BYTES
      }
      this.#length += part.copy(this.#bytes, this.#length)
    })
  }

  /** The last one that is not empty. */
  get lastLine(): string {
    return this.#bytes.toString('utf8', 0, this.#length).trimEnd().split('\n').at(-1) ?? ''
  }
}
