// Walks the files below a folder in order, without those that .gitignore and .ignore name. Links are not followed.

import { relative, sep } from 'node:path'
import { type IgnoreRules, isIgnored, readRules, rulesWithin } from './ignore-rules.js'
import { openFolder } from './open.js'
import { type DirectoryEntry, readEntries } from './read-entries.js'
import { absolutePath, asFolder, childPath, type ResolvedPath } from './resolved-path.js'

interface WalkedFile {
  readonly file: ResolvedPath
  /** Relative to the start of the walk, separated by `/`. */
  readonly path: string
}

interface WalkOptions {
  /** Include hidden files; default false, as in ripgrep. `.git` is always left out. */
  readonly withHidden?: boolean
  /** Counts folders and names that were skipped; `shown`, if given, collects the folders. */
  readonly unseen?: { folders: number; names: number; readonly shown?: string[] }
}

const MAX_DEPTH = 100
/** Of one folder. */
const MAX_NAMES = 100_000

/** Sorted by name, folder by folder. */
export async function* walkFiles(from: ResolvedPath, signal: AbortSignal, options: WalkOptions = {}): AsyncGenerator<WalkedFile> {
  const folder = asFolder(from)
  const above = await rulesAbove(folder)
  yield* within({ folder, prefix: '', fromRoot: above.fromRoot, rules: above.rules, depth: 0 }, signal, options)
}

interface Step {
  readonly folder: ResolvedPath
  /** `prefix` is relative to the start of the walk, `fromRoot` to the root, as ignore files need it. */
  readonly prefix: string
  readonly fromRoot: string
  readonly rules: readonly IgnoreRules[]
  readonly depth: number
}

async function* within(step: Step, signal: AbortSignal, options: WalkOptions): AsyncGenerator<WalkedFile> {
  const { folder, prefix, fromRoot, depth } = step
  const { withHidden = false, unseen = { folders: 0, names: 0, shown: undefined } } = options
  if (signal.aborted) return
  const isWanted = (name: string): boolean => (withHidden || !name.startsWith('.')) && name !== '.git'
  const entries = depth > MAX_DEPTH ? undefined : await entriesOf(folder, signal, isWanted, unseen)
  if (!entries) {
    unseen.folders++
    unseen.shown?.push(folder.shown)
    return
  }
  const rules = [...step.rules, ...(await readRules(folder, fromRoot))]
  for (const entry of entries) {
    if (signal.aborted) return
    const { name, kind } = entry
    const below = `${fromRoot}${name}${kind === 'folder' ? '/' : ''}`
    if (kind === 'other' || isIgnored(below, rules)) continue
    const resolved = childPath(folder, name)
    if (kind === 'file') yield { file: resolved, path: prefix + name }
    else {
      const inner = { prefix: `${prefix}${name}/`, fromRoot: below, rules: rulesWithin(below, rules), depth: depth + 1 }
      yield* within({ ...inner, folder: asFolder(resolved) }, signal, options)
    }
  }
}

const entriesOf = async (
  resolved: ResolvedPath,
  signal: AbortSignal,
  isWanted: (name: string) => boolean,
  unseen: { names: number },
): Promise<readonly DirectoryEntry[] | undefined> => {
  const folder = await openFolder(resolved)
  if (!folder.ok) return undefined
  try {
    const { entries, more } = await readEntries(folder.value, MAX_NAMES, signal, isWanted)
    unseen.names += more
    return entries
  } catch {
    return undefined
  } finally {
    await folder.value.close()
  }
}

// Ignore files between the root and the folder count too, unless they exclude the folder itself, which was asked for.
const rulesAbove = async (folder: ResolvedPath): Promise<{ fromRoot: string; rules: readonly IgnoreRules[] }> => {
  const names = relative(folder.root, absolutePath(folder))
    .split(sep)
    .filter((name) => name !== '')
  let rules: readonly IgnoreRules[] = []
  let at: ResolvedPath = { ...folder, folder: folder.root, shown: '.' }
  let fromRoot = ''
  for (const name of names) {
    rules = [...rules, ...(await readRules(at, fromRoot))]
    at = asFolder(childPath(at, name))
    fromRoot += `${name}/`
    rules = rulesWithin(fromRoot, rules)
  }
  return { fromRoot, rules }
}

/** Notes on what a walk has skipped, for the end of a result. */
export const unseenNotes = ({ folders, names }: { readonly folders: number; readonly names: number }): string[] => [
  ...(folders > 0 ? [`[not looked at: ${folders} folders that cannot be opened or are too deep]`] : []),
  ...(names > 0 ? [`[not looked at: ${names} names in very large folders]`] : []),
]
