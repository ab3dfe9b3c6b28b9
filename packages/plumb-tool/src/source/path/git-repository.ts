// What git would take for a repository by its shape: its configuration names programs, which git runs for whoever looks at it.

import { lstatSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { foldName } from './trusted-names.js'

/** The folder, at or below `root`, that is one, or would be with all of these paths written; they are absolute and below `root`. */
export const repositoryWith = (root: string, written: readonly string[]): string | undefined => {
  const firsts = new Map<string, Set<string>>()
  for (const path of written) {
    for (let at = path; at !== root && at !== dirname(at); at = dirname(at)) {
      const folder = dirname(at)
      const names = firsts.get(folder) ?? new Set()
      firsts.set(folder, names.add(foldName(relative(folder, at))))
    }
  }
  return [...firsts].find(([folder, names]) => isRepository(folder, names))?.[0]
}

/** As components below a root, for messages. */
export const shownFolder = (root: string, folder: string): string => relative(root, folder).split(sep).join('/') || '.'

const isRepository = (folder: string, written: ReadonlySet<string>): boolean => {
  const has = (name: string): boolean => written.has(name.toLowerCase()) || isThere(join(folder, name))
  return has('HEAD') && ((has('objects') && has('refs')) || has('commondir'))
}

const isThere = (path: string): boolean => {
  try {
    lstatSync(path)
    return true
  } catch {
    return false
  }
}
