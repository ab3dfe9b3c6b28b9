// OpenAI's Chat Completions, and the many compatible servers.

import type { ChatCompletionCreateParams, ChatCompletionFunctionTool } from 'openai/resources/chat/completions/completions'
import { isStrictSchema } from '../../output-schema.js'
import { type BodyOptions, PLAIN_WITH_TOOLS, type Protocol } from '../../protocol.js'
import type { ModelRequest, ToolOffer } from '../../provider.js'
import type { WireNames } from '../../wire-names.js'
import { DIALECT } from '../dialect.js'
import { baseOf, bearer } from '../endpoint.js'
import { type MessageStyle, messagesOf, refusesMedia } from './messages.js'
import { eventsOf, openReader } from './reader.js'

// The body of a request to Chat Completions.
const bodyOf = (
  question: ModelRequest,
  { maxTokens, isStreaming, names, downgrades, system, format, effort }: BodyOptions,
): ChatCompletionCreateParams => {
  const { model, tools, parallelToolCalls, temperature } = question
  // Set one by one, not spread, so that each is checked against the SDK's type.
  const body: ChatCompletionCreateParams = {
    model,
    messages: messagesOf(question, system, names, styleOf(downgrades)),
    stream: isStreaming,
  }
  // Reasoning models accept only the new name, and other servers only the old one, or both and mean nothing by the new.
  body[downgrades.has('max_tokens') && !downgrades.has('max_completion_tokens') ? 'max_tokens' : 'max_completion_tokens'] = maxTokens
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

const styleOf = (downgrades: BodyOptions['downgrades']): MessageStyle => ({
  isContextOfUser: downgrades.has('context_of_user'),
  hasNoFields: downgrades.has('no_fields'),
  fillsReasoning: downgrades.has('fill_reasoning'),
  fillsSignature: downgrades.has('fill_signature'),
  hasShortIds: downgrades.has('short_ids'),
})

const toTool = ({ name, description, input_schema, strict }: ToolOffer, names: WireNames): ChatCompletionFunctionTool => ({
  type: 'function',
  function: {
    name: names.toWire(name),
    ...(description === '' ? {} : { description }),
    parameters: { ...input_schema },
    ...(strict && isStrictSchema(input_schema, DIALECT) ? { strict: true } : {}),
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
