// Removes the file or link at a resolved path.

import { lstatSync } from 'node:fs'
import { fail, preview, type Result, succeed } from '@plumb/wire'
import { type FileStamp, fileChanged } from './file-stamp.js'
import { openDirectory } from './open.js'
import { removeIfUnchanged } from './replace-file.js'
import { type ResolvedPath, systemFault } from './resolved-path.js'

/** `file_changed` if it is no longer the expected version. */
export const removeFile = async (resolved: ResolvedPath, { expect }: { readonly expect?: FileStamp } = {}): Promise<Result<void>> => {
  if (resolved.name === '.') return isDirectory(resolved)
  const directory = await openDirectory(resolved)
  if (!directory.ok) return directory
  try {
    if (lstatSync(directory.value.at(resolved.name)).isDirectory()) return isDirectory(resolved)
    if (!removeIfUnchanged(directory.value, resolved.name, expect)) return fileChanged(resolved.shown)
    await directory.value.sync()
    return succeed(undefined)
  } catch (error) {
    return systemFault(error, 'write', resolved.shown)
  } finally {
    await directory.value.close()
  }
}

const isDirectory = ({ shown }: ResolvedPath): ReturnType<typeof fail> =>
  fail('path_denied', `'${preview(shown, 200)}' is a directory, and only files and links are deleted`, { path: preview(shown, 200) })
