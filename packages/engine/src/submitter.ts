// plumb run --on: sends standard input to the workers, and writes outputs as they arrive. The tables count the lines read and written, so
// that the same command continues where it stopped.
//
//   input     since                                                 lines are submitted   outputs are written
//   open      the start                                             yes                   yes
//   closed    the end of input, a drained run, the first error      no                    yes, until the run is done
//             under --fail-fast
//   stopped   stop()                                                no                    no: the run goes on without this process

import type { Rejects } from '@plumb/runtime/record'
import { type Fault, fail, fault, type LineReader, type Result, succeed } from '@plumb/wire'
import { beginRun } from './begin-run.js'
import { connectWithRetries, FULL, type PatienceOptions } from './connect-with-retries.js'
import type { Connection, Query } from './connection.js'
import type { NewMessage } from './engine.js'
import type { KeptRun } from './kept-run.js'
import { Outcome, type OutcomeOptions } from './outcome.js'
import { insertMessages, MAX_WAITING } from './postgres.js'
import type { RunCounts } from './run-counts.js'
import type { SharedCache } from './shared-cache.js'
import { SubmittedInput } from './submitted-input.js'

export interface SubmitOptions extends PatienceOptions, Omit<OutcomeOptions, 'onErrors'> {
  /** In the format of `plumb.run`. Undefined: keep its present limits. */
  readonly limits: string | undefined
  /** From now on. Undefined: no deadline. */
  readonly deadlineMs: number | undefined
  readonly isDetached: boolean
  /** After the first error nothing more is delivered. */
  readonly isFailFast: boolean
  /** Opens the file of failed inputs; `isAppended`: some have failed before. */
  readonly openRejects: ((isAppended: boolean) => Result<Rejects>) | undefined
  readonly reader: LineReader
  /** Events are stored in the tables. */
  readonly isKept: boolean
  /** Labels of workers, by the numbers of the parts that only those have. */
  readonly pins: ReadonlyMap<number, string>
  /** Writes those events at the end. Undefined: they are not written. */
  readonly kept: KeptRun | undefined
  /** Undefined: no answers are kept for other runs. */
  readonly cache: SharedCache | undefined
  /** The counts to show. Undefined: none. `onBegun` gets the milliseconds since the start. */
  readonly shown: { readonly counts: RunCounts; readonly onBegun: (ago: number) => void } | undefined
}

/** The lock key of a process that submits a run. */
const SUBMITTERS = 0x706c7573
const POLL_MS = 1000
/** Minimum interval between counts for the display. */
const COUNT_MS = 1000
const BATCH = 500

export class Submitter {
  readonly #o: SubmitOptions
  #run = ''
  readonly #input: SubmittedInput
  readonly #outcome: Outcome
  #state: 'open' | 'closed' | 'stopped' = 'open'
  /** The run was done before this command: only its record is to be written. */
  #wasDone = false
  /** An input has failed, and --fail-fast has not ended the run yet. */
  #hasFailed = false
  /** Messages that may be submitted before the queues are checked. */
  #room = 0
  readonly #counting = new Interval(COUNT_MS)
  readonly #copying = new Interval(COUNT_MS)
  #wake: () => void = () => {}

  constructor(options: SubmitOptions) {
    this.#o = options
    const fail = (...errors: readonly Fault[]): void => {
      this.#hasFailed = true
      this.#input.reject(errors)
    }
    this.#input = new SubmittedInput({ ...options, onError: fail })
    this.#outcome = new Outcome({ ...options, onErrors: (errors) => fail(...errors) })
  }

  /** Call it when lines arrive, or when there is space for outputs. */
  wake(): void {
    this.#wake()
  }

  /** Submits no more input; submitted messages continue. */
  stop(): void {
    this.#state = 'stopped'
    this.#wake()
  }

  /** Call it when outputs can no longer be written. */
  failWith(failed: Fault): void {
    this.#outcome.failWith(failed)
  }

  /** Rejects a line that is too long. */
  rejectPiece(piece: Buffer, isEnd: boolean): void {
    this.#input.rejectPiece(piece, isEnd)
  }

  /** Returns undefined when the run is done, or continues without this process. */
  async run(): Promise<Fault | undefined> {
    const { reporter } = this.#o
    for (let isFirst = true; ; isFirst = false) {
      const connection = await connectWithRetries(this.#o, () => this.#isStopped)
      if (!connection.ok) return connection.error
      let isLost = false
      connection.value.onFull(() => reporter.warn(FULL))
      void connection.value.lost.then(() => {
        isLost = true
        this.#wake()
      })
      try {
        const begun = await this.#begin(connection.value, isFirst)
        if (!begun.ok) return begun.error
        const end = await this.#serve(connection.value, () => isLost)
        if (!isLost) await this.#o.cache?.copyBack(connection.value.query, this.#run)
        if (!isLost && !this.#isStopped) await this.#o.kept?.write(connection.value.query, this.#run)
        if (!isLost) return end
      } catch (error) {
        if (!isLost) reporter.warn(fault('engine_unavailable', `the database refused a statement: ${(error as Error).message}`))
      } finally {
        if (!isLost) await this.#count(connection.value, true).catch(() => {})
        await connection.value.close()
      }
    }
  }

  get #isStopped(): boolean {
    return this.#state === 'stopped'
  }

  #close(): void {
    if (this.#state === 'open') this.#state = 'closed'
  }

  async #begin(connection: Connection, isFirst: boolean): Promise<Result<void>> {
    const { name, plan, limits = null, deadlineMs, isKept, pins, kept, cache } = this.#o
    const isNew = await connection.transaction(
      async (query) => (await beginRun(query, { name, plan, limits, isKept, pins, cache: cache?.options })) !== undefined,
    )
    const { rows } = await connection.query(
      'SELECT id, digest, state, taken, seen, written, host, keep, cache, begun::text AS begun, extract(epoch FROM now() - begun) * 1000 AS ago FROM plumb.run WHERE name = $1',
      [name],
    )
    const run = rows[0] ?? {}
    if (run.digest !== plan.digest)
      return fail('run_exists', `run '${name}' is of another spec, or of other options; begun on ${run.host} at ${run.begun}`)
    if (isFirst && isKept && run.keep !== true)
      return fail('run_exists', `run '${name}' keeps nothing of what happens in it: --keep, --record and --trace are for its first command`)
    if (isFirst && cache && run.cache === null)
      return fail('run_exists', `run '${name}' keeps no answers: --cache is for its first command`)
    const isOver = run.state === 'done' || run.state === 'cancelled'
    if (isFirst && isOver && !kept && !cache)
      return fail('run_exists', `run '${name}' is ${run.state}; begun on ${run.host} at ${run.begun}. Another name begins a new one`)
    const { rows: locked } = await connection.query('SELECT pg_try_advisory_lock($1, $2::int) AS is_free', [SUBMITTERS, run.id])
    if (locked[0]?.is_free !== true)
      return fail('run_exists', `another process submits run '${name}' now; it was begun on ${run.host} at ${run.begun}`)
    const cut = isFirst ? this.#o.output?.cutTo(Number(run.written)) : undefined
    if (cut) return { ok: false, error: cut }
    this.#run = String(run.id)
    this.#wasDone = isOver
    if (isFirst && isOver) return succeed(undefined)
    this.#room = 0
    await cache?.copyIn(connection, this.#run)
    if (isFirst) await connection.query(GO_ON, [run.id, limits, deadlineMs === undefined ? null : deadlineMs / 1000])
    if (isFirst) this.#o.shown?.onBegun(Number(run.ago))
    const before = { state: String(run.state), taken: Number(run.taken), seen: String(run.seen) }
    return this.#input.begin(before, isFirst ? { isAppended: isNew !== true } : undefined)
  }

  async #serve(connection: Connection, isLost: () => boolean): Promise<Fault | undefined> {
    const { isDetached, isFailFast, writer, reporter } = this.#o
    let hasNews = true
    connection.onNews(() => {
      hasNews = true
      this.#wake()
    })
    // Only its record is still to be written.
    if (this.#wasDone && this.#input.taken === 0) return undefined
    for (;;) {
      if (isLost()) return undefined
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve
      })
      const changed = await this.#submit(connection)
      if (typeof changed !== 'boolean') return changed
      if (this.#isStopped) return undefined
      if (isDetached) {
        hasNews = false
        if (this.#state === 'closed') return undefined
      } else if (hasNews && !writer.isFull) {
        hasNews = false
        const fetched = await this.#outcome.fetch(connection, this.#run)
        if ('error' in fetched) return fetched
        if (fetched.isClosed && this.#input.wasOpen && this.#state === 'open') {
          this.#close()
          reporter.report(this.#drained(this.#input.taken))
        }
        if (this.#hasFailed && isFailFast) await this.#endEarly(connection)
        await this.#count(connection)
        await this.#copyBack(connection)
        const { comes } = fetched
        if (comes === 'more') hasNews = true
        else if (comes === 'parked') return this.#outcome.parked(connection, this.#run)
        else if (comes === 'asks') return this.#outcome.asks(connection, this.#run)
        else if (comes !== 'waits') return comes === 'done' ? undefined : CANCELLED
      }
      if (changed || (hasNews && !writer.isFull)) continue
      const timer = setTimeout(() => {
        hasNews = true
        this.#wake()
      }, POLL_MS)
      await woken
      clearTimeout(timer)
    }
  }

  /** Counts again for the display, if the last count is old enough. */
  async #count({ query }: Connection, isLast = false): Promise<void> {
    const { shown } = this.#o
    if (!shown || this.#run === '' || (!isLast && !this.#counting.isDue)) return
    await shown.counts.read(query, this.#run)
    this.#counting.begin()
  }

  /** If the last time is long enough ago. */
  async #copyBack({ query }: Connection): Promise<void> {
    if (!this.#o.cache || !this.#copying.isDue) return
    await this.#o.cache.copyBack(query, this.#run)
    this.#copying.begin()
  }

  /** After the first error of --fail-fast: messages in flight get a short time to finish; no others are delivered. */
  async #endEarly(connection: Connection): Promise<void> {
    this.#hasFailed = false
    this.#close()
    await connection.query(END_EARLY, [this.#run, JSON.stringify(FIRST_ERROR)])
    await connection.query('NOTIFY plumb')
  }

  /** Whether there was anything to submit; a fault ends it. */
  async #submit(connection: Connection): Promise<boolean | Fault> {
    const { reader, plan, reporter } = this.#o
    if (this.#state !== 'open') return false
    const isCrowded = await this.#isCrowded(connection)
    if (this.#input.mayPrune) await this.#prune(connection)
    const read = isCrowded ? undefined : this.#input.read(BATCH)
    if (read) return read
    const { lines } = this.#input
    const isOver = reader.hasEnded
    if (isOver && this.#input.isShort) return this.#input.changed()
    if (lines.length === 0 && !isOver) return false
    const last = lines.at(-1)
    const isTaken = await connection.transaction(async (query: Query) => {
      // Drained, or cancelled: no more input is read.
      const { rowCount } = await query("SELECT 1 FROM plumb.run WHERE id = $1 AND state = 'open' FOR UPDATE", [this.#run])
      if (rowCount !== 1) return undefined
      const messages = lines.flatMap(({ seq, value }) =>
        value === '' ? [] : plan.entrance.map((target): NewMessage => ({ ...target, ord: `{${seq}}`, origin: String(seq), value })),
      )
      await insertMessages(query, this.#run, messages)
      if (last) await query('UPDATE plumb.run SET taken = $2, seen = $3 WHERE id = $1', [this.#run, last.seq, last.seen])
      if (isOver) await query("UPDATE plumb.run SET state = 'closed' WHERE id = $1 AND state = 'open'", [this.#run])
      await query('NOTIFY plumb')
      return true
    })
    if (!isTaken) {
      if (lines.length > 0) reporter.report(this.#drained(Number(lines[0]?.seq) - 1))
      this.#input.submitted()
      this.#close()
      return true
    }
    this.#room -= lines.length * plan.entrance.length
    this.#input.submitted()
    if (isOver) this.#close()
    return true
  }

  #drained(taken: number): Fault {
    return fault('cancelled', `run '${this.#o.name}' takes no more input: it took ${taken} lines, and ends when they are done`)
  }

  async #prune(connection: Connection): Promise<void> {
    const { rows } = await connection.query(OLDEST, [this.#run])
    this.#input.prune(rows[0]?.oldest == null ? undefined : Number(rows[0].oldest))
  }

  /** Checks the queues again once the known space is used up. */
  async #isCrowded(connection: Connection): Promise<boolean> {
    if (this.#room > 0) return false
    const { rows } = await connection.query(
      'SELECT count(*) AS waiting FROM (SELECT 1 FROM plumb.message WHERE run = $1 AND part = ANY ($2::int[]) LIMIT $3) m',
      [this.#run, this.#o.plan.entrance.map(({ part }) => part), MAX_WAITING],
    )
    this.#room = MAX_WAITING - Number(rows[0]?.waiting)
    return this.#room <= 0
  }
}

/** At most once in so many milliseconds. */
class Interval {
  #begun = Number.NEGATIVE_INFINITY

  constructor(readonly ms: number) {}

  get isDue(): boolean {
    return performance.now() >= this.#begun + this.ms
  }

  begin(): void {
    this.#begun = performance.now()
  }
}

const CANCELLED = fault('cancelled', 'the run was cancelled')
const FIRST_ERROR = fault('cancelled', 'the first error ends the run (--fail-fast)')

/** Earlier spending counts; the present limits and deadline apply. */
const GO_ON = `
UPDATE plumb.run SET limits = coalesce($2, limits), parked = NULL, ends = now() + $3::float8 * interval '1 s' WHERE id = $1`

const END_EARLY = `
UPDATE plumb.run SET parked = coalesce(parked, $2), ends = least(ends, now()), state = CASE state WHEN 'open' THEN 'closed' ELSE state END
WHERE id = $1 AND state IN ('open', 'closed')`

/** The first input with something unfinished, or not reported. */
const OLDEST = `
SELECT least((SELECT min(origin) FROM plumb.message WHERE run = $1), (SELECT min(origin) FROM plumb.letter WHERE run = $1 AND NOT reported)) AS oldest`
