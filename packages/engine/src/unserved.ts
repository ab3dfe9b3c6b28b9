// Finds parts of a run that no worker serves, and why.

import { type Fault, fault } from '@plumb/wire'
import type { Connection } from './connection.js'
import type { RunPlan } from './run-plan.js'

/** Whether worker w takes messages of part p of run r. */
export const MAY_SERVE = `(w.runs = '{}' OR r.name = ANY (w.runs)) AND (p.pin IS NULL OR p.pin = ANY (w.labels))`

/** The error of a run whose pinned `part` ran on a worker that has ended. */
export const fixedFault = (part: string): Fault =>
  fault('child_failed', `the one process of part ${part} has ended, and what it remembered with it: nothing that is left can be done`, {
    part,
  })

/** Parts with waiting messages, none in flight, and no live worker that serves them; why one refused them. */
const UNSERVED = `
SELECT p.part, p.pin, (SELECT count(*) FROM plumb.live_worker) AS workers,
  (SELECT w.host || ': ' || w.reason FROM plumb.live_worker w WHERE w.digest = r.digest AND w.reason IS NOT NULL ORDER BY w.id LIMIT 1) AS reason
FROM plumb.run r JOIN plumb.part p ON p.run = r.id
WHERE r.id = $1 AND EXISTS (SELECT 1 FROM plumb.message m WHERE m.run = r.id AND m.part = p.part)
  AND NOT EXISTS (SELECT 1 FROM plumb.message m WHERE m.run = r.id AND m.part = p.part AND m.until > now())
  AND NOT EXISTS (SELECT 1 FROM plumb.live_worker w
    WHERE w.digest = r.digest AND p.part = ANY (w.parts) AND ${MAY_SERVE})
ORDER BY p.part LIMIT 1`

/** `no_worker`, for the first such part. */
export const unservedOf = async ({ query }: Connection, run: string, plan: RunPlan): Promise<Fault | undefined> => {
  const { rows } = await query(UNSERVED, [run])
  const [unserved] = rows
  if (!unserved) return undefined
  const { part, workers, reason, pin } = unserved
  const name = plan.parts.find(({ id }) => id === part)?.name
  const others = Number(workers) === 0 ? 'there is none' : 'those that there are have another spec, other options or other parts'
  const label = pin === null ? '' : `; it is for workers with the label '${pin}' (--pin)`
  return fault('no_worker', `no worker serves part ${part} (${name}): ${reason ?? others}${label}`, { part })
}
