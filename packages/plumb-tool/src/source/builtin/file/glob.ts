// glob: lists the paths that match a pattern.

import { resolvePath, unseenNotes, walkFiles } from '@plumb/sandbox'
import { escapeControls, succeed } from '@plumb/wire'
import type { Builtin } from '../builtin.js'
import { readGlob } from './glob-pattern.js'
import { isDirectoryAt, refuseNonDirectory } from './is-directory.js'
import { namedPath, type PathInput } from './path-input.js'
import { isPermitted } from './permitted-file.js'
import { stoppedNotes } from './stopped-notes.js'

interface Input extends Partial<PathInput> {
  readonly pattern: string
}

const MAX_PATHS = 1000

export const glob: Builtin<Input> = {
  paths: (input, context) => namedPath({ path: '.', ...input }, context),
  run: async ({ pattern, path = '.', root }, context) => {
    const resolved = resolvePath(path, 'list', context, root)
    if (!resolved.ok) return resolved
    if (!(await isDirectoryAt(resolved.value))) return refuseNonDirectory(resolved.value)
    const read = await readGlob(pattern)
    if (!read.ok) return read
    const paths: string[] = []
    const unseen = { directories: 0, names: 0 }
    let [more, seen] = [0, 0]
    for await (const found of walkFiles(resolved.value, context.call.signal, { withHidden: read.value.wantsHidden, unseen })) {
      seen++
      if (!read.value.fits(found.path) || !isPermitted(found.file, context)) continue
      if (paths.length < MAX_PATHS) paths.push(escapeControls(found.file.shown))
      else more++
    }
    const stopped = stoppedNotes(context.call.signal, context.call.record, 'looked at', seen)
    return succeed([...paths, ...(more > 0 ? [`[truncated: ${more} more paths]`] : []), ...unseenNotes(unseen), ...stopped].join('\n'))
  },
}
