// Directories below which others may write while we run: the working directory and the docroot. A name there can become a link at any time.

import { realpathSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'

export interface OwnDirectory {
  /** The real path of the working directory or docroot. */
  readonly base: string
  /** The names of directories below it, none of which may be a link. */
  readonly names: readonly string[]
}

let bases: readonly string[] | undefined
const known = new Map<string, OwnDirectory | undefined>()

/** Adds the docroot of the run to the working directory. */
export const guardOutputsBelow = (docroot: string | undefined): void => {
  if (docroot === undefined) return
  bases = withoutInner([...guarded(), ...real(docroot)])
  known.clear()
}

/** Where a directory lies, whether it exists or not. Undefined: where no tool writes, so that links there are the user's own. */
export const ownDirectoryOf = (directory: string): OwnDirectory | undefined => {
  if (!known.has(directory)) known.set(directory, findOwnDirectory(directory))
  return known.get(directory)
}

const findOwnDirectory = (directory: string): OwnDirectory | undefined => {
  const names = resolve(directory).split(sep).slice(1)
  if (names[0] === 'dev' || names[0] === 'proc') return undefined
  for (let i = 0, at = '/'; ; i++) {
    const base = guarded().find((one) => isWithin(one, at))
    if (base !== undefined) return { base, names: [...namesBetween(base, at), ...names.slice(i)].filter((name) => name !== '') }
    const name = names[i]
    if (name === undefined) return undefined
    at = real(join(at, name))[0] ?? join(at, name)
  }
}

const guarded = (): readonly string[] => {
  bases ??= withoutInner(real('.'))
  return bases
}

// In `/` there is no sandbox, and plumb's own tools make no links.
const withoutInner = (all: readonly string[]): readonly string[] =>
  all.filter((one, i) => one !== '/' && !all.some((other, j) => (other !== one || j < i) && other !== '/' && isWithin(other, one)))

const isWithin = (base: string, path: string): boolean => {
  for (let at = path; ; at = dirname(at)) {
    if (at === base) return true
    if (at === dirname(at)) return false
  }
}

const namesBetween = (base: string, path: string): readonly string[] => relative(base, path).split(sep)

const real = (path: string): readonly string[] => {
  try {
    return [realpathSync.native(path)]
  } catch {
    return []
  }
}
