// The canonical name of a file.

import { realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'

/** With links resolved. A missing file is named relative to its nearest existing directory. */
export const realPath = (path: string): string => {
  const absolute = resolve(path)
  try {
    return realpathSync.native(absolute)
  } catch {
    const directory = dirname(absolute)
    return directory === absolute ? absolute : join(realPath(directory), basename(absolute))
  }
}
