// import_image: returns an image for a model with vision. The format is detected by magic bytes, not by name.

import { fail, preview, succeed } from '@plumb/wire'
import { closeQuietly, openFile } from '../../path/open.js'
import { resolvePath, systemFault } from '../../path/resolved-path.js'
import type { Builtin } from '../builtin.js'
import { namedPath, type PathInput } from './path-input.js'

/** Providers take at most 5 MiB in base64. */
const MAX_BYTES = 3.75 * 1024 * 1024

const KINDS: readonly { readonly media_type: string; readonly begins: (bytes: Buffer) => boolean }[] = [
  { media_type: 'image/png', begins: (bytes) => bytes.toString('latin1', 0, 8) === '\x89PNG\r\n\x1a\n' },
  { media_type: 'image/jpeg', begins: (bytes) => bytes.toString('latin1', 0, 3) === '\xff\xd8\xff' },
  { media_type: 'image/gif', begins: (bytes) => ['GIF87a', 'GIF89a'].includes(bytes.toString('latin1', 0, 6)) },
  {
    media_type: 'image/webp',
    begins: (bytes) => bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP',
  },
]

export const importImage: Builtin<PathInput> = {
  paths: namedPath,
  run: async ({ path, root }, context) => {
    const resolved = resolvePath(path, 'read', context, root)
    if (!resolved.ok) return resolved
    const { shown } = resolved.value
    const opened = await openFile(resolved.value)
    if (!opened.ok) return opened
    try {
      const { size } = await opened.value.stat()
      if (size > MAX_BYTES) return refuse(shown, `has ${size} bytes, more than ${MAX_BYTES}: make it smaller`)
      const bytes = Buffer.alloc(size)
      const { bytesRead } = await opened.value.read(bytes, 0, size, 0)
      const image = bytes.subarray(0, bytesRead)
      const kind = KINDS.find(({ begins }) => begins(image))
      if (!kind) return refuse(shown, 'is no png, jpeg, gif or webp image')
      return succeed({ type: 'image', media_type: kind.media_type, data: image.toString('base64') })
    } catch (error) {
      return systemFault(error, 'read', shown)
    } finally {
      await closeQuietly(opened.value)
    }
  },
}

const refuse = (shown: string, why: string): ReturnType<typeof fail> =>
  fail('input_type_mismatch', `'${preview(shown, 200)}' ${why}`, { path: preview(shown, 200) })
