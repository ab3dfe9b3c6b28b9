// Writes the failed inputs, unchanged (--rejects FILE). Each line is kept for as long as it may still fail.

import type { Fault, LineReader } from '@plumb/wire'
import type { LineFile } from './line-file.js'

export interface RejectsOptions {
  readonly file: LineFile
  readonly isRaw: boolean
}

/** After so many lines those that cannot fail any more are dropped. */
const PRUNE_INTERVAL = 1024

export class Rejects {
  readonly #o: RejectsOptions
  readonly #held = new Map<number, Buffer>()
  /** Lines that failed while a line that is too long is written in pieces. */
  #delayed: Buffer[] | undefined

  constructor(options: RejectsOptions) {
    this.#o = options
  }

  /** A line that is too long to be kept is written piece by piece. */
  rejectPiece(piece: Buffer, isEnd: boolean): void {
    this.#delayed ??= []
    this.#o.file.addPiece(piece)
    if (!isEnd) return
    this.#o.file.add('')
    for (const line of this.#delayed) this.#o.file.add(line)
    this.#delayed = undefined
  }

  /** Keeps input `seq`; those before `oldest()` cannot fail any more. */
  hold(seq: number, { buf, start, end, fault }: LineReader, oldest: () => number): void {
    if (fault?.error !== 'line_too_long') this.#held.set(seq, Buffer.from(buf.subarray(start, end)))
    if (seq % PRUNE_INTERVAL === 0) this.#forget(oldest())
  }

  reject({ seq, seqs }: Fault): void {
    if (typeof seq === 'number') this.#write(seq)
    if (!Array.isArray(seqs)) return
    for (const [first, last] of seqs as [number, number][]) for (let n = first; n <= last; n++) this.#write(n)
  }

  flush(): void {
    this.#o.file.flush()
  }

  #write(seq: number): void {
    const line = this.#held.get(seq)
    if (!line) return
    this.#held.delete(seq)
    const bytes = this.#o.isRaw ? Buffer.from(textIn(line)) : line
    if (this.#delayed) this.#delayed.push(bytes)
    else this.#o.file.add(bytes)
  }

  // In the order of their numbers.
  #forget(oldest: number): void {
    for (const seq of this.#held.keys()) {
      if (seq >= oldest) return
      this.#held.delete(seq)
    }
  }
}

// With -R a line became a JSON string; bytes that are not text stay as they came.
const textIn = (line: Buffer): Buffer | string => {
  try {
    return JSON.parse(line.toString('utf8')) as string
  } catch {
    return line
  }
}
