// A write-ahead journal of a patch, so that a later process can finish the work of one that was killed.

import { constants, statSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { type Directory, OWNER, openDirectory, type ResolvedPath, systemFault, temporaryName } from '@plumb/sandbox'
import { fail, type Result, succeed } from '@plumb/wire'
import type { JournalEntry, JournalState } from './journal-entry.js'

/** `.plumb-patch-OWNER-ID.STATE`: changing the state is a rename, which needs no disk space. */
export const journalName = (id: string, direction: JournalState, owner = OWNER): string => `.plumb-patch-${owner}-${id}.${direction}`
export const JOURNAL = /^\.plumb-patch-(\d+-\d+)-([0-9a-f]{12})\.(stage|complete|undo)$/

/** The directory of a root's journals: the root itself, or the directory of a root that is a file. */
export const journalDirectory = (root: string): Result<ResolvedPath> => {
  try {
    const directory = statSync(root).isDirectory() ? root : dirname(root)
    return succeed({ root, directory, missing: [], name: '.', exists: true, shown: '.', names: [] })
  } catch (error) {
    return systemFault(error, 'write', basename(root))
  }
}

/** Journals that this process is working on. */
export const openJournals = new Set<string>()

/** Journals of failed patches whose state could not be changed to `undo`. */
export const failedJournals = new Set<string>()

export class Journal {
  #direction: JournalState = 'stage'

  private constructor(
    private readonly directory: Directory,
    private readonly id: string,
  ) {}

  /** Durable when it resolves. The caller must close it. */
  static async open(home: ResolvedPath, id: string, entries: readonly JournalEntry[]): Promise<Result<Journal>> {
    const directory = await openDirectory(home)
    if (!directory.ok) return directory
    const journal = new Journal(directory.value, id)
    const fresh = directory.value.at(temporaryName())
    try {
      await write(fresh, JSON.stringify(entries))
      openJournals.add(id)
      await rename(fresh, journal.#path())
      await directory.value.sync()
      return succeed(journal)
    } catch (error) {
      await rm(fresh, { force: true })
      await journal.close()
      const { error: code, detail } = systemFault(error, 'write', basename(home.directory)).error
      return fail(code, `a patch of several files keeps a journal in its root: ${detail}`)
    }
  }

  get direction(): JournalState {
    return this.#direction
  }

  async turn(direction: JournalState): Promise<void> {
    await rename(this.#path(), this.#path(direction))
    this.#direction = direction
    await this.directory.sync()
  }

  /** Marks the patch as failed: recovery will undo it. */
  abandon(): void {
    failedJournals.add(this.id)
  }

  /** Call it when all changes are finished. */
  async remove(): Promise<void> {
    await rm(this.#path(), { force: true })
  }

  async close(): Promise<void> {
    openJournals.delete(this.id)
    await this.directory.close()
  }

  #path(direction = this.#direction): string {
    return this.directory.at(journalName(this.id, direction))
  }
}

const write = async (path: string, text: string): Promise<void> => {
  const handle = await open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o600)
  try {
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
}
