// Detects that a model does not accept the images, documents or audio of a request, by the server's message: the status varies.

import { fault } from '@plumb/wire'
import type { Failure } from './failure.js'

const KIND = '(?:image|image_url|video|audio|input_audio|document|pdf|file|vision|multi-?modal)'

/**
 * llama.cpp: "image input is not supported - hint: …", with 500, and "unsupported content[].type". Ollama: "this model does not support image input". OpenAI: "image_url is only
 * supported by certain models". vLLM: "At most 0 image(s) may be provided", "is not a multimodal model". OpenRouter: "No endpoints found that
 * support image input", with 404.
 */
const REFUSED = new RegExp(
  [
    `\\b${KIND}s?\\b.{0,40}\\b(?:not|n't|only)(?: be| currently)? support`,
    `\\b(?:not|n't|cannot|unable to) (?:support|accept|take|process|handle)\\w*\\b.{0,30}\\b${KIND}`,
    `\\bno \\w+ found that support ${KIND}`,
    `\\bat most 0 ${KIND}`,
    `\\bunsupported\\b.{0,30}\\b${KIND}`,
    '\\bunsupported content\\b',
    '\\bnot a multi-?modal model',
    `\\bmissing\\b.{0,30}\\brequired for ${KIND}`,
  ].join('|'),
  'i',
)

/** The media in a body, whatever the API. */
const MEDIA = /"type":"(?:image|image_url|input_image|input_audio|document|file|input_file)"/

/** `body`: the sent JSON. The input is refused, for good; neither the model nor the key is. */
export const asRefusedMedia = (failure: Failure, body: string): Failure => {
  const { fault: error, refusal: _, ...rest } = failure
  const isAbout = ABOUT.has(error.error) && REFUSED.test(failure.text) && MEDIA.test(body)
  if (!isAbout) return failure
  const { error: __, category: ___, detail, ...extras } = error
  return { ...rest, isRetryable: false, fault: fault('unsupported_media', `${detail}; take a model that does, or leave it out`, extras) }
}

const ABOUT: ReadonlySet<string> = new Set(['overloaded', 'provider_refused'])
