// DIR/answers.index: a line for each answer in answers.jsonl that a resumed run may give again without asking its agent,
// `OFFSET BYTES OUTPUT SUM DIGEST HASH NTH PLACE CHECK`. The file of answers is the authority: what does not fit it is not used, and costs the
// time of asking the agent, which has its answers from the record too.

import { createHash } from 'node:crypto'
import type { EntryKey } from '@plumb/wire/kept'

/** An answer in answers.jsonl. */
export interface IndexedAnswer {
  /** Of its line, without its end. */
  readonly offset: number
  readonly bytes: number
  /** Where in that line its output begins, which ends it. */
  readonly output: number
  /** Of the line: 16 digits. */
  readonly sum: string
  /** Of what was asked: 32 digits; see `questionDigest`. */
  readonly digest: string
  /** How the record keeps the only request that it took. */
  readonly key: EntryKey
}

export const writeIndexLine = ({ offset, bytes, output, sum, digest, key }: IndexedAnswer): string => {
  const text = `${offset} ${bytes} ${output} ${sum} ${digest} ${key.hash} ${key.nth} ${encodeURIComponent(key.place)}`
  return `${text} ${checkOf(Buffer.from(text))}`
}

const CHECK_DIGITS = 8

// The last digits of a sum: the first are of every other word only.
const checkOf = (text: Uint8Array): string => sumOf(text).slice(-CHECK_DIGITS)

/** A place may be long. */
export const MAX_INDEX_LINE_BYTES = 4096
const LINE = /^(\d{1,15}) (\d{1,9}) (\d{1,9}) ([0-9a-f]{16}) ([0-9a-f]{32}) ([0-9a-f]{64}) (\d{1,15}) (\S+) ([0-9a-f]{8})$/

/** Undefined: the line is damaged. */
export const readIndexLine = (line: Buffer): IndexedAnswer | undefined => {
  const [, offset, bytes, output, sum, digest, hash, nth, place, check] = LINE.exec(line.toString('latin1')) ?? []
  if (sum === undefined || digest === undefined || hash === undefined || place === undefined) return undefined
  if (check !== checkOf(line.subarray(0, -CHECK_DIGITS - 1))) return undefined
  const key = { hash, nth: Number(nth), place: decodeURIComponent(place) }
  return { offset: Number(offset), bytes: Number(bytes), output: Number(output), sum, digest, key }
}

/** Of a message to an agent: its place, the number of the input of the run that it comes from, and its JSON. */
export const questionDigest = (place: string, seq: number, message: Uint8Array): string =>
  createHash('sha256').update(`${seq} ${place}\n`).update(message).digest('hex').slice(0, 32)

/** Detects accidental changes, at about the speed of reading: 16 digits. */
export const sumOf = (bytes: Uint8Array): string => {
  const { length, byteOffset, buffer } = bytes
  const isAligned = byteOffset % Uint32Array.BYTES_PER_ELEMENT === 0
  const words = isAligned ? new Uint32Array(buffer, byteOffset, length >>> 2) : undefined
  let [even, odd] = [length, ~length]
  // Two loops, since a line of the index is not aligned, and to copy it takes longer than to put its words together.
  if (words) {
    for (let i = 1; i < words.length; i += 2) {
      even = Math.imul(even ^ (words[i - 1] as number), PRIME)
      odd = Math.imul(odd ^ (words[i] as number), PRIME)
    }
  } else {
    for (let i = 0; i + 2 * WORD <= length; i += 2 * WORD) {
      even = Math.imul(even ^ wordAt(bytes, i), PRIME)
      odd = Math.imul(odd ^ wordAt(bytes, i + WORD), PRIME)
    }
  }
  // The last word, if their number is odd, and what is less than a word.
  for (let i = length - (length % (2 * WORD)); i < length; i++) even = Math.imul(even ^ (bytes[i] as number), PRIME)
  return hex(even) + hex(odd ^ even)
}

const WORD = Uint32Array.BYTES_PER_ELEMENT

const wordAt = (bytes: Uint8Array, i: number): number =>
  (bytes[i] as number) | ((bytes[i + 1] as number) << 8) | ((bytes[i + 2] as number) << 16) | ((bytes[i + 3] as number) << 24)

/** Of FNV-1a. */
const PRIME = 0x01000193

const hex = (word: number): string => (word >>> 0).toString(16).padStart(8, '0')

/** A line of answers.jsonl. */
export interface AnsweredMessage {
  readonly process: string
  readonly seq: number
  readonly input: string
  readonly output: string
}

export interface Indexing {
  /** The answer to the n-th message of an agent is in the file from `offset` on. */
  written(exchange: AnsweredMessage, n: number, offset: number, line: Buffer): void
  /** Before that or after it: how the record keeps its only request. */
  keptAs(event: { readonly process: string; readonly n: number; readonly hash: string; readonly nth: number }): void
}

/** Of each kind, of which the other half has not come. */
const MAX_HALVES = 4096

/** Adds a line to the index when both is known of an answer of one of the `places`. */
export const openIndexing = (places: ReadonlySet<string>, add: (line: string) => void): Indexing => {
  const lines = new Map<string, Omit<IndexedAnswer, 'key'>>()
  const keys = new Map<string, EntryKey>()
  const meet = (id: string): void => {
    const [line, key] = [lines.get(id), keys.get(id)]
    if (!line || !key) return
    lines.delete(id)
    keys.delete(id)
    add(writeIndexLine({ ...line, key }))
  }
  const put = <T>(halves: Map<string, T>, id: string, half: T): void => {
    halves.set(id, half)
    meet(id)
    if (halves.size > MAX_HALVES) for (const [oldest] of halves) if (halves.size > MAX_HALVES / 2) halves.delete(oldest)
  }
  return {
    written: ({ process, seq, input, output: json }, n, offset, line) => {
      if (!places.has(process)) return
      const digest = questionDigest(process, seq, Buffer.from(input))
      const output = line.length - Buffer.byteLength(JSON.stringify(json)) - 1
      put(lines, `${n} ${process}`, { offset, bytes: line.length, output, sum: sumOf(line), digest })
    },
    keptAs: ({ process, n, hash, nth }) => {
      if (places.has(process)) put(keys, `${n} ${process}`, { hash, nth, place: process })
    },
  }
}
