// The recorded answers of agents that a resumed run gives again without asking them: found by the index, and read when they are wanted.

import { closeSync, constants, fstatSync, readSync } from 'node:fs'
import { scanLines } from '@plumb/wire'
import { type EntryKey, EntryTable, type Giving } from '@plumb/wire/kept'
import { openOwnFile } from '@plumb/wire/output'
import { type IndexedAnswer, MAX_INDEX_LINE_BYTES, questionDigest, readIndexLine, sumOf } from '../answer-index.js'
import type { KnownAnswers, ReplayAnswers } from './answers.js'

/** Bytes of a line of answers.jsonl. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024
const SCRATCH_BYTES = 256 * 1024
const WINDOW_BYTES = 64 * 1024
/** Given out in one go. */
const MAX_KNOWN = 1024

/** What became of an answer: its request was given out, so that it is sure to be given; it was given. */
const [OURS, GIVEN] = [1, 2]

/** From one byte of a file to another. */
export type ByteRange = readonly [from: number, to: number]

export class IndexedAnswers {
  /** Bytes of answers.jsonl, and what of it is not indexed. */
  readonly size: number
  readonly gaps: readonly ByteRange[]
  readonly #answers: number
  readonly #index: number
  /** By the digest of what was asked: lines of the index, and as `nth` their number among those that are used, from 0. */
  readonly #table = new EntryTable()
  readonly #indexed: ByteRange
  #count = 0
  /** By that number. */
  readonly #states: Uint8Array
  /** Found by `knows`, and not given out yet. */
  #known: { readonly number: number; readonly digest: string; readonly offset: number; readonly bytes: number }[] = []
  readonly #scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES)
  readonly #window: FileWindow

  /** Throws if a file cannot be read. */
  constructor(answers: string, index: string) {
    this.#answers = openOwnFile(answers, constants.O_RDONLY)
    this.#index = openOwnFile(index, constants.O_RDONLY)
    this.size = fstatSync(this.#answers).size
    this.#indexed = [0, fstatSync(this.#index).size]
    this.gaps = this.#scan((number, { digest }, at, bytes) => {
      this.#count = number + 1
      this.#table.add({ hash: digest, nth: number, place: '', file: 0, offset: at, bytes })
    })
    this.#states = new Uint8Array(this.#count)
    this.#window = new FileWindow(this.#index, WINDOW_BYTES)
  }

  /** Answers that were not given. */
  get unused(): readonly ByteRange[] {
    if (this.#states.every((state) => state === GIVEN)) return []
    const spans: ByteRange[] = []
    this.#scan((number, { offset, bytes }) => {
      if (this.#states[number] !== GIVEN) spans.push([offset, offset + bytes + 1])
    })
    return spans
  }

  // Returns what is left between them. `at` and `bytes` are those of the line in the index.
  #scan(take: (number: number, one: IndexedAnswer, at: number, bytes: number) => void): ByteRange[] {
    const [from, to] = this.#indexed
    const gaps = new Gaps(this.size)
    let number = 0
    scanLines(this.#index, { from, to, maxBytes: MAX_INDEX_LINE_BYTES }, (line, at, bytes) => {
      const one = readIndexLine(line)
      if (one && one.bytes <= MAX_ANSWER_BYTES && gaps.fill(one.offset, one.offset + one.bytes + 1)) take(number++, one, at, bytes)
      return true
    })
    return gaps.left
  }

  of(place: string, giving: Giving): ReplayAnswers & KnownAnswers {
    const vain: EntryKey[] = []
    return {
      get hasVain() {
        return vain.length > 0
      },
      takeBack: () => vain.splice(0).forEach(giving.takeBack),
      take: (seq, buf, start, end) => {
        const digest = questionDigest(place, seq, buf.subarray(start, end))
        for (const { offset, bytes, nth: number } of this.#table.of(digest)) {
          const one = readIndexLine(this.#read(this.#index, offset, bytes))
          if (one?.digest !== digest || one.key.place !== place) continue
          const isOurs = this.#states[number] === OURS
          const line = this.#outputOf(one)
          if (line === undefined && isOurs) {
            vain.push(one.key)
            this.#states[number] = 0
          }
          if (line === undefined || (!isOurs && !giving.give([one.key])[0])) continue
          this.#states[number] = GIVEN
          return { line }
        }
        return undefined
      },
      knows: (seq, buf, start, end) => {
        const digest = questionDigest(place, seq, buf.subarray(start, end))
        const [found] = this.#table.of(digest)
        if (found) this.#known.push({ number: found.nth, digest, offset: found.offset, bytes: found.bytes })
        if (this.#known.length === MAX_KNOWN) this.#giveOut(place, giving)
        return found !== undefined
      },
      giveOut: () => this.#giveOut(place, giving),
    }
  }

  #giveOut(place: string, giving: Giving): void {
    const found = this.#known.flatMap(({ number, digest, offset, bytes }) => {
      const one = this.#states[number] === 0 ? readIndexLine(this.#window.at(offset, bytes)) : undefined
      return one?.digest === digest && one.key.place === place ? [{ number, key: one.key }] : []
    })
    this.#known = []
    const are = giving.give(found.map(({ key }) => key))
    for (const [i, { number }] of found.entries()) if (are[i]) this.#states[number] = OURS
  }

  close(): void {
    closeSync(this.#answers)
    closeSync(this.#index)
  }

  // With a line end. Undefined: its line was changed.
  #outputOf({ offset, bytes, output, sum }: IndexedAnswer): Buffer | undefined {
    const line = this.#read(this.#answers, offset, bytes + 1)
    if (line[bytes] !== LF || sumOf(line.subarray(0, bytes)) !== sum) return undefined
    return lineIn(line, output, bytes - 1)
  }

  // Valid until the next call.
  #read(fd: number, offset: number, bytes: number): Buffer {
    const buffer = bytes <= SCRATCH_BYTES ? this.#scratch : Buffer.allocUnsafe(bytes)
    return buffer.subarray(0, readSync(fd, buffer, 0, bytes, offset))
  }
}

/** Reads what is close together in a file in one go. */
class FileWindow {
  readonly #buffer: Buffer
  #from = 0
  #bytes = 0

  constructor(
    private readonly fd: number,
    size: number,
  ) {
    this.#buffer = Buffer.allocUnsafeSlow(size)
  }

  /** Valid until the next call; shorter at the end of the file, or if it is longer than the window. */
  at(offset: number, bytes: number): Buffer {
    if (offset < this.#from || offset + bytes > this.#from + this.#bytes) {
      this.#from = offset
      this.#bytes = readSync(this.fd, this.#buffer, 0, this.#buffer.length, offset)
    }
    return this.#buffer.subarray(offset - this.#from, Math.min(offset - this.#from + bytes, this.#bytes))
  }
}

const LF = 10

const [QUOTE, BACKSLASH] = [34, 92]

/** What a backslash before a byte stands for. */
const ESCAPED = new Uint8Array(256)
for (const [letter, char] of ['""', '\\\\', '//', 'b\b', 'f\f', 'n\n', 'r\r', 't\t'])
  ESCAPED[(letter as string).charCodeAt(0)] = (char as string).charCodeAt(0)

// The text of a JSON string, with a line end: its bytes, since strings of what was not ASCII take twice the time. Undefined: it is none, or
// has escapes by number, which are not in a string that holds JSON.
const lineIn = (json: Buffer, start: number, end: number): Buffer | undefined => {
  if (end - start < 2 || json[start] !== QUOTE || json[end - 1] !== QUOTE) return undefined
  const line = Buffer.allocUnsafe(end - start)
  let length = 0
  for (let i = start + 1; i < end - 1; i++) {
    let byte = json[i] as number
    if (byte === BACKSLASH) {
      byte = ESCAPED[json[++i] as number] as number
      if (byte === 0) return undefined
    }
    line[length++] = byte
  }
  line[length++] = LF
  return line.subarray(0, length)
}

/** What is left of a file between spans that come nearly in order. */
class Gaps {
  readonly #gaps: [from: number, to: number][] = []
  #end = 0

  constructor(private readonly size: number) {}

  /** False: it overlaps another, or the end of the file, so it is of another file. */
  fill(from: number, to: number): boolean {
    if (to > this.size || to <= from) return false
    if (from < this.#end) return this.#fillGap(from, to)
    if (from > this.#end) this.#gaps.push([this.#end, from])
    this.#end = to
    return true
  }

  get left(): ByteRange[] {
    return this.#end < this.size ? [...this.#gaps, [this.#end, this.size]] : this.#gaps
  }

  #fillGap(from: number, to: number): boolean {
    for (let i = this.#gaps.length - 1; i >= 0; i--) {
      const [first, last] = this.#gaps[i] as ByteRange
      if (last <= from) return false
      if (from < first || to > last) continue
      const rest: [number, number][] = [
        [first, from],
        [to, last],
      ]
      this.#gaps.splice(i, 1, ...rest.filter(([a, b]) => b > a))
      return true
    }
    return false
  }
}
