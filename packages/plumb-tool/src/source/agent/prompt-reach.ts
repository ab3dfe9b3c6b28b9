// Which files a prompt may bring into what a model is sent: those of the program's own folder, and others within the grant and the docroot. What is
// kept from readers is kept from prompts, wherever it is.

import { basename, relative, sep } from 'node:path'
import { type Fault, fault, preview } from '@plumb/wire'
import { realPath } from '../../call/real-path.js'
import { whySecret } from '../path/protected-paths.js'

export interface PromptReach {
  /** Of the spec, or the prompt file, that names them. */
  readonly folder: string
  /** Undefined: none was named, and no grant narrows what may be read. */
  readonly docroot?: string | undefined
  /** It has the effect fs.read. */
  readonly mayReadFiles: boolean
}

/** As the command line has it; a docroot that is not named is the working directory as soon as a grant narrows what may be read. */
export const reachOf = ({
  grants,
  docroot,
}: {
  readonly grants: readonly string[]
  readonly docroot?: string | undefined
}): Omit<PromptReach, 'folder'> => ({
  docroot: docroot ?? (grants.length > 0 ? '.' : undefined),
  mayReadFiles: grants.length === 0 || grants.flatMap((list) => list.split(',')).some((word) => word.trim() === 'fs.read'),
})

/** Undefined: it may be read. `what` is how the error begins, such as `'prompts' names './x.md'`. */
export const whyNotRead = (path: string, { folder, docroot, mayReadFiles }: PromptReach, what: string): Fault | undefined => {
  const real = realPath(path)
  const home = realPath(folder)
  const root = docroot === undefined ? undefined : realPath(docroot)
  const isHome = isBelow(home, real)
  const isOpen = root !== undefined && isBelow(root, real)
  const base = isHome ? home : isOpen ? root : sep
  const secret = whySecret(relative(base, real).split(sep), basename(base))
  if (secret !== undefined) return fault('path_denied', `${what}: ${secret}`, { path: shown(path) })
  if (isHome) return undefined
  const outside = `${what}, which lies outside of the spec's own folder`
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

const isBelow = (root: string, path: string): boolean => path.startsWith(root.endsWith(sep) ? root : root + sep)

const shown = (path: string): string => preview(path, 200)
