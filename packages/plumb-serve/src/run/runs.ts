// Runs that are kept: asked for with `Prefer: respond-async`, or with an Idempotency-Key. Each belongs to a token.

import { randomUUID } from 'node:crypto'
import { fault, nowMs, type Result, Semaphore, succeed } from '@plumb/wire'
import type { Binding, BindingRequest } from '../binding/binding.js'
import type { ConversationName, Conversations } from './conversations.js'
import type { Questions } from './questions.js'
import { Run, type SavedRun } from './run.js'

export interface KeptRun {
  readonly run: Run
  /** The name of the token. */
  readonly owner: string
  readonly key: string | undefined
  /** Of what was asked. */
  readonly digest: string
  /** The memory that its agents have. */
  readonly conversation: string | undefined
}

export interface RunRequest {
  readonly binding: Binding
  readonly owner: string
  /** An Idempotency-Key. */
  readonly key: string | undefined
  readonly digest: string
  /** The memory that its agents have; it is worked here then. */
  readonly conversation: string | undefined
  /** All its lines. */
  readonly input: Buffer
  readonly events: ReadonlySet<string>
  readonly maxCost: number | undefined
  /** Of the client. */
  readonly traceparent?: string | undefined
}

/** One of before: `saved`, if it has ended. */
export interface FoundRun {
  readonly id: string
  readonly request: RunRequest
  readonly created: Date
  readonly saved: SavedRun | undefined
}

/** Where runs are kept beyond the life of the server. */
export interface RunStore {
  /** How many are worked at once. */
  readonly atOnce: number
  /** Before the client is told that its run is taken. The one that another server has taken by the same key, if there is one. */
  take(id: string, request: RunRequest, created: Date): Promise<Result<FoundRun | undefined>>
  /** `left`: the server ends, and what is not done waits for the next. `elsewhere`: another server has ended it. */
  work(id: string, request: RunRequest, ports: BindingRequest, left: AbortSignal): Promise<'done' | 'elsewhere'>
  /** Its spans are sent where it is worked. */
  tracesItself(request: RunRequest): boolean
  /** It has ended, and will not be worked again. */
  end(run: Run): Promise<void>
  forget(id: string): Promise<void>
  /** Those of before, the oldest first. */
  all(): Promise<Result<readonly FoundRun[]>>
  /** One that another server has taken. */
  find(id: string, owner: string): Promise<FoundRun | undefined>
  close(): Promise<void>
}

export interface RunsOptions {
  /** After its end (ms). */
  readonly keptMs: number
  readonly atOnce: number
  readonly store: RunStore | undefined
  readonly begin: (run: Run) => void
  readonly questions: Questions
  readonly conversations: Conversations
}

const DAY_MS = 86_400_000
/** Runs that wait or are kept. */
const MAX_RUNS = 100_000
const SWEEP_MS = 10_000

export class Runs {
  readonly #o: RunsOptions
  readonly #kept = new Map<string, KeptRun>()
  /** By owner and key. */
  readonly #byKey = new Map<string, KeptRun>()
  readonly #ends = new Map<string, number>()
  /** On their way to the store, by owner and key. */
  readonly #taking = new Map<string, Promise<unknown>>()
  readonly #permits: Semaphore
  readonly #left = new AbortController()

  constructor(options: RunsOptions) {
    this.#o = options
    this.#permits = new Semaphore(options.atOnce)
    setInterval(() => this.#sweep(), Math.min(SWEEP_MS, options.keptMs)).unref()
  }

  /** Undefined: there is none, or it is another's. */
  get(id: string, owner: string): Run | undefined {
    return this.kept(id, owner)?.run
  }

  kept(id: string, owner: string): KeptRun | undefined {
    const kept = this.#kept.get(id)
    return kept?.owner === owner ? kept : undefined
  }

  has(id: string): boolean {
    return this.#kept.has(id)
  }

  /** The oldest first. */
  of(owner: string): KeptRun[] {
    return [...this.#kept.values()].filter((kept) => kept.owner === owner)
  }

  /** Also one that another server has taken. */
  async find(id: string, owner: string): Promise<Run | undefined> {
    const own = this.get(id, owner)
    if (own || this.#kept.has(id)) return own
    const found = await this.#o.store?.find(id, owner)
    return found && (this.#kept.get(found.id)?.run ?? this.restore(found))
  }

  /** The run that has this key. A fault: it is of another request. */
  joined({ owner, key, digest }: Pick<RunRequest, 'owner' | 'key' | 'digest'>): Result<Run | undefined> {
    const kept = key === undefined ? undefined : this.#byKey.get(keyOf(owner, key))
    if (!kept || kept.digest === digest) return succeed(kept?.run)
    return { ok: false, error: fault('input_changed', 'this Idempotency-Key was used with another request') }
  }

  /** The one that has its key, if there is one. `owed`: the request waits for it, and has a place of its own. */
  async start(request: RunRequest, { isOwed }: { readonly isOwed: boolean }): Promise<Result<Run>> {
    const { owner, key } = request
    if (key === undefined) return this.#start(request, isOwed)
    const name = keyOf(owner, key)
    for (let taking = this.#taking.get(name); taking; taking = this.#taking.get(name)) await taking
    const joined = this.joined(request)
    if (!joined.ok || joined.value) return joined as Result<Run>
    const starting = this.#start(request, isOwed)
    this.#taking.set(name, starting)
    try {
      return await starting
    } finally {
      this.#taking.delete(name)
    }
  }

  async #start(request: RunRequest, isOwed: boolean): Promise<Result<Run>> {
    if (this.#kept.size >= MAX_RUNS) return { ok: false, error: fault('overloaded', `${this.#kept.size} runs are kept, and no more fit`) }
    const id = randomUUID()
    const created = new Date()
    const taken = (await this.#o.store?.take(id, request, created)) ?? succeed(undefined)
    if (!taken.ok) return taken
    if (!taken.value) return succeed(this.restore({ id, request, created, saved: undefined }, isOwed))
    const run = this.#kept.get(taken.value.id)?.run ?? this.restore(taken.value)
    const joined = this.joined(request)
    return joined.ok ? succeed(run) : joined
  }

  /** One that is there already goes on, or has ended. */
  restore({ id, request, created, saved }: FoundRun, isOwed = false): Run {
    const { binding, owner, key, digest, conversation, input, events, maxCost, traceparent } = request
    const { store } = this.#o
    let isElsewhere = false
    const perform = async (ports: BindingRequest, memories?: BindingRequest['memories']): Promise<void> => {
      // Its inputs are its own affair from here on.
      if (!isOwed && !(await this.#permits.acquire(ports.signal))) return
      try {
        if (ports.signal.aborted) return
        if (memories) await binding.run({ ...ports, memories })
        else if (store) isElsewhere = (await store.work(id, request, ports, this.#left.signal)) === 'elsewhere'
        else await binding.run(ports)
      } finally {
        if (!isOwed) this.#permits.release()
      }
    }
    const name = conversation === undefined ? undefined : { owner, binding: binding.name, id: conversation }
    const work = (ports: BindingRequest) => (name ? this.#talk(name, ports, perform) : perform(ports))
    const tracesItself = conversation === undefined && store?.tracesItself(request) === true
    const about = { events, maxCost, traceparent, tracesItself, questions: this.#o.questions }
    const run = new Run({ id, binding, isKept: true, work, created, saved, owner, ...about })
    this.#keep({ run, owner, key, digest, conversation })
    const keepMs = key === undefined ? this.#o.keptMs : DAY_MS
    if (saved) {
      this.#ends.set(id, nowMs() + keepMs + (run.ended?.getTime() ?? 0) - Date.now())
      return run
    }
    void run.writeBytes(input).then(() => run.endInput())
    this.#o.begin(run)
    void run.finished.then(() => {
      if (this.#left.signal.aborted && store && run.state === 'failed') return
      if (isElsewhere) return this.#drop(id)
      void store?.end(run)
      this.#ends.set(id, nowMs() + keepMs)
    })
    return run
  }

  /** What waits for its turn holds up no other conversation. */
  async #talk(
    name: ConversationName,
    ports: BindingRequest,
    perform: (ports: BindingRequest, memories: BindingRequest['memories']) => Promise<void>,
  ): Promise<void> {
    const { conversations } = this.#o
    const entered = await conversations.enter(name, ports.signal)
    if (!entered.ok) return ports.signal.aborted ? undefined : ports.report(entered.error)
    await perform(ports, conversations.memoriesOf(name))
    entered.value()
  }

  /** At the end of the server: runs that are kept go on with the next. */
  leave(): void {
    this.#left.abort()
  }

  async close(): Promise<void> {
    await this.#o.store?.close()
  }

  #keep(kept: KeptRun): void {
    this.#kept.set(kept.run.id, kept)
    if (kept.key !== undefined) this.#byKey.set(keyOf(kept.owner, kept.key), kept)
  }

  #sweep(): void {
    const now = nowMs()
    for (const [id, end] of this.#ends) {
      if (end > now) continue
      this.#drop(id)
      void this.#o.store?.forget(id)
    }
  }

  #drop(id: string): void {
    const kept = this.#kept.get(id)
    this.#ends.delete(id)
    this.#kept.delete(id)
    if (kept?.key !== undefined) this.#byKey.delete(keyOf(kept.owner, kept.key))
  }
}

const keyOf = (owner: string, key: string): string => JSON.stringify([owner, key])
