// The engine on PostgreSQL. A worker is a session: it holds a lock on its number, and a worker that finds that lock free releases what it
// had.

import type { SharedKey } from '@plumb/ledger/kept'
import { type Claim, type Fault, fault } from '@plumb/wire'
import type { Connection, Query } from './connection.js'
import type { CachedAnswer, Engine, Loan, Numbered, RunRow, Settlement, TakenMessage, TakeOptions } from './engine.js'
import { cacheAnswers, findAnswers, recordAnswers } from './postgres-answers.js'
import { KEEP_CALL, keptValues, takeCalls } from './postgres-calls.js'
import { lend, pace, paced, writeOff } from './postgres-funds.js'
import { WORKERS } from './schema.js'

/** Seconds. */
const LEASE = 30
/** Maximum messages before a part; above it, earlier parts wait. */
export const MAX_WAITING = 10_000
/** A worker wakes the others at most this often. */
const NOTIFY_MS = 50

const READY = `(m.lease IS NULL OR m.until < now()) AND (m.not_before IS NULL OR m.not_before <= now()) AND NOT m.parked`
const ALONE = (of: string) => `(${of}.alone OR ${of}.tries >= 2)`
const LIVE = `EXISTS (SELECT 1 FROM plumb.run r WHERE r.id = $1 AND r.state IN ('open', 'closed'))`
/** After all others. */
export const LAST = `'{9223372036854775807}'::bigint[]`
/** Messages in flight of a parked run are still settled. */
const MAY_TAKE = `EXISTS (SELECT 1 FROM plumb.run r WHERE r.id = $1 AND r.state IN ('open', 'closed') AND r.parked IS NULL
  AND (r.ends IS NULL OR r.ends > now()))`

const TIME_IS_UP = JSON.stringify(fault('budget_spent', 'the seconds of --deadline have passed'))
/** A part that cannot go on in another process had one, and has none any more: no run waits for what cannot come. */
export const FAIL_FIXED = `
UPDATE plumb.run r SET state = 'cancelled', ended = now(), failed = p.part::text FROM plumb.part p
WHERE p.run = r.id AND r.state IN ('open', 'closed') AND p.fixed AND p.version > 0 AND p.worker IS NULL
  AND EXISTS (SELECT 1 FROM plumb.message m WHERE m.run = r.id AND m.part = p.part)`
/** Runs whose deadline has passed are parked. */
export const END_IN_TIME = `UPDATE plumb.run SET parked = '${TIME_IS_UP}' WHERE ends <= now() AND parked IS NULL AND state IN ('open', 'closed')`

/**
 * Everything before it in the order of the run is finished, here and above; $7: the parts above. Each bound is looked up once a statement.
 */
const IN_ORDER = `
  AND m.ord <= coalesce((
    SELECT e.ord FROM plumb.message e WHERE e.run = $1 AND e.part = $2 AND (e.parked OR (${ALONE('e')} AND (e.not_before > now() OR e.lease IS NULL)))
    ORDER BY e.ord LIMIT 1), ${LAST})
  AND m.ord <= coalesce((
    SELECT first.ord FROM unnest($7::int[]) p CROSS JOIN LATERAL (
      SELECT u.ord FROM plumb.message u WHERE u.run = $1 AND u.part = p ORDER BY u.ord LIMIT 1) first
    ORDER BY first.ord LIMIT 1), ${LAST})`

const takeText = (isInOrder: boolean): string => `
UPDATE plumb.message SET lease = $3, worker = $4, until = now() + interval '${LEASE} s', tries = tries + 1
WHERE id IN (
  SELECT m.id FROM plumb.message m
  WHERE m.run = $1 AND m.part = $2 AND ${READY} AND ${ALONE('m')} = $5 ${isInOrder ? IN_ORDER : ''} AND ${MAY_TAKE}
  ORDER BY m.ord, m.id LIMIT $6 FOR UPDATE SKIP LOCKED)
RETURNING id, port, ord::text AS ord, origin, value, tries`

const TAKE = takeText(false)
const TAKE_IN_ORDER = takeText(true)

const INSERT = `
INSERT INTO plumb.message (run, part, port, ord, origin, value)
SELECT $1, o.part, o.port, o.ord::bigint[], o.origin, o.value
FROM unnest($2::int[], $3::int[], $4::text[], $5::bigint[], $6::text[]) WITH ORDINALITY AS o (part, port, ord, origin, value, n) ORDER BY o.n`

/** Messages are queued in this order. */
export const insertMessages = async (query: Query, run: string, messages: Settlement['outputs']): Promise<void> => {
  if (messages.length === 0) return
  const column = <Key extends keyof (typeof messages)[number]>(key: Key) => messages.map((message) => message[key])
  await query(INSERT, [run, column('part'), column('port'), column('ord'), column('origin'), column('value')])
}

/** Workers that are not known to have ended, and hold no lock. */
const UNLOCKED = `
SELECT w.id AS worker FROM plumb.worker w
WHERE w.ended IS NULL AND w.id <> $1 AND NOT EXISTS (SELECT 1 FROM plumb.live_worker l WHERE l.id = w.id)`

const SETTLE_DONE = `DELETE FROM plumb.message WHERE id = ANY ($2::bigint[]) AND lease = $3 AND ${LIVE}`
const SETTLE_AGAIN = `
UPDATE plumb.message m SET lease = NULL, worker = NULL, alone = true, not_before = now() + a.after * interval '1 s'
FROM unnest($1::bigint[], $2::float8[]) AS a (id, after) WHERE m.id = a.id AND m.lease = $3`
const SETTLE_BACK = 'UPDATE plumb.message SET lease = NULL, worker = NULL, tries = tries - 1 WHERE id = ANY ($1::bigint[]) AND lease = $2'
const SETTLE_PARKED =
  'UPDATE plumb.message SET lease = NULL, worker = NULL, tries = 0, alone = false, parked = true WHERE id = ANY ($1::bigint[]) AND lease = $2'
const SETTLE_FENCE = 'UPDATE plumb.part SET version = version + 1 WHERE run = $1 AND part = $2 AND worker = $3'
const SETTLE_MEMORY =
  'INSERT INTO plumb.memory (run, part, line) SELECT $1, $2, o.line FROM unnest($3::text[]) WITH ORDINALITY AS o (line, n) ORDER BY o.n'
const SETTLE_LETTER =
  'INSERT INTO plumb.letter (run, part, port, ord, origin, value, fault, code, tries) VALUES ($1, $2, $3, $4::bigint[], $5, $6, $7, $8, $9)'
/** The window of the rate, in seconds. */
export const RATE_WINDOW = 10
const IS_LATE = `t.since < now() - interval '${RATE_WINDOW} s'`
const SETTLE_TALLY = `
INSERT INTO plumb.tally AS t (run, part, worker, taken, outputs, dropped, failed, tool_calls, retries, failed_calls, lately)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $4)
ON CONFLICT (run, part, worker) DO UPDATE SET taken = t.taken + $4, outputs = t.outputs + $5, dropped = t.dropped + $6, failed = t.failed + $7,
  tool_calls = t.tool_calls + $8, retries = t.retries + $9, failed_calls = t.failed_calls + $10,
  since = CASE WHEN ${IS_LATE} THEN now() ELSE t.since END,
  lately = CASE WHEN ${IS_LATE} THEN $4 ELSE t.lately + $4 END,
  rate = CASE WHEN ${IS_LATE} THEN t.lately / extract(epoch FROM now() - t.since) ELSE t.rate END`

const SETTLE_USAGE = `
INSERT INTO plumb.usage AS u (run, part, worker, agent, model, calls, input, output, cache_read, cache_creation, cost, unpriced)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
ON CONFLICT (run, part, worker, agent, model) DO UPDATE SET calls = u.calls + $6, input = u.input + $7, output = u.output + $8,
  cache_read = u.cache_read + $9, cache_creation = u.cache_creation + $10, cost = u.cost + $11, unpriced = u.unpriced + $12`

/** Their times are those of the server. */
const SETTLE_EVENTS = `
INSERT INTO plumb.event (run, part, process, at, origin, line)
SELECT $1, $2, o.process, clock_timestamp() - o.ago * interval '1 ms', o.origin, o.line
FROM unnest($3::text[], $4::float8[], $5::bigint[], $6::text[]) WITH ORDINALITY AS o (process, ago, origin, line, n) ORDER BY o.n`

const RUNS = `
SELECT r.id, r.name, r.state, r.digest, r.protocol, r.limits, r.keep, r.cache,
  coalesce((SELECT json_object_agg(p.part, p.pin) FROM plumb.part p WHERE p.run = r.id AND p.pin IS NOT NULL), '{}') AS pins
FROM plumb.run r WHERE r.state IN ('open', 'closed') ORDER BY r.id`

/** What others see of a worker. */
export interface WorkerRow {
  readonly host: string
  /** The hash of its spec. */
  readonly digest: string
  /** Names of runs; empty: any. */
  readonly runs: readonly string[]
  readonly parts: readonly number[]
  readonly labels: readonly string[]
}

export class PostgresEngine implements Engine {
  #notifiedAt = Number.NEGATIVE_INFINITY
  #notifying: NodeJS.Timeout | undefined

  constructor(
    private readonly connection: Connection,
    /** As `plumb.worker` has it. */
    readonly worker: string,
  ) {}

  /** A new worker. */
  static async open(connection: Connection, { host, digest, runs, parts, labels }: WorkerRow): Promise<PostgresEngine> {
    // The others see it once it has its lock, for without one it has ended.
    const id = await connection.transaction(async (query) => {
      const { rows } = await query(
        'INSERT INTO plumb.worker (host, digest, runs, parts, labels) VALUES ($1, $2, $3, $4, $5) RETURNING id',
        [host, digest, runs, parts, labels],
      )
      await query('SELECT pg_advisory_lock($1, $2::int)', [WORKERS, rows[0]?.id])
      return String(rows[0]?.id)
    })
    return new PostgresEngine(connection, String(id))
  }

  async runs(): Promise<readonly RunRow[]> {
    await this.connection.query(END_IN_TIME)
    await this.connection.query(FAIL_FIXED)
    const { rows } = await this.connection.query(RUNS)
    const read = (cache: unknown) => (typeof cache === 'string' ? (JSON.parse(cache) as RunRow['cache']) : undefined)
    return rows.map((row) => ({ ...row, cache: read(row.cache) })) as unknown as readonly RunRow[]
  }

  async take({ run, part, lease, most, isAlone, above }: TakeOptions): Promise<readonly TakenMessage[]> {
    const values = [run, part, lease, this.worker, isAlone, most]
    const { rows } = await (above ? this.connection.query(TAKE_IN_ORDER, [...values, above]) : this.connection.query(TAKE, values))
    // RETURNING has no order.
    return (rows as unknown as TakenMessage[]).sort((a, b) => compareOrds(a.ord, b.ord))
  }

  async settle(s: Settlement): Promise<boolean> {
    const settled = await this.connection.transaction(async (query) => {
      // All at once, then checked: an answer of the database for each would take longer than the work.
      const counted: { readonly rows: Promise<{ readonly rowCount: number | null }>; readonly due: number }[] = []
      const done = query(SETTLE_DONE, [s.run, s.done, s.lease])
      counted.push({ rows: done, due: s.done.length })
      if (s.again.length > 0) {
        const [ids, after] = [s.again.map(({ id }) => id), s.again.map(({ afterSeconds }) => afterSeconds)]
        counted.push({ rows: query(SETTLE_AGAIN, [ids, after, s.lease]), due: s.again.length })
      }
      if (s.back.length > 0) counted.push({ rows: query(SETTLE_BACK, [s.back, s.lease]), due: s.back.length })
      if (s.parked.length > 0) counted.push({ rows: query(SETTLE_PARKED, [s.parked, s.lease]), due: s.parked.length })
      if (s.memory) counted.push({ rows: query(SETTLE_FENCE, [s.run, s.part, this.worker]), due: 1 })
      const { taken, outputs, dropped, failed, toolCalls, failedCalls, retries, usages } = s.tally
      const written = [
        insertMessages(query, s.run, s.outputs),
        ...(s.memory && s.memory.length > 0 ? [query(SETTLE_MEMORY, [s.run, s.part, s.memory])] : []),
        ...s.letters.map(({ message: { port, ord, origin, value, tries }, fault }) =>
          query(SETTLE_LETTER, [s.run, s.part, port, ord, origin, value, JSON.stringify(fault), fault.error, tries]),
        ),
        ...(s.answers.length > 0 ? [recordAnswers(query, s.run, s.answers)] : []),
        ...(s.events.length > 0 ? [query(SETTLE_EVENTS, [s.run, s.part, ...eventColumns(s.events)])] : []),
        ...s.calls.map((kept) => query(KEEP_CALL, keptValues(s.run, s.part, kept))),
        query(SETTLE_TALLY, [s.run, s.part, this.worker, taken, outputs, dropped, failed, toolCalls, retries, failedCalls]),
        ...usages.map(({ agent, model, calls, tokens: { input, output, cache_read, cache_creation }, cost, unpriced }) =>
          query(SETTLE_USAGE, [
            ...[s.run, s.part, this.worker, agent, model],
            ...[calls, input, output, cache_read, cache_creation, cost, unpriced],
          ]),
        ),
        ...(this.#mayNotify() ? [query('NOTIFY plumb')] : []),
      ]
      // Awaited together: when the connection breaks, each of them fails.
      const counts = counted.map(async ({ rows, due }) => (await rows).rowCount === due)
      const [right] = await Promise.all([Promise.all(counts), Promise.all(written)])
      return right.every((isRight) => isRight) || undefined
    })
    return settled === true
  }

  /** Whether it is time to wake the others; if not, that is scheduled. */
  #mayNotify(): boolean {
    const now = performance.now()
    if (now >= this.#notifiedAt + NOTIFY_MS) {
      this.#notifiedAt = now
      return true
    }
    this.#notifying ??= setTimeout(
      () => {
        this.#notifying = undefined
        this.#notifiedAt = performance.now()
        // A worker that is not woken polls soon.
        this.connection.query('NOTIFY plumb').catch(() => {})
      },
      this.#notifiedAt + NOTIFY_MS - now,
    ).unref()
    return false
  }

  async renew(): Promise<void> {
    const until = `until = now() + interval '${LEASE} s' WHERE worker = $1 AND until > now()`
    await this.connection.query(`UPDATE plumb.message SET ${until}`, [this.worker])
    await this.connection.query(`UPDATE plumb.part SET ${until}`, [this.worker])
  }

  async release(lease: string, isAlone: boolean): Promise<void> {
    await this.connection.query(
      'UPDATE plumb.message SET lease = NULL, worker = NULL, until = NULL, alone = alone OR $3 WHERE worker = $1 AND lease = $2',
      [this.worker, lease, isAlone],
    )
  }

  async yieldPart(part: number, lease: string, reason: string): Promise<void> {
    await this.connection.transaction(async (query) => {
      await query(
        `UPDATE plumb.message SET lease = NULL, worker = NULL, until = NULL, tries = greatest(tries - 1, 0) WHERE worker = $1 AND lease = $2`,
        [this.worker, lease],
      )
      await query('UPDATE plumb.worker SET parts = array_remove(parts, $2::int), reason = $3 WHERE id = $1', [this.worker, part, reason])
      await query('NOTIFY plumb')
      return true
    })
  }

  async claim(run: string, part: number): Promise<readonly string[] | undefined> {
    return this.connection.transaction(async (query) => {
      const { rowCount } = await query(
        `UPDATE plumb.part SET worker = $3, version = version + 1, until = now() + interval '${LEASE} s'
         WHERE run = $1 AND part = $2 AND (worker IS NULL OR worker = $3 OR until < now()) AND NOT (fixed AND version > 0)`,
        [run, part, this.worker],
      )
      if (rowCount !== 1) return undefined
      await query('UPDATE plumb.message SET lease = NULL, worker = NULL WHERE run = $1 AND part = $2 AND lease IS NOT NULL', [run, part])
      const { rows } = await query('SELECT line FROM plumb.memory WHERE run = $1 AND part = $2 ORDER BY n', [run, part])
      return rows.map(({ line }) => String(line))
    })
  }

  async unclaim(run: string, part: number): Promise<void> {
    await this.connection.query('UPDATE plumb.part SET worker = NULL, until = NULL WHERE run = $1 AND part = $2 AND worker = $3', [
      run,
      part,
      this.worker,
    ])
  }

  async reap(): Promise<void> {
    const { rows } = await this.connection.query(UNLOCKED, [this.worker])
    for (const { worker } of rows) {
      // In a transaction, whose end releases the lock.
      await this.connection.transaction(async (query) => {
        const { rows: locked } = await query('SELECT pg_try_advisory_xact_lock($1, $2::int) AS is_free', [WORKERS, worker])
        if (locked[0]?.is_free !== true) return undefined
        await query('UPDATE plumb.message SET lease = NULL, worker = NULL, until = NULL WHERE worker = $1', [worker])
        await query('UPDATE plumb.part SET worker = NULL, until = NULL WHERE worker = $1', [worker])
        await query('UPDATE plumb.worker SET ended = now() WHERE id = $1', [worker])
        await writeOff(query, worker)
        await query('NOTIFY plumb')
        return true
      })
    }
  }

  async look(run: string, part: number, behind: readonly number[]): Promise<{ readonly isCrowded: boolean; readonly hasAlone: boolean }> {
    const { rows } = await this.connection.query(
      `SELECT EXISTS (SELECT 1 FROM plumb.message m WHERE m.run = $1 AND m.part = $2 AND ${READY} AND ${ALONE('m')}) AS has_alone,
         EXISTS (SELECT 1 FROM unnest($3::int[]) p
           WHERE EXISTS (SELECT 1 FROM plumb.message u WHERE u.run = $1 AND u.part = p OFFSET $4)) AS is_crowded`,
      [run, part, behind, MAX_WAITING],
    )
    return { isCrowded: rows[0]?.is_crowded === true, hasAlone: rows[0]?.has_alone === true }
  }

  async isLast(run: string, part: number, above: readonly number[], lease: string): Promise<boolean> {
    const { rows } = await this.connection.query(
      `SELECT EXISTS (SELECT 1 FROM plumb.run WHERE id = $1 AND state = 'closed')
         AND NOT EXISTS (SELECT 1 FROM plumb.message WHERE run = $1 AND (part = ANY ($3::int[]) OR (part = $2 AND lease IS DISTINCT FROM $4::uuid))) AS is_last`,
      [run, part, above, lease],
    )
    return rows[0]?.is_last === true
  }

  lend(loan: Loan): Promise<number | 'waits' | 'none'> {
    return lend(this.connection, this.worker, loan)
  }

  pace(run: string, id: string, claim: Claim): Promise<number> {
    return pace(this.connection, this.worker, { run, id, claim })
  }

  paced(run: string, id: string, tokens: number): Promise<void> {
    return paced(this.connection, this.worker, { run, id, tokens })
  }

  callsOf(run: string, part: number, ord: string): Promise<readonly string[]> {
    return takeCalls(this.connection, { run, part, ord })
  }

  findAnswers(run: string, keys: readonly SharedKey[], places: readonly string[]): Promise<readonly Numbered[]> {
    return findAnswers(this.connection, run, keys, places)
  }

  cacheAnswers(run: string, answers: readonly CachedAnswer[]): Promise<void> {
    return cacheAnswers(this.connection, run, answers, true)
  }

  async park(run: string, limits: string | null, why: Fault): Promise<void> {
    await this.connection.query('UPDATE plumb.run SET parked = $3 WHERE id = $1 AND limits IS NOT DISTINCT FROM $2 AND parked IS NULL', [
      ...[run, limits],
      JSON.stringify(why),
    ])
    await this.connection.query('NOTIFY plumb')
  }

  async isOver(run: string): Promise<boolean> {
    const { rows } = await this.connection.query(
      `SELECT NOT EXISTS (SELECT 1 FROM plumb.run WHERE id = $1 AND state IN ('open', 'closed'))
         OR (EXISTS (SELECT 1 FROM plumb.run WHERE id = $1 AND parked IS NOT NULL)
             AND NOT EXISTS (SELECT 1 FROM plumb.message WHERE run = $1 AND part > 0 AND lease IS NOT NULL))
         OR (EXISTS (SELECT 1 FROM plumb.run WHERE id = $1 AND state = 'closed')
             AND NOT EXISTS (SELECT 1 FROM plumb.message WHERE run = $1 AND part > 0 AND NOT parked)) AS is_over`,
      [run],
    )
    return rows[0]?.is_over === true
  }
}

const eventColumns = (events: Settlement['events']): readonly (readonly unknown[])[] => {
  const now = Date.now()
  return [
    events.map(({ process }) => process),
    events.map(({ event }) => Math.max(0, now - event.at)),
    events.map(({ origin }) => origin),
    events.map(({ event }) => JSON.stringify(event)),
  ]
}

const numbersIn = (ord: string): number[] => ord.slice(1, -1).split(',').map(Number)

/** As PostgreSQL compares such lists. */
const compareOrds = (a: string, b: string): number => {
  const [left, right] = [numbersIn(a), numbersIn(b)]
  for (const [i, number] of left.entries()) {
    const other = right[i]
    if (other === undefined) return 1
    if (number !== other) return number - other
  }
  return left.length - right.length
}
