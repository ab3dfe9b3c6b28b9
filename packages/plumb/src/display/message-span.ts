// What is done for one message in one child, from when it was sent to when it was answered.

import type { Fault } from '@plumb/wire'
import { type AgentTelemetry, type Bytes, type ProcessKind, textOf, type WatchEvent } from '../event/run-event.js'

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
  /** For so long the answer then waited for those of earlier messages. */
  readonly held: number
  /** False: the run ended before the child came to it. */
  readonly isBegun: boolean
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

/** What a child has told of its work on one message: milliseconds of the clock of the run. */
interface Times {
  begun: number
  end: number | undefined
}

/** So much of a message is kept to be shown. */
const MAX_TEXT = 4096
/** A message that was never answered, as in a nested plumb with a filter, is not waited for when so many came after it. */
const MOST_OPEN = 4096

/** One child's work. Our agents say of each message when they began with it and how long it took; of others it is one thing after the other. */
export class Works {
  readonly #open = new Map<number, Open>()
  /** Where messages came from, of those that are done with too: what a child tells of them may be heard late. */
  readonly #seqs = new Map<number, number>()
  readonly #times = new Map<number, Times>()
  /** A nested plumb may give several outputs for one message, or none. */
  readonly #hasOneEach: boolean
  /** Messages that it has told to be done with, without saying which; undefined: none. */
  #told: number | undefined
  #lastEnd = 0

  constructor(
    private readonly process: string,
    runs: ProcessKind,
    private readonly isConcurrent: boolean,
  ) {
    this.#hasOneEach = runs !== 'plumb'
  }

  /** What this is told of; undefined: nothing, as far as is known. */
  workOf(told?: AgentTelemetry): OpenWork | undefined {
    const numbered = this.#hasOneEach ? numberOf(told) : undefined
    if (numbered === undefined && this.#told === undefined) return this.#open.values().next().value
    const n = numbered ?? (this.#told ?? 0) + 1
    const seq = this.#seqs.get(n)
    return seq === undefined ? undefined : { n, seq }
  }

  /** `took`: milliseconds until now for what is told. */
  heard(told: AgentTelemetry, ms: number, took: number): void {
    if (!this.#hasOneEach) return
    const isEnd = told.kind === 'output' || told.kind === 'error'
    const n = numberOf(told)
    if (n === undefined) {
      if (isEnd) this.#told = (this.#told ?? 0) + 1
      return
    }
    if (!this.#open.has(n)) return
    const end = ms - (isEnd ? countOf(told.held_ms) : 0)
    const begun = Math.max(0, end - took)
    const times = this.#times.get(n) ?? { begun, end: undefined }
    this.#times.set(n, { begun: Math.min(times.begun, begun), end: isEnd ? end : times.end })
  }

  asked({ n, seq, ms, ...bytes }: WatchEvent & { kind: 'asked' }): void {
    this.#open.set(n, { n, seq, sent: ms, input: shortText(bytes) })
    this.#seqs.set(n, seq)
    for (const known of [this.#open, this.#seqs, this.#times]) if (known.size > MOST_OPEN) known.delete(known.keys().next().value as number)
  }

  answered({ n, seq, ms, ...bytes }: WatchEvent & { kind: 'answered' }): Work {
    return this.#done(n, seq, ms, { output: shortText(bytes), fault: undefined })
  }

  refused({ n, seq, ms, fault }: WatchEvent & { kind: 'refused' }): Work {
    return this.#done(n, seq, ms, { output: undefined, fault })
  }

  /** What it has not answered at the end of the run: what it was at, and what waited. */
  unfinished(ms: number): Work[] {
    if (!this.#hasOneEach) return []
    return [...this.#open.values()].map(({ n, seq }, i) => {
      const isBegun = i === 0 || this.#times.has(n)
      return { ...this.#done(n, seq, ms, { output: undefined, fault: undefined }), ...(isBegun ? {} : { start: ms }), isBegun }
    })
  }

  #done(n: number, seq: number, ms: number, outcome: Pick<Work, 'output' | 'fault'>): Work {
    const open = this.#open.get(n)
    const times = this.#times.get(n)
    const end = Math.min(ms, times?.end ?? ms)
    // What it tells may be heard late, and so seem to begin before what came before it was over.
    const earliest = this.isConcurrent && times ? 0 : this.#lastEnd
    const start = Math.min(end, Math.max(times?.begun ?? open?.sent ?? 0, earliest))
    this.#lastEnd = times ? end : ms
    if (this.#hasOneEach) this.#open.delete(n)
    else for (const older of this.#open.keys()) if (older < n) this.#open.delete(older)
    this.#times.delete(n)
    const sent = Math.min(open?.sent ?? start, start)
    return { process: this.process, n, seq, sent, start, end, held: ms - end, isBegun: true, input: open?.input, ...outcome }
  }
}

// What another program tells is not checked.
const numberOf = (told: AgentTelemetry | undefined): number | undefined =>
  Number.isSafeInteger(told?.seq) && Number(told?.seq) > 0 ? Number(told?.seq) : undefined

export const countOf = (value: unknown): number => (typeof value === 'number' && value >= 0 && value < Number.POSITIVE_INFINITY ? value : 0)

/** The beginning of a message, whole characters of it. */
export const shortText = ({ buf, start, end }: Bytes): string => {
  if (end - start <= MAX_TEXT) return textOf({ buf, start, end })
  let cut = start + MAX_TEXT
  while (((buf[cut] as number) & 0xc0) === 0x80) cut--
  return `${buf.toString('utf8', start, cut)}…`
}
