// The files that our programs write by themselves and believe later: records, traces, kept answers, spies, snapshots. Below the docroot
// none of them is reached through a link, whoever puts one there and whenever: each directory on the way is opened without following one,
// and what is done is done within the directory that is open. Where the system has no paths of descriptors, each name on the way is looked
// at before and after.

import { closeSync, constants, fstatSync, lstatSync, mkdirSync, openSync, readFileSync, type Stats } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { ensureDirectory } from '../ensure-directory.js'
import { type OwnDirectory, ownDirectoryOf } from './places.js'

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants
const HAS_PROC = process.platform === 'linux'
/** O_PATH, and O_NOFOLLOW_ANY of macOS (no component may be a link), which Node.js has no constants for. */
const O_PATH = 0o10000000
const NOFOLLOW_ANY = process.platform === 'darwin' ? 0x20000000 : 0

/** Identities of directories that must stay the ones that they are, by their real paths. */
const held = new Map<string, string>()

export interface DirectoryOptions {
  /** Missing directories are made. */
  readonly isMade?: boolean
  /** Of those that are made. */
  readonly mode?: number | undefined
}

/**
 * Calls `use` with a path of the directory at which it cannot be exchanged meanwhile; it is of no use afterwards. Throws what the system
 * says, and an error with a message of its own for a link, or for another directory in the place of one that is held.
 */
export const inOwnDirectory = <T>(directory: string, use: (at: string) => T, options: DirectoryOptions = {}): T => {
  const place = ownDirectoryOf(directory)
  if (place) return HAS_PROC ? throughDescriptors(place, use, options) : throughNames(place, use, options)
  if (options.isMade) ensureDirectory(directory, options.mode)
  return use(directory)
}

/** As `inOwnDirectory`, for a name in it. */
export const atOwnPath = <T>(path: string, use: (at: string) => T, options?: DirectoryOptions): T =>
  inOwnDirectory(dirname(path), (at) => use(join(at, basename(path))), options)

/** `flags` of open(2). Below the docroot it must be a regular file: a FIFO there would be waited for, a link leads elsewhere. */
export const openOwnFile = (path: string, flags: number, mode = 0o666): number => {
  if (!ownDirectoryOf(dirname(path))) return openSync(path, flags, mode)
  return atOwnPath(path, (at) => {
    const fd = openInPlace(at, path, flags, mode)
    if (fstatSync(fd).isFile()) return fd
    closeSync(fd)
    throw noFile(path)
  })
}

/** Its text; throws as `openOwnFile` does. */
export const readOwnFile = (path: string): string => {
  const fd = openOwnFile(path, constants.O_RDONLY)
  try {
    return readFileSync(fd, 'utf8')
  } finally {
    closeSync(fd)
  }
}

/** Whether a link to the file is none that is followed. */
export const isGuarded = (path: string): boolean => ownDirectoryOf(dirname(path)) !== undefined

/**
 * From now on, in this process, nothing is done in another directory at this path. Returns which one it is, for other processes; throws if
 * it is another than `identity` already.
 */
export const holdDirectory = (directory: string, identity?: string): string =>
  inOwnDirectory(directory, (at) => {
    const found = identityOf(lstatSync(`${at}/.`))
    if (identity !== undefined && identity !== found) throw exchanged(directory)
    const place = ownDirectoryOf(directory)
    if (place) held.set(pathOf(place), found)
    return found
  })

const throughDescriptors = <T>({ base, names }: OwnDirectory, use: (at: string) => T, options: DirectoryOptions): T => {
  let fd = openSync(base, O_PATH | O_DIRECTORY)
  let path = base
  try {
    for (const name of names) {
      path = join(path, name)
      const next = openDirectory(join(pathOfFd(fd), name), path, options)
      closeSync(fd)
      fd = next
      if (held.has(path)) checkHeld(path, fstatSync(fd))
    }
    return use(pathOfFd(fd))
  } finally {
    closeSync(fd)
  }
}

const openDirectory = (at: string, path: string, { isMade, mode }: DirectoryOptions): number => {
  for (let isLast = !isMade; ; isLast = true) {
    try {
      return openSync(at, O_PATH | O_DIRECTORY | O_NOFOLLOW)
    } catch (error) {
      // Linux says ENOTDIR of a link too.
      if (lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink()) throw isLink(path)
      if (isLast || (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
    makeOne(at, mode)
  }
}

const throughNames = <T>(place: OwnDirectory, use: (at: string) => T, { isMade, mode }: DirectoryOptions): T => {
  const look = (): string => {
    let at = place.base
    let stat = lstatSync(at)
    for (const name of place.names) {
      at = join(at, name)
      if (isMade && !lstatSync(at, { throwIfNoEntry: false })) makeOne(at, mode)
      stat = lstatSync(at)
      if (stat.isSymbolicLink()) throw isLink(at)
      checkHeld(at, stat)
    }
    return identityOf(stat)
  }
  const before = look()
  const done = use(pathOf(place))
  if (look() !== before) throw exchanged(pathOf(place))
  return done
}

const openInPlace = (at: string, path: string, flags: number, mode: number): number => {
  try {
    return openSync(at, flags | O_NOFOLLOW | O_NONBLOCK | NOFOLLOW_ANY, mode)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ELOOP' || code === 'EMLINK') throw isLink(path)
    // A FIFO without a reader, or a socket.
    if (code === 'ENXIO') throw noFile(path)
    throw error
  }
}

const makeOne = (at: string, mode: number | undefined): void => {
  try {
    mkdirSync(at, mode === undefined ? {} : { mode })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

const pathOfFd = (fd: number): string => `/proc/self/fd/${fd}`
const pathOf = ({ base, names }: OwnDirectory): string => join(base, ...names)
const identityOf = ({ dev, ino }: Stats): string => `${dev}:${ino}`

const checkHeld = (path: string, stat: Stats): void => {
  const identity = held.get(path)
  if (identity !== undefined && identity !== identityOf(stat)) throw exchanged(path)
}

// Without a code of the system, so that the message itself is shown.
const isLink = (path: string): Error =>
  new Error(`'${path}' is a link, and what is written here goes through none: remove it, or name what it leads to`)
const noFile = (path: string): Error => new Error(`'${path}' is not a regular file: remove it, or name another`)
const exchanged = (path: string): Error => new Error(`'${path}' is another directory than when it was opened`)
