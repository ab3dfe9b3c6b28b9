// Labels in types: the written labels, as the shape of a value; and a value that is labelled everywhere.

import { ignore } from '../diagnostic/diagnostic.js'
import { unreachable } from '../diagnostic/unreachable.js'
import { findType, type Scope } from '../names/names.js'
import type { FieldType, TypeExpression } from '../parse/ast.js'
import { writesLabel } from '../parse/visit.js'
import { resolve, type Type } from '../types/type.js'
import { variantsOf } from '../types/variants.js'
import { begin, isTagged, type Label, NO_TAGS, type Tags, type TrailStep, uniteTags } from './label.js'
import { leaf, PLAIN, type Shape } from './shape.js'
import { followSets, type View } from './subsets.js'

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

const nothing = (): undefined => undefined

/** A type, written or known, below these labels. */
interface Part {
  readonly type: { readonly written: TypeExpression; readonly scope: Scope } | { readonly known: Type }
  readonly labels: Labels
}

/** The labels that the type names, with `step` as their origin. */
export const declaredShape = (written: Written, side: Side, step: TrailStep): Shape => {
  if (!writesLabelIn(written)) return PLAIN
  const trail = begin(step)
  const whole: Tags = { untrusted: trail, open: trail, secret: trail }
  return followSets<Part>([partOf(written.type, written.scope, NONE)], {
    idOf,
    viewsOf: (part) => viewsOf(part, whole),
    // What is one field in one variant and another in the next may be put from one into the other: it is of neither's type.
    originOf: (parts, key) => (parts.length === 1 ? key : undefined),
    tagsOf: (views) => (side === 'gives' ? anyTags(views) : commonTags(views)),
    coarse: () => (side === 'gives' ? leaf(whole) : PLAIN),
  })
}

/** A value of this type with these labels everywhere; untrusted parts are open if their type may hold instructions. */
export const labelled = (type: Type | undefined, { untrusted, secret }: Tags): Shape => {
  if (!isTagged({ untrusted, secret })) return PLAIN
  const whole: Tags = { untrusted, open: untrusted, secret }
  return type ? labelledOf(type, whole) : { tags: whole }
}

const labelledOf = (type: Type, whole: Tags): Shape => {
  const labels: Labels = new Set([...(whole.untrusted ? (['untrusted'] as const) : []), ...(whole.secret ? (['secret'] as const) : [])])
  return followSets<Part>([{ type: { known: type }, labels }], {
    idOf,
    viewsOf: (part) => viewsOf(part, whole),
    originOf: nothing,
    tagsOf: anyTags,
    coarse: () => leaf(whole),
  })
}

/** What names and labels are before, so that a type is the same part wherever it is named. */
const partOf = (written: TypeExpression, scope: Scope, labels: Labels): Part => {
  const seen = new Set<TypeExpression>()
  for (let e = written, home = scope, around = labels; ; ) {
    if (seen.has(e)) return { type: { written: e, scope: home }, labels: around }
    seen.add(e)
    if (e.kind === 'labelled') {
      around = new Set([...around, e.label])
      e = e.type
      continue
    }
    const of = e.kind === 'named' ? homeOf(e, home) : undefined
    if (!of) return { type: { written: e, scope: home }, labels: around }
    e = of.type
    home = of.scope
  }
}

const numbers = new WeakMap<object, number>()
let count = 0

const idOf = ({ type, labels }: Part): string => {
  const of = 'written' in type ? type.written : type.known
  const number = numbers.get(of) ?? ++count
  numbers.set(of, number)
  return `${number}${labels.has('untrusted') ? 'u' : ''}${labels.has('secret') ? 's' : ''}`
}

const viewsOf = (part: Part, whole: Tags): readonly View<Part>[] =>
  'written' in part.type
    ? viewsOfWritten(part.type.written, part.type.scope, part.labels, whole)
    : viewsOfKnown(part.type.known, part.labels, whole)

const tagsFor = (labels: Labels, isOpen: boolean, { untrusted, secret }: Tags): Tags => ({
  ...(labels.has('untrusted') ? { untrusted, ...(isOpen ? { open: untrusted } : {}) } : {}),
  ...(labels.has('secret') ? { secret } : {}),
})

const viewsOfWritten = (from: TypeExpression, home: Scope, around: Labels, whole: Tags): readonly View<Part>[] => {
  const views: View<Part>[] = []
  // Sums within sums, each once.
  const waiting: Part[] = [partOf(from, home, around)]
  const seen = new Set<string>()
  for (const part of waiting) {
    if (seen.has(idOf(part))) continue
    seen.add(idOf(part))
    if ('known' in part.type) {
      views.push(...viewsOfKnown(part.type.known, part.labels, whole))
      continue
    }
    const { labels } = part
    const { written: e, scope } = part.type
    const inner = (type: TypeExpression): Part => partOf(type, scope, labels)
    const view = { tags: tagsFor(labels, false, whole), names: [], field: nothing }
    const open = { ...view, tags: tagsFor(labels, true, whole) }
    switch (e.kind) {
      case 'primitive':
        views.push(e.name === 'json' ? { ...open, field: () => part, otherwise: part } : e.name === 'string' ? open : view)
        break
      case 'literal':
        views.push(view)
        break
      case 'labelled':
        waiting.push(inner(e))
        break
      case 'named': {
        const builtIn = findType(e.name, scope, ignore)
        if (builtIn !== 'unknown') waiting.push({ type: { known: builtIn }, labels })
        break
      }
      case 'array':
        views.push({ ...view, elements: [inner(e.item)] })
        break
      case 'map':
        views.push({ ...open, field: () => inner(e.item), elements: [inner(e.item)] })
        break
      case 'tuple':
        views.push({ ...view, elements: e.items.map(inner), isTuple: true })
        break
      case 'record': {
        const fields = new Map(e.fields.map(({ name, type }: FieldType) => [name.text, inner(type)]))
        // What is behind the dots may be text.
        views.push({ ...(e.isOpen ? open : view), names: fields.keys(), field: (name) => fields.get(name) })
        break
      }
      case 'sum':
        waiting.push(...e.variants.map(inner))
        break
      default:
        return unreachable(e)
    }
  }
  return views
}

const viewsOfKnown = (type: Type, labels: Labels, whole: Tags): readonly View<Part>[] =>
  variantsOf(type).map((t): View<Part> => {
    const inner = (known: Type): Part => ({ type: { known: resolve(known) }, labels })
    const view = { tags: tagsFor(labels, false, whole), names: [], field: nothing }
    const open = { ...view, tags: tagsFor(labels, true, whole) }
    switch (t.kind) {
      case 'string':
        return open
      case 'json':
        return { ...open, field: () => inner(t), otherwise: inner(t) }
      case 'array':
        return { ...view, elements: [inner(t.item)] }
      case 'map':
        return { ...open, field: () => inner(t.item), elements: [inner(t.item)] }
      case 'tuple':
        return { ...view, elements: t.items.map(inner), isTuple: true }
      case 'record': {
        const fields = new Map(t.fields.map(({ name, type }) => [name, inner(type)]))
        return { ...(t.isOpen ? open : view), names: fields.keys(), field: (name) => fields.get(name) }
      }
      default:
        return view
    }
  })

type Tagged = readonly { readonly tags: Tags }[]
const anyTags = (views: Tagged): Tags => views.map(({ tags }) => tags).reduce(uniteTags, NO_TAGS)
const commonTags = (views: Tagged): Tags => {
  const of = (key: keyof Tags) => (views.every(({ tags }) => tags[key]) ? views[0]?.tags[key] : undefined)
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
