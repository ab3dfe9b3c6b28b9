// Tracks which memories were read, and in which pause, so that a stale set_memory does not end the pause of another client.

import { isDeepStrictEqual } from 'node:util'
import type { ChatMessage } from '../provider/provider.js'

/** Reads that are remembered. */
const MAX_READS = 16

interface MemoryRead {
  readonly messages: readonly ChatMessage[]
  /** 0: not in a pause. */
  readonly pause: number
}

export class MemoryReads {
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
export const isSameMemory = (memory: readonly ChatMessage[], claimed: readonly ChatMessage[]): boolean =>
  memory.length === claimed.length && isDeepStrictEqual(JSON.parse(JSON.stringify(memory)), claimed)
