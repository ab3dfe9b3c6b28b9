// What comes of a run, in order: outputs, errors, events and the end. A feed that is kept can be read again from any place; of another, what was
// read is dropped, and who writes to it waits while much of it is unread.

export interface FeedItem {
  /** From 1. */
  readonly id: number
  /** `output`, `error`, `done`, or the kind of telemetry. */
  readonly event: string
  /** One line of JSON. */
  readonly data: string
}

/** Bytes that are not read yet, above which the run waits. */
const FULL_BYTES = 256 * 1024
/** The longest feed that is kept, in bytes of its lines. */
const MAX_KEPT_BYTES = 64 * 1024 * 1024

export class Feed {
  readonly #items: FeedItem[] = []
  /** The id of `#items[0]`. */
  #first = 1
  #bytes = 0
  #waiting: (() => void)[] = []
  #drained: (() => void) | undefined
  #isLast = false
  hasEnded = false

  constructor(private readonly isKept: boolean) {}

  get isFull(): boolean {
    return !this.isKept && !this.#isLast && this.#bytes > FULL_BYTES
  }

  /** A kept feed has taken more than it may hold. */
  get isOver(): boolean {
    return this.isKept && this.#bytes > MAX_KEPT_BYTES
  }

  /** Those that were not dropped. */
  get items(): readonly FeedItem[] {
    return this.#items
  }

  /** The id of the last item. */
  get last(): number {
    return this.#first + this.#items.length - 1
  }

  add(event: string, data: string): void {
    if (this.hasEnded) return
    this.#items.push({ id: this.last + 1, event, data })
    this.#bytes += data.length
    this.#wake()
  }

  end(): void {
    this.hasEnded = true
    this.#drained = undefined
    this.#wake()
  }

  /** Call back once it is not full. */
  onceDrained(resume: () => void): void {
    this.#drained = resume
  }

  /** What is on its way is the last: it comes in, whether anybody reads it or not. */
  takeLast(): void {
    this.#isLast = true
    this.#resume()
  }

  /** The item behind `id`, at once where there is one. Undefined: nothing more comes. */
  async after(id: number): Promise<FeedItem | undefined> {
    for (;;) {
      const item = this.at(id + 1)
      if (item) return item
      if (this.hasEnded) return undefined
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
  }

  at(id: number): FeedItem | undefined {
    return this.#items[id - this.#first]
  }

  /** It was read up to here. */
  read(id: number): void {
    if (this.isKept) return
    while (this.#items.length > 0 && this.#first <= id) {
      this.#bytes -= (this.#items.shift() as FeedItem).data.length
      this.#first++
    }
    if (this.#bytes <= FULL_BYTES / 2) this.#resume()
  }

  #resume(): void {
    const drained = this.#drained
    this.#drained = undefined
    drained?.()
  }

  #wake(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const resolve of waiting) resolve()
  }
}
