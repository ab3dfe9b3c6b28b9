// Images, documents and audio as blocks of a message: their form in a memory, and what all providers share.

import { type Json, MEDIA_KINDS, type MediaKind } from '@plumb/lang'
import { preview } from '@plumb/wire'
import { textAt } from './http/json-path.js'
import { bytesIn, type ResultPart } from './result-parts.js'

/** In base64, as text, or as an address for the provider. */
export type MediaBlock =
  | { readonly type: MediaKind; readonly title?: string; readonly media_type: string; readonly data: string }
  | { readonly type: MediaKind; readonly title?: string; readonly media_type: 'text/plain'; readonly text: string }
  | { readonly type: MediaKind; readonly title?: string; readonly media_type?: string; readonly url: string }

export const isMedia = <T extends { readonly type: string }>(block: T | MediaBlock): block is MediaBlock =>
  (MEDIA_KINDS as readonly string[]).includes(block.type)

/** Undefined: not such a block, or an incomplete one. */
export const readMedia = (item: Json): MediaBlock | undefined => {
  const at = (key: string) => textAt(item, key)
  const [type, title, media_type, data, text, url] = [at('type'), at('title'), at('media_type'), at('data'), at('text'), at('url')]
  if (!isMedia({ type: type ?? '' })) return undefined
  const titled = { type: type as MediaKind, ...(title === undefined ? {} : { title }) }
  if (url !== undefined) return { ...titled, ...(media_type === undefined ? {} : { media_type }), url }
  if (data !== undefined) return media_type === undefined ? undefined : { ...titled, media_type, data }
  return text === undefined ? undefined : { ...titled, media_type: 'text/plain', text }
}

/** As the equivalent part of a tool's result. Undefined: only the provider can fetch it. */
export const asResultPart = (block: MediaBlock): ResultPart | undefined => {
  if ('url' in block) return undefined
  const { type, media_type, title } = block
  if (type === 'document') {
    const uri = title ?? (media_type === 'application/pdf' ? 'document.pdf' : 'document.txt')
    return { type: 'resource', uri, media_type, ...('text' in block ? { text: block.text } : { data: block.data }) }
  }
  return 'data' in block ? { type, media_type, data: block.data } : { type: 'text', text: block.text }
}

/** The text before a block that has no field for its title. */
export const captionOf = ({ type, title }: MediaBlock): string | undefined =>
  type === 'document' || title === undefined || title.trim() === '' ? undefined : `${title}:`

/** `image 'north side', image/png, 68 bytes` */
export const describeMedia = (block: MediaBlock): string => {
  const { type, title, media_type } = block
  const size = 'url' in block ? preview(block.url) : `${'text' in block ? Buffer.byteLength(block.text) : bytesIn(block.data)} bytes`
  return [`${type}${title === undefined ? '' : ` '${preview(title)}'`}`, ...(media_type === undefined ? [] : [media_type]), size].join(', ')
}
