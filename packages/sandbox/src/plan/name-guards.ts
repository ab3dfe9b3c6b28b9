// Names at which something would be found and believed later: while a sandbox runs, an empty directory is at each, on the host and
// inside, covered there by one that cannot be written. A directory, as nothing that is looked for at these names is found in an empty one, by
// git as little as by Node.js or by a spec. Each sandbox has a mark in it, a directory too, so that the last one to end can take it away:
// rmdir(2) refuses one that holds another's mark, or whatever was made there meanwhile.

import { closeSync, lstatSync, mkdirSync, readdirSync, readlinkSync, rmdirSync, type Stats } from 'node:fs'
import { basename, dirname, relative } from 'node:path'
import { fail, preview, type Result, succeed, systemReason } from '@plumb/wire'
import { TEMPORARY_PREFIX } from '../path/protected-paths.js'
import { hasOwnerExited, OWNER } from '../path/temporary-files.js'
import { openBeneath } from './open-beneath.js'

const MARK = new RegExp(`^\\${TEMPORARY_PREFIX}held-(.+)-(\\d+-\\d+)-\\d+$`)

let count = 0

/** `there`: something else is at the name. */
export type Guard = { readonly kind: 'guard'; release(): void } | { readonly kind: 'there' | 'needless' }

/** Guards a name below `docroot`, whose directory exists and has no link on its way. */
export const guardName = (docroot: string, path: string): Result<Guard> => {
  const parent = openBeneath(docroot, relative(docroot, dirname(path)).split('/').filter(Boolean))
  if (parent.kind !== 'open') return succeed({ kind: 'there' })
  const at = `/proc/self/fd/${parent.fd}/${basename(path)}`
  try {
    return mark(at, path)
  } catch (error) {
    return whyUnguarded(error as NodeJS.ErrnoException, parent.fd, path)
  } finally {
    closeSync(parent.fd)
  }
}

// The path is the same until the sandbox ends: what lies above a guard is a mount, and cannot be moved from inside.
const mark = (at: string, path: string): Result<Guard> => {
  const name = `${TEMPORARY_PREFIX}held-${pidNamespace()}-${OWNER}-${++count}`
  for (let tries = 0; ; tries++) {
    if (!isGuard(at)) {
      const stat = lstatSync(at, { throwIfNoEntry: false })
      if (stat && tries < MAX_WAITS && isBeingMade(at, stat)) {
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, WAIT_MS)
        continue
      }
      if (stat) return succeed({ kind: 'there' })
      tryTo(() => mkdirSync(at), 'EEXIST')
    }
    // Another one may take it away at this moment: then it is made again.
    if (!tryTo(() => mkdirSync(`${at}/${name}`), 'ENOENT')) continue
    const release = (): void => {
      tryTo(() => rmdirSync(`${path}/${name}`))
      removeGuard(path)
    }
    return succeed({ kind: 'guard', release })
  }
}

/** A process that makes a guard marks it at once. */
const MAX_WAITS = 20
const WAIT_MS = 2
const FRESH_MS = 2000

/** An empty directory that was made just now: a guard without its mark, unless the user has made it. */
const isBeingMade = (path: string, stat: Stats): boolean => Date.now() - stat.ctimeMs < FRESH_MS && namesIn(path)?.length === 0

/** Whether it holds marks and nothing else: it stands for nothing, also where a process that was killed has left it. */
export const isGuard = (path: string): boolean => {
  const names = namesIn(path)
  return names !== undefined && names.length > 0 && names.every((name) => MARK.test(name))
}

// Marks of processes that were killed go with it.
const removeGuard = (path: string): void => {
  for (const name of namesIn(path) ?? []) {
    const [, namespace, owner = ''] = MARK.exec(name) ?? []
    if (namespace === pidNamespace() && hasOwnerExited(owner)) tryTo(() => rmdirSync(`${path}/${name}`))
  }
  tryTo(() => rmdirSync(path))
}

const namesIn = (path: string): readonly string[] | undefined => {
  try {
    return lstatSync(path).isDirectory() ? readdirSync(path) : undefined
  } catch {
    return undefined
  }
}

/** False for an error with the code, or any without one; others are thrown. */
const tryTo = (act: () => void, code?: string): boolean => {
  try {
    act()
    return true
  } catch (error) {
    if (code !== undefined && (error as NodeJS.ErrnoException).code !== code) throw error
    return false
  }
}

// Where we may make nothing, the program may not either, unless it could give itself the right: the directory is its own.
const whyUnguarded = (error: NodeJS.ErrnoException, parent: number, path: string): Result<Guard> => {
  const isForbidden = error.code === 'EACCES' || error.code === 'EPERM'
  if (error.code === 'EROFS' || (isForbidden && lstatSync(`/proc/self/fd/${parent}/.`).uid !== process.getuid?.()))
    return succeed({ kind: 'needless' })
  const why = `nothing may come to be at '${preview(path)}' while a sandbox writes beside it, and that cannot be kept so: ${systemReason(error)}`
  return fail('permission_denied', `${why}: name narrower directories in 'write'`)
}

let namespace: string | undefined

/** Pids of another one, as in a container on the same directory, say nothing here. */
export const pidNamespace = (): string => {
  namespace ??= /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '0'
  return namespace
}
