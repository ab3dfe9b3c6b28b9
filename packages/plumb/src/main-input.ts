// What enters from outside: lines of stdin, each checked against the type of its port and passed on, or reported and left out.

import { type Sink, type Stage, Verdict } from '@plumb/lang'
import { type Fault, fail, isEnvelope, type LineReader, nearest, splitEnvelope } from '@plumb/wire'
import type { Outlet } from './channel.js'
import type { Gate } from './gate.js'
import type { Source } from './schedule.js'

/** The input being worked on: errors that it causes anywhere in this process are told with it. */
export interface Current {
  port: string
  /** Number of the line from 1. */
  line: number
  /** Number of the input from 1; 0 while what is worked on came from a child. */
  seq: number
}

export interface Entrance {
  readonly name: string
  readonly outlet: Outlet
  /** Undefined where the process behind it makes the same check on its way. */
  readonly stage: Stage | undefined
}

export interface MainInputOptions {
  readonly reader: LineReader
  readonly entrances: readonly Entrance[]
  readonly sink: Sink
  readonly gate: Gate
  readonly current: Current
  readonly report: (fault: Fault) => void
  /** `all`: every line is one (--mux); `some`: those that look like one; `none`: none is. */
  readonly envelopes: 'all' | 'some' | 'none'
}

const OPEN_BRACE = 0x7b

export class MainInput implements Source {
  /** Inputs taken, good or bad: the next one's `seq` is one more. */
  taken = 0
  readonly #o: MainInputOptions
  readonly #open: Map<string, Entrance>
  #hasEnded = false

  constructor(options: MainInputOptions) {
    this.#o = options
    this.#open = new Map(options.entrances.map((e) => [e.name, e]))
  }

  canRun(): boolean {
    return !this.#hasEnded && this.#o.gate.isOpen()
  }

  step(): boolean {
    const { reader, current } = this.#o
    if (!reader.next()) {
      if (reader.hasEnded) this.end()
      return false
    }
    current.line = reader.line
    current.seq = ++this.taken
    current.port = this.#o.entrances[0]?.name ?? ''
    if (reader.fault) this.#o.report(reader.fault)
    else this.#line()
    current.seq = 0
    return true
  }

  /** Nothing more is taken; every port closes. */
  end(): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#o.reader.stop()
    for (const { outlet } of this.#open.values()) outlet.close()
  }

  #line(): void {
    const { envelopes, entrances, report } = this.#o
    const { buf, start, end, isLast } = this.#o.reader
    // Asked of every line, so the commonest answer is found by its first byte.
    const isPlain = envelopes === 'none' || (envelopes === 'some' && (buf[start] !== OPEN_BRACE || !isEnvelope(buf, start, end)))
    if (isPlain) {
      const [first] = entrances
      if (first) this.#enter(first, buf, start, end)
      return
    }
    const split = splitEnvelope(buf, start, end, isLast)
    if (!split.ok) return report(split.error)
    const { port, isEof, start: from, end: to } = split.value
    const names = entrances.map((e) => e.name)
    // An envelope on `output` is data of another program's, so that executables compose.
    const name = port === 'output' && !names.includes(port) && envelopes === 'some' ? names[0] : port
    const entrance = entrances.find((e) => e.name === name)
    if (isEof) this.taken--
    if (!entrance || name === undefined) {
      const near = nearest(port, names)
      return report(fail('unknown_port', `no port is named '${port}'${near ? `; did you mean '${near}'?` : `; there is ${names.join(', ')}`}`).error)
    }
    this.#o.current.port = name
    if (isEof) this.#close(name)
    else if (this.#open.has(name)) this.#enter(entrance, buf, from, to)
    else report(fail('bad_envelope', `port '${name}' was closed before`).error)
  }

  #enter({ outlet, stage }: Entrance, buf: Buffer, start: number, end: number): void {
    const { sink, report } = this.#o
    if (!stage) return outlet.send(buf, start, end)
    const verdict = stage.run(buf, start, end, sink)
    if (verdict === Verdict.PASS) outlet.send(buf, start, end)
    else if (verdict === Verdict.WROTE) outlet.send(sink.buf, sink.start, sink.end)
    else if (stage.fault) report(this.truncated(stage.fault))
  }

  /** A last line without its newline that is no JSON was cut off. */
  truncated(fault: Fault): Fault {
    if (!this.#o.reader.isLast || fault.error !== 'invalid_json') return fault
    return fail('truncated_line', 'the input ended in the middle of this line').error
  }

  #close(name: string): void {
    this.#open.get(name)?.outlet.close()
    this.#open.delete(name)
    if (this.#open.size === 0) this.end()
  }
}
