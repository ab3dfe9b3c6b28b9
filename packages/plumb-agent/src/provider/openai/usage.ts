// Usage, as OpenAI's APIs report it, and servers like them.

import { isTokenCount } from '@plumb/wire'
import { at, countAt } from '../http/json-path.js'
import type { TokenUsage } from '../provider.js'

/** OpenAI includes tokens read from or written to the cache in those that were sent; here each is counted once. */
export const readTokenUsage = (usage: unknown): TokenUsage => {
  const count = (...paths: readonly (readonly string[])[]): number =>
    paths.map((path) => countAt(usage, ...path)).find((one) => !Number.isNaN(one)) ?? Number.NaN
  const detail = (name: string, ...others: readonly string[]): number =>
    count(['prompt_tokens_details', name], ['input_tokens_details', name], ...others.map((other) => [other])) || 0
  // Moonshot and DeepSeek have names of their own.
  const cache_read_tokens = detail('cached_tokens', 'cached_tokens', 'prompt_cache_hit_tokens')
  const cache_creation_tokens = detail('cache_write_tokens')
  const sent = count(['prompt_tokens'], ['input_tokens'])
  const isCounted = [sent, cache_read_tokens, cache_creation_tokens].every(isTokenCount)
  return {
    input_tokens: isCounted ? Math.max(0, sent - cache_read_tokens - cache_creation_tokens) : sent,
    output_tokens: count(['completion_tokens'], ['output_tokens']),
    cache_read_tokens,
    cache_creation_tokens,
  }
}

/** Of a chunk of a completion; some servers have it in the choice, or in a field of their own. */
export const usageIn = (chunk: unknown, choice: unknown): unknown =>
  at(chunk, 'usage') ?? at(choice, 'usage') ?? at(chunk, 'x_groq', 'usage')
