// The calls of a run that wait for approval, in PostgreSQL: the counterpart of the journal of a record.

import { askedLine, decisionLine, type ListedCall } from '@plumb/wire/approval'
import type { Connection } from './connection.js'
import type { KeptCall } from './engine.js'

export const KEEP_CALL = `
INSERT INTO plumb.approval AS a (run, id, part, ord, call, state) VALUES ($1, $2, $3, $4::bigint[], $5, $6)
ON CONFLICT (run, id) DO UPDATE SET call = $5, state = $6`

export const keptValues = (run: string, part: number, { id, ord, call }: KeptCall): readonly unknown[] => [
  ...[run, id, part, ord],
  ...[JSON.stringify(call), call.state],
]

/** An expired decision counts as none. */
export const STATE_NOW = `CASE WHEN a.state IN ('approved', 'denied') AND a.until <= now() THEN 'waits' ELSE a.state END`

/** Those of a message that is about to be processed, as lines of a journal. */
export const takeCalls = async (connection: Connection, of: { run: string; part: number; ord: string }): Promise<readonly string[]> => {
  const where = 'WHERE a.run = $1 AND a.part = $2 AND a.ord = $3::bigint[]'
  const values = [of.run, of.part, of.ord]
  const lines = await connection.transaction(async (query) => {
    const { rows } = await query(
      `SELECT a.call, a.reason, ${STATE_NOW} AS state FROM plumb.approval a ${where} ORDER BY a.n FOR UPDATE`,
      values,
    )
    // From here on it may be made: if this worker ends, that is unknown.
    await query(`UPDATE plumb.approval a SET state = 'in_doubt' ${where} AND ${STATE_NOW} = 'approved'`, values)
    return rows.flatMap(({ call, reason, state }) => linesOf(JSON.parse(String(call)) as ListedCall, String(state), reason))
  })
  return lines ?? []
}

const linesOf = (listed: ListedCall, state: string, reason: unknown): string[] => {
  const { id, call, nth, result } = listed
  const decision = { isApproved: state !== 'denied', ...(typeof reason === 'string' ? { why: reason } : {}) }
  const at = new Date().toISOString()
  const lines: object[] = [{ ...askedLine(id, listed), since: listed.since }]
  if (state !== 'waits') lines.push(decisionLine(id, decision))
  if (state === 'in_doubt' || state === 'done') lines.push({ kind: 'begun', id, call, nth, at })
  if (state === 'done') lines.push({ kind: 'done', id, at, result })
  return lines.map((line) => JSON.stringify(line))
}
