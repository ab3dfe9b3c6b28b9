// The tools that write: write_file and append_to_file, delete_file and make_directory.

import { fileChanged, openDirectory, type ResolvedPath, removeFile, resolvePath, type WriteOptions } from '@plumb/sandbox'
import { fail, preview, type Result, succeed } from '@plumb/wire'
import type { Builtin } from '../builtin.js'
import { editTool } from './edit-tool.js'
import { isDirectoryAt } from './is-directory.js'
import { lineEndsAt, withLineEnds } from './line-ends.js'
import { type ChangeInput, namedPath, type PathInput, writtenPath } from './path-input.js'
import { asTextFile, inStyleOf, readTextFile, readWholeFile, type WholeFile, writeText } from './text-file.js'

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
    const old = await oldFile(resolved.value, expect_sha256)
    if (!old.ok) return old
    const expect: WriteOptions = expect_sha256 !== undefined && old.value ? { expect: old.value.stamp } : {}
    const oldText = old.value && asTextFile(old.value, resolved.value.shown)
    const { text, hasMark } = oldText?.ok ? inStyleOf(oldText.value, content) : { text: content, hasMark: false }
    return writeText(resolved.value, text, { ...expect, hasMark })
  },
}

// What cannot be read, or not as a whole, has no style to keep.
const oldFile = async (resolved: ResolvedPath, sha256: string | undefined): Promise<Result<WholeFile | undefined>> => {
  if (!resolved.exists) return sha256 === undefined ? succeed(undefined) : fileChanged(resolved.shown)
  const old = await readWholeFile(resolved, sha256)
  return old.ok || sha256 !== undefined ? old : succeed(undefined)
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

// With the line end of the line before.
const joinLines = (text: string, content: string): string => {
  const end = lineEndsAt(text)(text.length)
  const added = withLineEnds(content, end)
  if (text === '' || text.endsWith('\n')) return text + added
  return text + (end ?? '\n') + added
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
