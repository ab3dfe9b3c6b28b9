// The engine on PostgreSQL. A worker is a session: it holds a lock on its number, and whoever finds that lock free gives back what it had.

import type { Connection, Query } from './connection.js'
import type { Engine, RunRow, Settlement, TakenMessage, TakeOptions } from './engine.js'

/** Seconds. */
const LEASE = 30
/** Messages before a part; then those before it wait. */
export const MAX_WAITING = 10_000
/** In the first half of the key of a lock. */
const WORKERS = 0x706c756d

const READY = `(m.lease IS NULL OR m.until < now()) AND (m.not_before IS NULL OR m.not_before <= now())`
const ALONE = (of: string) => `(${of}.alone OR ${of}.tries >= 2)`
const LIVE = `EXISTS (SELECT 1 FROM plumb.run r WHERE r.id = $1 AND r.state IN ('open', 'closed'))`

/** What comes before it in the order of the run is done with, here and above; $7: the parts above. */
const IN_ORDER = `
  AND NOT EXISTS (
    SELECT 1 FROM plumb.message e WHERE e.run = $1 AND e.part = $2 AND e.ord < m.ord
    AND (e.not_before > now() OR (e.lease IS NULL AND ${ALONE('e')})))
  AND m.ord <= ALL (
    SELECT (SELECT u.ord FROM plumb.message u WHERE u.run = $1 AND u.part = p ORDER BY u.ord LIMIT 1)
    FROM unnest($7::int[]) p
    WHERE EXISTS (SELECT 1 FROM plumb.message u WHERE u.run = $1 AND u.part = p))`

const takeText = (isInOrder: boolean): string => `
UPDATE plumb.message SET lease = $3, worker = $4, until = now() + interval '${LEASE} s', tries = tries + 1
WHERE id IN (
  SELECT m.id FROM plumb.message m
  WHERE m.run = $1 AND m.part = $2 AND ${READY} AND ${ALONE('m')} = $5 ${isInOrder ? IN_ORDER : ''} AND ${LIVE}
  ORDER BY m.ord, m.id LIMIT $6 FOR UPDATE SKIP LOCKED)
RETURNING id, port, ord::text AS ord, origin, value, tries`

const TAKE = takeText(false)
const TAKE_IN_ORDER = takeText(true)

const INSERT = `
INSERT INTO plumb.message (run, part, port, ord, origin, value)
SELECT $1, o.part, o.port, o.ord::bigint[], o.origin, o.value
FROM unnest($2::int[], $3::int[], $4::text[], $5::bigint[], $6::text[]) WITH ORDINALITY AS o (part, port, ord, origin, value, n) ORDER BY o.n`

/** Messages go into the queues in this order. */
export const insertMessages = async (query: Query, run: string, messages: Settlement['outputs']): Promise<void> => {
  if (messages.length === 0) return
  const column = <Key extends keyof (typeof messages)[number]>(key: Key) => messages.map((message) => message[key])
  await query(INSERT, [run, column('part'), column('port'), column('ord'), column('origin'), column('value')])
}

export class PostgresEngine implements Engine {
  constructor(
    private readonly connection: Connection,
    /** As `plumb.worker` has it. */
    readonly worker: string,
  ) {}

  /** A new worker. */
  static async open(connection: Connection, host: string): Promise<PostgresEngine> {
    const { rows } = await connection.query('INSERT INTO plumb.worker (host) VALUES ($1) RETURNING id', [host])
    const id = String(rows[0]?.id)
    await connection.query('SELECT pg_advisory_lock($1, $2::int)', [WORKERS, id])
    return new PostgresEngine(connection, id)
  }

  async runs(): Promise<readonly RunRow[]> {
    const { rows } = await this.connection.query(
      "SELECT id, name, state, digest, protocol FROM plumb.run WHERE state IN ('open', 'closed') ORDER BY id",
    )
    return rows as unknown as readonly RunRow[]
  }

  async take({ run, part, lease, most, isAlone, above }: TakeOptions): Promise<readonly TakenMessage[]> {
    const values = [run, part, lease, this.worker, isAlone, most]
    const { rows } = await (above ? this.connection.query(TAKE_IN_ORDER, [...values, above]) : this.connection.query(TAKE, values))
    // RETURNING has no order.
    return (rows as unknown as TakenMessage[]).sort((a, b) => compareOrds(a.ord, b.ord))
  }

  async settle(s: Settlement): Promise<boolean> {
    const settled = await this.connection.transaction(async (query) => {
      const { rowCount } = await query(`DELETE FROM plumb.message WHERE id = ANY ($2::bigint[]) AND lease = $3 AND ${LIVE}`, [
        s.run,
        s.done,
        s.lease,
      ])
      if (rowCount !== s.done.length) return undefined
      if (s.again.length > 0) {
        const { rowCount: given } = await query(
          `UPDATE plumb.message m SET lease = NULL, worker = NULL, alone = true, not_before = now() + a.after * interval '1 s'
           FROM unnest($1::bigint[], $2::float8[]) AS a (id, after) WHERE m.id = a.id AND m.lease = $3`,
          [s.again.map(({ id }) => id), s.again.map(({ afterSeconds }) => afterSeconds), s.lease],
        )
        if (given !== s.again.length) return undefined
      }
      if (s.memory) {
        const { rowCount: fenced } = await query(
          'UPDATE plumb.part SET version = version + 1 WHERE run = $1 AND part = $2 AND worker = $3',
          [s.run, s.part, this.worker],
        )
        if (fenced !== 1) return undefined
        if (s.memory.length > 0)
          await query(
            'INSERT INTO plumb.memory (run, part, line) SELECT $1, $2, o.line FROM unnest($3::text[]) WITH ORDINALITY AS o (line, n) ORDER BY o.n',
            [s.run, s.part, s.memory],
          )
      }
      await insertMessages(query, s.run, s.outputs)
      for (const { message, fault } of s.letters) {
        await query(
          `INSERT INTO plumb.letter (run, part, port, ord, origin, value, fault, tries) VALUES ($1, $2, $3, $4::bigint[], $5, $6, $7, $8)`,
          [s.run, s.part, message.port, message.ord, message.origin, message.value, JSON.stringify(fault), message.tries],
        )
      }
      const { taken, outputs, dropped, failed } = s.tally
      await query(
        `INSERT INTO plumb.tally AS t (run, part, worker, taken, outputs, dropped, failed) VALUES ($1, $2, $3, $4, $5, $6, $7)
         ON CONFLICT (run, part, worker) DO UPDATE SET taken = t.taken + $4, outputs = t.outputs + $5, dropped = t.dropped + $6, failed = t.failed + $7`,
        [s.run, s.part, this.worker, taken, outputs, dropped, failed],
      )
      await query('NOTIFY plumb')
      return true
    })
    return settled === true
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

  async own(run: string, part: number): Promise<readonly string[] | undefined> {
    return this.connection.transaction(async (query) => {
      const { rowCount } = await query(
        `UPDATE plumb.part SET worker = $3, version = version + 1, until = now() + interval '${LEASE} s'
         WHERE run = $1 AND part = $2 AND (worker IS NULL OR worker = $3 OR until < now())`,
        [run, part, this.worker],
      )
      if (rowCount !== 1) return undefined
      await query('UPDATE plumb.message SET lease = NULL, worker = NULL WHERE run = $1 AND part = $2 AND lease IS NOT NULL', [run, part])
      const { rows } = await query('SELECT line FROM plumb.memory WHERE run = $1 AND part = $2 ORDER BY n', [run, part])
      return rows.map(({ line }) => String(line))
    })
  }

  async disown(run: string, part: number): Promise<void> {
    await this.connection.query('UPDATE plumb.part SET worker = NULL, until = NULL WHERE run = $1 AND part = $2 AND worker = $3', [
      run,
      part,
      this.worker,
    ])
  }

  async reap(): Promise<void> {
    const { rows } = await this.connection.query(
      `SELECT DISTINCT worker FROM (
         SELECT worker FROM plumb.message WHERE worker IS NOT NULL UNION SELECT worker FROM plumb.part WHERE worker IS NOT NULL) w
       WHERE worker <> $1`,
      [this.worker],
    )
    for (const { worker } of rows) {
      // In a transaction, whose end gives the lock back.
      await this.connection.transaction(async (query) => {
        const { rows: locked } = await query('SELECT pg_try_advisory_xact_lock($1, $2::int) AS is_free', [WORKERS, worker])
        if (locked[0]?.is_free !== true) return undefined
        await query('UPDATE plumb.message SET lease = NULL, worker = NULL, until = NULL WHERE worker = $1', [worker])
        await query('UPDATE plumb.part SET worker = NULL, until = NULL WHERE worker = $1', [worker])
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

  async isOver(run: string): Promise<boolean> {
    const { rows } = await this.connection.query(
      `SELECT NOT EXISTS (SELECT 1 FROM plumb.run WHERE id = $1 AND state IN ('open', 'closed'))
         OR (EXISTS (SELECT 1 FROM plumb.run WHERE id = $1 AND state = 'closed')
             AND NOT EXISTS (SELECT 1 FROM plumb.message WHERE run = $1 AND part > 0)) AS is_over`,
      [run],
    )
    return rows[0]?.is_over === true
  }
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
