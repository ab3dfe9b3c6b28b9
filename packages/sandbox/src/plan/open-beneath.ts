// Opens a path beneath a directory without following links, as openat2(2) with RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS does.

import { closeSync, constants, fstatSync, openSync } from 'node:fs'

/** O_PATH, which Node.js has no constant for. */
const PATH_ONLY = 0o10000000

export type OpenedBeneath = { readonly kind: 'open'; readonly fd: number } | { readonly kind: 'missing' } | { readonly kind: 'link' }

/** `components` are the names below `root`; the caller closes the descriptor. */
export const openBeneath = (root: string, components: readonly string[]): OpenedBeneath => {
  let fd: number | undefined
  try {
    fd = openSync(root, PATH_ONLY | constants.O_DIRECTORY)
    for (const name of components) {
      const next = openSync(`/proc/self/fd/${fd}/${name}`, PATH_ONLY | constants.O_NOFOLLOW)
      closeSync(fd)
      fd = next
      if (!fstatSync(fd).isSymbolicLink()) continue
      closeSync(fd)
      return { kind: 'link' }
    }
    return { kind: 'open', fd }
  } catch {
    if (fd !== undefined) closeSync(fd)
    return { kind: 'missing' }
  }
}
