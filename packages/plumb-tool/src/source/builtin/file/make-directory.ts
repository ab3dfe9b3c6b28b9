// make_directory: creates a directory and its missing parents.

import { openDirectory, resolvePath } from '@plumb/sandbox'
import { fail, preview, succeed } from '@plumb/wire'
import type { Builtin } from '../builtin.js'
import { isDirectoryAt } from './is-directory.js'
import { namedPath, type PathInput, writtenPath } from './path-input.js'

export const makeDirectory: Builtin<PathInput> = {
  paths: namedPath,
  writes: writtenPath,
  run: async ({ path, root }, context) => {
    const resolved = resolvePath(path, 'write', context, root)
    if (!resolved.ok) return resolved
    const { exists, missing, name, shown } = resolved.value
    if (exists && !(await isDirectoryAt(resolved.value))) {
      return fail('path_denied', `'${preview(shown, 200)}' is a file: a directory needs another name`, { path: preview(shown, 200) })
    }
    if (exists) return succeed({ path: shown, created: false })
    const directory = await openDirectory({ ...resolved.value, missing: [...missing, name] }, { create: true })
    if (!directory.ok) return directory
    await directory.value.close()
    return succeed({ path: shown, created: true })
  },
}
