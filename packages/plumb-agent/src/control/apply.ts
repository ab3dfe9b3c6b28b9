// Applies control messages: at once (set_temp, set_model, set_effort, cancel, approve, deny, edit, answer, skip,
// pause, resume, in this order), or between inputs.

import { isDeepStrictEqual } from 'node:util'
import { type Consent, deniedConsent } from '@plumb/ledger'
import { type Fault, fault } from '@plumb/wire'
import type { Conversation } from '../conversation/conversation.js'
import type { Outlets, ReplyTo } from '../io/outlets.js'
import type { ChatMessage } from '../provider/provider.js'
import type { Approvals } from '../tool/approvals.js'
import type { GivenAnswer } from '../tool/questions.js'
import { type Control, type ControlReply, parseControl, type QueuedControl, toErrorReply } from './message.js'

interface Pausable {
  readonly isPaused: boolean
  pause(): void
  resume(): void
}

export interface ControlProcessorParts {
  readonly conversation: Pick<
    Conversation,
    'noTemperature' | 'setTemperature' | 'setModel' | 'setEffort' | 'hasConversations' | 'memoryOf' | 'setMemory'
  >
  readonly approvals: Pick<Approvals, 'settle' | 'questions'>
  readonly reply: Outlets['reply']
  readonly report: (fault: Fault) => void
  readonly cancel: (inputs: 'begun' | number) => void
  readonly loop: Pausable
}

const CHANGED = fault(
  'memory_changed',
  "the memory is not 'if_memory' any more: what was said since would be lost, so that it was left unchanged",
)

export class ControlProcessor {
  readonly #parts: ControlProcessorParts
  readonly #reads = new MemoryReads()

  constructor(parts: ControlProcessorParts) {
    this.#parts = parts
  }

  /** The rest of the k-th message, to be applied between inputs. Undefined: nothing. */
  apply(message: unknown, text: Buffer | undefined, k: number, replyTo: ReplyTo): QueuedControl | undefined {
    const parsed = parseControl(message, text)
    if (!parsed.ok) {
      this.refuse(parsed.error, replyTo)
      return undefined
    }
    const control = parsed.value
    const { conversation, cancel, loop } = this.#parts
    const { noTemperature } = conversation
    if (typeof control.temperature === 'number' && noTemperature !== undefined) {
      this.refuse(fault('input_type_mismatch', `'set_temp' cannot be done: ${noTemperature}`), replyTo)
      return undefined
    }
    const misplaced = this.#misplaced(control)
    if (misplaced !== undefined) {
      this.refuse(fault('input_type_mismatch', misplaced), replyTo)
      return undefined
    }
    if (control.temperature !== undefined) conversation.setTemperature(control.temperature)
    if (control.model !== undefined) conversation.setModel(control.model)
    if (control.effort !== undefined) conversation.setEffort(control.effort)
    if (control.cancelled !== undefined) cancel(control.cancelled)
    if (control.approved !== undefined) this.#settle(control.approved, true, replyTo)
    if (control.denied !== undefined) this.#settle(control.denied.id, deniedConsent(control.denied.why), replyTo)
    if (control.edited !== undefined) this.#settle(control.edited.id, { edited: control.edited.json }, replyTo)
    const { answered, skipped } = control
    if (answered) this.#answer(answered.id, { json: answered.json }, replyTo)
    if (skipped) this.#answer(skipped.id, { why: skipped.why }, replyTo)
    if (control.isPause) {
      if (!loop.isPaused) this.#reads.beginPause()
      loop.pause()
      this.#reply({ kind: 'paused' }, replyTo)
    }
    // With a memory, only after it is set.
    if (control.isResume && !control.memory) this.#resume(replyTo)
    return control.wantsMemory || control.memory || control.isStop ? { kind: 'control', k, control, replyTo } : undefined
  }

  #misplaced({ conversation, wantsMemory, memory }: Control): string | undefined {
    const { hasConversations } = this.#parts.conversation
    if (!hasConversations && conversation !== undefined) return "there is one memory, and no 'conversation' in the spec of the agent"
    if (!hasConversations || conversation !== undefined || !(wantsMemory || memory)) return undefined
    return `there is a memory for each conversation: write 'conversation' beside '${memory ? 'set_memory' : 'get_memory'}'`
  }

  /** Applies get_memory and set_memory; `stop` is the loop's. */
  applyQueued({ control, replyTo }: QueuedControl): void {
    const { conversation, loop } = this.#parts
    const messages = conversation.memoryOf(control.conversation)
    if (control.wantsMemory) {
      this.#reads.record(messages, loop.isPaused)
      this.#reply({ kind: 'memory', messages }, replyTo)
    }
    if (!control.memory) return
    const expected = control.expectedMemory
    if (expected && !isSameMemory(messages, expected)) {
      this.refuse(CHANGED, replyTo)
      if (control.isResume && !(loop.isPaused && this.#reads.isOthersPause(expected))) this.#resume(replyTo)
      return
    }
    const old_messages = messages.length
    conversation.setMemory(control.memory, control.conversation, expected !== undefined)
    this.#reply({ kind: 'memory_set', old_messages, new_messages: control.memory.length }, replyTo)
    if (control.isResume) this.#resume(replyTo)
  }

  #resume(replyTo: ReplyTo): void {
    this.#parts.loop.resume()
    this.#reply({ kind: 'resumed' }, replyTo)
  }

  // Without a way to reply, the error goes to stderr.
  refuse(error: Fault, replyTo: ReplyTo): void {
    if (!this.#reply(toErrorReply(error), replyTo)) this.#parts.report({ ...error, port: 'ctrl_in' })
  }

  #settle(id: string, consent: Consent, replyTo: ReplyTo): void {
    this.#parts.approvals.settle(id, consent, (error) => this.refuse(error, replyTo))
  }

  #answer(id: string, given: GivenAnswer, replyTo: ReplyTo): void {
    const { questions } = this.#parts.approvals
    const none = fault('input_type_mismatch', 'this agent asks a model, and no person: no question waits for an answer')
    const error = questions ? questions.settle(id, given) : none
    if (error) this.refuse(error, replyTo)
  }

  #reply(reply: ControlReply, replyTo: ReplyTo): boolean {
    return this.#parts.reply(reply, replyTo)
  }
}

/** Reads that are remembered. */
const MAX_READS = 16

interface MemoryRead {
  readonly messages: readonly ChatMessage[]
  /** 0: not in a pause. */
  readonly pause: number
}

class MemoryReads {
  #reads: MemoryRead[] = []
  #pause = 0

  beginPause(): void {
    this.#pause++
  }

  record(memory: readonly ChatMessage[], isPaused: boolean): void {
    this.#reads = [...this.#reads.slice(1 - MAX_READS), { messages: [...memory], pause: isPaused ? this.#pause : 0 }]
  }

  /**
   * The client that read `memory` read it before the present pause, and in this pause another client has read a newer one, and will end the
   * pause. If it were ended now, that client would be stale in turn, and so would the next.
   */
  isOthersPause(memory: readonly ChatMessage[]): boolean {
    const own = this.#reads.filter(({ messages }) => isSameMemory(messages, memory))
    return own.length > 0 && own.every(({ pause }) => pause !== this.#pause) && this.#reads.some(({ pause }) => pause === this.#pause)
  }
}

/** `claimed` came as JSON. */
const isSameMemory = (memory: readonly ChatMessage[], claimed: readonly ChatMessage[]): boolean =>
  memory.length === claimed.length && isDeepStrictEqual(JSON.parse(JSON.stringify(memory)), claimed)
