// A child of a run: a process of the system that takes messages and gives some.

import { type Exit, FDS, LineReader, type LineSource } from '@plumb/wire'
import { Backpressure, type Buffering } from '../graph/backpressure.js'
import type { Worker } from '../graph/cycle.js'
import type { Holding } from '../graph/holding.js'
import { Morphism } from '../graph/morphism/morphism.js'
import type { RunContext } from '../graph/run-context.js'
import { ENVELOPE_BYTES } from './agent-start.js'
import { BUDGET_SPENT, ChildAnswers } from './answers.js'
import { type ChildBatches, openChildBatches } from './batches.js'
import { unansweredOf, unfinishedAt } from './end.js'
import { ChildErrors } from './errors.js'
import { type ChildInput, openInputs } from './input.js'
import { type ChildOptions, fdOf } from './options.js'
import { ChildOutput, type ChildPort, type ChildStream } from './output.js'
import { Overrun } from './overrun.js'
import { SideStream, type SideStreamOptions } from './side-stream.js'

export class ChildProcess extends Morphism implements Worker {
  readonly #o: ChildOptions
  readonly #answers: ChildAnswers
  readonly #inputs: ChildInput[]
  readonly #streams: ChildStream[] = []
  readonly #wrongLines = new Map<number, (line: string) => void>()
  readonly #output: ChildOutput
  readonly #errors: ChildErrors
  /** By output: what needs space before the child is read. */
  readonly backpressures: readonly Backpressure[]
  readonly exited: Promise<void>
  hasEnded = false
  /** How it ended. */
  #exit: Exit | undefined
  #isHungUp = false
  /** Its termination, if it would exceed the budget. */
  readonly overrun: Overrun
  /** Its batches. Undefined: it has none, or is never asked to flush them. */
  readonly batches: ChildBatches | undefined

  constructor(
    feeds: readonly number[],
    private readonly context: RunContext,
    options: ChildOptions,
  ) {
    super(feeds, options.outputs.length)
    this.#o = options
    const { child, allowance, name, kind, inputs } = options
    const telemetry = options.outputs.findIndex((port) => fdOf(kind, port.name) === FDS.telemetry)
    this.#answers = new ChildAnswers(context, options, {
      overrun: () => this.overrun,
      errors: () => this.#errors,
      closeInputs: () => inputs.forEach((port, i) => void this.#inputs[i]?.close(port.name)),
      ignoreOutput: () => this.#output.ignore(),
      pass: (buf, start, end) => this.outlets[telemetry]?.send(buf, start, end),
      isFed: () => inputs.some((_, i) => this.isOpen(i)),
    })
    const abandon = () => this.#streams.forEach((stream) => void stream.end())
    const inFlight = () => this.#answers.messages.inHand
    this.overrun = new Overrun({ child, allowance, inFlight, cancel: () => this.#cancel(), abandon })
    this.backpressures = options.outputs.map(() => new Backpressure())
    this.#inputs = this.#openInputs()
    this.#errors = new ChildErrors(child.stderr, {
      process: name,
      reporter: context.reporter,
      report: kind === 'program' ? undefined : (said) => this.#said(this.#answers.translate(this.#answers.ofInputs(said))),
      isHidden: options.isHidden === true,
    })
    this.#output = this.#openAnswers()
    this.#openSideStreams()
    this.#openTools()
    this.batches = openChildBatches(options, this.#answers.messages)
    this.exited = child.exited.then((exit) => this.#ended(exit))
  }

  get inFlight(): number {
    const calls = this.#o.tools?.inFlight ?? 0
    if (this.hasEnded) return calls + this.#streams.filter((stream) => !stream.hasEnded).length
    const { inHand, controlsInHand } = this.#answers.messages
    return calls + inHand + controlsInHand
  }

  override holding(name: string): Holding {
    const { pid } = this.#o.child
    const open = this.#streams.filter((stream) => !stream.hasEnded).length
    const isFull = this.#inputs.some((input) => input.isFull)
    const sent = this.#answers.messages.count
    return { of: 'process', name, pid, sent, in_hand: this.inFlight, open, is_full: isFull, has_ended: this.hasEnded }
  }

  get held(): number {
    const { isPaused, inHand } = this.#answers.messages
    return !this.hasEnded && isPaused ? inHand : 0
  }

  get gathered(): number {
    return this.hasEnded ? 0 : this.#answers.messages.waiting
  }

  /** The first input that may still be reported as lost here; Infinity: none. */
  get oldestDropped(): number {
    return this.#answers.failures.oldestDropped
  }

  bufferOf(input: number): Buffering | undefined {
    return this.#inputs[input]
  }

  receive(input: number, buf: Buffer, start: number, end: number): void {
    const { inputs, cycle, observer, lost } = this.#o
    const { current } = this.context
    if ((this.hasEnded || this.#answers.isBreakingOff) && !this.overrun.hasBegun) {
      this.#answers.failures.late()
      return lost(current.origin)
    }
    const name = inputs[input]?.name ?? ''
    if (this.#isControl(name)) this.#answers.sendControl()
    else {
      const { origin } = current
      const stop = this.overrun.hasBegun ? BUDGET_SPENT : observer?.stops(origin, buf, start, end)
      if (stop === 'settled') return
      if (stop) {
        this.context.report({ ...stop, process: this.#o.name })
        return lost(origin)
      }
      this.#answers.send(origin, buf, start, end)
      this.#o.walk?.begin(buf, start, end)
      this.#o.deliver?.(origin)
    }
    this.#inputs[input]?.send(name, buf, start, end)
    cycle?.checkLimit()
  }

  /** A line of this output that is no JSON is told there, and not as an error of its own. */
  onWrongLine(output: number, told: (line: string) => void): void {
    this.#wrongLines.set(output, told)
  }

  /** Nothing reads its output any more: if it continues to write, it gets an error. */
  hangUp(): void {
    if (this.#output.hasEnded) return
    // Many programs report an error when the reader has closed. Ours do not, and their later reports count.
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
    const { messages } = this.#answers
    if (!this.hasEnded && messages.inHand > 0) this.context.report(unfinishedAt(this.#o.name, unansweredOf(messages)))
  }

  get hasFailed(): boolean {
    return this.#answers.failures.hasFailed
  }

  /** At the end of the run: nothing more comes of messages in flight. `hasFailed`: they are reported. */
  cutOff(hasFailed: boolean): void {
    const { messages } = this.#answers
    if (hasFailed && this.#isHungUp && messages.inHand > 0) this.context.report(unfinishedAt(this.#o.name, unansweredOf(messages)))
    if (!this.#answers.isMisconfigured) this.#answers.abandon()
  }

  /** At the end of the run: what was lost because the child had failed, or the failure itself, if no message was there to fail on it. */
  reportDropped(): void {
    this.#answers.failures.reportDropped()
  }

  // In a loop control may come as long as the loop is not quiet, and a child that has seen the end of its data ignores it.
  protected override inputClosed(_input: number): void {
    const { inputs, cycle } = this.#o
    const isWaiting = (i: number) => cycle !== undefined && this.#isControl(inputs[i]?.name ?? '') && this.isOpen(i)
    if (inputs.some((_, i) => isWaiting(i))) return
    for (const [i, { name }] of inputs.entries()) if (!this.isOpen(i)) this.#inputs[i]?.close(name)
    if (inputs.some((_, i) => this.isOpen(i))) return
    this.batches?.end()
    this.#o.tools?.endWhenQuiet(() => this.#answers.messages.inHand === 0)
    this.overrun.closeWhenQuiet()
  }

  // Its outputs close when it has ended.
  protected override finish(): void {
    if (this.#o.inputs.length === 0) void this.#o.child.stdin.end(() => {})
  }

  #cancel(): (() => void) | undefined {
    const input = this.#inputs[this.#o.inputs.findIndex(({ name }) => this.#isControl(name))]
    if (!input) return undefined
    return () => {
      this.#answers.sendControl()
      input.send('ctrl_in', CANCEL, 0, CANCEL.length)
    }
  }

  #stopReading(): void {
    this.#answers.isStopping = true
    this.overrun.clear()
    for (const stream of this.#streams) stream.end()
  }

  #isControl(name: string): boolean {
    return name === 'ctrl_in' && fdOf(this.#o.kind, name) !== undefined
  }

  #openInputs(): ChildInput[] {
    const isHeldBack = (isControl: boolean) => {
      if (this.hasEnded) return this.#streams.some((s) => !s.hasEnded)
      const { observer, walk, maxInHand = Number.POSITIVE_INFINITY } = this.#o
      const { inHand } = this.#answers.messages
      if (walk && !isControl && inHand > 0) return true
      return inHand >= maxInHand || observer?.isFull(inHand) === true
    }
    return openInputs(this.#o, isHeldBack, () => this.context.schedule.wake())
  }

  #openAnswers(): ChildOutput {
    const { outputs, child, kind, name, form, allowance, unreadable } = this.#o
    const answers = this.#answers
    const ports = outputs.map((port, i): ChildPort & { readonly backpressure: Backpressure } => ({
      ...port,
      outlet: this.outlets[i] as ChildPort['outlet'],
      isData: fdOf(kind, port.name) === undefined,
      backpressure: this.backpressures[i] as Backpressure,
    }))
    // What belongs on a descriptor that the child does not have comes here.
    const own = ports.filter((port) => port.isData || !this.#streamOf(port.name))
    const data = own.filter(({ isData }) => isData)
    return this.#read(
      child.stdout,
      (reader) =>
        new ChildOutput(this.context, {
          process: name,
          reader,
          ports: own,
          form,
          isOurs: kind !== 'program',
          messages: answers.messages,
          unreadable,
          backpressure: { isOpen: () => data.every((port) => port.backpressure.isOpen()) },
          readsAhead: own.length > data.length || allowance?.asks === true,
          unfinished: () => this.#o.walk?.unfinished,
          listener: answers,
          exit: () => this.#exit && (this.#exit.status === 0 ? 'well' : 'badly'),
        }),
    )
  }

  #openSideStreams(): void {
    const { kind, outputs, name: process } = this.#o
    for (const name of ['telemetry', 'ctrl_out'] as const) {
      const stream = this.#streamOf(name)
      if (!stream) continue
      const isTelemetry = name === 'telemetry'
      const output = outputs.findIndex((port) => fdOf(kind, port.name) === FDS[name])
      const take = (buf: Buffer, start: number, end: number) => this.#answers.takeTelemetry(buf, start, end)
      const options: Omit<SideStreamOptions, 'reader'> = {
        process,
        name,
        port: this.#portAt(output),
        // Telemetry is always read, whether there is space after it or not: its reports must not block the child.
        backpressure: isTelemetry ? undefined : this.backpressures[output],
        take: isTelemetry ? take : undefined,
        wrong: () => this.#wrongLines.get(output),
      }
      this.#read(stream, (reader) => new SideStream(this.context, { ...options, reader }))
    }
  }

  #portAt(output: number): SideStreamOptions['port'] {
    const [port, outlet] = [this.#o.outputs[output], this.outlets[output]]
    return port && outlet && { outlet, stage: port.stage }
  }

  /** Undefined: its parent did not open it. */
  #streamOf(port: string): LineSource | undefined {
    const fd = fdOf(this.#o.kind, port)
    const stream = fd === undefined ? undefined : this.#o.child.fds.get(fd)
    return stream && 'resume' in stream ? stream : undefined
  }

  #openTools(): void {
    const { child, tools } = this.#o
    const { schedule } = this.context
    const [requests, answers] = [child.fds.get(FDS.tool_req), child.fds.get(FDS.tool_resp)]
    if (requests && 'resume' in requests && answers && 'write' in answers) tools?.serve(requests, answers, () => schedule.wake())
  }

  #read<Stream extends ChildStream>(stream: LineSource, open: (reader: LineReader) => Stream): Stream {
    const { schedule } = this.context
    const onReadable = (): void => {
      source.isDry = false
      this.#answers.heard()
      schedule.wake()
    }
    const source = open(new LineReader(stream, { maxLine: this.#o.maxLine + ENVELOPE_BYTES, onReadable }))
    schedule.addSource(source)
    this.#streams.push(source)
    void source.ended.then(() => schedule.wake())
    return source
  }

  /** An error of its own, about no message. */
  #said(said: Parameters<RunContext['report']>[0]): void {
    const { kind, cycle } = this.#o
    this.context.report(said)
    if (kind === 'plumb' && said.error === 'child_failed') cycle?.closeControl()
    // A cycle may be quiet now.
    this.context.schedule.wake()
  }

  // What it wrote before it ended may still wait for space. A pipe that a grandchild holds open is closed by the spawning code in wire.
  async #ended(exit: Exit): Promise<void> {
    const { cycle, observer, tools } = this.#o
    const { fail, schedule } = this.context
    this.#answers.exited(exit)
    this.#exit = exit
    this.hasEnded = true
    this.overrun.clear()
    observer?.exited(exit)
    schedule.wake()
    await Promise.all([tools?.close(), ...this.#streams.map((stream) => stream.ended)])
    const failure = this.#answers.close()
    if (failure && this.#answers.isMisconfigured) fail(failure)
    // A loop that waits for it would wait for ever.
    if (failure) cycle?.closeControl()
    schedule.wake()
  }
}

const CANCEL = Buffer.from('{"cancel":true}\n')
