// Answers in a folder: DIR/ab/REST.NTH.PLACE.json, where abREST is the hash of the request. Nothing is read but what is asked for.

import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Fault, fault } from '../error.js'
import { makeFolder } from '../make-folder.js'
import { fail, type Result, succeed } from '../result.js'
import { systemReason } from '../system-reason.js'
import { type EntryKey, readEntry, writeEntry } from './entry.js'
import { FILE_MODE, FOLDER_MODE, MAX_ENTRY_BYTES, type Store } from './store.js'

/** Makes the folder where it is not there. */
export const openFolderStore = (folder: string): Result<Store> => {
  try {
    makeFolder(folder, FOLDER_MODE)
  } catch (error) {
    return fail('file_not_found', `cannot keep answers in '${folder}': ${systemReason(error as NodeJS.ErrnoException)}`)
  }
  let written = 0
  const folderOf = (hash: string): string => join(folder, hash.slice(0, FOLDER_DIGITS))
  const pathOf = (key: EntryKey): string => join(folderOf(key.hash), nameOf(key))
  return succeed({
    keysOf: (hash) => {
      const start = `${hash.slice(FOLDER_DIGITS)}.`
      const names = namesIn(folderOf(hash)).filter((name) => name.startsWith(start))
      return names.flatMap((name) => readName(name.slice(start.length), hash) ?? [])
    },
    read: (key) => {
      const entry = readEntry(textOf(pathOf(key)))
      return entry && entry.hash === key.hash && entry.nth === key.nth ? entry : undefined
    },
    put: (entry) => {
      const path = pathOf(entry)
      const fresh = join(folderOf(entry.hash), `.${process.pid}-${++written}.new`)
      try {
        makeFolder(folderOf(entry.hash), FOLDER_MODE)
        writeFileSync(fresh, `${writeEntry(entry)}\n`, { flag: 'wx', mode: FILE_MODE })
        renameSync(fresh, path)
        return undefined
      } catch (error) {
        return notWritten(folder, fresh, error)
      }
    },
  })
}

const FOLDER_DIGITS = 2

const nameOf = ({ hash, nth, place }: EntryKey): string => `${hash.slice(FOLDER_DIGITS)}.${nth}.${place}.json`

const readName = (rest: string, hash: string): EntryKey | undefined => {
  const [, nth, place = ''] = /^([1-9]\d{0,14})\.(.+)\.json$/.exec(rest) ?? []
  return nth === undefined ? undefined : { hash, place, nth: Number(nth) }
}

const namesIn = (folder: string): readonly string[] => {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

// What cannot be read is asked again.
const textOf = (path: string): string => {
  try {
    return statSync(path).size > MAX_ENTRY_BYTES ? '' : readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

const notWritten = (folder: string, fresh: string, error: unknown): Fault => {
  const reason = systemReason(error as NodeJS.ErrnoException)
  try {
    rmSync(fresh, { force: true })
  } catch {
    // It is no entry, whatever becomes of it.
  }
  return fault('write_failed', `an answer cannot be kept in '${folder}': ${reason}; it will be asked for again`, { path: folder })
}
