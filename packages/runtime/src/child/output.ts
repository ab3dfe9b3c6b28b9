// What a child writes on its standard output: its answers, or numbered lines about its inputs and all else that its parent has to read
// (plumb-wire(5)). Each message is checked against the type of its port before it is passed on.
//
//   `each`        the k-th line answers the k-th input
//   `numbered`    each line names its input
//   `some`        no line belongs to a known input
//
// A line that fits none of that is surplus: who reads it decides what follows.

import { type Stage, Verdict } from '@plumb/lang'
import { type Fault, fail, type LineReader, NumberedLine, preview, type Sent, type SentMessages } from '@plumb/wire'
import type { Backpressure } from '../graph/backpressure.js'
import type { Outlet } from '../graph/channel.js'
import { deferred } from '../graph/deferred.js'
import { Origin } from '../graph/origin.js'
import type { RunContext } from '../graph/run-context.js'
import type { ScheduledSource } from '../graph/schedule.js'
import { HeldLines } from './held-lines.js'

export type AnswerForm = 'each' | 'numbered' | 'some'

/** Lines that another process could not read: something else is in their place. */
export interface UnreadableLines {
  /** What is wrong with the line of this number, from 1; undefined: nothing is. */
  take(line: number): Fault | undefined
}

export interface ChildPort {
  readonly name: string
  readonly outlet: Outlet
  readonly stage: Stage
  /** It carries answers: replies to control and telemetry are about no input. */
  readonly isData: boolean
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

/** What becomes of its messages. The current origin is that of the message. */
export interface AnswerListener {
  /** A valid answer, before it is passed on, and after it was. */
  answered(n: number, buf: Buffer, start: number, end: number): void
  passedOn(n: number): void
  /** An answer that does not fit, after it was reported. Its message has failed. */
  refused(n: number, fault: Fault): void
  /** The child reports that these messages failed. */
  failed(messages: readonly Sent<Origin>[], line: NumberedLine): void
  /** Nothing more comes of it. */
  whole(n: number): void
  /** Something of it was dropped. */
  dropped(sent: Sent<Origin>): void
  telemetry(buf: Buffer, start: number, end: number): void
  /** A reply to control is for none of the processes. */
  takesReply(buf: Buffer, start: number, end: number): boolean
  /** A line about control or about what waits in it was read. */
  changed(): void
  /** A line that answers no message in hand, or says nothing of one. */
  surplus(line: string, why: string): void
  /** Nothing more can come of the stream; the child may go on. */
  closed(): void
  /** Everything was read, and its outputs are about to close. */
  ending(): void
}

export interface ChildOutputOptions {
  readonly process: string
  readonly reader: LineReader
  /** Those on this stream. */
  readonly ports: readonly ChildPort[]
  readonly form: AnswerForm
  readonly isOurs: boolean
  readonly messages: SentMessages<Origin>
  readonly unreadable?: UnreadableLines | undefined
  readonly backpressure: Pick<Backpressure, 'isOpen'>
  /** Control and telemetry are read while answers wait for their receivers, who may wait for those. */
  readonly readsAhead: boolean
  /** Why no answer counts now. Undefined: it does. */
  readonly unfinished: () => Fault | undefined
  readonly listener: AnswerListener
  /** How the child ended. Undefined: it has not. */
  readonly exit: () => 'well' | 'badly' | undefined
}

export class ChildOutput implements ChildStream {
  hasEnded = false
  isDry = false
  readonly #o: ChildOutputOptions
  readonly #line: NumberedLine
  readonly #held = new HeldLines()
  /** Lines so far, of a child that answers each. */
  #answers: number
  #isOver = false
  /** The last line has no end: it counts if the child ends well. */
  #cut: { readonly bytes: Buffer; readonly fault: Fault | null } | undefined
  /** That line is being taken. */
  #isCut = false
  /** Nothing of it counts any more. */
  #isIgnored = false
  readonly #ended = deferred()
  readonly ended = this.#ended.promise

  constructor(
    private readonly context: RunContext,
    options: ChildOutputOptions,
  ) {
    this.#o = options
    this.#line = new NumberedLine(options.isOurs)
    this.#answers = options.messages.count
  }

  canRun(): boolean {
    if (this.hasEnded) return false
    if (this.#isIgnored) return !this.isDry || (this.#isOver && this.#o.exit() !== undefined)
    const isOpen = this.#o.backpressure.isOpen()
    if (!this.#held.isEmpty) return isOpen || (this.#mayReadAhead && !this.isDry)
    if (this.#isOver) return this.#mayEnd && (isOpen || this.#cut === undefined)
    return !this.isDry && (isOpen || this.#mayReadAhead)
  }

  step(): number {
    const { reader, backpressure } = this.#o
    const isOpen = backpressure.isOpen()
    const held = isOpen ? this.#held.take() : undefined
    if (held) {
      this.#line.read(held, 0, held.length)
      this.#numbered(held, 0, held.length)
      return 1
    }
    if (this.#isOver || !reader.next()) {
      this.isDry = true
      if (reader.hasEnded && !this.#isOver) {
        this.#isOver = true
        this.#o.listener.closed()
      }
      if (this.#isOver && this.#mayEnd) this.#finish()
      return 0
    }
    if (this.#isIgnored) return 1
    if (reader.isLast) this.#cut = { bytes: Buffer.from(reader.buf.subarray(reader.start, reader.end)), fault: reader.fault }
    else this.#take(reader.fault ?? this.#o.unreadable?.take(reader.line) ?? null, reader.buf, reader.start, reader.end, isOpen)
    return 1
  }

  /** From here on its lines are read and do not count. */
  ignore(): void {
    this.#isIgnored = true
    this.#held.clear()
    this.#cut = undefined
  }

  end(): void {
    if (this.hasEnded) return
    this.hasEnded = true
    this.#o.listener.ending()
    this.#o.reader.stop()
    for (const { outlet } of this.#o.ports) outlet.close()
    this.#ended.resolve()
  }

  // Of one that answers some nothing is left to be told when its output has ended, and it may go on to read.
  get #mayEnd(): boolean {
    const { form, exit } = this.#o
    return (form === 'some' && this.#cut === undefined) || exit() !== undefined
  }

  get #mayReadAhead(): boolean {
    return this.#o.readsAhead && !this.#held.isFull
  }

  // A line of a plumb executable always has an end.
  #finish(): void {
    const { isOurs, exit } = this.#o
    const cut = this.#cut
    this.#cut = undefined
    this.#isCut = cut !== undefined
    if (cut && !isOurs && exit() === 'well') this.#take(cut.fault, cut.bytes, 0, cut.bytes.length, true)
    this.end()
  }

  #take(fault: Fault | null, buf: Buffer, start: number, end: number, isOpen: boolean): void {
    const { form } = this.#o
    if (form === 'numbered') this.#takeNumbered(fault, buf, start, end, isOpen)
    else if (form === 'each') this.#answer(fault, buf, start, end)
    else this.#pass(Origin.unknown(), undefined, this.#data, fault, buf, start, end)
  }

  #answer(fault: Fault | null, buf: Buffer, start: number, end: number): void {
    const { messages } = this.#o
    const sent = messages.at(this.#answers + 1)
    if (!sent) return this.#surplus(buf, start, end, 'it has answered all that it was sent')
    this.#answers++
    this.#pass(sent.of, sent, this.#data, fault, buf, start, end)
    this.#over(sent)
  }

  #takeNumbered(fault: Fault | null, buf: Buffer, start: number, end: number, isOpen: boolean): void {
    const line = this.#line
    if (fault) return this.#surplus(buf, start, end, fault.detail)
    if (!line.read(buf, start, end)) return this.#surplus(buf, start, end, 'it is not a numbered line')
    if (isOpen || this.#isAhead(line)) this.#numbered(buf, start, end)
    else this.#held.add(buf.subarray(start, end))
  }

  /** It does not wait behind answers. */
  #isAhead({ kind, seq, port }: NumberedLine): boolean {
    return kind === 'control' || kind === 'telemetry' || (kind === 'value' && seq === 0 && this.#portOf(port)?.isData === false)
  }

  #numbered(buf: Buffer, start: number, end: number): void {
    const line = this.#line
    const { messages, listener } = this.#o
    switch (line.kind) {
      case 'telemetry':
        return listener.telemetry(buf, line.start, line.end)
      case 'waiting':
        messages.wait(line.waiting, line.isBatched)
        return listener.changed()
      case 'control':
        if (!messages.endControl(line.seq, line.isPaused)) this.#surplus(buf, start, end, 'no such control message is in hand')
        return listener.changed()
      default:
        return this.#ofInput(buf, start, end)
    }
  }

  #ofInput(buf: Buffer, start: number, end: number): void {
    const { kind, seq, seqs, port: name, isEnd } = this.#line
    const { messages, isOurs, listener } = this.#o
    const isReply = kind === 'value' && seq === 0 && name === REPLIES
    if (isReply && listener.takesReply(buf, this.#line.start, this.#line.end)) return
    const port = kind === 'value' ? this.#portOf(name) : undefined
    if (kind === 'value' && !port) return this.#surplus(buf, start, end, `it has no port '${preview(name)}'`)
    if (port && seq === 0) {
      if (!isOurs && port.isData) return this.#surplus(buf, start, end, 'it names no input')
      return this.#pass(Origin.unknown(), undefined, port, null, buf, this.#line.start, this.#line.end)
    }
    const sent = messages.at(seq)
    if (!sent) {
      if (messages.wasRefused(seq, isEnd)) return
      return this.#surplus(buf, start, end, seq > messages.count ? `it was not sent so many inputs` : `input ${seq} is whole already`)
    }
    const all = seqs.length > 1 ? seqs.flatMap((n) => messages.at(n) ?? []) : [sent]
    if (port) this.#value(sent, all, port, buf)
    else if (kind === 'error') listener.failed(all, this.#line)
    if (isEnd && messages.at(seq)) this.#whole(sent)
    else if (isEnd) messages.wasRefused(seq, true)
  }

  #value(sent: Sent<Origin>, all: readonly Sent<Origin>[], port: ChildPort, buf: Buffer): void {
    const { start, end } = this.#line
    for (const one of all) one.hasValue = true
    const origin = all.length > 1 ? Origin.ofAll(all.map(({ of }) => of)) : undefined
    this.#pass(origin ?? sent.of, sent, port, null, buf, start, end)
    origin?.release()
  }

  #whole(sent: Sent<Origin>): void {
    const { kind, isLost } = this.#line
    if (isLost || (kind === 'done' && !sent.hasValue)) this.#o.listener.dropped(sent)
    this.#over(sent)
  }

  #over(sent: Sent<Origin>): void {
    const { messages } = this.#o
    if (messages.at(sent.n) !== sent) return
    this.#o.listener.whole(sent.n)
    messages.end(sent)
    sent.of.release()
  }

  get #data(): ChildPort {
    return this.#o.ports.find(({ isData }) => isData) as ChildPort
  }

  #portOf(name: string): ChildPort | undefined {
    const { ports, isOurs } = this.#o
    return ports.find((port) => port.name === name) ?? (isOurs ? undefined : this.#data)
  }

  /** `sent`: the message that it answers. */
  #pass(
    origin: Origin,
    sent: Sent<Origin> | undefined,
    port: ChildPort,
    fault: Fault | null,
    buf: Buffer,
    start: number,
    end: number,
  ): void {
    const { current, sink } = this.context
    const { stage } = port
    const before = current.enter(origin)
    const flaw = fault ?? (port.isData ? this.#o.unfinished() : undefined)
    const verdict = flaw ? Verdict.DROP : stage.run(buf, start, end, sink)
    if (verdict === Verdict.PASS) this.#give(port, sent, buf, start, end)
    else if (verdict === Verdict.WROTE) this.#give(port, sent, sink.buf, sink.start, sink.end)
    else {
      const said = buf.toString('utf8', start, Math.min(end, start + MAX_LOOKED_AT))
      this.#refuse(withWayOut(flaw ?? stage.fault ?? UNREADABLE, said, this.#o.form), sent, port)
    }
    current.leave(before)
  }

  #give({ outlet, isData }: ChildPort, sent: Sent<Origin> | undefined, buf: Buffer, start: number, end: number): void {
    const { listener } = this.#o
    if (isData) listener.answered(sent?.n ?? 0, buf, start, end)
    outlet.send(buf, start, end)
    if (isData) listener.passedOn(sent?.n ?? 0)
  }

  // The result of a child is its output: a mismatch is not the fault of its source.
  #refuse(fault: Fault, sent: Sent<Origin> | undefined, port: ChildPort): void {
    const { process, reader, form, listener, messages } = this.#o
    const { error, category: _, detail, ...extras } = fault
    const isTruncated = this.#isCut && error === 'invalid_json'
    const code = isTruncated ? 'truncated_line' : error === 'input_type_mismatch' ? 'output_type_mismatch' : error
    const refusal = fail(code, `'${process}' gave what it should not: ${detail}`, {
      ...extras,
      process,
      port: port.name,
      line: reader.line,
    }).error
    this.context.report(refusal)
    if (!sent || messages.at(sent.n) !== sent) return
    listener.refused(sent.n, refusal)
    listener.whole(sent.n)
    // Of a program that answers each, the line was all that it tells of it.
    if (form === 'each') messages.end(sent)
    else messages.refuse(sent)
    sent.of.release()
  }

  #surplus(buf: Buffer, start: number, end: number, why: string): void {
    this.#o.listener.surplus(preview(buf.toString('utf8', start, end), MAX_SHOWN), why)
  }
}

/** What helps: to see the text, or to say that its lines are numbered. */
const withWayOut = (fault: Fault, said: string, form: string | undefined): Fault => {
  const shown = fault.error === 'invalid_json' && !/^\s*$/.test(said) ? `, in: ${preview(said, MAX_SHOWN)}` : ''
  const isNumbered = form === 'each' && fault.error === 'input_type_mismatch' && /^\{"seq":\d+,"(value|error|done)":/.test(said)
  return { ...fault, detail: isNumbered ? 'its lines are numbered: say answers: "numbered" beside its command' : `${fault.detail}${shown}` }
}

const MAX_SHOWN = 80
const MAX_LOOKED_AT = 400
/** The port of replies to control. */
const REPLIES = 'ctrl_out'
const UNREADABLE: Fault = fail('invalid_json', 'it is not JSON').error
