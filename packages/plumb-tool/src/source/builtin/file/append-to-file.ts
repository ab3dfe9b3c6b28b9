// append_to_file: appends text on a line of its own.

import { fileChanged, resolvePath } from '@plumb/sandbox'
import { editTool } from './edit-tool.js'
import type { ChangeInput } from './path-input.js'
import { readTextFile, writeText } from './text-file.js'

interface Input extends ChangeInput {
  readonly content: string
}

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
