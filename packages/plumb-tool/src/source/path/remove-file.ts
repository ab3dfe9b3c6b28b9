// Takes away the file, or the link, at a place.

import { lstatSync } from 'node:fs'
import { fail, preview, type Result, succeed } from '@plumb/wire'
import { changed, type Stamp } from './file-stamp.js'
import { openFolder } from './open.js'
import { takeAway } from './replace-file.js'
import { type Place, systemFault } from './resolved-path.js'

/** `file_changed` where it is no longer the one that is expected. */
export const removeFile = async (place: Place, { expect }: { readonly expect?: Stamp } = {}): Promise<Result<void>> => {
  if (place.name === '.') return isFolder(place)
  const folder = await openFolder(place)
  if (!folder.ok) return folder
  try {
    if (lstatSync(folder.value.at(place.name)).isDirectory()) return isFolder(place)
    if (!takeAway(folder.value, place.name, expect)) return changed(place.shown)
    await folder.value.sync()
    return succeed(undefined)
  } catch (error) {
    return systemFault(error, 'write', place.shown)
  } finally {
    await folder.value.close()
  }
}

const isFolder = ({ shown }: Place): ReturnType<typeof fail> =>
  fail('path_denied', `'${preview(shown, 200)}' is a folder, and only files and links are deleted`, { path: preview(shown, 200) })
