// The maximum cost of a request, before it is sent: by its maximum tokens in and out.

import { isRecord, MAX_CALL_TOKENS } from '@plumb/wire'
import { mediaSizeOf } from './media-size.js'

export interface RequestSize {
  readonly model: string
  /** Tokens, at most. */
  readonly input: number
  readonly output: number
  /** Plus as much as the model can hold. */
  readonly fillsWindow: boolean
  /** Some of it is cached for an hour. */
  readonly hasHourCache: boolean
  readonly hasAudio: boolean
}

/** The provider's own text around the messages of a request, and around tools and the output type. */
const FRAME_TOKENS = 64
const TOOL_TOKENS = 1_000

/** `text`: the body, as JSON; no tokenizer makes more tokens of a text than bytes. */
export const sizeOf = (body: unknown, text: string, fallback: { readonly model: string }): RequestSize => {
  const { model, tools, response_format, output_config, text: form, n } = isRecord(body) ? body : {}
  const isFramed = [tools, response_format, output_config, form].some((one) => one !== undefined)
  const answers = typeof n === 'number' && n > 1 ? n : 1
  const asked = typeof model === 'string' ? model : fallback.model
  const media = mediaSizeOf(body, asked)
  return {
    model: asked,
    fillsWindow: media.fillsWindow,
    input: Buffer.byteLength(text) - media.bytes + media.tokens + FRAME_TOKENS + (isFramed ? TOOL_TOKENS : 0),
    output: answers * maxOutputOf(body),
    hasHourCache: text.includes('"ttl":"1h"'),
    hasAudio: text.includes('"input_audio"'),
  }
}

const LIMITS = ['max_tokens', 'max_completion_tokens', 'max_output_tokens'] as const

/** A body without a limit may have an answer of any length. */
const maxOutputOf = (body: unknown): number => {
  const limits = LIMITS.map((key) => (isRecord(body) ? body[key] : undefined)).filter((limit) => typeof limit === 'number')
  return limits.length === 0 ? MAX_CALL_TOKENS : Math.max(...limits)
}
