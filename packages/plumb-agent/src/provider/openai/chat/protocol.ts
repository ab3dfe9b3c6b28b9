// OpenAI's Chat Completions, and the many compatible servers.

import type { ChatCompletionCreateParams, ChatCompletionFunctionTool } from 'openai/resources/chat/completions/completions'
import type { BodyOptions, Protocol } from '../../protocol.js'
import type { ModelRequest, ToolOffer } from '../../provider.js'
import type { WireNames } from '../../wire-names.js'
import { DIALECT } from '../dialect.js'
import { baseOf, bearer } from '../endpoint.js'
import { messagesOf, refusesMedia } from './messages.js'
import { eventsOf, openReader } from './reader.js'

// The body of a request to Chat Completions.
const bodyOf = (
  question: ModelRequest,
  { maxTokens, isStreaming, names, downgrades, system, format, effort }: BodyOptions,
): ChatCompletionCreateParams => {
  const { model, tools, parallelToolCalls, temperature } = question
  // Set one by one, not spread, so that each is checked against the SDK's type.
  const body: ChatCompletionCreateParams = { model, messages: messagesOf(question, system, names), stream: isStreaming }
  // Reasoning models accept only this name, and servers that know only the old one say so.
  body[downgrades.has('max_tokens') ? 'max_tokens' : 'max_completion_tokens'] = maxTokens
  if (isStreaming && !downgrades.has('no_stream_options')) body.stream_options = { include_usage: true }
  if (tools.length > 0) body.tools = tools.map((tool) => toTool(tool, names))
  if (tools.length > 0 && !parallelToolCalls && !downgrades.has('no_parallel')) body.parallel_tool_calls = false
  if (effort !== undefined) body.reasoning_effort = effort
  if (temperature !== undefined && !downgrades.has('no_temperature')) body.temperature = temperature
  if (format) {
    const { schema, isStrict } = format
    body.response_format = { type: 'json_schema', json_schema: { name: 'answer', strict: isStrict, schema } }
  }
  return body
}

const toTool = ({ name, description, input_schema, strict }: ToolOffer, names: WireNames): ChatCompletionFunctionTool => ({
  type: 'function',
  function: {
    name: names.toWire(name),
    ...(description === '' ? {} : { description }),
    parameters: { ...input_schema },
    ...(strict ? { strict } : {}),
  },
})

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
