// What comes of the messages that a child was sent: answers, failures, and at its end nothing more.
//
//   state          begins when                                     what comes to the child   what it has in hand
//   answering      it was started                                  is sent                   waits for its answers
//   breaking off   it wrote what answers nothing                   fails                     has failed
//   closed         its output has closed, and it goes on           fails when it has ended   fails when it has ended
//   ended          it has exited, and its output was read          fails, or is dropped      has failed, or is dropped
//
// Where it breaks off or has closed its output, it gets nothing more; where it breaks off it is ended after BREAK_OFF_MS.

import { type Exit, type Fault, fault, type NumberedLine, numbersIn, type Sent, SentMessages } from '@plumb/wire'
import { rangesOf } from '../graph/input-context.js'
import { Origin } from '../graph/origin.js'
import type { RunContext } from '../graph/run-context.js'
import { type ChildEnding, endedBefore, failureOf, spentEnd, unansweredOf } from './end.js'
import type { ChildErrors } from './errors.js'
import { ChildFailures } from './failures.js'
import type { ChildOptions } from './options.js'
import type { AnswerListener } from './output.js'
import type { Overrun } from './overrun.js'
import { SILENCE_MS, Silence, silentIn } from './silence.js'

/** A program that is done with, and does not end by itself, is ended after this time. */
const BREAK_OFF_MS = 5000
/** Then it has so long before it is killed. */
const KILL_AFTER_MS = 2000
/** Messages of a plumb whose inputs are known after their end. */
const RECENT = 4096

export interface AnswersOptions {
  readonly overrun: () => Overrun
  readonly errors: () => Pick<ChildErrors, 'reported' | 'last'>
  /** It gets nothing more. */
  readonly closeInputs: () => void
  /** From here on what it writes does not count. */
  readonly ignoreOutput: () => void
  /** Passes telemetry of it on to a process. */
  readonly pass: (buf: Buffer, start: number, end: number) => void
  /** More could come in. */
  readonly isFed: () => boolean
}

export class ChildAnswers implements AnswerListener {
  readonly messages: SentMessages<Origin>
  readonly failures: ChildFailures
  readonly #child: ChildOptions
  readonly #o: AnswersOptions
  readonly #silence: Silence | undefined
  /** It gets no more messages: they fail. */
  isBreakingOff = false
  /** It is being ended, and what it leaves is reported in another way. */
  isStopping = false
  #hasToldSurplus = false
  /** Messages that a program which answers some has taken. */
  #taken = 0
  /** Of a plumb: the inputs from which the latest messages come, for errors about what is left at its end. */
  readonly #seqs: (number | readonly number[])[] = []
  #exit: Exit | undefined
  #wasFed = false

  constructor(
    private readonly context: RunContext,
    child: ChildOptions,
    options: AnswersOptions,
  ) {
    this.#child = child
    this.#o = options
    this.messages = new SentMessages(child.before)
    for (let i = 0; i < child.controls; i++) this.messages.sendControl()
    const { name, kind, isOneByOne, isForParent, silent, quietMs = SILENCE_MS } = child
    const translate = (said: Fault) => this.translate(said)
    const { findMissingAccess } = child.child
    this.failures = new ChildFailures(context, { name, isOurs: kind !== 'program', isOneByOne, isForParent, translate, findMissingAccess })
    if (kind !== 'program') return
    const tell = (inputs: number) => silent?.(name, inputs)
    this.#silence = new Silence({ ms: quietMs, inHand: () => this.messages.inHand, tell })
  }

  /** A message that is cancelled since the budget is spent fails with that. */
  translate(said: Fault): Fault {
    return this.#o.overrun().hasBegun && said.error === 'cancelled' ? { ...said, ...BUDGET_SPENT } : said
  }

  /** It is sent a message. */
  send(origin: Origin, buf: Buffer, start: number, end: number): void {
    const { observer, form } = this.#child
    // What it has taken counts as answered.
    if (form === 'some') return observer?.asked(++this.#taken, origin.seq, buf, start, end)
    origin.retain()
    const { n } = this.messages.send(origin)
    if (this.#child.kind === 'plumb') this.#seqs[n % RECENT] = origin.seqs.length > 0 ? origin.seqs : origin.seq
    this.#silence?.sent()
    observer?.asked(n, origin.seq, buf, start, end)
  }

  /** An error of its own, about no message in hand, with the numbers of our inputs instead of those of its own. */
  ofInputs({ line: _, seq, seqs, ...said }: Fault): Fault {
    const inputs = rangesOf(
      numbersIn(seqs ?? seq)
        .flatMap((n) => (n > this.messages.count - RECENT ? (this.#seqs[n % RECENT] ?? []) : []))
        .sort((a, b) => a - b),
    )
    const [first] = inputs
    if (!first) return said as Fault
    return { ...(said as Fault), ...(seq === undefined ? {} : { seq: first[0] }), ...(seqs === undefined ? {} : { seqs: inputs }) }
  }

  /** It is sent a control message: only numbered lines tell that one was dealt with. */
  sendControl(): void {
    if (this.#child.form === 'numbered') this.messages.sendControl()
  }

  /** Something has come of it. */
  heard(): void {
    this.#silence?.heard()
  }

  answered(n: number, buf: Buffer, start: number, end: number): void {
    this.#child.observer?.answered(n, this.context.current.seq, buf, start, end)
  }

  passedOn(n: number): void {
    this.#child.observer?.passedOn(n)
  }

  refused(n: number, error: Fault): void {
    const { observer, walk, lost } = this.#child
    walk?.fail()
    const { current } = this.context
    observer?.refused(n, current.seq, error)
    lost(current.origin)
  }

  failed(messages: readonly Sent<Origin>[], { error, isShared }: NumberedLine): void {
    const { observer, kind, walk, cycle, lost } = this.#child
    walk?.fail()
    const said = this.failures.report(messages, error, isShared)
    for (const { n, of } of messages) observer?.refused(n, of.seq, said)
    if (kind === 'plumb' && said.error === 'child_failed') cycle?.closeControl()
    for (const { of } of messages) lost(of)
  }

  whole(n: number): void {
    this.#child.walk?.end()
    this.#child.observer?.whole(n)
  }

  dropped({ of }: Sent<Origin>): void {
    this.#child.lost(of)
  }

  telemetry(buf: Buffer, start: number, end: number): void {
    const { kind, silent } = this.#child
    // A nested plumb tells of its own programs.
    const program = kind === 'plumb' && silent ? silentIn(buf, start, end) : undefined
    if (program) silent?.(program.agent, program.inputs)
    else if (this.takeTelemetry(buf, start, end)) this.#o.pass(buf, start, end)
  }

  /** False: it is for none of the processes. */
  takeTelemetry(buf: Buffer, start: number, end: number): boolean {
    return this.#child.observer?.takeTelemetry(buf, start, end, (n) => this.messages.at(n)?.of.seq ?? 0) !== false
  }

  takesReply(buf: Buffer, start: number, end: number): boolean {
    return this.#child.takeReply?.(buf, start, end) === true
  }

  changed(): void {
    this.context.schedule.wake()
  }

  surplus(line: string, why: string): void {
    const { name } = this.#child
    if (this.#hasToldSurplus) return
    this.#hasToldSurplus = true
    const detail = `'${name}' wrote a line that answers nothing, so that its answers count no more: ${why}`
    this.failures.reportFor(Origin.unknown(), fault('child_failed', detail, { process: name, text: line }))
    this.#o.ignoreOutput()
    this.#breakOff()
    const reason = fault('child_failed', `'${name}' does not answer as it says, so that this message has no answer`, { process: name })
    this.failures.breakOff(
      reason,
      [...this.messages].map(({ of }) => of),
    )
    this.abandon()
    this.#child.cycle?.closeControl()
    this.context.schedule.wake()
  }

  // It may still have to do something else, so it is not ended.
  closed(): void {
    if (this.#failsLate && !this.#exit) this.#closeInputs()
  }

  /** It has exited; its output may still be on its way. */
  exited(exit: Exit): void {
    this.#wasFed = this.#o.isFed()
    this.#exit = exit
    this.#silence?.end()
  }

  ending(): void {
    this.#child.observer?.ending()
    const ending = this.#ending
    if (this.isStopping || this.isMisconfigured || this.#hasToldSurplus || !ending) return
    // Who waits for these must know that nothing more comes of them, and why.
    const reason = this.#failureOf(ending)
    const inHand = [...this.messages].map(({ of }) => of)
    this.failures.end(reason ?? (this.#failsLate ? endedBefore(ending) : undefined), inHand)
    if (reason && inHand.length > 0) this.failures.tell(reason)
    this.abandon()
  }

  /** Everything of it was read. The fault: why that was not a good end. */
  close(): Fault | undefined {
    const ending = this.#ending
    const failure = ending && this.#failureOf(ending)
    const hasTold = this.failures.hasTold || this.#hasToldSurplus
    const hasFailed = (failure !== undefined || hasTold || this.#isEarly) && !this.#o.overrun().hasBegun
    this.failures.close(hasFailed, hasFailed || this.#failsLate)
    if (failure && !this.isMisconfigured && !this.failures.hasTold) this.failures.tellIfIdle(failure)
    // What one leaves that is being ended is known when the run has ended.
    if (!this.isMisconfigured && !this.isStopping) this.abandon()
    return failure
  }

  /** One of plumb that never started: that ends the run, and nothing is known of its messages. */
  get isMisconfigured(): boolean {
    return this.#exit?.status === 2 && this.#child.kind !== 'program'
  }

  /** Nothing more comes of what it has in hand. */
  abandon(): void {
    for (const sent of this.messages) {
      this.#child.lost(sent.of)
      this.messages.end(sent)
      sent.of.release()
    }
  }

  /** What reaches it after its end has failed, whatever its status. */
  get #failsLate(): boolean {
    return this.#child.kind === 'program' && this.#child.form !== 'some' && !this.#o.overrun().hasBegun
  }

  /** It has ended, well or not, while more could come in, which fails then. */
  get #isEarly(): boolean {
    return this.#failsLate && this.#wasFed && !this.isStopping
  }

  #closeInputs(): void {
    this.isBreakingOff = true
    this.#o.closeInputs()
  }

  #breakOff(): void {
    this.#closeInputs()
    const { child } = this.#child
    const timer = setTimeout(() => void child.terminate(KILL_AFTER_MS), BREAK_OFF_MS).unref()
    void child.exited.then(() => clearTimeout(timer))
  }

  get #ending(): ChildEnding | undefined {
    const { name, kind, form, child } = this.#child
    const { reported, last } = this.#o.errors()
    const ending = {
      name,
      wasFed: this.#wasFed,
      reported: reported + this.failures.reported,
      unanswered: unansweredOf(this.messages),
      isExcused: kind === 'program' ? form === 'some' : !this.isMisconfigured,
      lastWords: last,
      lacked: () => child.findMissingAccess?.(last),
    }
    return this.#exit && { ...this.#exit, ...ending }
  }

  /** Undefined: it ended well, or was asked to. */
  #failureOf(ending: ChildEnding): Fault | undefined {
    if (this.isStopping || this.#hasToldSurplus) return undefined
    return this.#o.overrun().hasBegun ? spentEnd(ending) : failureOf(ending)
  }
}

export const BUDGET_SPENT = fault('budget_spent', 'the budget of this run is spent')
