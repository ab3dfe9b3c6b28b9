// Limits how deep tools that start processes nest: an agent that is its own tool would recurse for ever.

import { fail, type Result, succeed } from '@plumb/wire'

const VARIABLE = 'PLUMB_DEPTH'
const MAX_DEPTH = 8

/** The environment variable for a child, or `depth_limit`. It only counts and grants nothing. */
export const deepenNesting = (
  env: Readonly<Record<string, string | undefined>> = process.env,
): Result<Readonly<Record<string, string>>> => {
  const text = env[VARIABLE] ?? ''
  const depth = /^\d{1,3}$/.test(text) ? Number(text) : 0
  if (depth < MAX_DEPTH) return succeed({ [VARIABLE]: String(depth + 1) })
  return fail('depth_limit', `tools are nested ${MAX_DEPTH} processes deep here, and no more are started: is an agent its own tool?`)
}

/** The variable by which a program knows a message of a run by workers again, where the call is made for one. */
export const deliveryEnv = ({ delivery = process.env[DELIVERY] }: { readonly delivery?: string | undefined }): Record<string, string> =>
  delivery ? { [DELIVERY]: delivery } : {}

const DELIVERY = 'PLUMB_DELIVERY'
