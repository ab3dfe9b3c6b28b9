// Converts type expressions to types: resolves names, checks fields, and refuses infinite or overlapping types and wrong defaults.

import { error, ignore, type Report, reportDuplicate } from '../diagnostic/diagnostic.js'
import type { Span } from '../diagnostic/source.js'
import { unreachable } from '../diagnostic/unreachable.js'
import { findType, type Scope } from '../names/names.js'
import type { FieldType, LabelledTypeNode, QualifiedName, TypeDeclaration, TypeExpression } from '../parse/ast.js'
import { textOfConstant } from '../parse/constant.js'
import { PRIMITIVES } from '../parse/type.js'
import type { Field, NamedType, Type } from '../types/type.js'
import { readAnnotations } from './annotations.js'
import { fillOwnDefaults } from './fill-default.js'
import { findCycles } from './find-cycle.js'
import { refuseInfinite } from './infinite.js'
import { mentions, namesIn } from './mentions.js'
import { refuseParts } from './refuse.js'

/** Fills `scope.types`, and the names of `scope.protocols`. All types of a file are declared before any is read, so they may refer to each other. */
export const declareTypes = (scope: Scope, report: Report): void => {
  const declarations = new Map<NamedType, TypeDeclaration>()
  const places = new Map<string, Span>()
  for (const item of scope.module.program.items) {
    if (item.kind !== 'type' && item.kind !== 'protocol') continue
    const { text, span } = item.name
    const first = places.get(text)
    if (first) reportDuplicate(item.kind, text, first, span, report)
    else if (PRIMITIVES.has(text)) report(error('duplicate_name', `'${text}' is a type of the language`, span, 'choose another name'))
    else if (item.kind === 'protocol') {
      places.set(text, span)
      scope.protocols.set(text, { name: text, declaration: item, scope, use: 'either', automaton: undefined, messages: [] })
    } else {
      places.set(text, span)
      const named: NamedType = { kind: 'named', name: text, target: { kind: 'json' } }
      scope.types.set(text, named)
      declarations.set(named, item)
    }
  }
  const broken = new Set<NamedType>()
  for (const [named, { type }] of declarations) {
    const target = readType(type, scope, report)
    if (target) named.target = target
    else broken.add(named)
  }
  const spans = new Map([...declarations].map(([named, { name }]) => [named, name.span]))
  for (const named of [...refuseInfinite(spans, report), ...refuseNested(spans, report)]) broken.add(named)
  for (const named of withThoseThatMention(broken, [...declarations.keys()])) scope.brokenTypes.add(named)
  for (const [named, { type }] of declarations)
    if (!scope.brokenTypes.has(named)) refuseParts(type, (e) => readType(e, scope, ignore), report)
  for (const named of declarations.keys()) if (!scope.brokenTypes.has(named)) fillOwnDefaults(named)
}

/** A type in a signature or a channel. Undefined: it has an error, reported here or at a declaration it mentions. */
export const declaredType = (e: TypeExpression, scope: Scope, report: Report): Type | undefined => {
  const type = readType(e, scope, report)
  if (!type || refuseParts(e, (part) => readType(part, scope, ignore), report)) return undefined
  fillOwnDefaults(type)
  return type
}

/** What names and labels of a type become. */
export interface Reading {
  readonly report: Report
  readonly named: (name: QualifiedName, scope: Scope) => Type | undefined
  readonly labelled: (e: LabelledTypeNode, type: Type) => Type
}

const readType = (e: TypeExpression, scope: Scope, report: Report): Type | undefined =>
  readTypeBy(e, scope, {
    report,
    named: (name) => {
      const found = findType(name, scope, report)
      return found === 'unknown' ? undefined : found
    },
    // The labelled type itself: flow/ checks labels, over the whole program.
    labelled: (_, type) => type,
  })

export const readTypeBy = (e: TypeExpression, scope: Scope, reading: Reading): Type | undefined => {
  const { report, named, labelled } = reading
  const read = (inner: TypeExpression) => readTypeBy(inner, scope, reading)
  switch (e.kind) {
    case 'primitive':
      return { kind: e.name }
    case 'literal':
      return { kind: 'literal', value: e.value }
    case 'named':
      return named(e.name, scope)
    case 'labelled': {
      const type = read(e.type)
      return type && labelled(e, type)
    }
    case 'array':
    case 'map': {
      const item = read(e.item)
      return item && { kind: e.kind, item }
    }
    case 'tuple': {
      const items = e.items.map(read)
      return items.every((t) => t !== undefined) ? { kind: 'tuple', items } : undefined
    }
    case 'sum': {
      const variants = e.variants.map(read)
      // Nested sums are flattened.
      return variants.every((t) => t !== undefined)
        ? { kind: 'sum', variants: variants.flatMap((v) => (v.kind === 'sum' ? v.variants : [v])) }
        : undefined
    }
    case 'record': {
      const places = new Map<string, Span>()
      const fields = e.fields.map((f) => {
        const first = places.get(f.name.text)
        if (first) reportDuplicate('field', f.name.text, first, f.name.span, report)
        else places.set(f.name.text, f.name.span)
        return field(f, read(f.type), report)
      })
      return places.size === fields.length && fields.every((f) => f !== undefined)
        ? { kind: 'record', fields, ...(e.isOpen ? { isOpen: true } : {}) }
        : undefined
    }
    default:
      return unreachable(e)
  }
}

const FIELD_ANNOTATIONS = { description: 'string', min: 'number', max: 'number' } as const

const field = (f: FieldType, type: Type | undefined, report: Report): Field | undefined => {
  const extras = Object.fromEntries(readAnnotations(f.annotations, FIELD_ANNOTATIONS, 'a field', report))
  if (!type) return undefined
  return {
    name: f.name.text,
    type,
    isOptional: f.isOptional || f.default !== undefined,
    ...extras,
    ...(f.default ? { default: textOfConstant(f.default) } : {}),
  }
}

const withThoseThatMention = (broken: ReadonlySet<NamedType>, all: readonly NamedType[]): ReadonlySet<NamedType> => {
  const reached = new Set(broken)
  if (broken.size === 0) return reached
  const mentioning = mentions(all)
  // A set iterates over members that are added meanwhile.
  for (const part of reached) for (const type of mentioning.get(part) ?? []) reached.add(type)
  return reached
}

/** The number of names on the way to an inner type. */
const MAX_NESTED = 3000

/** The declared types that are nested too deep; the first of them is reported. */
const refuseNested = (declared: ReadonlyMap<NamedType, Span>, report: Report): ReadonlySet<NamedType> => {
  const depths = new Map<NamedType, number>()
  const refused = new Set<NamedType>()
  const inside = new Map([...declared.keys()].map((type) => [type, namesIn(type.target)]))
  const refuse = (type: NamedType): void => {
    const span = declared.get(type)
    const message = `type '${type.name}' holds others more than ${MAX_NESTED.toLocaleString('en')} names deep`
    if (refused.size === 0 && span) report(error('too_large', message, span, 'no value may be nested more than 512 deep'))
    refused.add(type)
  }
  const order = findCycles(
    declared.keys(),
    (type) => inside.get(type) ?? [],
    (cycle) => {
      const [first] = cycle
      if (first && cycle.length > MAX_NESTED) refuse(first)
    },
  )
  for (const type of order) {
    // A recursive reference has no depth of its own yet.
    const depth = (inside.get(type) ?? []).reduce((most, other) => Math.max(most, (depths.get(other) ?? 0) + 1), 0)
    depths.set(type, depth)
    if (depth > MAX_NESTED) refuse(type)
  }
  return refused
}
