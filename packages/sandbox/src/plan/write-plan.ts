// What a sandboxed program may write: the directories of its spec, less what would be run or believed outside of the sandbox later.

import { basename, dirname, join, relative } from 'node:path'
import { type Fault, fail, fault, preview, type Result, succeed } from '@plumb/wire'
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

/** What is kept below the directories of `write`, except what the repositories there lead to; absolute paths. */
export interface KeptPaths {
  /** They stay as they are: a directory with all its contents, and what is not there does not come to be. */
  readonly paths: readonly string[]
  /**
   * Names at which nothing may be when the program has ended, nor at one with the ending of what is compiled: an empty directory would mean
   * something there, as to Python.
   */
  readonly absent?: readonly string[]
}

export interface Hold {
  /** Paths that cannot come to be, since an empty directory is there meanwhile. */
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
export const planWrites = (mounts: Mounts, sandbox: Sandbox, keep: KeptPaths, fds: number[]): Result<Hold> =>
  new WritePlan(mounts, sandbox, fds).plan(keep)

class WritePlan {
  readonly #mounts: Mounts
  readonly #sandbox: Sandbox
  readonly #fds: number[]
  /** The paths of `write`. */
  readonly #named: ReadonlySet<string>
  readonly #releases: (() => void)[] = []

  constructor(mounts: Mounts, sandbox: Sandbox, fds: number[]) {
    this.#mounts = mounts
    this.#sandbox = sandbox
    this.#fds = fds
    this.#named = new Set(sandbox.write.map((components) => join(sandbox.docroot, ...components)))
  }

  plan(keep: KeptPaths): Result<Hold> {
    const { docroot, who } = this.#sandbox
    for (const path of this.#named) {
      const fd = this.#open(path)
      if (typeof fd === 'string')
        return fail('file_not_found', `'${preview(path)}' in 'write' of a sandbox is not there any more, or is a link now`)
      this.#mounts.put(path, { kind: 'write', fd })
    }
    if (this.#named.size === 0) return succeed({ guarded: [], settle: () => {} })
    // A program that runs now may have replaced a link, and its target would not be found.
    this.#warn(watchLinks(docroot, this.#announcedLinks())())
    const { paths, links, absent } = listKept(this.#named, keep)
    const targets = targetsOf([...links].filter((path) => this.#isOpen(path)))
    if (targets.length > 0) this.#releases.push(announceLinks({ links: targets, paths: [...paths].filter((path) => this.#isOpen(path)) }))
    // Read once more: of two that start at once, the second to announce knows of the first.
    const announced = this.#announcedLinks()
    const { kept, guarded } = this.#sort([...paths, ...listAnnouncedLinks().flatMap((other) => other.paths)])
    if (kept.length > MAX_KEPT || guarded.length > MAX_GUARDS) {
      const count = kept.length + guarded.length
      const why = `${count} files of the program lie below what its sandbox may write, or are looked for there, and that is more than can be kept unchanged`
      return this.#end(fail('config_invalid', `${who}: ${why}: name narrower directories in 'write'`))
    }
    // What lies in a directory that is kept is kept with it.
    const isInKept = (path: string): boolean => kept.some((directory) => directory !== path && isWithin(directory, path))
    const movable = new Map([...targets, ...announced].filter(([path]) => !isInKept(path)))
    this.#mountAncestors([...kept, ...guarded, ...movable.keys()], kept)
    const failed = this.#mountGuards(guarded, kept) ?? this.#mountKept(kept)
    if (failed) return this.#end({ ok: false, error: failed })
    const watches = [
      watchLinks(docroot, movable),
      watchAbsent(
        docroot,
        absent.filter((path) => this.#isFree(path)),
      ),
      watchRepositories([...this.#named]),
    ]
    return succeed({
      guarded,
      settle: () => {
        for (const watch of watches) this.#warn(watch())
        this.#end(succeed(undefined))
      },
    })
  }

  #open(path: string): number | 'missing' | 'link' {
    const { docroot } = this.#sandbox
    const opened = openBeneath(docroot, relative(docroot, path).split('/').filter(Boolean))
    if (opened.kind !== 'open') return opened.kind
    this.#fds.push(opened.fd)
    return FIRST_DIRECTORY_FD + this.#fds.length - 1
  }

  #isOpen(path: string): boolean {
    return isWritable(path, this.#sandbox.docroot, this.#named)
  }

  /** It may be written, and is not itself a path of `write`. */
  #isFree(path: string): boolean {
    return this.#isOpen(path) && !this.#named.has(path)
  }

  #announcedLinks(): ReadonlyMap<string, string> {
    return new Map(listAnnouncedLinks().flatMap(({ links }) => links.filter(([link]) => this.#isOpen(link))))
  }

  #warn(said: readonly string[]): void {
    for (const one of said) this.#sandbox.outlet.warn?.(fault('permission_denied', `${this.#sandbox.who}: ${one}`))
  }

  /** The paths that are there, and those that must not come to be. */
  #sort(paths: readonly string[]): { readonly kept: string[]; readonly guarded: readonly string[] } {
    const wanted = [...new Set(paths)].filter((path) => this.#isFree(path))
    const kept = withoutInner(wanted.filter(isThere), this.#named)
    const missing = new Set(wanted.filter((path) => !isThere(path)).map(firstMissing))
    return { kept, guarded: [...missing].filter((path) => this.#isOpen(path) && !kept.some((directory) => isWithin(directory, path))) }
  }

  // A mount point cannot be renamed, so a directory above a protected file cannot be replaced by another one.
  #mountAncestors(paths: readonly string[], kept: readonly string[]): void {
    for (const path of new Set(paths.flatMap((path) => listAncestors(path, this.#sandbox.docroot)))) {
      if (kept.includes(path) || this.#mounts.has(path) || !this.#isOpen(path)) continue
      const fd = this.#open(path)
      if (typeof fd === 'number') this.#mounts.put(path, { kind: 'write', fd })
    }
  }

  /** Adds to `kept` what has come to be meanwhile. */
  #mountGuards(guarded: readonly string[], kept: string[]): Fault | undefined {
    for (const path of guarded) {
      const guard = guardName(this.#sandbox.docroot, path)
      if (!guard.ok) return guard.error
      if (guard.value.kind === 'guard') {
        this.#releases.push(guard.value.release)
        this.#mounts.put(path, { kind: 'guard' })
      } else if (guard.value.kind === 'there') kept.push(path)
    }
    return undefined
  }

  #mountKept(kept: readonly string[]): Fault | undefined {
    for (const path of kept) {
      const fd = this.#open(path)
      if (fd === 'missing') continue
      if (fd === 'link') {
        const why = 'must not change while a sandbox writes beside it, and has become a link: start again'
        return fault('permission_denied', `'${preview(path)}' ${why}`)
      }
      this.#mounts.put(path, { kind: 'keep', fd })
    }
    return undefined
  }

  #end<T>(result: Result<T>): Result<T> {
    for (const release of this.#releases) release()
    return result
  }
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

/** As for repositories of git: what lies deeper, or after so many directories, is not found. */
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
