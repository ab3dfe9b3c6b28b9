// A lock that keeps two processes from building the same index at once. The integrity of the index does not depend on it.

import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { link, lstat, open, readFile, rename, rm, utimes } from 'node:fs/promises'
import { hostname } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import {
  closeQuietly,
  type Directory,
  hasOwnerExited,
  OWNER,
  openDirectory,
  type ResolvedPath,
  systemFault,
  temporaryName,
} from '@plumb/sandbox'
import { fail, type Result, succeed } from '@plumb/wire'

const LOOK_MS = 100
const BEAT_MS = 5000
/** A lock without a heartbeat for this long is stale, on whatever host its owner ran. */
const STALE_MS = 60_000

interface IndexLock {
  release(): Promise<void>
}

/** Waits for another indexer. `cancelled` if the signal fires first. */
export const lockIndex = async (resolved: ResolvedPath, signal: AbortSignal): Promise<Result<IndexLock>> => {
  const opened = await openDirectory(resolved, { create: true })
  if (!opened.ok) return opened
  const directory = opened.value
  const name = `${resolved.name}.lock`
  try {
    const words = `${OWNER} ${hostname()} ${randomUUID()}\n`
    while (!signal.aborted) {
      if (await take(directory, name, words)) return succeed(held(directory, name, words))
      await breakStale(directory, name)
      await wait(LOOK_MS, undefined, { signal }).catch(() => {})
    }
    await directory.close()
    return fail('cancelled', `another process is making the index '${resolved.shown}'; this one was cancelled before it was done`)
  } catch (error) {
    await directory.close()
    return systemFault(error, 'write', `${resolved.shown}.lock`)
  }
}

const take = async (directory: Directory, name: string, words: string): Promise<boolean> => {
  try {
    const handle = await open(directory.at(name), constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o600)
    await handle
      .writeFile(words)
      .catch(abandon(directory, name))
      .finally(() => closeQuietly(handle))
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

// A lock without an owner would block others until it is stale.
const abandon =
  (directory: Directory, name: string) =>
  async (error: unknown): Promise<never> => {
    await rm(directory.at(name), { force: true }).catch(() => {})
    throw error
  }

const held = (directory: Directory, name: string, words: string): IndexLock => {
  const beat = setInterval(() => void utimes(directory.at(name), new Date(), new Date()).catch(() => {}), BEAT_MS)
  beat.unref()
  return {
    release: async () => {
      clearInterval(beat)
      // A leftover lock becomes stale soon.
      if ((await read(directory, name)) === words) await rm(directory.at(name), { force: true }).catch(() => {})
      await directory.close()
    },
  }
}

// Renamed aside first: of two processes that find it stale one gets it, and a process that got a fresh lock puts it back.
const breakStale = async (directory: Directory, name: string): Promise<void> => {
  const words = await read(directory, name)
  if (words === undefined || !(await isStale(directory, name, words))) return
  const aside = temporaryName()
  await rename(directory.at(name), directory.at(aside)).catch(() => {})
  if ((await read(directory, aside)) !== words) await link(directory.at(aside), directory.at(name)).catch(() => {})
  await rm(directory.at(aside), { force: true })
}

const isStale = async (directory: Directory, name: string, words: string): Promise<boolean> => {
  const stat = await lstat(directory.at(name)).catch(() => undefined)
  if (!stat) return false
  if (Date.now() - stat.mtimeMs > STALE_MS) return true
  const [owner = '', host] = words.trim().split(' ')
  return host === hostname() && hasOwnerExited(owner)
}

// Reading a FIFO would block.
const read = async (directory: Directory, name: string): Promise<string | undefined> => {
  const stat = await lstat(directory.at(name)).catch(() => undefined)
  return stat?.isFile() ? readFile(directory.at(name), 'utf8').catch(() => undefined) : undefined
}
