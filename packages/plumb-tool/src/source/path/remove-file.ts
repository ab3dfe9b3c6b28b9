// Removes the file or link at a resolved path.

import { lstatSync } from 'node:fs'
import { fail, preview, type Result, succeed } from '@plumb/wire'
import { type FileStamp, fileChanged } from './file-stamp.js'
import { openFolder } from './open.js'
import { removeIfUnchanged } from './replace-file.js'
import { type ResolvedPath, systemFault } from './resolved-path.js'

/** `file_changed` if it is no longer the expected version. */
export const removeFile = async (resolved: ResolvedPath, { expect }: { readonly expect?: FileStamp } = {}): Promise<Result<void>> => {
  if (resolved.name === '.') return isFolder(resolved)
  const folder = await openFolder(resolved)
  if (!folder.ok) return folder
  try {
    if (lstatSync(folder.value.at(resolved.name)).isDirectory()) return isFolder(resolved)
    if (!removeIfUnchanged(folder.value, resolved.name, expect)) return fileChanged(resolved.shown)
    await folder.value.sync()
    return succeed(undefined)
  } catch (error) {
    return systemFault(error, 'write', resolved.shown)
  } finally {
    await folder.value.close()
  }
}

const isFolder = ({ shown }: ResolvedPath): ReturnType<typeof fail> =>
  fail('path_denied', `'${preview(shown, 200)}' is a folder, and only files and links are deleted`, { path: preview(shown, 200) })
