// The specs in the directories that an editor has open: their symbols, read from the disk when they are asked for.

import { type Dirent, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { type ListedSymbol, symbolsOfText } from '@plumb/lang/service'
import { isRecord } from '@plumb/wire'

/** What is in one text. */
export interface ListedFile {
  readonly uri: string
  readonly text: string
  readonly symbols: readonly ListedSymbol[]
}

interface KnownFile {
  /** Another one when the file was written since. */
  readonly state: string
  readonly file: ListedFile
}

/** Files and directories that are looked at: a home directory that is open as a whole does not hold up the editor. */
const MAX_ENTRIES = 20_000
const MAX_BYTES = 16 * 2 ** 20

export class Workspace {
  readonly #folders = new Set<string>()
  /** By path, while the file stays as it is. */
  #known: ReadonlyMap<string, KnownFile> = new Map()

  /** As `initialize` has them: a list of folders, or one root, or none. */
  open({ workspaceFolders, rootUri }: { readonly [key: string]: unknown }): void {
    this.add(Array.isArray(workspaceFolders) ? workspaceFolders : [{ uri: rootUri }])
  }

  add(folders: unknown): void {
    for (const path of pathsOf(folders)) this.#folders.add(path)
  }

  remove(folders: unknown): void {
    for (const path of pathsOf(folders)) this.#folders.delete(path)
  }

  /** The nearest first; those that `isOpen` are left out. */
  files(isOpen: (path: string) => boolean): readonly ListedFile[] {
    const known = new Map<string, KnownFile>()
    let bytes = 0
    for (const path of specsBelow([...this.#folders])) {
      if (isOpen(path)) continue
      const stats = statSync(path, { throwIfNoEntry: false })
      if (!stats?.isFile() || bytes + stats.size > MAX_BYTES) continue
      bytes += stats.size
      const state = `${stats.mtimeMs} ${stats.size}`
      const before = this.#known.get(path)
      const file = before?.state === state ? before.file : read(path)
      if (file) known.set(path, { state, file })
    }
    this.#known = known
    return [...known.values()].map(({ file }) => file)
  }
}

const pathsOf = (folders: unknown): readonly string[] =>
  (Array.isArray(folders) ? folders : []).flatMap((folder) => {
    try {
      return isRecord(folder) ? [fileURLToPath(String(folder.uri))] : []
    } catch {
      // On another machine, or no file at all.
      return []
    }
  })

// Links are not followed, so that there are no circles; what begins with a dot, and the modules of npm, hold nobody's specs.
const specsBelow = (folders: readonly string[]): readonly string[] => {
  const found: string[] = []
  const waiting = [...folders]
  let left = MAX_ENTRIES
  for (let directory = waiting.shift(); directory !== undefined && left > 0; directory = waiting.shift()) {
    for (const entry of entriesOf(directory).slice(0, left)) {
      left--
      if (entry.name.startsWith('.') || entry.name === 'node_modules') continue
      const path = join(directory, entry.name)
      if (entry.isDirectory()) waiting.push(path)
      else if (entry.isFile() && entry.name.endsWith('.plumb')) found.push(path)
    }
  }
  return [...new Set(found)]
}

const entriesOf = (directory: string): Dirent[] => {
  try {
    return readdirSync(directory, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
  } catch {
    return []
  }
}

const read = (path: string): ListedFile | undefined => {
  try {
    const text = readFileSync(path, 'utf8')
    return { uri: pathToFileURL(path).href, text, symbols: symbolsOfText({ path, text }) }
  } catch {
    return undefined
  }
}
