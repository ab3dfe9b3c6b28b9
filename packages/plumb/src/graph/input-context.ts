// The message that is being worked on: what comes of it has its origin, and errors that it causes name its input.

import type { Fault } from '@plumb/wire'
import { Origin } from './origin.js'

/** What an error contains of the input that caused it. */
type Cause = Pick<Origin, 'seq' | 'port' | 'line'>

export class InputContext implements Cause {
  /** Empty: not known. */
  port = ''
  /** From 1; 0: not known. */
  line = 0
  /** Number of the input from 1; 0: not known, or several. */
  seq = 0
  /** Made when it is first asked for: most inputs are done with before anything has. */
  #origin: Origin | undefined
  /** Inputs from which something is under way, by their numbers. */
  readonly #live = new Set<number>()
  #oldest = 1
  /** Inputs done with of which something was lost, since they were last asked for. */
  #lost: number[] = []
  readonly #settled = (origin: Origin): void => {
    this.#live.delete(origin.seq)
    if (this.keepsLost && origin.hasLost) this.#lost.push(origin.seq)
  }

  /** `keepsLost`: `takeLost` is going to be called. */
  constructor(private readonly keepsLost = false) {}

  /** An input is worked on until `end`. */
  begin(port: string, line: number, seq: number): void {
    this.port = port
    this.line = line
    this.seq = seq
  }

  /** What is worked on next comes from nothing that is known. */
  end(): void {
    const origin = this.#origin
    this.#set(undefined)
    origin?.release()
  }

  /** A message that stems from there is worked on until `leave`, which wants what this gives. */
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

  /** The first input that is not done with; Infinity: all are. */
  get oldest(): number {
    if (this.#live.size === 0) return this.seq === 0 ? Number.POSITIVE_INFINITY : this.seq
    while (!this.#live.has(this.#oldest)) this.#oldest++
    return this.#oldest
  }

  takeLost(): readonly (readonly [number, number])[] {
    return rangesOf(this.#lost.splice(0).sort((a, b) => a - b))
  }

  /** The error with what is known of the input that caused it. */
  withCause(error: Fault): Fault {
    const { port, line, seq } = this
    if (seq === 0) {
      const seqs = this.#origin?.seqs ?? []
      return seqs.length === 0 || error.seqs ? error : { ...error, seqs: rangesOf(seqs) }
    }
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

/** More of them are of no use in one error. */
const MAX_RANGES = 1000

/** Numbers in rising order, as ranges with both ends. */
export const rangesOf = (seqs: Iterable<number>): [number, number][] => {
  const ranges: [number, number][] = []
  for (const seq of seqs) addTo(ranges, seq)
  return ranges
}

/** Puts one more number behind the others, to a limit. */
export const addTo = (ranges: [number, number][], seq: number): void => {
  const last = ranges.at(-1)
  if (seq === 0) return
  if (last && (seq === last[1] || seq === last[1] + 1)) last[1] = seq
  else if (ranges.length < MAX_RANGES) ranges.push([seq, seq])
}
