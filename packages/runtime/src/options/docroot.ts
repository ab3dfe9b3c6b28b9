// The directory below which tools may use files.

import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { fail, preview, type Result, succeed } from '@plumb/wire'

/** Absolute; default: the working directory. */
export const findDocroot = (name: string | undefined): Result<string> => {
  try {
    if (statSync(name ?? '.').isDirectory()) return succeed(resolve(name ?? '.'))
  } catch {
    // Treated as missing.
  }
  return fail('file_not_found', `--docroot names '${preview(name ?? '.')}', which is not a directory`)
}
