// Type expressions → types: names found, fields and defaults checked, infinite and overlapping types refused.

import { nearest } from '@plumb/wire/nearest'
import type { Annotation, FieldType, TypeDeclaration, TypeExpression } from '../ast.js'
import type { Report } from '../diagnostic.js'
import { findType, reportDuplicate, type Scope } from '../names.js'
import type { Span } from '../source.js'
import { checkTree, describeMisfit } from './check.js'
import { findShared } from './disjoint.js'
import { printType } from './print.js'
import { parseTree } from './tree.js'
import { type Field, type NamedType, resolve, type Type } from './type.js'

/** Fills `scope.types`. All of a file's types are declared before any is read, so they may refer to each other. */
export const declareTypes = (scope: Scope, report: Report): void => {
  const declarations: { declaration: TypeDeclaration; named: NamedType }[] = []
  const seen = new Map<string, Span>()
  for (const item of scope.module.program.items) {
    if (item.kind !== 'type') continue
    const { text, span } = item.name
    const first = seen.get(text)
    if (first) {
      reportDuplicate('type', text, first, span, report)
      continue
    }
    seen.set(text, span)
    if (PRIMITIVES.has(text)) {
      report({ severity: 'error', code: 'duplicate_name', message: `'${text}' is a type of the language`, span, help: 'choose another name' })
      continue
    }
    const named: NamedType = { kind: 'named', name: text, target: { kind: 'json' } }
    scope.types.set(text, named)
    declarations.push({ declaration: item, named })
  }
  for (const { declaration, named } of declarations) {
    const type = readType(declaration.type, scope, report)
    if (type) named.target = type
    else scope.brokenTypes.add(named)
  }
  for (const { declaration, named } of declarations) refuseInfinite(declaration, named, scope, report)
  spreadBrokenness(scope)
  for (const { declaration, named } of declarations) if (!scope.brokenTypes.has(named)) refuseOverlaps(declaration.type, scope, report)
}

const PRIMITIVES: ReadonlySet<string> = new Set(['string', 'int', 'number', 'bool', 'unit', 'json'])

/** A type written in a signature or a channel; undefined when it has an error, told here or at a declaration it mentions. */
export const declaredType = (e: TypeExpression, scope: Scope, report: Report): Type | undefined => {
  const type = readType(e, scope, report)
  if (!type || mentionsBroken(type, scope)) return undefined
  return refuseOverlaps(e, scope, report) ? undefined : type
}

const readType = (e: TypeExpression, scope: Scope, report: Report): Type | undefined => {
  const read = (inner: TypeExpression) => readType(inner, scope, report)
  switch (e.kind) {
    case 'primitive':
      return { kind: e.name }
    case 'literal':
      return { kind: 'literal', value: e.value }
    case 'named': {
      const found = findType(e.name, scope, report)
      return found === 'unknown' ? undefined : found
    }
    case 'array': {
      const item = read(e.item)
      return item && { kind: 'array', item }
    }
    case 'tuple': {
      const items = e.items.map(read)
      return items.every((t) => t !== undefined) ? { kind: 'tuple', items } : undefined
    }
    case 'sum': {
      const variants = e.variants.map(read)
      // A sum inside a sum is the sum of all of them.
      return variants.every((t) => t !== undefined) ? { kind: 'sum', variants: variants.flatMap((v) => (v.kind === 'sum' ? v.variants : [v])) } : undefined
    }
    case 'record': {
      const seen = new Map<string, Span>()
      const fields = e.fields.map((f) => {
        const first = seen.get(f.name.text)
        if (first) reportDuplicate('field', f.name.text, first, f.name.span, report)
        else seen.set(f.name.text, f.name.span)
        return field(f, scope, report)
      })
      return seen.size === fields.length && fields.every((f) => f !== undefined) ? { kind: 'record', fields } : undefined
    }
  }
}

const field = (f: FieldType, scope: Scope, report: Report): Field | undefined => {
  const type = readType(f.type, scope, report)
  const extras = annotations(f.annotations, report)
  if (!type) return undefined
  return { name: f.name.text, type, isOptional: f.isOptional || f.default !== undefined, ...extras, ...(f.default ? { default: f.default.text } : {}) }
}

const FIELD_ANNOTATIONS = { description: 'string', min: 'number', max: 'number' } as const

const annotations = (list: readonly Annotation[], report: Report): Partial<Field> => {
  const found: Record<string, unknown> = {}
  for (const { name, value, span } of list) {
    const wanted = Object.hasOwn(FIELD_ANNOTATIONS, name.text) ? FIELD_ANNOTATIONS[name.text as keyof typeof FIELD_ANNOTATIONS] : undefined
    if (wanted && typeof value.value === wanted) found[name.text] = value.value
    else {
      const near = nearest(name.text, Object.keys(FIELD_ANNOTATIONS))
      const message = wanted ? `@${name.text} takes a ${wanted}` : `a field has no annotation '@${name.text}'`
      const help = near && !wanted ? `did you mean '@${near}'?` : 'a field takes @description "…", @min n and @max n'
      report({ severity: 'error', code: 'annotation_invalid', message, span, help })
    }
  }
  return found
}

// A type may contain itself through an array, an optional field or a sum; else it has no finite value.
const refuseInfinite = (declaration: TypeDeclaration, named: NamedType, scope: Scope, report: Report): void => {
  // `type A = A | int` has no beginning, though a sum is a way out elsewhere.
  const path = aliasesOf(named.target).has(named) ? [named] : findCycle(named, named.target, [named], new Set())
  if (!path) return
  scope.brokenTypes.add(named)
  // Told once, at the first type of the circle.
  if (path.slice(1).some((t) => scope.brokenTypes.has(t) && t !== named)) return
  const circle = [...path, named].map((t) => t.name).join(' -> ')
  const help = 'a type may contain itself through an array, an optional field or a sum with another variant'
  report({ severity: 'error', code: 'type_cycle', message: `type '${named.name}' contains itself without end: ${circle}`, span: declaration.name.span, help })
}

const findCycle = (goal: NamedType, type: Type, path: NamedType[], seen: Set<Type>): NamedType[] | undefined => {
  const inside = (t: Type) => findCycle(goal, t, path, seen)
  if (seen.has(type)) return undefined
  seen.add(type)
  switch (type.kind) {
    case 'named':
      if (type === goal) return path
      return findCycle(goal, type.target, [...path, type], seen)
    case 'record':
      return firstOf(type.fields.filter((f) => !f.isOptional).map((f) => f.type), inside)
    case 'tuple':
      return firstOf(type.items, inside)
    // The other variants are a way out of a sum, and no elements out of an array.
    default:
      return undefined
  }
}

const aliasesOf = (type: Type, found = new Set<Type>()): Set<Type> => {
  if (found.has(type)) return found
  if (type.kind === 'named') {
    found.add(type)
    aliasesOf(type.target, found)
  } else if (type.kind === 'sum') for (const v of type.variants) aliasesOf(v, found)
  return found
}

const firstOf = <A, B>(list: readonly A[], f: (a: A) => B | undefined): B | undefined => {
  for (const a of list) {
    const b = f(a)
    if (b !== undefined) return b
  }
  return undefined
}

const spreadBrokenness = (scope: Scope): void => {
  let grew = true
  while (grew) {
    grew = false
    for (const named of scope.types.values()) {
      if (scope.brokenTypes.has(named) || !mentionsBroken(named.target, scope)) continue
      scope.brokenTypes.add(named)
      grew = true
    }
  }
}

const mentionsBroken = (type: Type, scope: Scope): boolean => {
  switch (type.kind) {
    case 'named':
      return scope.brokenTypes.has(type)
    case 'array':
      return mentionsBroken(type.item, scope)
    case 'tuple':
      return type.items.some((t) => mentionsBroken(t, scope))
    case 'sum':
      return type.variants.some((t) => mentionsBroken(t, scope))
    case 'record':
      return type.fields.some((f) => mentionsBroken(f.type, scope))
    default:
      return false
  }
}

// Sums with a shared value and defaults that do not fit: both need all types to be known. True when something was reported.
const refuseOverlaps = (e: TypeExpression, scope: Scope, report: Report): boolean => {
  switch (e.kind) {
    case 'array':
      return refuseOverlaps(e.item, scope, report)
    case 'tuple':
      return anyOf(e.items, (t) => refuseOverlaps(t, scope, report))
    case 'record':
      return anyOf(e.fields, (f) => refuseOverlaps(f.type, scope, report) || refuseDefault(f, scope, report))
    case 'sum':
      return anyOf(e.variants, (v) => refuseOverlaps(v, scope, report)) || overlap(e, scope, report)
    default:
      return false
  }
}

const overlap = (e: TypeExpression & { kind: 'sum' }, scope: Scope, report: Report): boolean => {
  const variants = e.variants.map((v) => ({ type: readType(v, scope, ignore), span: v.span }))
  for (const [i, b] of variants.entries()) {
    for (const a of variants.slice(0, i)) {
      const shared = a.type && b.type && findShared(a.type, b.type)
      if (!a.type || !b.type || shared === undefined) continue
      const message = `variants '${printType(a.type)}' and '${printType(b.type)}' overlap: both accept ${shared}`
      const help = 'the variants of a sum are disjoint; give records a literal field that tells them apart, as in kind: "a"'
      report({ severity: 'error', code: 'overlapping_sum', message, span: b.span, help })
      return true
    }
  }
  return false
}

const refuseDefault = (f: FieldType, scope: Scope, report: Report): boolean => {
  const type = f.default && readType(f.type, scope, ignore)
  if (!f.default || !type) return false
  const bytes = Buffer.from(f.default.text)
  const tree = parseTree(bytes, 0, bytes.length)
  const misfit = tree.kind === 'fault' ? undefined : checkTree(type, bytes, tree)
  if (!misfit) return false
  report({
    severity: 'error',
    code: 'type_mismatch',
    message: `the default of '${f.name.text}' does not fit its type '${printType(resolve(type))}': ${describeMisfit(misfit)}`,
    span: f.default.span,
  })
  return true
}

const ignore: Report = () => {}

// Not Array.some: every member is looked at, so that every error is told.
const anyOf = <T>(list: readonly T[], test: (t: T) => boolean): boolean => list.map(test).some(Boolean)
