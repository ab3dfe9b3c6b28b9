// The memories of an agent: one, or one for each conversation, of which those that have rested for longest are forgotten.

import { type Identity, jsonOfKey } from '@plumb/lang'
import type { AgentConfig } from '../config/config.js'
import type { Emit } from '../io/telemetry.js'
import type { ChatMessage } from '../provider/provider.js'

export class Memory {
  messages: ChatMessage[]
  /** Recorded with the first answer, unless another memory is set by then. */
  #unrecorded: readonly ChatMessage[]
  /** Inputs that are being answered with it. */
  uses = 0
  /** Where the walk of its protocol is. Undefined: where `walked` has brought it, since this process has answered nothing with it. */
  at: number | undefined
  #walked: readonly ChatMessage[] | undefined

  constructor(
    begins: readonly ChatMessage[],
    private readonly conversation: Identity | undefined,
  ) {
    this.messages = [...begins]
    this.#unrecorded = begins
  }

  /** `goesOn`: the same conversation in other words, whose walk is where it was. */
  set(messages: readonly ChatMessage[], goesOn = false): void {
    this.#walked = goesOn ? this.walked : undefined
    if (!goesOn) this.at = undefined
    this.messages = [...messages]
    this.#unrecorded = []
  }

  /** The messages whose calls the walk has come from. */
  get walked(): readonly ChatMessage[] {
    return this.#walked ?? this.messages
  }

  /** `emit`: where what is added is told. */
  add(messages: readonly ChatMessage[], emit: Emit | undefined): void {
    this.messages.push(...messages)
    const of = this.conversation === undefined ? {} : { conversation: jsonOfKey(this.conversation) }
    emit?.({ kind: 'remembered', messages: [...this.#unrecorded, ...messages], ...of })
    this.#unrecorded = []
  }
}

export class Memories {
  readonly #begins: readonly ChatMessage[]
  readonly #max: number
  /** The one used last is the last. */
  readonly #all = new Map<Identity | undefined, Memory>()

  constructor({ history, conversations }: Pick<AgentConfig, 'history' | 'conversations'>) {
    this.#begins = history
    this.#max = conversations?.max ?? 1
  }

  /** As it is: nothing begins by it. */
  messagesOf(conversation: Identity | undefined): readonly ChatMessage[] {
    return this.#all.get(conversation)?.messages ?? this.#begins
  }

  set(messages: readonly ChatMessage[], conversation: Identity | undefined, goesOn?: boolean): void {
    this.#take(conversation).set(messages, goesOn)
    this.#trim()
  }

  /** Of nothing that was said. */
  forget(): void {
    this.#all.clear()
  }

  /** It is not forgotten before `rest`. */
  use(conversation: Identity | undefined): Memory {
    const memory = this.#take(conversation)
    memory.uses++
    this.#trim()
    return memory
  }

  rest(memory: Memory): void {
    memory.uses--
    this.#trim()
  }

  #take(conversation: Identity | undefined): Memory {
    const memory = this.#all.get(conversation) ?? new Memory(this.#begins, conversation)
    this.#all.delete(conversation)
    this.#all.set(conversation, memory)
    return memory
  }

  #trim(): void {
    for (const [conversation, { uses }] of this.#all) {
      if (this.#all.size <= this.#max) return
      if (uses === 0) this.#all.delete(conversation)
    }
  }
}
