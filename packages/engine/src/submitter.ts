// plumb run --on: sends standard input to the workers, and writes outputs as they arrive. The tables count the lines read and written, so
// that the same command continues where it stopped.

import { hostname } from 'node:os'
import type { Rejects } from '@plumb/runtime/record'
import { type Fault, fail, fault, type LineReader, type Result, sha256Of, succeed } from '@plumb/wire'
import { connectWithRetries, FULL, type PatienceOptions } from './connect-with-retries.js'
import type { Connection, Query } from './connection.js'
import type { NewMessage } from './engine.js'
import type { KeptRun } from './kept-run.js'
import { Outcome, type OutcomeOptions } from './outcome.js'
import { insertMessages, MAX_WAITING } from './postgres.js'
import type { RunCounts } from './run-counts.js'
import { PROTOCOL } from './schema.js'
import type { SharedCache } from './shared-cache.js'

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
/** After so many lines, lines that cannot fail any more are dropped. */
const PRUNE_LINES = 1024

interface Line {
  readonly seq: number
  readonly value: string
  /** Of all lines up to this one. */
  readonly seen: string
}

export class Submitter {
  readonly #o: SubmitOptions
  #run = ''
  /** Lines that were read. */
  #taken = 0
  #seen = ''
  /** Those among them that the tables may lack. */
  #waiting: Line[] = []
  /** Lines that an earlier command has submitted. */
  #before = { state: 'open', taken: 0, seen: '' }
  readonly #outcome: Outcome
  #rejects: Rejects | undefined
  /** Earlier inputs cannot fail any more. */
  #oldest = 0
  #hasFailed = false
  /** Messages that may be submitted before the queues are checked. */
  #room = 0
  #isClosed = false
  #isStopped = false
  #isOver = false
  #countedAt = Number.NEGATIVE_INFINITY
  #copiedAt = Number.NEGATIVE_INFINITY
  #wake: () => void = () => {}

  constructor(options: SubmitOptions) {
    this.#o = options
    this.#outcome = new Outcome({ ...options, onErrors: (errors) => this.#failedOn(...errors) })
  }

  /** Call it when lines arrive, or when there is space for outputs. */
  wake(): void {
    this.#wake()
  }

  /** Submits no more input; submitted messages continue. */
  stop(): void {
    this.#isStopped = true
    this.#wake()
  }

  /** Call it when outputs can no longer be written. */
  failWith(failed: Fault): void {
    this.#outcome.failWith(failed)
  }

  /** Rejects a line that is too long. */
  rejectPiece(piece: Buffer, isEnd: boolean): void {
    if (this.#taken >= this.#before.taken) this.#rejects?.rejectPiece(piece, isEnd)
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
        if (!isLost) reporter.warn(fault('engine_unavailable', `the database does not do what it is asked: ${(error as Error).message}`))
      } finally {
        if (!isLost) await this.#count(connection.value, true).catch(() => {})
        await connection.value.close()
      }
    }
  }

  async #begin(connection: Connection, isFirst: boolean): Promise<Result<void>> {
    const { name, plan, limits = null, deadlineMs, isKept, pins, kept, cache } = this.#o
    const shown = JSON.stringify(plan.parts.map(({ id, name, kind }) => ({ id, name, kind })))
    const isNew = await connection.transaction(async (query) => {
      const { rows } = await query(
        'INSERT INTO plumb.run (name, digest, protocol, plan, host, limits, keep, cache) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (name) DO NOTHING RETURNING id',
        [name, plan.digest, PROTOCOL, shown, hostname(), limits, isKept, cache ? JSON.stringify(cache.options) : null],
      )
      const [made] = rows
      if (made)
        await query(INSERT_PARTS, [
          made.id,
          ...[plan.parts.map(({ id }) => id), plan.parts.map(({ id }) => pins.get(id) ?? null), plan.parts.map(({ isFixed }) => isFixed)],
        ])
      return made !== undefined
    })
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
    this.#isOver = isOver
    if (isFirst && isOver) return succeed(undefined)
    this.#room = 0
    await cache?.copyIn(connection, this.#run)
    if (isFirst) await connection.query(GO_ON, [run.id, limits, deadlineMs === undefined ? null : deadlineMs / 1000])
    const rejects = isFirst ? this.#o.openRejects?.(isNew !== true) : undefined
    if (rejects?.ok === false) return rejects
    this.#rejects ??= rejects?.value
    const taken = Number(run.taken)
    if (isFirst) this.#o.shown?.onBegun(Number(run.ago))
    if (isFirst) this.#before = { state: String(run.state), taken, seen: String(run.seen) }
    this.#waiting = this.#waiting.filter(({ seq }) => seq > taken)
    return succeed(undefined)
  }

  async #serve(connection: Connection, isLost: () => boolean): Promise<Fault | undefined> {
    const { isDetached, isFailFast, writer, reporter } = this.#o
    let hasNews = true
    connection.onNews(() => {
      hasNews = true
      this.#wake()
    })
    // Only its record is still to be written.
    if (this.#isOver && this.#taken === 0) return undefined
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
        if (this.#isClosed) return undefined
      } else if (hasNews && !writer.isFull) {
        hasNews = false
        const fetched = await this.#outcome.fetch(connection, this.#run)
        if ('error' in fetched) return fetched
        if (fetched.isClosed && this.#before.state === 'open' && !this.#isClosed) {
          this.#isClosed = true
          reporter.report(this.#drained(this.#taken))
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
    if (!shown || this.#run === '' || (!isLast && performance.now() < this.#countedAt + COUNT_MS)) return
    await shown.counts.read(query, this.#run)
    this.#countedAt = performance.now()
  }

  /** If the last time is long enough ago. */
  async #copyBack({ query }: Connection): Promise<void> {
    if (!this.#o.cache || performance.now() < this.#copiedAt + COUNT_MS) return
    await this.#o.cache.copyBack(query, this.#run)
    this.#copiedAt = performance.now()
  }

  #failedOn(...errors: readonly Fault[]): void {
    this.#hasFailed = true
    for (const error of errors) this.#rejects?.reject(error)
    this.#rejects?.flush()
  }

  /** After the first error of --fail-fast: messages in flight get a short time to finish; no others are delivered. */
  async #endEarly(connection: Connection): Promise<void> {
    this.#hasFailed = false
    this.#isClosed = true
    await connection.query(END_EARLY, [this.#run, JSON.stringify(FIRST_ERROR)])
    await connection.query('NOTIFY plumb')
  }

  /** Whether there was anything to submit; a fault ends it. */
  async #submit(connection: Connection): Promise<boolean | Fault> {
    const { reader, plan, reporter } = this.#o
    if (this.#isClosed || this.#isStopped) return false
    const isCrowded = await this.#isCrowded(connection)
    if (this.#rejects && this.#taken >= this.#oldest + PRUNE_LINES) await this.#lookForOldest(connection)
    while (!isCrowded && this.#waiting.length < BATCH && reader.next()) {
      const wrong = this.#take()
      if (wrong) return wrong
    }
    const lines = this.#waiting
    const isOver = reader.hasEnded
    if (isOver && this.#taken < this.#before.taken) return this.#changed()
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
      this.#waiting = []
      this.#isClosed = true
      return true
    }
    this.#room -= lines.length * plan.entrance.length
    this.#waiting = []
    this.#isClosed = isOver
    return true
  }

  #take(): Fault | undefined {
    const { reader, reporter } = this.#o
    const { buf, start, end } = reader
    this.#taken++
    if (this.#o.shown) this.#o.shown.counts.bytesRead += end - start + 1
    this.#rejects?.hold(this.#taken, reader, () => this.#oldest)
    const text = reader.fault ? '' : buf.toString('utf8', start, end)
    this.#seen = sha256Of(this.#seen + text)
    if (this.#taken <= this.#before.taken)
      return this.#taken === this.#before.taken && this.#seen !== this.#before.seen ? this.#changed() : undefined
    const isHeld = text.includes('\0')
    const wrong = reader.fault ?? (isHeld ? fault('invalid_json', 'a control character stands in this line as it is') : undefined)
    if (wrong) {
      const error = { ...wrong, seq: this.#taken, line: reader.line }
      this.#o.shown?.counts.add(error)
      this.#o.kept?.add(error)
      this.#failedOn(error)
      reporter.report(error)
    }
    this.#waiting.push({ seq: this.#taken, value: wrong ? '' : text, seen: this.#seen })
    return undefined
  }

  #drained(taken: number): Fault {
    return fault('cancelled', `run '${this.#o.name}' takes no more input: it took ${taken} lines, and ends when they are done`)
  }

  #changed(): Fault {
    const { name } = this.#o
    return fault('input_changed', `run '${name}' has taken ${this.#before.taken} lines, and this input does not begin with them`)
  }

  async #lookForOldest(connection: Connection): Promise<void> {
    const { rows } = await connection.query(OLDEST, [this.#run])
    this.#oldest = Math.min(Number(rows[0]?.oldest ?? this.#taken + 1), this.#taken + 1)
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

const CANCELLED = fault('cancelled', 'the run was cancelled')
const FIRST_ERROR = fault('cancelled', 'the first error ends the run (--fail-fast)')

const INSERT_PARTS = `
INSERT INTO plumb.part (run, part, pin, fixed) SELECT $1, p.part, p.pin, p.fixed FROM unnest($2::int[], $3::text[], $4::boolean[]) AS p (part, pin, fixed)`

/** Earlier spending counts; the present limits and deadline apply. */
const GO_ON = `
UPDATE plumb.run SET limits = coalesce($2, limits), parked = NULL, ends = now() + $3::float8 * interval '1 s' WHERE id = $1`

const END_EARLY = `
UPDATE plumb.run SET parked = coalesce(parked, $2), ends = least(ends, now()), state = CASE state WHEN 'open' THEN 'closed' ELSE state END
WHERE id = $1 AND state IN ('open', 'closed')`

/** The first input with something unfinished, or not reported. */
const OLDEST = `
SELECT least((SELECT min(origin) FROM plumb.message WHERE run = $1), (SELECT min(origin) FROM plumb.letter WHERE run = $1 AND NOT reported)) AS oldest`
