// Whether a file is known not to exist. Node's `existsSync` is false on any error, so that a record on a failing disk would count as
// missing.

import { statSync } from 'node:fs'

/** False if it is unknown: opening the file then fails with the reason. */
export const isAbsent = (path: string): boolean => {
  try {
    return statSync(path, { throwIfNoEntry: false }) === undefined
  } catch {
    return false
  }
}
