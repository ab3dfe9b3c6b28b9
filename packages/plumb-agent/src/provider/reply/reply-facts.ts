// What a server says of its reply beside the answer; what is of another kind than it should be is left out.

import { isTokenCount } from '@plumb/wire'
import { at, textAt } from '../http/json-path.js'
import type { ReplyFacts } from '../provider.js'

/** In characters: ids are shorter. */
const MAX_TEXT = 200

/** `said`: the object with `id` and `model`. Undefined: it says nothing. */
export const replyFacts = (said: unknown, usage: unknown): ReplyFacts | undefined => {
  const details = at(usage, 'output_tokens_details') ?? at(usage, 'completion_tokens_details')
  const text = (key: 'id' | 'model'): string | undefined => textAt(said, key)?.trim().slice(0, MAX_TEXT) || undefined
  const [id, model, reasoning] = [text('id'), text('model'), at(details, 'reasoning_tokens') ?? at(details, 'thinking_tokens')]
  const facts = {
    ...(id === undefined ? {} : { id }),
    ...(model === undefined ? {} : { model }),
    ...(typeof reasoning === 'number' && isTokenCount(reasoning) && reasoning > 0 ? { reasoning_tokens: reasoning } : {}),
  }
  return Object.keys(facts).length > 0 ? facts : undefined
}
