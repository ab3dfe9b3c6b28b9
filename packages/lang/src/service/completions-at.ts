// The completions at a position: names and words that the grammar allows there, with their meanings.

import { declared, type Program } from '../compile.js'
import type { Source } from '../diagnostic/source.js'
import type { Files } from '../names/modules.js'
import type { Scope } from '../names/names.js'
import type { NamedTypeNode, Node, Use } from '../parse/ast.js'
import { tokenize } from '../parse/lexer.js'
import { type Parsed, parse } from '../parse/parser.js'
import { STANDARD_LIBRARY } from '../stdlib/library.js'
import { BUILT_IN_TYPES } from '../types/failure.js'
import { printType } from '../types/print.js'
import { configCompletions } from './complete-config.js'
import { expressionCompletions } from './complete-expression.js'
import { optionCompletions } from './complete-option.js'
import { processCompletions } from './complete-process.js'
import { protocolCompletions } from './complete-protocol.js'
import { type Completion, keywords, moduleCompletions, protocolsOf } from './completion.js'
import { type CompletionText, completionText, itemAround, PLACEHOLDER } from './completion-text.js'
import { isOf, pathAt } from './path-at.js'

export interface Completions {
  /** The beginning of the word before the cursor, which they replace. */
  readonly start: number
  readonly items: readonly Completion[]
}

/** `text` may be broken; what is around the place is repaired as far as needed. `around` remembers what does not change. */
export const completionsAt = (
  entry: { path: string; text: string },
  files: Files,
  offset: number,
  around = new TextAround(),
): Completions => {
  const { text } = entry
  const start = wordStart(text, offset)
  const end = wordEnd(text, offset)
  const item = itemAround(text, start, end)
  const rest = around?.parse(entry, item)
  if (rest ? isProse(text.slice(item.start, item.end), offset - item.start) : isProse(text, offset)) return { start, items: [] }
  const options = optionCompletions(text.slice(item.start, start))
  const completed = completionText(text, start, end, item)
  if (!completed && options.length > 0) return { start, items: options }
  if (!completed) return { start, items: CHANNEL.test(text.slice(0, start)) ? keywords('channel') : [] }
  const { program, path } = rest ? ofItem(entry, files, completed, item.start, rest) : ofWhole(entry, files, completed, item)
  // The word that the repair put before the cursor: then it is words like it that can be written.
  const word = completed.item.slice(start - item.start, completed.offset - item.start).trim()
  return { start, items: word === '' ? [...options, ...atName(path, program)] : [...options, ...atWord(word, path)] }
}

const lineStart = (text: string, offset: number): number => text.lastIndexOf('\n', offset - 1) + 1

const wordStart = (text: string, offset: number): number =>
  offset - (/[A-Za-z_][A-Za-z0-9_]*$/.exec(text.slice(lineStart(text, offset), offset))?.[0].length ?? 0)

const wordEnd = (text: string, offset: number): number => {
  const rest = /[A-Za-z0-9_]*/y
  rest.lastIndex = offset
  return rest.test(text) ? rest.lastIndex : offset
}

/** What is before a declaration and after it, parsed once while that is being written. */
export class TextAround {
  #before: Piece | undefined
  #behind: Piece | undefined

  /** Undefined: one of them has a syntax error, which may reach over the declaration. */
  parse({ path, text }: { path: string; text: string }, { start, end }: { start: number; end: number }): readonly Parsed[] | undefined {
    this.#before = parsePiece(this.#before, path, text.slice(0, start))
    this.#behind = parsePiece(this.#behind, path, text.slice(end))
    return this.#before.isRight && this.#behind.isRight ? [this.#before.program, this.#behind.program] : undefined
  }
}

interface Piece {
  readonly source: Source
  readonly program: Parsed
  readonly isRight: boolean
}

const parsePiece = (known: Piece | undefined, path: string, text: string): Piece => {
  if (known?.source.text === text && known.source.path === path) return known
  const source = { path, text }
  let isRight = true
  const program = parse(source, () => {
    isRight = false
  })
  return { source, program, isRight }
}

type CompletionContext = { readonly program: Program; readonly path: readonly Node[] }
type FileEntry = { path: string; text: string }

const ofWhole = (
  { path, text }: FileEntry,
  files: Files,
  { item, offset }: CompletionText,
  { start, end }: { start: number; end: number },
): CompletionContext => {
  const program = declared({ path, text: text.slice(0, start) + item + text.slice(end) }, files)
  return { program, path: pathAt(program.entry.module.program, offset + PLACEHOLDER.length) }
}

// Places count from the start of the declaration.
const ofItem = (
  { path, text }: FileEntry,
  files: Files,
  { item, offset }: CompletionText,
  start: number,
  rest: readonly Parsed[],
): CompletionContext => {
  const own = parse({ path, text: item }, () => {})
  const [before, behind] = rest as [Parsed, Parsed]
  const all = [before, own, behind]
  const program = { ...own, items: all.flatMap(({ items }) => items), broken: new Map(all.flatMap(({ broken }) => [...broken])) }
  return { program: declared({ path, text, program }, files), path: pathAt(own, offset - start + PLACEHOLDER.length) }
}

// `let c : !int = ` in a body.
const CHANNEL = /\blet\s+\w+\s*:[^=\n]*=\s*$/

/** In a comment, a string or a number nothing is completed. */
const isProse = (text: string, offset: number): boolean => {
  const { tokens, comments, shebang = '' } = tokenize({ path: '', text }, () => {})
  const words = tokens.filter((token) => token.kind === 'string' || token.kind === 'template' || token.kind === 'bad')
  const isInside = [...comments, ...words].some(({ span }) => span.start < offset && offset < span.end)
  const isBehind = tokens.some(({ kind, span }) => (kind === 'number' || kind === 'bad') && span.start < span.end && span.end === offset)
  return isInside || isBehind || offset < shebang.length
}

const atWord = (word: string, path: readonly Node[]): Completion[] => {
  if (word === 'use') return keywords('let', 'type', 'use', 'param', 'protocol', 'test')
  return word === 'as' ? keywords('as') : keywords('and', 'or', ...(path.some(isOf('if')) ? ['then', 'else'] : []))
}

const atName = (path: readonly Node[], program: Program): readonly Completion[] => {
  const use = path.find(isOf('use')) as Use | undefined
  if (use) return use.target.text === PLACEHOLDER ? Object.keys(STANDARD_LIBRARY).map((label) => ({ label, kind: 'module' })) : []
  if (path.some(isAnnotation)) return annotations(path)
  return (
    protocolCompletions(path, program) ??
    typeCompletions(path, program) ??
    configCompletions(path, program) ??
    expressionCompletions(path, program) ??
    processCompletions(path, program) ??
    []
  )
}

const isAnnotation = (node: Node): boolean => 'name' in node && 'value' in node && (node.name as { text?: string }).text === PLACEHOLDER

const TEXTUAL: ReadonlySet<string> = new Set(['description', 'version'])

const annotations = (path: readonly Node[]): Completion[] => {
  const words = path.some(isOf('record')) ? ['description', 'min', 'max'] : ['description', 'serve', 'tool', 'version']
  return words.map((label) => ({ label, kind: 'annotation', insert: TEXTUAL.has(label) ? `${label} ""` : label }))
}

// Where a type is wanted: the types of the language, of the file, and after a dot those of a module.
const typeCompletions = (path: readonly Node[], { entry }: Program): Completion[] | undefined => {
  const node = path.find(isOf('named')) as NamedTypeNode | undefined
  if (!node) return undefined
  const { module } = node.name
  if (module) return typesOf(entry.modules.get(module.text))
  const isPort = !path.some((node) => 'steps' in node)
  return [
    ...typesOf(entry),
    ...(isPort ? protocolsOf(entry) : []),
    ...keywords('string', 'int', 'number', 'bool', 'unit', 'json', 'untrusted', 'secret'),
    ...BUILT_IN,
    ...moduleCompletions(entry),
  ]
}

const typesOf = (scope: Scope | undefined): Completion[] =>
  [...(scope?.types.values() ?? [])].map((type) => ({ label: type.name, kind: 'type', detail: printType(type.target) }))

const BUILT_IN: readonly Completion[] = [...BUILT_IN_TYPES.values()].map(({ name, target }) => ({
  label: name,
  kind: 'type',
  detail: printType(target),
}))
