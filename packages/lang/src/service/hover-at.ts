// The meaning of a name, a morphism or a part of an expression: its declaration, or its type.

import type { Compiled, Program } from '../compile.js'
import type { Span } from '../diagnostic/source.js'
import type { Scope } from '../names/names.js'
import type { Chain, Expression, Name, Node } from '../parse/ast.js'
import { MORPHISMS } from '../parse/morphism.js'
import { resolve, type Type } from '../types/type.js'
import { bindingAround, expressionAt, isOnField } from './expression-at.js'
import { typeDeclaration } from './field-declaration.js'
import { flowOf } from './flow.js'
import { fuzzyNameAt } from './fuzzy-name.js'
import { occurrenceAt } from './occurrences.js'
import { isOf, pathAt } from './path-at.js'
import { printPortType, signatureOf } from './signature.js'
import type { SymbolInfo } from './symbol.js'

export interface Hover {
  /** What it is said of. */
  readonly span: Span
  /** In the language itself. */
  readonly code: string
  /** Written by the author. */
  readonly remark?: string
}

export const hoverAt = ({ program }: Compiled, offset: number): Hover | undefined => {
  const occurrence = occurrenceAt(program.entry, offset) ?? fuzzyNameAt(program.entry, offset)
  if (occurrence) {
    const remark = docComment(occurrence.meaning)
    return { span: occurrence.span, code: signatureOf(occurrence.meaning), ...(remark === undefined ? {} : { remark }) }
  }
  const path = pathAt(program.entry.module.program, offset)
  return ofExpression(path, program) ?? ofMorphism(path, program)
}

const ofExpression = (path: readonly Node[], program: Program): Hover | undefined => {
  const place = expressionAt(path, program)
  if (!place) return undefined
  const { part, known } = place
  const { facts, calls, declared } = known
  const last = path.at(-1)
  if (part.kind === 'call' && last === part.function) {
    const called = calls.get(part)
    const type = facts.get(part)?.type
    const code = `${called?.usage ?? 'has(x)'}${type ? ` : ${printPortType(type)}` : ''}`
    return { span: part.function.span, code, remark: called?.text ?? HAS }
  }
  const local = last && declared.get(last as Name)
  if (local)
    return { span: (last as Name).span, code: withDeclaration(`${local.name} : ${printPortType(local.type)}`, local.type, program) }
  // The key of a record that is built has the type of what is after it.
  const built = part.kind === 'record' ? part.parts.find((p) => p.kind === 'field' && p.name === last) : undefined
  const subject: Expression = built?.kind === 'field' ? built.value : part
  const fact = facts.get(subject)
  if (!fact) return undefined
  const span = isOnField(part, path) ? part.field.span : built?.kind === 'field' ? built.name.span : part.span
  const name = built?.kind === 'field' ? built.name.text : textOf(span)
  return { span, code: withDeclaration(`${name}${fact.absence === 'maybe' ? '?' : ''} : ${printPortType(fact.type)}`, fact.type, program) }
}

const HAS = 'Is the optional field there?'

// Of `map`, `copy` and their like, and of a chain's `.field`: what comes in and what goes out.
const ofMorphism = (path: readonly Node[], program: Program): Hover | undefined => {
  const bound = bindingAround(path, program)
  const node = path.findLast((n) => isOf(...MORPHISMS, 'each', 'field')(n)) as Chain | undefined
  if (!bound || !node) return undefined
  const flow = flowOf(bound)
  const span = node.kind === 'field' ? (node.field as Name).span : node.span
  const found = flow.nodes.get(span)
  if (!found) return undefined
  const side = (ports: readonly { type: Type | undefined }[], label = '') => {
    const types = ports.map((p) => `!${label}${printPortType(p.type)}`)
    return types.length === 1 ? types[0] : `(${types.join(', ')})`
  }
  const word = node.kind === 'field' ? `.${node.field.text}` : node.kind
  return { span, code: `${word} : ${side(found.inputs, TAKEN_OFF[node.kind])} -> ${side((flow.exits.get(span) ?? found).outputs)}` }
}

/** Types have no labels. */
const TAKEN_OFF: Readonly<Record<string, string>> = { endorse: 'untrusted ', declassify: 'secret ' }

// A type that has a name is shown with what the name stands for.
const withDeclaration = (code: string, type: Type, program: Program): string => {
  if (type.kind !== 'named') return code
  const declared = typeDeclaration(type, program)
  return `${code}\ntype ${type.name} = ${declared ? textOf(declared.declaration.type.span) : printPortType(resolve(type))}`
}

const textOf = ({ source, start, end }: Span): string => source.text.slice(start, end).replace(/\s+/g, ' ')

// What the author says of a declaration: its @description, and the comment directly above it.
const docComment = (meaning: SymbolInfo): string | undefined => {
  if (meaning.kind === 'type') return commentAbove(meaning.declaration, meaning.scope)
  if (meaning.kind === 'protocol') return commentAbove(meaning.protocol.declaration, meaning.protocol.scope)
  if (meaning.kind === 'param') return commentAbove(meaning.param.declaration, meaning.param.scope)
  if (meaning.kind !== 'binding') return undefined
  const { bound } = meaning
  const parts = [bound.description, commentAbove(bound.binding, bound.scope)].filter((text) => text !== undefined)
  return parts.length > 0 ? parts.join('\n\n') : undefined
}

const commentAbove = ({ span }: Node, { module: { program } }: Scope): string | undefined => {
  const { text } = span.source
  const comment = program.comments.find((c) => c.span.end <= span.start && /^[ \t\r]*\n?[ \t]*$/.test(text.slice(c.span.end, span.start)))
  return comment?.text
    .slice(2, -2)
    .split('\n')
    .map((line) => line.trim())
    .join('\n')
    .trim()
}
