// Splits the result of a tool into parts that a provider can show: each kind of MCP content (plumb-tools(7), MCP servers).

import type { Json } from '@plumb/lang'
import { textAt } from './http/json-path.js'
import { readImage } from './tool-image.js'

export type ResultPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image' | 'audio'; readonly media_type: string; readonly data: string }
  /** `text`, or `data` in base64. */
  | { readonly type: 'resource'; readonly uri: string; readonly media_type: string; readonly text?: string; readonly data?: string }
  | { readonly type: 'resource_link'; readonly uri: string; readonly words: string }

/** Parts if all of it is valid; any other JSON as its text. */
export const readResult = (content: Json): readonly ResultPart[] => {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return readParts(content) ?? [{ type: 'text', text: JSON.stringify(content) }]
}

export const isResultContent = (content: Json): boolean => readParts(content) !== undefined

/** A resource as text, for providers that accept nothing else. */
export const resourceText = ({ uri, media_type, text, data = '' }: Extract<ResultPart, { type: 'resource' }>): string => {
  const type = media_type === '' ? '' : ` type="${media_type}"`
  return text === undefined
    ? `[resource ${uri}${media_type === '' ? '' : `, ${media_type}`}, ${bytesIn(data)} bytes: it cannot be shown here]`
    : `<resource uri="${uri}"${type}>\n${text}\n</resource>`
}

export const linkText = ({ uri, words }: Pick<Extract<ResultPart, { type: 'resource_link' }>, 'uri' | 'words'>): string =>
  `[resource ${uri}${words}]`

export const audioText = ({ media_type, data }: { readonly media_type: string; readonly data: string }): string =>
  `[audio, ${media_type}, ${bytesIn(data)} bytes: this API takes none]`

export const bytesIn = (base64: string): number => {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0
  return Math.floor(((base64.length - padding) * 3) / 4)
}

const readParts = (content: Json): readonly ResultPart[] | undefined => {
  if (!Array.isArray(content)) return undefined
  const parts = content.map(readPart)
  return parts.some((part) => part === undefined) ? undefined : (parts as ResultPart[])
}

const readPart = (item: Json): ResultPart | undefined => {
  const at = (key: string) => textAt(item, key)
  const [type, text, data, uri, media_type = ''] = [at('type'), at('text'), at('data'), at('uri'), at('media_type')]
  if (type === 'text') return text === undefined ? undefined : { type, text }
  if (type === 'image') return data === undefined ? undefined : imagePart(data, media_type)
  if (type === 'audio') return data === undefined || media_type === '' ? undefined : { type, media_type, data }
  if (uri === undefined) return undefined
  if (type === 'resource_link') {
    const words = [at('title') ?? at('name'), at('description'), at('media_type')].filter((word) => word !== undefined && word !== '')
    return { type, uri, words: words.map((word) => `, ${word}`).join('') }
  }
  if (type !== 'resource' || (text === undefined && data === undefined)) return undefined
  if (data !== undefined && media_type.startsWith('image/')) return { type, uri, ...imageResource(data, media_type) }
  return { type, uri, media_type, ...(text === undefined ? {} : { text }), ...(data === undefined ? {} : { data }) }
}

const imagePart = (data: string, media_type: string): ResultPart => {
  const image = readImage(data, media_type)
  return image.note === undefined ? { type: 'image', ...image } : { type: 'text', text: image.note }
}

const imageResource = (data: string, media_type: string) => {
  const image = readImage(data, media_type)
  return image.note === undefined ? image : { media_type: 'text/plain', text: image.note }
}
