// How deep tools that start processes stand in one another: an agent that is its own tool would go on for ever.

import { fail, type Result, succeed } from '@plumb/wire'

const VARIABLE = 'PLUMB_DEPTH'
const MOST = 8

/** The variable for a child, or why there is to be none. It counts processes and grants nothing. */
export const deeper = (env: Readonly<Record<string, string | undefined>> = process.env): Result<Readonly<Record<string, string>>> => {
  const text = env[VARIABLE] ?? ''
  const depth = /^\d{1,3}$/.test(text) ? Number(text) : 0
  if (depth < MOST) return succeed({ [VARIABLE]: String(depth + 1) })
  return fail('depth_limit', `tools stand ${MOST} processes deep in one another here, and no more are started: is an agent its own tool?`)
}
