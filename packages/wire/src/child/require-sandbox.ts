// PLUMB_SANDBOX: a run and all processes that it starts refuse to run anything without a sandbox.

import { preview } from '../preview.js'
import { fail, type Result, succeed } from '../result.js'

/** `isAsked`: by the command line. Children inherit it by their environment. */
export const requireSandbox = (isAsked: boolean): Result<undefined> => {
  const { PLUMB_SANDBOX: value = '' } = process.env
  if (value !== '' && value !== 'require')
    return fail(
      'usage',
      `PLUMB_SANDBOX is '${preview(value)}': it takes 'require', which refuses what cannot have a sandbox, and no other value`,
    )
  if (isAsked) process.env.PLUMB_SANDBOX = 'require'
  return succeed(undefined)
}
