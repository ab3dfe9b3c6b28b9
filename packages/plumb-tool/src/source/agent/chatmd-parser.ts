// Parses .chatmd: a closed set of lower-case tags; all other markup is text.

import type { Span } from '@plumb/lang'
import { fail, preview, type Result, succeed } from '@plumb/wire'
import type { ToolAttributes } from './prompt-tool.js'

export type ChatNode = { readonly kind: 'text'; readonly text: string } | ChatElement

export interface ChatElement {
  readonly kind: 'element'
  readonly name: string
  readonly attributes: ToolAttributes
  readonly children: readonly ChatNode[]
  /** From 1. */
  readonly line: number
  /** Of its opening tag. */
  readonly place: Span
}

const TAGS = [
  ...['msg', 'user', 'assistant', 'system', 'developer', 'config', 'tool', 'tool_call', 'tool_response', 'reasoning', 'summary'],
  ...['doc', 'img', 'agent', 'import', 'script', 'shell_access', 'moderator_runtime', 'authoring_context', 'authoring_help'],
]

// A comment, literal text, or a tag; of an opening tag, the part before its attributes.
const MARK = new RegExp(`<!--[\\s\\S]*?(?:-->|$)|RAW\\|([\\s\\S]*?)(?:(\\|RAW)|$)|<(/?)(${TAGS.join('|')})(?=[\\s/>])`, 'g')
const ATTRIBUTE = /\s*([\w-]+)(?:\s*=\s*(?:"((?:\\.|[^"\\])*)"|'((?:\\.|[^'\\])*)'))?/y
const TAG_END = /\s*(\/?)>/y

/** `path` names the file in places. */
export const parseChatmd = (text: string, path = ''): Result<readonly ChatNode[]> => {
  const source = { path, text }
  const root: ChatNode[] = []
  const open: { name: string; line: number; children: ChatNode[] }[] = []
  const children = () => open.at(-1)?.children ?? root
  const addText = (piece: string) => {
    if (piece !== '') children().push({ kind: 'text', text: piece })
  }
  let at = 0
  let line = 1
  let counted = 0
  const mark = new RegExp(MARK)
  for (let match = mark.exec(text); match; match = mark.exec(text)) {
    const [whole, raw, rawEnd, slash, name = ''] = match
    for (let end = text.indexOf('\n', counted); end >= 0 && end < match.index; end = text.indexOf('\n', counted)) {
      line++
      counted = end + 1
    }
    addText(text.slice(at, match.index))
    at = mark.lastIndex
    if (raw !== undefined) {
      if (rawEnd === undefined) return refuse(line, "'RAW|' is never closed by '|RAW'")
      addText(raw)
    } else if (slash === '/') {
      const last = open.pop()
      if (last?.name !== name) return refuse(line, `</${name}> closes ${last ? `<${last.name}> of line ${last.line}` : 'nothing'}`)
      const end = text.indexOf('>', at)
      if (end < 0) return refuse(line, `the tag </${name} is never closed`)
      at = end + 1
    } else if (!whole.startsWith('<!--')) {
      const tag = readTag(text, at)
      if (!tag) return refuse(line, `the tag <${name} is never closed, or has an attribute without its closing quote`)
      at = tag.end
      const inner: ChatNode[] = []
      const place = { source, start: match.index, end: at }
      children().push({ kind: 'element', name, attributes: tag.attributes, children: inner, line, place })
      if (!tag.isEmpty) open.push({ name, line, children: inner })
    }
    mark.lastIndex = at
  }
  addText(text.slice(at))
  const unclosed = open.at(-1)
  return unclosed ? refuse(unclosed.line, `<${unclosed.name}> is never closed`) : succeed(root)
}

interface Tag {
  readonly attributes: ToolAttributes
  readonly isEmpty: boolean
  readonly end: number
}

const readTag = (text: string, from: number): Tag | undefined => {
  const attributes: Record<string, string | boolean> = {}
  for (let at = from; ; ) {
    TAG_END.lastIndex = at
    const end = TAG_END.exec(text)
    if (end) return { attributes, isEmpty: end[1] === '/', end: TAG_END.lastIndex }
    ATTRIBUTE.lastIndex = at
    const [, name, double, single] = ATTRIBUTE.exec(text) ?? []
    if (name === undefined) return undefined
    const value = double ?? single
    attributes[name] = value === undefined ? true : decode(value)
    at = ATTRIBUTE.lastIndex
  }
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

const decode = (value: string): string =>
  value.replace(/\\(["'\\])/g, '$1').replace(/&(amp|lt|gt|quot|apos);/g, (_, name: string) => ENTITIES[name] ?? '')

const refuse = (line: number, detail: string): Result<never> => fail('config_invalid', `line ${line}: ${preview(detail, 200)}`)
