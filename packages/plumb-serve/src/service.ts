// What all requests share: the bindings, their limits, and what is counted.

import { fault, type Result, succeed } from '@plumb/wire'
import { openBodies, type ReadBody } from '@plumb/wire/http'
import { Places } from './access/places.js'
import type { Tokens } from './access/tokens.js'
import type { Binding, BindingRequest } from './binding/binding.js'
import type { Exchange } from './http/exchange.js'
import { Metrics } from './look/metrics.js'
import { Conversations, type MemoryTables } from './run/conversations.js'
import type { MemoryFiles } from './run/memory-files.js'
import { Questions } from './run/questions.js'
import type { Run } from './run/run.js'
import { type RunStore, Runs } from './run/runs.js'

export interface ServiceOptions {
  readonly bindings: readonly Binding[]
  readonly tokens: Tokens | undefined
  readonly maxBody: number
  readonly maxRequests: number
  readonly keepSeconds: number
  readonly conversations: number
  /** Where runs are kept. */
  readonly store: RunStore | undefined
  /** Where memories are kept: in files of a directory, or in tables. */
  readonly memoryFiles: MemoryFiles | undefined
  readonly memoryTables: MemoryTables | undefined
  /** What requests may spend, where that is kept. */
  readonly funds: { begin(): void; end(): void } | undefined
}

/** Bytes of all bodies on their way, in bodies of the largest size. */
const BODIES_AT_ONCE = 4
const BODY_STALL_MS = 30_000
const BODY_MS = 120_000

export class Service {
  readonly bindings: readonly Binding[]
  readonly tokens: Tokens | undefined
  readonly places: Places
  readonly metrics: Metrics
  readonly readBody: ReadBody
  /** In hand. */
  readonly #inHand = new Set<Run>()
  readonly runs: Runs
  readonly questions = new Questions()
  readonly conversations: Conversations
  readonly #keeps: boolean
  /** Of requests that wait for their turn in a conversation. */
  readonly #waiting = new Set<AbortController>()
  readonly #funds: ServiceOptions['funds']
  state: 'starting' | 'ready' | 'draining' = 'starting'

  constructor(options: ServiceOptions) {
    const { bindings, tokens, maxRequests, maxBody, keepSeconds, conversations, store } = options
    this.conversations = new Conversations(conversations, options.memoryFiles, options.memoryTables)
    const atOnce = Math.min(store?.atOnce ?? maxRequests, maxRequests)
    this.#keeps = store !== undefined
    this.#funds = options.funds
    this.runs = new Runs({
      keptMs: keepSeconds * 1000,
      atOnce,
      store,
      begin: (run) => this.begin(run),
      questions: this.questions,
      conversations: this.conversations,
    })
    this.bindings = bindings
    this.tokens = tokens
    this.places = new Places(maxRequests)
    this.metrics = new Metrics(bindings.map(({ name }) => name))
    const maxTotalBytes = maxBody * BODIES_AT_ONCE
    this.readBody = openBodies({ maxBytes: maxBody, maxTotalBytes, stallTimeout: BODY_STALL_MS, maxMs: BODY_MS })
  }

  /**
   * What the agents of a request remember at its beginning: of its conversation, if it names one, else `before` where it goes to an agent.
   * Resolves when it is its turn; a fault where its client has `left`, or the server ends.
   */
  async talk(
    { access }: Exchange,
    binding: Binding,
    id: string | undefined,
    left: AbortController,
    before: readonly unknown[] = [],
  ): Promise<Result<{ readonly memories: BindingRequest['memories']; end(): void }>> {
    if (id === undefined) {
      const isGiven = before.length > 0 && binding.isAgent
      return succeed({ memories: isGiven ? { of: () => before, keep: undefined } : undefined, end: () => {} })
    }
    const name = { owner: access?.name ?? '', binding: binding.name, id }
    this.#waiting.add(left)
    const entered = await this.conversations.enter(name, left.signal)
    this.#waiting.delete(left)
    return entered.ok ? succeed({ memories: this.conversations.memoriesOf(name), end: entered.value }) : entered
  }

  begin(run: Run): void {
    this.#inHand.add(run)
    this.#funds?.begin()
    this.metrics.begin(run.binding.name)
    void run.finished.then(() => {
      this.#inHand.delete(run)
      this.#funds?.end()
      this.metrics.end(run)
    })
  }

  /** Resolves when nothing is in hand that ends with the server. */
  async idle(): Promise<void> {
    await this.places.idle()
    if (!this.#keeps) await Promise.all([...this.#inHand].map(({ finished }) => finished))
  }

  /** At the end: what is still in hand is told that. */
  cancelAll(): void {
    this.runs.leave()
    for (const left of this.#waiting) left.abort()
    for (const run of this.#inHand) run.cancel(fault('cancelled', 'the server has ended before the answer was whole'))
  }
}
