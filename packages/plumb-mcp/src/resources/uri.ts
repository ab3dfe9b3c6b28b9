// Converts between files of the docroot and URIs of resources.

import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { fail, preview, type Result, succeed } from '@plumb/wire'

/** `path` is relative to the docroot, which is absolute. */
export const toUri = (docroot: string, path: string): string => pathToFileURL(join(docroot, path)).href

/** The absolute path that a URI names; whether it may be read is checked elsewhere. */
export const pathOfUri = (uri: string): Result<string> => {
  try {
    const url = new URL(uri)
    if (url.protocol === 'file:' && url.search === '' && url.hash === '') return succeed(fileURLToPath(url))
  } catch {
    // Treated like another scheme.
  }
  return fail('no_such_file', `no resource is called '${preview(uri, 200)}': they are files of the docroot, by file:// URIs`)
}

/** With one variable, `path`. */
export const templateOf = (docroot: string): string => `${pathToFileURL(docroot).href.replace(/\/$/, '')}/{+path}`
