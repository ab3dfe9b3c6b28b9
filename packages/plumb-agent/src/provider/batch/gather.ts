// Collects requests for one batch: sent when none has come for a while, when the first has waited for long, or when a limit is reached.

import type { Waiting } from './waiting.js'

export interface RequestGatherOptions {
  readonly maxRequests: number
  readonly maxBytes: number
  /** Bytes of a request other than its body. */
  readonly entryBytes: number
  readonly quietMs: number
  readonly send: (requests: readonly Waiting[]) => void
}

/** The maximum wait of the first request, in multiples of the quiet time, while others come one by one. */
const MOST_WAITS = 60

export class RequestGather {
  readonly #o: RequestGatherOptions
  #requests = new Set<Waiting>()
  #bytes = 0
  #quiet: NodeJS.Timeout | undefined
  #latest: NodeJS.Timeout | undefined

  constructor(options: RequestGatherOptions) {
    this.#o = options
  }

  add(waiting: Waiting): void {
    const { maxRequests, maxBytes, quietMs } = this.#o
    const bytes = this.#bytesOf(waiting)
    if (this.#bytes + bytes > maxBytes) this.#send()
    this.#requests.add(waiting)
    this.#bytes += bytes
    waiting.drop = () => this.#drop(waiting)
    if (this.#requests.size === maxRequests) return this.#send()
    clearTimeout(this.#quiet)
    this.#quiet = setTimeout(() => this.#send(), quietMs)
    this.#latest ??= setTimeout(() => this.#send(), quietMs * MOST_WAITS)
  }

  #bytesOf({ bytes }: Waiting): number {
    return bytes + this.#o.entryBytes
  }

  #drop(waiting: Waiting): void {
    if (this.#requests.delete(waiting)) this.#bytes -= this.#bytesOf(waiting)
    if (this.#requests.size === 0) this.#stop()
  }

  #stop(): void {
    clearTimeout(this.#quiet)
    clearTimeout(this.#latest)
    this.#latest = undefined
  }

  #send(): void {
    this.#stop()
    const requests = [...this.#requests]
    this.#requests = new Set()
    this.#bytes = 0
    if (requests.length > 0) this.#o.send(requests)
  }
}
