// A memory and a turn in a form that no server refuses for ever: what an earlier release remembered, or was set, is mended on its way.

import { isMedia } from './media-block.js'
import type { ChatMessage, ContentBlock } from './provider.js'
import { type ContentPart, readMessage, type Spoken } from './read-message.js'

/** Messages without content are left out, and each call of a message has an id of its own. */
export const readMessages = (messages: readonly ChatMessage[]): readonly Spoken[] => {
  let renamed = NOTHING
  return messages.flatMap((message): readonly Spoken[] => {
    const { role, parts } = readMessage(message)
    if (role === 'user') return [{ role, parts: withResultIds(parts, renamed) }]
    const own = withOwnIds(parts)
    renamed = own.renamed
    return saysSomething(own.parts) ? [{ role, parts: own.parts }] : []
  })
}

/** The same of an answer: two calls with one id are two calls. */
export const withDistinctIds = (content: readonly ContentBlock[]): readonly ContentBlock[] => withOwnIds(content).parts

/** Thinking alone, or nothing: every server refuses one or the other, and the model misses neither. */
export const saysSomething = (parts: readonly { readonly type: string }[]): boolean =>
  parts.some((part) =>
    part.type === 'text' ? (part as { readonly text?: string }).text?.trim() !== '' : !THOUGHTS.has(part.type) && !isReasoning(part),
  )

const THOUGHTS: ReadonlySet<string> = new Set(['thinking', 'redacted_thinking', 'chat_fields', 'reasoning'])

const isReasoning = (part: { readonly type: string; readonly item?: unknown }): boolean =>
  part.type === 'item' && (part.item as { readonly type?: unknown } | null)?.type === 'reasoning'

/** By the id that the server gave, those of its calls in their order. */
type Renamed = ReadonlyMap<string, readonly string[]>
const NOTHING: Renamed = new Map()

const withOwnIds = <T extends ContentPart>(parts: readonly T[]): { readonly parts: readonly T[]; readonly renamed: Renamed } => {
  const ids = parts.flatMap((part) => (part.type === 'tool_use' ? [part.id] : []))
  const taken = new Set(ids)
  if (taken.size === ids.length) return { parts, renamed: NOTHING }
  const renamed = new Map<string, string[]>()
  const own = parts.map((part) => {
    if (part.type !== 'tool_use') return part
    const before = renamed.get(part.id) ?? []
    let id = part.id
    for (let n = 2; before.length > 0 && taken.has(id); n++) id = `${part.id}_${n}`
    taken.add(id)
    renamed.set(part.id, [...before, id])
    return id === part.id ? part : { ...part, id }
  })
  return { parts: own, renamed }
}

// Results come in the order of their calls.
const withResultIds = (parts: readonly ContentPart[], renamed: Renamed): readonly ContentPart[] => {
  if (renamed.size === 0) return parts
  const seen = new Map<string, number>()
  return parts.map((part) => {
    if (part.type !== 'tool_result' || isMedia(part)) return part
    const nth = seen.get(part.tool_use_id) ?? 0
    seen.set(part.tool_use_id, nth + 1)
    const id = renamed.get(part.tool_use_id)?.[nth]
    return id === undefined || id === part.tool_use_id ? part : { ...part, tool_use_id: id }
  })
}
