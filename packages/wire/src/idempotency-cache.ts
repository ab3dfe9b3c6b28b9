// Results by key, so that a repeated request gets its first result and runs nothing twice. Bounded: the results of old keys are dropped
// first, then the keys.

import { fault } from './error.js'

export interface IdempotencyOptions<T> {
  /** The maximum number of characters of kept results. */
  readonly maxCharacters: number
  readonly lengthOf: (result: T) => number
  /** The result for a repeated key whose result was dropped. */
  readonly dropped: (key: string) => T
}

export const RESULT_DROPPED = fault('overflow', 'this request was answered before, and the answer is no longer kept; it is not run again')

/** The number of keys that are kept. Equal on both ends of a protocol, so that neither runs what the other takes for a repetition. */
const MAX_KEYS = 10_000
// Dropping visits every key from the oldest, so it waits until there is much to drop.
const SLACK = 1.25

interface Entry<T> {
  readonly fingerprint: string
  result: Promise<T>
  /** Undefined until there is a result; not dropped before. */
  length: number | undefined
}

export class IdempotencyCache<T> {
  readonly #options: IdempotencyOptions<T>
  /** From the oldest request to the latest. */
  readonly #entries = new Map<string, Entry<T>>()
  #characters = 0

  constructor(options: IdempotencyOptions<T>) {
    this.#options = options
  }

  /**
   * Returns the first result of `key`, else that of `run`. Where callers may use one key for different requests, a `fingerprint`
   * distinguishes them: the latest request owns the key, and `run` is called with `isReused`.
   */
  get(key: string, run: (isReused: boolean) => Promise<T>, fingerprint = ''): Promise<T> {
    const known = this.#entries.get(key)
    if (known?.fingerprint === fingerprint) return known.result
    if (known) this.#forget(key, known)
    const entry: Entry<T> = { fingerprint, result: run(known !== undefined), length: undefined }
    this.#entries.set(key, entry)
    entry.result.then(
      (result) => this.#weigh(key, entry, result),
      () => this.#entries.get(key) === entry && this.#entries.delete(key),
    )
    return entry.result
  }

  #weigh(key: string, entry: Entry<T>, result: T): void {
    if (this.#entries.get(key) !== entry) return
    entry.length = this.#options.lengthOf(result)
    this.#characters += entry.length
    if (this.#entries.size > MAX_KEYS * SLACK || this.#characters > this.#options.maxCharacters * SLACK) this.#shrink()
  }

  #shrink(): void {
    const { maxCharacters } = this.#options
    for (const [key, entry] of this.#entries) {
      if (this.#entries.size <= MAX_KEYS && this.#characters <= maxCharacters) return
      if (entry.length === undefined) continue
      if (this.#entries.size > MAX_KEYS) this.#forget(key, entry)
      else this.#drop(key, entry, entry.length)
    }
  }

  #forget(key: string, { length = 0 }: Entry<T>): void {
    this.#entries.delete(key)
    this.#characters -= length
  }

  #drop(key: string, entry: Entry<T>, length: number): void {
    const result = this.#options.dropped(key)
    entry.result = Promise.resolve(result)
    entry.length = this.#options.lengthOf(result)
    this.#characters += entry.length - length
  }
}
