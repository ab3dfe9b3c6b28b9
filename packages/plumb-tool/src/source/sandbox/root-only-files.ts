// Files that only root may read. A sandbox of root must hide them, since root in it still owns them.

import { lstatSync, readdirSync } from 'node:fs'

export interface RootOnlyFile {
  readonly path: string
  readonly isDirectory: boolean
}

const READ_BY_ALL = 0o004
const MAX_DEPTH = 4
const MAX_ENTRIES = 5000

let known: readonly RootOnlyFile[] | undefined

/** Those of /etc; empty for an ordinary user, who cannot read them anyway. */
export const findRootOnlyFiles = (): readonly RootOnlyFile[] => {
  known ??= process.getuid?.() === 0 ? look('/etc') : []
  return known
}

// Links are skipped: what they lead to is looked at where it is. Paths are joined by hand, since this is most of what a sandboxed call of root costs.
const look = (root: string): readonly RootOnlyFile[] => {
  const found: RootOnlyFile[] = []
  let waiting = [root]
  let seen = 0
  for (let depth = 0; depth < MAX_DEPTH && waiting.length > 0; depth++) {
    const next: string[] = []
    for (const directory of waiting) {
      for (const entry of readdirSync(directory, { withFileTypes: true })) {
        if (entry.isSymbolicLink() || ++seen > MAX_ENTRIES) continue
        const path = `${directory}/${entry.name}`
        const isDirectory = entry.isDirectory()
        const stat = lstatSync(path, { throwIfNoEntry: false })
        if (stat && (stat.mode & READ_BY_ALL) === 0) found.push({ path, isDirectory })
        else if (isDirectory) next.push(path)
      }
    }
    waiting = next
  }
  return found
}
