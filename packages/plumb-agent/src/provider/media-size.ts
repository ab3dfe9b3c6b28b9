// The maximum tokens of images, documents and audio in a request, by the providers' rules, not by their bytes.

import { isRecord } from '@plumb/wire'

export interface MediaSize {
  /** At most. */
  readonly tokens: number
  /** Bytes of the request that are not text. */
  readonly bytes: number
  /** It has a document whose tokens are limited only by the context window of the model. */
  readonly fillsWindow: boolean
}

/** Anthropic scales an image down to 2,576 pixels, a token for 28 by 28 of them, and 5 tokens for each image. */
const ANTHROPIC_IMAGE = 9_000
/** OpenAI: 10,000 patches, plus overhead; but its model gpt-4o-mini counts 2,833 and 5,667 for each of at most 8 tiles. */
const OPENAI_IMAGE = 12_000
const LARGEST_IMAGE = 50_000
/** Accepted formats have at least 1 kB/s, base64 four thirds of that, and no provider counts more than 32 tokens a second. */
const CHARACTERS_PER_AUDIO_TOKEN = 32

/** For a body of any API. */
export const mediaSizeOf = (body: unknown, model: string): MediaSize => {
  let [tokens, bytes, fillsWindow] = [0, 0, false]
  const count = (value: unknown): void => {
    if (Array.isArray(value)) return value.forEach(count)
    if (!isRecord(value)) return
    const kind = kindOf(value)
    if (kind === undefined) return Object.values(value).forEach(count)
    const length = longestText(value)
    bytes += length
    if (kind === 'audio') tokens += Math.ceil(length / CHARACTERS_PER_AUDIO_TOKEN)
    else if (kind === 'image') tokens += imageTokens(value, model)
    else fillsWindow = true
  }
  count(body)
  return { tokens, bytes, fillsWindow }
}

const kindOf = ({ type, source }: Readonly<Record<string, unknown>>): 'image' | 'document' | 'audio' | undefined => {
  if (type === 'image_url' || type === 'input_image' || (type === 'image' && isRecord(source))) return 'image'
  if (type === 'input_audio') return 'audio'
  // A text document is text.
  if (type === 'document' && isRecord(source)) return source.type === 'text' || source.type === 'content' ? undefined : 'document'
  return type === 'file' || type === 'input_file' ? 'document' : undefined
}

const imageTokens = ({ source }: Readonly<Record<string, unknown>>, model: string): number => {
  if (isRecord(source)) return ANTHROPIC_IMAGE
  return /^(gpt-|o\d)/.test(model) && !model.startsWith('gpt-4o-mini') ? OPENAI_IMAGE : LARGEST_IMAGE
}

const longestText = (value: unknown): number => {
  if (typeof value === 'string') return value.length
  return isRecord(value) ? Math.max(0, ...Object.values(value).map(longestText)) : 0
}
