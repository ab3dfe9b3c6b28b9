// The answers of a run in PostgreSQL: those of its cache, which all workers share, and those that its record will have.

import type { SharedKey } from '@plumb/ledger/kept'
import type { Connection, Query } from './connection.js'
import type { CachedAnswer, Numbered, Settlement } from './engine.js'

// One transaction after the other: numbers have no gaps, and rows become visible in the order of `n`.
const LOCK = "SELECT pg_advisory_xact_lock(hashtextextended('plumb answers ' || $1::text, 0))"

const ASKED = 'unnest($2::text[], $3::text[], $4::text[], $5::int[]) WITH ORDINALITY AS a (hash, place, delivery, k, i)'
const SAME = 'q.run = $1 AND q.hash = a.hash AND q.place = a.place'

const NUMBER = `
INSERT INTO plumb.question (run, hash, place, delivery, k, nth)
SELECT $1, a.hash, a.place, a.delivery, a.k,
  coalesce((SELECT max(q.nth) FROM plumb.question q WHERE ${SAME}), 0) + row_number() OVER (PARTITION BY a.hash, a.place ORDER BY a.i)
FROM ${ASKED} WHERE NOT EXISTS (SELECT 1 FROM plumb.question q WHERE ${SAME} AND q.delivery = a.delivery AND q.k = a.k)`

const FIND = `
SELECT q.nth, c.answer,
  EXISTS (SELECT 1 FROM plumb.answer o WHERE o.run = $1 AND o.hash = a.hash AND NOT o.place = ANY ($6::text[])) AS has_other
FROM ${ASKED} JOIN plumb.question q ON ${SAME} AND q.delivery = a.delivery AND q.k = a.k
LEFT JOIN plumb.answer c ON c.run = $1 AND c.hash = a.hash AND c.place = a.place AND c.nth = q.nth
ORDER BY a.i`

/** The process that asked this has another name now: each of its answers is given once. */
const RENAME = `
UPDATE plumb.answer SET place = $3, nth = $4 WHERE run = $1 AND n = (
  SELECT n FROM plumb.answer WHERE run = $1 AND hash = $2 AND NOT place = ANY ($5::text[]) ORDER BY nth, place LIMIT 1)
RETURNING answer`

/** `places`: of all processes of the run. */
export const findAnswers = async (
  connection: Connection,
  run: string,
  keys: readonly SharedKey[],
  places: readonly string[],
): Promise<readonly Numbered[]> => {
  const values = [run, ...(['hash', 'place', 'delivery', 'k'] as const).map((name) => keys.map((key) => key[name]))]
  const found = await connection.transaction(async (query) => {
    await query(LOCK, [run])
    await query(NUMBER, values)
    const { rows } = await query(FIND, [...values, places])
    const numbered: Numbered[] = []
    for (const [i, { nth, answer, has_other }] of rows.entries()) {
      const { hash, place } = keys[i] as SharedKey
      const moved = answer === null && has_other === true ? await query(RENAME, [run, hash, place, nth, places]) : undefined
      numbered.push({ nth: Number(nth), answer: (moved?.rows[0]?.answer ?? answer) as string | null })
    }
    return numbered
  })
  return found ?? []
}

const CACHE = `
INSERT INTO plumb.answer (run, hash, place, nth, answer, request, is_new)
SELECT $1, a.hash, a.place, a.nth, a.answer, a.request, $7
FROM unnest($2::text[], $3::text[], $4::int[], $5::text[], $6::text[]) AS a (hash, place, nth, answer, request)
ON CONFLICT DO NOTHING`

/** The first answer to a request counts. `isNew`: the cache of the submitter does not have them. */
export const cacheAnswers = async (
  connection: Connection,
  run: string,
  answers: readonly CachedAnswer[],
  isNew: boolean,
): Promise<void> => {
  const columns = (['hash', 'place', 'nth', 'answer', 'request'] as const).map((name) => answers.map((answer) => answer[name]))
  await connection.transaction(async (query) => {
    await query(LOCK, [run])
    await query(CACHE, [run, ...columns, isNew])
    return true
  })
}

const RECORD = `
INSERT INTO plumb.recorded (run, hash, place, ord, k, answer)
SELECT $1, a.hash, a.place, a.ord::bigint[], a.k, a.answer
FROM unnest($2::text[], $3::text[], $4::text[], $5::int[], $6::text[]) WITH ORDINALITY AS a (hash, place, ord, k, answer, i) ORDER BY a.i`

export const recordAnswers = async (query: Query, run: string, answers: Settlement['answers']): Promise<void> => {
  const columns = (['hash', 'place', 'ord', 'k', 'answer'] as const).map((name) => answers.map((answer) => answer[name]))
  await query(RECORD, [run, ...columns])
}
