// Lets inputs through to the conversation one after the other, and lets control messages in between them. All order is decided here.

import { type Fault, fault, type Result } from '@plumb/wire'
import type { Config } from './config.js'
import { parseControl, toErrorReply } from './control.js'
import type { Conversation } from './conversation.js'
import { type Asked, type Errand, Held, type Input } from './held.js'
import { readInput } from './input.js'
import type { Arrival, Intake } from './intake.js'
import type { Outlets } from './outlets.js'
import type { Tell } from './telemetry.js'

export interface LoopParts {
  readonly config: Pick<Config, 'input' | 'concurrency' | 'maxMessages'>
  readonly conversation: Conversation
  readonly intake: Intake
  readonly outlets: Outlets
  readonly tell: Tell
  readonly report: (fault: Fault) => void
  /** There is nothing left to do; nothing more is read. */
  readonly onFinish: () => void
}

/**
 * What a control message asks for at once: set_temp, set_model, cancel, pause, resume, in this order. What it asks for between inputs:
 * get_memory, set_memory, stop. On stdin these keep their place among the inputs; while paused they overtake those that are held; from
 * fd 6 they come next. `stop` drops what is held.
 */
export class Loop {
  readonly #parts: LoopParts
  readonly #held = new Held()
  #urgent: Errand[] = []
  /** Being answered; delivered from the front. */
  readonly #flying: Input[] = []
  #accepted = 0
  readonly #counts = { inputs: 0, controls: 0, outputs: 0 }
  #told = ''
  #isPaused = false
  #isStuck = false
  #isInputClosed = false
  #isEnvelopeControlClosed = false
  #hasDescriptorControl = false
  #isAdvancing = false
  #willControlEnd = false
  #hasListened = false
  #isFinished = false

  constructor(parts: LoopParts) {
    this.#parts = parts
  }

  /** `control`: messages may come by `control`, until `endControl`; `willEnd`: soon and for certain, as those of a file do. */
  start(control: 'none' | 'open' | 'willEnd'): void {
    this.#hasDescriptorControl = control !== 'none'
    this.#willControlEnd = control === 'willEnd'
    this.#tellSettled()
    this.advance()
  }

  control(message: unknown): void {
    this.#applyControl(message, 'by-descriptor')
    this.advance()
  }

  badControl(error: Fault): void {
    this.#refuseControl(error, 'by-descriptor')
    this.advance()
  }

  endControl(): void {
    this.#hasDescriptorControl = false
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
    for (const { abort } of this.#flying) abort.abort()
  }

  /** Does all that can be done now. To be called whenever there may be something new to read, or room to write. */
  advance(): void {
    if (this.#isAdvancing || this.#isFinished) return
    this.#isAdvancing = true
    let hasMoved = true
    while (hasMoved) hasMoved = this.#deliver() || this.#runErrand() || this.#takeOff() || this.#pull() || this.#wake()
    this.#isAdvancing = false
    this.#tellStuck()
    if (this.#flying.length === 0 && (this.#held.isEmpty || this.#isPaused)) this.#tellSettled()
    if (!this.#isOver() || this.#listensOnce()) return
    this.#isFinished = true
    this.#parts.onFinish()
  }

  #deliver(): boolean {
    const input = this.#flying[0]
    if (!input?.result) return false
    this.#flying.shift()
    const { result, seq, line } = input
    const { outlets, tell, report } = this.#parts
    this.#counts.inputs++
    if (result.ok) {
      outlets.writeOutput(result.value)
      this.#counts.outputs++
      tell({ kind: 'output', json: result.value })
    } else {
      const error = { ...result.error, line, seq, port: 'input' }
      report(error)
      tell({ kind: 'error', ...error })
    }
    return true
  }

  #runErrand(): boolean {
    if (this.#flying.length > 0) return false
    const errand = this.#urgent.shift() ?? this.#held.takeErrand(this.#isPaused)
    if (!errand) return false
    const { control, isAsked } = errand
    const { conversation } = this.#parts
    if (control.wantsMemory) this.#reply({ kind: 'memory', messages: conversation.memory }, isAsked)
    if (control.memory) {
      const old_messages = conversation.memory.length
      conversation.setMemory(control.memory)
      this.#reply({ kind: 'memory_set', old_messages, new_messages: control.memory.length }, isAsked)
    }
    this.#counts.controls++
    if (control.isStop) this.stop()
    return true
  }

  #takeOff(): boolean {
    const input = this.#canTakeOff() ? this.#held.takeInput() : undefined
    if (!input) return false
    this.#flying.push(input)
    const read = input.read()
    if (!read.ok) {
      input.result = read
      return true
    }
    const land = (result: Result<string>) => {
      input.result = result
      this.advance()
    }
    const crash = (error: unknown) => land({ ok: false, error: fault('internal', `the provider failed: ${String(error)}`) })
    this.#parts.conversation.answer(read.value, input.abort.signal).then(land, crash)
    return true
  }

  #canTakeOff(): boolean {
    const { config, outlets } = this.#parts
    return !this.#isPaused && this.#urgent.length === 0 && this.#flying.length < config.concurrency && !outlets.isFull()
  }

  #pull(): boolean {
    const { intake } = this.#parts
    if (this.#isOver() || !this.#wantsMore()) return false
    const arrival = intake.next()
    if (arrival) this.#take(arrival)
    else if (intake.hasEnded) this.#isInputClosed = true
    return arrival !== undefined
  }

  // Inputs are read when they can be answered; where control messages may be among them, as many as may be held.
  #wantsMore(): boolean {
    if (this.#parts.intake.mayCarryControl) return !this.#held.isFull
    return !this.#isInputClosed && this.#held.isEmpty && this.#canTakeOff()
  }

  // Once nobody can say resume any more, what was held is let through.
  #wake(): boolean {
    const { intake } = this.#parts
    const hasEnvelopeControl = intake.mayCarryControl && !intake.hasEnded && !this.#isEnvelopeControlClosed
    if (!this.#isPaused || !this.#isInputClosed || hasEnvelopeControl || this.#hasDescriptorControl) return false
    this.#isPaused = false
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
      case 'stray':
        this.#parts.report(arrival.fault)
        this.#parts.tell({ kind: 'error', ...arrival.fault })
        return
      case 'end':
        if (arrival.port === 'input') this.#isInputClosed = true
        else this.#isEnvelopeControlClosed = true
    }
  }

  // What comes after the last input was never taken: it is left to nobody.
  #accept(line: number, bytes: number, read: () => Result<string>): void {
    if (this.#isInputClosed) return
    const seq = ++this.#accepted
    this.#held.push({ kind: 'input', seq, line, bytes, read, abort: new AbortController() })
    if (seq === this.#parts.config.maxMessages) this.#isInputClosed = true
  }

  #applyControl(message: unknown, isAsked: Asked): void {
    const parsed = parseControl(message)
    if (!parsed.ok) {
      this.#refuseControl(parsed.error, isAsked)
      return
    }
    const control = parsed.value
    const { conversation } = this.#parts
    if (control.temperature !== undefined) conversation.setTemperature(control.temperature)
    if (control.model !== undefined) conversation.setModel(control.model)
    if (control.isCancel) this.cancel()
    if (control.isPause) this.#pause(true, isAsked)
    if (control.isResume) this.#pause(false, isAsked)
    const errand: Errand = { kind: 'errand', control, isAsked }
    if (!control.wantsMemory && !control.memory && !control.isStop) this.#counts.controls++
    else if (isAsked === 'by-envelope') this.#held.push(errand)
    else this.#urgent.push(errand)
  }

  #pause(isPaused: boolean, isAsked: Asked): void {
    this.#isPaused = isPaused
    this.#reply({ kind: isPaused ? 'paused' : 'resumed' }, isAsked)
  }

  #refuseControl(error: Fault, isAsked: Asked): void {
    this.#counts.controls++
    this.#reply(toErrorReply(error), isAsked, error)
  }

  // An error that cannot be answered is told on stderr, so that it is told somewhere.
  #reply(reply: Parameters<Outlets['reply']>[0], isAsked: Asked, error?: Fault): void {
    if (!this.#parts.outlets.reply(reply, isAsked) && error) this.#parts.report({ ...error, port: 'ctrl_in' })
  }

  // It waits for ever: what could say resume stands behind what is held.
  #tellStuck(): void {
    if (this.#isStuck || !this.#isPaused || !this.#held.isFull || this.#hasDescriptorControl) return
    this.#isStuck = true
    this.#parts.report(
      fault('overflow', 'paused with 16 MiB of input waiting, so that no control behind it can be read; send control on fd 6'),
    )
  }

  // Outputs go first: whoever hears that they were written can read them.
  #tellSettled(): void {
    const told = JSON.stringify(this.#counts)
    if (told === this.#told) return
    this.#told = told
    this.#parts.outlets.output.flush()
    this.#parts.tell({ kind: 'settled', ...this.#counts })
  }

  // What was written to fd 6 before stdin ended is in its pipe by now: one more look is enough to hear it.
  #listensOnce(): boolean {
    if (this.#willControlEnd && this.#hasDescriptorControl) return true
    if (this.#hasListened || !this.#hasDescriptorControl) return false
    this.#hasListened = true
    setImmediate(() => setImmediate(() => this.advance()))
    return true
  }

  #isOver(): boolean {
    return this.#isInputClosed && this.#held.isEmpty && this.#urgent.length === 0 && this.#flying.length === 0
  }
}
