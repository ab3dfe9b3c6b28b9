// What control messages do: at once (set_temp, set_model, cancel, approve, deny, pause, resume, in this order), or as an errand between inputs.

import { type Fault, fault } from '@plumb/wire'
import type { Conversation } from '../conversation/conversation.js'
import type { Outlets } from '../io/outlets.js'
import type { Asked, Errand } from '../loop/pending-queue.js'
import type { Approvals } from './approvals.js'
import { isSameMemory, ShownMemories } from './memory-reads.js'
import { parseControl, type Reply, toErrorReply } from './message.js'

export interface ControlDeskParts {
  readonly conversation: Pick<Conversation, 'noTemperature' | 'setTemperature' | 'setModel' | 'memory' | 'setMemory'>
  readonly approvals: Pick<Approvals, 'settle'>
  readonly reply: Outlets['reply']
  readonly report: (fault: Fault) => void
  readonly cancel: () => void
  readonly loop: { isPaused: boolean }
}

const CHANGED = fault(
  'memory_changed',
  "the memory is not 'if_memory' any more: what was said since would be lost, so that it was left as it is",
)

export class ControlDesk {
  readonly #parts: ControlDeskParts
  readonly #shown = new ShownMemories()

  constructor(parts: ControlDeskParts) {
    this.#parts = parts
  }

  /** Undefined: the message is done with. */
  take(message: unknown, isAsked: Asked): Errand | undefined {
    const parsed = parseControl(message)
    if (!parsed.ok) {
      this.refuse(parsed.error, isAsked)
      return undefined
    }
    const control = parsed.value
    const { conversation, cancel, loop } = this.#parts
    const { noTemperature } = conversation
    if (typeof control.temperature === 'number' && noTemperature !== undefined) {
      this.refuse(fault('input_type_mismatch', `'set_temp' cannot be done: ${noTemperature}`), isAsked)
      return undefined
    }
    if (control.temperature !== undefined) conversation.setTemperature(control.temperature)
    if (control.model !== undefined) conversation.setModel(control.model)
    if (control.isCancel) cancel()
    if (control.approved !== undefined) this.#settle(control.approved, true, isAsked)
    if (control.denied !== undefined) this.#settle(control.denied, false, isAsked)
    if (control.isPause) {
      if (!loop.isPaused) this.#shown.beginPause()
      loop.isPaused = true
      this.#reply({ kind: 'paused' }, isAsked)
    }
    // A memory that is set is there before the next input is.
    if (control.isResume && !control.memory) this.#resume(isAsked)
    return control.wantsMemory || control.memory || control.isStop ? { kind: 'errand', control, isAsked } : undefined
  }

  /** The part that concerns the memory; `stop` is the loop's. */
  run({ control, isAsked }: Errand): void {
    const { conversation, loop } = this.#parts
    if (control.wantsMemory) {
      this.#shown.show(conversation.memory, loop.isPaused)
      this.#reply({ kind: 'memory', messages: conversation.memory }, isAsked)
    }
    if (!control.memory) return
    const expected = control.expectedMemory
    if (expected && !isSameMemory(conversation.memory, expected)) {
      this.refuse(CHANGED, isAsked)
      if (control.isResume && !(loop.isPaused && this.#shown.isPauseOfOthers(expected))) this.#resume(isAsked)
      return
    }
    const old_messages = conversation.memory.length
    conversation.setMemory(control.memory)
    this.#reply({ kind: 'memory_set', old_messages, new_messages: control.memory.length }, isAsked)
    if (control.isResume) this.#resume(isAsked)
  }

  #resume(isAsked: Asked): void {
    this.#parts.loop.isPaused = false
    this.#reply({ kind: 'resumed' }, isAsked)
  }

  // An error that cannot be answered is told on stderr, so that it is told somewhere.
  refuse(error: Fault, isAsked: Asked): void {
    if (!this.#reply(toErrorReply(error), isAsked)) this.#parts.report({ ...error, port: 'ctrl_in' })
  }

  #settle(id: string, isApproved: boolean, isAsked: Asked): void {
    const error = this.#parts.approvals.settle(id, isApproved)
    if (error) this.refuse(error, isAsked)
  }

  #reply(reply: Reply, isAsked: Asked): boolean {
    return this.#parts.reply(reply, isAsked)
  }
}
