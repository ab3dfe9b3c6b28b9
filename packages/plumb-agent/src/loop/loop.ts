// Lets inputs through to the conversation one after the other, and lets control messages in between them. All order is decided here.

import { type Fault, fault } from '@plumb/wire'
import type { Config } from '../config/config.js'
import { ControlDesk } from '../control/apply.js'
import type { Approvals } from '../control/approvals.js'
import { ControlSources } from '../control/sources.js'
import { Cancellation } from '../conversation/cancellation.js'
import type { Conversation } from '../conversation/conversation.js'
import { readInput } from '../io/input.js'
import type { Arrival, Intake } from '../io/intake.js'
import type { Outlets } from '../io/outlets.js'
import type { Tell } from '../io/telemetry.js'
import type { EnvelopedAnswers } from '../tool/open-caller.js'
import { Counts } from './counts.js'
import { Delivery } from './delivery.js'
import { Flight } from './in-flight.js'
import { type Asked, type Errand, Held, type Input, type Outcome } from './pending-queue.js'

export interface LoopParts {
  readonly config: Pick<Config, 'input' | 'concurrency' | 'isUnordered' | 'maxMessages' | 'afterFailure'>
  readonly conversation: Conversation
  readonly approvals: Pick<Approvals, 'settle' | 'end'>
  /** Where the answers to tool calls go that come in envelopes. */
  readonly toolAnswers: EnvelopedAnswers
  /** What may be done from now on, as it comes in envelopes. */
  readonly onAuthority: (message: unknown) => void
  readonly intake: Intake
  readonly outlets: Outlets
  readonly tell: Tell
  readonly report: (fault: Fault) => void
  /** Nothing that comes on stdin can be read before an answer is made. */
  readonly onBacklog?: () => void
  /** Nothing more comes on stdin. */
  readonly onStreamEnd?: () => void
  /** There is nothing left to do; nothing more is read. */
  readonly onFinish: () => void
}

/**
 * What a control message asks for between inputs, get_memory, set_memory and stop, keeps its place among the inputs on stdin; while paused
 * it overtakes those that are held; from fd 6 it comes next. `stop` drops what is held.
 */
export class Loop {
  readonly #parts: LoopParts
  readonly #desk: ControlDesk
  readonly #sources: ControlSources
  readonly #held = new Held()
  #urgent: Errand[] = []
  readonly #flight: Flight
  readonly #delivery: Delivery
  #accepted = 0
  readonly #counts = new Counts()
  /** It takes no input now, or none after the one that is being answered. */
  isPaused = false
  #isStuck = false
  /** An input has failed, and no further one is asked for. */
  #isRefusing = false
  #isInputClosed = false
  #hasStreamEnded = false
  #isAdvancing = false
  #isFinished = false

  constructor(parts: LoopParts) {
    this.#parts = parts
    const { isUnordered } = parts.config
    this.#flight = new Flight(isUnordered)
    this.#delivery = new Delivery({ ...parts, isUnordered })
    this.#sources = new ControlSources(parts.intake)
    const { conversation, approvals, outlets, report } = parts
    this.#desk = new ControlDesk({ conversation, approvals, reply: outlets.reply, report, cancel: () => this.cancel(), loop: this })
  }

  /** `control`: messages may come by `control`, until `endControl`; `willEnd`: soon and for certain, as those of a file do. */
  start(control: 'none' | 'open' | 'willEnd'): void {
    this.#sources.openDescriptor(control)
    this.#tellSettled()
    this.advance()
  }

  control(message: unknown): void {
    this.#applyControl(message, 'by-descriptor')
    this.advance()
  }

  badControl(error: Fault): void {
    this.#counts.controls++
    this.#desk.refuse(error, 'by-descriptor')
    this.advance()
  }

  endControl(): void {
    this.#sources.endDescriptor()
    this.#endApprovals()
    this.advance()
  }

  /** Takes no more inputs and drops those that are held; what is being answered is still delivered. */
  stop(): void {
    this.#isInputClosed = true
    this.#held.clear()
    this.#urgent = []
    this.advance()
  }

  /** Drops the answers that are being made. */
  cancel(): void {
    this.#flight.cancel()
  }

  /** Does all that can be done now. To be called whenever there may be something new to read, or room to write. */
  advance(): void {
    if (this.#isAdvancing || this.#isFinished) return
    this.#isAdvancing = true
    let hasMoved = true
    while (hasMoved) hasMoved = this.#deliver() || this.#runErrand() || this.#takeOff() || this.#pull() || this.#wake()
    this.#isAdvancing = false
    this.#tellStuck()
    if (this.#flight.isEmpty && (this.#held.isEmpty || this.isPaused)) this.#tellSettled()
    if (!this.#isOver() || this.#sources.isToBeHeard(() => this.advance())) return
    this.#isFinished = true
    this.#parts.onFinish()
  }

  #deliver(): boolean {
    const input = this.#flight.leave()
    if (!input) return false
    this.#counts.inputs++
    if (input.outcome.ok) this.#counts.outputs++
    this.#delivery.deliver(input, input.outcome)
    return true
  }

  #runErrand(): boolean {
    if (!this.#flight.isEmpty) return false
    const errand = this.#urgent.shift() ?? this.#held.takeErrand(this.isPaused)
    if (!errand) return false
    this.#desk.run(errand)
    this.#counts.controls++
    if (errand.control.isStop) this.stop()
    return true
  }

  #takeOff(): boolean {
    const input = this.#canTakeOff() ? this.#held.takeInput() : undefined
    if (!input) return false
    this.#flight.take(input)
    const read = this.#isRefusing ? NOT_ASKED : input.read()
    if (!read.ok) {
      this.#land(input, read)
      return true
    }
    const land = (outcome: Outcome) => {
      this.#land(input, outcome)
      this.advance()
    }
    const crash = (error: unknown) => land({ ok: false, error: fault('internal', `answering failed: ${String(error)}`) })
    this.#parts.conversation.answer(read.value, input.cancellation, input.seq).then(land, crash)
    return true
  }

  #land(input: Input, outcome: Outcome): void {
    this.#flight.land(input, outcome)
    const { afterFailure } = this.#parts.config
    if (outcome.ok || afterFailure === 'go on') return
    this.#isRefusing = true
    if (afterFailure === 'end') this.#isInputClosed = true
  }

  #canTakeOff(): boolean {
    const { config, outlets } = this.#parts
    return !this.isPaused && this.#urgent.length === 0 && this.#flight.hasRoom(config.concurrency) && !outlets.isFull()
  }

  #pull(): boolean {
    const { intake } = this.#parts
    if (this.#isOver() || !this.#wantsMore()) return false
    const arrival = intake.next()
    if (arrival) this.#take(arrival)
    else if (intake.hasEnded) this.#endStream()
    return arrival !== undefined
  }

  // Inputs are read when they can be answered; where control messages may be among them, as many as may be held.
  #wantsMore(): boolean {
    if (this.#parts.intake.mayCarryControl) return !this.#held.isFull
    return !this.#isInputClosed && this.#held.isEmpty && this.#canTakeOff()
  }

  // Once nobody can say resume any more, what was held is let through.
  #wake(): boolean {
    if (!this.isPaused || !this.#sources.isOver) return false
    this.isPaused = false
    return true
  }

  #take(arrival: Arrival): void {
    switch (arrival.kind) {
      case 'input': {
        const { json, isLast, line } = arrival
        this.#accept(line, json.length, () => readInput(json, this.#parts.config.input, isLast))
        return
      }
      case 'bad-input':
        this.#accept(arrival.line, 0, () => ({ ok: false, error: arrival.fault }))
        return
      case 'control':
        this.#applyControl(arrival.message, 'by-envelope')
        return
      case 'tool-answer':
        this.#parts.toolAnswers.receive(arrival.message)
        return
      case 'authority':
        this.#parts.onAuthority(arrival.message)
        return
      case 'stray':
        this.#parts.report(arrival.fault)
        this.#parts.tell({ kind: 'error', ...arrival.fault })
        return
      case 'end':
        if (arrival.port === 'input') this.#isInputClosed = true
        else this.#endEnvelopes(arrival.port)
    }
  }

  // What comes after the last input was never taken: it is left to nobody.
  #accept(line: number, bytes: number, read: Input['read']): void {
    if (this.#isInputClosed) return
    const seq = ++this.#accepted
    this.#held.push({ kind: 'input', seq, line, bytes, read, cancellation: new Cancellation() })
    if (seq === this.#parts.config.maxMessages) this.#isInputClosed = true
  }

  #applyControl(message: unknown, isAsked: Asked): void {
    const errand = this.#desk.take(message, isAsked)
    if (!errand) this.#counts.controls++
    else if (isAsked === 'by-envelope') this.#held.push(errand)
    else this.#urgent.push(errand)
  }

  #endStream(): void {
    if (this.#hasStreamEnded) return
    this.#hasStreamEnded = true
    this.#isInputClosed = true
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
    if (!this.hearsApprovals) this.#parts.approvals.end()
  }

  /** Somebody can still approve a call, or deny it. */
  get hearsApprovals(): boolean {
    return this.#sources.mayApprove && (this.#sources.hasDescriptor || !this.isBacklogged)
  }

  /** Control and answers to calls that come on stdin stand behind more data than may be held. */
  get isBacklogged(): boolean {
    return this.#held.isFull && !this.#flight.isEmpty
  }

  // It waits for ever: what could say resume, or answer a call, stands behind what is held.
  #tellStuck(): void {
    if (!this.#held.isFull) return
    if (this.isBacklogged) {
      this.#parts.toolAnswers.onBacklog()
      this.#parts.onBacklog?.()
      this.#endApprovals()
    }
    if (this.#isStuck || !this.isPaused || this.#sources.hasDescriptor) return
    this.#isStuck = true
    this.#parts.report(
      fault('overflow', 'paused with 16 MiB of input waiting, so that no control behind it can be read; send control on fd 6'),
    )
  }

  // What was told of outputs goes first, then outputs and replies: whoever hears that they were written can read them. Failures go before all
  // of it, once no more of them come.
  #tellSettled(): void {
    if (this.#delivery.isCausePending && !this.#isOver()) return this.#delivery.tellCauseSoon(() => this.advance())
    this.#delivery.tellCause()
    const news = this.#counts.news(this.isPaused)
    if (!news) return
    this.#parts.outlets.flush()
    this.#parts.tell(news)
  }

  #isOver(): boolean {
    return this.#isInputClosed && this.#held.isEmpty && this.#urgent.length === 0 && this.#flight.isEmpty
  }
}

const NOT_ASKED: Outcome & { readonly ok: false } = {
  ok: false,
  error: fault('cancelled', 'not sent to the provider, after an input that failed (--fail-fast)'),
  isShared: true,
}
