// type = alt { "|" alt }

import { parseAnnotations } from './annotation.js'
import type { FieldType, LabelledTypeNode, Node, Primitive, TypeExpression } from './ast.js'
import { parseConstant } from './constant.js'
import { type Cursor, RESERVED } from './cursor.js'
import { helpBehindDefault, helpField, helpInRecord } from './foreign-form.js'
import { refuseBehindType, refuseGeneric, WHOLE } from './foreign-type.js'

export const PRIMITIVES: ReadonlySet<string> = new Set<Primitive>(['string', 'int', 'number', 'bool', 'unit', 'json'])

export const isPrimitive = (name: string): name is Primitive => PRIMITIVES.has(name)

export const parseType = (c: Cursor): TypeExpression => c.nested(sum)

const sum = (c: Cursor): TypeExpression => {
  const start = c.next
  const variants = [alternative(c)]
  while (c.takeSymbol('|')) variants.push(alternative(c))
  const [only] = variants
  return only && variants.length === 1 ? only : { kind: 'sum', variants, span: c.spanFrom(start) }
}

const alternative = (c: Cursor): TypeExpression => {
  const start = c.next
  let type = single(c)
  while (c.isSymbol('[') && c.isSymbol(']', 1) && !c.next.startsLine) {
    const { source, start: from, end } = type.span
    c.advance()
    c.advance()
    const span = c.spanFrom(start)
    const written = source.text.slice(from, end)
    c.hint('the type of a list has its brackets around it', span, `write '[${written}]' for '${written}[]'`)
    type = { kind: 'array', item: type, span }
  }
  return type
}

const single = (c: Cursor): TypeExpression => {
  const start = c.next
  if (start.kind === 'string') {
    c.advance()
    return { kind: 'literal', value: start.text, span: start.span }
  }
  if (isLabel(start.text) && startsType(c, 1)) {
    c.advance()
    return c.nested((c) => ({
      kind: 'labelled',
      label: start.text as LabelledTypeNode['label'],
      type: alternative(c),
      span: c.spanFrom(start),
    }))
  }
  return start.kind === 'identifier' ? named(c) : c.inBrackets(bracketed)
}

const bracketed = (c: Cursor): TypeExpression => {
  const start = c.next
  if (c.takeSymbol('[')) {
    const item = parseType(c)
    c.expectSymbol(']', 'after the type of the elements', c.isSymbol(',') ? 'a tuple is written (A, B)' : undefined)
    return { kind: 'array', item, span: c.spanFrom(start) }
  }
  if (c.takeSymbol('(')) {
    const items = [parseType(c)]
    while (c.takeSymbol(',')) items.push(parseType(c))
    c.expectSymbol(')', 'after the types')
    const [only] = items
    return only && items.length === 1 ? only : { kind: 'tuple', items, span: c.spanFrom(start) }
  }
  if (c.takeSymbol('{')) {
    if (c.isSymbol('[')) return map(c, start)
    const fields: FieldType[] = []
    let isOpen = false
    if (!c.isSymbol('}')) {
      do {
        isOpen = c.takeSymbol('...')
        if (!isOpen) fields.push(field(c))
      } while (!isOpen && c.takeSymbol(','))
    }
    if (isOpen && c.isSymbol(',')) c.fail("'...' is the last in a record type", c.next.span, 'as in { id: int, ... }')
    if (isOpen) c.expectSymbol('}', "after '...'", /^[A-Z]/.test(c.next.text) ? WHOLE : 'what it holds has no name: { id: int, ... }')
    else c.expectSymbol('}', "after the field (or ',' and another field)", fields.at(-1)?.default ? helpBehindDefault(c) : helpInRecord(c))
    return { kind: 'record', fields, ...(isOpen ? { isOpen } : {}), span: c.spanFrom(start) }
  }
  if (c.isSymbol('!')) return c.fail("a stream '!T' is allowed only in a signature or a channel", c.next.span)
  const isNothing = start.text === ')' && c.previous.text === '('
  const help = isNothing ? 'nothing is unit, the type of null' : undefined
  const number = "a number is not a type: write int, with '@min 1 @max 9' before the field"
  return c.failExpecting('a type', start.kind === 'number' ? number : help)
}

// A type, a module and a binding may have the name of a label: it is one where a type is after it.
const isLabel = (text: string): text is LabelledTypeNode['label'] => text === 'untrusted' || text === 'secret'

const startsType = (c: Cursor, distance: number): boolean => {
  const { kind, text, startsLine } = c.peek(distance)
  if (kind === 'identifier') return !startsLine || !RESERVED.has(text)
  return kind === 'string' || (kind === 'symbol' && ['[', '(', '{'].includes(text))
}

const map = (c: Cursor, start: Node): TypeExpression => {
  c.advance()
  const MAP = 'a map is written { [string]: T }'
  if (!c.isWord('string')) c.failExpecting("'string' between '[' and ']' of a map", MAP)
  c.advance()
  c.expectSymbol(']', "after '[string'")
  c.expectSymbol(':', "after '[string]'")
  const item = parseType(c)
  if (c.isSymbol(','))
    c.fail("a map has one type for all its values: '{ [string]: T }'", c.next.span, 'a record has fields, a map has any keys')
  c.expectSymbol('}', 'after the type of the values')
  return { kind: 'map', item, span: c.spanFrom(start) }
}

const named = (c: Cursor): TypeExpression => {
  if (c.isWord('true') || c.isWord('false')) c.fail(`'${c.next.text}' is a value, and no type`, c.next.span, 'its type is bool')
  if (c.isWord('null')) c.fail("'null' is a value, and no type", c.next.span, 'its type is unit: T | unit')
  const first = c.ownName('the name of a type')
  refuseGeneric(c, first.text)
  if (isPrimitive(first.text)) return { kind: 'primitive', name: first.text, span: first.span }
  if (!c.isSymbol('.') || c.isPointOfSteps) return { kind: 'named', name: { name: first, span: first.span }, span: first.span }
  c.advance()
  const name = c.ownName('the name of a type')
  const span = c.spanFrom(first)
  return { kind: 'named', name: { module: first, name, span }, span }
}

const field = (c: Cursor): FieldType => {
  const start = c.next
  const annotations = parseAnnotations(c)
  if (c.startsItem && !c.isSymbol(':', 1) && !c.isSymbol('?', 1)) c.failExpecting("a field or '}'")
  const name = c.fieldName('the name of a field', helpField(c, true))
  const isOptional = c.takeSymbol('?')
  c.expectSymbol(':', `after the field '${name.text}'`, 'a field is written name: T, or name?: T where it may be absent')
  const type = parseType(c)
  refuseBehindType(c)
  const standIn = c.takeSymbol('=') ? parseConstant(c) : undefined
  return { annotations, name, isOptional, type, span: c.spanFrom(start), ...(standIn ? { default: standIn } : {}) }
}
