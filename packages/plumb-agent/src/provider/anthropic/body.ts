// The body of a request to the Messages API.

import type { BetaThinkingConfigParam } from '@anthropic-ai/sdk/resources/beta/messages/messages'
import type { MessageCreateParamsBase, TextBlockParam, Tool, ToolUnion } from '@anthropic-ai/sdk/resources/messages/messages'
import type { Dialect } from '../output-schema.js'
import type { BodyOptions } from '../protocol.js'
import type { ModelRequest, ToolOffer } from '../provider.js'
import { toolNamesOf } from '../read-message.js'
import type { WireNames } from '../wire-names.js'
import { messagesOf } from './messages.js'

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
  // The API refuses messages with calls where no tools are defined; these cannot be called.
  const called = tools.length > 0 ? [] : [...new Set(toolNamesOf([...question.history, ...question.turn]))]
  if (called.length > 0) {
    body.tools = called.map((name) => ({ name: names.toWire(name), input_schema: { type: 'object' } }))
    body.tool_choice = { type: 'none' }
  }
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
  input_schema: input_schema as Tool['input_schema'],
  ...(strict ? { strict } : {}),
  ...(isCached ? CACHED : {}),
})

/** platform.claude.com, Structured outputs: JSON Schema limitations. */
export const DIALECT: Dialect = {
  isAllRequired: false,
  isRecursive: false,
  limits: ['default'],
  maxOptional: 24,
  maxUnions: 16,
  maxStrictTools: 20,
  takesLoose: false,
  names: /^[a-zA-Z0-9_.-]{1,64}$/,
}

/** From 4.6 on the model decides how much it thinks; from 4.7 on it accepts no budget. */
const ADAPTIVE = 406
/** From 5.1 on thinking is bound to the prompt before it, and models think unless it is switched off. */
const BOUND = 501

interface ThinkingWish {
  readonly model: string
  readonly budget: number | undefined
  /** The model has refused a budget. */
  readonly isBudgetRefused: boolean
  /** The server does not support `block_binding`. */
  readonly isBindingRefused: boolean
}

/** Names without a version, as on other servers, are treated as models with a budget. */
const thinkingOf = ({ model, budget, isBudgetRefused, isBindingRefused }: ThinkingWish): BetaThinkingConfigParam | undefined => {
  const version = versionOf(model)
  const isShown = budget !== undefined
  if (version >= BOUND && !isBindingRefused) {
    // Memories are set, failed inputs are dropped and runtime_context changes every time: thoughts under another prompt should be dropped,
    // not end the conversation.
    const bound = { type: 'adaptive', block_binding: { prefix_mismatch_behavior: 'drop_block' } } as const
    return isShown ? { ...bound, display: 'summarized' } : bound
  }
  if (!isShown) return undefined
  if (version >= ADAPTIVE || isBudgetRefused) return { type: 'adaptive', display: 'summarized' }
  return { type: 'enabled', budget_tokens: budget }
}

/** 406 for claude-sonnet-4-6; a date after the version is ignored. */
const versionOf = (model: string): number => {
  const [, family, major, minor = '0'] = /claude-([a-z]+-)?(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/.exec(model) ?? []
  if (major === undefined) return /claude-(mythos|fable)/.test(model) ? ADAPTIVE : 0
  return family === undefined && Number(major) < 4 ? 0 : Number(major) * 100 + Number(minor)
}
