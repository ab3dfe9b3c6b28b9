// make_directory: a folder and those on the way to it.

import { fail, preview, succeed } from '@plumb/wire'
import { openFolder } from '../../path/open.js'
import { placeOf } from '../../path/resolved-path.js'
import type { Builtin } from '../builtin.js'
import { isFolder } from './is-folder.js'
import { namedPath, type PathInput, writtenPath } from './path-input.js'

export const makeDirectory: Builtin<PathInput> = {
  paths: namedPath,
  writes: writtenPath,
  run: async ({ path, root }, context) => {
    const place = placeOf(path, 'write', context, root)
    if (!place.ok) return place
    const { exists, missing, name, shown } = place.value
    if (exists && !(await isFolder(place.value))) {
      return fail('path_denied', `'${preview(shown, 200)}' is a file: a folder needs another name`, { path: preview(shown, 200) })
    }
    if (exists) return succeed({ path: shown, created: false })
    const folder = await openFolder({ ...place.value, missing: [...missing, name] }, { create: true })
    if (!folder.ok) return folder
    await folder.value.close()
    return succeed({ path: shown, created: true })
  },
}
