// Reads the entries of a directory in pieces, so that a directory with a million names takes bounded memory.

import { isUtf8 } from 'node:buffer'
import type { Dirent } from 'node:fs'
import { opendir } from 'node:fs/promises'
import { escapeControls } from '@plumb/wire'
import type { Directory } from './open.js'

export interface DirectoryEntry {
  readonly name: string
  readonly kind: 'file' | 'directory' | 'other'
}

export interface Entries {
  /** The first ones, sorted by name. */
  readonly entries: readonly DirectoryEntry[]
  /** Number of further entries. */
  readonly more: number
}

const AT_ONCE = 1024

/** At most `most` of the wanted entries. A name that is not UTF-8 cannot be used and is shown with escaped bytes. */
export const readEntries = async (
  directory: Directory,
  most: number,
  signal: AbortSignal,
  isWanted: (name: string) => boolean = () => true,
): Promise<Entries> => {
  let entries: DirectoryEntry[] = []
  let count = 0
  for await (const found of await opendir(`${directory.at('.')}/`, { bufferSize: AT_ONCE, encoding: 'buffer' as BufferEncoding })) {
    if (signal.aborted) break
    const name = nameOf(found.name as unknown as Buffer)
    if (!isWanted(name)) continue
    count++
    entries.push({ name, kind: kindOf(found) })
    if (entries.length > 2 * most) entries = firstOf(entries, most)
  }
  entries = firstOf(entries, most)
  return { entries, more: count - entries.length }
}

const firstOf = (entries: DirectoryEntry[], most: number): DirectoryEntry[] => entries.sort(byName).slice(0, most)
const byName = (a: DirectoryEntry, b: DirectoryEntry): number => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)
const kindOf = (entry: Dirent): DirectoryEntry['kind'] => (entry.isFile() ? 'file' : entry.isDirectory() ? 'directory' : 'other')

const nameOf = (bytes: Buffer): string =>
  isUtf8(bytes) ? bytes.toString() : bytes.toString('latin1').replace(/[\x80-\xff]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16)}`)

/** The name in results, on one line; directories end with a slash. */
export const shownName = ({ name, kind }: DirectoryEntry): string => `${escapeControls(name)}${kind === 'directory' ? '/' : ''}`
