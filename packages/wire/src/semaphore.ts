// Limits how many pieces of work run at once; the others wait, first come, first served.

export class Semaphore {
  #free: number
  readonly #count: number
  readonly #waiting = new Set<() => void>()
  readonly #idleWaiters: (() => void)[] = []

  constructor(count: number) {
    this.#count = count
    this.#free = count
  }

  get waiting(): number {
    return this.#waiting.size
  }

  /** Takes a permit if one is free. */
  tryAcquire(): boolean {
    if (this.#free === 0) return false
    this.#free--
    return true
  }

  /** Resolves to true with a permit, or to false if the signal fired first: then there is nothing to release. */
  acquire(signal?: AbortSignal): Promise<boolean> {
    if (signal?.aborted) return Promise.resolve(false)
    if (this.tryAcquire()) return Promise.resolve(true)
    return new Promise((resolve) => {
      const grant = (): void => {
        signal?.removeEventListener('abort', leave)
        resolve(true)
      }
      const leave = (): void => {
        this.#waiting.delete(grant)
        resolve(false)
      }
      this.#waiting.add(grant)
      signal?.addEventListener('abort', leave, { once: true })
    })
  }

  /** Returns a permit; the longest waiting caller gets it. */
  release(): void {
    const [next] = this.#waiting
    if (next) {
      this.#waiting.delete(next)
      return next()
    }
    this.#free++
    if (this.#free === this.#count) for (const resolve of this.#idleWaiters.splice(0)) resolve()
  }

  /** Resolves once no permit is taken. */
  async idle(): Promise<void> {
    if (this.#free < this.#count) await new Promise<void>((resolve) => this.#idleWaiters.push(resolve))
  }
}

/** Does `work` on each item, at most `limit` at once; resolves to the results in the order of the items. */
export const mapLimit = async <T, R>(items: readonly T[], limit: number, work: (item: T, index: number) => Promise<R>): Promise<R[]> => {
  const results: R[] = []
  let next = 0
  const runNext = async (): Promise<void> => {
    for (let index = next++; index < items.length; index = next++) results[index] = await work(items[index] as T, index)
  }
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, runNext))
  return results
}
