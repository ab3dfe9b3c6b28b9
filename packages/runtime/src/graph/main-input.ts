// The input of a run: reads lines of stdin, checks each against the type of its port, and passes it on or reports it.

import { type MessageScanner, type Stage, Verdict } from '@plumb/lang'
import {
  checkLine,
  type Fault,
  fail,
  isEnvelope,
  type LineBatcher,
  type LineReader,
  nearest,
  preview,
  splitEnvelope,
  suggestRaw,
} from '@plumb/wire'
import type { Backpressure } from './backpressure.js'
import type { Outlet } from './channel.js'
import type { RunContext } from './run-context.js'
import type { ScheduledSource } from './schedule.js'

export interface Entrance {
  readonly name: string
  readonly outlet: Outlet
  readonly stage: Stage
  /** Its lines may have been meant as plain text, for which there is an option. */
  readonly mayBeText: boolean
  /** The stage's scanner: a line that it accepts needs no other check. Undefined if the line might be an envelope, or need defaults. */
  readonly scanner: MessageScanner | undefined
  /** Handles mismatches, and lines that are not JSON: for `input@error`. */
  readonly report: (fault: Fault) => void
  /** Whether it has a handler that needs the message. */
  readonly keeps: boolean
  /** Takes runs of lines of the learned shape, once there is one. Undefined: lines have to be taken one by one. */
  readonly openBatcher: () => LineBatcher | undefined
}

export interface MainInputOptions {
  readonly reader: LineReader
  readonly entrances: readonly Entrance[]
  readonly backpressure: Backpressure
  /** `all`: every line is an envelope (--mux); `some`: those that look like one; `none`: none is. */
  readonly envelopes: 'all' | 'some' | 'none'
  /** Is told of each input as it is read, good or bad. */
  readonly emitter: { emit(input: { readonly kind: 'input'; readonly seq: number; readonly bytes: number }): void } | undefined
  /** Called with the number of each input before it is processed. */
  readonly taken: ((seq: number) => void) | undefined
}

const OPEN_BRACE = 0x7b
const SPACE = 0x20

export class MainInput implements ScheduledSource {
  readonly waitsForCycles = true
  /** Inputs read, good or bad: the next one's `seq` is one more. */
  taken = 0
  readonly #o: MainInputOptions
  readonly #open: Map<string, Entrance>
  readonly #names: readonly string[]
  /** The port of plain lines, while it is open and no listener needs each line. */
  #quick: Entrance | undefined
  #batcher: LineBatcher | undefined
  #hasEnded = false

  constructor(
    private readonly context: RunContext,
    options: MainInputOptions,
  ) {
    this.#o = options
    this.#open = new Map(options.entrances.map((e) => [e.name, e]))
    this.#names = options.entrances.map((e) => e.name)
    const isUnseen = !options.emitter && !options.taken && options.envelopes !== 'all'
    this.#quick = isUnseen ? options.entrances[0] : undefined
  }

  get hasEnded(): boolean {
    return this.#hasEnded
  }

  canRun(): boolean {
    return !this.#hasEnded && this.#o.backpressure.isOpen()
  }

  step(most: number): number {
    return this.#takeBatch(most) || this.#next()
  }

  // Lines of the learned shape: the scanner finds their end and their type at once.
  #takeBatch(most: number): number {
    if (!this.#quick?.scanner?.hasShape) return 0
    this.#batcher ??= this.#quick.openBatcher() ?? this.#each
    const taken = this.#o.reader.takeBatch(this.#batcher, most)
    if (this.#batcher !== this.#each) this.taken += taken
    return taken
  }

  /** Takes lines one by one, and passes each on before the next. */
  readonly #each = {
    taken: 0,
    takeBatch: (buf: Buffer, at: number, limit: number, most: number, line: number): number => {
      const { reader, backpressure } = this.#o
      const { current } = this.context
      const { scanner, outlet, name } = this.#quick as Entrance
      let place = at
      let taken = 0
      for (; taken < most && place < limit && backpressure.isOpen(); taken++) {
        const end = (scanner as MessageScanner).find(buf, place)
        if (end < 0 || end - place > reader.maxLine) break
        current.begin(name, line + taken + 1, ++this.taken)
        outlet.send(buf, place, end)
        current.end()
        place = end + 1
      }
      this.#each.taken = taken
      return place
    },
  }

  #next(): number {
    const { reader, emitter, taken } = this.#o
    const { current, report } = this.context
    if (!reader.next()) {
      if (reader.hasEnded) this.end()
      return 0
    }
    current.begin(this.#names[0] ?? '', reader.line, ++this.taken)
    taken?.(current.seq)
    emitter?.emit({ kind: 'input', seq: current.seq, bytes: reader.end + 1 - reader.start })
    // The port of an unreadable envelope is unknown.
    const first = this.#o.envelopes === 'all' ? undefined : this.#o.entrances[0]
    if (reader.fault) (first?.report ?? report)(reader.fault)
    else this.#line(reader)
    current.end()
    return 1
  }

  /** Reads nothing more, and closes every port. */
  end(): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#o.reader.stop()
    for (const { outlet } of this.#open.values()) outlet.close()
  }

  /** Reads nothing more, and closes no port. */
  abandon(): void {
    this.#hasEnded = true
    this.#o.reader.stop()
  }

  #line({ buf, start, end, isLast }: LineReader): void {
    const { report, current } = this.context
    if (this.#isPlain(buf, start, end)) return this.#enter(this.#names[0] ?? '', buf, start, end)
    current.port = ''
    const split = splitEnvelope(buf, start, end, isLast)
    if (!split.ok) return report(split.error)
    const { isEof, start: from, end: to } = split.value
    const port = this.#portOf(split.value.port)
    // It is none of the inputs.
    if (isEof) {
      this.taken--
      current.seq = 0
    }
    if (!this.#names.includes(port)) return this.#refusePort(port)
    current.port = port
    if (isEof) this.#close(port)
    else this.#enter(port, buf, from, to)
  }

  // Runs for every line, so the commonest case is recognised by the first byte.
  #isPlain(buf: Buffer, start: number, end: number): boolean {
    const { envelopes } = this.#o
    if (envelopes !== 'some') return envelopes === 'none'
    const byte = buf[start] as number
    return (byte !== OPEN_BRACE && byte > SPACE) || !isEnvelope(buf, start, end)
  }

  // An envelope on `output` is data of another program, so that executables compose.
  #portOf(name: string): string {
    const isOthers = name === 'output' && !this.#names.includes(name) && this.#o.envelopes === 'some'
    return isOthers ? (this.#names[0] ?? '') : name
  }

  #enter(port: string, buf: Buffer, start: number, end: number): void {
    const { sink, report, current } = this.context
    const entrance = this.#open.get(port)
    if (!entrance) return report(fail('bad_envelope', `port '${port}' was closed before`).error)
    const { stage, outlet } = entrance
    const verdict = stage.run(buf, start, end, sink)
    if (verdict === Verdict.PASS) outlet.send(buf, start, end)
    else if (verdict === Verdict.WROTE) outlet.send(sink.buf, sink.start, sink.end)
    else if (stage.fault) {
      const refusal = this.#refusal(entrance, stage.fault, buf, start, end)
      if (entrance.keeps && refusal.error === 'input_type_mismatch')
        current.origin.message = { buf: Buffer.from(buf.subarray(start, end)), start: 0, end: end - start }
      entrance.report(refusal)
    }
  }

  #refusal(entrance: Entrance, error: Fault, buf: Buffer, start: number, end: number): Fault {
    const { reader } = this.#o
    // Not in an envelope.
    const mayBeText = entrance.mayBeText && start === reader.start
    if (error.error !== 'invalid_json') return suggestRaw(error, buf, start, mayBeText)
    return checkLine(buf, start, end, mayBeText, reader.isLast) ?? error
  }

  #close(port: string): void {
    this.#open.get(port)?.outlet.close()
    this.#open.delete(port)
    if (this.#quick?.name === port) this.#quick = undefined
    if (this.#open.size === 0) this.end()
  }

  #refusePort(port: string): void {
    const near = nearest(port, this.#names)
    const help = near ? `did you mean '${near}'?` : `there is ${this.#names.join(', ')}`
    this.context.report(fail('unknown_port', `no port is named '${preview(port)}'; ${help}`, { port: preview(port) }).error)
  }
}
