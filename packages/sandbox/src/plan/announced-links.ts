// What sandboxes that run now keep of links, and of what those lead to: while one runs, its program may have put something else at a link, and
// another sandbox that starts meanwhile, of this process or of another one of the user, would take that for what it is to keep.

import { mkdirSync, readdirSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { hasOwnerExited, OWNER } from '../path/temporary-files.js'
import { pidNamespace } from './name-guards.js'
import { sandboxCacheDirectory } from './sandbox-cache.js'

export interface AnnouncedLinks {
  /** Links, absolute, with their targets. */
  readonly links: readonly (readonly [link: string, target: string])[]
  /** What they lead to, absolute. */
  readonly paths: readonly string[]
}

const ownAnnouncements = new Map<number, AnnouncedLinks>()
let count = 0

/** Returns how to take it back. Where the cache directory cannot be written, it is known to this process alone. */
export const announceLinks = (announced: AnnouncedLinks): (() => void) => {
  const id = ++count
  ownAnnouncements.set(id, announced)
  const file = join(directory(), `${pidNamespace()}-${OWNER}-${id}`)
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writeFileSync(`${file}.new`, JSON.stringify(announced), { flag: 'wx', mode: 0o600 })
    renameSync(`${file}.new`, file)
  } catch {
    // Other processes do not know of it.
  }
  return () => {
    ownAnnouncements.delete(id)
    remove(file)
  }
}

/** Those of all sandboxes that run now. */
export const listAnnouncedLinks = (): readonly AnnouncedLinks[] => [...ownAnnouncements.values(), ...listOfOthers()]

const directory = (): string => join(sandboxCacheDirectory(), 'links')
const NAME = /^(\d+)-(\d+-\d+)-\d+(?:\.new)?$/

// Files of processes that were killed are taken away. Pids of another namespace say nothing here.
const listOfOthers = (): readonly AnnouncedLinks[] => {
  try {
    return readdirSync(directory()).flatMap((name) => {
      const [, namespace, owner = ''] = NAME.exec(name) ?? []
      if (namespace !== pidNamespace() || owner === OWNER) return []
      const file = join(directory(), name)
      if (!hasOwnerExited(owner)) return name.endsWith('.new') ? [] : read(file)
      remove(file)
      return []
    })
  } catch {
    return []
  }
}

const read = (file: string): readonly AnnouncedLinks[] => {
  try {
    return [JSON.parse(readFileSync(file, 'utf8')) as AnnouncedLinks]
  } catch {
    // It has ended meanwhile.
    return []
  }
}

const remove = (file: string): void => {
  try {
    unlinkSync(file)
  } catch {
    // It was not written, or another process was faster.
  }
}
