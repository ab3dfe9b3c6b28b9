// The pictures of a run's messages: those whose bytes are in the message, and files that are still where the message says.

import { readFileSync, realpathSync, statSync } from 'node:fs'
import { isAbsolute, join, sep } from 'node:path'
import { mediaTypeOf } from '@plumb/sandbox'

export interface Picture {
  /** `data:`, since the page loads nothing. */
  readonly uri: string
  readonly name: string
}

/** Of a `Media.Image`, or a block of that type. Undefined: it is elsewhere, too large, or no picture. */
export type Pictures = (media: Readonly<Record<string, unknown>>) => Picture | undefined

/** Bytes of one picture. */
const MAX_BYTES = 400_000

const TYPES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])

/** `directories`: where a path may lead, such as the docroot of the run; a link out of one leads nowhere. */
export const picturesBelow = (directories: readonly string[]): Pictures => {
  const known = new Map<string, Picture | undefined>()
  const fromFile = (path: string): Picture | undefined => {
    if (!known.has(path)) known.set(path, pictureOf(bytesBelow(path, directories), path))
    return known.get(path)
  }
  return ({ path, data, title }) => {
    const name = typeof title === 'string' ? title : 'a picture of this message'
    if (typeof data === 'string' && data.length < MAX_BYTES * 1.4) return pictureOf(Buffer.from(data, 'base64'), name)
    return typeof path === 'string' ? fromFile(path) : undefined
  }
}

const pictureOf = (bytes: Buffer | undefined, name: string): Picture | undefined => {
  const type = bytes && mediaTypeOf(bytes)
  return bytes && type !== undefined && TYPES.has(type) ? { uri: `data:${type};base64,${bytes.toString('base64')}`, name } : undefined
}

// The record may be a stranger's: nothing else of this machine is shown.
const bytesBelow = (path: string, directories: readonly string[]): Buffer | undefined => {
  if (isAbsolute(path)) return undefined
  for (const directory of directories) {
    try {
      const root = realpathSync(directory)
      const file = realpathSync(join(root, path))
      const stats = statSync(file)
      if (file.startsWith(root + sep) && stats.isFile() && stats.size <= MAX_BYTES) return readFileSync(file)
    } catch {
      // It is not there.
    }
  }
  return undefined
}
