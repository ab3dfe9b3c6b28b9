// The tool `compose` of an agent: chains of the tools that it is offered now, each call of which is one of the agent's own.

import { type ChainTool, type Json, type Type, toToolSchema } from '@plumb/lang'
import { cutText } from '@plumb/tool/call/cut-text'
import { fitOutput, fitToolInput } from '@plumb/tool/call/fit'
import { wordsFor } from '@plumb/tool/compose/chain-names'
import { type Composition, compose } from '@plumb/tool/compose/compose'
import { COMPOSE_INPUT, composeDescription } from '@plumb/tool/compose/description'
import type { Walk } from '@plumb/tool/protocol/walk'
import { fail, isFault, isRecord, parseJson, preview, type Result, succeed, type ToolAnswer } from '@plumb/wire'
import type { ContentBlock } from '../provider/provider.js'
import type { CallableTool } from './callable.js'
import { toModelContent } from './content.js'
import { COMPOSE } from './walked-turn.js'

export interface Composing {
  /** The offer to the model. Undefined: there is nothing to compose. */
  tool(offered: readonly CallableTool[]): CallableTool | undefined
  run(composition: AgentComposition): Promise<CompositionResult>
}

export interface AgentComposition extends Pick<Composition, 'parallel' | 'signal' | 'refuse' | 'warn'> {
  /** Valid JSON text. */
  readonly input: string
  readonly tools: readonly CallableTool[]
  /** Its calls keep to a protocol, from where this walk is. */
  readonly walk?: Walk | undefined
  /** With all stages of a call; `input` as a model would write it. */
  readonly call: (tool: CallableTool, input: string, number: number, signal: AbortSignal) => Promise<Result<ToolAnswer>>
}

/** As a model sees it. */
export interface CompositionResult {
  readonly content: Json
  readonly is_error: boolean
}

/** `maxOutput` in characters. */
export const openComposing = (maxOutput: number): Composing => {
  let last: CallableTool | undefined
  return {
    tool: (offered) => {
      if (offered.length === 0) return undefined
      const description = composeDescription(chainTools(offered))
      if (last?.offer.description !== description) last = composeTool(description)
      return last
    },
    run: async ({ input, tools, walk, call, ...rest }) => {
      const { chain, input: given } = JSON.parse(input) as { readonly chain: string; readonly input?: Json }
      const named = chainTools(tools)
      const byName = new Map(named.map(({ name }, i) => [name, tools[i] as CallableTool]))
      const composed = await compose({
        ...rest,
        chain,
        input: given === undefined ? undefined : JSON.stringify(given),
        tools: named,
        order: walk && { protocol: walk.of.protocol, at: walk.at, names: new Map([...byName].map(([name, tool]) => [name, tool.name])) },
        call: async (name, json, number, signal) => {
          const tool = byName.get(name) as CallableTool
          const answer = await call(tool, tool.isWrapped ? `{"input":${json}}` : json, number, signal)
          return answer.ok ? valueOf(answer.value, tool) : answer
        },
      })
      if (composed.kind === 'refused') return { content: composed.text, is_error: true }
      const { result } = composed
      if (!result.ok) return { content: JSON.stringify(result.error), is_error: true }
      return { content: cut(toModelContent(result.value, false), maxOutput), is_error: false }
    },
  }
}

const composeTool = (description: string): CallableTool => ({
  name: COMPOSE,
  // Each call in a chain is checked by its own effects.
  effects: [],
  needsApproval: false,
  parts: [],
  signature: { input: COMPOSE_INPUT, output: { kind: 'json' } },
  offer: { name: COMPOSE, description, input_schema: toToolSchema(COMPOSE_INPUT).schema },
  isWrapped: false,
  isOfServer: false,
  timeoutMs: Number.POSITIVE_INFINITY,
  fit: (json) => fitToolInput(json, COMPOSE_INPUT),
})

/** In the order of the tools: a tool of a server as `server.tool`, in words that are valid in chains. */
const chainTools = (offered: readonly CallableTool[]): readonly ChainTool[] => {
  const names = chainNames(offered)
  return offered.map(({ signature }, i) => ({
    name: names[i] as string,
    ...signature,
  }))
}

const chainNames = (offered: readonly CallableTool[]): readonly string[] => {
  const own = offered.map(({ name, isOfServer }) => (isOfServer ? '' : name))
  const prefixes = [...new Set(offered.flatMap(({ name, isOfServer }) => (isOfServer ? [prefixOf(name)] : [])))]
  // A module of the spec may have the name of a server.
  const taken = own.map((name) => name.split('.', 1)[0] ?? '')
  const words = wordsFor([...taken, ...prefixes]).slice(taken.length)
  const members = new Map<string, string>()
  for (const [i, prefix] of prefixes.entries()) {
    const names = offered.flatMap(({ name, isOfServer }) => (isOfServer && prefixOf(name) === prefix ? [name] : []))
    const parts = wordsFor(names.map((name) => name.slice(prefix.length + 1)))
    for (const [n, name] of names.entries()) members.set(name, `${words[i]}.${parts[n]}`)
  }
  return offered.map(({ name }, i) => own[i] || (members.get(name) ?? name))
}

const prefixOf = (name: string): string => name.split(':', 1)[0] ?? ''

/** The value that a chain continues with. */
const valueOf = ({ content, is_error }: ToolAnswer, tool: CallableTool): Result<string> => {
  const value = jsonIn(content)
  if (is_error) {
    if (isFault(value)) return { ok: false, error: value }
    return fail('tool_crashed', `tool '${tool.name}' failed: ${preview(content, 400)}`, { tool: tool.name })
  }
  if (value === undefined) return succeed(JSON.stringify(content))
  return tool.isOfServer ? valueOfServer(content, value, tool.signature.output) : succeed(content)
}

// A hand-written dispatcher may return a server's content for models: there structured content is a text.
const valueOfServer = (content: string, value: unknown, type: Type): Result<string> => {
  const said = typeof value === 'string' ? jsonSaid(value) : undefined
  if (type.kind === 'json') return succeed(said ?? content)
  const given = fitOutput(content, type)
  const read = given.ok || said === undefined ? given : fitOutput(said, type)
  // If neither fits, the original is reported.
  const fit = read.ok ? read : given
  return fit.ok ? succeed(fit.value.json) : fit
}

// JSON has line ends only between its tokens.
const jsonSaid = (text: string): string | undefined =>
  /^\s*[[{]/.test(text) && jsonIn(text) !== undefined ? text.trim().replaceAll(/[\r\n]+/g, ' ') : undefined

const jsonIn = (text: string): unknown => {
  const bytes = Buffer.from(text)
  const parsed = parseJson(bytes, 0, bytes.length)
  return parsed.ok ? parsed.value : undefined
}

/** Images stay whole: they are not text. */
const cut = (content: Json, maxOutput: number): Json => {
  if (typeof content === 'string') return cutText(content, maxOutput).text
  if (!Array.isArray(content)) return content
  let left = maxOutput
  return content.map((block: ContentBlock) => {
    if (!isRecord(block) || block.type !== 'text') return block
    const { text } = cutText(block.text, left)
    left = Math.max(0, left - block.text.length)
    return { ...block, text }
  })
}
