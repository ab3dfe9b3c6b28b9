// A file that has other names: one of them may be outside the roots, where it is not meant to be read by tools.

import type { Stats } from 'node:fs'
import { type FileHandle, lstat, readdir } from 'node:fs/promises'
import type { Folder } from './open.js'
import { TEMPORARY_PREFIX } from './protected-paths.js'
import type { ResolvedPath } from './resolved-path.js'
import { foldName } from './trusted-names.js'

/** Package managers link what they install to a store of theirs. */
const LINKED_FOLDERS = new Set(['node_modules', 'site-packages'])
/** A patch or a write of ours that is under way has a second name for a moment. */
const MAX_ATTEMPTS = 5

/** Why it is not read; undefined: it is. `stat` is that of the open file. */
export const whyHardLinked = async (
  handle: FileHandle,
  stat: Stats,
  resolved: ResolvedPath,
  folder: Folder,
): Promise<string | undefined> => {
  if (stat.nlink <= 1 || resolved.allowsHardLinks || isInstalled(resolved)) return undefined
  let now = stat
  for (let looks = 0; looks < MAX_ATTEMPTS; looks++) {
    const own = await ownNames(stat, folder)
    const before = now
    now = await handle.stat()
    if (now.nlink - own <= 1) return undefined
    if (now.nlink === before.nlink && looks > 0) break
  }
  return `it has ${now.nlink} hard links, and where the others are is not known; 'hard_links: true' on its root allows it`
}

const isInstalled = ({ root, shown }: ResolvedPath): boolean =>
  [...shown.split('/').slice(0, -1), ...root.split('/')].some((name) => LINKED_FOLDERS.has(foldName(name)))

const ownNames = async ({ ino, dev }: Stats, folder: Folder): Promise<number> => {
  const names = (await readdir(`${folder.at('.')}/`)).filter((name) => name.startsWith(TEMPORARY_PREFIX))
  const stats = await Promise.all(names.map((name) => lstat(folder.at(name)).catch(() => undefined)))
  return stats.filter((found) => found?.ino === ino && found.dev === dev).length
}
