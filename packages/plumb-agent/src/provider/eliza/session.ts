// One conversation: a pure function of the script and the inputs, without chance and without a clock.
import { type Result, succeed } from '@plumb/wire'
import { answer } from './answer.js'
import { type Conversation, type ElizaState, readState, writeState } from './conversation.js'
import { readWords } from './normalise.js'
import type { Script } from './rule.js'
import { scan } from './scan.js'

export class ElizaSession {
  /** The opening remarks of the script. */
  readonly greeting: string
  readonly #script: Script
  #conversation: Conversation = { limit: 1, memories: [], next: new Map() }

  constructor(script: Script) {
    this.#script = script
    this.greeting = script.greeting
  }

  /** Upper case, words joined by single spaces. Any text has a reply, the empty one too. */
  reply(text: string): string {
    const conversation = this.#conversation
    conversation.limit = (conversation.limit % 4) + 1
    const { words, keys } = scan(readWords(text), this.#script)
    const memory = keys.length === 0 && conversation.limit === 4 ? conversation.memories.shift() : undefined
    return memory ?? answer(words, keys, this.#script, conversation)
  }

  /** All that later replies depend on, as plain JSON. */
  snapshot(): ElizaState {
    return writeState(this.#conversation)
  }

  /** Goes on from a snapshot of a session with the same script; anything else is an error and changes nothing. */
  restore(state: unknown): Result<null> {
    const read = readState(state, this.#script)
    if (!read.ok) return read
    this.#conversation = read.value
    return succeed(null)
  }
}
