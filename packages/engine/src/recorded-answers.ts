// The answers of a run by workers as its record has them (--record): numbered in the order of the inputs, in which a resumed run asks again.

import { join, resolve } from 'node:path'
import { KEPT_DIRECTORY } from '@plumb/runtime/record'
import type { Fault } from '@plumb/wire'
import { openStore } from '@plumb/wire/kept'
import type { Query } from './connection.js'

/** Writes them to the directory of a record, which has none yet; returns the first failure. */
export const writeRecordedAnswers = async (query: Query, run: string, record: string): Promise<Fault | undefined> => {
  const store = openStore(resolve(join(record, KEPT_DIRECTORY)), true)
  if (!store.ok) return store.error
  let failed: Fault | undefined
  let last: readonly unknown[] = ['', '', '{}', '0', '0']
  let equal = { hash: '', place: '', nth: 0 }
  for (;;) {
    const { rows } = await query(RECORDED, [run, ...last])
    for (const { hash, place, ord, k, n, answer } of rows) {
      last = [hash, place, ord, k, n]
      const isSame = equal.hash === hash && equal.place === place
      equal = { hash: String(hash), place: String(place), nth: isSame ? equal.nth + 1 : 1 }
      failed ??= store.value.put({ ...equal, answer: JSON.parse(String(answer)) as unknown })
    }
    if (rows.length === 0) return failed
  }
}

/** Few at a time: each may be long. */
const RECORDED = `
SELECT hash, place, ord::text AS ord, k, n, answer FROM plumb.recorded
WHERE run = $1 AND (hash, place, ord, k, n) > ($2, $3, $4::bigint[], $5::int, $6::bigint)
ORDER BY hash, place, ord, k, n LIMIT 100`
