// write_file: writes the whole content of a file, new or existing.

import { fileChanged, type ResolvedPath, resolvePath, type WriteOptions } from '@plumb/sandbox'
import { succeed } from '@plumb/wire'
import type { Builtin } from '../builtin.js'
import { type ChangeInput, namedPath, writtenPath } from './path-input.js'
import { readWholeFile, writeText } from './text-file.js'

interface Input extends ChangeInput {
  readonly content: string
}

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
