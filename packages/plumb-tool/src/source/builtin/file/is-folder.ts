// Whether a resolved path is a folder, and the error if it should be one.

import { lstat } from 'node:fs/promises'
import { fail, preview } from '@plumb/wire'
import { openFolder } from '../../path/open.js'
import type { ResolvedPath } from '../../path/resolved-path.js'

/** Links are not followed. */
export const isFolderAt = async (resolved: ResolvedPath): Promise<boolean> => {
  if (resolved.name === '.') return true
  const folder = await openFolder(resolved)
  if (!folder.ok) return false
  try {
    return (await lstat(folder.value.at(resolved.name))).isDirectory()
  } catch {
    return false
  } finally {
    await folder.value.close()
  }
}

export const refuseNonFolder = ({ shown }: ResolvedPath): ReturnType<typeof fail> =>
  fail('no_such_file', `'${preview(shown, 200)}' is no folder: read it with 'read_file'`, { path: preview(shown, 200) })
