// delete_file: removes one file, or a link but not its target. Directories are refused.

import { removeFile, resolvePath } from '@plumb/sandbox'
import { succeed } from '@plumb/wire'
import type { Builtin } from '../builtin.js'
import { type ChangeInput, namedPath, writtenPath } from './path-input.js'
import { readWholeFile } from './text-file.js'

export const deleteFile: Builtin<ChangeInput> = {
  paths: namedPath,
  writes: (input, context) => writtenPath(input, context, 'remove'),
  run: async ({ path, expect_sha256, root }, context) => {
    const resolved = resolvePath(path, 'remove', context, root)
    if (!resolved.ok) return resolved
    const seen = expect_sha256 === undefined ? succeed(undefined) : await readWholeFile(resolved.value, expect_sha256)
    if (!seen.ok) return seen
    const removed = await removeFile(resolved.value, seen.value ? { expect: seen.value.stamp } : {})
    return removed.ok ? succeed({ path: resolved.value.shown, deleted: true }) : removed
  },
}
