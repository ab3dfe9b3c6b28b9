// One conversation: a pure function of the script and the inputs, without chance and without a clock.

import { type Result, succeed } from '@plumb/wire'
import { answer } from './answer.js'
import { type ElizaConversation, type ElizaState, readState, writeState } from './conversation.js'
import { readWords } from './normalise.js'
import type { ElizaScript } from './rule.js'

export class ElizaSession {
  /** The opening remarks of the script. */
  readonly greeting: string
  readonly #script: ElizaScript
  #conversation: ElizaConversation = { limit: 1, memories: [], next: new Map() }

  constructor(script: ElizaScript) {
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

interface Scanned {
  /** The clause that is answered, substitutions made. */
  readonly words: string[]
  /** The key stack: the next to try is the last. */
  readonly keys: string[]
}

const scan = (input: readonly string[], { rules }: ElizaScript): Scanned => {
  let words: string[] = []
  const front: string[] = []
  const back: string[] = []
  let top = 0
  for (const word of input) {
    if (isDelimiter(word)) {
      if (front.length + back.length > 0) break
      words = []
      continue
    }
    const rule = rules.get(word)
    if (rule?.canReply) {
      // Not a sort: only what outranks everything so far goes to the front
      if (rule.precedence > top) {
        front.push(word)
        top = rule.precedence
      } else back.push(word)
    }
    words.push(rule?.substitute ?? word)
  }
  return { words, keys: back.reverse().concat(front) }
}

// The article names only the comma and the period; BUT is in the recovered source, and the published turn 11 needs it
const isDelimiter = (word: string): boolean => word === ',' || word === '.' || word === 'BUT'
