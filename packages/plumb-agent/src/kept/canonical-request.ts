// What makes two requests the same: what is said, to which model, with which tools, type and settings. What differs from run to run is left
// out: ids, signatures, the clock of runtime_context, and how a request is sent.

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
    // Servers of tools list them in any order.
    tools: [...tools].sort((a, b) => (a.name < b.name ? -1 : 1)),
    ...(resolve(output).kind === 'string' ? {} : { schema: toSchema(output) }),
    settings: { ...provider.settings, temperature, effort, parallel_tool_calls: parallelToolCalls, schema_in_prompt: schemaInPrompt },
  }
}

/** Each id becomes its number in the order in which they come. */
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

// A value that was set as a memory, or a text: all of it is said.
const isInput = ({ type }: { readonly [key: string]: unknown }): boolean => typeof type !== 'string' || type === 'text'

const IDS: ReadonlySet<string> = new Set(['id', 'tool_use_id', 'call_id'])

/** What only the provider can read, and makes anew each time. */
const SEALED: ReadonlySet<string> = new Set(['signature', 'encrypted_content'])
