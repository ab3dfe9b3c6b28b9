// The files that a client's own source may use: its text, the standard library, and specs below the docroot; everything read is recorded.

import { dirname, join } from 'node:path'
import { STANDARD_LIBRARY } from '@plumb/lang'
import { absolutePath, resolvePath } from '@plumb/sandbox'
import { fail, preview, type Result, readFiles, readSpec, type SourceFiles, succeed } from '@plumb/wire'

export interface SourceEntry {
  readonly path: string
  readonly text: string
}

/** `docroot` is absolute; paths are relative to it. */
export const sourceFiles = (docroot: string, entry: SourceEntry): SourceFiles =>
  readFiles({
    readText: (path) => readBelow(docroot, path),
    standardLibrary: STANDARD_LIBRARY,
    locate: (name, from, read) => {
      const beside = join(dirname(from), `${name}.plumb`)
      return read(beside).ok ? beside : undefined
    },
    given: { [entry.path]: entry.text },
  })

/** The real path of a path below the docroot; `path_denied` for any other, and for files that are closed to tools. */
export const realPathBelow = (docroot: string, path: string, purpose: 'read' | 'write' = 'read'): Result<string> => {
  const place = resolvePath(path, purpose, { roots: new Map([['docroot', docroot]]) })
  return place.ok ? succeed(absolutePath(place.value)) : place
}

const readBelow = (docroot: string, path: string): Result<string> => {
  if (!path.endsWith('.plumb')) return fail('path_denied', `'${preview(path, 200)}' is refused: only .plumb files are modules`)
  const place = realPathBelow(docroot, path)
  return place.ok ? readSpec(place.value) : place
}
