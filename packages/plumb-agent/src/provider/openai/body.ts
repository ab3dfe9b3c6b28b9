// A question as a request of Chat Completions.

import { resolve, type Type, toSchema } from '@plumb/lang'
import type { ChatCompletionCreateParams, ChatCompletionFunctionTool } from 'openai/resources/chat/completions/completions'
import type { ResponseFormatJSONSchema } from 'openai/resources/shared'
import { type Dialect, isStrictSchema, outputSchema, systemText } from '../output-schema.js'
import type { BodyOptions } from '../protocol.js'
import type { ModelRequest, ToolOffer } from '../provider.js'
import type { WireNames } from '../wire-names.js'
import { messagesOf } from './messages.js'

export const bodyOf = (
  question: ModelRequest,
  { maxTokens, isStreaming, isOwnHost, names, downgrades }: BodyOptions,
): ChatCompletionCreateParams => {
  const { model, tools, parallelToolCalls, temperature, output } = question
  const format = downgrades.has('plain_output') ? undefined : formatOf(output)
  // A schema that is not strict is a hint, and servers like OpenAI's may not even take that.
  const system = systemText(question, format?.json_schema.strict !== true || !isOwnHost)
  // Set one by one, not spread: so each is held against the SDK's type.
  const body: ChatCompletionCreateParams = { model, messages: messagesOf(question, system, names), stream: isStreaming }
  // Models that reason take no other name for it, and servers that know only the old one say so.
  body[downgrades.has('max_tokens') ? 'max_tokens' : 'max_completion_tokens'] = maxTokens
  if (isStreaming && !downgrades.has('no_stream_options')) body.stream_options = { include_usage: true }
  if (tools.length > 0) body.tools = tools.map((tool) => toTool(tool, names))
  if (tools.length > 0 && !parallelToolCalls) body.parallel_tool_calls = false
  if (tools.length > 0 && downgrades.has('no_reasoning')) body.reasoning_effort = 'none'
  if (temperature !== undefined) body.temperature = temperature
  if (format) body.response_format = format
  return body
}

/** Records only: the API takes no other schema at the top. */
const formatOf = (output: Type): ResponseFormatJSONSchema | undefined => {
  if (resolve(output).kind !== 'record') return undefined
  const strict = outputSchema(output, DIALECT)
  return { type: 'json_schema', json_schema: { name: 'answer', strict: strict !== undefined, schema: strict ?? toSchema(output) } }
}

const toTool = ({ name, description, input_schema, strict }: ToolOffer, names: WireNames): ChatCompletionFunctionTool => ({
  type: 'function',
  function: {
    name: names.toWire(name),
    ...(description === '' ? {} : { description }),
    parameters: { ...input_schema },
    ...(strict && isStrictSchema(input_schema, DIALECT) ? { strict: true } : {}),
  },
})

/** platform.openai.com, Structured model outputs: supported schemas. */
const DIALECT: Dialect = {
  isAllRequired: true,
  isRecursive: true,
  limits: ['minimum', 'maximum', 'minItems', 'maxItems'],
  maxOptional: 0,
  maxUnions: 1_000,
}
