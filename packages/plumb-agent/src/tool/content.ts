// The part of a result that a model sees: text, and images as images.

import type { Json } from '@plumb/lang'
import { isRecord, parseJson } from '@plumb/wire'
import type { ContentBlock } from '../provider/provider.js'
import { isResultContent } from '../provider/result-parts.js'

type Image = { readonly type: 'image'; readonly media_type: string; readonly data: string }
type Text = Extract<ContentBlock, { type: 'text' }>

/**
 * `content` is JSON text, of which a string is shown without its quotes. Text that is not JSON, as from a hand-written dispatcher, is shown
 * unchanged. The tool of a server answers in blocks, even if it fails.
 */
export const toModelContent = (content: string, isError: boolean, isOfServer = false): Json => {
  if (isOfServer && content.startsWith('[')) {
    const blocks = readBlocks(content)
    if (blocks) return blocks
  }
  if (!content.startsWith('"') && (isError || !content.includes('"image"'))) return content
  const bytes = Buffer.from(content)
  const parsed = parseJson(bytes, 0, bytes.length)
  return parsed.ok ? show(parsed.value as Json, content) : content
}

const readBlocks = (content: string): Json | undefined => {
  const bytes = Buffer.from(content)
  const parsed = parseJson(bytes, 0, bytes.length)
  return parsed.ok && isResultContent(parsed.value as Json) ? (parsed.value as Json) : undefined
}

const show = (value: Json, content: string): Json => {
  if (typeof value === 'string') return value
  if (isImage(value)) return [image(value)]
  if (Array.isArray(value) && value.some(isImage) && value.every((item) => isImage(item) || isText(item))) {
    return value.map((item) => (isImage(item) ? image(item) : { type: 'text', text: textOf(item) }))
  }
  const images: Image[] = []
  const rest = withoutImages(value, images)
  return images.length === 0 ? content : [{ type: 'text', text: JSON.stringify(rest) }, ...images]
}

// Other implementations use more names.
const image = ({ media_type, data }: Image): Image => ({ type: 'image', media_type, data })

const isImage = (value: Json | undefined): value is Image =>
  isRecord(value) && value.type === 'image' && typeof value.media_type === 'string' && typeof value.data === 'string'

const isText = (value: Json): value is string | Text =>
  typeof value === 'string' || (isRecord(value) && value.type === 'text' && typeof value.text === 'string')

const textOf = (item: Json): string => (typeof item === 'string' ? item : (item as Text).text)

// Each leaves its number in its place.
const withoutImages = (value: Json, images: Image[]): Json => {
  if (isImage(value)) return `[image ${images.push(image(value))}]`
  if (Array.isArray(value)) return value.map((item) => withoutImages(item, images))
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withoutImages(item, images)]))
}
