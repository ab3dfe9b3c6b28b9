// OpenAI's Chat Completions, and the many servers that speak it.

import type { Protocol } from '../protocol.js'
import { OPENAI_ACCOUNT } from '../settings.js'
import { bodyOf, DIALECT } from './body.js'
import { eventsOf, openReader } from './reader.js'

export const OPENAI: Protocol = {
  keyVariable: OPENAI_ACCOUNT.keyVariable,
  ownEndpoint: OPENAI_ACCOUNT.ownEndpoint,
  // The official SDK takes it with /v1; a bare origin gets it.
  pathOf: ({ pathname }) => `${pathname.replace(/\/+$/, '') || '/v1'}/chat/completions`,
  headersOf: (key): Readonly<Record<string, string>> => (key === undefined ? {} : { authorization: `Bearer ${key}` }),
  dialect: DIALECT,
  bodyOf,
  openReader,
  eventsOf,
  downgrades: [
    { name: 'plain_output', words: /response_format|json_schema|structured output|schema/i },
    // "Function tools with reasoning_effort are not supported for … or set reasoning_effort to 'none'."
    { name: 'no_reasoning', words: /reasoning_effort/ },
    { name: 'max_tokens', words: /max_completion_tokens/ },
    { name: 'no_stream_options', words: /stream_options/ },
  ],
}
