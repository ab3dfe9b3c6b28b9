// Labels in types: the written labels, as the shape of a value; and a value that is labelled everywhere.

import { ignore } from '../diagnostic/diagnostic.js'
import { unreachable } from '../diagnostic/unreachable.js'
import { findType, type Scope } from '../names/names.js'
import type { FieldType, TypeExpression } from '../parse/ast.js'
import { writesLabel } from '../parse/visit.js'
import { resolve, type Type } from '../types/type.js'
import { begin, isTagged, type Label, NO_TAGS, type Tags, type TrailStep } from './label.js'
import { type OpenShape, PLAIN, type Shape } from './shape.js'

/** A type as it is written, and the scope of its names. */
export interface Written {
  readonly type: TypeExpression
  readonly scope: Scope
}

/**
 * `gives`: the labels that a value of the type may have; of differing variants, all of them. `takes`: the labels that it accepts; of
 * differing variants, the common ones.
 */
export type Side = 'gives' | 'takes'

type Labels = ReadonlySet<Label>
const NONE: Labels = new Set()

/** The labels that the type names, with `step` as their origin. */
export const declaredShape = ({ type, scope }: Written, side: Side, step: TrailStep): Shape => {
  const trail = begin(step)
  const tagsOf = (labels: Labels, isOpen: boolean): Tags => ({
    ...(labels.has('untrusted') ? { untrusted: trail, ...(isOpen ? { open: trail } : {}) } : {}),
    ...(labels.has('secret') ? { secret: trail } : {}),
  })
  // Keyed by the declaration and the labels around it, so that recursion ends.
  const named = new Map<string, OpenShape>()
  const read = (e: TypeExpression, scope: Scope, labels: Labels): Shape => fill({ tags: NO_TAGS }, e, scope, labels)
  const fill = (shape: OpenShape, e: TypeExpression, scope: Scope, labels: Labels): Shape => {
    const isOpen = e.kind === 'map' || (e.kind === 'primitive' && (e.name === 'string' || e.name === 'json'))
    shape.tags = tagsOf(labels, isOpen)
    switch (e.kind) {
      case 'primitive':
      case 'literal':
        return shape
      case 'labelled':
        return fill(shape, e.type, scope, new Set([...labels, e.label]))
      case 'named':
        return fillNamed(shape, e, scope, labels)
      case 'array':
      case 'map':
        shape.item = read(e.item, scope, labels)
        return shape
      case 'tuple':
        shape.items = e.items.map((item) => read(item, scope, labels))
        return shape
      case 'record':
        shape.fields = new Map(e.fields.map((field: FieldType) => [field.name.text, read(field.type, scope, labels)]))
        return shape
      case 'sum': {
        const [first = shape, ...others] = e.variants.map((variant) => read(variant, scope, labels))
        return copyInto(
          shape,
          others.reduce((a, b) => mixed(a, b, side), first),
        )
      }
      default:
        return unreachable(e)
    }
  }
  const fillNamed = (shape: OpenShape, e: TypeExpression & { kind: 'named' }, scope: Scope, labels: Labels): Shape => {
    const home = homeOf(e, scope)
    if (!home) return fillBuiltIn(shape, e, scope, labels)
    const key = `${home.scope.module.path} ${e.name.name.text} ${[...labels].sort().join()}`
    const known = named.get(key)
    if (known) return known
    named.set(key, shape)
    return fill(shape, home.type, home.scope, labels)
  }
  const fillBuiltIn = (shape: OpenShape, e: TypeExpression & { kind: 'named' }, scope: Scope, labels: Labels): Shape => {
    const found = findType(e.name, scope, ignore)
    const whole = found === 'unknown' ? PLAIN : labelled(found, tagsOf(labels, false))
    return copyInto(shape, whole)
  }
  const shape = read(type, scope, NONE)
  return writesLabelIn({ type, scope }) ? shape : PLAIN
}

const copyInto = (shape: OpenShape, from: Shape): Shape => {
  shape.tags = from.tags
  if (from.fields) shape.fields = new Map(from.fields)
  if (from.item) shape.item = from.item
  if (from.items) shape.items = [...from.items]
  return shape
}

// A part that only one of two variants has is taken from that one.
const mixed = (a: Shape, b: Shape, side: Side): Shape => {
  const seen = new Map<Shape, Map<Shape, Shape>>()
  const both = (a: Shape | undefined, b: Shape | undefined): Shape => {
    if (!a || !b || a === b) return a ?? b ?? PLAIN
    const row = seen.get(a) ?? new Map<Shape, Shape>()
    seen.set(a, row)
    const known = row.get(b)
    if (known) return known
    const shape: OpenShape = { tags: mixedTags(a.tags, b.tags, side) }
    row.set(b, shape)
    if (a.fields || b.fields) {
      const names = new Set([...(a.fields?.keys() ?? []), ...(b.fields?.keys() ?? [])])
      shape.fields = new Map([...names].map((name) => [name, both(a.fields?.get(name), b.fields?.get(name))]))
    }
    if (a.item || b.item) shape.item = both(a.item, b.item)
    if (a.items && b.items && a.items.length === b.items.length) shape.items = a.items.map((item, i) => both(item, b.items?.[i]))
    else if (a.items || b.items) shape.item = [...(a.items ?? []), ...(b.items ?? []), ...(shape.item ? [shape.item] : [])].reduce(both)
    return shape
  }
  return both(a, b)
}

const mixedTags = (a: Tags, b: Tags, side: Side): Tags => {
  const of = (key: keyof Tags) => (side === 'gives' ? (a[key] ?? b[key]) : a[key] && b[key])
  return { untrusted: of('untrusted'), open: of('open'), secret: of('secret') }
}

const homeOf = ({ name }: TypeExpression & { kind: 'named' }, scope: Scope): Written | undefined => {
  const home = name.module ? scope.modules.get(name.module.text) : scope
  const type = home && declarationsIn(home).get(name.name.text)
  return home && type ? { type, scope: home } : undefined
}

// Asked for each name in each signature: to look through all declarations each time would take long in a long file.
const declarationsIn = (scope: Scope): ReadonlyMap<string, TypeExpression> => {
  const known = declarations.get(scope)
  if (known) return known
  const found = new Map<string, TypeExpression>()
  // Of two with one name the first is meant.
  for (const item of scope.module.program.items)
    if (item.kind === 'type' && !found.has(item.name.text)) found.set(item.name.text, item.type)
  declarations.set(scope, found)
  return found
}

const declarations = new WeakMap<Scope, ReadonlyMap<string, TypeExpression>>()

/** Does it name a label, itself or in a type that it names? */
export const writesLabelIn = ({ type, scope }: Written): boolean => {
  const seen = new Set<TypeExpression>()
  const look = (e: TypeExpression, scope: Scope): boolean => {
    if (seen.has(e)) return false
    seen.add(e)
    switch (e.kind) {
      case 'labelled':
        return true
      case 'named': {
        const home = homeOf(e, scope)
        return home !== undefined && look(home.type, home.scope)
      }
      case 'array':
      case 'map':
        return look(e.item, scope)
      case 'tuple':
        return e.items.some((item) => look(item, scope))
      case 'record':
        return e.fields.some((field) => look(field.type, scope))
      case 'sum':
        return e.variants.some((variant) => look(variant, scope))
      default:
        return writesLabel(e)
    }
  }
  return look(type, scope)
}

/** A value of this type with these labels everywhere; untrusted parts are open if their type may hold instructions. */
export const labelled = (type: Type | undefined, { untrusted, secret }: Tags): Shape => {
  if (!isTagged({ untrusted, secret })) return PLAIN
  const closed: Tags = { untrusted, secret }
  const open: Tags = { untrusted, open: untrusted, secret }
  const made = new Map<Type, OpenShape>()
  const read = (type: Type): Shape => {
    const t = resolve(type)
    const known = made.get(t)
    if (known) return known
    const isOpen = t.kind === 'string' || t.kind === 'json' || t.kind === 'map'
    const shape: OpenShape = { tags: isOpen ? open : closed }
    made.set(t, shape)
    if (t.kind === 'array' || t.kind === 'map') shape.item = read(t.item)
    if (t.kind === 'tuple') shape.items = t.items.map(read)
    if (t.kind === 'record') shape.fields = new Map(t.fields.map((field) => [field.name, read(field.type)]))
    if (t.kind === 'sum')
      copyInto(
        shape,
        t.variants.map(read).reduce((a, b) => mixed(a, b, 'gives')),
      )
    return shape
  }
  return type ? read(type) : { tags: open }
}
