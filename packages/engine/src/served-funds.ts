// The limits of plumb-serve with its runs in PostgreSQL (--max-cost, --max-calls, --max-total-tokens): what is spent of them stands in the tables,
// for all servers of one name, their workers, and the next start. A server borrows of it as a worker does, for what it works itself.

import { hostname } from 'node:os'
import type { Budget } from '@plumb/ledger'
import { type Fault, fault, type Result, succeed } from '@plumb/wire'
import { type Connection, checkSchema, connect } from './connection.js'
import type { Engine } from './engine.js'
import { Lending, type LendingLimits } from './lending.js'
import type { Database } from './look.js'
import { PostgresEngine } from './postgres.js'

export interface ServedFundsOptions extends Database {
  readonly limits: LendingLimits
  readonly warn: (error: Fault) => void
}

const CHECK_MS = 500
const FIRST_PAUSE_MS = 200
const LONGEST_PAUSE_MS = 5000

export class ServedFunds {
  readonly #o: ServedFundsOptions
  readonly #lending: Lending
  readonly #timer: NodeJS.Timeout
  #engine: Promise<PostgresEngine> | undefined
  #connection: Connection | undefined
  #inHand = 0
  #isClosed = false

  /** For all that is started from now on. */
  static open(options: ServedFundsOptions): Result<ServedFunds> {
    let opened: ServedFunds | undefined
    const own = (): ServedFunds => opened as ServedFunds
    const lending = Lending.open({
      engine: {
        lend: (loan) => own().#patiently((engine) => engine.lend(loan)),
        pace: (...of) => own().#patiently((engine) => engine.pace(...of)),
        paced: (...of) => own().#patiently((engine) => engine.paced(...of)),
      },
      run: RUN,
      limits: options.limits,
      nameOf: (agent) => agent,
      isAsked: () => own().#inHand > 0,
      fail: () => {},
      shared: new Map(),
    })
    if (!lending.ok) return lending
    opened = new ServedFunds(options, lending.value)
    return succeed(opened)
  }

  private constructor(options: ServedFundsOptions, lending: Lending) {
    this.#o = options
    this.#lending = lending
    this.#timer = setInterval(() => void this.#check().catch(() => {}), CHECK_MS).unref()
  }

  get budget(): Budget {
    return this.#lending.budget
  }

  /** A request is in hand, and may spend. */
  begin(): void {
    this.#inHand++
    this.#lending.listen()
  }

  end(): void {
    this.#inHand--
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    this.#isClosed = true
    const engine = await this.#engine?.catch(() => undefined)
    if (engine) await this.#lending.close().catch(() => {})
    await this.#connection?.close()
  }

  // What other servers have borrowed when they were killed counts as spent.
  async #check(): Promise<void> {
    await this.#lending.check()
    if (this.#inHand > 0) await (await this.#engine)?.reap()
  }

  /** A database that is away is waited for: nothing is spent meanwhile. */
  async #patiently<T>(work: (engine: Pick<Engine, 'lend' | 'pace' | 'paced'>) => Promise<T>): Promise<T> {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      try {
        return await work(await this.#connected())
      } catch (error) {
        if (this.#isClosed) throw error
        if (pauseMs === FIRST_PAUSE_MS)
          this.#o.warn(fault('engine_unavailable', `the limits of this server wait for the database: ${(error as Error).message}`))
        await new Promise((resolve) => setTimeout(resolve, pauseMs))
      }
    }
  }

  #connected(): Promise<PostgresEngine> {
    this.#engine ??= this.#open().catch((error: unknown) => {
      this.#engine = undefined
      throw error
    })
    return this.#engine
  }

  async #open(): Promise<PostgresEngine> {
    const { url, isInsecure } = this.#o
    const connection = await connect(url, isInsecure, true)
    const ready = connection.ok ? await checkSchema(connection.value) : connection
    if (!connection.ok || !ready.ok) throw new Error(ready.ok ? '' : ready.error.detail)
    this.#connection = connection.value
    connection.value.onNews(() => this.#lending.wake())
    void connection.value.lost.then(() => {
      this.#engine = undefined
    })
    return PostgresEngine.open(connection.value, { host: hostname(), digest: '', runs: [], parts: [], labels: [] })
  }
}

/** Limits of agents hold within a server. */
const RUN = '0'
