// The memory of a scripted agent, and its control: get_memory, set_memory, pause and resume as with plumb-agent(1). Others, such as
// set_temp, have no effect.

import { isDeepStrictEqual } from 'node:util'
import { isRecord } from '@plumb/wire'

interface Message {
  readonly role: string
  readonly content: unknown
}

export class ScriptedMemory {
  /** Grows in place. */
  messages: Message[] = []
  isPaused = false

  constructor(
    private readonly isAmnesiac: boolean,
    private readonly reply: (reply: Readonly<Record<string, unknown>>) => void,
  ) {}

  add(input: string, answer: string): void {
    if (this.isAmnesiac) return
    const textOf = (json: string): string => {
      const value: unknown = JSON.parse(json)
      return typeof value === 'string' ? value : json
    }
    this.messages.push({ role: 'user', content: textOf(input) }, { role: 'assistant', content: textOf(answer) })
  }

  apply(json: string): void {
    const control: unknown = JSON.parse(json)
    if (!isRecord(control)) return
    if (control.pause === true) {
      this.isPaused = true
      this.reply({ kind: 'paused' })
    }
    if (control.resume === true && control.set_memory === undefined) this.#resume()
    if (control.get_memory === true) this.reply({ kind: 'memory', messages: this.messages })
    if (!Array.isArray(control.set_memory)) return
    if (control.if_memory !== undefined && !isDeepStrictEqual(control.if_memory, this.messages)) {
      const detail = "the memory is not 'if_memory' any more"
      this.reply({ kind: 'error', error: 'memory_changed', category: 'denied', detail })
    } else {
      const old_messages = this.messages.length
      this.messages = [...(control.set_memory as readonly Message[])]
      this.reply({ kind: 'memory_set', old_messages, new_messages: this.messages.length })
    }
    if (control.resume === true) this.#resume()
  }

  #resume(): void {
    this.isPaused = false
    this.reply({ kind: 'resumed' })
  }
}
