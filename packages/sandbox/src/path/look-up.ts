// Looks up paths that may not exist or be readable: returns undefined, or an empty list, instead of an exception.

import {
  closeSync,
  constants,
  type Dirent,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs'
import { basename, dirname, join, resolve, sep } from 'node:path'

/** The path with all links resolved. */
export const findRealPath = (path: string): string | undefined => {
  try {
    return realpathSync.native(path)
  } catch {
    return undefined
  }
}

/** As `findRealPath`; a path that does not exist stays as it is. */
export const toRealPath = (path: string): string => findRealPath(path) ?? path

/** Links are followed. */
export const findStat = (path: string): Stats | undefined => {
  try {
    return statSync(path)
  } catch {
    return undefined
  }
}

/** Links are followed. */
export const exists = (path: string): boolean => findStat(path) !== undefined

/** Links are not followed. */
export const findLinkStat = (path: string): Stats | undefined => {
  try {
    return lstatSync(path)
  } catch {
    return undefined
  }
}

/** Of a regular file, as UTF-8. */
export const readBeginning = (path: string, bytes: number): string | undefined => {
  let fd: number | undefined
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const beginning = Buffer.alloc(bytes)
    return beginning.toString('utf8', 0, readSync(fd, beginning))
  } catch {
    return undefined
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

export const listEntries = (directory: string): readonly Dirent[] => {
  try {
    return readdirSync(directory, { withFileTypes: true })
  } catch {
    return []
  }
}

/** The limit of Linux, path_resolution(7). */
const MAX_LINKS = 40

export interface FollowedPath {
  /** The links on the way, each absolute, in a directory without links. */
  readonly links: readonly string[]
  /** The whole path under each of its names: as it is written, then after each link that was followed. The last is real as far as it exists. */
  readonly names: readonly [string, ...string[]]
}

/** Follows the links of a path, which need not exist, as the system does: `..` leads up from what a link leads to. */
export const followLinks = (path: string): FollowedPath => {
  const links: string[] = []
  const names: [string, ...string[]] = [resolve(path)]
  const waiting = names[0].split('/')
  let at = '/'
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
    if (name === '' || name === '.') continue
    if (name === '..') {
      at = dirname(at)
      continue
    }
    const next = join(at, name)
    const target = links.length < MAX_LINKS ? linkAt(next) : undefined
    if (target === undefined) at = next
    else {
      links.push(next)
      waiting.unshift(...target.split('/'))
      if (target.startsWith('/')) at = '/'
      names.push(join(at, ...waiting))
    }
  }
  return { links, names: [...names, at] }
}

const linkAt = (path: string): string | undefined => {
  try {
    return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : undefined
  } catch {
    return undefined
  }
}

/** The line that names an interpreter is there; cut at 256 bytes. */
export const firstLineOf = (path: string): string | undefined => readBeginning(path, MAX_FIRST_LINE)?.split('\n', 1)[0]

const MAX_FIRST_LINE = 256

/** Compares whole components: `/ws-evil` is not within `/ws`. */
export const isWithin = (root: string, path: string): boolean => path === root || path.startsWith(root.endsWith(sep) ? root : root + sep)

/** With links resolved. A missing file is named relative to its nearest existing directory. */
export const realPath = (path: string): string => {
  const absolute = resolve(path)
  try {
    return realpathSync.native(absolute)
  } catch {
    const directory = dirname(absolute)
    return directory === absolute ? absolute : join(realPath(directory), basename(absolute))
  }
}
