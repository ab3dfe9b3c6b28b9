// Distinguishes inherited descriptors from Node's own on Linux: Node holds both ends of its pipes, a parent leaves us one.

import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

const READ_ONLY = 0
const WRITE_ONLY = 1
const ACCESS_MODE = 3

/** Those from 3 to 7 that were inherited. Undefined without /proc. */
export const procFds = (): ReadonlySet<number> | undefined => {
  const links = readLinks()
  if (!links) return undefined
  const inherited = [3, 4, 5, 6, 7].filter((fd) => {
    const link = links.get(fd)
    return link !== undefined && !link.startsWith('anon_inode:') && !hasBothEnds(link, links)
  })
  return new Set(inherited)
}

const readLinks = (): Map<number, string> | undefined => {
  const links = new Map<number, string>()
  try {
    for (const name of readdirSync('/proc/self/fd')) {
      // The descriptor of this listing is closed by now.
      const link = attempt(() => readlinkSync(`/proc/self/fd/${name}`))
      if (link !== undefined) links.set(Number(name), link)
    }
    return links
  } catch {
    return undefined
  }
}

const hasBothEnds = (link: string, links: ReadonlyMap<number, string>): boolean => {
  if (!link.startsWith('pipe:')) return false
  const modes = new Set([...links].filter(([, other]) => other === link).map(([fd]) => accessMode(fd)))
  return modes.has(READ_ONLY) && modes.has(WRITE_ONLY)
}

const accessMode = (fd: number): number | undefined => {
  const flags = attempt(() => /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1'))?.[1])
  return flags === undefined ? undefined : Number.parseInt(flags, 8) & ACCESS_MODE
}

const attempt = <T>(read: () => T): T | undefined => {
  try {
    return read()
  } catch {
    return undefined
  }
}
