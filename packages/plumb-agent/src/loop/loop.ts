// The agent's loop: starts inputs one after the other, applies control messages between them,
// and delivers outcomes. All order is decided here.
//
// Three states. `stdin`, what may still come from it:
//
//           | last input (1) | end of stream
//   open    | closed         | ended          inputs are queued
//   closed  | closed         | ended          inputs are ignored; control, approvals and answers to tool calls are still read
//   ended   | ended          | ended
//
//   (1) max_messages, the end of port `input`, `stop`, or a failure that ends the input (--fail-fast)
//
// `mode`, whether queued inputs are started:
//
//              | pause  | resume, or no more control can come | the queue is full and only stdin brings control
//   running    | paused | running                             | running
//   paused     | paused | running                             | deadlocked, which is reported
//   deadlocked | -      | -                                   | deadlocked: the control that could resume is after the queue
//
// `phase`: idle -> advancing -> idle ... -> finished, once stdin is not open, nothing is queued or in flight, and no control is awaited.

import { type Fault, fault, isHeld } from '@plumb/wire'
import type { AgentConfig } from '../config/config.js'
import { ControlProcessor } from '../control/apply.js'
import type { QueuedControl } from '../control/message.js'
import { ControlSources } from '../control/sources.js'
import type { Conversation, InputOutcome } from '../conversation/conversation.js'
import { type InboundMessage, type Intake, readInput } from '../io/intake.js'
import type { Outlets, ReplyTo } from '../io/outlets.js'
import type { Emit } from '../io/telemetry.js'
import { Cancellation } from '../provider/cancellation.js'
import type { Approvals } from '../tool/approvals.js'
import type { EnvelopedAnswers } from '../tool/no-tools.js'
import { Delivery, SettledCounts } from './delivery.js'
import { InFlight } from './in-flight.js'
import { type Input, PendingQueue } from './pending-queue.js'
import { type ReadInput, type Refusal, Turns } from './turns.js'

export interface LoopParts {
  readonly config: AgentConfig
  readonly conversation: Conversation
  readonly approvals: Pick<Approvals, 'settle' | 'end' | 'questions' | 'refuseUnused'>
  /** Takes answers to tool calls that come in envelopes. */
  readonly toolAnswers: EnvelopedAnswers
  /** A message of the parent on port `spec`: authority, tools of MCP servers or budget. */
  readonly onAuthority: (message: unknown) => void
  readonly intake: Intake
  readonly outlets: Outlets
  readonly emit: Emit
  readonly report: (fault: Fault) => void
  /** Called with each error that was told to the parent. */
  readonly count: (fault: Fault) => void
  /** Nothing more can be read from stdin until an answer is made. */
  readonly onBacklog?: () => void
  readonly onStreamEnd?: () => void
  readonly onFinish: () => void
}

/** Inputs that are started in one turn of the event loop: what they send goes out, and connections are free again, before more are. */
const MAX_STARTS = 8
/** While it is busy, settled inputs are reported at most this often (ms). */
const BUSY_MS = 20

/**
 * `get_memory`, `set_memory` and `stop` wait for the inputs in flight. Those from stdin keep their place among the inputs;
 * while paused they overtake inputs that are queued; those from fd 6 come next. `stop` drops what is queued.
 */
export class Loop {
  readonly #parts: LoopParts
  readonly #control: ControlProcessor
  readonly #sources: ControlSources
  readonly #queue = new PendingQueue()
  /** From fd 6, before all that is queued. */
  #urgent: QueuedControl[] = []
  readonly #inFlight: InFlight
  readonly #turns = new Turns()
  readonly #delivery: Delivery
  readonly #counts = new SettledCounts()
  #accepted = 0
  /** Control messages so far. */
  #controls = 0
  /** In this turn of the event loop. */
  #started = 0
  #stdin: 'open' | 'closed' | 'ended' = 'open'
  #mode: 'running' | 'paused' | 'deadlocked' = 'running'
  #phase: 'idle' | 'advancing' | 'finished' = 'idle'
  /** The time of the next report of settled inputs, while more are in flight. */
  #busy: NodeJS.Timeout | undefined
  /** Why no further input is sent to the provider. */
  #refusal: Refusal | undefined

  constructor(parts: LoopParts) {
    this.#parts = parts
    const { isUnordered } = parts.config
    this.#inFlight = new InFlight(isUnordered)
    this.#delivery = new Delivery(parts)
    this.#sources = new ControlSources(parts.intake)
    const { conversation, approvals, outlets, report } = parts
    this.#control = new ControlProcessor({
      conversation,
      approvals,
      reply: (...of) => outlets.reply(...of),
      report,
      cancel: (inputs) => this.cancel(inputs),
      loop: this,
    })
  }

  /** No input is being started. */
  get isPaused(): boolean {
    return this.#mode !== 'running'
  }

  pause(): void {
    if (this.#mode === 'running') this.#mode = 'paused'
  }

  resume(): void {
    this.#mode = 'running'
  }

  /** `control`: fd 6 brings messages until `endControl`; `willEnd`: it is a file, whose end is near and certain. */
  start(control: 'none' | 'open' | 'willEnd'): void {
    this.#sources.openDescriptor(control)
    this.#emitSettled()
    this.advance()
  }

  control(message: unknown, text?: Buffer): void {
    this.#applyControl(message, text, 'fd')
    this.advance()
  }

  badControl(error: Fault): void {
    const k = ++this.#controls
    this.#control.refuse(error, 'fd')
    this.#endControl(k)
    this.advance()
  }

  endControl(): void {
    this.#sources.endDescriptor()
    this.#endApprovals()
    this.advance()
  }

  /** Accepts no more inputs and drops queued ones; those in flight are still delivered. */
  stop(): void {
    this.#closeInput()
    this.#queue.clear()
    this.#inFlight.drop(this.#turns.clear())
    this.#urgent = []
    this.advance()
  }

  /** Cancels the inputs in flight that have begun; with a number, those up to it, also those that have not. */
  cancel(inputs: 'begun' | number = 'begun'): void {
    this.#inFlight.cancel(inputs)
  }

  /** Does all that can be done now. Call it whenever there may be something to read, or space to write. */
  advance(): void {
    if (this.#phase !== 'idle') return
    this.#phase = 'advancing'
    let hasMoved = true
    while (hasMoved) hasMoved = this.#deliver() || this.#runControl() || this.#startNext() || this.#pull() || this.#resumeAtEnd()
    this.#phase = 'idle'
    this.#reportDeadlock()
    const willStartMore = this.#started >= MAX_STARTS && !this.#isDone()
    if (this.#inFlight.isEmpty && (this.#queue.isEmpty || this.isPaused) && !willStartMore) this.#emitSettled()
    else this.#busy ??= setTimeout(() => this.#emitSettled(true), BUSY_MS)
    if (!this.#isDone() || this.#sources.awaitsControl(() => this.advance())) return
    this.#phase = 'finished'
    this.#parts.approvals.refuseUnused()
    this.#delivery.end()
    this.#parts.onFinish()
  }

  #deliver(): boolean {
    const input = this.#inFlight.takeSettled()
    if (!input) return false
    this.#counts.deliver(input.seq)
    if (input.outcome.ok) this.#counts.outputs++
    this.#delivery.deliver(input, input.outcome)
    return true
  }

  #runControl(): boolean {
    if (this.#inFlight.isBusy) return false
    // Behind inputs that wait for others of their conversation, control that came with them keeps its place.
    const next = this.#urgent.shift() ?? (this.isPaused || this.#inFlight.isEmpty ? this.#queue.nextControl(this.isPaused) : undefined)
    if (!next) return false
    this.#control.applyQueued(next)
    this.#endControl(next.k)
    if (next.control.isStop) this.stop()
    return true
  }

  #startNext(): boolean {
    if (!this.#canBegin()) return false
    const waited = this.#turns.next()
    if (waited) {
      this.#begin(waited)
      return true
    }
    const input = this.#inFlight.hasRoom ? this.#queue.nextInput() : undefined
    if (!input) return false
    this.#inFlight.start(input)
    const read = this.#refusal ?? this.#inFlight.refusalOf(input) ?? input.read()
    if (!read.ok) this.#settle(input, read)
    else if (this.#turns.take({ input, said: read.value })) this.#begin({ input, said: read.value })
    return true
  }

  #begin(read: ReadInput): void {
    const refusal = this.#refusal ?? this.#inFlight.refusalOf(read.input) ?? this.#turns.refusalOf(read.said)
    if (refusal) return this.#end(read, refusal)
    this.#inFlight.begin(read.input)
    this.#countStart()
    void this.#answer(read)
  }

  #end({ input, said }: ReadInput, outcome: InputOutcome): void {
    this.#settle(input, outcome)
    this.#turns.leave(said, outcome, this.#parts.config.isAmnesiac)
  }

  // With no more than these at once none would be held back, but by answers that come in the same turn.
  #countStart(): void {
    if (this.#parts.config.concurrency <= MAX_STARTS || this.#started++ > 0) return
    setImmediate(() => {
      const wereMany = this.#started >= MAX_STARTS
      this.#started = 0
      if (wereMany) this.advance()
    })
  }

  async #answer(read: ReadInput): Promise<void> {
    const { input, said } = read
    let outcome: InputOutcome
    try {
      outcome = await this.#parts.conversation.answer(said, input.cancellation, input.seq)
    } catch (error) {
      outcome = { ok: false, error: fault('internal', `answering failed: ${String(error)}`) }
    }
    this.#end(read, outcome)
    this.advance()
  }

  #settle(input: Input, outcome: InputOutcome): void {
    this.#inFlight.settle(input, outcome)
    const { afterFailure } = this.#parts.config
    if (outcome.ok || isHeld(outcome.error) || afterFailure === 'go on') return
    this.#refusal = NOT_ASKED
    if (afterFailure === 'end') this.#closeInput()
  }

  #canBegin(): boolean {
    const { config, outlets } = this.#parts
    if (this.#started >= MAX_STARTS || this.isPaused) return false
    return this.#urgent.length === 0 && this.#inFlight.hasPlace(config.concurrency) && !outlets.isFull()
  }

  #pull(): boolean {
    const { intake } = this.#parts
    if (this.#isDone() || !this.#wantsMore()) return false
    const message = intake.next()
    if (message) this.#take(message)
    else if (intake.hasEnded) this.#endStream()
    return message !== undefined
  }

  // Inputs are read when they can be started; if control may be among them, until the queue is full.
  #wantsMore(): boolean {
    if (this.#parts.intake.mayCarryControl) return !this.#queue.isFull
    return this.#stdin === 'open' && this.#queue.isEmpty && this.#canBegin() && this.#inFlight.hasRoom
  }

  // When no more control can come, nothing else could resume it.
  #resumeAtEnd(): boolean {
    if (!this.isPaused || !this.#sources.isOver) return false
    this.resume()
    return true
  }

  #take(message: InboundMessage): void {
    switch (message.kind) {
      case 'input': {
        const { json, isLast, line } = message
        const { config, outlets } = this.#parts
        const options = { type: config.input, isOfCommandLine: !outlets.writeError, key: config.conversations?.key }
        return this.#accept(line, json.length, () => readInput(json, isLast, options))
      }
      case 'bad-input':
        return this.#accept(message.line, 0, () => ({ ok: false, error: message.fault }))
      case 'control':
        return this.#applyControl(message.message, message.text, 'envelope')
      case 'tool-answer':
        return this.#parts.toolAnswers.receive(message.message)
      case 'authority':
        return this.#parts.onAuthority(message.message)
      case 'invalid':
        this.#parts.report(message.fault)
        return this.#parts.emit({ kind: 'error', ...message.fault })
      case 'afresh':
        return this.#parts.conversation.beginAfresh()
      case 'end':
        return message.port === 'input' ? this.#closeInput() : this.#endEnvelopes(message.port)
      default:
        return message satisfies never
    }
  }

  #accept(line: number, bytes: number, read: Input['read']): void {
    if (this.#stdin !== 'open') return
    const seq = ++this.#accepted
    this.#queue.push({ kind: 'input', seq, line, bytes, read, cancellation: new Cancellation() })
    if (seq === this.#parts.config.maxMessages) this.#closeInput()
  }

  #applyControl(message: unknown, text: Buffer | undefined, replyTo: ReplyTo): void {
    const k = ++this.#controls
    const queued = this.#control.apply(message, text, k, replyTo)
    if (!queued) this.#endControl(k)
    else if (replyTo === 'envelope') this.#queue.push(queued)
    else this.#urgent.push(queued)
  }

  #endControl(k: number): void {
    this.#counts.controls++
    this.#parts.outlets.endControl(k, this.isPaused)
  }

  #closeInput(): void {
    if (this.#stdin === 'open') this.#stdin = 'closed'
  }

  #endStream(): void {
    if (this.#stdin === 'ended') return
    this.#stdin = 'ended'
    this.#endEnvelopes('ctrl_in')
    this.#endEnvelopes('tool_resp')
    this.#parts.onStreamEnd?.()
  }

  #endEnvelopes(port: 'ctrl_in' | 'tool_resp' | 'spec'): void {
    if (port === 'tool_resp') this.#parts.toolAnswers.end()
    if (port !== 'ctrl_in') return
    this.#sources.endStream()
    this.#endApprovals()
  }

  #endApprovals(): void {
    if (!this.canBeApproved) this.#parts.approvals.end()
  }

  /** An approval or denial may still come. */
  get canBeApproved(): boolean {
    return this.#sources.mayApprove && (this.#sources.hasDescriptor || !this.isBacklogged)
  }

  /** Control and answers to calls on stdin are after more input than may be queued. */
  get isBacklogged(): boolean {
    return this.#queue.isFull && !this.#inFlight.isEmpty
  }

  #reportDeadlock(): void {
    if (!this.#queue.isFull) return
    if (this.isBacklogged) {
      this.#parts.toolAnswers.onBacklog()
      this.#parts.onBacklog?.()
      this.#endApprovals()
    }
    if (this.#mode !== 'paused' || this.#sources.hasDescriptor) return
    this.#mode = 'deadlocked'
    this.#parts.report(
      fault('overflow', 'paused with 16 MiB of input waiting, so that no control behind it can be read; send control on fd 6'),
    )
  }

  // Outputs and replies are written before the telemetry that counts them, so that its reader can read them.
  #emitSettled(isBusy = false): void {
    clearTimeout(this.#busy)
    this.#busy = undefined
    const news = this.#counts.news(this.isPaused, isBusy, this.#parts.outlets.replyCount())
    if (!news) return
    this.#parts.outlets.flush()
    this.#parts.emit(news)
  }

  #isDone(): boolean {
    return this.#stdin !== 'open' && this.#queue.isEmpty && this.#urgent.length === 0 && this.#inFlight.isEmpty
  }
}

const NOT_ASKED: Refusal = {
  ok: false,
  error: fault('cancelled', 'not sent to the provider, after an input that failed (--fail-fast)'),
  isShared: true,
}
