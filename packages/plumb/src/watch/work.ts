// What is done for one message in one child, from when it was sent to when it was answered.

import type { Fault } from '@plumb/wire'
import { type Bytes, type ProcessKind, textOf, type WatchEvent } from './event.js'

export interface Work {
  readonly process: string
  /** The message that it was sent, from 1; 0: not known. */
  readonly n: number
  /** The input of the run that this came from, from 1; 0: not known. */
  readonly seq: number
  /** Milliseconds: when it was sent, when the child came to it as far as is known, when it was done. */
  readonly sent: number
  readonly start: number
  readonly end: number
  readonly input: string | undefined
  readonly output: string | undefined
  readonly fault: Fault | undefined
}

/** Work that is not done. */
export interface OpenWork {
  readonly n: number
  readonly seq: number
}

interface Open extends OpenWork {
  readonly sent: number
  readonly input: string
}

/** So much of a message is kept to be shown. */
const MAX_TEXT = 4096
/** A message that was never answered, as in a nested plumb with a filter, is not waited for when so many came after it. */
const MOST_OPEN = 4096

/** One child's work: one thing after the other, though several messages may wait. */
export class Works {
  readonly #open = new Map<number, Open>()
  /** Where messages came from, of those that are done with too: what a child tells of them may be heard late. */
  readonly #seqs = new Map<number, number>()
  /** A nested plumb may give several outputs for one message, or none. */
  readonly #hasOneEach: boolean
  /** Messages that it has told to be done with; undefined: it tells nothing. */
  #told: number | undefined
  #lastEnd = 0

  constructor(
    private readonly process: string,
    runs: ProcessKind,
  ) {
    this.#hasOneEach = runs !== 'plumb'
    if (runs === 'agent') this.#told = 0
  }

  /** What it worked on when it told what is heard now; undefined: nothing, as far as is known. */
  get current(): OpenWork | undefined {
    if (this.#told === undefined) return this.#open.values().next().value
    const n = this.#told + 1
    const seq = this.#seqs.get(n)
    return seq === undefined ? undefined : { n, seq }
  }

  /** An agent tells of each of its outputs and errors, in the order of all that it tells. */
  heard(kind: string): void {
    if (!this.#hasOneEach) return
    this.#told ??= 0
    if (kind === 'output' || kind === 'error') this.#told++
  }

  asked({ n, seq, ms, ...bytes }: WatchEvent & { kind: 'asked' }): void {
    this.#open.set(n, { n, seq, sent: ms, input: shortText(bytes) })
    this.#seqs.set(n, seq)
    for (const known of [this.#open, this.#seqs]) if (known.size > MOST_OPEN) known.delete(known.keys().next().value as number)
  }

  answered({ n, seq, ms, ...bytes }: WatchEvent & { kind: 'answered' }): Work {
    return this.#done(n, seq, ms, { output: shortText(bytes), fault: undefined })
  }

  refused({ n, seq, ms, fault }: WatchEvent & { kind: 'refused' }): Work {
    return this.#done(n, seq, ms, { output: undefined, fault })
  }

  /** What it has not answered at the end of the run. */
  unfinished(ms: number): Work[] {
    if (!this.#hasOneEach) return []
    return [...this.#open.values()].map(({ n, seq }) => this.#done(n, seq, ms, { output: undefined, fault: undefined }))
  }

  #done(n: number, seq: number, ms: number, outcome: Pick<Work, 'output' | 'fault'>): Work {
    const open = this.#open.get(n)
    const start = Math.min(ms, Math.max(open?.sent ?? this.#lastEnd, this.#lastEnd))
    this.#lastEnd = ms
    if (this.#hasOneEach) this.#open.delete(n)
    else for (const older of this.#open.keys()) if (older < n) this.#open.delete(older)
    return { process: this.process, n, seq, sent: open?.sent ?? start, start, end: ms, input: open?.input, ...outcome }
  }
}

/** The beginning of a message, whole characters of it. */
export const shortText = ({ buf, start, end }: Bytes): string => {
  if (end - start <= MAX_TEXT) return textOf({ buf, start, end })
  let cut = start + MAX_TEXT
  while (((buf[cut] as number) & 0xc0) === 0x80) cut--
  return `${buf.toString('utf8', start, cut)}…`
}
