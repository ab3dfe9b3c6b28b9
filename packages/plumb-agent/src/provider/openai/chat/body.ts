// The body of a request to Chat Completions.

import type { ChatCompletionCreateParams, ChatCompletionFunctionTool } from 'openai/resources/chat/completions/completions'
import { isStrictSchema } from '../../output-schema.js'
import type { BodyOptions } from '../../protocol.js'
import type { ModelRequest, ToolOffer } from '../../provider.js'
import type { WireNames } from '../../wire-names.js'
import { DIALECT } from '../dialect.js'
import { type MessageStyle, messagesOf } from './messages.js'

export const bodyOf = (
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
