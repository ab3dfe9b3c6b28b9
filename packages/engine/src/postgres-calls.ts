// The calls of a run that wait for approval, in PostgreSQL: the counterpart of the journal of a record.

import { askedLine, decisionLine, type ListedCall } from '@plumb/ledger/approval'
import type { Connection } from './connection.js'
import type { KeptCall } from './engine.js'

/** A call that the database does not know waits, whatever the worker says; others go on as far as a person has decided. */
export const KEEP_CALL = 'SELECT plumb.keep_call($1::bigint, $2::text, $3::int, $4::bigint[], $5::text, $6::text)'

export const keptValues = (run: string, part: number, { id, ord, call }: KeptCall): readonly unknown[] => [
  ...[run, id, part, ord],
  ...[JSON.stringify(call), call.state],
]

/** An expired decision counts as none. */
export const STATE_NOW = `CASE WHEN a.state IN ('approved', 'denied') AND a.until <= now() THEN 'waits' ELSE a.state END`

/** Those of a message that is about to be processed, as lines of a journal. */
export const takeCalls = async (connection: Connection, of: { run: string; part: number; ord: string }): Promise<readonly string[]> => {
  // From here on those that are approved may be made: if this worker ends, that is unknown.
  const { rows } = await connection.query(TAKE_CALLS, [of.run, of.part, of.ord])
  return rows.flatMap(({ call, ...decided }) => linesOf(JSON.parse(String(call)) as ListedCall, decided))
}

const TAKE_CALLS = 'SELECT call, reason, edited, state FROM plumb.take_calls($1::bigint, $2::int, $3::bigint[])'

/** An answer is given once, and taken as often as its message is delivered: nothing of it is ever in doubt. */
export const stateOf = ({ kind }: Pick<ListedCall, 'kind'>, state: string): ListedCall['state'] =>
  (kind === 'person' && (state === 'in_doubt' || state === 'done') ? 'approved' : state) as ListedCall['state']

/** What the person has said: the answer, where it is a question. */
export const reasonOf = ({ kind, state }: Pick<ListedCall, 'kind' | 'state'>, reason: string): Pick<ListedCall, 'said' | 'answer'> =>
  kind === 'person' && state === 'approved' ? { answer: reason } : { said: reason }

const linesOf = (listed: ListedCall, { state: stored, reason, edited }: Readonly<Record<string, unknown>>): string[] => {
  const { id, call, nth, result } = listed
  const state = stateOf(listed, String(stored))
  const { answer, said } = typeof reason === 'string' ? reasonOf({ ...listed, state }, reason) : {}
  const decision = {
    isApproved: state !== 'denied',
    ...(answer === undefined ? {} : { answer }),
    ...(typeof edited === 'string' ? { edited } : {}),
    ...(said === undefined ? {} : { why: said }),
  }
  const at = new Date().toISOString()
  const lines: object[] = [{ ...askedLine(id, listed), since: listed.since }]
  if (state !== 'waits') lines.push(decisionLine(id, decision))
  if (state === 'in_doubt' || state === 'done') lines.push({ kind: 'begun', id, call, nth, at })
  if (state === 'done') lines.push({ kind: 'done', id, at, result })
  return lines.map((line) => JSON.stringify(line))
}
