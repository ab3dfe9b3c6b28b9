// The tool `compose` of an agent: chains over the tools that it is offered now, each call of which is one of the agent's own.

import { type ChainTool, type Json, toToolSchema } from '@plumb/lang'
import { cutText } from '@plumb/tool/call/cut-text'
import { fitToolInput } from '@plumb/tool/call/validate'
import { wordsFor } from '@plumb/tool/compose/chain-names'
import { type Composition, compose } from '@plumb/tool/compose/compose'
import { COMPOSE_INPUT, composeDescription } from '@plumb/tool/compose/description'
import { typeOfSchema } from '@plumb/tool/source/function/type-of-schema'
import { fail, isFault, isRecord, parseJson, preview, type Result, succeed, type ToolAnswer } from '@plumb/wire'
import type { ContentBlock } from '../provider/provider.js'
import type { CallableTool } from './callable.js'
import { toModelContent } from './content.js'

const COMPOSE = 'compose'

export interface Composing {
  /** As the model is offered it; undefined: there is nothing to compose. */
  tool(offered: readonly CallableTool[]): CallableTool | undefined
  run(composition: AgentComposition): Promise<Composed>
}

export interface AgentComposition extends Pick<Composition, 'parallel' | 'signal' | 'refuse' | 'warn'> {
  /** JSON text that fits. */
  readonly input: string
  readonly tools: readonly CallableTool[]
  /** With all stages of a call; `input` as a model would write it. */
  readonly call: (tool: CallableTool, input: string, number: number, signal: AbortSignal) => Promise<Result<ToolAnswer>>
}

/** As a model sees it. */
export interface Composed {
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
    run: async ({ input, tools, call, ...rest }) => {
      const { chain, input: given } = JSON.parse(input) as { readonly chain: string; readonly input?: Json }
      const named = chainTools(tools)
      const byName = new Map(named.map(({ name }, i) => [name, tools[i] as CallableTool]))
      const composed = await compose({
        ...rest,
        chain,
        input: given === undefined ? undefined : JSON.stringify(given),
        tools: named,
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
  // Each call in a chain is judged by what it may do.
  effects: [],
  isApprovalAsked: false,
  parts: [],
  offer: { name: COMPOSE, description, input_schema: toToolSchema(COMPOSE_INPUT).schema },
  isWrapped: false,
  isOfServer: false,
  timeoutMs: Number.POSITIVE_INFINITY,
  fit: (json) => fitToolInput(json, COMPOSE_INPUT),
})

/** In the order of the tools: a tool of a server as `server.tool`, under words that chains can hold. */
const chainTools = (offered: readonly CallableTool[]): readonly ChainTool[] => {
  const names = chainNames(offered)
  return offered.map(({ signature, offer }, i) => ({
    name: names[i] as string,
    input: signature?.input ?? typeOfSchema(offer.input_schema),
    // Of what servers answer nothing is told here.
    output: signature?.output ?? { kind: 'json' },
  }))
}

const chainNames = (offered: readonly CallableTool[]): readonly string[] => {
  const own = offered.map(({ name, isOfServer }) => (isOfServer ? '' : name))
  const prefixes = [...new Set(offered.flatMap(({ name, isOfServer }) => (isOfServer ? [prefixOf(name)] : [])))]
  // A module of the spec may be called as a server is.
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

/** What a chain goes on with. */
const valueOf = ({ content, is_error }: ToolAnswer, tool: CallableTool): Result<string> => {
  const value = jsonIn(content)
  if (is_error) {
    if (isFault(value)) return { ok: false, error: value }
    return fail('tool_crashed', `tool '${tool.name}' failed: ${preview(content, 400)}`, { tool: tool.name })
  }
  if (value === undefined) return succeed(JSON.stringify(content))
  const isText = tool.signature !== undefined || typeof value !== 'string'
  return isText ? succeed(content) : succeed(textOfServer(value))
}

// Servers say what is structured as text.
const textOfServer = (text: string): string => {
  const value = /^\s*[[{]/.test(text) ? jsonIn(text) : undefined
  return typeof value === 'object' ? JSON.stringify(value) : JSON.stringify(text)
}

const jsonIn = (text: string): unknown => {
  const bytes = Buffer.from(text)
  const parsed = parseJson(bytes, 0, bytes.length)
  return parsed.ok ? parsed.value : undefined
}

/** Images stay whole: they are no text. */
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
