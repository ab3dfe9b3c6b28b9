// plumb engine, runs, letters, cancel and retry: shows the tables, and changes runs.

import { endWith, escapeLines, type Fault, fail, fault, type Result, stdoutColumns, succeed, toDollars, writeStdout } from '@plumb/wire'
import { type Connection, checkSchema, connect } from './connection.js'
import { RATE_WINDOW } from './postgres.js'
import { STATE_NOW } from './postgres-calls.js'
import { ROLES, SCHEMA, SERVED, SERVED_ROLE } from './schema.js'
import { type PartCounts, type RunShown, showLetters, showRuns } from './show-runs.js'
import { fixedFault, MAY_SERVE } from './unserved.js'

export interface Database {
  readonly url: string
  readonly isInsecure: boolean
}

/** What belongs to a run. */
export const TABLES = [
  'message',
  'part',
  'memory',
  'tally',
  'usage',
  'event',
  'letter',
  'balance',
  'loan',
  'request',
  'approval',
  'question',
  'answer',
  'recorded',
]

/** For all tables, runs that ended longer ago than so many days. */
const SWEEP = `
WITH old AS (DELETE FROM plumb.run WHERE ended < now() - $1 * interval '1 day' RETURNING id),
  ${TABLES.map((table) => `of_${table} AS (DELETE FROM plumb.${table} WHERE run IN (SELECT id FROM old))`).join(',\n  ')}
SELECT count(*) AS swept FROM old`

export interface EngineOptions {
  readonly isPrint: boolean
  /** Deletes runs that have been over for so many days, and returns their number. */
  readonly sweepDays: number | undefined
}

/** Resolves to the exit status. */
export const engine = async (database: Database | undefined, { isPrint, sweepDays }: EngineOptions): Promise<number> => {
  if (isPrint) return endWith('plumb', await writeStdout([SCHEMA, SERVED, ROLES, SERVED_ROLE, ''].join('\n')))
  if (!database) return endWith('plumb', fault('missing_option', 'say which database: --on postgres://… or PLUMB_ON'))
  if (sweepDays !== undefined)
    return withConnection(database, true, async ({ query }) => succeed(`${(await query(SWEEP, [sweepDays])).rows[0]?.swept}\n`))
  return withConnection(database, false, async (connection) => {
    const { query } = connection
    const { rows } = await query("SELECT to_regclass('plumb.version') IS NOT NULL AS is_there")
    if (rows[0]?.is_there === true) {
      const schema = await checkSchema(connection)
      if (!schema.ok) return schema
    } else await query(SCHEMA)
    await query(SERVED)
    return succeed('')
  })
}

export const cancel = (database: Database, name: string): Promise<number> =>
  withConnection(database, true, async ({ query }) => {
    const { rowCount } = await query(
      "UPDATE plumb.run SET state = 'cancelled', ended = now() WHERE name = $1 AND state IN ('open', 'closed')",
      [name],
    )
    await query('NOTIFY plumb')
    return rowCount === 1 ? succeed('') : notOpen(query, name)
  })

/** Reads no more of its input; what was read is finished. */
export const drain = (database: Database, name: string): Promise<number> =>
  withConnection(database, true, async ({ query }) => {
    const { rowCount } = await query("UPDATE plumb.run SET state = 'closed' WHERE name = $1 AND state = 'open'", [name])
    await query('NOTIFY plumb')
    return rowCount === 1 ? succeed('') : notOpen(query, name)
  })

/** Failed messages are delivered again. */
export const retry = (database: Database, name: string, origins: readonly number[]): Promise<number> =>
  withConnection(database, true, async (connection) => {
    const given = await connection.transaction(async (query) => {
      const { rows } = await query("SELECT id FROM plumb.run WHERE name = $1 AND state IN ('open', 'closed') FOR UPDATE", [name])
      const [run] = rows
      if (!run) return undefined
      const { rowCount } = await query(
        `WITH again AS (DELETE FROM plumb.letter WHERE run = $1 AND (cardinality($2::bigint[]) = 0 OR origin = ANY ($2)) RETURNING part, port, ord, origin, value)
         INSERT INTO plumb.message (run, part, port, ord, origin, value) SELECT $1, part, port, ord, origin, value FROM again`,
        [run.id, origins],
      )
      await query('NOTIFY plumb')
      return rowCount ?? 0
    })
    return given === undefined ? notOpen(connection.query, name) : succeed(`${given}\n`)
  })

export const letters = (database: Database, name: string, { isJson }: { readonly isJson: boolean }): Promise<number> =>
  withConnection(database, true, async ({ query }) => {
    const known = await query('SELECT 1 FROM plumb.run WHERE name = $1', [name])
    if (known.rows.length === 0) return noRun(name)
    const { rows } = await query(
      `SELECT l.part, l.origin, l.value, l.fault, l.tries FROM plumb.letter l JOIN plumb.run r ON r.id = l.run WHERE r.name = $1 ORDER BY l.id`,
      [name],
    )
    const shown = rows.map(({ part, origin, value, fault, tries }) => ({
      ...{ origin: String(origin), part: String(part), tries: String(tries) },
      ...{ fault: String(fault), value: String(value) },
    }))
    const run = database.url === process.env.PLUMB_ON ? name : `--on URL ${name}`
    return succeed(showLetters(shown, { name, run }, isJson ? undefined : stdoutColumns()))
  })

const WATCH_MS = 2000

export interface LookOptions {
  readonly isJson: boolean
  /** Repeats every 2 seconds, until all have ended. */
  readonly isWatching: boolean
}

/** `name`: of one run alone. */
export const runs = (database: Database, name: string | undefined, { isJson, isWatching }: LookOptions): Promise<number> =>
  withConnection(database, true, async ({ query }) => {
    for (let isFirst = true; ; isFirst = false) {
      const shown = await readRuns(query, name)
      if (name !== undefined && shown.length === 0) return noRun(name)
      const columns = isJson ? undefined : stdoutColumns()
      const text = columns === undefined ? escapeLines(shown.map((run) => `${JSON.stringify(run)}\n`).join('')) : showRuns(shown, columns)
      const isOver = !isWatching || shown.every(({ state }) => state === 'done' || state === 'cancelled')
      const failed = await writeStdout(columns !== undefined && isWatching ? repainted(text, isFirst) : text)
      if (failed) return { ok: false, error: failed }
      if (isOver) return succeed('')
      await new Promise((resolve) => setTimeout(resolve, WATCH_MS))
    }
  })

// Over the screen before, line by line: a screen that is cleared each time would fill the terminal's memory of what was scrolled away.
const repainted = (text: string, isFirst: boolean): string => `${isFirst ? '\x1b[2J' : ''}\x1b[H${text.replaceAll('\n', '\x1b[K\n')}\x1b[J`

const readRuns = async (query: Connection['query'], name: string | undefined): Promise<RunShown[]> => {
  const { rows } = await query(RUNS, [name ?? null])
  return rows.map((row) => {
    const plan = JSON.parse(String(row.plan)) as readonly { id: number; name: string; holds?: readonly string[] }[]
    const counts = row.parts as Readonly<Record<string, Omit<PartCounts, 'part'>>>
    const parts = plan.map(({ id, name, holds = [name] }): PartCounts => {
      const known = { ...NONE, ...counts[String(id)] }
      return { part: `${id} ${name}`, holds, ...known, rate: Number(known.rate.toPrecision(3)), cost: toDollars(known.cost) }
    })
    const { waiting: unread = 0 } = counts['0'] ?? {}
    const note = noteOf(row, parts)
    const [taken, written] = [Number(row.taken), Number(row.written)]
    // Only approvals are left to do.
    const isHeld =
      row.state === 'closed' && parts.every(({ waiting, in_hand }) => waiting + in_hand === 0) && parts.some(({ parked }) => parked > 0)
    const state = row.parked !== null || isHeld ? 'parked' : String(row.state)
    return { name: String(row.name), state, taken, written, unread, parts, ...(note === undefined ? {} : { note }) }
  })
}

/** What a person should know of a run. */
const noteOf = (row: Readonly<Record<string, unknown>>, parts: readonly PartCounts[]): string | undefined => {
  const { name, state, parked, failed, reason } = row
  if (failed !== null) return fixedFault(parts.find(({ part }) => part.startsWith(`${failed} `))?.part ?? '').detail
  const unserved = parts.find(({ waiting, workers }) => waiting > 0 && workers === 0)
  if (unserved && state !== 'cancelled') {
    const { part, pin } = unserved
    return `${reason ?? 'no worker with this spec serves all that waits'}${pin === undefined ? '' : `: part ${part} is for those with the label '${pin}'`}`
  }
  if (parked !== null) return (JSON.parse(String(parked)) as Fault).detail
  const asks = Number(row.asks)
  return asks > 0 ? `${asks} call${asks === 1 ? ' waits' : 's wait'} for a person: plumb approvals --on URL ${name}` : undefined
}

const NONE = { waiting: 0, in_hand: 0, done: 0, dropped: 0, failed: 0, parked: 0, rate: 0, calls: 0, tokens: 0, cost: 0, workers: 0 }

const ELAPSED = 'extract(epoch FROM now() - since)'
/** Messages a second, from a row of the tally: since its window began, and of the window before while that is new. */
const RATE = `CASE WHEN ${ELAPSED} > ${RATE_WINDOW} THEN lately / ${ELAPSED} WHEN rate = 0 THEN lately / greatest(${ELAPSED}, 1)
  ELSE (lately + ${RATE_WINDOW} * rate) / (${ELAPSED} + ${RATE_WINDOW}) END`

const RUNS = `
SELECT r.name, r.state, r.parked, r.failed, r.taken, r.written, r.plan,
  (SELECT count(*) FROM plumb.approval a WHERE a.run = r.id AND ${STATE_NOW} IN ('waits', 'in_doubt')) AS asks,
  (SELECT w.host || ': ' || w.reason FROM plumb.live_worker w WHERE w.digest = r.digest AND w.reason IS NOT NULL ORDER BY w.id LIMIT 1) AS reason,
  coalesce((
  SELECT jsonb_object_agg(p.part, jsonb_strip_nulls(jsonb_build_object(
    'waiting', coalesce(m.waiting, 0), 'parked', coalesce(m.parked, 0), 'in_hand', coalesce(m.in_hand, 0), 'oldest', m.oldest, 'owner', o.host, 'pin', p.pin,
    'done', coalesce(t.taken, 0), 'dropped', coalesce(t.dropped, 0), 'failed', coalesce(t.failed, 0),
    'rate', coalesce(t.rate, 0), 'calls', coalesce(u.calls, 0), 'tokens', coalesce(u.tokens, 0), 'cost', coalesce(u.cost, 0),
    'workers', (SELECT count(*) FROM plumb.live_worker w WHERE w.digest = r.digest AND p.part = ANY (w.parts) AND ${MAY_SERVE}))))
  FROM (SELECT 0 AS part, NULL::bigint AS worker, NULL AS pin UNION ALL SELECT part, worker, pin FROM plumb.part WHERE run = r.id) p
  LEFT JOIN plumb.worker o ON o.id = p.worker
  LEFT JOIN (SELECT part, count(*) FILTER (WHERE lease IS NULL AND NOT parked) AS waiting, count(*) FILTER (WHERE parked) AS parked, count(*) FILTER (WHERE lease IS NOT NULL) AS in_hand,
               round(extract(epoch FROM now() - min(since) FILTER (WHERE lease IS NULL))) AS oldest
             FROM plumb.message WHERE run = r.id GROUP BY part) m ON m.part = p.part
  LEFT JOIN (SELECT part, sum(taken) AS taken, sum(dropped) AS dropped, sum(failed) AS failed,
               sum(${RATE}) AS rate
             FROM plumb.tally WHERE run = r.id GROUP BY part) t ON t.part = p.part
  LEFT JOIN (SELECT part, sum(calls) AS calls, sum(input + output + cache_read + cache_creation) AS tokens, sum(cost) AS cost
             FROM plumb.usage WHERE run = r.id GROUP BY part) u ON u.part = p.part), '{}') AS parts
FROM plumb.run r WHERE $1::text IS NULL OR r.name = $1 ORDER BY r.id`

export const noRun = (name: string): Result<string> => fail('unknown_name', `there is no run '${name}'; 'plumb runs' lists them`)

const notOpen = async (query: Connection['query'], name: string): Promise<Result<string>> => {
  const { rows } = await query('SELECT state FROM plumb.run WHERE name = $1', [name])
  return rows[0] ? fail('cancelled', `run '${name}' is ${rows[0].state}`) : noRun(name)
}

/** Writes the result of the work as it is: who makes it escapes what a terminal obeys. */
export const withConnection = async (
  { url, isInsecure }: Database,
  needsSchema: boolean,
  work: (connection: Connection) => Promise<Result<string>>,
): Promise<number> => {
  const connection = await connect(url, isInsecure)
  if (!connection.ok) return endWith('plumb', connection.error)
  try {
    const schema = needsSchema ? await checkSchema(connection.value) : succeed(undefined)
    const done = schema.ok ? await work(connection.value) : schema
    if (!done.ok) return endWith('plumb', done.error)
    return endWith('plumb', done.value === '' ? undefined : await writeStdout(done.value))
  } catch (error) {
    return endWith('plumb', fault('engine_unavailable', `the database does not do what it is asked: ${(error as Error).message}`))
  } finally {
    await connection.value.close()
  }
}
