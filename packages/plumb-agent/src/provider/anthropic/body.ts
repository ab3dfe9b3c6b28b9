// The body of a request to the Messages API.

import type { BetaThinkingConfigParam } from '@anthropic-ai/sdk/resources/beta/messages/messages'
import type { MessageCreateParamsBase, TextBlockParam, Tool, ToolUnion } from '@anthropic-ai/sdk/resources/messages/messages'
import { type Dialect, isStrictSchema } from '../output-schema.js'
import type { BodyOptions } from '../protocol.js'
import type { ModelRequest, ToolOffer } from '../provider.js'
import type { WireNames } from '../wire-names.js'
import { messagesOf } from './messages.js'
import { thinkingOf } from './thinking.js'

/**
 * The SDK's current types, and two members that they lack: `block_binding` is still beta, and `temperature` is accepted by models before
 * 4.7 under the version of 2023.
 */
export type Body = Omit<MessageCreateParamsBase, 'thinking'> & { thinking?: BetaThinkingConfigParam; temperature?: number }

export const bodyOf = (question: ModelRequest, options: BodyOptions): Body => {
  const { model, tools, parallelToolCalls, temperature } = question
  const { downgrades, names, format, effort } = options
  const thinking = thinkingOf({
    model,
    budget: options.thinkingBudget,
    isBudgetRefused: downgrades.has('adaptive_thinking'),
    isBindingRefused: downgrades.has('no_binding'),
  })
  const system = toSystem(options.system)
  // Set one by one, not spread, so that each is checked against the SDK's type.
  const body: Body = { model, max_tokens: options.maxTokens, stream: options.isStreaming, messages: messagesOf(question, names) }
  if (system.length > 0) body.system = system
  if (tools.length > 0) body.tools = toTools(tools, { names, isCached: system.length === 0, mayDefer: !downgrades.has('no_tool_search') })
  // With thinking, no call can be forced: only `auto` is allowed.
  if (tools.length > 0 && !parallelToolCalls && !downgrades.has('no_parallel'))
    body.tool_choice = { type: 'auto', disable_parallel_tool_use: true }
  if (thinking) body.thinking = thinking
  if (temperature !== undefined && !downgrades.has('no_temperature')) body.temperature = temperature
  if (format || isAnthropicEffort(effort)) body.output_config = {}
  if (body.output_config && format) body.output_config.format = { type: 'json_schema', schema: format.schema }
  if (body.output_config && isAnthropicEffort(effort)) body.output_config.effort = effort
  return body
}

const isAnthropicEffort = (level: BodyOptions['effort']): level is 'low' | 'medium' | 'high' | 'xhigh' | 'max' =>
  level !== undefined && level !== 'none' && level !== 'minimal'

const CACHED = { cache_control: { type: 'ephemeral' } } as const

/** It is cached, with the tools before it. */
const toSystem = (text: string): TextBlockParam[] => (text.trim() === '' ? [] : [{ type: 'text', text, ...CACHED }])

/** With more tools, most of a prompt would be tools that an answer does not need. */
const MAX_LISTED_TOOLS = 50

const SEARCH = { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' } as const

interface ToolOptions {
  readonly names: WireNames
  /** They are the last constant part. */
  readonly isCached: boolean
  readonly mayDefer: boolean
}

/** Many tools are found by the API's own search, and are in the prompt from then on; they are not cached. */
const toTools = (tools: readonly ToolOffer[], { names, isCached, mayDefer }: ToolOptions): ToolUnion[] => {
  const isFree = tools.every(({ name }) => names.toWire(name) !== SEARCH.name)
  if (tools.length <= MAX_LISTED_TOOLS || !mayDefer || !isFree)
    return tools.map((tool, i) => toTool(tool, names, isCached && i === tools.length - 1))
  const search = { ...SEARCH, ...(isCached ? CACHED : {}) }
  return [search, ...tools.map((tool) => ({ ...toTool(tool, names, false), defer_loading: true }))]
}

const toTool = ({ name, description, input_schema, strict }: ToolOffer, names: WireNames, isCached: boolean): Tool => ({
  name: names.toWire(name),
  ...(description === '' ? {} : { description }),
  input_schema: { ...input_schema, type: 'object' },
  ...(strict && isStrictSchema(input_schema, DIALECT) ? { strict: true } : {}),
  ...(isCached ? CACHED : {}),
})

/** platform.claude.com, Structured outputs: JSON Schema limitations. */
export const DIALECT: Dialect = {
  isAllRequired: false,
  isRecursive: false,
  limits: ['default'],
  maxOptional: 24,
  maxUnions: 16,
  takesLoose: false,
}
