// The inputs that failed, as they came (--rejects FILE). A line is kept for as long as it may still fail.

import type { Fault, LineReader } from '@plumb/wire'
import type { LineFile } from './line-file.js'

export interface RejectsOptions {
  readonly file: LineFile
  readonly isRaw: boolean
}

/** So many lines are taken before it is asked again which may still fail. */
const ROUND = 1024

export class Rejects {
  readonly #o: RejectsOptions
  readonly #held = new Map<number, Buffer>()
  /** What failed while a line that is too long goes through. */
  #behind: Buffer[] | undefined

  constructor(options: RejectsOptions) {
    this.#o = options
  }

  /** A line that is too long to be kept: it goes to the file piece by piece. */
  listenTo(reader: LineReader): void {
    reader.onOversize = (piece, isEnd) => {
      this.#behind ??= []
      this.#o.file.addPiece(piece)
      if (!isEnd) return
      this.#o.file.add('')
      for (const line of this.#behind) this.#o.file.add(line)
      this.#behind = undefined
    }
  }

  /** Input `seq` was taken; `oldest()`: those before it cannot fail any more. */
  hold(seq: number, { buf, start, end, fault }: LineReader, oldest: () => number): void {
    if (fault?.error !== 'line_too_long') this.#held.set(seq, Buffer.from(buf.subarray(start, end)))
    if (seq % ROUND === 0) this.#forget(oldest())
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
    if (this.#behind) this.#behind.push(bytes)
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

// With -R a line has been made a JSON string; one that was no text at all is as it came.
const textIn = (line: Buffer): Buffer | string => {
  try {
    return JSON.parse(line.toString('utf8')) as string
  } catch {
    return line
  }
}
