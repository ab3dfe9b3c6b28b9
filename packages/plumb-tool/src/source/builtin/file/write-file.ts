// The tools that write: write_file and append_to_file, delete_file and make_directory.

import { fileChanged, openDirectory, type ResolvedPath, removeFile, resolvePath, type WriteOptions } from '@plumb/sandbox'
import { fail, preview, succeed } from '@plumb/wire'
import type { Builtin } from '../builtin.js'
import { editTool } from './edit-tool.js'
import { isDirectoryAt } from './is-directory.js'
import { type ChangeInput, namedPath, type PathInput, writtenPath } from './path-input.js'
import { readTextFile, readWholeFile, writeText } from './text-file.js'

interface Input extends ChangeInput {
  readonly content: string
}

/** The whole content of a file, new or existing. */
export const writeFile: Builtin<Input> = {
  paths: namedPath,
  writes: writtenPath,
  run: async ({ path, content, expect_sha256, root }, context) => {
    const resolved = resolvePath(path, 'write', context, root)
    if (!resolved.ok) return resolved
    const options = await expectation(resolved.value, expect_sha256)
    if (!options.ok) return options
    return writeText(resolved.value, content, options.value)
  },
}

const expectation = async (resolved: ResolvedPath, sha256: string | undefined) => {
  if (sha256 === undefined) return succeed<WriteOptions>({})
  if (!resolved.exists) return fileChanged(resolved.shown)
  const old = await readWholeFile(resolved, sha256)
  return old.ok ? succeed<WriteOptions>({ expect: old.value.stamp }) : old
}

/** Text on a line of its own. */
export const appendToFile = editTool<Input>(async ({ path, content, expect_sha256, root }, context) => {
  const resolved = resolvePath(path, 'write', context, root)
  if (!resolved.ok) return resolved
  if (!resolved.value.exists) {
    return expect_sha256 === undefined ? writeText(resolved.value, content, { expect: 'absent' }) : fileChanged(resolved.value.shown)
  }
  const old = await readTextFile(resolved.value, expect_sha256)
  if (!old.ok) return old
  const { text, stamp, hasMark } = old.value
  return writeText(resolved.value, joinLines(text, content), { expect: stamp, hasMark })
})

// Uses the line ending of the file, unless the file is empty or already ends with one.
const joinLines = (text: string, content: string): string => {
  if (text === '' || text.endsWith('\n')) return text + content
  return text + (/\r\n/.test(text) ? '\r\n' : '\n') + content
}

/** One file, or a link but not its target. Directories are refused. */
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

/** A directory, and its missing parents. */
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
