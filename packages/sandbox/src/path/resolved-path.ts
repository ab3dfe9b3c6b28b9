// Resolves a path as a model writes it to a real path below a root.
//
// What this directory guarantees to all tools and to the sandbox: links are resolved before anything is checked, so a path that leads outside
// its root is refused; protected paths (keys, what other programs run, files of the running program) are refused, existing or not;
// and what is opened is checked again after it is open, so swapping a path between check and use gains nothing.

import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { fail, preview, type Result, succeed, systemReason } from '@plumb/wire'
import { whyOfGit } from './git-reach.js'
import { findLinkStat, findRealPath, followLinks, isWithin } from './look-up.js'
import { keptDirectoryWith, repositoryWith, shownDirectory, whyNotReadable, whyNotWritable } from './protected-paths.js'

/** Where a file is or would be. Checked when it was resolved; `openDirectory` and `openFile` check again what they opened. */
export interface ResolvedPath {
  /** The real path of the root. It may be a file: then only that file can be used. */
  readonly root: string
  /** The real path of the deepest existing directory on the way. */
  readonly directory: string
  /** Names of directories below it that do not exist yet. */
  readonly missing: readonly string[]
  /** The last component; `.` for the root itself. */
  readonly name: string
  readonly exists: boolean
  /** The path in results and errors: relative to the root, separated by `/`. */
  readonly shown: string
  /** Every name of the path below its root, as components: as it was written, after each link on the way, and the real one. */
  readonly names: readonly (readonly string[])[]
  /** The root has `hard_links: true`: files with several hard links may be read. */
  readonly allowsHardLinks?: true
}

/** What the path is for. `edit` is `read` and `write`. `remove` is about a link itself, the others about its target. */
export type Purpose = 'read' | 'write' | 'edit' | 'list' | 'remove'

export interface Roots {
  /** Absolute paths by name (the key `roots`; without it, the docroot). A relative path without a root belongs to the first. */
  readonly roots: ReadonlyMap<string, string>
  /** The files of the running program, which tools must not change. */
  readonly programFiles?: { whyProtected(path: string, root: string): string | undefined } | undefined
  /** Names of the roots with `hard_links: true`. */
  readonly hardLinked?: ReadonlySet<string>
}

/** `path_denied` for paths outside the roots and protected paths, existing or not; `no_such_file` only inside, and not for `write`. */
export const resolvePath = (path: string, purpose: Purpose, roots: Roots, rootName?: string): Result<ResolvedPath> => {
  const flaw = findFlaw(path)
  if (flaw !== undefined) return pathDenied(path, flaw)
  const chosen = chooseRoots(path, roots.roots, rootName)
  if (!chosen.ok) return chosen
  for (const [name, root] of chosen.value) {
    const resolved = resolveBelow(root, path, purpose)
    if (resolved?.ok)
      return checkProtection({ ...resolved.value, ...(roots.hardLinked?.has(name) ? { allowsHardLinks: true } : {}) }, path, purpose, roots)
    if (resolved) return resolved
  }
  return pathDenied(path, 'it leads outside the roots that tools may use')
}

const MAX_PATH = 4096
// NAME_MAX of Linux and macOS.
const MAX_NAME = 255

const findFlaw = (path: string): string | undefined => {
  if (path === '') return 'it is empty'
  if (path.includes('\0')) return 'it holds a NUL character'
  if (/^~(\/|$)/.test(path)) return "no home directory is meant by '~' here; a file of that name is './~'"
  if (Buffer.byteLength(path) > MAX_PATH) return `it is longer than ${MAX_PATH} bytes`
  if (path.split('/').some((name) => Buffer.byteLength(name) > MAX_NAME)) return `a name in it is longer than ${MAX_NAME} bytes`
  return undefined
}

const chooseRoots = (path: string, roots: ReadonlyMap<string, string>, name: string | undefined) => {
  const all = [...roots]
  if (name === undefined) return succeed(isAbsolute(path) ? all : all.slice(0, 1))
  const root = roots.get(name)
  if (root !== undefined) return succeed([[name, root] as const])
  return fail('path_denied', `no root is named '${preview(name)}', there are ${[...roots.keys()].map((key) => `'${key}'`).join(', ')}`)
}

// Undefined if the path as written is not below this root.
const resolveBelow = (named: string, path: string, purpose: Purpose): Result<ResolvedPath> | undefined => {
  const root = findRealPath(named)
  if (root === undefined) return fail('no_such_file', `the root '${preview(named)}' does not exist`)
  const absolute = resolve(named, path)
  // The path may start with the root as named, or with its real path.
  const inside = [named, root].find((base) => isWithin(base, absolute))
  if (inside === undefined) return undefined
  const asWritten = join(root, relative(inside, absolute))
  if (purpose === 'remove' && asWritten !== root && isLink(asWritten)) return resolveLinkItself(root, asWritten, path)
  return followToTarget(root, asWritten, path)
}

const resolveLinkItself = (root: string, absolute: string, path: string): Result<ResolvedPath> => {
  const directory = findRealPath(dirname(absolute))
  if (directory === undefined || !isWithin(root, directory)) return pathDenied(path, 'it leads outside the root through a link')
  const names = followLinks(dirname(absolute)).names.map((name) => join(name, basename(absolute)))
  return succeed(toResolvedPath(root, directory, names, [basename(absolute)], true))
}

// Any component may be a link: the real path of the deepest existing ancestor decides.
const followToTarget = (root: string, absolute: string, path: string): Result<ResolvedPath> => {
  const missing: string[] = []
  const { names } = followLinks(absolute)
  let at = absolute
  for (;;) {
    const real = findRealPath(at)
    if (real !== undefined) {
      if (!isWithin(root, real)) return pathDenied(path, 'it leads outside the root through a link')
      return succeed(toResolvedPath(root, real, names, missing))
    }
    if (isLink(at)) return pathDenied(path, 'a link on the way leads nowhere')
    if (at === root) return pathDenied(path, 'the root is not there any more')
    missing.unshift(basename(at))
    at = dirname(at)
  }
}

const toResolvedPath = (root: string, real: string, ways: readonly string[], missing: readonly string[], exists = false): ResolvedPath => {
  const shown =
    relative(root, join(real, ...missing))
      .split(sep)
      .join('/') || '.'
  const name = missing.at(-1)
  const below = [...ways, join(real, ...missing)].filter((way) => isWithin(root, way)).map((way) => relative(root, way).split(sep))
  const names = [...new Map(below.map((way) => [way.join(sep), way])).values()]
  if (name !== undefined) return { root, directory: real, missing: missing.slice(0, -1), name, exists: exists, shown, names }
  return real === root && !isRegular(root)
    ? { root, directory: real, missing: [], name: '.', exists: true, shown, names }
    : {
        root,
        names,
        directory: dirname(real),
        missing: [],
        name: basename(real),
        exists: true,
        shown: shown === '.' ? basename(real) : shown,
      }
}

const checkProtection = (resolved: ResolvedPath, path: string, purpose: Purpose, { programFiles }: Roots): Result<ResolvedPath> => {
  const why = WRITING.includes(purpose)
    ? whyKeptFromWriters(resolved, programFiles)
    : READING.includes(purpose)
      ? whyKeptFromReaders(resolved)
      : undefined
  if (why !== undefined) return pathDenied(path, why)
  if (!resolved.exists && purpose !== 'write')
    return fail('no_such_file', `there is no '${preview(path, 200)}'`, { path: preview(path, 200) })
  return succeed(resolved)
}

/** Why it is kept from readers under one of its names; undefined if it is not. */
export const whyKeptFromReaders = ({ root, names }: ResolvedPath): string | undefined =>
  firstOf(names, (components) => whyNotReadable(components, basename(root)))

const whyKeptFromWriters = ({ root, names }: ResolvedPath, programFiles: Roots['programFiles']): string | undefined => {
  const paths = names.map((components) => join(root, ...components))
  return (
    firstOf(names, (components) => whyNotWritable(components, basename(root))) ??
    firstOf(paths, (path) => programFiles?.whyProtected(path, root)) ??
    whyTogetherForbidden(root, paths) ??
    firstOf(paths, (path) => whyOfGit(path, root))
  )
}

const firstOf = <T>(list: readonly T[], look: (one: T) => string | undefined): string | undefined => {
  for (const one of list) {
    const found = look(one)
    if (found !== undefined) return found
  }
  return undefined
}

/** Why these paths may not be written together: they would look like a git repository, or are in a record or would look like one. */
export const whyTogetherForbidden = (root: string, paths: readonly string[]): string | undefined => {
  const kept = keptDirectoryWith(root, paths)
  if (kept !== undefined)
    return `'${preview(shownDirectory(root, kept), 200)}' holds the record of a run or kept answers, which plumb believes later`
  const directory = repositoryWith(root, paths)
  return directory === undefined
    ? undefined
    : `git would take '${preview(shownDirectory(root, directory), 200)}' for a ` +
        'repository, by HEAD, objects and refs, and run what its config says'
}

const WRITING: readonly Purpose[] = ['write', 'edit', 'remove']
const READING: readonly Purpose[] = ['read', 'edit']

/** As an absolute path. */
export const absolutePath = ({ directory, missing, name }: ResolvedPath): string => join(directory, ...missing, name)

/** The path of an existing entry of a directory. */
export const childPath = (directory: ResolvedPath, name: string): ResolvedPath => {
  const shown = directory.shown === '.' ? name : `${directory.shown}/${name}`
  const names = directory.names.map((components) => [...components.filter((each) => each !== ''), name])
  return { ...asDirectory(directory), name, exists: true, shown, names }
}

/** The same directory, as the parent of its entries. */
export const asDirectory = (resolved: ResolvedPath): ResolvedPath =>
  resolved.name === '.' ? resolved : { ...resolved, directory: absolutePath(resolved), missing: [], name: '.' }

const isLink = (path: string): boolean => findLinkStat(path)?.isSymbolicLink() === true
const isRegular = (path: string): boolean => findLinkStat(path)?.isFile() === true

export const pathDenied = (path: string, why: string): { readonly ok: false; readonly error: ReturnType<typeof fail>['error'] } =>
  fail('path_denied', `'${preview(path, 200)}' is refused: ${why}`, { path: preview(path, 200) })

/** Converts an error of the system about a path to a fault. */
export const systemFault = (error: unknown, doing: string, shown: string): ReturnType<typeof fail> => {
  const { code } = error as NodeJS.ErrnoException
  const named = `'${preview(shown, 200)}'`
  const extras = { path: preview(shown, 200) }
  if (code === 'ENOENT') return fail('no_such_file', `cannot ${doing} ${named}: it is not there`, extras)
  if (code === 'ELOOP' || code === 'ENXIO' || code === 'EISDIR')
    return fail('path_denied', `cannot ${doing} ${named}: it is not a regular file`, extras)
  if (code === 'ENOTDIR') return fail('no_such_file', `cannot ${doing} ${named}: a part of the path is not a directory`, extras)
  const why = systemReason(error as NodeJS.ErrnoException)
  if (code === 'EACCES' || code === 'EPERM') return fail('path_denied', `cannot ${doing} ${named}: ${why}`, extras)
  return fail(doing === 'write' ? 'write_failed' : 'read_failed', `cannot ${doing} ${named}: ${why}`, extras)
}
