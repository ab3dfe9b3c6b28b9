// The limits of a run, in PostgreSQL: for each balance what is spent, and what workers have borrowed of it.

import type { Claim } from '@plumb/wire'
import type { Connection, Query } from './connection.js'
import type { Loan } from './engine.js'

/** The share of the rest that a worker borrows at once, unless it needs more. */
const PIECES = 20
/** As within one process. */
const WINDOW = `interval '61 s'`

/** One worker after the other reads a balance. */
export const lend = async (connection: Connection, worker: string, loan: Loan): Promise<number | 'waits' | 'none'> => {
  const { run, balance, limit, spent, back, need } = loan
  const lent = await connection.transaction(async (query) => {
    await query('INSERT INTO plumb.balance (run, name) VALUES ($1, $2) ON CONFLICT DO NOTHING', [run, balance])
    const { rows } = await query('UPDATE plumb.balance SET spent = spent + $3 WHERE run = $1 AND name = $2 RETURNING spent', [
      run,
      balance,
      spent,
    ])
    if (spent !== 0 || back > 0)
      await query('UPDATE plumb.loan SET amount = greatest(0, amount - $4) WHERE run = $1 AND name = $2 AND worker = $3', [
        ...[run, balance, worker],
        spent + back,
      ])
    if (back > 0) await query('NOTIFY plumb')
    if (need === 0) return 0
    const loans = await query(
      'SELECT coalesce(sum(amount), 0) AS amount, coalesce(sum(amount) FILTER (WHERE worker <> $3), 0) AS others FROM plumb.loan WHERE run = $1 AND name = $2',
      [run, balance, worker],
    )
    const { amount, others } = loans.rows[0] ?? {}
    const left = limit - Number(rows[0]?.spent) - Number(amount)
    if (left < need) return left + Number(others) < need && Number(others) === 0 ? 'none' : 'waits'
    const given = Math.max(need, Math.floor(left / PIECES))
    await query(
      `INSERT INTO plumb.loan AS l (run, name, worker, amount) VALUES ($1, $2, $3, $4)
       ON CONFLICT (run, name, worker) DO UPDATE SET amount = l.amount + $4`,
      [run, balance, worker, given],
    )
    return given
  })
  return lent ?? 0
}

/** Loans of a dead worker may have been spent. */
export const writeOff = async (query: Query, worker: unknown): Promise<void> => {
  await query(
    `WITH gone AS (DELETE FROM plumb.loan WHERE worker = $1 RETURNING run, name, amount)
     UPDATE plumb.balance p SET spent = p.spent + g.amount FROM gone g WHERE p.run = g.run AND p.name = g.name`,
    [worker],
  )
}

/** Milliseconds to wait; 0: it may be sent, and counts. */
export const pace = async (connection: Connection, worker: string, of: { run: string; id: string; claim: Claim }): Promise<number> => {
  const { run, id, claim } = of
  const { rate, tokens } = claim
  if (!rate) return 0
  const { account, requests, tokens: limit } = rate
  const waitMs = await connection.transaction(async (query) => {
    await query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`plumb ${run} ${account}`])
    const { rows } = await query(
      `SELECT count(*) AS sent, coalesce(sum(tokens), 0) AS used,
         ceil(extract(epoch FROM min(at) + ${WINDOW} - clock_timestamp()) * 1000) AS wait_ms
       FROM plumb.request WHERE run = $1 AND account = $2 AND at > clock_timestamp() - ${WINDOW}`,
      [run, account],
    )
    const { sent, used, wait_ms } = rows[0] ?? {}
    // A request above the limit goes alone.
    const fits = (requests === null || Number(sent) < requests) && (limit === null || Number(sent) === 0 || Number(used) + tokens <= limit)
    if (!fits) return Math.max(1, Number(wait_ms))
    await query('INSERT INTO plumb.request (run, account, worker, id, at, tokens) VALUES ($1, $2, $3, $4, clock_timestamp(), $5)', [
      ...[run, account, worker],
      ...[id, tokens],
    ])
    return 0
  })
  return waitMs ?? 0
}

export const paced = async ({ query }: Connection, worker: string, of: { run: string; id: string; tokens: number }): Promise<void> => {
  await query('UPDATE plumb.request SET tokens = $4 WHERE run = $1 AND worker = $2 AND id = $3', [of.run, worker, of.id, of.tokens])
}
