// All names that decide what a path leads to: its own, and those of the links on its way.

import { lstatSync, readlinkSync } from 'node:fs'
import { dirname, join, resolve, sep } from 'node:path'

/** As Linux follows at most. */
const MAX_LINKS = 40

/** Absolute, each in a folder without links; the last is where the file is, or would be. */
export const resolveSymlinkChain = (path: string): readonly string[] => {
  const found: string[] = []
  const waiting = resolve(path).split(sep).slice(1)
  let at = '/'
  let links = 0
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
    const next = join(at, name)
    const target = links < MAX_LINKS ? linkAt(next) : undefined
    if (target === undefined) at = next
    else {
      links++
      found.push(next)
      waiting.unshift(...resolve(dirname(next), target).split(sep).slice(1))
      at = '/'
    }
  }
  return [...found, at]
}

const linkAt = (path: string): string | undefined => {
  try {
    return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : undefined
  } catch {
    return undefined
  }
}
