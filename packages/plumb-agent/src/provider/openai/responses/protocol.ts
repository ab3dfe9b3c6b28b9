// OpenAI's Responses API, stateless: nothing is stored there, and reasoning is passed back and forth encrypted.

import { createHash } from 'node:crypto'
import type { FunctionTool, ResponseCreateParams } from 'openai/resources/responses/responses'
import { isStrictSchema } from '../../output-schema.js'
import { type BodyOptions, PLAIN_WITH_TOOLS, type Protocol } from '../../protocol.js'
import type { ModelRequest, ToolOffer } from '../../provider.js'
import type { WireNames } from '../../wire-names.js'
import { DIALECT } from '../dialect.js'
import { baseOf, bearer } from '../endpoint.js'
import { itemsOf, refusesMedia } from './items.js'
import { eventsOf, openReader } from './reader.js'

// The body of a request to the Responses API.
const bodyOf = (question: ModelRequest, options: BodyOptions): ResponseCreateParams => {
  const { model, tools, parallelToolCalls, temperature } = question
  const { maxTokens, isStreaming, names, downgrades, system, format, effort } = options
  // Set one by one, not spread, so that each is checked against the SDK's type.
  const body: ResponseCreateParams = { model, input: itemsOf(question, names), stream: isStreaming, store: false }
  body.max_output_tokens = maxTokens
  if (system.trim() !== '') body.instructions = system
  if (!downgrades.has('no_encrypted_reasoning')) body.include = ['reasoning.encrypted_content']
  if (tools.length > 0) body.tools = tools.map((tool) => toTool(tool, names))
  if (tools.length > 0 && !parallelToolCalls && !downgrades.has('no_parallel')) body.parallel_tool_calls = false
  if (effort !== undefined) body.reasoning = { effort }
  if (temperature !== undefined && !downgrades.has('no_temperature')) body.temperature = temperature
  if (format) body.text = { format: { type: 'json_schema', name: 'answer', strict: format.isStrict, schema: format.schema } }
  if (!downgrades.has('no_cache_key')) body.prompt_cache_key = cacheKeyOf(question)
  return body
}

/** Requests with the same key go to the server that has their beginning in its cache: prompt and tools are the same for all inputs. */
const cacheKeyOf = ({ model, system, tools }: ModelRequest): string =>
  createHash('sha256')
    .update(JSON.stringify([model, system, tools]))
    .digest('hex')
    .slice(0, 32)

// `strict` is on by default.
const toTool = ({ name, description, input_schema, strict }: ToolOffer, names: WireNames): FunctionTool => ({
  type: 'function',
  name: names.toWire(name),
  ...(description === '' ? {} : { description }),
  parameters: { ...input_schema },
  strict: strict === true && isStrictSchema(input_schema, DIALECT),
})

export const RESPONSES: Protocol = {
  pathOf: (endpoint) => `${baseOf(endpoint)}/responses`,
  headersOf: bearer,
  dialect: DIALECT,
  efforts: undefined,
  bodyOf,
  refusesMedia,
  openReader,
  openBatches: async (calls, endpoint, headers) => {
    const { openFileBatches } = await import('../batches.js')
    return openFileBatches({ calls, base: baseOf(endpoint), url: '/v1/responses', headers })
  },
  eventsOf,
  downgrades: [
    PLAIN_WITH_TOOLS,
    { name: 'plain_output', words: /text\.format|json_schema|structured output|schema/i, concedes: 'structured output' },
    { name: 'no_encrypted_reasoning', words: /encrypted/i, concedes: 'encrypted reasoning' },
    { name: 'no_temperature', words: /temperature/i, concedes: 'temperature' },
    { name: 'no_parallel', words: /parallel_tool_calls/, concedes: 'parallel_tool_calls' },
    { name: 'no_cache_key', words: /prompt_cache_key/, concedes: 'prompt_cache_key' },
  ],
  hints: [],
}
