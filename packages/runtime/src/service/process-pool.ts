// The processes of one agent of a served binding: as many as there are requests in it at once, and after a while as few as one.

import { type Fault, fault, isRecord, nowMs, type Result, succeed } from '@plumb/wire'
import type { Spawned } from '../child/spawn.js'
import type { WarmProcess, WarmUse } from './warm-process.js'

export interface ProcessPoolOptions {
  readonly start: () => Promise<Result<WarmProcess>>
  /** It remembers: its memory is set for each request. */
  readonly remembers: boolean
  /** It takes control messages. */
  readonly isControlled: boolean
  /** One process answers any number of requests, and not only one. */
  readonly isReusable: boolean
}

export interface PooledLease {
  readonly spawned: Spawned
  /**
   * The graph has ended: the process is made ready for another request. Resolves to its memory, if it is asked for and it is one that remembers;
   * a fault: it ended before that could be read.
   */
  release(wantsMemory: boolean): Promise<Result<readonly unknown[] | undefined>>
  drop(): void
}

/** Processes that nothing has used for so long are ended, but for one. */
const IDLE_MS = 60_000
const SWEEP_MS = 15_000
const GRACE_MS = 2000

export class ProcessPool {
  readonly #o: ProcessPoolOptions
  readonly #idle: WarmProcess[] = []
  readonly #all = new Set<WarmProcess>()
  #isClosed = false
  readonly #timer: NodeJS.Timeout

  constructor(options: ProcessPoolOptions) {
    this.#o = options
    this.#timer = setInterval(() => this.#sweep(), SWEEP_MS).unref()
  }

  /** Starts one, and waits until it takes control. */
  async warm(): Promise<Result<void>> {
    const started = await this.#start()
    if (!started.ok) return started
    // One whose configuration is wrong has said so, and ended.
    if (this.#o.isControlled) await started.value.control({ get_memory: true })
    if (!started.value.isOver) this.#idle.push(started.value)
    return succeed(undefined)
  }

  /** With this memory, if it is one that remembers. */
  async take(use: WarmUse, memory: readonly unknown[] | undefined): Promise<Result<PooledLease>> {
    const process = await this.#next()
    if (!process.ok) return process
    const warm = process.value
    const hasMemory = this.#o.remembers && memory !== undefined && memory.length > 0
    if (hasMemory) {
      const set = await warm.control({ set_memory: memory, set_model: null })
      const refusal = set ? set.find(isRefusal) : NOT_ANSWERED
      if (refusal) {
        this.#putBack(warm, set !== undefined)
        return { ok: false, error: refusal }
      }
    }
    const lease = warm.lease(use, this.#o.isControlled && !hasMemory)
    return succeed({
      spawned: lease.spawned,
      drop: lease.drop,
      release: async (wantsMemory: boolean) => {
        const isWhole = await lease.ended
        if (!wantsMemory || !this.#o.remembers) {
          this.#putBack(warm, isWhole)
          return succeed(undefined)
        }
        const read = isWhole ? await warm.control({ get_memory: true }) : undefined
        this.#putBack(warm, isWhole)
        const memory = read?.find((reply) => isRecord(reply) && Array.isArray(reply.messages)) as { messages: unknown[] } | undefined
        return memory ? succeed(memory.messages) : { ok: false, error: NOT_READ }
      },
    })
  }

  /** Ends them all: those in hand are killed. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#timer)
    const idle = new Set(this.#idle.splice(0))
    await Promise.all([...this.#all].map((one) => (idle.has(one) ? one.end(GRACE_MS) : one.kill())))
  }

  async #next(): Promise<Result<WarmProcess>> {
    for (let one = this.#idle.pop(); one; one = this.#idle.pop()) {
      if (one.isOver) continue
      if (!this.#o.isReusable && this.#idle.length === 0) void this.#spare()
      return succeed(one)
    }
    if (!this.#o.isReusable) void this.#spare()
    return this.#start()
  }

  /** The next request need not wait for a start. */
  async #spare(): Promise<void> {
    const started = await this.#start()
    if (started.ok) this.#idle.unshift(started.value)
  }

  async #start(): Promise<Result<WarmProcess>> {
    const started = await this.#o.start()
    if (!started.ok) return started
    this.#all.add(started.value)
    if (this.#isClosed) started.value.kill()
    return started
  }

  /** One that has ended by itself. */
  forget(process: WarmProcess): void {
    this.#all.delete(process)
    const at = this.#idle.indexOf(process)
    if (at >= 0) this.#idle.splice(at, 1)
  }

  #putBack(process: WarmProcess, isWhole: boolean): void {
    const mayStay = isWhole && this.#o.isReusable && !process.hasAsked && !process.isOver && !this.#isClosed
    if (mayStay) this.#idle.push(process)
    else if (!process.isOver) void process.end(GRACE_MS)
  }

  #sweep(): void {
    const before = nowMs() - IDLE_MS
    while (this.#idle.length > 1 && (this.#idle[0] as WarmProcess).lastUsedMs < before) void this.#idle.shift()?.end(GRACE_MS)
  }
}

const isRefusal = (reply: unknown): reply is Fault => isRecord(reply) && reply.kind === 'error'

const NOT_READ = fault(
  'child_failed',
  'the agent ended before what it remembers could be read: this turn of the conversation is not remembered',
)
const NOT_ANSWERED = fault('child_failed', 'an agent did not take the memory of its conversation')
