// Links in the docroot. A program that may write there can make one to any place, and the next sandbox would show its target: so through
// such a link only programs are visible, with their installations.

import { readlinkSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { preview } from '@plumb/wire'
import { exists, findLinkStat, findStat, isWithin } from '../path/look-up.js'

/** The limit of Linux, path_resolution(7). */
const MAX_LINKS = 40

/** The real path; `onLink` is called for each link on the way. Undefined if nothing is there. */
export const followPath = (path: string, onLink: (link: string, target: string) => void): string | undefined => {
  let rest = resolve(path).split('/').slice(1)
  let real = '/'
  let links = 0
  for (;;) {
    const [name, ...after] = rest
    if (name === undefined) return real
    rest = after
    if (name === '') continue
    const next = real === '/' ? `/${name}` : `${real}/${name}`
    const stat = findLinkStat(next)
    if (!stat) return undefined
    if (!stat.isSymbolicLink()) {
      real = next
      continue
    }
    const target = findTarget(next)
    if (target === undefined || ++links > MAX_LINKS) return undefined
    onLink(next, target)
    rest = [...resolve(dirname(next), target).split('/').slice(1), ...rest]
    real = '/'
  }
}

// It was a link a moment ago.
const findTarget = (link: string): string | undefined => {
  try {
    return readlinkSync(link)
  } catch {
    return undefined
  }
}

/** Whether a link in the docroot, a real path, leads this path out of it. */
export const isLedOut = (path: string, docroot: string): boolean => {
  let isLed = false
  const real = followPath(path, (link) => {
    isLed ||= isWithin(docroot, link)
  })
  return isLed && real !== undefined && !isWithin(docroot, real)
}

/** What is wrong with such a path in a key of a sandbox. */
export const ledOut = (path: string, key: string): string =>
  `'${preview(path)}' in '${key}' of its sandbox leads out of the docroot by a link in it, and what that leads to can change: name what it leads to`

const PROGRAM_DIRECTORIES: ReadonlySet<string> = new Set(['bin', 'sbin', 'libexec', 'shims', '.bin', 'node_modules'])

/** Whether it may be shown where a link in the docroot, or the first line of a script there, leads to it: a program, or a directory of them. */
export const isOfPrograms = (real: string): boolean => {
  const stat = findStat(real)
  return stat?.isDirectory() ? PROGRAM_DIRECTORIES.has(basename(real)) : stat?.isFile() === true && (stat.mode & EXECUTABLE) !== 0
}

const EXECUTABLE = 0o111

/** Whether the installation around a `bin` directory is that of an interpreter, and not a project of the user. */
export const holdsInterpreter = (bin: string): boolean => INTERPRETERS.some((name) => exists(join(bin, name)))

const INTERPRETERS = ['python3', 'python', 'node', 'ruby', 'perl', 'java', 'php', 'deno', 'bun']
