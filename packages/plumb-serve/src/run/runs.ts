// Runs that are kept: asked for with `Prefer: respond-async`, or with an Idempotency-Key. Each belongs to a token.

import { randomUUID } from 'node:crypto'
import { type Fault, fault, nowMs, type Result, Semaphore, succeed } from '@plumb/wire'
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

/** Where runs are kept beyond the life of the server. */
export interface RunFiles {
  /** Before the client is told that its run is taken. */
  take(id: string, request: RunRequest, created: Date): Fault | undefined
  work(id: string, request: Pick<RunRequest, 'binding' | 'input'>, ports: BindingRequest): Promise<void>
  /** It has ended, and will not be worked again. */
  end(run: Run): void
  forget(id: string): void
}

interface Restored {
  readonly id: string
  readonly request: RunRequest
  readonly created: Date
  readonly saved: SavedRun | undefined
}

export interface RunsOptions {
  /** After its end (ms). */
  readonly keptMs: number
  readonly atOnce: number
  readonly files: RunFiles | undefined
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
  readonly #permits: Semaphore
  #isClosing = false

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

  /** The run that has this key. A fault: it is of another request. */
  joined({ owner, key, digest }: Pick<RunRequest, 'owner' | 'key' | 'digest'>): Result<Run | undefined> {
    const kept = key === undefined ? undefined : this.#byKey.get(JSON.stringify([owner, key]))
    if (!kept || kept.digest === digest) return succeed(kept?.run)
    return { ok: false, error: fault('input_changed', 'this Idempotency-Key was used with another request') }
  }

  /** `owed`: the request waits for it, and has a place of its own. */
  start(request: RunRequest, { isOwed }: { readonly isOwed: boolean }): Result<Run> {
    if (this.#kept.size >= MAX_RUNS) return { ok: false, error: fault('overloaded', `${this.#kept.size} runs are kept, and no more fit`) }
    const id = randomUUID()
    const created = new Date()
    const refused = this.#o.files?.take(id, request, created)
    if (refused) return { ok: false, error: refused }
    return succeed(this.restore({ id, request, created, saved: undefined }, isOwed))
  }

  /** One that is there already goes on, or has ended. */
  restore({ id, request, created, saved }: Restored, isOwed = false): Run {
    const { binding, owner, key, digest, conversation, input, events, maxCost, traceparent } = request
    const { files } = this.#o
    const work = async (ports: BindingRequest): Promise<void> => {
      // Its inputs are its own affair from here on.
      if (!isOwed && !(await this.#permits.acquire(ports.signal))) return
      try {
        if (ports.signal.aborted) return
        if (conversation !== undefined) await this.#talk({ owner, binding: binding.name, id: conversation }, binding, ports)
        else await (files ? files.work(id, { binding, input }, ports) : binding.run(ports))
      } finally {
        if (!isOwed) this.#permits.release()
      }
    }
    const tracesItself = files !== undefined && conversation === undefined
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
      if (this.#isClosing && files && run.state === 'failed') return
      files?.end(run)
      this.#ends.set(id, nowMs() + keepMs)
    })
    return run
  }

  async #talk(name: ConversationName, binding: Binding, ports: BindingRequest): Promise<void> {
    const { conversations } = this.#o
    const leave = await conversations.enter(name)
    await binding.run({ ...ports, memories: conversations.memoriesOf(name) })
    leave()
  }

  /** At the end of the server: runs with files go on with the next. */
  close(): void {
    this.#isClosing = true
  }

  #keep(kept: KeptRun): void {
    this.#kept.set(kept.run.id, kept)
    if (kept.key !== undefined) this.#byKey.set(JSON.stringify([kept.owner, kept.key]), kept)
  }

  #sweep(): void {
    const now = nowMs()
    for (const [id, end] of this.#ends) {
      if (end > now) continue
      const kept = this.#kept.get(id)
      this.#ends.delete(id)
      this.#kept.delete(id)
      if (kept?.key !== undefined) this.#byKey.delete(JSON.stringify([kept.owner, kept.key]))
      this.#o.files?.forget(id)
    }
  }
}
