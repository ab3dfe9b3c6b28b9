// Whose turn it is: inputs of one conversation are answered one after the other, in their order, and hold up no others. Behind one that waits
// for a person what follows in its conversation waits too.

import type { Identity } from '@plumb/lang'
import { fault, isHeld } from '@plumb/wire'
import type { InputOutcome } from '../conversation/conversation.js'
import type { UserInput } from '../io/intake.js'
import type { Input } from './pending-queue.js'

/** An input that has been read. */
export interface ReadInput {
  readonly input: Input
  readonly said: UserInput
}

export type Refusal = InputOutcome & { readonly ok: false }

export class Turns {
  /** By the conversations in which an input is being answered: those that wait behind it. */
  readonly #behind = new Map<Identity, ReadInput[]>()
  #ready: ReadInput[] = []
  readonly #held = new Set<Identity | undefined>()

  /** False: it waits for an earlier one of its conversation, and `next` gives it in its turn. */
  take(read: ReadInput): boolean {
    const { conversation } = read.said
    if (conversation === undefined) return true
    const behind = this.#behind.get(conversation)
    behind?.push(read)
    if (!behind) this.#behind.set(conversation, [])
    return behind === undefined
  }

  /** Why it is not answered. */
  refusalOf({ conversation }: UserInput): Refusal | undefined {
    return this.#held.has(conversation) ? WAITS : undefined
  }

  /** It has its outcome. */
  leave({ conversation }: UserInput, outcome: InputOutcome, isAmnesiac: boolean): void {
    // The memory at the next input depends on it.
    if (!outcome.ok && isHeld(outcome.error) && !isAmnesiac) this.#held.add(conversation)
    if (conversation === undefined) return
    const next = this.#behind.get(conversation)?.shift()
    if (next) this.#ready.push(next)
    else this.#behind.delete(conversation)
  }

  /** The next of those that waited. */
  next(): ReadInput | undefined {
    return this.#ready.shift()
  }

  /** All that wait, which are not given any more. */
  clear(): readonly Input[] {
    const waiting = [...this.#ready, ...[...this.#behind.values()].flat()]
    for (const behind of this.#behind.values()) behind.length = 0
    // The conversation of one that was ready is free.
    for (const { said } of this.#ready) if (said.conversation !== undefined) this.#behind.delete(said.conversation)
    this.#ready = []
    return waiting.map(({ input }) => input)
  }
}

const WAITS: Refusal = {
  ok: false,
  error: fault('parked', 'waits behind a message of which a call needs the consent of a person'),
  isShared: true,
}
