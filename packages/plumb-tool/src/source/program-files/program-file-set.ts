// The files of the running program, and whether a path is one of them, however it is spelt.

import type { Stats } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { findLinkStat, foldName, followLinks, isWithin } from '@plumb/sandbox'

export class ProgramFileSet {
  /** Paths by their folded names, for file systems that ignore case. */
  readonly #files = new Map<string, Set<string>>()
  readonly #directories = new Map<string, Set<string>>()
  /** What plumb writes by itself: files, or directories with all in them; they need not exist yet. */
  readonly #outputs = new Map<string, Set<string>>()
  readonly #packages = new Set<string>()
  readonly #ways = new Map<string, readonly string[]>()

  /** Adds a path, existing or not, with the links on its way. Returns its final target. */
  addFile(path: string): string {
    const names = chainOf(join(this.#directory(dirname(path)), basename(path)))
    for (const name of names) add(this.#files, name)
    return names.at(-1) ?? path
  }

  /** Adds a directory with all its contents. */
  addDirectory(path: string): void {
    add(this.#directories, this.addFile(path))
  }

  /** Adds what plumb itself writes, and believes later. */
  addOutput(path: string): void {
    const names = chainOf(join(this.#directory(dirname(path)), basename(path)))
    for (const link of names.slice(0, -1)) add(this.#files, link)
    add(this.#outputs, names.at(-1) ?? path)
  }

  /** A module of Python: an empty directory of its name would be a package too. */
  addPackage(path: string): void {
    this.addDirectory(path)
    this.#packages.add(path)
  }

  /** Members below `root`, existing or not, without those inside a member directory; modules of Python apart, where they are not directories. */
  namesBelow(root: string): { readonly paths: readonly string[]; readonly absent: readonly string[] } {
    // What plumb is still to write it makes itself, and through no link.
    const outputs = [...this.#outputs.values()].flatMap((names) => [...names]).filter((path) => findLinkStat(path) !== undefined)
    const all = [...[...this.#directories.values(), ...this.#files.values()].flatMap((names) => [...names]), ...outputs]
    const groups = [...this.#directories.values(), ...this.#outputs.values()]
    const directories = new Set(groups.flatMap((names) => [...names]).filter((directory) => directory !== root))
    const isInDirectory = (path: string): boolean => {
      for (let at = dirname(path); isWithin(root, at) && at !== root; at = dirname(at)) if (directories.has(at)) return true
      return false
    }
    const below = [...new Set(all)].filter((path) => path !== root && isWithin(root, path) && !isInDirectory(path))
    const isAbsent = (path: string): boolean => this.#packages.has(path) && findLinkStat(path) === undefined
    return { paths: below.filter((path) => !isAbsent(path)), absent: below.filter(isAbsent) }
  }

  /** `path` is real as far as it exists. A root that is the file itself, or inside the directory, allows it. */
  whyProtected(path: string, root: string): string | undefined {
    for (let at = path; isWithin(root, at) && at !== root; at = dirname(at))
      if (isAmong(this.#outputs, at)) return 'plumb itself writes what is there, and believes it later'
    if (path !== root && this.#isFile(path)) return 'it is part of the program that is running'
    for (let at = path; isWithin(root, at) && at !== root; at = dirname(at)) {
      if (isAmong(this.#directories, at)) return 'the program that is running looks there for what it is made of'
    }
    return undefined
  }

  // Cached, since many files share a directory.
  #directory(path: string): string {
    const known = this.#ways.get(path) ?? chainOf(path)
    if (!this.#ways.has(path)) for (const name of known.slice(0, -1)) add(this.#files, name)
    this.#ways.set(path, known)
    return known.at(-1) ?? path
  }

  #isFile(path: string): boolean {
    if (isAmong(this.#files, path)) return true
    const found = findLinkStat(path)
    // A hard link to a member is the member.
    if (!found?.isFile() || found.nlink <= 1) return false
    return [...this.#files.values()].some((names) => [...names].some((name) => isSame(findLinkStat(name), found)))
  }
}

const add = (names: Map<string, Set<string>>, path: string): void => {
  const key = foldName(path)
  names.set(key, (names.get(key) ?? new Set()).add(path))
}

// Another spelling is the same file if inode and device agree, or if neither exists yet.
const isAmong = (names: ReadonlyMap<string, ReadonlySet<string>>, path: string): boolean => {
  const known = names.get(foldName(path))
  if (!known || known.has(path)) return known !== undefined
  const found = findLinkStat(path)
  return [...known].some((name) => (found ? isSame(findLinkStat(name), found) : findLinkStat(name) === undefined))
}

const isSame = (a: Stats | undefined, b: Stats): boolean => a !== undefined && a.ino === b.ino && a.dev === b.dev

/** The links on the way of a path, then its final target; each absolute, in a directory without links. The target need not exist. */
const chainOf = (path: string): readonly string[] => {
  const { links, names } = followLinks(path)
  return [...links, names.at(-1) as string]
}
