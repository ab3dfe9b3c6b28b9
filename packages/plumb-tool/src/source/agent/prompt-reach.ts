// Which files a prompt may include: those in the directory of the spec, and others if `fs.read` is granted and they are below the docroot.
// Files with secrets are refused everywhere.

import { basename, relative, sep } from 'node:path'
import { followLinks, realPath, whySecret } from '@plumb/sandbox'
import { type Fault, fault, preview } from '@plumb/wire'

export interface PromptReach {
  /** The directory of the spec or prompt file that names the files. */
  readonly directory: string
  /** Undefined if none was given and no grant narrows what may be read. */
  readonly docroot?: string | undefined
  /** The effect `fs.read` is granted. */
  readonly mayReadFiles: boolean
  /** All effects that are granted; undefined or none: no grant was given. */
  readonly granted?: readonly string[]
}

/** From the command line. With a grant, the default of the docroot is the working directory. */
export const reachOf = ({
  grants,
  docroot,
}: {
  readonly grants: readonly string[]
  readonly docroot?: string | undefined
}): Omit<PromptReach, 'directory'> => {
  const granted = grants.flatMap((list) => list.split(',')).map((word) => word.trim())
  return {
    docroot: docroot ?? (grants.length > 0 ? '.' : undefined),
    mayReadFiles: grants.length === 0 || granted.includes('fs.read'),
    granted,
  }
}

/** Undefined if the file may be read. `what` begins the error, as in `'prompts' names './x.md'`. */
export const whyNotRead = (path: string, { directory, docroot, mayReadFiles }: PromptReach, what: string): Fault | undefined => {
  const real = realPath(path)
  const home = realPath(directory)
  const root = docroot === undefined ? undefined : realPath(docroot)
  const isHome = isBelow(home, real)
  const isOpen = root !== undefined && isBelow(root, real)
  const secret = [...followLinks(path).names, real].map((name) => secretIn(name, [home, root])).find((why) => why !== undefined)
  if (secret !== undefined) return fault('path_denied', `${what}: ${secret}`, { path: shown(path) })
  if (isHome) return undefined
  const outside = `${what}, which lies outside of the spec's own directory`
  if (!mayReadFiles) {
    return fault('permission_denied', `${outside}, and 'fs.read' is not granted: put it beside the spec, or grant that`, {
      path: shown(path),
    })
  }
  if (root === undefined || isOpen) return undefined
  return fault('path_denied', `${outside} and of the docroot: put it into one of them, or name another with --docroot`, {
    path: shown(path),
  })
}

/** By any of its names a file is one of keys: as written, by a link on the way, or in fact. */
const secretIn = (name: string, directories: readonly (string | undefined)[]): string | undefined => {
  const base = directories.find((directory) => directory !== undefined && isBelow(directory, name)) ?? sep
  return whySecret(relative(base, name).split(sep), basename(base))
}

const isBelow = (root: string, path: string): boolean => path.startsWith(root.endsWith(sep) ? root : root + sep)

const shown = (path: string): string => preview(path, 200)
