// Files that only root may read. A sandbox of root must hide them, since root in it still owns them.

import { lstatSync, readdirSync } from 'node:fs'

export interface RootOnlyFile {
  readonly path: string
  readonly isDirectory: boolean
}

const READ_BY_ALL = 0o004
/** A directory that not all may enter is hidden with all that is in it. */
const ENTERED_BY_ALL = 0o001
/** What is deeper, or comes after so many, is hidden unseen. */
const MAX_DEPTH = 64
const MAX_ENTRIES = 20_000

/** A mode can change without a trace above the file, so all is looked at again; calls that follow one another share a look. */
const FRESH_MS = 1000

let known: { readonly files: readonly RootOnlyFile[]; readonly at: number } | undefined

/** Those of /etc, at any depth; empty for an ordinary user, who cannot read them anyway. */
export const findRootOnlyFiles = (): readonly RootOnlyFile[] => {
  if (process.getuid?.() !== 0) return []
  const now = performance.now()
  if (known && now - known.at < FRESH_MS) return known.files
  known = { files: listRootOnly('/etc'), at: now }
  return known.files
}

// Links are skipped: what they lead to is looked at where it is. Paths are joined by hand, since this is most of what a sandboxed call of root costs.
export const listRootOnly = (root: string): readonly RootOnlyFile[] => {
  const found: RootOnlyFile[] = []
  let waiting: readonly string[] = [root]
  let count = 0
  for (let depth = 0; waiting.length > 0; depth++) {
    const next: string[] = []
    for (const directory of waiting) {
      if (depth > MAX_DEPTH || count > MAX_ENTRIES) {
        found.push({ path: directory, isDirectory: true })
        continue
      }
      for (const name of readdirSync(directory)) {
        count++
        const path = `${directory}/${name}`
        const stat = lstatSync(path, { throwIfNoEntry: false })
        if (!stat || stat.isSymbolicLink()) continue
        const isDirectory = stat.isDirectory()
        const open = isDirectory ? READ_BY_ALL | ENTERED_BY_ALL : READ_BY_ALL
        if ((stat.mode & open) !== open) found.push({ path, isDirectory })
        else if (isDirectory) next.push(path)
      }
    }
    waiting = next
  }
  return found
}
