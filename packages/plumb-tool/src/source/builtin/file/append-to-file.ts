// append_to_file: text at the end, on a line of its own.

import type { Builtin, BuiltinContext } from '../builtin.js'
import { placeOf } from '../path/place.js'
import { changed } from '../path/stamp.js'
import { again } from './again.js'
import { readTextFile } from './text-file.js'
import { writeText } from './write-text.js'
import { writtenPath } from './written-path.js'

interface Input {
  readonly path: string
  readonly content: string
  readonly expect_sha256?: string
  readonly root?: string
}

export const appendToFile: Builtin = {
  name: 'append_to_file',
  aliases: [],
  writes: (input, context) => writtenPath(input, context),
  run: (input, context) => {
    const given = input as unknown as Input
    return again(() => append(given, context), { isExpected: given.expect_sha256 !== undefined })
  },
}

const append = async ({ path, content, expect_sha256, root }: Input, context: BuiltinContext): ReturnType<typeof writeText> => {
  const place = placeOf(path, 'write', context, root)
  if (!place.ok) return place
  if (!place.value.exists) {
    return expect_sha256 === undefined ? writeText(place.value, content, { expect: 'absent' }) : changed(place.value.shown)
  }
  const old = await readTextFile(place.value, expect_sha256)
  if (!old.ok) return old
  const { text, stamp, hasMark } = old.value
  return writeText(place.value, joined(text, content), { expect: stamp, hasMark })
}

// The line end that the file has already; none twice, and none before the first text.
const joined = (text: string, content: string): string => {
  if (text === '' || text.endsWith('\n')) return text + content
  return text + (/\r\n/.test(text) ? '\r\n' : '\n') + content
}
