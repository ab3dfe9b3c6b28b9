// What no mount can keep while a sandbox runs: a link, since a mount lies on what it leads to, and a repository that is put together from
// ordinary names. It is looked at when the program has ended, and put right before anything else is started.

import { randomBytes } from 'node:crypto'
import { closeSync, lstatSync, readlinkSync, renameSync, symlinkSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { preview } from '@plumb/wire'
import { findLinkStat, listEntries } from '../path/look-up.js'
import { isRepository } from '../path/protected-paths.js'
import { openBeneath } from './open-beneath.js'

/** To be called at the end; says what it has put right. */
export type Watch = () => readonly string[]

/** Each of the links, which lie below `docroot`, leads where it led. */
export const watchLinks =
  (docroot: string, links: ReadonlyMap<string, string>): Watch =>
  () =>
    [...links].flatMap(([link, target]) => {
      if (targetOf(link) === target) return []
      const moved = setAside(docroot, link, (at) => symlinkSync(target, at))
      const now = moved === undefined ? '' : `, and what stood there is '${preview(moved)}'`
      return [
        `its program has replaced the link '${preview(link)}', which leads to what git runs or the program is made of: it is restored${now}`,
      ]
    })

/** Nothing is at the names, which lie below `docroot`, where nothing stood, nor beside them what Python would load in their place. */
export const watchAbsent = (docroot: string, paths: readonly string[]): Watch => {
  const list = (): ReadonlySet<string> => new Set(listNamed(paths))
  const before = list()
  return () =>
    [...list()].flatMap((path) => {
      if (before.has(path)) return []
      const moved = setAside(docroot, path, () => {})
      return [`its program has made '${preview(path)}', which the program that is running would load: it is '${preview(moved ?? '')}' now`]
    })
}

/** What Python loads beside a source: `x.pyc`, `x.so`, `x.abi3.so`, `x.cpython-311-x86_64-linux-gnu.so`. */
const COMPILED = /^([^.]+)(?:\.pyc|(?:\.[\w-]+)?\.so)$/

const listNamed = (paths: readonly string[]): readonly string[] => {
  const wanted = new Set(paths)
  const entries = [...new Set(paths.map((path) => dirname(path)))].flatMap((directory) =>
    listEntries(directory).map(({ name }) => ({ directory, name })),
  )
  return entries
    .filter(({ directory, name }) => wanted.has(join(directory, name)) || wanted.has(join(directory, COMPILED.exec(name)?.[1] ?? '.')))
    .map(({ directory, name }) => join(directory, name))
}

/** None of the directories, real paths, is a repository that was none before. */
export const watchRepositories = (directories: readonly string[]): Watch => {
  const before = directories.filter((directory) => !isRepository(directory)).map((directory) => [directory, partsIn(directory)] as const)
  return () =>
    before.flatMap(([directory, were]) => {
      if (!isRepository(directory)) return []
      // What was there is the user's.
      const made = partsIn(directory).find((name) => !were.includes(name))
      if (made === undefined) return []
      const moved = setAside(directory, join(directory, made), () => {})
      return [
        `its program has made a repository of '${preview(directory)}' itself, from which git would run programs: its ${made} is '${preview(moved ?? '')}' now`,
      ]
    })
}

const PARTS = ['HEAD', 'objects', 'refs', 'commondir']

const partsIn = (directory: string): readonly string[] => PARTS.filter((name) => findLinkStat(join(directory, name)))

/** Undefined if it is not a link. */
export const targetOf = (path: string): string | undefined => {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}

/** Gives what is at the path another name, which it returns, and makes what belongs there. */
const setAside = (root: string, path: string, make: (at: string) => void): string | undefined => {
  const parent = openBeneath(root, relative(root, dirname(path)).split('/').filter(Boolean))
  if (parent.kind !== 'open') return undefined
  const at = (name: string): string => `/proc/self/fd/${parent.fd}/${name}`
  try {
    const name = basename(path)
    const other = `${name}.refused-${randomBytes(6).toString('hex')}`
    const isThere = lstatSync(at(name), { throwIfNoEntry: false }) !== undefined
    if (isThere) renameSync(at(name), at(other))
    make(at(name))
    return isThere ? join(dirname(path), other) : undefined
  } catch {
    // The directory itself has gone, and with it what was to be kept in it.
    return undefined
  } finally {
    closeSync(parent.fd)
  }
}
