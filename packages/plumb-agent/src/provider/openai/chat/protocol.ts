// OpenAI's Chat Completions, and the many compatible servers.

import type { Protocol } from '../../protocol.js'
import { DIALECT } from '../dialect.js'
import { baseOf, bearer } from '../endpoint.js'
import { bodyOf } from './body.js'
import { refusesMedia } from './messages.js'
import { eventsOf, openReader } from './reader.js'

export const CHAT_COMPLETIONS: Protocol = {
  pathOf: (endpoint) => `${baseOf(endpoint)}/chat/completions`,
  headersOf: bearer,
  dialect: DIALECT,
  efforts: undefined,
  bodyOf,
  refusesMedia,
  openReader,
  openBatches: async (calls, endpoint, headers) => {
    const { openFileBatches } = await import('../batches.js')
    return openFileBatches({ calls, base: baseOf(endpoint), url: '/v1/chat/completions', headers })
  },
  eventsOf,
  downgrades: [
    { name: 'plain_output', words: /response_format|json_schema|structured output|schema/i, concedes: 'structured output' },
    { name: 'no_temperature', words: /temperature/i, concedes: 'temperature' },
    { name: 'no_parallel', words: /parallel_tool_calls/, concedes: 'parallel_tool_calls' },
    // Reasoning models accept only the new name, and servers that know only the old one say so.
    { name: 'max_tokens', words: /max_completion_tokens/ },
    { name: 'no_stream_options', words: /stream_options/, concedes: 'usage of streams' },
  ],
  hints: [
    // "Function tools with reasoning_effort are not supported for … or set reasoning_effort to 'none'."
    { words: /tools.*reasoning|reasoning.*tools/is, hint: 'write wire: "responses", by which this model reasons with tools' },
  ],
}
