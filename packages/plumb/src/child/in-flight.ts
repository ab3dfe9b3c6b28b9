// The messages that a child was sent and has answered: as it reports itself (`settled`, plumb-wire(5)), else one output for each input.

import type { Settled } from '@plumb/wire'
import { rangesOf } from '../graph/input-context.js'
import { Origin } from '../graph/origin.js'

/**
 * An agent of ours gives one output or one error for each input, in order. So does a foreign program, as long as it has not reported what
 * it settles. A plumb gives any number, and names the inputs of each.
 */
export type ChildKind = 'agent' | 'program' | 'plumb'

type SettledReport = Omit<Settled, 'kind'>

export interface InFlightOptions {
  readonly kind: ChildKind
  /** From the spec of a foreign program: one output for each input, or for some. Undefined: not specified. */
  readonly answers: 'each' | 'some' | undefined
  /** It answers each input, in any order, and names the input by telemetry before each output. */
  readonly isUnordered: boolean
  /** A message of this origin had no result here. */
  readonly lost: (origin: Origin) => void
  /** Reports about the origin of its outputs are awaited: a barrier after it joins by that. */
  readonly needsOrigins: boolean
}

/** An error on stderr may come so many outputs late. */
const MAX_LATE = 1024
/** If a child has more than these in flight, the oldest are forgotten. */
const MAX_IN_HAND = 1 << 18
/** Unused reports; one between two others may be dropped. */
const MAX_REPORTS = 1024

export class InFlightTracker {
  readonly #o: InFlightOptions
  /** `#origins[i]` is that of message `#first + i`. */
  #origins: { origin: Origin; isInHand: boolean; isLost?: boolean }[] = []
  #first = 1
  /** Messages it was sent. */
  sent = 0
  /** The message that the last output answers, from 1; 0 if unknown. */
  answered = 0
  #controls = 0
  #received = 0
  /** Undefined: its control replies are not read here. */
  #replies: number | undefined
  /** Undefined: nothing waits for its errors. */
  #errors: number | undefined
  /** The message that the next output answers, from 1, and those that were answered out of order, as by errors. */
  #next = 1
  readonly #refused = new Set<number>()
  #settled: SettledReport | undefined
  /** Reports that came before errors which they count: they are used behind those. */
  readonly #early: SettledReport[] = []
  /** The latest report of settled messages, while outputs of it have not come. */
  #reports: SettledReport[] = []
  /** The last used report. */
  #used: SettledReport = { inputs: 0, controls: 0, outputs: 0 }
  /** Messages that the next outputs answer, if it reports that. */
  readonly #announced: number[] = []
  /** Messages of a plumb that had a result. */
  readonly #answeredOnce = new Set<number>()

  constructor(options: InFlightOptions) {
    this.#o = options
  }

  send(origin: Origin): void {
    this.sent++
    origin.retain()
    this.#origins.push({ origin, isInHand: true })
    if (this.#origins.length > MAX_IN_HAND) this.#forget(this.#first + MAX_IN_HAND / 2)
  }

  sendControl(): void {
    this.#controls++
  }

  /** Its control replies are read from now on; call `receiveReply` for each. */
  expectReplies(): void {
    this.#replies = 0
  }

  /** Returns its origin: it answers no input. */
  receiveReply(): Origin {
    if (this.#replies !== undefined) this.#replies++
    return Origin.unknown()
  }

  /** No more come. */
  endReplies(): void {
    this.#replies = undefined
  }

  /** A message that failed settles with its error from now on; call `receiveError` behind each. */
  expectErrors(): void {
    this.#errors = 0
  }

  receiveError(): void {
    if (this.#errors === undefined) return
    this.#errors++
    this.#useEarly((report) => this.#hasItsErrors(report))
  }

  /** No more come. */
  endErrors(): void {
    this.#errors = undefined
    this.#useEarly(() => true)
  }

  /** The report of what the next output answers has not come. */
  get isWaiting(): boolean {
    const { kind, needsOrigins, isUnordered } = this.#o
    if (isUnordered) return this.#announced.length === 0
    if (kind !== 'program' || !needsOrigins || !this.#settled) return false
    return (this.#reports.at(-1) ?? this.#used).outputs <= this.#received
  }

  /** One more output; returns the origin of the input that it answers. Call `passed` when it was passed on. */
  receive(): Origin {
    this.#received++
    this.answered = 0
    if (this.#o.isUnordered) {
      this.answered = this.#announced.shift() ?? 0
      this.#settleOne(this.answered)
    } else if (this.answersEach) {
      this.#passRefused()
      this.answered = this.#next++
    } else if (this.#o.kind === 'program') this.answered = this.#answeredByReport()
    return this.originOf(this.answered)
  }

  /** Its next output answers the n-th message that it was sent. */
  announce(n: number): void {
    this.#announced.push(n)
  }

  /** It has answered more than it was sent. */
  get isSurplus(): boolean {
    return this.answersEach && this.answered > this.sent
  }

  /** The last output was passed on. */
  passed(): void {
    if (this.answersEach) {
      this.#done(this.answered)
      this.#forget(this.#next - MAX_LATE)
    } else this.#useReports()
  }

  originOf(n: number): Origin {
    return this.#origins[n - this.#first]?.origin ?? Origin.unknown()
  }

  isInHand(n: number): boolean {
    return this.#origins[n - this.#first]?.isInHand === true
  }

  /** The origin of an output that stems from these messages. The caller releases it. */
  originOfAll(messages: readonly number[]): Origin {
    for (const n of messages) this.#answeredOnce.add(n)
    const origins = messages.map((n) => this.originOf(n))
    return origins.length === 0 ? Origin.unknown() : Origin.ofAll(origins)
  }

  /** One more error, about the n-th message that it was sent; returns the origin of the input. */
  refuse(n: number): Origin {
    const origin = this.originOf(n)
    this.#o.lost(origin)
    if (this.answersEach) {
      this.#settleOne(n)
      this.#done(n)
    }
    return origin
  }

  settle(report: SettledReport): void {
    this.#early.push(report)
    this.#useEarly((report) => this.#hasItsErrors(report) || this.#early.length > MAX_REPORTS)
  }

  #useEarly(isUsed: (report: SettledReport) => boolean): void {
    for (let [report] = this.#early; report && isUsed(report); [report] = this.#early) {
      this.#early.shift()
      this.#use(report)
    }
  }

  #hasItsErrors({ errors = 0 }: SettledReport): boolean {
    return this.#errors === undefined || errors <= this.#errors
  }

  #use(report: SettledReport): void {
    this.#settled = report
    if (this.answersEach) return
    for (const [from, to] of report.lost ?? []) for (let n = Math.max(from, this.#first); n <= Math.min(to, this.sent); n++) this.#lose(n)
    if (this.#reports.length === MAX_REPORTS) this.#reports = this.#reports.filter((_, i) => i % 2 === 1)
    this.#reports.push(report)
    this.#useReports()
  }

  /** Unfinished messages, and announced outputs and control replies that have not come. */
  get inFlight(): number {
    const settled = this.#settled
    if (!settled) return Math.max(0, this.sent + 1 - this.#next - this.#refused.size)
    const left = this.sent - settled.inputs + (this.#controls - settled.controls)
    const replies = this.#replies === undefined ? 0 : (settled.replies ?? 0) - this.#replies
    return Math.max(0, left) + Math.max(0, settled.outputs - this.#received) + Math.max(0, replies)
  }

  /** The messages in flight that wait until it is resumed. */
  get held(): number {
    return this.#settled?.paused ? Math.max(0, this.sent - this.#settled.inputs) : 0
  }

  /** The messages in flight that wait for others in it. */
  get gathered(): number {
    return this.#settled?.controls === this.#controls ? (this.#settled.waiting ?? 0) : 0
  }

  /** Some of these are in batches. */
  get isBatched(): boolean {
    return this.gathered > 0 && this.#settled?.batched === true
  }

  /** It may end at any time: it has reported what it settled, or was asked to end. */
  get isExcused(): boolean {
    return this.#settled !== undefined || this.#controls > 0 || this.#o.answers === 'some'
  }

  /** Announced outputs that have not come. */
  get missing(): number {
    return Math.max(0, (this.#settled?.outputs ?? 0) - this.#received)
  }

  /** Unanswered messages as far as is known, and the inputs they came from. */
  get unanswered(): { readonly count: number; readonly of: number; readonly seqs: readonly [number, number][] } {
    const seqs: number[] = []
    let count = 0
    for (let n = this.#firstInHand; n <= this.sent; n++) {
      if (this.#refused.has(n)) continue
      count++
      const origin = this.originOf(n)
      if (origin.seq > 0) seqs.push(origin.seq)
      else seqs.push(...origin.seqs)
    }
    return { count, of: this.sent, seqs: rangesOf(seqs) }
  }

  /** The origins of the messages in flight. */
  get origins(): readonly Origin[] {
    return this.#origins.filter(({ isInHand }) => isInHand).map(({ origin }) => origin)
  }

  /** Messages in flight have no more results; the reason is still to be reported. */
  lose(): void {
    for (let n = this.#first; n <= this.sent; n++) if (this.isInHand(n)) this.#lose(n)
  }

  /** The same, with the reason reported. */
  abandon(): void {
    this.lose()
    for (let n = this.#first; n <= this.sent; n++) this.#done(n)
  }

  /** Each input has one output or one error, in order, so that it is known which are in flight. */
  get answersEach(): boolean {
    const { kind, answers } = this.#o
    return kind === 'agent' || (kind === 'program' && (answers === 'each' || !this.#settled))
  }

  get #firstInHand(): number {
    return Math.max(this.answersEach ? this.#next : 1, (this.#settled?.inputs ?? 0) + 1)
  }

  // Out of order.
  #settleOne(n: number): void {
    if (n >= this.#next && n <= this.sent) this.#refused.add(n)
    this.#passRefused()
  }

  #passRefused(): void {
    while (this.#refused.delete(this.#next)) this.#next++
  }

  // Outputs between two reports answer the inputs between them: the only one, or each one if there are as many.
  #answeredByReport(): number {
    let before = this.#used
    for (const report of this.#reports) {
      if (report.outputs < this.#received) {
        before = report
        continue
      }
      const inputs = report.inputs - before.inputs
      if (inputs === 1) return report.inputs
      return inputs === report.outputs - before.outputs ? before.inputs + this.#received - before.outputs : 0
    }
    return 0
  }

  // Settled messages, once the outputs that it wrote for them have come.
  #useReports(): void {
    let used = 0
    for (const report of this.#reports) {
      if (report.outputs > this.#received) break
      for (let n = this.#used.inputs + 1; n <= Math.min(report.inputs, this.sent); n++) {
        const isNothing = report.outputs === this.#used.outputs
        if (this.#o.kind === 'plumb' ? !this.#answeredOnce.delete(n) : isNothing) this.#lose(n)
        this.#done(n)
      }
      this.#used = report
      used++
    }
    if (used === 0) return
    this.#reports = this.#reports.slice(used)
    this.#forget(this.#used.inputs - MAX_LATE)
  }

  #lose(n: number): void {
    const entry = this.#origins[n - this.#first]
    if (!entry || entry.isLost) return
    entry.isLost = true
    this.#o.lost(entry.origin)
  }

  #done(n: number): void {
    const entry = this.#origins[n - this.#first]
    if (!entry?.isInHand) return
    entry.isInHand = false
    entry.origin.release()
  }

  /** The first n messages are not asked about any more. */
  #forget(n: number): void {
    const spent = Math.min(n + 1 - this.#first, this.#origins.length)
    if (spent < MAX_LATE * 4 || (spent * 2 < this.#origins.length && this.#origins.length < MAX_IN_HAND)) return
    for (let i = 0; i < spent; i++) {
      if (this.#origins[i]?.isInHand) this.#lose(this.#first + i)
      this.#done(this.#first + i)
    }
    this.#origins = this.#origins.slice(spent)
    this.#first += spent
  }
}
