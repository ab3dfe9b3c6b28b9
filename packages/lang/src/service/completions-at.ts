// What can be written at a place: names and words that the grammar takes there, with what they are.

import { compile, type Program } from '../compile.js'
import type { Files } from '../names/modules.js'
import type { Node, Use } from '../parse/ast.js'
import { tokenize } from '../parse/lexer.js'
import { STANDARD_LIBRARY } from '../stdlib/library.js'
import { configCompletions } from './complete-config.js'
import { expressionCompletions } from './complete-expression.js'
import { processCompletions } from './complete-process.js'
import { typeCompletions } from './complete-type.js'
import { type Completion, keywords } from './completion.js'
import { completionText, PLACEHOLDER } from './completion-text.js'
import { isOf, pathAt } from './path-at.js'

export interface Completions {
  /** Where the word before the cursor begins: that is what they replace. */
  readonly start: number
  readonly items: readonly Completion[]
}

/** `text` may be broken; what is around the place is repaired as far as needed. */
export const completionsAt = (entry: { path: string; text: string }, files: Files, offset: number): Completions => {
  const { text } = entry
  const start = offset - (/[A-Za-z_][A-Za-z0-9_]*$/.exec(text.slice(0, offset))?.[0].length ?? 0)
  const end = offset + (/^[A-Za-z0-9_]*/.exec(text.slice(offset))?.[0].length ?? 0)
  if (isProse(text, offset)) return { start, items: [] }
  const completed = completionText(text, start, end)
  if (!completed) return { start, items: CHANNEL.test(text.slice(0, start)) ? keywords('channel') : [] }
  const { program } = compile({ path: entry.path, text: completed.text, files })
  const path = pathAt(program.entry.module.program, completed.offset + PLACEHOLDER.length)
  // The word that the repair put before the cursor: then it is words like it that can be written.
  const word = completed.text.slice(start, completed.offset).trim()
  return { start, items: word === '' ? atName(path, program) : atWord(word, path) }
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
  if (word === 'use') return keywords('let', 'type', 'use', 'param', 'test')
  return word === 'as' ? keywords('as') : keywords('and', 'or', ...(path.some(isOf('if')) ? ['then', 'else'] : []))
}

const atName = (path: readonly Node[], program: Program): readonly Completion[] => {
  const use = path.find(isOf('use')) as Use | undefined
  if (use) return use.target.text === PLACEHOLDER ? Object.keys(STANDARD_LIBRARY).map((label) => ({ label, kind: 'module' })) : []
  if (path.some(isAnnotation)) return annotations(path)
  return (
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
  const words = path.some(isOf('record')) ? ['description', 'min', 'max'] : ['description', 'tool', 'version']
  return words.map((label) => ({ label, kind: 'annotation', insert: TEXTUAL.has(label) ? `${label} ""` : label }))
}
