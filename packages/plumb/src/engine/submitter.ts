// plumb run --on: what comes on standard input goes to the workers, and what comes of it is written as it is done. What was taken and what was
// written is counted in the tables, so that the same command goes on where it was.

import { createHash } from 'node:crypto'
import { hostname } from 'node:os'
import { enclose, type Fault, fail, fault, type LineReader, type LineWriter, type Reporter, type Result, succeed } from '@plumb/wire'
import { connectPatiently, FULL, type PatienceOptions } from './connect-patiently.js'
import type { Connection, Query } from './connection.js'
import type { NewMessage } from './engine.js'
import type { OutputFile } from './output-file.js'
import { insertMessages, LAST, MAX_WAITING } from './postgres.js'
import { STATE_NOW } from './postgres-calls.js'
import type { RunPlan } from './run-plan.js'
import { PROTOCOL } from './schema.js'
import { unservedOf } from './unserved.js'

export interface SubmitOptions extends PatienceOptions {
  readonly name: string
  readonly plan: RunPlan
  /** As `plumb.run` has them; undefined: those that it has. */
  readonly limits: string | undefined
  readonly isDetached: boolean
  /** Outputs in the order of the inputs. */
  readonly isOrdered: boolean
  /** That nobody works on a part is said after so long. */
  readonly unservedSeconds: number
  readonly reader: LineReader
  readonly writer: LineWriter
  /** What the writer writes to, where that is to have each line once. */
  readonly output: OutputFile | undefined
  readonly reporter: Reporter
}

/** With the process that submits a run goes a lock of this key. */
const SUBMITTERS = 0x706c7573
const POLL_MS = 1000
const BATCH = 500

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
  /** Of them, those that the tables may lack. */
  #waiting: Line[] = []
  /** Of the lines that an earlier command has submitted. */
  #before = { state: 'open', taken: 0, seen: '' }
  /** Outputs that are written, and may still be in the tables. */
  readonly #written = new Set<string>()
  /** Messages that may be submitted before the queues are looked at. */
  #room = 0
  #isClosed = false
  #isStopped = false
  #failed: Fault | undefined
  /** When something last came of the run, and whether it was said since that nothing does. */
  #progress = { at: performance.now(), isTold: false }
  #wake: () => void = () => {}

  constructor(options: SubmitOptions) {
    this.#o = options
  }

  /** Lines came, or there is room for outputs. */
  wake(): void {
    this.#wake()
  }

  /** Nothing more is submitted; what was goes on. */
  stop(): void {
    this.#isStopped = true
    this.#wake()
  }

  /** Undefined: the run is done, or goes on without us. */
  async run(): Promise<Fault | undefined> {
    const { reporter } = this.#o
    for (let isFirst = true; ; isFirst = false) {
      const connection = await connectPatiently(this.#o, () => this.#isStopped)
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
        if (!isLost) return end
      } catch (error) {
        if (!isLost) reporter.warn(fault('engine_unavailable', `the database does not do what it is asked: ${(error as Error).message}`))
      } finally {
        await connection.value.close()
      }
    }
  }

  async #begin(connection: Connection, isFirst: boolean): Promise<Result<void>> {
    const { name, plan, limits = null } = this.#o
    const shown = JSON.stringify(plan.parts.map(({ id, name, kind }) => ({ id, name, kind })))
    await connection.transaction(async (query) => {
      const { rows } = await query(
        'INSERT INTO plumb.run (name, digest, protocol, plan, host, limits) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (name) DO NOTHING RETURNING id',
        [name, plan.digest, PROTOCOL, shown, hostname(), limits],
      )
      const [made] = rows
      if (made)
        await query('INSERT INTO plumb.part (run, part) SELECT $1, p FROM unnest($2::int[]) p', [made.id, plan.parts.map(({ id }) => id)])
      return true
    })
    const { rows } = await connection.query(
      'SELECT id, digest, state, taken, seen, written, host, begun::text AS begun FROM plumb.run WHERE name = $1',
      [name],
    )
    const run = rows[0] ?? {}
    if (run.digest !== plan.digest)
      return fail('run_exists', `run '${name}' is of another spec, or of other options; begun on ${run.host} at ${run.begun}`)
    if (isFirst && (run.state === 'done' || run.state === 'cancelled'))
      return fail('run_exists', `run '${name}' is ${run.state}; begun on ${run.host} at ${run.begun}. Another name begins a new one`)
    const { rows: locked } = await connection.query('SELECT pg_try_advisory_lock($1, $2::int) AS is_free', [SUBMITTERS, run.id])
    if (locked[0]?.is_free !== true)
      return fail('run_exists', `another process submits run '${name}' now; it was begun on ${run.host} at ${run.begun}`)
    const cut = isFirst ? this.#o.output?.cutTo(Number(run.written)) : undefined
    if (cut) return { ok: false, error: cut }
    this.#run = String(run.id)
    this.#room = 0
    // What was spent counts on; what it may spend now is tried.
    if (isFirst) await connection.query('UPDATE plumb.run SET limits = coalesce($2, limits), parked = NULL WHERE id = $1', [run.id, limits])
    const taken = Number(run.taken)
    if (isFirst) this.#before = { state: String(run.state), taken, seen: String(run.seen) }
    this.#waiting = this.#waiting.filter(({ seq }) => seq > taken)
    return succeed(undefined)
  }

  async #serve(connection: Connection, isLost: () => boolean): Promise<Fault | undefined> {
    const { isDetached, writer } = this.#o
    let hasNews = true
    connection.onNews(() => {
      hasNews = true
      this.#wake()
    })
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
        const state = await this.#fetch(connection)
        if (typeof state !== 'string') return state
        if (state === 'more') hasNews = true
        else if (state === 'parked') return this.#parked(connection)
        else if (state === 'asks') return this.#asks(connection)
        else if (state !== 'waits') return state === 'done' ? undefined : CANCELLED
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

  /** Whether there was anything to submit; a fault ends it. */
  async #submit(connection: Connection): Promise<boolean | Fault> {
    const { reader, plan, reporter } = this.#o
    if (this.#isClosed || this.#isStopped) return false
    const isCrowded = await this.#isCrowded(connection)
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
      // Drained, or cancelled: nothing more of the input is taken.
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
    const text = reader.fault ? '' : buf.toString('utf8', start, end)
    this.#seen = createHash('sha256').update(this.#seen).update(text).digest('hex')
    if (this.#taken <= this.#before.taken)
      return this.#taken === this.#before.taken && this.#seen !== this.#before.seen ? this.#changed() : undefined
    const isHeld = text.includes('\0')
    const wrong = reader.fault ?? (isHeld ? fault('invalid_json', 'a control character stands in this line as it is') : undefined)
    if (wrong) reporter.report({ ...wrong, seq: this.#taken, line: reader.line })
    this.#waiting.push({ seq: this.#taken, value: wrong ? '' : text, seen: this.#seen })
    return undefined
  }

  /** What is written is there before the tables forget it. */
  async #keep(): Promise<Fault | undefined> {
    const { output } = this.#o
    if (!output) return undefined
    // A writer tells what went wrong a moment later.
    await new Promise((resolve) => setImmediate(resolve))
    return this.#failed ?? output.sync()
  }

  /** Nothing more can be written. */
  failWith(failed: Fault): void {
    this.#failed = failed
  }

  #drained(taken: number): Fault {
    return fault('cancelled', `run '${this.#o.name}' takes no more input: it took ${taken} lines, and ends when they are done`)
  }

  #changed(): Fault {
    const { name } = this.#o
    return fault('input_changed', `run '${name}' has taken ${this.#before.taken} lines, and this input does not begin with them`)
  }

  /** Looks again when as much is submitted as there was room for. */
  async #isCrowded(connection: Connection): Promise<boolean> {
    if (this.#room > 0) return false
    const { rows } = await connection.query(
      'SELECT count(*) AS waiting FROM (SELECT 1 FROM plumb.message WHERE run = $1 AND part = ANY ($2::int[]) LIMIT $3) m',
      [this.#run, this.#o.plan.entrance.map(({ part }) => part), MAX_WAITING],
    )
    this.#room = MAX_WAITING - Number(rows[0]?.waiting)
    return this.#room <= 0
  }

  /** All that is left waits for a person, or behind what does. */
  async #isHeld({ query }: Connection): Promise<boolean> {
    const { rows } = await query('SELECT DISTINCT part FROM plumb.message WHERE run = $1 AND parked', [this.#run])
    const parked = new Set(rows.map(({ part }) => Number(part)))
    const behind = this.#o.plan.parts.filter(({ id, kind, above }) => kind === 'owned' && [id, ...above].some((part) => parked.has(part)))
    const { rows: moving } = await query(
      `SELECT EXISTS (SELECT 1 FROM plumb.message m WHERE m.run = $1 AND m.part > 0 AND NOT m.parked AND (m.lease IS NOT NULL OR NOT (
         m.part = ANY ($2::int[]) AND EXISTS (SELECT 1 FROM plumb.message p WHERE p.run = $1 AND p.parked AND p.ord <= m.ord)))) AS is_moving`,
      [this.#run, behind.map(({ id }) => id)],
    )
    return moving[0]?.is_moving !== true
  }

  async #asks({ query }: Connection): Promise<Fault> {
    const { name } = this.#o
    const { rows } = await query(WAITING, [this.#run])
    const { messages, calls } = rows[0] ?? {}
    const [left, asked] = [Number(messages), Number(calls)]
    return fault(
      'parked',
      `${left} message${left === 1 ? ' waits' : 's wait'} until a person decides on ${asked} call${asked === 1 ? '' : 's'}: plumb approvals --on URL ${name}`,
      { messages: left, calls: asked },
    )
  }

  /** A limit is met: what is left waits until it is raised. */
  async #parked({ query }: Connection): Promise<Fault> {
    const { rows } = await query(UNANSWERED, [this.#run])
    const { parked, count } = rows[0] ?? {}
    const why = JSON.parse(String(parked)) as Fault
    const left = Number(count)
    const messages = `${left} message${left === 1 ? ' is' : 's are'} not answered`
    return fault('budget_spent', `${why.detail}; ${messages}, and wait: the same command with a higher limit goes on`, { unanswered: left })
  }

  /** Says once that nothing comes since nobody works on it. */
  async #lookForWorkers(connection: Connection): Promise<void> {
    const { unservedSeconds, plan, reporter } = this.#o
    const { at, isTold } = this.#progress
    if (isTold || performance.now() - at < unservedSeconds * 1000) return
    const unserved = await unservedOf(connection, this.#run, plan)
    if (!unserved) return
    this.#progress = { at, isTold: true }
    reporter.warn(unserved)
    reporter.flush()
  }

  async #fetch(connection: Connection): Promise<'more' | 'waits' | 'parked' | 'asks' | 'done' | 'cancelled' | Fault> {
    const { isOrdered, plan, reporter, writer } = this.#o
    // Before the messages are looked at: what ends later is seen the next time.
    const { rows: states } = await connection.query(
      `SELECT state, NOT EXISTS (SELECT 1 FROM plumb.message WHERE run = $1) AS is_quiet,
         parked IS NOT NULL AND NOT EXISTS (SELECT 1 FROM plumb.message WHERE run = $1 AND part > 0 AND lease IS NOT NULL) AS is_parked,
         EXISTS (SELECT 1 FROM plumb.message WHERE run = $1 AND parked) AS has_parked
       FROM plumb.run WHERE id = $1`,
      [this.#run],
    )
    const isHeld = states[0]?.state === 'closed' && states[0].has_parked === true && (await this.#isHeld(connection))
    const { rows } = await connection.query(isOrdered ? OUTPUTS_IN_ORDER : OUTPUTS, [this.#run, BATCH])
    for (const { id, port, value } of rows as unknown as readonly { id: string; port: number; value: string }[]) {
      if (this.#written.has(id)) continue
      this.#written.add(id)
      const bytes = Buffer.from(`${value}\n`)
      if (plan.outputs.length === 1) writer.write(bytes, 0, bytes.length - 1)
      else {
        const line = enclose(plan.outputs[port] ?? '', bytes, 0, bytes.length - 1)
        writer.write(line, 0, line.length)
      }
    }
    writer.flush()
    const unwritten = rows.length > 0 ? await this.#keep() : undefined
    if (unwritten) return unwritten
    const { rows: letters } = await connection.query(
      'SELECT id, origin, fault FROM plumb.letter WHERE run = $1 AND NOT told ORDER BY id LIMIT $2',
      [this.#run, BATCH],
    )
    if (rows.length > 0 || letters.length > 0) {
      this.#progress = { at: performance.now(), isTold: false }
      await connection.transaction(async (query) => {
        await query('DELETE FROM plumb.message WHERE id = ANY ($1::bigint[])', [rows.map(({ id }) => id)])
        await query('UPDATE plumb.run SET written = written + $2 WHERE id = $1', [this.#run, rows.length])
        await query('UPDATE plumb.letter SET told = true WHERE id = ANY ($1::bigint[])', [letters.map(({ id }) => id)])
        return true
      })
      this.#written.clear()
      for (const { origin, fault: said } of letters)
        reporter.report({ ...(JSON.parse(String(said)) as Fault), seq: Number(origin), line: Number(origin) })
      return 'more'
    }
    const { state, is_quiet, is_parked } = states[0] ?? {}
    if (state === 'closed' && this.#before.state === 'open' && !this.#isClosed) {
      this.#isClosed = true
      reporter.report(this.#drained(this.#taken))
    }
    await this.#lookForWorkers(connection)
    if (state === 'cancelled') return 'cancelled'
    if (is_parked === true && is_quiet !== true) return 'parked'
    if (isHeld) return 'asks'
    if (state !== 'closed' || is_quiet !== true) return 'waits'
    await connection.query("UPDATE plumb.run SET state = 'done', ended = now() WHERE id = $1 AND state = 'closed'", [this.#run])
    await connection.query('NOTIFY plumb')
    return 'done'
  }
}

const WAITING = `
SELECT (SELECT count(DISTINCT origin) FROM plumb.message WHERE run = $1 AND part > 0) AS messages,
  (SELECT count(*) FROM plumb.approval a WHERE a.run = $1 AND ${STATE_NOW} IN ('waits', 'in_doubt')) AS calls`

const UNANSWERED = `
SELECT r.parked, (SELECT count(DISTINCT m.origin) FROM plumb.message m WHERE m.run = r.id AND m.part > 0) AS count
FROM plumb.run r WHERE r.id = $1`

const OUTPUTS = 'SELECT id, port, value FROM plumb.message WHERE run = $1 AND part = 0 ORDER BY id LIMIT $2'

/** Nothing that is still worked on comes before them. */
const OUTPUTS_IN_ORDER = `
SELECT m.id, m.port, m.value FROM plumb.message m
WHERE m.run = $1 AND m.part = 0 AND m.ord <= coalesce((
  SELECT first.ord FROM plumb.part p CROSS JOIN LATERAL (
    SELECT u.ord FROM plumb.message u WHERE u.run = $1 AND u.part = p.part ORDER BY u.ord LIMIT 1) first
  WHERE p.run = $1 ORDER BY first.ord LIMIT 1), ${LAST})
ORDER BY m.ord, m.id LIMIT $2`

const CANCELLED = fault('cancelled', 'the run was cancelled')
