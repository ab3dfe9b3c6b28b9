// The current message: its results get its origin, and its errors name its input.

import type { Fault } from '@plumb/wire'
import { Origin } from './origin.js'

/** What an error contains of the input that caused it. */
type Cause = Pick<Origin, 'seq' | 'port' | 'line'>

export class InputContext implements Cause {
  /** Empty: unknown. */
  port = ''
  /** From 1; 0: unknown. */
  line = 0
  /** Number of the input from 1; 0: unknown, or several. */
  seq = 0
  /** Created on demand: most inputs are done before it is needed. */
  #origin: Origin | undefined
  /** Inputs with messages in flight, by their numbers. */
  readonly #live = new Set<number>()
  #oldest = 1
  readonly #settled = (origin: Origin): void => {
    this.done?.(origin.seq, origin.hasLost)
    this.#live.delete(origin.seq)
  }

  /** Called with each input when nothing more can come of it, and whether something of it was dropped or failed. */
  done: ((seq: number, isLost: boolean) => void) | undefined

  /** Makes an input current until `end`. */
  begin(port: string, line: number, seq: number): void {
    // What was reported between two inputs has left an unknown one.
    this.#origin = undefined
    this.port = port
    this.line = line
    this.seq = seq
  }

  /** Makes the current origin unknown. */
  end(): void {
    const origin = this.#origin
    const { seq } = this
    this.#set(undefined)
    if (origin) origin.release()
    else if (seq > 0) this.done?.(seq, false)
  }

  /** Makes a message of this origin current until `leave`, which is given the returned value. */
  enter(origin: Origin): Origin | undefined {
    const before = this.seq > 0 ? this.origin : this.#origin
    this.#set(origin)
    return before
  }

  leave(before: Origin | undefined): void {
    this.#set(before)
  }

  get origin(): Origin {
    this.#origin ??= this.seq > 0 ? this.#ofInput() : Origin.unknown()
    return this.#origin
  }

  /** The first unfinished input; Infinity: all are finished. */
  get oldest(): number {
    if (this.#live.size === 0) return this.seq === 0 ? Number.POSITIVE_INFINITY : this.seq
    while (!this.#live.has(this.#oldest)) this.#oldest++
    return this.#oldest
  }

  /** Something may still come of the input. */
  isInHand(seq: number): boolean {
    return this.#live.has(seq) || this.seq === seq
  }

  /** The error with what is known of the input that caused it. */
  withCause(error: Fault): Fault {
    const { port, line, seq } = this
    const seqs = this.#origin?.seqs ?? []
    // What was joined names all that it was joined from.
    if (seq === 0 || seqs.length > 1) return seqs.length === 0 || error.seqs ? error : { ...error, seqs: rangesOf(seqs) }
    return { ...error, ...(port === '' ? {} : { port: error.port ?? port }), ...(line === 0 ? {} : { line }), seq }
  }

  #set(origin: Origin | undefined): void {
    this.#origin = origin
    this.port = origin?.port ?? ''
    this.line = origin?.line ?? 0
    this.seq = origin?.seq ?? 0
  }

  #ofInput(): Origin {
    if (this.#live.size === 0) this.#oldest = this.seq
    this.#live.add(this.seq)
    return Origin.ofInput(this, this.#settled)
  }
}

/** More numbers are of no use in one error. */
const MAX_RANGES = 1000

/** Sorted numbers as inclusive ranges. */
export const rangesOf = (seqs: Iterable<number>): [number, number][] => {
  const ranges: [number, number][] = []
  for (const seq of seqs) addTo(ranges, seq)
  return ranges
}

/** Appends a number, up to a limit. */
export const addTo = (ranges: [number, number][], seq: number): void => {
  const last = ranges.at(-1)
  if (seq === 0) return
  if (last && (seq === last[1] || seq === last[1] + 1)) last[1] = seq
  else if (ranges.length < MAX_RANGES) ranges.push([seq, seq])
}
