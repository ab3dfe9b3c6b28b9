// OpenAI's Chat Completions, and the many compatible servers.

import { PLAIN_WITH_TOOLS, type Protocol } from '../../protocol.js'
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
    PLAIN_WITH_TOOLS,
    { name: 'plain_output', words: /response_format|json_schema|structured output|schema/i, concedes: 'structured output' },
    { name: 'no_temperature', words: /temperature/i, concedes: 'temperature' },
    { name: 'no_parallel', words: /parallel_tool_calls/, concedes: 'parallel_tool_calls' },
    // "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
    { name: 'max_completion_tokens', words: /\bmax_tokens\b.{0,80}(?:not supported|unsupported|use .?max_completion_tokens)/is },
    { name: 'max_tokens', words: /max_completion_tokens/ },
    { name: 'no_stream_options', words: /stream_options/, concedes: 'usage of streams' },
    // Moonshot: "reasoning_content is missing in assistant tool call message".
    { name: 'fill_reasoning', words: /reasoning_content.{0,60}(?:must be passed|missing|required)/is },
    { name: 'fill_signature', words: /thought_signature/i },
    {
      name: 'no_fields',
      words: /reasoning_content|reasoning_details|extra_content|\breasoning\b.{0,40}(?:extra|permitted|unknown|unrecognized)/is,
    },
    { name: 'short_ids', words: /tool call id\b.{0,80}length of 9/is },
    {
      name: 'context_of_user',
      words: /system (?:message|role|prompt).{0,60}(?:begin|first|start)|(?:roles|user\/assistant).{0,40}alternate|unexpected role/is,
    },
  ],
  hints: [
    // "Function tools with reasoning_effort are not supported for … or set reasoning_effort to 'none'."
    { words: /tools.*reasoning|reasoning.*tools/is, hint: 'write wire: "responses", by which this model reasons with tools' },
  ],
}
