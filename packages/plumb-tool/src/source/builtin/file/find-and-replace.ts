// find_and_replace: replaces an exact piece of text; several matches are an error without `all`.

import { resolvePath } from '@plumb/sandbox'
import { fail, preview, succeed } from '@plumb/wire'
import { editTool } from './edit-tool.js'
import type { ChangeInput } from './path-input.js'
import { MAX_EDITED_BYTES, readTextFile, writeText } from './text-file.js'

interface Input extends ChangeInput {
  readonly find: string
  readonly replace: string
  readonly all?: boolean
}

export const findAndReplace = editTool<Input>(async ({ path, find, replace, all = false, expect_sha256, root }, context) => {
  if (find === '') return fail('input_type_mismatch', "'find' is empty: give the exact text that is to be replaced")
  const resolved = resolvePath(path, 'edit', context, root)
  if (!resolved.ok) return resolved
  const { shown } = resolved.value
  const old = await readTextFile(resolved.value, expect_sha256)
  if (!old.ok) return old
  const { text } = old.value
  const places = findAll(text, find)
  if (places.length === 0) return refuseNotFound(shown, find, text)
  if (places.length > 1 && !all) return refuseAmbiguous(shown, places, text)
  const length = text.length + places.length * (replace.length - find.length)
  if (length > MAX_EDITED_BYTES) return fail('input_type_mismatch', `'${preview(shown, 200)}' would grow to ${length} characters`)
  // split and join, since `replace` would interpret `$&`.
  const written = await writeText(resolved.value, text.split(find).join(replace), { expect: old.value.stamp, hasMark: old.value.hasMark })
  return written.ok ? succeed({ path: shown, replaced: places.length, sha256: written.value.sha256 }) : written
})

const findAll = (text: string, find: string): number[] => {
  const places: number[] = []
  for (let at = text.indexOf(find); at >= 0; at = text.indexOf(find, at + find.length)) places.push(at)
  return places
}

const refuseNotFound = (shown: string, find: string, text: string): ReturnType<typeof fail> => {
  const hint =
    text.includes('\r\n') && find.includes('\n') && !find.includes('\r')
      ? '; its lines end with CRLF'
      : find.trim() !== '' && text.includes(find.trim())
        ? '; without the white space around it it is there'
        : ''
  return fail('input_type_mismatch', `'${preview(shown, 200)}' does not hold '${preview(find)}'${hint}: read it and give the exact text`, {
    path: preview(shown, 200),
  })
}

const MAX_LINES = 20

const refuseAmbiguous = (shown: string, places: readonly number[], text: string): ReturnType<typeof fail> => {
  const lines = [...new Set(lineNumbersAt(text, places))]
  const listed = lines.slice(0, MAX_LINES).join(', ') + (lines.length > MAX_LINES ? `, … (${lines.length} lines)` : '')
  const detail = `the text is in '${preview(shown, 200)}' ${places.length} times, on lines ${listed}`
  return fail('input_type_mismatch', `${detail}: give more of what is around it, use apply_patch, or say all: true`, {
    path: preview(shown, 200),
    lines: lines.slice(0, MAX_LINES),
  })
}

/** Line numbers from 1, in one pass over the text. */
const lineNumbersAt = (text: string, places: readonly number[]): number[] => {
  let line = 1
  let end = text.indexOf('\n')
  return places.map((resolved) => {
    for (; end >= 0 && end < resolved; end = text.indexOf('\n', end + 1)) line++
    return line
  })
}
