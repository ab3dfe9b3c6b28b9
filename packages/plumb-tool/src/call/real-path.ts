// One name for a file that has many.

import { realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'

/** With its links resolved. What is not there yet is named by the directory that is. */
export const realPath = (path: string): string => {
  const absolute = resolve(path)
  try {
    return realpathSync.native(absolute)
  } catch {
    const directory = dirname(absolute)
    return directory === absolute ? absolute : join(realPath(directory), basename(absolute))
  }
}
