// Links in the docroot. A program that may write there can lay one to any place, and the next sandbox would show what it leads to: so by such a
// link only programs are shown, and what they stand with.

import { existsSync, lstatSync, readlinkSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { preview } from '@plumb/wire'
import { findStat } from '../path/look-up.js'
import { isWithin } from '../path/resolved-path.js'

/** Nothing, a link and where it leads, or anything else. */
export type Found = 'none' | 'entry' | { readonly link: string }

export const lookAt = (path: string): Found => {
  try {
    const stat = lstatSync(path, { throwIfNoEntry: false })
    if (!stat) return 'none'
    return stat.isSymbolicLink() ? { link: readlinkSync(path) } : 'entry'
  } catch {
    // It was a link a moment ago, or lies in a folder that is closed to us.
    return 'none'
  }
}

/** The limit of Linux, path_resolution(7). */
const MAX_LINKS = 40

/** The real path, with `onLink` told of each link on the way; undefined if nothing is there. */
export const followPath = (
  path: string,
  onLink: (link: string, target: string) => void,
  look: (path: string) => Found = lookAt,
): string | undefined => {
  let rest = resolve(path).split('/').slice(1)
  let real = '/'
  let links = 0
  for (;;) {
    const [name, ...after] = rest
    if (name === undefined) return real
    rest = after
    if (name === '') continue
    const next = join(real, name)
    const found = look(next)
    if (found === 'none') return undefined
    if (found === 'entry') {
      real = next
      continue
    }
    if (++links > MAX_LINKS) return undefined
    onLink(next, found.link)
    rest = [...resolve(dirname(next), found.link).split('/').slice(1), ...rest]
    real = '/'
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

/** What is wrong with such a path where a key of a sandbox names it. */
export const ledOut = (path: string, key: string): string =>
  `'${preview(path)}' in '${key}' of its sandbox leads out of the docroot by a link in it, and what that leads to can change: name what it leads to`

const PROGRAM_FOLDERS: ReadonlySet<string> = new Set(['bin', 'sbin', 'libexec', 'shims', '.bin', 'node_modules'])

/** Whether it may be shown where a link in the docroot, or the first line of a script there, leads to it: a program, or a folder of them. */
export const isOfPrograms = (real: string): boolean => {
  const stat = findStat(real)
  return stat?.isDirectory() ? PROGRAM_FOLDERS.has(basename(real)) : stat?.isFile() === true && (stat.mode & EXECUTABLE) !== 0
}

const EXECUTABLE = 0o111

/** Whether the installation around a `bin` folder is that of an interpreter, and not the work of somebody. */
export const holdsInterpreter = (bin: string): boolean => INTERPRETERS.some((name) => existsSync(join(bin, name)))

const INTERPRETERS = ['python3', 'python', 'node', 'ruby', 'perl', 'java', 'php', 'deno', 'bun']
