// Requests that are in hand at once: one over the limit is refused at once, and of several tokens none can have all places.

import { type Fault, fault } from '@plumb/wire'

export class Places {
  #taken = 0
  readonly #byToken = new Map<string, number>()
  #idle: (() => void)[] = []

  constructor(private readonly max: number) {}

  get taken(): number {
    return this.#taken
  }

  /** The end of the request, or why it is refused. `tokens`: how many there are. */
  take(token: string, tokens: number): (() => void) | Fault {
    const own = this.#byToken.get(token) ?? 0
    const most = Math.max(1, this.max - Math.max(0, tokens - 1))
    if (this.#taken >= this.max || own >= most) {
      return fault('overloaded', `${this.#taken} requests are in hand, and no more fit: try again`, { retry_after: 1 })
    }
    this.#taken++
    this.#byToken.set(token, own + 1)
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      this.#taken--
      this.#byToken.set(token, (this.#byToken.get(token) ?? 1) - 1)
      if (this.#taken === 0) for (const resolve of this.#idle.splice(0)) resolve()
    }
  }

  /** Resolves when none is in hand. */
  async idle(): Promise<void> {
    if (this.#taken > 0) await new Promise<void>((resolve) => this.#idle.push(resolve))
  }
}
