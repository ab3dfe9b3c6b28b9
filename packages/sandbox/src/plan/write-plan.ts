// What a sandboxed program may write: the directories of its spec, less what would be run or believed outside of the sandbox later.

import { basename, dirname, join, relative } from 'node:path'
import { fail, fault, preview, type Result, succeed } from '@plumb/wire'
import { findGitReach } from '../path/git-reach.js'
import { findLinkStat, findStat, followLinks, isWithin, listEntries } from '../path/look-up.js'
import { isKept, isRecordedAnswers } from '../path/protected-paths.js'
import { targetOf, watchAbsent, watchLinks, watchRepositories } from './after-run.js'
import { announceLinks, listAnnouncedLinks } from './announced-links.js'
import { FIRST_DIRECTORY_FD } from './bubblewrap-options.js'
import type { Mounts } from './mounts.js'
import { guardName, isGuard } from './name-guards.js'
import { openBeneath } from './open-beneath.js'
import type { Sandbox } from './sandbox.js'

/** What is kept below the directories of `write`, besides what the repositories there lead to; absolute paths. */
export interface KeptPaths {
  /** They stay as they are: a directory with all its contents, and what is not there does not come to be. */
  readonly paths: readonly string[]
  /**
   * Names at which nothing may stand when the program has ended, nor at one with the ending of what is compiled: an empty directory would mean
   * something there, as to Python.
   */
  readonly absent?: readonly string[]
}

export interface Hold {
  /** Paths that cannot come to be, since an empty directory stands there meanwhile. */
  readonly guarded: readonly string[]
  /** Call it when the program has ended, or has not started. */
  settle(): void
}

/** Each of them takes a file descriptor. */
const MAX_KEPT = 400
const MAX_GUARDS = 1000

/**
 * Mounts writable paths, and what is kept below them, each by descriptor so that a path swapped later gains nothing. `fds` takes the
 * descriptors.
 */
export const planWrites = (mounts: Mounts, sandbox: Sandbox, keep: KeptPaths, fds: number[]): Result<Hold> => {
  const { docroot, write, who } = sandbox
  const hold = (path: string): number | 'missing' | 'link' => {
    const opened = openBeneath(docroot, relative(docroot, path).split('/').filter(Boolean))
    if (opened.kind !== 'open') return opened.kind
    fds.push(opened.fd)
    return FIRST_DIRECTORY_FD + fds.length - 1
  }
  const named = new Set(write.map((components) => join(docroot, ...components)))
  for (const path of named) {
    const fd = hold(path)
    if (typeof fd === 'string')
      return fail('file_not_found', `'${preview(path)}' in 'write' of a sandbox is not there any more, or is a link now`)
    mounts.put(path, { kind: 'write', fd })
  }
  if (named.size === 0) return succeed({ guarded: [], settle: () => {} })
  const isOpen = (path: string): boolean => isWritable(path, docroot, named)
  const heeded = (): ReadonlyMap<string, string> =>
    new Map(listAnnouncedLinks().flatMap(({ links }) => links.filter(([link]) => isOpen(link))))
  const warn = (said: readonly string[]): void => {
    for (const one of said) sandbox.outlet.warn?.(fault('permission_denied', `${who}: ${one}`))
  }
  // A program that runs now may have replaced a link, and its target would not be found.
  warn(watchLinks(docroot, heeded())())
  const { paths, links, absent } = listKept(named, keep)
  const targets = targetsOf([...links].filter(isOpen))
  const releases: (() => void)[] = []
  const end = <T>(result: Result<T>): Result<T> => {
    for (const release of releases) release()
    return result
  }
  if (targets.length > 0) releases.push(announceLinks({ links: targets, paths: [...paths].filter(isOpen) }))
  // Read once more: of two that start at once, the second to announce knows of the first.
  const announced = heeded()
  const wanted = [...new Set([...paths, ...listAnnouncedLinks().flatMap((other) => other.paths)])].filter(
    (path) => isOpen(path) && !named.has(path),
  )
  const kept = withoutInner(wanted.filter(isThere), named)
  const missing = new Set(wanted.filter((path) => !isThere(path)).map(firstMissing))
  const guarded = [...missing].filter((path) => isOpen(path) && !kept.some((directory) => isWithin(directory, path)))
  if (kept.length > MAX_KEPT || guarded.length > MAX_GUARDS) {
    const count = kept.length + guarded.length
    const why = `${count} files of the program lie below what its sandbox may write, or are looked for there, and that is more than can be kept as they are`
    return end(fail('config_invalid', `${who}: ${why}: name narrower directories in 'write'`))
  }
  // What lies in a directory that is kept is kept with it.
  const isInKept = (path: string): boolean => kept.some((directory) => directory !== path && isWithin(directory, path))
  const movable = new Map([...targets, ...announced].filter(([path]) => !isInKept(path)))
  // A mount point cannot be renamed, so a directory above a protected file cannot be replaced by another one.
  for (const path of new Set([...kept, ...guarded, ...movable.keys()].flatMap((path) => listAncestors(path, docroot)))) {
    if (kept.includes(path) || mounts.has(path) || !isOpen(path)) continue
    const fd = hold(path)
    if (typeof fd === 'number') mounts.put(path, { kind: 'write', fd })
  }
  for (const path of guarded) {
    const guard = guardName(docroot, path)
    if (!guard.ok) return end(guard)
    if (guard.value.kind === 'guard') {
      releases.push(guard.value.release)
      mounts.put(path, { kind: 'guard' })
    } else if (guard.value.kind === 'there') kept.push(path)
  }
  for (const path of kept) {
    const fd = hold(path)
    if (fd === 'missing') continue
    if (fd === 'link')
      return end(
        fail(
          'permission_denied',
          `'${preview(path)}' is to stay as it is while a sandbox writes beside it, and has become a link: start again`,
        ),
      )
    mounts.put(path, { kind: 'keep', fd })
  }
  const watches = [
    watchLinks(docroot, movable),
    watchAbsent(
      docroot,
      absent.filter((path) => isOpen(path) && !named.has(path)),
    ),
    watchRepositories([...named]),
  ]
  return succeed({
    guarded,
    settle: () => {
      for (const watch of watches) warn(watch())
      end(succeed(undefined))
    },
  })
}

const targetsOf = (links: readonly string[]): readonly (readonly [link: string, target: string])[] =>
  links.flatMap((link) => {
    const target = targetOf(link)
    return target === undefined ? [] : [[link, target] as const]
  })

/** All that is to stay as it is, without links on the way, the links that lead there, and what must not come to be. */
const listKept = (
  named: ReadonlySet<string>,
  keep: KeptPaths,
): { paths: ReadonlySet<string>; links: ReadonlySet<string>; absent: readonly string[] } => {
  // Who names a repository itself may change it.
  const directories = [...named].filter((path) => basename(path) !== '.git' && findStat(path)?.isDirectory())
  const reach = findGitReach(directories)
  const [paths, links] = [new Set(reach.paths), new Set(reach.links)]
  // No repository is made where there is none; a directory that is written to by its own name may be changed whatever lies in it.
  const believed = findKeptByPlumb(directories).filter((path) => !named.has(path))
  for (const path of [...keep.paths, ...believed, ...directories.map((directory) => join(directory, '.git'))]) {
    const followed = followLinks(path)
    for (const link of followed.links) links.add(link)
    paths.add(followed.names.at(-1) as string)
  }
  return { paths, links, absent: [...(keep.absent ?? []), ...reach.absent] }
}

const isThere = (path: string): boolean => findLinkStat(path) !== undefined && !isGuard(path)

const isWritable = (path: string, docroot: string, named: ReadonlySet<string>): boolean =>
  path.startsWith(`${docroot}/`) && [docroot, ...listAncestors(path, docroot)].some((directory) => named.has(directory))

/** The ancestors of `path` below the docroot. */
const listAncestors = (path: string, docroot: string): readonly string[] => {
  const found: string[] = []
  for (let directory = dirname(path); directory.startsWith(`${docroot}/`); directory = dirname(directory)) found.push(directory)
  return found
}

/** Those that no other one contains, unless what is to be written lies between. */
const withoutInner = (paths: readonly string[], named: ReadonlySet<string>): string[] => {
  const found: string[] = []
  for (const path of [...paths].sort()) {
    const isCovered = found.some(
      (outer) => isWithin(outer, path) && ![...named].some((directory) => isWithin(outer, directory) && isWithin(directory, path)),
    )
    if (!isCovered) found.push(path)
  }
  return found
}

/** Of a path that is not there, the first part that is not. */
const firstMissing = (path: string): string => {
  const above = dirname(path)
  return above === path || isThere(above) ? path : firstMissing(above)
}

/** As for repositories of git: what lies deeper, or behind so many directories, is not found. */
const MAX_DEPTH = 6
const MAX_DIRECTORIES = 400

/**
 * What earlier runs of plumb have left below directories, and will believe: records, kept answers, and answers that are recorded for
 * tests. Their paths, without those inside another.
 */
const findKeptByPlumb = (directories: readonly string[]): readonly string[] => {
  const found: string[] = []
  let waiting = [...new Set(directories)]
  let looked = 0
  for (let depth = 0; depth <= MAX_DEPTH && waiting.length > 0; depth++) {
    const next: string[] = []
    for (const directory of waiting) {
      if (++looked > MAX_DIRECTORIES) return found
      if (isKept(directory)) {
        found.push(directory)
        continue
      }
      for (const entry of listEntries(directory)) {
        if (isRecordedAnswers(entry.name)) found.push(join(directory, entry.name))
        else if (entry.isDirectory() && entry.name !== 'node_modules' && entry.name !== '.git') next.push(join(directory, entry.name))
      }
    }
    waiting = next
  }
  return found
}
