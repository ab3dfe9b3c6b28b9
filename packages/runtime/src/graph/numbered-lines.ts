// Tells a parent in numbered lines what has become of each input of a run (plumb-wire(5)): its errors, its end, and, where the parent asks
// to flush batches, how many inputs wait for others.

import {
  controlText,
  doneText,
  errorText,
  type Fault,
  LineReader,
  type LineSource,
  type LineWriter,
  numbersIn,
  type TelemetryLines,
  telemetryLine,
  telemetryText,
  valueLine,
  waitingText,
} from '@plumb/wire'
import type { InputContext } from './input-context.js'
import type { ParentReport, Rest } from './parent-report.js'

export interface NumberedLinesOptions {
  readonly writer: Pick<LineWriter, 'write' | 'writeText' | 'lines'>
  readonly current: InputContext
  /** The parent is one of plumb's executables, which read members that no other program is given. */
  readonly isForOurs: boolean
  /** The parent settles inputs one by one, and is told all that a joined output stems from. */
  readonly tellsParts?: boolean
  /** The descriptor on which the parent asks to flush batches, a line each time. Undefined: it never does. */
  readonly requests: LineSource | undefined
}

export class NumberedLines implements ParentReport {
  readonly #o: NumberedLinesOptions
  /** Where telemetry goes. */
  readonly telemetry: TelemetryLines
  /** Inputs of which nothing more can come. */
  #done = 0
  /** Of the others, those that have had an output and no error. */
  readonly #answered = new Set<number>()
  #controls = 0
  #waiting = 0
  #isBatched = false
  /** Lines that were written when that was last told. */
  #lines = 0

  constructor(options: NumberedLinesOptions) {
    this.#o = options
    const { writer, current, isForOurs } = options
    current.done = (seq, isLost) => {
      this.#done++
      // Without an output, or after an error, that is known.
      writer.writeText(doneText(seq, this.#answered.delete(seq) && isLost && isForOurs))
    }
    this.telemetry = {
      write: (buf, start, end) => {
        const line = telemetryLine(buf, start, end)
        writer.write(line, 0, line.length)
      },
      writeText: (json) => writer.writeText(telemetryText(json)),
    }
  }

  /** Calls `letGo` for each request. */
  listen(letGo: () => void): void {
    const { requests, writer } = this.#o
    if (!requests) return
    const take = (): void => {
      while (reader.next()) {
        letGo()
        writer.writeText(controlText(++this.#controls))
      }
    }
    const reader = new LineReader(requests, { onReadable: take })
  }

  stopListening(): void {
    this.#o.requests?.destroy()
  }

  /** An output of the current message. */
  value(port: string, buf: Buffer, start: number, end: number): void {
    const { writer, current, isForOurs, tellsParts } = this.#o
    const { seq } = current
    const seqs = seq === 0 ? current.origin.seqs : tellsParts ? [...current.origin.seqs.filter((other) => other !== seq), seq] : [seq]
    for (const seq of seqs) this.#answered.add(seq)
    const line = valueLine(isForOurs ? seqs : seqs.slice(-1), port, buf, start, end)
    writer.write(line, 0, line.length)
  }

  /** False: it is about no input of which more may come, and is to be reported in another way. */
  takes(error: Fault): boolean {
    const seqs = numbersIn(error.seqs ?? error.seq)
    const inHand = seqs.filter((seq) => this.#o.current.isInHand(seq))
    if (inHand.length === 0) return false
    // What is left in a barrier may stem from inputs of which the parent was told the end; a plumb around it reports it as its own.
    const isOfPlumb = this.#o.isForOurs && !this.#o.tellsParts
    if (error.error === 'unpaired' && (isOfPlumb || inHand.length < seqs.length)) return false
    for (const seq of inHand) this.#answered.delete(seq)
    const { writer, isForOurs } = this.#o
    if (isForOurs) writer.writeText(errorText(inHand, error, { hasMore: true, isForOurs }))
    else for (const seq of inHand) writer.writeText(errorText([seq], error, { hasMore: true, isForOurs }))
    return true
  }

  report(taken: number, isIdle: boolean, rest: () => Rest): void {
    const { writer, requests } = this.#o
    if (!requests || !isIdle) return
    const left = taken - this.#done
    const { isStill, isBatched } = left > 0 ? rest() : NOTHING
    const waiting = isStill ? left : 0
    const isSame = waiting === this.#waiting && isBatched === this.#isBatched && (waiting === 0 || writer.lines === this.#lines)
    if (isSame) return
    this.#waiting = waiting
    this.#isBatched = isBatched
    writer.writeText(waitingText(waiting, isBatched))
    this.#lines = writer.lines
  }
}

const NOTHING: Rest = { isStill: true, isBatched: false }
