// Which memories were shown, and in which pause: so that whoever comes too late with a memory does not end a pause that is not theirs.

import { isDeepStrictEqual } from 'node:util'
import type { Message } from '../provider/provider.js'

/** Of so many readers it is known what they have read. */
const MAX_SHOWN = 16

interface Shown {
  readonly messages: readonly Message[]
  /** 0: none. */
  readonly pause: number
}

export class ShownMemories {
  #shown: Shown[] = []
  #pause = 0

  beginPause(): void {
    this.#pause++
  }

  show(memory: readonly Message[], isPaused: boolean): void {
    this.#shown = [...this.#shown.slice(1 - MAX_SHOWN), { messages: [...memory], pause: isPaused ? this.#pause : 0 }]
  }

  /**
   * Whoever has read this memory read it before the present pause, and in that somebody else has read another: they will end it. If they were
   * disturbed, they would come too late as well, and the next after them, for ever.
   */
  isPauseOfOthers(memory: readonly Message[]): boolean {
    const own = this.#shown.filter(({ messages }) => isSameMemory(messages, memory))
    return own.length > 0 && own.every(({ pause }) => pause !== this.#pause) && this.#shown.some(({ pause }) => pause === this.#pause)
  }
}

/** `claimed` is what somebody says it is, and came as JSON. */
export const isSameMemory = (memory: readonly Message[], claimed: readonly Message[]): boolean =>
  memory.length === claimed.length && isDeepStrictEqual(JSON.parse(JSON.stringify(memory)), claimed)
