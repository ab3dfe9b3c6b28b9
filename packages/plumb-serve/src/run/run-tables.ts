// Runs in PostgreSQL (--on): they outlive the server, their parts are worked by `plumb work`, which the server has beside it for each binding, and
// several servers may share them. What no worker can do is worked in the server, from its beginning again after a kill.

import type { PersonAsked, Said, ServedFunds, ServedRow, ServedTables, SharedLimits, Spending } from '@plumb/engine'
import { readPrices, setCurrentBudget } from '@plumb/ledger'
import { skippedWhy } from '@plumb/ledger/approval'
import { answerCheck } from '@plumb/runtime/service'
import { type Fault, type Reporter, type Result, succeed } from '@plumb/wire'
import type { Binding, BindingRequest, PlannedService } from '../binding/binding.js'
import type { ServeOptions } from '../options.js'
import type { Run } from './run.js'
import type { FoundRun, RunRequest, RunStore } from './runs.js'
import { foundRun, savedRequest } from './saved-run.js'

export interface RunTablesOptions {
  readonly url: string
  readonly isInsecure: boolean
  readonly bindings: readonly Binding[]
  readonly limits: ServeOptions['limits']
  readonly reporter: Reporter
}

type Telemetry = Parameters<NonNullable<BindingRequest['telemetry']>>[0]

export class RunTables implements RunStore {
  readonly atOnce = 16
  readonly #o: RunTablesOptions
  readonly #plans: ReadonlyMap<string, PlannedService>
  readonly #workers = new Map<string, Promise<void>>()
  readonly #stop = new AbortController()

  private constructor(
    options: RunTablesOptions,
    /** For clients, which do not wait behind the runs. */
    readonly tables: ServedTables,
    private readonly followed: ServedTables,
    /** Undefined: nothing is limited. */
    readonly funds: ServedFunds | undefined,
    plans: ReadonlyMap<string, PlannedService>,
  ) {
    this.#o = options
    this.#plans = plans
  }

  static async open(options: RunTablesOptions): Promise<Result<RunTables>> {
    const { ServedTables } = await import('@plumb/engine')
    const { bindings, reporter } = options
    const open = () => new ServedTables(options, (warning) => reporter.warn(warning))
    const tables = open()
    const reached = await tables.once(async () => undefined)
    if (!reached.ok) return reached
    const shared = sharedLimits(options)
    const funds = shared && (await openFunds(options, shared))
    if (funds?.ok === false) return funds
    const plans = new Map<string, PlannedService>()
    for (const binding of bindings) {
      const planned = await binding.planForWorkers(shared)
      if (planned.ok) plans.set(binding.name, planned.value)
      else reporter.warn({ ...planned.error, detail: `runs of '${binding.name}' are worked in the server itself: ${planned.error.detail}` })
    }
    return succeed(new RunTables(options, tables, open(), funds?.value, plans))
  }

  async take(id: string, request: RunRequest, created: Date): Promise<Result<FoundRun | undefined>> {
    const { owner, key, input } = request
    const taken = await this.tables.take({ id, owner, key, request: savedRequest(request, created), input })
    if (!taken.ok) return taken
    if (taken.value) return foundRun(taken.value, this.#o.bindings)
    if (!this.#isForWorkers(request)) await this.tables.claim(id)
    return succeed(undefined)
  }

  async work(id: string, { binding, input, maxCost }: RunRequest, ports: BindingRequest, left: AbortSignal): Promise<'done' | 'elsewhere'> {
    const planned = this.#plans.get(binding.name)
    if (!planned) {
      await binding.run(ports)
      return 'done'
    }
    this.#startWorker(binding)
    const { ServedRun } = await import('@plumb/engine')
    const run = new ServedRun({
      ...{ tables: this.followed, id, plan: planned.plan, input, limits: planned.limitsOf(maxCost), signal: ports.signal, left },
      write: (line) => void ports.stdout.write(Buffer.from(`${line}\n`), () => {}),
      report: ports.report,
      spent: (spending) => ports.telemetry?.(usageOf(spending)),
      ask: (asked, signal) => askBy(ports, asked, signal),
    })
    return (await run.run()) ? 'done' : 'elsewhere'
  }

  tracesItself(request: RunRequest): boolean {
    return this.#isForWorkers(request)
  }

  end(run: Run): Promise<void> {
    return this.followed.end(run.id, JSON.stringify(run.saved))
  }

  forget(id: string): Promise<void> {
    return this.followed.forget(id)
  }

  async all(): Promise<Result<readonly FoundRun[]>> {
    const rows = await this.tables.all()
    if (!rows.ok) return rows
    const found: FoundRun[] = []
    for (const row of rows.value) found.push(...(await this.#mine(row)))
    return succeed(found)
  }

  async find(id: string, owner: string): Promise<FoundRun | undefined> {
    const row = await this.tables.find(id, owner)
    return row.ok && row.value ? (await this.#mine(row.value))[0] : undefined
  }

  /** Ends its workers. */
  async close(): Promise<void> {
    this.#stop.abort()
    await Promise.all(this.#workers.values())
    await Promise.all([this.tables.close(), this.followed.close(), this.funds?.close()])
  }

  /** None: another server works on it, or nothing like it is served here. */
  async #mine(row: ServedRow): Promise<readonly FoundRun[]> {
    const found = foundRun(row, this.#o.bindings)
    if (!found.ok) {
      this.#o.reporter.warn(found.error)
      return []
    }
    const { saved, request, id } = found.value
    return saved || this.#isForWorkers(request) || (await this.tables.claim(id)) ? [found.value] : []
  }

  #isForWorkers({ binding, conversation }: RunRequest): boolean {
    return conversation === undefined && this.#plans.has(binding.name)
  }

  #startWorker(binding: Binding): void {
    if (this.#workers.has(binding.name) || this.#stop.signal.aborted) return
    this.#workers.set(binding.name, binding.runWorker(this.#o, this.#stop.signal))
  }
}

/** Of all servers of these bindings. Undefined: nothing is limited. */
const sharedLimits = ({ bindings, limits: { maxCalls, maxTotalTokens, maxCost } }: RunTablesOptions): SharedLimits | undefined => {
  if ([maxCalls, maxTotalTokens, maxCost].every((limit) => limit === undefined)) return undefined
  const name = bindings.map((binding) => binding.name).sort()
  return { name: name.join(','), calls: maxCalls ?? null, tokens: maxTotalTokens ?? null, cost: maxCost ?? null }
}

/** For the processes of the server itself. */
const openFunds = async ({ url, isInsecure, limits, reporter }: RunTablesOptions, shared: SharedLimits): Promise<Result<ServedFunds>> => {
  const { ServedFunds } = await import('@plumb/engine')
  const prices = limits.prices === undefined ? succeed(undefined) : readPrices(limits.prices)
  if (!prices.ok) return prices
  const all = { calls: null, tokens: null, cost: null, prices: prices.value, shared }
  const funds = ServedFunds.open({ url, isInsecure, limits: all, warn: (warning) => reporter.warn(warning) })
  if (funds.ok) setCurrentBudget(funds.value.budget)
  return funds
}

const usageOf = (spending: Spending): Telemetry => ({ kind: 'usage', ms: 0, ...spending }) as unknown as Telemetry

/** Undefined: nobody answers any more. */
const askBy = async (
  { approve, ask }: BindingRequest,
  { agent, tool, prompt, input, schema, wrong }: PersonAsked,
  signal: AbortSignal,
): Promise<Said | undefined> => {
  if (tool !== undefined) {
    const consent = await approve({ agent, tool, input, wrong }, signal)
    if (typeof consent === 'boolean') return { isApproved: consent }
    return 'denied' in consent ? { isApproved: false, why: consent.denied } : consent
  }
  const answered = await ask({ agent, prompt, input, schema, check: answerCheck(schema), n: 0 }, signal)
  if (answered.ok) return { isApproved: true, answer: answered.value }
  return isGone(answered.error) ? undefined : { isApproved: false, why: skippedWhy(answered.error) }
}

const isGone = ({ error }: Fault): boolean => error === 'cancelled'
