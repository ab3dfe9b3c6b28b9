// The outcome of a run by workers, as its submitter writes it: outputs, errors, and why no more comes.

import { enclose, type Fault, fault, type LineWriter, type Reporter, seqLine } from '@plumb/wire'
import type { Connection } from './connection.js'
import type { OutputFile } from './output-file.js'
import { END_IN_TIME, FAIL_FIXED, LAST } from './postgres.js'
import { STATE_NOW } from './postgres-calls.js'
import type { RunPlan } from './run-plan.js'
import { fixedFault, unservedOf } from './unserved.js'

export interface OutcomeOptions {
  readonly name: string
  readonly plan: RunPlan
  /** Outputs in the order of the inputs. */
  readonly isOrdered: boolean
  /** They have the numbers of their inputs. */
  readonly isNumbered: boolean
  /** After so long, a part without workers is reported. */
  readonly unservedSeconds: number
  readonly writer: LineWriter
  /** The file of the writer, if each line has to be there once. */
  readonly output: OutputFile | undefined
  readonly reporter: Reporter
  /** Called with faults of some inputs, before they count as reported. */
  readonly onErrors: (errors: readonly Fault[]) => void
}

/** `waits`: for workers, or input; `parked`: until a limit is raised; `asks`: for approval. */
type Comes = 'more' | 'waits' | 'parked' | 'asks' | 'done' | 'cancelled'

export interface Fetched {
  readonly comes: Comes
  /** Those that were reported now. */
  readonly errors: number
  /** It takes no more input, for whatever reason. */
  readonly isClosed: boolean
}

interface OutputRow {
  readonly id: string
  readonly port: number
  readonly origin: string
  readonly value: string
}

const BATCH = 500
/** Time for messages in flight when the time is up (ms). */
const GRACE_SECONDS = 5

/** What it writes covers the whole run, whatever connection it is fetched by. */
export class Outcome {
  readonly #o: OutcomeOptions
  /** Outputs that are written, and may still be in the tables. */
  readonly #written = new Set<string>()
  #failed: Fault | undefined
  /** When something last came of the run, and whether its silence was reported since. */
  #progress = { at: performance.now(), isReported: false }

  constructor(options: OutcomeOptions) {
    this.#o = options
  }

  /** Nothing more can be written. */
  failWith(failed: Fault): void {
    this.#failed = failed
  }

  /** Writes what there is; returns whether there may be more at once, and if not, why none comes. A fault ends it. */
  async fetch(connection: Connection, run: string): Promise<Fetched | Fault> {
    const { isOrdered, reporter } = this.#o
    await connection.query(END_IN_TIME)
    await connection.query(FAIL_FIXED)
    // Before the messages are read: what ends later is seen the next time.
    const { rows: states } = await connection.query(
      `SELECT state, failed, NOT EXISTS (SELECT 1 FROM plumb.message WHERE run = $1) AS is_quiet,
         parked IS NOT NULL AND NOT EXISTS (SELECT 1 FROM plumb.message WHERE run = $1 AND part > 0 AND lease IS NOT NULL) AS is_parked,
         EXISTS (SELECT 1 FROM plumb.message WHERE run = $1 AND parked) AS has_parked,
         ends <= now() AS is_up, ends <= now() - interval '${GRACE_SECONDS} s' AS is_late
       FROM plumb.run WHERE id = $1`,
      [run],
    )
    const isHeld = states[0]?.state === 'closed' && states[0].has_parked === true && (await this.#isHeld(connection, run))
    const { rows } = await connection.query(isOrdered ? OUTPUTS_IN_ORDER : OUTPUTS, [run, BATCH])
    this.#write(rows as unknown as readonly OutputRow[])
    const unwritten = rows.length > 0 ? await this.#keep() : undefined
    if (unwritten) return unwritten
    const { rows: letters } = await connection.query(
      'SELECT id, origin, fault FROM plumb.letter WHERE run = $1 AND NOT reported ORDER BY id LIMIT $2',
      [run, BATCH],
    )
    const errors = letters.map(
      ({ origin, fault: said }): Fault => ({ ...JSON.parse(String(said)), seq: Number(origin), line: Number(origin) }),
    )
    if (errors.length > 0) this.#o.onErrors(errors)
    if (rows.length > 0 || letters.length > 0) {
      this.#progress = { at: performance.now(), isReported: false }
      await connection.transaction(async (query) => {
        await query('DELETE FROM plumb.message WHERE id = ANY ($1::bigint[])', [rows.map(({ id }) => id)])
        await query('UPDATE plumb.run SET written = written + $2 WHERE id = $1', [run, rows.length])
        await query('UPDATE plumb.letter SET reported = true WHERE id = ANY ($1::bigint[])', [letters.map(({ id }) => id)])
        return true
      })
      this.#written.clear()
      for (const error of errors) reporter.report(error)
      return { comes: 'more', errors: errors.length, isClosed: false }
    }
    const { state, is_quiet, is_parked, is_up, is_late } = states[0] ?? {}
    // `done`: said by this command before its connection was lost.
    const isDone = (state === 'closed' || state === 'done') && is_quiet === true
    await this.#lookForWorkers(connection, run)
    const comes = (what: Comes): Fetched => ({ comes: what, errors: 0, isClosed: state === 'closed' })
    const fixed = this.#o.plan.parts.find(({ id }) => String(id) === states[0]?.failed)
    if (fixed) return fixedFault(`${fixed.id} ${fixed.name}`)
    if (state === 'cancelled') return comes('cancelled')
    const isParked = is_parked === true && (is_quiet !== true || is_up === true)
    if (!isDone && (isParked || is_late === true)) return comes('parked')
    if (isHeld) return comes('asks')
    if (!isDone) return comes('waits')
    await connection.query("UPDATE plumb.run SET state = 'done', ended = now() WHERE id = $1 AND state = 'closed'", [run])
    await connection.query('NOTIFY plumb')
    return comes('done')
  }

  #write(rows: readonly OutputRow[]): void {
    const { plan, writer, isNumbered } = this.#o
    for (const { id, port, origin, value } of rows) {
      if (this.#written.has(id)) continue
      this.#written.add(id)
      const bytes = Buffer.from(`${value}\n`)
      const line = isNumbered ? seqLine(Number(origin), bytes, 0, bytes.length - 1) : bytes.subarray(0, -1)
      const whole = plan.outputs.length === 1 ? line : enclose(plan.outputs[port] ?? '', line, 0, line.length)
      writer.write(whole, 0, whole.length)
    }
    writer.flush()
  }

  /** The written data is on disk before the tables forget it. */
  async #keep(): Promise<Fault | undefined> {
    const { output } = this.#o
    if (!output) return undefined
    // A writer reports an error a moment later.
    await new Promise((resolve) => setImmediate(resolve))
    return this.#failed ?? output.sync()
  }

  /** Everything left waits for approval, or after what does. */
  async #isHeld({ query }: Connection, run: string): Promise<boolean> {
    const { rows } = await query('SELECT DISTINCT part FROM plumb.message WHERE run = $1 AND parked', [run])
    const parked = new Set(rows.map(({ part }) => Number(part)))
    const behind = this.#o.plan.parts.filter(({ id, kind, above }) => kind === 'owned' && [id, ...above].some((part) => parked.has(part)))
    const { rows: moving } = await query(
      `SELECT EXISTS (SELECT 1 FROM plumb.message m WHERE m.run = $1 AND m.part > 0 AND NOT m.parked AND (m.lease IS NOT NULL OR NOT (
         m.part = ANY ($2::int[]) AND EXISTS (SELECT 1 FROM plumb.message p WHERE p.run = $1 AND p.parked AND p.ord <= m.ord)))) AS is_moving`,
      [run, behind.map(({ id }) => id)],
    )
    return moving[0]?.is_moving !== true
  }

  /** Everything left waits for approval. */
  async asks({ query }: Connection, run: string): Promise<Fault> {
    const { name } = this.#o
    const { rows } = await query(WAITING, [run])
    const { messages, calls, questions } = rows[0] ?? {}
    const [left, asked] = [Number(messages), Number(calls)]
    const end = asked === 1 ? '' : 's'
    const until = questions === true ? `answers ${asked} question${end}: plumb pending` : `decides on ${asked} call${end}: plumb approvals`
    return fault('parked', `${left} message${left === 1 ? ' waits' : 's wait'} until a person ${until} --on URL ${name}`, {
      messages: left,
      calls: asked,
    })
  }

  /** A limit is reached, or an error was enough: the rest waits. */
  async parked({ query }: Connection, run: string): Promise<Fault> {
    const { rows } = await query(UNANSWERED, [run])
    const { parked, count } = rows[0] ?? {}
    const why = JSON.parse(String(parked)) as Fault
    const left = Number(count)
    const messages = `${left} message${left === 1 ? ' is' : 's are'} not answered`
    const same = why.error === 'budget_spent' ? 'the same command with a higher limit' : 'the same command'
    return fault(why.error, `${why.detail}; ${messages}, and wait: ${same} goes on`, { unanswered: left })
  }

  /** Reports once that nothing comes because no worker serves it. */
  async #lookForWorkers(connection: Connection, run: string): Promise<void> {
    const { unservedSeconds, plan, reporter } = this.#o
    const { at, isReported } = this.#progress
    if (isReported || performance.now() - at < unservedSeconds * 1000) return
    const unserved = await unservedOf(connection, run, plan)
    if (!unserved) return
    this.#progress = { at, isReported: true }
    reporter.warn(unserved)
    reporter.flush()
  }
}

const WAITING = `
SELECT (SELECT count(DISTINCT origin) FROM plumb.message WHERE run = $1 AND part > 0) AS messages,
  (SELECT count(*) FROM plumb.approval a WHERE a.run = $1 AND ${STATE_NOW} IN ('waits', 'in_doubt')) AS calls,
  (SELECT bool_or(a.call::json->>'kind' = 'person') FROM plumb.approval a WHERE a.run = $1 AND a.state = 'waits') AS questions`

const UNANSWERED = `
SELECT r.parked, (SELECT count(DISTINCT m.origin) FROM plumb.message m WHERE m.run = r.id AND m.part > 0) AS count
FROM plumb.run r WHERE r.id = $1`

const OUTPUTS = 'SELECT id, port, origin, value FROM plumb.message WHERE run = $1 AND part = 0 ORDER BY id LIMIT $2'

/** No unfinished message precedes them. */
const OUTPUTS_IN_ORDER = `
SELECT m.id, m.port, m.origin, m.value FROM plumb.message m
WHERE m.run = $1 AND m.part = 0 AND m.ord <= coalesce((
  SELECT first.ord FROM plumb.part p CROSS JOIN LATERAL (
    SELECT u.ord FROM plumb.message u WHERE u.run = $1 AND u.part = p.part ORDER BY u.ord LIMIT 1) first
  WHERE p.run = $1 ORDER BY first.ord LIMIT 1), ${LAST})
ORDER BY m.ord, m.id LIMIT $2`
