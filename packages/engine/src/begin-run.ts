// A run enters the tables, with its parts.

import { hostname } from 'node:os'
import type { Query } from './connection.js'
import type { CacheOptions } from './engine.js'
import type { RunPlan } from './run-plan.js'
import { PROTOCOL } from './schema.js'

export interface BegunRun {
  readonly name: string
  readonly plan: RunPlan
  /** In the format of `plumb.run`. */
  readonly limits: string | null
  /** Events are stored in the tables. */
  readonly isKept: boolean
  /** Labels of workers, by the numbers of the parts that only those have. */
  readonly pins: ReadonlyMap<number, string>
  /** Undefined: no answers are kept. */
  readonly cache: CacheOptions | undefined
}

/** Its number; undefined: one of this name is there. */
export const beginRun = async (query: Query, { name, plan, limits, isKept, pins, cache }: BegunRun): Promise<string | undefined> => {
  const shown = JSON.stringify(plan.parts.map(({ id, name, kind, holds }) => ({ id, name, kind, holds })))
  const { rows } = await query(
    'INSERT INTO plumb.run (name, digest, protocol, plan, host, limits, keep, cache) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (name) DO NOTHING RETURNING id',
    [name, plan.digest, PROTOCOL, shown, hostname(), limits, isKept, cache ? JSON.stringify(cache) : null],
  )
  const [made] = rows
  if (!made) return undefined
  await query(INSERT_PARTS, [
    made.id,
    ...[plan.parts.map(({ id }) => id), plan.parts.map(({ id }) => pins.get(id) ?? null), plan.parts.map(({ isFixed }) => isFixed)],
  ])
  return String(made.id)
}

const INSERT_PARTS = `
INSERT INTO plumb.part (run, part, pin, fixed) SELECT $1, p.part, p.pin, p.fixed FROM unnest($2::int[], $3::text[], $4::boolean[]) AS p (part, pin, fixed)`
