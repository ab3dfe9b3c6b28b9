// What takes arguments in parentheses, where they are or are being written: functions, bindings that are called, and words such as `map`.
// Known by its tokens, so that a declaration need not parse yet.

import type { Compiled } from '../compile.js'
import { functionsNamed } from '../expression/run/function-table.js'
import type { MorphismAtom } from '../parse/ast.js'
import { RESERVED } from '../parse/cursor.js'
import { type Token, tokenize } from '../parse/lexer.js'
import { itemAround } from './completion-text.js'
import { writtenSignature } from './signature.js'

export interface SignatureForm {
  /** As `slice(s, from, to)`. */
  readonly usage: string
  /** What it does. */
  readonly text?: string
  /** The word of the language that it begins with, which a page explains. */
  readonly word?: string
}

export interface Signatures {
  /** Several where a name has several. */
  readonly usages: readonly SignatureForm[]
  /** From 0. */
  readonly argument: number
}

/** Of the innermost name whose parentheses are around the place. */
export const signaturesAt = ({ program: { entry } }: Compiled, offset: number): Signatures | undefined => {
  const { path, program } = entry.module
  const { text } = program.span.source
  const { tokens } = tokenize({ path, text: text.slice(itemAround(text, offset, offset).start, offset) }, () => {})
  const call = openAt(tokens).findLast(({ name }) => name)
  const usages = call ? usagesOf(call, entry) : []
  return call && usages.length > 0 ? { usages, argument: call.commas } : undefined
}

interface Open {
  /** Of what the parentheses belong to. */
  readonly name?: string
  readonly module?: string
  commas: number
}

/** What is open after the last token, from the outermost in. */
const openAt = (tokens: readonly Token[]): readonly Open[] => {
  const open: Open[] = []
  for (const [i, { kind, text, piece }] of tokens.entries()) {
    if (kind === 'template') {
      if (piece === 'middle' || piece === 'tail') open.pop()
      if (piece === 'head' || piece === 'middle') open.push({ commas: 0 })
    }
    if (kind !== 'symbol') continue
    const around = open.at(-1)
    if (text === '(') open.push({ ...calledBefore(tokens, i), commas: 0 })
    else if (text === '[' || text === '{') open.push({ commas: 0 })
    else if (text === ')' || text === ']' || text === '}') open.pop()
    else if (text === ',' && around) around.commas++
  }
  return open
}

const calledBefore = (tokens: readonly Token[], paren: number): { readonly name?: string; readonly module?: string } => {
  const [module, dot, name] = [tokens[paren - 3], tokens[paren - 2], tokens[paren - 1]]
  if (name?.kind !== 'identifier' || (RESERVED.has(name.text) && !Object.hasOwn(FORMS, name.text))) return {}
  return dot?.text === '.' && module?.kind === 'identifier' ? { name: name.text, module: module.text } : { name: name.text }
}

const usagesOf = ({ module, name = '' }: Open, entry: Compiled['program']['entry']): Signatures['usages'] => {
  if (!module && Object.hasOwn(FORMS, name)) return FORMS[name as Form].map((usage) => ({ usage, word: name }))
  const bound = (module ? entry.modules.get(module) : entry)?.bindings.get(name)
  if (bound) return [{ usage: `${name}${writtenSignature(bound)}` }]
  return module ? [] : functionsNamed(name).map(({ usage, text }) => ({ usage, text }))
}

type Form = Exclude<MorphismAtom['kind'], 'id' | 'copy' | 'merge' | 'discard' | 'empty' | 'barrier' | 'flatten'> | 'each'

const FORMS: Readonly<Record<Form, readonly string[]>> = {
  map: ['map(e)', 'map(f, parallel: n)'],
  filter: ['filter(e)'],
  project: ['project(n)'],
  batch: ['batch(n, within: seconds)', 'batch()', 'batch(within: seconds)'],
  fold: ['fold(e, from: x, by: key, emit: "end")'],
  each: ['each(p, parallel: n, on_error: "skip")'],
  endorse: ['endorse("why")'],
  declassify: ['declassify("why")'],
}
