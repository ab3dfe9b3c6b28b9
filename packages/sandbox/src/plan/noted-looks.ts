// The look-ups that the mounts of a sandbox are planned from. They are recorded with the plan, which can be reused as long as each of them
// gives the same result: that takes a fraction of the time of a new plan.

import { closeSync, lstatSync, openSync, readlinkSync, readSync, type Stats, statSync } from 'node:fs'
import { findRealPath } from '../path/look-up.js'

/** Undefined: nothing is there, or nothing that we may see. */
type Look = (path: string) => string | undefined

/** The recorder of the plan that is being made. */
let noted: Map<Look, Map<string, string | undefined>> | undefined

const noting =
  <T extends string>(look: (path: string) => T | undefined) =>
  (path: string): T | undefined => {
    if (!noted) return look(path)
    const found = noted.get(look) ?? new Map<string, string | undefined>()
    noted.set(look, found)
    if (!found.has(path)) found.set(path, look(path))
    return found.get(path) as T | undefined
  }

/** A value with a check whether it would be the same if it were made again. */
export interface Noted<T> {
  readonly value: T
  isStillSo(): boolean
}

/** `make` may access files only by the look-ups of this file. */
export const noteLooks = <T>(make: () => T): Noted<T> => {
  const looks: NonNullable<typeof noted> = new Map()
  const value = withNotes(looks, make)
  const isStillSo = (): boolean => {
    for (const [look, found] of looks) for (const [path, before] of found) if (look(path) !== before) return false
    return true
  }
  return { value, isStillSo }
}

/** For look-ups that are done once a process. */
export const withoutNotes = <T>(make: () => T): T => withNotes(undefined, make)

const withNotes = <T>(looks: typeof noted, make: () => T): T => {
  const outer = noted
  noted = looks
  try {
    return make()
  } finally {
    noted = outer
  }
}

/** `>` and the target for a link, else `entry`. */
export const lookAt = noting((path): 'entry' | `>${string}` | undefined => {
  try {
    const stat = lstatSync(path, { throwIfNoEntry: false })
    return stat && (stat.isSymbolicLink() ? `>${readlinkSync(path)}` : 'entry')
  } catch {
    // It was a link a moment ago, or lies in a directory that is closed to us.
    return undefined
  }
})

/** The path with all links resolved; one that does not exist stays as it is. */
export const realPathOf = (path: string): string => noteRealPath(path) ?? path

const noteRealPath = noting(findRealPath)

/** The kind of the target; `program`: an executable file. */
export const kindOf = noting((path): 'file' | 'program' | 'directory' | 'other' | undefined => {
  try {
    const stat = statSync(path, { throwIfNoEntry: false })
    return stat && kindOfStat(stat)
  } catch {
    return undefined
  }
})

const EXECUTABLE = 0o111

const kindOfStat = (stat: Stats): 'file' | 'program' | 'directory' | 'other' => {
  if (stat.isDirectory()) return 'directory'
  if (!stat.isFile()) return 'other'
  return stat.mode & EXECUTABLE ? 'program' : 'file'
}

export const exists = (path: string): boolean => kindOf(path) !== undefined

export const isFile = (path: string): boolean => {
  const kind = kindOf(path)
  return kind === 'file' || kind === 'program'
}

const MAX_FIRST_LINE = 256
const MAX_CONFIG_BYTES = 64 * 1024

/** Cut at 256 bytes; bytes are characters. */
export const firstLineOf = noting((path) => readBeginning(path, MAX_FIRST_LINE)?.toString('latin1').split('\n', 1)[0])

/** Cut at 64 KiB. */
export const configurationOf = noting((path) => readBeginning(path, MAX_CONFIG_BYTES)?.toString('utf8'))

const readBeginning = (path: string, bytes: number): Buffer | undefined => {
  let fd: number | undefined
  try {
    fd = openSync(path, 'r')
    const beginning = Buffer.alloc(bytes)
    return beginning.subarray(0, readSync(fd, beginning))
  } catch {
    return undefined
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}
