// The usage of a call, as the server reports it; an invalid count is replaced by the maximum.

import { isTokenCount, preview } from '@plumb/wire'
import type { ModelAnswer, TokenUsage } from './provider.js'

export interface UsageBounds {
  readonly host: string
  /** The bytes of the request: no tokenizer makes more tokens than bytes. */
  readonly bytes: number
  readonly maxTokens: number
  readonly isLimited: boolean
}

/** Without a budget, unreported usage counts as nothing. */
export const checkUsage = (
  reported: TokenUsage,
  { host, bytes, maxTokens, isLimited }: UsageBounds,
): Pick<ModelAnswer, 'usage' | 'estimated'> => {
  const wrong: string[] = []
  const countOf = (field: keyof TokenUsage, most: number): number => {
    const count = reported[field]
    if (isTokenCount(count)) return count
    const isMissing = Number.isNaN(count)
    if (isMissing && !isLimited) return 0
    wrong.push(`${field} ${isMissing ? 'is missing' : `is ${preview(String(count))}`}`)
    return most
  }
  const usage = {
    input_tokens: countOf('input_tokens', bytes),
    output_tokens: countOf('output_tokens', maxTokens),
    cache_read_tokens: countOf('cache_read_tokens', bytes),
    cache_creation_tokens: countOf('cache_creation_tokens', bytes),
  }
  if (wrong.length === 0) return { usage }
  const most = `one token a byte of the request, ${bytes}, and max_tokens, ${maxTokens}`
  return { usage, estimated: `${host} reported no usage that can be counted (${wrong.join(', ')}): it counts as the maximum, ${most}` }
}
