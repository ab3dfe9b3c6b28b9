// plumb approvals and plumb approve, plumb pending and plumb answer on a run by workers: lists what waits for a person, and stores decisions.

import { type Decision, digestOf, isOpen, type ListedCall } from '@plumb/ledger/approval'
import { type AnswerOptions, type ApproveOptions, decisionBy, decisionOn, showCalls, showPending } from '@plumb/runtime/record'
import { fail, type Result, succeed } from '@plumb/wire'
import type { Query } from './connection.js'
import { type Database, noRun, withConnection } from './look.js'
import { reasonOf, STATE_NOW, stateOf } from './postgres-calls.js'

export const approvals = (database: Database, name: string, options: { readonly all: boolean; readonly json: boolean }): Promise<number> =>
  list(database, name, options, (calls, as) =>
    showCalls(
      calls.filter(({ kind }) => kind === undefined),
      as,
    ),
  )

/** Questions of agents as well as calls. */
export const pending = (database: Database, name: string, options: { readonly all: boolean; readonly json: boolean }): Promise<number> =>
  list(database, name, options, (calls, as) => showPending(calls, name, as))

const list = (
  database: Database,
  name: string,
  { all: isAll, json: isJson }: { readonly all: boolean; readonly json: boolean },
  show: (calls: readonly ListedCall[], as: Parameters<typeof showCalls>[1]) => string,
): Promise<number> =>
  withConnection(database, true, async ({ query }) => {
    const calls = await callsOf(query, name)
    if (!calls) return noRun(name)
    const listed = [...calls.values()].filter((call) => isAll || isOpen(call))
    return succeed(show(listed, { of: `--on URL ${name}`, isJson, isAll }))
  })

/** Its message is delivered again. */
export const answer = (database: Database, name: string, id: string, text: string | undefined, options: AnswerOptions): Promise<number> =>
  withConnection(database, true, async (connection) => {
    const decided = await connection.transaction(async (query): Promise<Result<string> | undefined> => {
      const calls = await callsOf(query, name)
      if (!calls) return noRun(name)
      const decision = decisionBy(id, text, options, calls)
      return decision.ok ? decide(query, name, [id], calls, decision.value) : decision
    })
    return decided ?? noRun(name)
  })

/** The answer to a question stands where a call has the reason of its decision. */
export const decide = async (
  query: Query,
  name: string,
  ids: readonly string[],
  calls: ReadonlyMap<string, ListedCall>,
  { isApproved, answer, edited, why, untilMs }: Decision,
): Promise<Result<string>> => {
  // Of what was shown: the database refuses what is another by now.
  const digests = ids.map((id) => digestOf(calls.get(id)?.input ?? ''))
  const { rows } = await query(DECIDE, [
    ...[name, ids, digests, isApproved ? 'approved' : 'denied', answer ?? why ?? null],
    ...[untilMs === undefined ? null : new Date(untilMs).toISOString(), edited ?? null],
  ])
  if (rows[0]?.decided === 0) return fail('cancelled', `run '${name}' has ended: nothing more of it is delivered`)
  await query('NOTIFY plumb')
  return succeed('')
}

/** Decides all of the calls, or none. Their messages are delivered again. */
export const approve = (database: Database, name: string, ids: readonly string[], options: ApproveOptions): Promise<number> =>
  withConnection(database, true, async (connection) => {
    const decided = await connection.transaction(async (query): Promise<Result<string> | undefined> => {
      const calls = await callsOf(query, name)
      if (!calls) return noRun(name)
      const decision = decisionOn(ids, options, calls)
      return decision.ok ? decide(query, name, [...new Set(ids)], calls, decision.value) : decision
    })
    return decided ?? noRun(name)
  })

/** All that have waited for a person; undefined: there is no such run. */
export const callsOf = async (query: Query, name: string): Promise<Map<string, ListedCall> | undefined> => {
  const { rows: runs } = await query('SELECT id FROM plumb.run WHERE name = $1', [name])
  const [run] = runs
  if (!run) return undefined
  const { rows } = await query(
    `SELECT a.id, a.call, a.reason, a.edited, a.until, CASE WHEN m.lease IS NOT NULL AND a.state = 'in_doubt' THEN 'approved' ELSE ${STATE_NOW} END AS state
     FROM plumb.approval a LEFT JOIN plumb.message m ON m.run = a.run AND m.part = a.part AND m.ord = a.ord AND m.until > now()
     WHERE a.run = $1 ORDER BY a.n`,
    [run.id],
  )
  return new Map(
    rows.map(({ id, call, reason, edited, until, state }) => {
      const said = JSON.parse(String(call)) as ListedCall
      // What a worker says in the call is unchecked: it is decided under the id of its row.
      const known = { ...said, id: String(id), input: typeof said.input === 'string' ? said.input : JSON.stringify(said.input) }
      const byPerson = { ...(edited === null ? {} : { edited: String(edited) }), ...(until === null ? {} : { untilMs: Number(until) }) }
      const decided = { ...known, ...byPerson, state: stateOf(said, String(state)) }
      return [known.id, { ...decided, ...(reason === null ? {} : reasonOf(decided, String(reason))) }]
    }),
  )
}

/** For a run that is not over. */
const DECIDE = 'SELECT plumb.decide_calls($1::text, $2::text[], $3::text[], $4::text, $5::text, $6::timestamptz, $7::text) AS decided'
