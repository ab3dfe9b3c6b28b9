// Whether a resolved path is a directory, and the error if it should be one.

import { lstat } from 'node:fs/promises'
import { openDirectory, type ResolvedPath } from '@plumb/sandbox'
import { fail, preview } from '@plumb/wire'

/** Links are not followed. */
export const isDirectoryAt = async (resolved: ResolvedPath): Promise<boolean> => {
  if (resolved.name === '.') return true
  const directory = await openDirectory(resolved)
  if (!directory.ok) return false
  try {
    return (await lstat(directory.value.at(resolved.name))).isDirectory()
  } catch {
    return false
  } finally {
    await directory.value.close()
  }
}

export const refuseNonDirectory = ({ shown }: ResolvedPath): ReturnType<typeof fail> =>
  fail('no_such_file', `'${preview(shown, 200)}' is not a directory: read it with 'read_file'`, { path: preview(shown, 200) })
