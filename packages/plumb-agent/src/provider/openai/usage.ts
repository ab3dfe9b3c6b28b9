// Usage, as OpenAI's APIs report it.

import { isTokenCount } from '@plumb/wire'
import { countAt } from '../http/json-path.js'
import type { TokenUsage } from '../provider.js'

/** `input`: the API's name for the sent tokens. OpenAI includes tokens read from or written to the cache; here each is counted once. */
export const readTokenUsage = (usage: unknown, input: 'prompt' | 'input', output: 'completion' | 'output'): TokenUsage => {
  const detail = (name: string) => countAt(usage, `${input}_tokens_details`, name) || 0
  const cache_read_tokens = detail('cached_tokens')
  const cache_creation_tokens = detail('cache_write_tokens')
  const sent = countAt(usage, `${input}_tokens`)
  const isCounted = [sent, cache_read_tokens, cache_creation_tokens].every(isTokenCount)
  return {
    input_tokens: isCounted ? Math.max(0, sent - cache_read_tokens - cache_creation_tokens) : sent,
    output_tokens: countAt(usage, `${output}_tokens`),
    cache_read_tokens,
    cache_creation_tokens,
  }
}
