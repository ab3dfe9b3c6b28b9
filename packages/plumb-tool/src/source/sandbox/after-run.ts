// What no mount can keep while a sandbox runs: a link, since a mount lies on what it leads to, and a repository that is put together from
// ordinary names. It is looked at when the program has ended, and put right before anything else is started.

import { randomBytes } from 'node:crypto'
import { closeSync, lstatSync, readlinkSync, renameSync, symlinkSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { preview } from '@plumb/wire'
import { isRepository } from '../path/protected-paths.js'
import { openBeneath } from './open-beneath.js'

/** To be called at the end; says what it has put right. */
export type Watch = () => readonly string[]

/** Each of the links, which lie below `docroot`, leads on where it led. */
export const watchLinks = (docroot: string, links: readonly string[]): Watch => {
  const before = links.map((link) => [link, targetOf(link)] as const)
  return () =>
    before.flatMap(([link, target]) => {
      if (target === undefined || targetOf(link) === target) return []
      const moved = setAside(docroot, link, (at) => symlinkSync(target, at))
      const now = moved === undefined ? '' : `, and what stood there is '${preview(moved)}'`
      return [
        `its program has replaced the link '${preview(link)}', which leads to what git runs or the program is made of: it is as it was${now}`,
      ]
    })
}

/** Nothing stands at the names, which lie below `docroot`, where nothing stood. */
export const watchAbsent = (docroot: string, paths: readonly string[]): Watch => {
  const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined
  const before = paths.filter((path) => !isThere(path))
  return () =>
    before.flatMap((path) => {
      if (!isThere(path)) return []
      const moved = setAside(docroot, path, () => {})
      return [`its program has made '${preview(path)}', which the program that is running would load: it is '${preview(moved ?? '')}' now`]
    })
}

/** None of the directories, real paths, is a repository that was none before. */
export const watchRepositories = (directories: readonly string[]): Watch => {
  const before = directories.filter((directory) => !isRepository(directory))
  return () =>
    before.flatMap((directory) => {
      if (!isRepository(directory)) return []
      const moved = setAside(directory, join(directory, 'HEAD'), () => {})
      return [
        `its program has made a repository of '${preview(directory)}' itself, from which git would run programs: its HEAD is '${preview(moved ?? '')}' now`,
      ]
    })
}

const targetOf = (path: string): string | undefined => {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}

/** Gives what stands at the path another name, which it returns, and makes what belongs there. */
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
