// Collects what is asked for while an earlier request is under way, so that one statement serves all of it.

export interface RequestBatcherOptions<Item, Answer> {
  /** One answer for each item, in their order. */
  readonly work: (items: readonly Item[]) => Promise<readonly Answer[]>
  readonly sizeOf: (item: Item) => number
  /** Of the items of one batch; an item alone may be larger. */
  readonly maxSize: number
  readonly maxItems: number
}

interface Waiting<Item, Answer> {
  readonly item: Item
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: unknown) => void
}

export class RequestBatcher<Item, Answer> {
  readonly #o: RequestBatcherOptions<Item, Answer>
  #waiting: Waiting<Item, Answer>[] = []
  #isWorking = false

  constructor(options: RequestBatcherOptions<Item, Answer>) {
    this.#o = options
  }

  add(item: Item): Promise<Answer> {
    const answer = new Promise<Answer>((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject })
    })
    void this.#workAll()
    return answer
  }

  async #workAll(): Promise<void> {
    if (this.#isWorking) return
    this.#isWorking = true
    while (this.#waiting.length > 0) {
      const group = this.#next()
      try {
        const answers = await this.#o.work(group.map(({ item }) => item))
        for (const [i, { resolve }] of group.entries()) resolve(answers[i] as Answer)
      } catch (error) {
        for (const { reject } of group) reject(error)
      }
    }
    this.#isWorking = false
  }

  #next(): Waiting<Item, Answer>[] {
    const { sizeOf, maxSize, maxItems } = this.#o
    let size = 0
    const end = this.#waiting.findIndex(({ item }, i) => {
      size += sizeOf(item)
      return i > 0 && (i === maxItems || size > maxSize)
    })
    return this.#waiting.splice(0, end < 0 ? this.#waiting.length : end)
  }
}
