// Finishes patches that killed processes left below these roots: committed ones are completed, others undone.

import { constants, type Stats } from 'node:fs'
import { open, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import {
  closeQuietly,
  type Directory,
  hasOwnerExited,
  isWithin,
  OWNER,
  openDirectory,
  type ResolvedPath,
  type Roots,
  realPath,
  removeLeftover,
  resolvePath,
} from '@plumb/sandbox'
import { failedJournals, JOURNAL, journalDirectory, journalName, openJournals } from './journal.js'
import { finishEntry, hasConflict, type JournalEntry, type JournalState } from './journal-entry.js'

const MAX_BYTES = 16 * 1024 * 1024

/** Never fails: a patch that cannot be finished now is left for a later run. */
export const recover = async (roots: Roots): Promise<void> => {
  for (const root of roots.roots.values()) await recoverIn(root, roots).catch(() => {})
}

const recoverIn = async (root: string, roots: Roots): Promise<void> => {
  const home = journalDirectory(realPath(root))
  if (!home.ok) return
  const directory = await openDirectory(home.value)
  if (!directory.ok) return
  try {
    for (const name of await readdir(`${directory.value.at('.')}/`)) {
      await removeLeftover(directory.value, name)
      const [, owner = '', id = '', direction] = JOURNAL.exec(name) ?? []
      if (direction === undefined || !isLeft(owner, id)) continue
      await finish({ ...directory.value, path: home.value.directory }, { name, id, direction: direction as JournalState }, roots)
    }
  } finally {
    await directory.value.close()
  }
}

// A journal of this process that is not open is one whose undo failed.
const isLeft = (owner: string, id: string): boolean => !openJournals.has(id) && (owner === OWNER || hasOwnerExited(owner))

interface Home extends Directory {
  readonly path: string
}

const finish = async (
  directory: Home,
  { name, id, direction }: { readonly name: string; readonly id: string; readonly direction: JournalState },
  roots: Roots,
): Promise<void> => {
  const entries = await read(directory, name, id)
  const places = entries?.map((entry) => toResolvedPath(entry, directory.path, roots))
  // The journal has paths outside these roots, or is not one of this program.
  if (!entries || !places?.every((resolved) => resolved !== undefined)) return
  const mine = journalName(id, direction)
  // The rename fails for all processes but one.
  openJournals.add(id)
  try {
    await rename(directory.at(name), directory.at(mine))
    const isRefused = failedJournals.has(id) || (await isAnyHindered(entries, places))
    const towards = direction === 'complete' && isRefused ? 'undo' : direction
    const turned = journalName(id, towards)
    await rename(directory.at(mine), directory.at(turned))
    for (const [i, entry] of [...entries.entries()].toReversed()) await finishEntry(entry, places[i] as ResolvedPath, towards)
    await rm(directory.at(turned), { force: true })
  } finally {
    openJournals.delete(id)
  }
}

const isAnyHindered = async (entries: readonly JournalEntry[], places: readonly ResolvedPath[]): Promise<boolean> => {
  for (const [i, entry] of entries.entries()) if (await hasConflict(entry, places[i] as ResolvedPath)) return true
  return false
}

// A forged journal must not allow more than a tool is allowed, so each path is resolved and checked.
const toResolvedPath = ({ path, made }: JournalEntry, directory: string, roots: Roots): ResolvedPath | undefined => {
  const absolute = resolve(directory, path)
  const resolved = resolvePath(absolute, 'write', roots)
  if (!resolved.ok) return undefined
  const { root, names } = resolved.value
  if (!isWithin(root, absolute)) return undefined
  const directories = relative(root, dirname(absolute))
    .split(sep)
    .filter((part) => part !== '')
  const missing = made > 0 ? directories.slice(-made) : []
  const outer = join(root, ...directories.slice(0, directories.length - missing.length))
  return { root, directory: outer, missing, name: basename(absolute), exists: true, shown: path, names }
}

const read = async (directory: Directory, name: string, id: string): Promise<readonly JournalEntry[] | undefined> => {
  const handle = await open(directory.at(name), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const found = await handle.stat()
    if (!isPrivate(found) || found.size > MAX_BYTES) return undefined
    const value: unknown = JSON.parse(await handle.readFile('utf8'))
    return Array.isArray(value) && value.every((entry) => isEntry(entry, id)) ? value : undefined
  } catch {
    return undefined
  } finally {
    await closeQuietly(handle)
  }
}

const isPrivate = (found: Stats): boolean => found.isFile() && (found.mode & 0o777) === 0o600 && found.uid === process.getuid?.()

const isEntry = (value: unknown, id: string): value is JournalEntry => {
  if (typeof value !== 'object' || value === null) return false
  const { path, made, old, fresh, backup } = value as Partial<Record<keyof JournalEntry, unknown>>
  const { name, sha256 } = (fresh ?? { name: `.plumb-${id}-0.new`, sha256: '' }) as Record<string, unknown>
  return (
    typeof path === 'string' &&
    Number.isInteger(made) &&
    (old === 'absent' || (typeof old === 'object' && old !== null)) &&
    isBeside(name, id) &&
    typeof sha256 === 'string' &&
    (backup === undefined || isBeside(backup, id))
  )
}

const isBeside = (name: unknown, id: string): boolean =>
  typeof name === 'string' && /^\.plumb-[0-9a-f]{12}-\d+\.(new|old)$/.test(name) && name.includes(id)
