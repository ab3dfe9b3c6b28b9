// Commits all changes of a patch or none: journal, stage new files beside the old ones, rename into place, undo if one is refused.

import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { access, copyFile, link, lstat } from 'node:fs/promises'
import { relative, sep } from 'node:path'
import {
  absolutePath,
  type Directory,
  fileChanged,
  openDirectory,
  removeFile,
  systemFault,
  writeFileAtomically,
  writeNewFile,
} from '@plumb/sandbox'
import { type Fault, type Result, sha256Of, succeed } from '@plumb/wire'
import { Journal, journalDirectory } from './journal.js'
import { applyEntry, finishEntry, type JournalEntry, type JournalState } from './journal-entry.js'
import type { FileChange } from './plan-changes.js'

interface Step {
  readonly change: FileChange
  readonly entry: JournalEntry
}

export const commit = async (changes: readonly FileChange[]): Promise<Result<void>> => {
  const [first, second] = changes
  if (!first) return succeed(undefined)
  // A single change is atomic by itself.
  if (!second) return first.kind === 'write' ? writeFileAtomically(first.path, first.bytes, first) : removeFile(first.path, first)
  const id = randomBytes(6).toString('hex')
  const home = journalDirectory(first.path.root)
  if (!home.ok) return home
  const steps = changes.map((change, i) => ({ change, entry: toEntry(change, home.value.directory, `.plumb-${id}-${i}`) }))
  const entries = steps.map(({ entry }) => entry)
  const journal = await Journal.open(home.value, id, entries)
  if (!journal.ok) return journal
  try {
    return await carryOut(steps, journal.value)
  } finally {
    await journal.value.close()
  }
}

const carryOut = async (steps: readonly Step[], journal: Journal): Promise<Result<void>> => {
  const tried = await attempt(async () => {
    const refused = (await each(steps, stage)) ?? (await turn(journal, 'complete')) ?? (await each(steps, putOne))
    if (refused && journal.direction === 'complete') await journal.turn('undo')
    return refused
  })
  const failure = tried.ok ? tried.value : tried.error
  const { direction } = journal
  // The journal still says `complete`, so recovery needs to know that it has to undo.
  if (failure && direction === 'complete') {
    journal.abandon()
    return { ok: false, error: failure }
  }
  let isClean = true
  // In reverse, so that created directories are empty when they are removed.
  for (const { entry, change } of steps.toReversed()) {
    const settled = await attempt(() => finishEntry(entry, change.path, direction))
    isClean &&= settled.ok
  }
  // Otherwise the next run finds the journal and finishes.
  if (isClean) await attempt(() => journal.remove())
  return failure ? { ok: false, error: failure } : succeed(undefined)
}

const attempt = async <T>(work: () => Promise<T>): Promise<Result<T>> => {
  try {
    return succeed(await work())
  } catch (error) {
    return systemFault(error, 'write', 'the patch')
  }
}

const toEntry = (change: FileChange, home: string, prefix: string): JournalEntry => ({
  path: relative(home, absolutePath(change.path)).split(sep).join('/'),
  made: change.path.missing.length,
  old: change.expect,
  ...(change.kind === 'write' ? { fresh: { name: `${prefix}.new`, sha256: sha256Of(change.bytes) } } : {}),
  ...(change.expect === 'absent' ? {} : { backup: `${prefix}.old` }),
})

/** Opens one directory at a time, since a patch may touch many. */
const each = async (
  steps: readonly Step[],
  work: (step: Step, directory: Directory) => Promise<Fault | undefined>,
): Promise<Fault | undefined> => {
  for (const step of steps) {
    const { path: resolved, kind } = step.change
    const directory = await openDirectory(resolved, { create: kind === 'write' })
    if (!directory.ok) return directory.error
    try {
      const refused = await work(step, directory.value)
      if (refused) return refused
    } catch (error) {
      return systemFault(error, 'write', resolved.shown).error
    } finally {
      await directory.value.close()
    }
  }
  return undefined
}

const stage = async ({ change, entry }: Step, directory: Directory): Promise<undefined> => {
  const target = directory.at(change.path.name)
  if (entry.backup !== undefined) {
    // rename(2) checks only the permissions of the directory.
    if (change.kind === 'write') await access(target, constants.W_OK)
    await keepOld(target, directory.at(entry.backup))
  }
  if (change.kind === 'write' && entry.fresh) {
    const old = await lstat(target).catch(() => undefined)
    await writeNewFile(directory.at(entry.fresh.name), change.bytes, old, change.mode)
  }
  await directory.sync()
}

// A hard link, so that the file never disappears; a copy if the file system has none.
const keepOld = (target: string, backup: string): Promise<void> =>
  link(target, backup).catch(() => copyFile(target, backup, constants.COPYFILE_EXCL))

const putOne = async ({ change, entry }: Step, directory: Directory): Promise<Fault | undefined> =>
  applyEntry(entry, directory, change.path) ? undefined : fileChanged(change.path.shown).error

const turn = async (journal: Journal, direction: JournalState): Promise<Fault | undefined> => {
  try {
    await journal.turn(direction)
    return undefined
  } catch (error) {
    return systemFault(error, 'write', 'the journal of the patch').error
  }
}
