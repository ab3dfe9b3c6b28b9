// What is kept of the output of a command: its beginning, its end, or both, in bounded memory.

import type { Readable } from 'node:stream'

/** The beginning. Chunks of several streams are kept in order of arrival. */
export class OutputBuffer {
  /** All bytes that came, kept or not. */
  bytes = 0
  readonly #maxBytes: number
  readonly #chunks: Buffer[] = []
  #kept = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  listen(stream: Readable): void {
    stream.on('data', (chunk: Buffer) => this.add(chunk))
  }

  add(chunk: Buffer): void {
    this.bytes += chunk.length
    if (this.#kept >= this.#maxBytes) return
    // Copied, since a slice would keep the whole chunk in memory.
    this.#chunks.push(Buffer.from(chunk.subarray(0, this.#maxBytes - this.#kept)))
    this.#kept = Math.min(this.#maxBytes, this.#kept + chunk.length)
  }

  get beginning(): Buffer {
    return Buffer.concat(this.#chunks, this.#kept)
  }
}

/** The last `maxBytes` or more, in one piece. */
export class OutputTail {
  readonly #maxBytes: number
  #bytes = Buffer.alloc(0)
  #length = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  listen(stream: Readable): void {
    stream.on('data', (chunk: Buffer) => this.add(chunk))
  }

  add(chunk: Buffer): void {
    const part = chunk.subarray(Math.max(0, chunk.length - this.#maxBytes))
    // What came before does not touch it.
    if (part.length < chunk.length) this.#length = 0
    if (this.#bytes.length === 0) this.#bytes = Buffer.alloc(2 * this.#maxBytes)
    if (this.#length + part.length > this.#bytes.length) {
      this.#bytes.copy(this.#bytes, 0, this.#length - this.#maxBytes, this.#length)
      this.#length = this.#maxBytes
    }
    this.#length += part.copy(this.#bytes, this.#length)
  }

  get end(): Buffer {
    return this.#bytes.subarray(0, this.#length)
  }

  /** The last line that is not empty. */
  get lastLine(): string {
    return this.end.toString('utf8').trimEnd().split('\n').at(-1) ?? ''
  }
}

/** Beginning and end, so much of each. */
export class OutputEnds {
  readonly #head: OutputBuffer
  readonly #tail: OutputTail
  readonly #maxBytes: number

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
    this.#head = new OutputBuffer(maxBytes)
    this.#tail = new OutputTail(maxBytes)
  }

  listen(stream: Readable): void {
    stream.on('data', (chunk: Buffer) => {
      const room = Math.max(0, this.#maxBytes - this.#head.bytes)
      this.#head.add(chunk)
      if (chunk.length > room) this.#tail.add(chunk.subarray(room))
    })
  }

  /** Without characters that were cut where bytes in the middle are missing, and without these. */
  get text(): { readonly text: string; readonly droppedBytes: number } {
    const [head, tail] = [this.#head.beginning, this.#tail.end]
    const missing = this.#missing
    if (missing === 0) return { text: Buffer.concat([head, tail]).toString('utf8'), droppedBytes: 0 }
    const [first, last] = [withoutOpenEnd(head), withoutOpenStart(tail)]
    const cutBytes = head.length - first.length + tail.length - last.length
    return { text: first.toString('utf8') + last.toString('utf8'), droppedBytes: missing + cutBytes }
  }

  /** As it ended. */
  get end(): string {
    const [head, tail] = [this.#head.beginning, this.#tail.end]
    const bytes = this.#missing === 0 ? Buffer.concat([head.subarray(-END_BYTES), tail]) : tail
    return bytes.subarray(-END_BYTES).toString('utf8')
  }

  /** Bytes between the two. */
  get #missing(): number {
    return this.#head.bytes - this.#head.beginning.length - this.#tail.end.length
  }
}

const END_BYTES = 4096

const withoutOpenEnd = (bytes: Buffer): Buffer => {
  let end = bytes.length
  while (end > 0 && isContinuation(bytes[end - 1])) end--
  return bytes.subarray(0, Math.max(0, end - 1))
}

const withoutOpenStart = (bytes: Buffer): Buffer => {
  let start = 0
  while (start < bytes.length && isContinuation(bytes[start])) start++
  return bytes.subarray(start)
}

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80
