// Expands a .chatmd text: <import> everywhere except in assistant messages, <doc local> in messages.

import { existsSync } from 'node:fs'
import { dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { fail, preview, type Result, readSpec, succeed } from '@plumb/wire'
import { type ChatElement, type ChatNode, parseChatmd } from './chatmd-parser.js'
import { whyNotRead } from './prompt-reach.js'

/** Of imports in imports. */
const MAX_NESTING = 16

/** Limits of one prompt: included files, counted each time, and characters in all of them. */
const MAX_FILES = 1000
const MAX_CHARACTERS = 8 * 1024 * 1024

/** Totals of one prompt so far. */
interface Included {
  files: number
  characters: number
}

export const expandChatmd = (text: string, path: string): Result<readonly ChatNode[]> =>
  expandFile(text, path, [], { files: 0, characters: text.length })

const expandFile = (text: string, path: string, outer: readonly string[], taken: Included): Result<readonly ChatNode[]> => {
  const open = [...outer, resolve(path)]
  const parsed = parseChatmd(text, path)
  if (!parsed.ok) return refuse(path, parsed.error.detail)
  return expandAll(parsed.value, (node) => expandNode(node, { path, open, taken, isMessage: false }))
}

const includeFile = (file: string, line: number, { path, open: [prompt = path], taken }: TextPosition): Result<string> => {
  const place = `line ${line} of '${preview(path, 200)}' takes in '${preview(file, 200)}'`
  const refuseLarge = (limit: string) => fail('too_large', `${place}, and a prompt takes in at most ${limit}`, { path })
  if (++taken.files > MAX_FILES) return refuseLarge(`${MAX_FILES.toLocaleString('en')} files, each as often as it is named`)
  // Only the rules for secrets apply here; the caller checks the rest against the grant.
  const why = whyNotRead(file, { directory: dirname(prompt), mayReadFiles: true }, place)
  if (why) return { ok: false, error: why }
  const text = readSpec(file)
  if (!text.ok) return text
  taken.characters += text.value.length
  return taken.characters > MAX_CHARACTERS ? refuseLarge(`${MAX_CHARACTERS.toLocaleString('en')} characters`) : text
}

interface TextPosition {
  readonly path: string
  /** The files being expanded, outermost first, absolute. */
  readonly open: readonly string[]
  readonly taken: Included
  readonly isMessage: boolean
}

const expandNode = (node: ChatNode, place: TextPosition): Result<readonly ChatNode[]> => {
  if (node.kind === 'text') return succeed([node])
  if (node.name === 'import') return importFile(node, place)
  if (!place.isMessage) return expandMessage(node, place)
  if (node.name === 'doc') return inlineDocument(node, place)
  if (node.name === 'img') return checkImage(node, place)
  return refuse(place.path, `line ${node.line}: <${node.name}> within a message is not served; write out what it stands for`)
}

const MESSAGES = ['user', 'assistant', 'system', 'developer', 'msg']

const expandMessage = (element: ChatElement, place: TextPosition): Result<readonly ChatNode[]> => {
  if (!MESSAGES.includes(element.name)) return succeed([element])
  const isSaid = (element.name === 'msg' ? element.attributes.role : element.name) === 'assistant'
  const inner = { ...place, isMessage: true }
  const children = expandAll(element.children, (child) => (isSaid ? succeed([child]) : expandNode(child, inner)))
  return children.ok ? succeed([{ ...element, children: children.value }]) : children
}

const importFile = ({ attributes, line }: ChatElement, place: TextPosition): Result<readonly ChatNode[]> => {
  const { path, open, taken } = place
  const file = fileOf(attributes.src, path)
  if (file === undefined) return refuse(path, `line ${line}: <import> needs a 'src'`)
  if (open.includes(resolve(file))) return refuse(path, `line ${line}: files import each other in a circle: '${preview(file, 200)}'`)
  if (open.length === MAX_NESTING) return refuse(path, `line ${line}: files are imported more than ${MAX_NESTING} deep`)
  const text = includeFile(file, line, place)
  return text.ok ? expandFile(text.value, file, open, taken) : text
}

const inlineDocument = ({ attributes, line }: ChatElement, place: TextPosition): Result<readonly ChatNode[]> => {
  const { path } = place
  const file = fileOf(attributes.src, path)
  if (file === undefined) return refuse(path, `line ${line}: <doc> needs a 'src'`)
  const other = ['strip', 'markdown'].find((name) => attributes[name] !== undefined)
  if (other !== undefined) return refuse(path, `line ${line}: '${other}' of <doc> is not served; give it the text to be read`)
  if (!attributes.local) return refuse(path, `line ${line}: <doc> must be a file: give it the attribute 'local'`)
  // Relative to the prompt, or else to the working directory.
  const text = includeFile(existsSync(file) ? file : String(attributes.src), line, place)
  return text.ok ? succeed([{ kind: 'text', text: text.value }]) : text
}

// The agent reads images below its docroot, so the path is made relative to the outermost prompt.
const checkImage = (element: ChatElement, { path, open: [prompt = path] }: TextPosition): Result<readonly ChatNode[]> => {
  const { attributes, children, line } = element
  const file = fileOf(attributes.src, path)
  if (file === undefined) return refuse(path, `line ${line}: <img> needs a 'src'`)
  if (children.length > 0) return refuse(path, `line ${line}: <img> holds nothing: end it with />`)
  if (!attributes.local || /^[a-z]+:/i.test(String(attributes.src)))
    return refuse(path, `line ${line}: <img> must be a file: give it the attribute 'local'`)
  const src = relative(dirname(resolve(prompt)), resolve(file))
  return succeed([{ ...element, attributes: { ...attributes, src: isAbsolute(String(attributes.src)) ? file : src } }])
}

const fileOf = (src: string | boolean | undefined, from: string): string | undefined => {
  if (typeof src !== 'string' || src === '') return undefined
  return isAbsolute(src) ? src : join(dirname(from), src)
}

/** Stops at the first error. */
const expandAll = (nodes: readonly ChatNode[], expandOne: (node: ChatNode) => Result<readonly ChatNode[]>): Result<readonly ChatNode[]> => {
  const expanded: ChatNode[] = []
  for (const node of nodes) {
    const result = expandOne(node)
    if (!result.ok) return result
    for (const one of result.value) expanded.push(one)
  }
  return succeed(expanded)
}

const refuse = (path: string, detail: string): Result<never> =>
  fail('config_invalid', `cannot use '${preview(path, 200)}': ${detail}`, { path })
