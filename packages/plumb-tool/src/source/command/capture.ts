// What a command writes, to a limit; what comes after that is drained and counted.

import type { Readable } from 'node:stream'

export class Capture {
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
