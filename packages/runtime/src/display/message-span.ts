// The time that one child spends on one message, from when it was sent to when it was answered.

import { type Fault, scrubHead } from '@plumb/wire'
import { type AgentTelemetry, type LineBytes, lineText, type ProcessKind, type RunEvent } from '../event/run-event.js'

export interface MessageSpan {
  readonly process: string
  /** Which message of the child it is, from 1; 0: unknown. */
  readonly n: number
  /** The input of the run that the message comes from, from 1; 0: unknown. */
  readonly seq: number
  /** Milliseconds: when it was sent, when the child began with it as far as is known, when it was done. */
  readonly sent: number
  readonly start: number
  readonly end: number
  /** Milliseconds that the answer then waited for the answers to earlier messages. */
  readonly held: number
  /** False: the run ended before the child began with it. */
  readonly isBegun: boolean
  readonly input: string | undefined
  readonly output: string | undefined
  readonly fault: Fault | undefined
}

/** A message that a child was sent. */
export interface MessageRef {
  readonly n: number
  readonly seq: number
}

interface OpenMessage extends MessageRef {
  readonly sent: number
  readonly input: string | undefined
}

/** What a child has reported of one message, in milliseconds of the clock of the run. */
interface Times {
  begun: number
  end: number | undefined
}

/** Bytes of a message that are kept to be shown. */
const MAX_TEXT = 4096
const MAX_DECODED = 64 * 1024
/** Messages that are remembered: one that is never answered, as in a nested plumb with a filter, is forgotten after so many others. */
const MAX_OPEN = 4096

/**
 * The spans of one child. Our agents report when they began with each message and how long it took; other programs are taken to work on one
 * message at a time.
 */
export class ChildSpans {
  readonly #open = new Map<number, OpenMessage>()
  /** Inputs that messages came from, also of those that are done: telemetry about them may come late. */
  readonly #seqs = new Map<number, number>()
  readonly #times = new Map<number, Times>()
  /** A nested plumb may give several outputs for one message, or none. */
  readonly #hasOneEach: boolean
  /** Messages that it has reported as done without their numbers; undefined: none. */
  #unnumbered: number | undefined
  #lastEnd = 0

  constructor(
    private readonly process: string,
    runs: ProcessKind,
    private readonly isConcurrent: boolean,
    /** The spans have the text of messages. */
    private readonly hasText: boolean,
  ) {
    this.#hasOneEach = runs !== 'plumb'
  }

  /** The message that the telemetry is about, by default the oldest open one; undefined: unknown. */
  messageOf(telemetry?: AgentTelemetry): MessageRef | undefined {
    const numbered = this.#hasOneEach ? numberOf(telemetry) : undefined
    if (numbered === undefined && this.#unnumbered === undefined) return this.#open.values().next().value
    const n = numbered ?? (this.#unnumbered ?? 0) + 1
    const seq = this.#seqs.get(n)
    return seq === undefined ? undefined : { n, seq }
  }

  /** `took`: milliseconds until now that the telemetry is about. */
  noteTelemetry(telemetry: AgentTelemetry, ms: number, took: number): void {
    if (!this.#hasOneEach) return
    const isEnd = telemetry.kind === 'output' || telemetry.kind === 'error'
    const n = numberOf(telemetry)
    if (n === undefined) {
      if (isEnd) this.#unnumbered = (this.#unnumbered ?? 0) + 1
      return
    }
    if (!this.#open.has(n)) return
    const end = ms - (isEnd ? countOf(telemetry.held_ms) : 0)
    const begun = Math.max(0, end - took)
    const times = this.#times.get(n) ?? { begun, end: undefined }
    this.#times.set(n, { begun: Math.min(times.begun, begun), end: isEnd ? end : times.end })
  }

  asked({ n, seq, ms, ...bytes }: RunEvent & { kind: 'asked' }): void {
    this.#open.set(n, { n, seq, sent: ms, input: this.#textOf(bytes) })
    this.#seqs.set(n, seq)
    for (const known of [this.#open, this.#seqs, this.#times]) if (known.size > MAX_OPEN) known.delete(known.keys().next().value as number)
  }

  answered({ n, seq, ms, ...bytes }: RunEvent & { kind: 'answered' }): MessageSpan {
    return this.#done(n, seq, ms, { output: this.#textOf(bytes), fault: undefined })
  }

  refused({ n, seq, ms, fault }: RunEvent & { kind: 'refused' }): MessageSpan {
    return this.#done(n, seq, ms, { output: undefined, fault })
  }

  /** At the end of the run: the messages without an answer, those that it was working on and those that waited. */
  unfinished(ms: number): MessageSpan[] {
    if (!this.#hasOneEach) return []
    return [...this.#open.values()].map(({ n, seq }, i) => {
      const isBegun = i === 0 || this.#times.has(n)
      return { ...this.#done(n, seq, ms, { output: undefined, fault: undefined }), ...(isBegun ? {} : { start: ms }), isBegun }
    })
  }

  #textOf(bytes: LineBytes): string | undefined {
    return this.hasText ? shortText(bytes) : undefined
  }

  #done(n: number, seq: number, ms: number, outcome: Pick<MessageSpan, 'output' | 'fault'>): MessageSpan {
    const open = this.#open.get(n)
    const times = this.#times.get(n)
    const end = Math.min(ms, times?.end ?? ms)
    // Telemetry may come late, so that a message would seem to begin before the one before it had ended.
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

// Telemetry of other programs is unchecked.
const numberOf = (telemetry: AgentTelemetry | undefined): number | undefined =>
  Number.isSafeInteger(telemetry?.seq) && Number(telemetry?.seq) > 0 ? Number(telemetry?.seq) : undefined

/** 0 for what is not a count. */
export const countOf = (value: unknown): number => (typeof value === 'number' && value >= 0 && value < Number.POSITIVE_INFINITY ? value : 0)

/** The first MAX_TEXT characters of a message, if it has more bytes; of a key, nothing before the cut. */
export const shortText = ({ buf, start, end }: LineBytes): string => {
  if (end - start <= MAX_TEXT) return lineText({ buf, start, end })
  const { head, isWhole } = scrubHead(buf.toString('utf8', start, Math.min(end, start + MAX_DECODED)), MAX_TEXT)
  if (isWhole && head.length <= MAX_TEXT) return head
  return `${head.slice(0, MAX_TEXT).replace(/[\ud800-\udbff]$/, '')}…`
}
