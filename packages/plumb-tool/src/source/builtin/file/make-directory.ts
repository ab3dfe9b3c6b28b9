// make_directory: creates a folder and its missing parents.

import { fail, preview, succeed } from '@plumb/wire'
import { openFolder } from '../../path/open.js'
import { resolvePath } from '../../path/resolved-path.js'
import type { Builtin } from '../builtin.js'
import { isFolderAt } from './is-folder.js'
import { namedPath, type PathInput, writtenPath } from './path-input.js'

export const makeDirectory: Builtin<PathInput> = {
  paths: namedPath,
  writes: writtenPath,
  run: async ({ path, root }, context) => {
    const resolved = resolvePath(path, 'write', context, root)
    if (!resolved.ok) return resolved
    const { exists, missing, name, shown } = resolved.value
    if (exists && !(await isFolderAt(resolved.value))) {
      return fail('path_denied', `'${preview(shown, 200)}' is a file: a folder needs another name`, { path: preview(shown, 200) })
    }
    if (exists) return succeed({ path: shown, created: false })
    const folder = await openFolder({ ...resolved.value, missing: [...missing, name] }, { create: true })
    if (!folder.ok) return folder
    await folder.value.close()
    return succeed({ path: shown, created: true })
  },
}
