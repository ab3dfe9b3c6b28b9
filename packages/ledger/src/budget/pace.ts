// Limits the rate of requests to providers, and of their tokens: the requests of the last minute, by account.

import type { RateLimit } from '@plumb/wire'

interface Sent {
  readonly id: string
  readonly atMs: number
  tokens: number
}

/** A second more than a minute: a request that is sent a little after its grant is still within the limit. */
const WINDOW_MS = 61_000

export class Pace {
  readonly #accounts = new Map<string, Sent[]>()

  /** Counts the request if it may be sent at this time of the clock. False: not yet. */
  take(id: string, rate: RateLimit, tokens: number, atMs: number): boolean {
    if (!this.mayTake(rate, tokens, atMs)) return false
    this.#recent(rate.account, atMs).push({ id, atMs, tokens })
    return true
  }

  mayTake({ account, requests, tokens: limit }: RateLimit, tokens: number, atMs: number): boolean {
    const sent = this.#recent(account, atMs)
    const used = sent.reduce((sum, one) => sum + one.tokens, 0)
    // A request above the limit goes alone.
    return (requests === null || sent.length < requests) && (limit === null || sent.length === 0 || used + tokens <= limit)
  }

  /** Its actual tokens. */
  settle(id: string, tokens: number): void {
    for (const sent of this.#accounts.values()) for (const one of sent) if (one.id === id) one.tokens = tokens
  }

  /** Until then nothing can change except by settled requests. */
  nextMs(account: string, atMs: number): number {
    const [first] = this.#recent(account, atMs)
    return first ? first.atMs + WINDOW_MS : atMs
  }

  #recent(account: string, atMs: number): Sent[] {
    const recent = (this.#accounts.get(account) ?? []).filter((one) => one.atMs > atMs - WINDOW_MS)
    this.#accounts.set(account, recent)
    return recent
  }
}
