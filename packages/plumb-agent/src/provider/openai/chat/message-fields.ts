// What a compatible server sends other than text and calls, and wants back with every later request that has the message.

import type { Json } from '@plumb/lang'
import { isRecord } from '@plumb/wire'
import { at, listAt, textAt } from '../../http/json-path.js'

/** DeepSeek, Moonshot, vLLM, llama.cpp; Groq, Ollama; OpenRouter; Gemini; Mistral, as parts of the content. */
export const FIELDS = ['reasoning_content', 'reasoning', 'reasoning_details', 'extra_content', 'thinking'] as const

export type MessageFields = { readonly [K in (typeof FIELDS)[number]]?: Json }

/** Puts them together from the pieces of a stream. */
export class FieldDrafts {
  /** An empty text counts: DeepSeek wants it back, too. */
  #texts: { reasoning_content?: string; reasoning?: string } = {}
  #details: Json[] = []
  #extra: Json | undefined
  #parts: { readonly [key: string]: Json } | undefined
  #said = ''

  /** A part of the content that is thinking. Returns its text. */
  takePart(part: unknown): string {
    const said = textsIn(at(part, 'thinking') ?? at(part, 'text'))
    this.#said += said
    this.#parts = { ...this.#parts, ...(part as { readonly [key: string]: Json }) }
    return said
  }

  /** Returns the thinking in it. */
  take(delta: unknown): string {
    const [content, plain] = [textAt(delta, 'reasoning_content'), textAt(delta, 'reasoning')]
    if (content !== undefined) this.#texts.reasoning_content = (this.#texts.reasoning_content ?? '') + content
    if (plain !== undefined) this.#texts.reasoning = (this.#texts.reasoning ?? '') + plain
    const details = listAt(delta, 'reasoning_details')
    for (const detail of details) this.#addDetail(detail as Json)
    const extra = at(delta, 'extra_content')
    if (extra !== undefined && extra !== null) this.#extra = extra as Json
    return content || plain || details.map((detail) => textAt(detail, 'text') ?? textAt(detail, 'summary') ?? '').join('')
  }

  /** Undefined: there is none. */
  finish(): MessageFields | undefined {
    const { reasoning_content, reasoning } = this.#texts
    const fields: MessageFields = {
      ...(reasoning_content === undefined ? {} : { reasoning_content }),
      // It is the text of the details, or the same under its other name.
      ...(reasoning === undefined || reasoning_content !== undefined || this.#details.length > 0 ? {} : { reasoning }),
      ...(this.#details.length === 0 ? {} : { reasoning_details: this.#details }),
      ...(this.#extra === undefined ? {} : { extra_content: this.#extra }),
      ...(this.#parts === undefined ? {} : { thinking: { ...this.#parts, thinking: [{ type: 'text', text: this.#said }] } }),
    }
    return Object.keys(fields).length === 0 ? undefined : fields
  }

  // Pieces of one detail have its type and index; texts grow, and the rest comes once.
  #addDetail(piece: Json): void {
    const last = this.#details.at(-1)
    const isMore = isRecord(last) && isRecord(piece) && last.type === piece.type && last.index === piece.index && piece.index !== undefined
    if (!isMore) {
      this.#details.push(piece)
      return
    }
    const grown = new Map(Object.entries(last))
    for (const [key, value] of Object.entries(piece)) {
      const before = grown.get(key)
      if (GROWING.has(key) && typeof value === 'string') grown.set(key, typeof before === 'string' ? before + value : value)
      else if (value !== null) grown.set(key, value)
    }
    this.#details[this.#details.length - 1] = Object.fromEntries(grown) as Json
  }
}

const GROWING: ReadonlySet<string> = new Set(['text', 'summary', 'data'])

/** Those of a block of a memory. */
export const fieldsOf = (fields: unknown): MessageFields =>
  Object.fromEntries(FIELDS.flatMap((key) => (at(fields, key) === undefined ? [] : [[key, at(fields, key)]])))

const textsIn = (parts: unknown): string => {
  if (!Array.isArray(parts)) return typeof parts === 'string' ? parts : ''
  return parts.map((part) => (typeof part === 'string' ? part : (textAt(part, 'text') ?? ''))).join('')
}
