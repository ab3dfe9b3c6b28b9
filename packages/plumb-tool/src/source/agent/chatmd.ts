// Reads a .chatmd file: its messages, one config, and the tools that it declares.

import type { Json, Span } from '@plumb/lang'
import { fail, nearest, preview, type Result, succeed } from '@plumb/wire'
import { expandChatmd } from './chatmd-expand.js'
import type { ChatElement } from './chatmd-parser.js'
import type { PlacedTool, PromptFile, PromptMessage, PromptMessagePart } from './prompt.js'
import { readPromptTool } from './prompt-tool.js'

export const readChatmd = (text: string, path: string): Result<PromptFile> => {
  const expanded = expandChatmd(text, path)
  if (!expanded.ok) return expanded
  const reader = new Reader()
  for (const node of expanded.value) {
    const wrong = node.kind === 'element' ? reader.take(node) : strayText(node.text)
    if (wrong !== undefined) return fail('config_invalid', `cannot use '${preview(path, 200)}': ${wrong}`, { path })
  }
  const { config = {}, configPlace, system, history, tools } = reader
  const place = { source: { path, text }, start: 0, end: text.length }
  return succeed({ path, config, system: system.join('\n\n'), history, tools, place, ...(configPlace ? { configPlace } : {}) })
}

const strayText = (text: string): string | undefined =>
  text.trim() === '' ? undefined : `text is outside of all tags: '${preview(text.trim())}'; put it into <developer> or <user>`

class Reader {
  config: { readonly [key: string]: Json } | undefined
  configPlace: Span | undefined
  readonly system: string[] = []
  readonly history: PromptMessage[] = []
  readonly tools: PlacedTool[] = []

  /** Returns what is wrong with the element, if anything. */
  take(element: ChatElement): string | undefined {
    const { name, line, attributes } = element
    const fault = this.#take(name, element, name === 'msg' ? attributes.role : name)
    return fault && (fault.startsWith('line ') ? fault : `line ${line}: ${fault}`)
  }

  #take(name: string, element: ChatElement, role: string | boolean | undefined): string | undefined {
    if (name === 'config') return this.#takeConfig(element)
    if (name === 'tool') return this.#takeTool(element)
    // Reasoning is not part of the conversation.
    if (name === 'reasoning') return undefined
    const parts = partsOf(element)
    // Of assistant messages only the text is used.
    const hasImages = role !== 'assistant' && parts.some(({ type }) => type === 'image')
    if (hasImages && role !== 'user') return `<img> in <${String(role)}> is not served; put it into <user>`
    if (role === 'system' || role === 'developer') this.system.push(textOf(element).trim())
    else if (role === 'user' || role === 'assistant') this.history.push({ role, content: hasImages ? parts : textOf(element).trim() })
    else return `<${name}> has no place in a prompt that is used as a tool; it may have messages, config and tools`
    return undefined
  }

  #takeTool({ attributes, children, place }: ChatElement): string | undefined {
    if (children.some((child) => child.kind === 'element' || child.text.trim() !== '')) return '<tool> holds nothing: end it with />'
    const tool = readPromptTool(attributes)
    if (!tool.ok) return tool.error.detail
    this.tools.push({ ...tool.value, place })
    return undefined
  }

  // Only the first <config> counts.
  #takeConfig({ attributes, place }: ChatElement): string | undefined {
    if (this.config) return undefined
    const config: Record<string, Json> = {}
    for (const [name, value] of Object.entries(attributes)) {
      const read = Object.hasOwn(CONFIG, name) ? CONFIG[name] : undefined
      if (!read) return `<config> has no attribute '${preview(name)}', ${didYouMean(name)}`
      const entries = read(String(value))
      if (!entries) return `'${name}' in <config> takes a number, found '${preview(String(value))}'`
      Object.assign(config, entries)
    }
    this.config = config
    this.configPlace = place
    return undefined
  }
}

const partsOf = ({ children }: ChatElement): PromptMessagePart[] =>
  children.flatMap((child): PromptMessagePart[] => {
    if (child.kind === 'element') return child.name === 'img' ? [{ type: 'image', path: String(child.attributes.src) }] : []
    return child.text.trim() === '' ? [] : [{ type: 'text', text: child.text.trim() }]
  })

/** Other elements were expanded before, or mean nothing here. */
const textOf = ({ children }: ChatElement): string => children.map((child) => (child.kind === 'text' ? child.text : '')).join('')

type Entries = { readonly [key: string]: Json }

const numeric =
  (name: string) =>
  (text: string): Entries | undefined =>
    text.trim() !== '' && Number.isFinite(Number(text)) ? { [name]: Number(text) } : undefined

/** Maps attributes to keys of an agent. */
const CONFIG: Readonly<Record<string, (value: string) => Entries | undefined>> = {
  provider: (provider) => ({ provider }),
  model: (model) => ({ model }),
  max_tokens: numeric('max_tokens'),
  temperature: numeric('temperature'),
  reasoning_effort: (effort) => ({ request: { reasoning_effort: effort } }),
  id: () => ({}),
  show_tool_call: () => ({}),
}

const didYouMean = (name: string): string => {
  const near = nearest(name, Object.keys(CONFIG))
  return near === undefined ? `it may have ${Object.keys(CONFIG).join(', ')}` : `did you mean '${near}'?`
}
