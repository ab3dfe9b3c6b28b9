// Items from a callback to one reader, who may be slow.

import type { StreamItem } from './types.js'

/** Items that wait for their reader. */
const MOST = 1000

export class Queue {
  readonly #items: StreamItem<unknown>[] = []
  #wake = (): void => {}
  #end: { readonly error: unknown } | undefined
  #count = 0
  #isFull = false

  /** `hold` is called when no more should come for now, and when it may again. */
  constructor(private readonly hold: (isFull: boolean) => void) {}

  get isEmpty(): boolean {
    return this.#count === 0
  }

  get hasEnded(): boolean {
    return this.#end !== undefined
  }

  push(item: StreamItem<unknown>): void {
    if (this.#end) return
    this.#count++
    this.#items.push(item)
    if (!this.#isFull && this.#items.length >= MOST) this.#holdIf(true)
    this.#wake()
  }

  /** `error` is thrown once the items before it are read. */
  end(error?: unknown): void {
    this.#end ??= { error }
    this.#wake()
  }

  #holdIf(isFull: boolean): void {
    this.#isFull = isFull
    this.hold(isFull)
  }

  /** Items that nobody has read yet are dropped. */
  cut(error: unknown): void {
    this.#items.length = 0
    this.#end = { error }
    this.#wake()
  }

  async *read(): AsyncGenerator<StreamItem<unknown>> {
    for (;;) {
      const item = this.#items.shift()
      if (this.#isFull && this.#items.length < MOST / 2) this.#holdIf(false)
      if (item) yield item
      else if (!this.#end) await new Promise<void>((resolve) => (this.#wake = resolve))
      else if (this.#end.error !== undefined) throw this.#end.error
      else return
    }
  }
}
