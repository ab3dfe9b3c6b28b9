// The canonical form of a request: its messages, model, tools, type and settings. What varies between runs is left out: ids, signatures,
// the clock of runtime_context, and how a request is sent.

import { type Json, resolve, toSchema } from '@plumb/lang'
import { isRecord } from '@plumb/wire'
import type { AgentConfig } from '../config/config.js'
import type { ChatMessage, ModelRequest } from '../provider/provider.js'

export const canonicalRequest = (
  question: ModelRequest,
  { provider, providerName }: Pick<AgentConfig, 'provider' | 'providerName'>,
): object => {
  const { system, history, turn, tools, parallelToolCalls, model, temperature, effort, output, schemaInPrompt } = question
  return {
    provider: providerName,
    model,
    system,
    messages: withoutIds([...history, ...turn]),
    // Servers list their tools in any order.
    tools: [...tools].sort((a, b) => (a.name < b.name ? -1 : 1)),
    ...(resolve(output).kind === 'string' ? {} : { schema: toSchema(output) }),
    settings: { ...provider.settings, temperature, effort, parallel_tool_calls: parallelToolCalls, schema_in_prompt: schemaInPrompt },
  }
}

/** Each id becomes its number in order of occurrence. */
const withoutIds = (messages: readonly ChatMessage[]): object[] => {
  const numbers = new Map<string, number>()
  const numberOf = (id: string): number => {
    const number = numbers.get(id) ?? numbers.size + 1
    numbers.set(id, number)
    return number
  }
  const plain = (block: Json): unknown => {
    if (!isRecord(block) || isInput(block)) return block
    return Object.fromEntries(
      Object.entries(block).flatMap(([key, value]) => {
        if (SEALED.has(key) || (key === 'data' && block.type === 'redacted_thinking')) return []
        return [[key, IDS.has(key) && typeof value === 'string' ? numberOf(value) : value]]
      }),
    )
  }
  return messages.map(({ role, content }) => ({ role, content: Array.isArray(content) ? content.map(plain) : content }))
}

// A memory that was set, or a text: kept whole.
const isInput = ({ type }: { readonly [key: string]: unknown }): boolean => typeof type !== 'string' || type === 'text'

const IDS: ReadonlySet<string> = new Set(['id', 'tool_use_id', 'call_id'])

/** Data that only the provider can read, and creates anew each time. */
const SEALED: ReadonlySet<string> = new Set(['signature', 'encrypted_content'])
