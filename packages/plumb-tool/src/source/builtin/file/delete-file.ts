// delete_file: one file, or a link and not what it leads to. Folders stay.

import { succeed } from '@plumb/wire'
import type { Builtin } from '../builtin.js'
import { placeOf } from '../path/place.js'
import { removeFile } from '../path/remove-file.js'
import { readWholeFile } from './text-file.js'
import { writtenPath } from './written-path.js'

interface Input {
  readonly path: string
  readonly expect_sha256?: string
  readonly root?: string
}

export const deleteFile: Builtin = {
  name: 'delete_file',
  aliases: [],
  writes: (input, context) => writtenPath(input, context, 'remove'),
  run: async (input, context) => {
    const { path, expect_sha256, root } = input as unknown as Input
    const place = placeOf(path, 'remove', context, root)
    if (!place.ok) return place
    const seen = expect_sha256 === undefined ? succeed(undefined) : await readWholeFile(place.value, expect_sha256)
    if (!seen.ok) return seen
    const removed = await removeFile(place.value, seen.value ? { expect: seen.value.stamp } : {})
    return removed.ok ? succeed({ path: place.value.shown, deleted: true }) : removed
  },
}
