// Walks the files below a directory in order, without those that .gitignore and .ignore name. Links are not followed.

import { relative, sep } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { type IgnoreRules, isIgnored, readRules, rulesWithin } from './ignore-rules.js'
import { type Directory, openDirectory } from './open.js'
import { type DirectoryEntry, readEntries } from './read-entries.js'
import { absolutePath, asDirectory, childPath, type ResolvedPath } from './resolved-path.js'

interface WalkedFile {
  readonly file: ResolvedPath
  /** The open directory that it is in, until the next one is asked for. */
  readonly directory: Directory
  /** Relative to the start of the walk, separated by `/`. */
  readonly path: string
}

interface WalkOptions {
  /** Include hidden files; default false, as in ripgrep. `.git` is always left out. */
  readonly withHidden?: boolean
  /** Counts directories and names that were skipped; `shown`, if given, collects the directories. */
  readonly unseen?: { directories: number; names: number; readonly shown?: string[] }
}

const MAX_DEPTH = 100
/** Of one directory. */
const MAX_NAMES = 100_000
/** How long other work may have to wait for a walk. */
const REST_MS = 20

/** Sorted by name, directory by directory. */
export async function* walkFiles(from: ResolvedPath, signal: AbortSignal, options: WalkOptions = {}): AsyncGenerator<WalkedFile> {
  const directory = asDirectory(from)
  const above = await rulesAbove(directory)
  yield* within({ directory, prefix: '', fromRoot: above.fromRoot, rules: above.rules, depth: 0 }, signal, options)
}

interface Step {
  readonly directory: ResolvedPath
  /** `prefix` is relative to the start of the walk, `fromRoot` to the root, as ignore files need it. */
  readonly prefix: string
  readonly fromRoot: string
  readonly rules: readonly IgnoreRules[]
  readonly depth: number
}

async function* within(step: Step, signal: AbortSignal, options: WalkOptions): AsyncGenerator<WalkedFile> {
  const { unseen = { directories: 0, names: 0, shown: undefined } } = options
  if (signal.aborted) return
  const opened = step.depth > MAX_DEPTH ? undefined : await openDirectory(step.directory)
  const entries = opened?.ok ? await entriesOf(opened.value, signal, options.withHidden ?? false, unseen) : undefined
  try {
    if (opened?.ok && entries) yield* filesOf(step, { entries, directory: opened.value }, signal, options)
    else {
      unseen.directories++
      unseen.shown?.push(step.directory.shown)
    }
  } finally {
    if (opened?.ok) await opened.value.close()
  }
}

interface Opened {
  readonly directory: Directory
  readonly entries: readonly DirectoryEntry[]
}

async function* filesOf(step: Step, { directory, entries }: Opened, signal: AbortSignal, options: WalkOptions): AsyncGenerator<WalkedFile> {
  const { prefix, fromRoot, depth } = step
  const rules = [...step.rules, ...(await readRules(step.directory, fromRoot))]
  let rested = Date.now()
  for (const { name, kind } of entries) {
    // What the caller does with small files may be synchronous.
    if (Date.now() - rested > REST_MS) {
      await setImmediate()
      rested = Date.now()
    }
    if (signal.aborted) return
    const below = `${fromRoot}${name}${kind === 'directory' ? '/' : ''}`
    if (kind === 'other' || isIgnored(below, rules)) continue
    const resolved = childPath(step.directory, name)
    if (kind === 'file') yield { file: resolved, path: prefix + name, directory }
    else {
      const inner = { prefix: `${prefix}${name}/`, fromRoot: below, rules: rulesWithin(below, rules), depth: depth + 1 }
      yield* within({ ...inner, directory: asDirectory(resolved) }, signal, options)
    }
  }
}

const entriesOf = async (
  directory: Directory,
  signal: AbortSignal,
  withHidden: boolean,
  unseen: { names: number },
): Promise<readonly DirectoryEntry[] | undefined> => {
  const isWanted = (name: string): boolean => (withHidden || !name.startsWith('.')) && name !== '.git'
  try {
    const { entries, more } = await readEntries(directory, MAX_NAMES, signal, isWanted)
    unseen.names += more
    return entries
  } catch {
    return undefined
  }
}

// Ignore files between the root and the directory count too, unless they exclude the directory itself, which was asked for.
const rulesAbove = async (directory: ResolvedPath): Promise<{ fromRoot: string; rules: readonly IgnoreRules[] }> => {
  const names = relative(directory.root, absolutePath(directory))
    .split(sep)
    .filter((name) => name !== '')
  let rules: readonly IgnoreRules[] = []
  let at: ResolvedPath = { ...directory, directory: directory.root, shown: '.' }
  let fromRoot = ''
  for (const name of names) {
    rules = [...rules, ...(await readRules(at, fromRoot))]
    at = asDirectory(childPath(at, name))
    fromRoot += `${name}/`
    rules = rulesWithin(fromRoot, rules)
  }
  return { fromRoot, rules }
}

/** Notes on what a walk has skipped, for the end of a result. */
export const unseenNotes = ({ directories, names }: { readonly directories: number; readonly names: number }): string[] => [
  ...(directories > 0 ? [`[not looked at: ${directories} directories that cannot be opened or are too deep]`] : []),
  ...(names > 0 ? [`[not looked at: ${names} names in very large directories]`] : []),
]
