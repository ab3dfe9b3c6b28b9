// What is in a file, as an editor lists it, and what of it can be folded.

import type { Compiled } from '../compile.js'
import { ignore } from '../diagnostic/diagnostic.js'
import type { Source, Span } from '../diagnostic/source.js'
import { aliasOf } from '../names/modules.js'
import type { Bound, Scope } from '../names/names.js'
import type { Binding, Item, Name, TypeExpression } from '../parse/ast.js'
import { type BrokenItem, type Parsed, parse } from '../parse/parser.js'
import { childNodesOf } from './path-at.js'
import { writtenSignature } from './signature.js'

export interface ListedSymbol {
  readonly name: string
  readonly kind: 'module' | 'type' | 'protocol' | 'param' | 'process' | 'tool' | 'value' | 'test' | 'field' | 'channel'
  /** Of the whole declaration, and of the name in it. */
  readonly span: Span
  readonly at: Span
  /** Its signature, where it has one. */
  readonly detail?: string
  readonly parts: readonly ListedSymbol[]
}

/** In their order; those of a spec with errors, too. */
export const symbolsIn = ({ program: { entry } }: Compiled): readonly ListedSymbol[] => symbolsOf(entry.module.program, entry)

/** Of a text alone, which is not checked: without details, and what is a process is known by its signature. */
export const symbolsOfText = (source: Source): readonly ListedSymbol[] => symbolsOf(parse(source, ignore))

const symbolsOf = ({ items, broken }: Parsed, scope?: Scope): readonly ListedSymbol[] =>
  [...items.map((item) => symbolOf(item, scope)), ...[...broken.values()].map(brokenSymbol)].sort((a, b) => a.span.start - b.span.start)

// What is being written stays in the list, and folded.
const brokenSymbol = ({ kind, name, span }: BrokenItem): ListedSymbol => ({
  ...{ name: name.text, kind: kind === 'binding' ? 'value' : kind, span, at: name.span },
  parts: [],
})

const symbolOf = (item: Item, scope: Scope | undefined): ListedSymbol => {
  const { span } = item
  switch (item.kind) {
    case 'use':
      return { name: aliasOf(item), kind: 'module', span, at: (item.as ?? item.target).span, parts: [] }
    case 'type':
      return { name: item.name.text, kind: 'type', span, at: item.name.span, parts: fieldsOf(item.type) }
    case 'protocol':
      return { name: item.name.text, kind: 'protocol', span, at: item.name.span, parts: [] }
    case 'param':
      return { name: item.name.text, kind: 'param', span, at: item.name.span, parts: [] }
    case 'test':
      return { name: item.name.text, kind: 'test', span, at: item.name.span, parts: [] }
    case 'binding':
      return scope ? bindingOf(item, scope.bindings.get(item.name.text)) : { ...bindingOf(item, undefined), kind: writtenKind(item) }
  }
}

const KINDS: Readonly<Record<Bound['category'], ListedSymbol['kind']>> = {
  stream: 'process',
  base: 'tool',
  value: 'value',
  unknown: 'value',
}

const writtenKind = ({ signature }: Binding): ListedSymbol['kind'] => {
  if (!signature) return 'value'
  return [...signature.inputs, ...signature.outputs].some(({ isStream }) => isStream) ? 'process' : 'tool'
}

const bindingOf = (binding: Binding, bound: Bound | undefined): ListedSymbol => {
  const { name, span, impl } = binding
  const isKnown = bound?.binding === binding
  const signature = isKnown ? writtenSignature(bound).replace(/^ : /, '') : ''
  return {
    ...{ name: name.text, kind: isKnown ? KINDS[bound.category] : 'value', span, at: name.span },
    ...(signature === '' ? {} : { detail: signature }),
    parts: impl.kind === 'plumb' ? impl.statements.flatMap((s) => (s.kind === 'channel' ? [part(s.name, s.span, 'channel')] : [])) : [],
  }
}

const fieldsOf = (type: TypeExpression): ListedSymbol[] =>
  type.kind === 'record' ? type.fields.map(({ name, span }) => part(name, span, 'field')) : []

const part = (name: Name, span: Span, kind: 'field' | 'channel'): ListedSymbol => ({
  name: name.text,
  kind,
  span,
  at: name.span,
  parts: [],
})

export interface FoldingSpan {
  readonly span: Span
  readonly isComment: boolean
}

/** Nodes and comments of several lines; of those that begin on one line the longest. */
export const foldsIn = ({ program }: Compiled): readonly FoldingSpan[] => {
  const tree = program.entry.module.program
  const byLine = new Map<number, FoldingSpan>()
  const { text } = tree.span.source
  const note = (span: Span, isComment: boolean): void => {
    if (!text.slice(span.start, span.end).includes('\n')) return
    const line = text.lastIndexOf('\n', span.start)
    const known = byLine.get(line)
    if (!known || known.span.end < span.end) byLine.set(line, { span, isComment })
  }
  const walk = (node: object): void => {
    for (const inner of childNodesOf(node)) {
      note(inner.span, false)
      walk(inner)
    }
  }
  walk({ items: tree.items })
  for (const { span } of tree.broken.values()) note(span, false)
  for (const { span } of tree.comments) note(span, true)
  return [...byLine.values()].sort((a, b) => a.span.start - b.span.start)
}
