// What the system keeps from its users, which root could read in a sandbox all the same, as the owner of the files.

import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

export interface RootOnlyFile {
  readonly path: string
  readonly isFolder: boolean
}

const READ_BY_ALL = 0o004
const MAX_DEPTH = 4
const MAX_ENTRIES = 5000

let known: readonly RootOnlyFile[] | undefined

/** Of /etc; nothing for an ordinary user, whom the system itself holds back. */
export const findRootOnlyFiles = (): readonly RootOnlyFile[] => {
  known ??= process.getuid?.() === 0 ? look('/etc') : []
  return known
}

const look = (root: string): readonly RootOnlyFile[] => {
  const found: RootOnlyFile[] = []
  let waiting = [root]
  let seen = 0
  for (let depth = 0; depth < MAX_DEPTH && waiting.length > 0; depth++) {
    const next: string[] = []
    for (const folder of waiting) {
      for (const entry of readdirSync(folder, { withFileTypes: true })) {
        if (entry.isSymbolicLink() || ++seen > MAX_ENTRIES) continue
        const path = join(folder, entry.name)
        const isFolder = entry.isDirectory()
        if ((lstatSync(path).mode & READ_BY_ALL) === 0) found.push({ path, isFolder })
        else if (isFolder) next.push(path)
      }
    }
    waiting = next
  }
  return found
}
