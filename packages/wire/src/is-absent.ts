// Whether a file is known not to be there. Node's `existsSync` says no wherever it cannot look, so that a record on a disk that fails would
// count as none.

import { statSync } from 'node:fs'

/** False where it cannot be known: opening the file then fails with the reason. */
export const isAbsent = (path: string): boolean => {
  try {
    return statSync(path, { throwIfNoEntry: false }) === undefined
  } catch {
    return false
  }
}
