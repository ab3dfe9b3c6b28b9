// The files that a client's own source may use: its text, the standard library, and specs below the docroot; what is read is noted.

import { dirname, join } from 'node:path'
import { STANDARD_LIBRARY } from '@plumb/lang'
import { absolutePath, resolvePath } from '@plumb/tool/source/path/resolved-path'
import { besideSpec, fail, preview, type Result, readSpec, type SourceFiles, succeed } from '@plumb/wire'

export interface SourceEntry {
  readonly path: string
  readonly text: string
}

/** `docroot` is absolute; paths are relative to it. */
export const sourceFiles = (docroot: string, entry: SourceEntry): SourceFiles => {
  const files: Record<string, string> = Object.create(null)
  const modules: Record<string, string> = Object.create(null)
  files[entry.path] = entry.text
  const read = (path: string): Result<string> => {
    const known = files[path]
    if (known !== undefined) return succeed(known)
    const text = readBelow(docroot, path)
    if (text.ok) files[path] = text.value
    return text
  }
  const locate = (name: string, from: string): string | undefined => {
    const beside = join(dirname(from), `${name}.plumb`)
    if (!Object.hasOwn(STANDARD_LIBRARY, name)) return read(beside).ok ? beside : undefined
    const path = `<stdlib>/${name}.plumb`
    files[path] = STANDARD_LIBRARY[name] ?? ''
    return path
  }
  return {
    read,
    find: (name, from) => {
      const path = locate(name, from)
      if (path !== undefined) modules[`${from}\u0000${name}`] = path
      return path
    },
    beside: besideSpec,
    bundle: (entry) => ({ entry, files: { ...files }, modules: { ...modules } }),
  }
}

/** Where a path below the docroot really leads; `path_denied` for every other, and for what is kept from tools. */
export const realPathBelow = (docroot: string, path: string, purpose: 'read' | 'write' = 'read'): Result<string> => {
  const place = resolvePath(path, purpose, { roots: new Map([['docroot', docroot]]) })
  return place.ok ? succeed(absolutePath(place.value)) : place
}

const readBelow = (docroot: string, path: string): Result<string> => {
  if (!path.endsWith('.plumb')) return fail('path_denied', `'${preview(path, 200)}' is refused: only .plumb files are modules`)
  const place = realPathBelow(docroot, path)
  return place.ok ? readSpec(place.value) : place
}
