// read_file and import_image: a file as text, or as an image for a model with vision.

import { closeQuietly, isImageType, mediaTypeOf, openFile, readWhole, resolvePath, systemFault } from '@plumb/sandbox'
import { fail, preview, type Result, succeed } from '@plumb/wire'
import type { Builtin } from '../builtin.js'
import { readLines } from './line-window.js'
import { namedPath, type PathInput } from './path-input.js'
import { refuseBinary } from './text-file.js'

interface Input extends PathInput {
  readonly offset?: number
  readonly limit?: number
}

/** As plumb-builtins(7), Files, has it. */
export const MAX_READ_BYTES = 380_928
/** The whole file is read each time, for its checksum and number of lines: about a second for 400 MB. */
const MAX_FILE_BYTES = 4 * 1024 ** 3

export const readFile: Builtin<Input> = {
  paths: namedPath,
  run: async ({ path, offset = 0, limit = Number.POSITIVE_INFINITY, root }, context) => {
    const resolved = resolvePath(path, 'read', context, root)
    if (!resolved.ok) return resolved
    const opened = await openFile(resolved.value)
    if (!opened.ok) return opened
    try {
      const { size } = await opened.value.stat()
      if (size > MAX_FILE_BYTES) return huge(resolved.value.shown, size)
      const window = await readLines(opened.value, { offset, limit, maxBytes: MAX_READ_BYTES }, context.call.signal)
      return window ? toResult(window, offset) : refuseBinary(resolved.value.shown)
    } catch (error) {
      return systemFault(error, 'read', resolved.value.shown)
    } finally {
      await closeQuietly(opened.value)
    }
  },
}

const huge = (shown: string, size: number): ReturnType<typeof fail> =>
  fail('input_type_mismatch', `'${preview(shown, 200)}' has ${size} bytes, more than ${MAX_FILE_BYTES}: cut it into files first`, {
    path: preview(shown, 200),
  })

const toResult = (
  { text, lines, isCut, totalLines, sha256 }: NonNullable<Awaited<ReturnType<typeof readLines>>>,
  offset: number,
): Result<Record<string, string | number>> => {
  const next = offset + lines
  return succeed({
    text: withCutMark({ text, isCut }),
    ...(next < totalLines ? { next_offset: next } : {}),
    total_lines: totalLines,
    sha256,
  })
}

export const withCutMark = ({ text, isCut }: { readonly text: string; readonly isCut: boolean }): string =>
  isCut ? `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}---\n[File truncated]` : text

/** Providers take at most 5 MiB in base64. */
const MAX_IMAGE_BYTES = 3.75 * 1024 * 1024

/** The format is detected by the first bytes of the file, not by its name. */
export const importImage: Builtin<PathInput> = {
  paths: namedPath,
  run: async ({ path, root }, context) => {
    const resolved = resolvePath(path, 'read', context, root)
    if (!resolved.ok) return resolved
    const { shown } = resolved.value
    const tooLarge = (size: number) => refuse(shown, `has ${size} bytes, more than ${MAX_IMAGE_BYTES}: make it smaller`)
    const read = await readWhole(resolved.value, { maxBytes: MAX_IMAGE_BYTES, tooLarge })
    if (!read.ok) return read
    const { bytes } = read.value
    const media_type = mediaTypeOf(bytes)
    if (!isImageType(media_type)) return refuse(shown, 'is not a png, jpeg, gif or webp image')
    return succeed({ type: 'image', media_type, data: bytes.toString('base64') })
  },
}

const refuse = (shown: string, why: string): ReturnType<typeof fail> =>
  fail('input_type_mismatch', `'${preview(shown, 200)}' ${why}`, { path: preview(shown, 200) })
