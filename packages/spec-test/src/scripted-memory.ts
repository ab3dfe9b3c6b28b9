// The memory of a scripted agent, and its control: get_memory, set_memory, pause and resume as with plumb-agent(1). Others, such as
// set_temp, have no effect.

import { isDeepStrictEqual } from 'node:util'
import { type Identity, identityOfJson } from '@plumb/lang'
import { isRecord } from '@plumb/wire'
import type { ScriptedWalks } from './scripted-walks.js'

interface Message {
  readonly role: string
  readonly content: unknown
}

export class ScriptedMemory {
  /** One, under no key, or one for each conversation; each grows in place. */
  readonly #memories = new Map<Identity | undefined, Message[]>()
  isPaused = false

  constructor(
    private readonly kind: 'none' | 'one' | 'many',
    private readonly walks: Pick<ScriptedWalks, 'forget'> | undefined,
    private readonly reply: (reply: Readonly<Record<string, unknown>>) => void,
  ) {}

  of(conversation: Identity | undefined): readonly Message[] {
    return this.#memories.get(conversation) ?? []
  }

  add(input: string, answer: string, conversation: Identity | undefined): void {
    if (this.kind === 'none') return
    const textOf = (json: string): string => {
      const value: unknown = JSON.parse(json)
      return typeof value === 'string' ? value : json
    }
    const memory = this.#memories.get(conversation)
    const messages = [
      { role: 'user', content: textOf(input) },
      { role: 'assistant', content: textOf(answer) },
    ]
    if (memory) memory.push(...messages)
    else this.#memories.set(conversation, messages)
  }

  apply(json: string): void {
    const control: unknown = JSON.parse(json)
    if (!isRecord(control)) return
    const conversation = control.conversation === undefined ? undefined : identityOfJson(JSON.stringify(control.conversation))
    if ((control.get_memory === true || control.set_memory !== undefined) && (this.kind === 'many') !== (conversation !== undefined))
      return this.#refuse('input_type_mismatch', 'invalid', "'conversation' stands beside it where the agent keeps several, and only there")
    const memory = this.of(conversation)
    if (control.pause === true) {
      this.isPaused = true
      this.reply({ kind: 'paused' })
    }
    if (control.resume === true && control.set_memory === undefined) this.#resume()
    if (control.get_memory === true) this.reply({ kind: 'memory', messages: memory })
    if (!Array.isArray(control.set_memory)) return
    if (control.if_memory !== undefined && !isDeepStrictEqual(control.if_memory, memory))
      this.#refuse('memory_changed', 'denied', "the memory is not 'if_memory' any more")
    else {
      const messages = [...(control.set_memory as readonly Message[])]
      if (control.if_memory === undefined) this.walks?.forget(conversation)
      this.reply({ kind: 'memory_set', old_messages: memory.length, new_messages: messages.length })
      this.#memories.set(conversation, messages)
    }
    if (control.resume === true) this.#resume()
  }

  #refuse(error: string, category: string, detail: string): void {
    this.reply({ kind: 'error', error, category, detail })
  }

  #resume(): void {
    this.isPaused = false
    this.reply({ kind: 'resumed' })
  }
}
