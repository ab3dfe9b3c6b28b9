// Parts of messages as values of a type, and values as parts: a text is text, media are files, and all else is data.

import type { Part } from '@a2a-js/sdk'
import { type Field, resolve, type Type } from '@plumb/lang'
import { fail, isRecord, type Result, succeed } from '@plumb/wire'

type Json = Readonly<Record<string, unknown>>

/** The input that the parts of a message are, as JSON text. */
export const inputOf = (parts: readonly Part[], type: Type): Result<string> => {
  const texts = parts.flatMap(({ content }) => (content?.$case === 'text' ? [content.value] : []))
  const data = parts.flatMap(({ content }) => (content?.$case === 'data' ? [content.value as unknown] : []))
  const files = parts.map(fileOf).filter((file) => file !== undefined)
  const text = texts.join('\n')
  const found = resolve(type)
  if (found.kind === 'string' && data.length + files.length === 0) return succeed(JSON.stringify(text))
  if (found.kind === 'record' && isMedia(type)) return files.length > 0 ? succeed(JSON.stringify(files[0])) : ofData(data, text)
  const records = data.flatMap((one) => (isRecord(one) ? [one as Json] : []))
  const isText = data.length + files.length === 0 && isRecord(parsed(text))
  if (found.kind === 'record' && files.length + texts.length > 0 && records.length === data.length && !isText) {
    const given: Json = Object.assign({}, ...records)
    return succeed(JSON.stringify({ ...given, ...ofTexts(found.fields, given, text), ...ofFiles(found.fields, given, files) }))
  }
  if (found.kind === 'array' && files.length > 0 && isMedia(found.item)) return succeed(JSON.stringify(files))
  return ofData(data, text)
}

const ofData = (data: readonly unknown[], text: string): Result<string> => {
  if (data.length === 1) return succeed(JSON.stringify(data[0]))
  if (data.length > 1) return succeed(JSON.stringify(data))
  const value = parsed(text)
  return value === undefined
    ? fail('invalid_json', 'the message has neither a data part nor a text that is JSON')
    : succeed(JSON.stringify(value))
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** The first text that is not given yet. */
const ofTexts = (fields: readonly Field[], given: Json, text: string): Json => {
  const field = fields.find(({ name, type }) => given[name] === undefined && resolve(type).kind === 'string')
  return field && text !== '' ? { [field.name]: text } : {}
}

const ofFiles = (fields: readonly Field[], given: Json, files: readonly Json[]): Json => {
  for (const { name, type } of fields) {
    if (given[name] !== undefined || files.length === 0) continue
    const found = resolve(type)
    if (isMedia(type)) return { [name]: files[0] }
    if (found.kind === 'array' && isMedia(found.item)) return { [name]: files }
  }
  return {}
}

/** A value of the module `media`: what it is, and one of where its bytes are. */
const isMedia = (type: Type): boolean => {
  const found = resolve(type)
  if (found.kind !== 'record') return false
  const names = found.fields.map(({ name }) => name)
  return ['kind', 'url', 'data', 'media_type'].every((name) => names.includes(name))
}

const fileOf = ({ content, filename, mediaType }: Part): Json | undefined => {
  const [group = ''] = mediaType.split('/')
  const kind = group === 'image' || group === 'audio' ? group : 'document'
  const more = { ...(mediaType === '' ? {} : { media_type: mediaType }), ...(filename === '' ? {} : { title: filename }) }
  if (content?.$case === 'raw') return { kind, data: Buffer.from(content.value).toString('base64'), ...more }
  return content?.$case === 'url' ? { kind, url: content.value, ...more } : undefined
}

export const partOf = (value: unknown): Part => {
  const own = { metadata: undefined, filename: '', mediaType: '' }
  if (typeof value === 'string') return { ...own, mediaType: 'text/plain', content: { $case: 'text', value } }
  const file = isRecord(value) ? filePart(value) : undefined
  return file ?? { ...own, mediaType: 'application/json', content: { $case: 'data', value } }
}

const filePart = ({ kind, data, url, media_type, title }: Json): Part | undefined => {
  if (kind !== 'image' && kind !== 'document' && kind !== 'audio') return undefined
  const own = {
    metadata: undefined,
    filename: typeof title === 'string' ? title : '',
    mediaType: typeof media_type === 'string' ? media_type : '',
  }
  if (typeof data === 'string') return { ...own, content: { $case: 'raw', value: Buffer.from(data, 'base64') } }
  return typeof url === 'string' ? { ...own, content: { $case: 'url', value: url } } : undefined
}
