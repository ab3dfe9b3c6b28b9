// The directory below which tools may use files.

import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { fail, preview, type Result, succeed } from '@plumb/wire'
import { guardOutputsBelow } from '@plumb/wire/output'

/** Absolute; default: the working directory. From now on what plumb writes below it goes through no link. */
export const findDocroot = (name: string | undefined): Result<string> => {
  if (isDirectory(name ?? '.')) {
    guardOutputsBelow(name)
    return succeed(resolve(name ?? '.'))
  }
  return fail('file_not_found', `--docroot names '${preview(name ?? '.')}', which is not a directory`)
}

const isDirectory = (path: string): boolean => {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}
