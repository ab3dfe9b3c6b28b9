// import_image: returns an image for a model with vision. The format is detected by its first bytes, not by name.

import { fail, preview, succeed } from '@plumb/wire'
import { isImageType, mediaTypeOf } from '../../path/media-type.js'
import { readWhole } from '../../path/read-whole.js'
import { resolvePath } from '../../path/resolved-path.js'
import type { Builtin } from '../builtin.js'
import { namedPath, type PathInput } from './path-input.js'

/** Providers take at most 5 MiB in base64. */
const MAX_BYTES = 3.75 * 1024 * 1024

export const importImage: Builtin<PathInput> = {
  paths: namedPath,
  run: async ({ path, root }, context) => {
    const resolved = resolvePath(path, 'read', context, root)
    if (!resolved.ok) return resolved
    const { shown } = resolved.value
    const tooLarge = (size: number) => refuse(shown, `has ${size} bytes, more than ${MAX_BYTES}: make it smaller`)
    const read = await readWhole(resolved.value, { maxBytes: MAX_BYTES, tooLarge })
    if (!read.ok) return read
    const { bytes } = read.value
    const media_type = mediaTypeOf(bytes)
    if (!isImageType(media_type)) return refuse(shown, 'is not a png, jpeg, gif or webp image')
    return succeed({ type: 'image', media_type, data: bytes.toString('base64') })
  },
}

const refuse = (shown: string, why: string): ReturnType<typeof fail> =>
  fail('input_type_mismatch', `'${preview(shown, 200)}' ${why}`, { path: preview(shown, 200) })
