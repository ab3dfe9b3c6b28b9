// An image that a tool gave, before it reaches a provider: one that is not what it says would be refused, and the turn with it.

import { isImageType, mediaTypeOf } from '@plumb/sandbox'
import { preview } from '@plumb/wire'

export type ToolImage =
  | { readonly media_type: string; readonly data: string; readonly note?: undefined }
  /** A text in its place: no model could see it. */
  | { readonly note: string }

/** `data` is base64, with a `data:` prefix or without. The type is that of its first bytes, whatever it is called. */
export const readImage = (data: string, called: string): ToolImage => {
  const [, declared = ''] = PREFIX.exec(data) ?? []
  const name = preview([called, declared].find((type) => type !== '') ?? 'of no type')
  const bare = data.replace(PREFIX, '').replace(/\s+/g, '').replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, '')
  if (!/^[A-Za-z0-9+/]+$/.test(bare) || bare.length % 4 === 1) return { note: `[image, ${name}: its data is not base64]` }
  const media_type = mediaTypeOf(Buffer.from(bare.slice(0, SNIFFED), 'base64'))
  const bytes = Math.floor((bare.length * 3) / 4)
  if (!isImageType(media_type)) return { note: `[image, ${name}, ${bytes} bytes: it is neither PNG, JPEG, GIF nor WebP]` }
  return { media_type, data: bare.padEnd(Math.ceil(bare.length / 4) * 4, '=') }
}

const PREFIX = /^\s*data:([^;,]*)[^,]*,/
/** Characters of base64, a multiple of four, that hold the first bytes. */
const SNIFFED = 32
