// The output of a child, on one stream: lines, each checked against the type of its port before it is passed on.

import { type Stage, Verdict } from '@plumb/lang'
import { type Fault, fail, type LineReader, splitEnvelope } from '@plumb/wire'
import type { Backpressure } from '../graph/backpressure.js'
import type { Outlet } from '../graph/channel.js'
import { deferred } from '../graph/deferred.js'
import { Unnumbered } from '../graph/numbered-output.js'
import type { Origin } from '../graph/origin.js'
import type { RunContext } from '../graph/run-context.js'
import type { ScheduledSource } from '../graph/schedule.js'

export interface ChildPort {
  readonly name: string
  readonly outlet: Outlet
  readonly stage: Stage
}

/** One of the streams that a child writes. */
export interface ChildStream extends ScheduledSource {
  /** Everything it brought was passed on, or is no longer wanted. */
  readonly ended: Promise<void>
  readonly hasEnded: boolean
  /** Nothing has come since it was last empty: an idle one of many streams costs little. */
  isDry: boolean
  /** Stops reading. */
  end(): void
}

export interface ChildOutputOptions {
  readonly process: string
  readonly reader: LineReader
  /** One: plain lines. Several: envelopes. */
  readonly ports: readonly ChildPort[]
  readonly isEnveloped: boolean
  readonly backpressure: Pick<Backpressure, 'isOpen'>
  /** Called for each line, good or bad; returns the origin of the input that it answers. Undefined: it answers none, and is dropped. */
  readonly counted: () => Origin | undefined
  /** Called when that is done. */
  readonly passed: () => void
  /** The output was unexpected, and is dropped. */
  readonly lost: () => void
  /** What it reported of its last output leaves open what that answers: more will come. */
  readonly isWaiting: () => boolean
  /** If each output names its messages: their origin, which is released when the output was passed on. */
  readonly originOfAll: ((messages: readonly number[]) => Origin) | undefined
  /** Whether the output has to wait, as its message was asked before its turn: then it is given to `hold`, which calls back. */
  readonly isEarly: (() => boolean) | undefined
  readonly hold: ((pass: (n: number) => void) => void) | undefined
  /** Called with each valid output, before it is passed on; `n` as it reports itself, else 0. */
  readonly answered: ((n: number, buf: Buffer, start: number, end: number) => void) | undefined
  /** And after it was. */
  readonly passedOn: ((n: number) => void) | undefined
  /** Called for each line of the wrong type. */
  readonly onMismatch: ((fault: Fault) => void) | undefined
  /** False: its report of settled inputs is still to be read, before its outputs close. */
  readonly mayEnd: () => boolean
  /** Called before its outputs close. */
  readonly ending: () => void
}

export class ChildOutput implements ChildStream {
  hasEnded = false
  isDry = false
  readonly #o: ChildOutputOptions
  readonly #unnumbered = new Unnumbered()
  #isEnding = false
  readonly #ended = deferred()
  readonly ended = this.#ended.promise

  constructor(
    private readonly context: RunContext,
    options: ChildOutputOptions,
  ) {
    this.#o = options
  }

  canRun(): boolean {
    if (this.#isEnding) return !this.hasEnded && this.#o.mayEnd()
    return !this.isDry && !this.hasEnded && this.#o.backpressure.isOpen() && !this.#o.isWaiting()
  }

  step(): number {
    const { reader, counted, passed } = this.#o
    const { current } = this.context
    if (!reader.next()) {
      this.isDry = true
      this.#isEnding = reader.hasEnded
      if (this.#isEnding && this.#o.mayEnd()) this.end()
      return 0
    }
    const origin = counted()
    if (!origin) return 1
    const before = current.enter(origin)
    if (reader.fault) this.#refuse(reader.fault, this.#o.ports[0]?.name ?? '')
    else this.#line()
    current.leave(before)
    passed()
    return 1
  }

  end(): void {
    if (this.hasEnded) return
    this.hasEnded = true
    this.#o.ending()
    this.#o.reader.stop()
    for (const { outlet } of this.#o.ports) outlet.close()
    this.#ended.resolve()
  }

  #line(): void {
    const { reader, ports, isEnveloped } = this.#o
    const { buf, start, end, isLast } = reader
    const [first] = ports
    if (!isEnveloped) {
      if (first) this.#pass(first, buf, start, end)
      return
    }
    const split = splitEnvelope(buf, start, end, isLast)
    if (!split.ok) return this.#refuse(split.error, '')
    const { port: name, isEof, start: from, end: to } = split.value
    const port = ports.find((p) => p.name === name)
    if (!port) this.#refuse(fail('unknown_port', `it has no port '${name}'`).error, name)
    else if (isEof) port.outlet.close()
    else this.#pass(port, buf, from, to)
  }

  #pass(port: ChildPort, buf: Buffer, start: number, end: number): void {
    const { originOfAll } = this.#o
    const { current } = this.context
    if (!originOfAll) return this.#check(port, 0, buf, start, end)
    const value = this.#unnumbered
    if (!value.read(buf, start, end)) return this.#refuse(fail('invalid_json', 'it has no seq and value').error, port.name)
    const origin = originOfAll(value.seqs)
    const before = current.enter(origin)
    this.#check(port, value.seqs.length === 1 ? (value.seqs[0] as number) : 0, buf, value.start, value.end)
    current.leave(before)
    origin.release()
  }

  #check(port: ChildPort, n: number, buf: Buffer, start: number, end: number): void {
    const { sink } = this.context
    const { stage } = port
    const verdict = stage.run(buf, start, end, sink)
    if (verdict === Verdict.PASS) this.#give(port, n, buf, start, end)
    else if (verdict === Verdict.WROTE) this.#give(port, n, sink.buf, sink.start, sink.end)
    else if (stage.fault) this.#refuse(stage.fault, port.name)
  }

  #give(port: ChildPort, n: number, buf: Buffer, start: number, end: number): void {
    const { isEarly, hold } = this.#o
    if (!isEarly?.()) return this.#passOn(port, n, buf, start, end)
    const line = Buffer.from(buf.subarray(start, end))
    hold?.((its) => this.#passOn(port, its, line, 0, line.length))
  }

  #passOn({ outlet }: ChildPort, n: number, buf: Buffer, start: number, end: number): void {
    const { answered, passedOn } = this.#o
    answered?.(n, buf, start, end)
    outlet.send(buf, start, end)
    passedOn?.(n)
  }

  // The result of a child is its output: a mismatch is not the fault of its source.
  #refuse(fault: Fault, port: string): void {
    const { process, reader, onMismatch, lost } = this.#o
    const isTruncated = reader.isLast && fault.error === 'invalid_json'
    const { error, category: _, detail, ...extras } = fault
    const code = isTruncated ? 'truncated_line' : error === 'input_type_mismatch' ? 'output_type_mismatch' : error
    const refusal = fail(code, `'${process}' gave what it should not: ${detail}`, { ...extras, process, port, line: reader.line }).error
    this.context.report(refusal)
    onMismatch?.(refusal)
    lost()
  }
}
