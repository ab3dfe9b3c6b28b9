// plumb work: serves the parts of runs of this spec, until it is asked to stop. When the database connection is lost, all messages in
// flight are dropped, since other workers take them; the worker reconnects as a new one.

import { hostname } from 'node:os'
import { type Fault, fault, onStop, type Reporter, type StopSignal } from '@plumb/wire'
import { connectWithRetries, FULL, type PatienceOptions } from './connect-with-retries.js'
import type { Connection } from './connection.js'
import type { RunRow } from './engine.js'
import { Lending, type LendingLimits, type LendingOptions, type SharedBalances } from './lending.js'
import type { StartPart } from './loaded-run.js'
import { PartAnswers } from './part-answers.js'
import { PartRunner } from './part-runner.js'
import type { PlacesOfAnswers } from './places-of-answers.js'
import { PostgresEngine } from './postgres.js'
import type { PlannedPart, RunPlan } from './run-plan.js'
import { PROTOCOL } from './schema.js'
import type { WorkerWatch } from './worker-watch.js'

export interface WorkerOptions extends PatienceOptions {
  /** Names; empty: all of this spec. */
  readonly runs: readonly string[]
  readonly parts: readonly string[]
  /** It serves pinned parts with one of these labels. */
  readonly labels: readonly string[]
  /** Maximum messages of a part in flight. Undefined: its default. */
  readonly slots: number | undefined
  readonly isOnce: boolean
  readonly retrySeconds: number
  /** Interval between progress lines; 0: no such lines. */
  readonly statusSeconds: number
  readonly plan: RunPlan
  readonly start: StartPart
  readonly places: PlacesOfAnswers
  readonly nameOfAgent: LendingOptions['nameOf']
  readonly watch: WorkerWatch
  readonly reporter: Reporter
}

const SLOTS = 100
/** A part of expressions alone computes while the database settles. */
const QUICK_SLOTS = 500
const NO_LIMITS: LendingLimits = { calls: null, tokens: null, cost: null }

const POLL_MS = 1000
/** After a connection was lost. */
const RECONNECT_MS = 200
const LOOK_MS = 500
const RENEW_MS = 10_000
/** Time for messages in flight after a signal. */
const GRACE_MS = 30_000

/** Resolves to the signal that stopped it, if one did. */
export const serve = async (options: WorkerOptions): Promise<StopSignal | undefined> => {
  const { reporter } = options
  let stoppedBy: StopSignal | undefined
  let session: Session | undefined
  const forget = onStop(
    (signal) => {
      stoppedBy = signal
      session?.stop()
    },
    () => session?.abandon(),
    { mayStay: true },
  )
  while (!stoppedBy) {
    const connection = await connectWithRetries(options, () => stoppedBy !== undefined)
    if (!connection.ok) {
      if (!stoppedBy) reporter.report(connection.error)
      break
    }
    // The signal came while it connected.
    if (stoppedBy) {
      await connection.value.close()
      break
    }
    session = new Session(options, connection.value)
    const lost = await session.run()
    if (!lost) break
    if (lost.error !== 'engine_unavailable') {
      reporter.report(lost)
      break
    }
    reporter.warn(lost)
    reporter.flush()
    await new Promise((resolve) => setTimeout(resolve, RECONNECT_MS))
  }
  forget()
  return stoppedBy
}

interface Served {
  readonly run: RunRow
  readonly runners: readonly PartRunner[]
  /** Undefined: nothing is limited. */
  readonly lending: Lending | undefined
}

/** As long as one connection lasts. */
class Session {
  readonly #runners = new Map<string, Served>()
  #state: 'on' | 'stopping' | 'over' = 'on'
  #end: (lost: Fault | undefined) => void = () => {}
  #isLooking = false
  readonly #shared: SharedBalances = new Map()

  constructor(
    private readonly o: WorkerOptions,
    private readonly connection: Connection,
  ) {}

  /** Resolves to the reason when the connection was lost. */
  async run(): Promise<Fault | undefined> {
    const ended = new Promise<Fault | undefined>((resolve) => {
      this.#end = resolve
    })
    void this.connection.lost.then((lost) => this.#end(lost))
    let engine: PostgresEngine | undefined
    const timers: NodeJS.Timeout[] = []
    try {
      const { plan, runs, labels } = this.o
      const parts = this.#served.map(({ id }) => id)
      engine = await PostgresEngine.open(this.connection, { host: hostname(), digest: plan.digest, runs, parts, labels })
      const live = engine
      this.connection.onFull(() => this.o.reporter.warn(FULL))
      this.connection.onNews(() => void this.#look(live).catch(this.#fail))
      const every = (ms: number, work: () => Promise<void>) => timers.push(setInterval(() => void work().catch(this.#fail), ms))
      every(POLL_MS, () => this.#look(live))
      every(LOOK_MS, () => this.#check(live))
      every(RENEW_MS, () => live.renew())
      const { statusSeconds } = this.o
      if (statusSeconds > 0) every(statusSeconds * 1000, async () => this.#writeStatus(live))
      await this.#look(live)
    } catch (error) {
      this.#fail(error)
    }
    const lost = await ended
    this.#state = 'over'
    for (const timer of timers) clearInterval(timer)
    const all = this.#all()
    for (const runner of all) runner.kill()
    if (!lost) for (const runner of all) await runner.giveBack().catch(() => {})
    for (const { lending } of this.#runners.values()) {
      if (lost) lending?.kill()
      else await lending?.close().catch(() => {})
    }
    await this.connection.close()
    return lost
  }

  get #served(): readonly PlannedPart[] {
    const { plan, parts } = this.o
    return plan.parts.filter(({ id, name }) => parts.length === 0 || parts.includes(name) || parts.includes(String(id)))
  }

  stop(): void {
    if (this.#state !== 'on') return
    this.#state = 'stopping'
    for (const runner of this.#all()) runner.stop()
    setTimeout(() => this.#end(undefined), GRACE_MS).unref()
    this.#endIfIdle()
  }

  abandon(): void {
    this.#end(undefined)
  }

  readonly #fail = (error: unknown): void => {
    if (this.#state !== 'over')
      this.#end(fault('engine_unavailable', `the database does not do what it is asked: ${(error as Error).message}`))
  }

  #all(): PartRunner[] {
    return [...this.#runners.values()].flatMap(({ runners }) => runners)
  }

  async #look(engine: PostgresEngine): Promise<void> {
    if (this.#isLooking || this.#state !== 'on') return
    this.#isLooking = true
    try {
      const { plan, runs } = this.o
      const open = await engine.runs()
      if (this.#state !== 'on') return
      const other = open.find(({ name, digest }) => runs.includes(name) && digest !== plan.digest)
      if (other) this.#end(fault('cannot_run', `run '${other.name}' is of another spec than this copy, or of other options`))
      const live = open.filter(
        ({ name, digest, protocol }) => digest === plan.digest && protocol === PROTOCOL && (runs.length === 0 || runs.includes(name)),
      )
      for (const [id, { run, runners, lending }] of this.#runners) {
        const now = live.find((one) => one.id === id)
        const isChanged = now !== undefined && now.limits !== run.limits
        if (isChanged) for (const runner of runners) runner.stop()
        if (now && !(isChanged && runners.every((runner) => runner.isIdle))) continue
        for (const runner of runners) await (isChanged ? runner.giveBack() : runner.close())
        this.#runners.delete(id)
        await lending?.close()
      }
      // A signal may have come meanwhile: what begins now would not be stopped.
      if (this.#state !== 'on') return
      for (const run of live) if (!this.#runners.has(run.id)) this.#runners.set(run.id, this.#open(engine, run))
      for (const { lending } of this.#runners.values()) lending?.wake()
    } finally {
      this.#isLooking = false
    }
    if (this.#state === 'on') await Promise.all(this.#all().map((runner) => runner.step()))
  }

  #open(engine: PostgresEngine, run: RunRow): Served {
    const { plan, slots, retrySeconds, start, nameOfAgent, reporter, watch, places } = this.o
    const limits = run.limits === null ? NO_LIMITS : (JSON.parse(run.limits) as LendingLimits)
    const isLimited = run.limits !== null || plan.hasAgentLimits
    const isAsked = () => runners.some((runner) => !runner.isIdle)
    const lent = { engine, run: run.id, limits, nameOf: nameOfAgent, isAsked, fail: this.#fail, shared: this.#shared }
    const opened = isLimited ? Lending.open(lent) : undefined
    if (opened?.ok === false) {
      reporter.report(opened.error)
      return { run, runners: [], lending: undefined }
    }
    const lending = opened?.value
    const shared = { engine, run: run.id, fail: this.#fail }
    const named = (said: Fault): Fault => ({ ...said, run: run.name })
    const mayServe = ({ id }: PlannedPart) => run.pins[id] === undefined || this.o.labels.includes(run.pins[id])
    const runners: readonly PartRunner[] = this.#served.filter(mayServe).map(
      (part) =>
        new PartRunner({
          engine,
          run: run.id,
          name: run.name,
          part,
          slots: slots ?? (part.isQuick ? QUICK_SLOTS : SLOTS),
          budget: lending?.budget,
          onTaken: () => lending?.listen(),
          limits: run.limits,
          keep: run.keep,
          openAnswers:
            run.keep || run.cache
              ? () => PartAnswers.open({ ...shared, part: part.id, cache: run.cache, isRecorded: run.keep, places })
              : undefined,
          isLogged: run.keep || watch.isTraced,
          onEvents: (events) => watch.saw(part, events),
          onSettled: (settlement, began) => watch.settled(run, part, settlement, began),
          retrySeconds,
          start: (part, memory, on) => start(part, memory, on, watch.serving(run, part)),
          warn: (warning) => reporter.warn(named(warning)),
          report: (error) => reporter.report(named(error)),
          fail: this.#fail,
        }),
    )
    return { run, runners, lending }
  }

  async #check(engine: PostgresEngine): Promise<void> {
    if (this.#state === 'stopping') return this.#endIfIdle()
    await engine.reap()
    for (const { lending } of this.#runners.values()) await lending?.check()
    for (const runner of this.#all()) {
      await runner.check()
      await runner.step()
    }
    if (!this.o.isOnce || this.#isLooking) return
    const over = await Promise.all([...this.#runners.keys()].map((id) => engine.isOver(id)))
    if (over.every((one) => one) && this.#all().every((runner) => runner.isIdle)) this.#end(undefined)
  }

  /** Writes one line to the log of the worker. */
  #writeStatus({ worker }: PostgresEngine): void {
    const parts = this.#all().map(({ status }) => status)
    this.o.reporter.write(JSON.stringify({ worker: { id: Number(worker), host: hostname(), time: new Date().toISOString(), parts } }))
    this.o.reporter.flush()
  }

  #endIfIdle(): void {
    if (this.#all().every((runner) => runner.isIdle)) this.#end(undefined)
  }
}
