import { type Exit, type Fault, FDS, fault, LineReader, type LineSource, type Settled } from '@plumb/wire'
import { Backpressure, type Buffering } from '../graph/backpressure.js'
import type { Worker } from '../graph/cycle.js'
import type { Holding } from '../graph/holding.js'
import { Morphism } from '../graph/morphism/morphism.js'
import type { Origin } from '../graph/origin.js'
import type { RunContext } from '../graph/run-context.js'
import { ENVELOPE_BYTES } from './agent-start.js'
import { type ChildBatches, openChildBatches } from './batches.js'
import { type ChildEnding, Dropped, failureOf, spentEnd, unfinishedAt } from './end.js'
import { ChildErrors } from './errors.js'
import { ChildFailures } from './failures.js'
import { InFlightTracker } from './in-flight.js'
import { type ChildInput, openInputs } from './input.js'
import { type ChildOptions, fdOf } from './options.js'
import { ChildOutput, type ChildPort, type ChildStream } from './output.js'
import { Overrun } from './overrun.js'
import { ChildTelemetry } from './telemetry.js'

export class ChildProcess extends Morphism implements Worker {
  readonly #o: ChildOptions
  readonly #messages: InFlightTracker
  readonly #inputs: ChildInput[]
  readonly #streams: ChildStream[] = []
  readonly #errors: ChildErrors
  readonly #failures: ChildFailures
  /** By output: what needs space before the child is read. */
  readonly backpressures: readonly Backpressure[]
  readonly exited: Promise<void>
  hasEnded = false
  #isStopping = false
  #wasFed = false
  /** How it ended. */
  #exit: Exit | undefined
  #isHungUp = false
  /** Its termination, if it would exceed the budget. */
  readonly overrun: Overrun
  readonly #dropped = new Dropped()
  /** Its batches. Undefined: it has none, or is never asked to flush them. */
  readonly batches: ChildBatches | undefined

  constructor(
    feeds: readonly number[],
    private readonly context: RunContext,
    options: ChildOptions,
  ) {
    super(feeds, options.outputs.length)
    this.#o = options
    this.#messages = new InFlightTracker(options)
    for (let i = 0; i < options.controls; i++) this.#messages.sendControl()
    if (options.isHandled) this.#messages.expectErrors()
    const { child, allowance } = options
    this.#failures = new ChildFailures(context, options, this.#messages)
    const abandon = () => this.#streams.forEach((stream) => void stream.end())
    this.overrun = new Overrun({ child, allowance, inFlight: () => this.#messages.inFlight, cancel: () => this.#cancel(), abandon })
    this.backpressures = options.outputs.map(() => new Backpressure())
    this.#inputs = this.#openInputs()
    this.#errors = new ChildErrors(options.name, child.stderr, context.reporter, (fault) => this.#pass(fault), options.isHidden)
    this.#openOutputs()
    this.#openTools()
    this.batches = openChildBatches(options, this.#messages)
    this.exited = options.child.exited.then((exit) => this.#ended(exit))
  }

  get inFlight(): number {
    const calls = this.#o.tools?.inFlight ?? 0
    return calls + (this.hasEnded ? this.#streams.filter((stream) => !stream.hasEnded).length : this.#messages.inFlight)
  }

  override holding(name: string): Holding {
    const { pid } = this.#o.child
    const open = this.#streams.filter((stream) => !stream.hasEnded).length
    const isFull = this.#inputs.some((input) => input.isFull)
    return { of: 'process', name, pid, sent: this.#messages.sent, in_hand: this.inFlight, open, is_full: isFull, has_ended: this.hasEnded }
  }

  get held(): number {
    return this.hasEnded ? 0 : this.#messages.held
  }

  get gathered(): number {
    return this.hasEnded ? 0 : this.#messages.gathered
  }

  /** The first input that may still be reported as lost here; Infinity: none. */
  get oldestDropped(): number {
    return this.#dropped.oldest
  }

  bufferOf(input: number): Buffering | undefined {
    return this.#inputs[input]
  }

  receive(input: number, buf: Buffer, start: number, end: number): void {
    const { inputs, cycle, observer, lost } = this.#o
    const { current } = this.context
    if (this.hasEnded && !this.overrun.hasBegun) {
      if (!this.#failures.failLate()) this.#dropped.add(current.origin)
      return lost(current.origin)
    }
    const name = inputs[input]?.name ?? ''
    if (this.#isControl(name)) this.#messages.sendControl()
    else {
      const { origin } = current
      const stop = this.overrun.hasBegun ? BUDGET_SPENT : observer?.stops(origin, buf, start, end)
      if (stop === 'settled') return
      if (stop) {
        this.context.report({ ...stop, process: this.#o.name })
        return lost(origin)
      }
      this.#messages.send(origin)
      this.#o.deliver?.(origin)
      observer?.asked(this.#messages.sent, current.seq, buf, start, end)
    }
    this.#inputs[input]?.send(name, buf, start, end)
    cycle?.checkLimit()
  }

  /** Sends a message before its turn, when it comes and is not sent again; see `openChild` for which may be. */
  sendEarly(origin: Origin, buf: Buffer, start: number, end: number): void {
    this.#messages.send(origin)
    this.#o.observer?.asked(this.#messages.sent, origin.seq, buf, start, end, true)
    this.#inputs[0]?.send('', buf, start, end)
  }

  /** Nothing reads its output any more: if it continues to write, it gets an error. */
  hangUp(): void {
    if (!this.#streams.some((stream) => stream instanceof ChildOutput && !stream.hasEnded)) return
    // Many programs report an error when the reader is gone. Ours do not, and their later reports count.
    if (this.#o.kind === 'program') this.#errors.mute()
    this.#isHungUp = true
    this.#stopReading()
  }

  /** Asks it to end at once. */
  stop(graceMs: number): Promise<void> {
    this.#errors.mute()
    this.#stopReading()
    void this.#o.tools?.close()
    return this.#o.child.terminate(graceMs)
  }

  kill(): void {
    this.#errors.mute()
    this.#stopReading()
    void this.#o.tools?.close()
    this.#o.child.kill('SIGKILL')
  }

  /** Messages that it will not answer, since it is being ended. */
  reportUnfinished(): void {
    const { unanswered } = this.#messages
    if (!this.hasEnded && unanswered.count > 0) this.context.report(unfinishedAt(this.#o.name, unanswered))
  }

  get hasFailed(): boolean {
    return this.#dropped.end === 'badly'
  }

  /** At the end of a failed run: messages in flight, and outputs that no process would read. */
  reportCutOff(): void {
    const { unanswered, answersEach } = this.#messages
    if (this.#isHungUp && answersEach && unanswered.count > 0) this.context.report(unfinishedAt(this.#o.name, unanswered))
  }

  /** At the end of the run: what was lost because the child had failed, or the failure itself, if no message was there to fail on it. */
  reportDropped(): void {
    this.#failures.reportIdle()
    const lost = this.#dropped.faultOf(this.#o.name)
    if (lost) this.context.report(lost)
  }

  // In a loop control may come as long as the loop is not quiet, and a child that has seen the end of its data ignores it.
  protected override inputClosed(input: number): void {
    const { inputs, cycle, observer } = this.#o
    if (observer?.waitsToAsk(() => this.inputClosed(input))) return
    const isWaiting = (i: number) => cycle !== undefined && this.#isControl(inputs[i]?.name ?? '') && this.isOpen(i)
    if (inputs.some((_, i) => isWaiting(i))) return
    for (const [i, { name }] of inputs.entries()) if (!this.isOpen(i)) this.#inputs[i]?.close(name)
    if (inputs.some((_, i) => this.isOpen(i))) return
    this.batches?.end()
    this.#o.tools?.endWhenQuiet(() => this.#messages.inFlight === 0)
    this.overrun.closeWhenQuiet()
  }

  // Its outputs close when it has ended, or closed them.
  protected override finish(): void {
    if (this.#o.inputs.length === 0) void this.#o.child.stdin.end(() => {})
  }

  #cancel(): (() => void) | undefined {
    const input = this.#inputs[this.#o.inputs.findIndex(({ name }) => this.#isControl(name))]
    if (!input) return undefined
    return () => {
      this.#messages.sendControl()
      input.send('ctrl_in', CANCEL, 0, CANCEL.length)
    }
  }

  #stopReading(): void {
    this.#isStopping = true
    this.overrun.clear()
    for (const stream of this.#streams) stream.end()
  }

  #isControl(name: string): boolean {
    return name === 'ctrl_in' && fdOf(this.#o.kind, name) !== undefined
  }

  #openInputs(): ChildInput[] {
    const isHeldBack = () => {
      if (this.hasEnded) return this.#streams.some((s) => !s.hasEnded)
      const { observer, maxInHand = Number.POSITIVE_INFINITY } = this.#o
      return this.#messages.inFlight >= maxInHand || observer?.isFull(this.#messages.inFlight) === true
    }
    return openInputs(this.#o, isHeldBack, () => this.context.schedule.wake())
  }

  #openOutputs(): void {
    const { outputs, child } = this.#o
    const ports = outputs.map((port, i) => ({
      ...port,
      outlet: this.outlets[i] as ChildPort['outlet'],
      backpressure: this.backpressures[i] as Backpressure,
    }))
    this.#listen(
      child.stdout,
      ports.filter((p) => fdOf(this.#o.kind, p.name) === undefined),
      true,
    )
    for (const port of ports) {
      const fd = fdOf(this.#o.kind, port.name)
      const stream = fd === undefined || fd === FDS.telemetry ? undefined : child.fds.get(fd)
      if (!stream || !('resume' in stream)) continue
      this.#messages.expectReplies()
      this.#listen(stream, [port], false)
    }
    const telemetry = child.fds.get(FDS.telemetry)
    const port = ports.find((p) => fdOf(this.#o.kind, p.name) === FDS.telemetry)
    const announce = this.#o.isUnordered ? (n: number) => this.#messages.announce(n) : undefined
    if (telemetry && 'resume' in telemetry) {
      const { isHandled } = this.#o
      const isOpen = () => this.#errors.areRead
      this.#read(
        telemetry,
        (reader) => {
          const settle = (settled: Settled) => this.#messages.settle(settled)
          return new ChildTelemetry(reader, port?.outlet, settle, announce, this.#forward(), isHandled ? isOpen : undefined)
        },
        // A message is settled after the error that it failed with.
        isHandled,
      )
    }
  }

  #forward(): ((reader: LineReader) => boolean) | undefined {
    const { observer } = this.#o
    return observer && ((reader) => observer.takeTelemetry(reader, (n) => this.#messages.originOf(n).seq))
  }

  // Telemetry about an answer is written before the answer, so it is read before, if an observer needs both.
  #count(): Origin | undefined {
    if (this.#o.observer) for (const stream of this.#streams) if (stream instanceof ChildTelemetry) stream.readAll()
    const origin = this.#messages.receive()
    const { needsOrigins, answers } = this.#o
    return this.#messages.isSurplus && (needsOrigins || answers === 'each') ? this.#failures.refuseSurplus() : origin
  }

  #openTools(): void {
    const { child, tools } = this.#o
    const { schedule } = this.context
    const [requests, answers] = [child.fds.get(FDS.tool_req), child.fds.get(FDS.tool_resp)]
    if (requests && 'resume' in requests && answers && 'write' in answers) tools?.serve(requests, answers, () => schedule.wake())
  }

  #listen(stream: LineSource, ports: readonly (ChildPort & { backpressure: Backpressure })[], isData: boolean): void {
    const { name, isEnveloped, kind, observer, lost, isHandled } = this.#o
    const { current } = this.context
    const watched = isData ? observer : undefined
    const reportsOrigins = kind === 'plumb' || this.#o.needsOrigins
    const originOfAll = kind === 'plumb' ? (messages: readonly number[]) => this.#messages.originOfAll(messages) : undefined
    const counted = isData ? () => this.#count() : () => this.#messages.receiveReply()
    const passed = isData ? () => this.#messages.passed() : () => {}
    const backpressure = { isOpen: () => this.#errors.areRead && ports.every((p) => p.backpressure.isOpen()) }
    this.#read(
      stream,
      (reader) =>
        new ChildOutput(this.context, {
          process: name,
          reader,
          ports,
          isEnveloped: isEnveloped && isData,
          backpressure,
          counted,
          passed,
          lost: () => lost(current.origin),
          isWaiting: () => isData && this.#messages.isWaiting && this.#hasMoreTelemetry,
          originOfAll,
          answered: watched && ((n, buf, start, end) => watched.answered(n || this.#messages.answered, current.seq, buf, start, end)),
          onMismatch: watched && ((fault) => watched.refused(this.#messages.answered, current.seq, fault)),
          passedOn: watched && ((n) => watched.passedOn(n || this.#messages.answered)),
          isEarly: watched && (() => watched.isEarly(this.#messages.answered)),
          hold: (pass) => this.#failures.hold(this.#messages.answered, pass),
          mayEnd: () => !isData || ((!isHandled || this.hasEnded) && (!reportsOrigins || !this.#hasMoreTelemetry)),
          ending: () => {
            watched?.ending()
            if (!isData) return this.#messages.endReplies()
            if (this.#isMisconfigured) return
            this.#failInHand()
            // A barrier after it must know that nothing more comes of these; a parent, only with the error.
            this.#messages.lose()
          },
        }),
      isData && (kind !== 'plumb' || isHandled),
    )
  }

  /** More telemetry may come. */
  get #hasMoreTelemetry(): boolean {
    return this.#streams.some((s) => s instanceof ChildTelemetry && !s.hasEnded)
  }

  #read(stream: LineSource, open: (reader: LineReader) => ChildStream, isBehindErrors = false): void {
    const { schedule } = this.context
    const onReadable = (): void => {
      source.isDry = false
      if (isBehindErrors) this.#errors.afterErrors(() => schedule.wake())
      else schedule.wake()
    }
    const source = open(new LineReader(stream, { maxLine: this.#o.maxLine + ENVELOPE_BYTES, onReadable }))
    schedule.addSource(source)
    this.#streams.push(source)
    // Another stream may have waited for this one.
    void source.ended.then(() => schedule.wake())
  }

  /** If error handlers exist, the messages in flight fail one by one. */
  #failInHand(): void {
    const ending = this.#ending
    if (ending) this.#failures.end(this.#failureAtEnd(ending))
  }

  /** One of ours that never started: that ends the run, and nothing is known of its messages. */
  get #isMisconfigured(): boolean {
    return this.#exit?.status === 2 && this.#o.kind !== 'program'
  }

  get #ending(): ChildEnding | undefined {
    const { name, kind } = this.#o
    const { reported, last } = this.#errors
    const { unanswered, isExcused } = this.#messages
    const missing = kind === 'program' && !this.#isHungUp ? this.#messages.missing : 0
    const ending = { name, wasFed: this.#wasFed, reported, unanswered, missing, isExcused, lastWords: last }
    return this.#exit && { ...this.#exit, ...ending }
  }

  /** Undefined: it ended well, or was asked to. */
  #failureAtEnd(ending: ChildEnding): Fault | undefined {
    if (this.#isStopping) return undefined
    return this.overrun.hasBegun ? spentEnd(ending) : failureOf(ending)
  }

  #pass(said: Fault): void {
    const { kind, cycle } = this.#o
    const isBudget = this.overrun.hasBegun && said.error === 'cancelled'
    this.#failures.pass(isBudget ? { ...said, ...BUDGET_SPENT } : said)
    this.#messages.receiveError()
    if (kind === 'plumb' && said.error === 'child_failed') cycle?.closeControl()
    // A cycle may be quiet now.
    this.context.schedule.wake()
  }

  // What it wrote before it ended may still wait for space. A pipe that a grandchild holds open is closed by the spawning code in wire.
  async #ended(exit: Exit): Promise<void> {
    const { inputs, cycle } = this.#o
    const { fail, schedule } = this.context
    this.#wasFed = inputs.some((_, i) => this.isOpen(i))
    this.#exit = exit
    this.hasEnded = true
    this.#messages.endErrors()
    this.overrun.clear()
    this.#o.observer?.exited(exit)
    schedule.wake()
    await Promise.all([this.#o.tools?.close(), ...this.#streams.map((stream) => stream.ended)])
    const failure = this.#ending && this.#failureAtEnd(this.#ending)
    this.#dropped.end = failure && !this.overrun.hasBegun ? 'badly' : 'well'
    if (failure && !this.#failures.hasSaidAll) {
      if (this.#isMisconfigured) fail(failure)
      else this.#failures.endIdle(failure)
      // A loop that waits for it would wait for ever.
      cycle?.closeControl()
    }
    if (!this.#isMisconfigured) this.#messages.abandon()
    schedule.wake()
  }
}

const BUDGET_SPENT = fault('budget_spent', 'the budget of this run is spent')
const CANCEL = Buffer.from('{"cancel":true}\n')
