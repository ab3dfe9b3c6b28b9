// The partners of messages that have left without them, by key and branch. For keys without end they would fill the memory: those that have
// been due for longest are forgotten, and then wait for a partner as any other.

import type { Identity } from '@plumb/lang'

/** Of all keys. */
const MAX_BYTES = 16 * 1024 * 1024
/** Of a key apart from its text. */
const ENTRY_BYTES = 128

export class LatePartners {
  /** How many are due of each branch; the key added last is the last. */
  readonly #due = new Map<Identity, number[]>()
  #bytes = 0

  constructor(
    private readonly branches: number,
    private readonly maxBytes = MAX_BYTES,
  ) {}

  get size(): number {
    return this.#due.size
  }

  add(key: Identity, branch: number): void {
    const due = this.#due.get(key) ?? new Array<number>(this.branches).fill(0)
    due[branch] = (due[branch] as number) + 1
    this.#forget(key)
    this.#due.set(key, due)
    this.#bytes += bytesOf(key)
    for (const oldest of this.#due.keys()) {
      if (this.#bytes <= this.maxBytes) return
      this.#forget(oldest)
    }
  }

  /** Whether a message of this branch is one of them, which then is due no more. */
  take(key: Identity, branch: number): boolean {
    const due = this.#due.get(key)
    if (!due?.[branch]) return false
    due[branch]--
    if (due.every((n) => n === 0)) this.#forget(key)
    return true
  }

  #forget(key: Identity): void {
    if (this.#due.delete(key)) this.#bytes -= bytesOf(key)
  }
}

const bytesOf = (key: Identity): number => ENTRY_BYTES + (typeof key === 'string' ? 2 * key.length : 0)
