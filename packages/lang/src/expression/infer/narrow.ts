// What a condition tells of the names in it: `p = "a"`, `p != null` and `has(p)`, where p is a name or a path of fields from one, and of
// items of tuples.

import type { BinaryExpression, Expression, IndexExpression, LiteralExpression } from '../../parse/ast.js'
import { unite } from '../../types/join.js'
import { listsOf } from '../../types/kind.js'
import { fieldOf, isPresent } from '../../types/required-fields.js'
import { NEVER, type Type } from '../../types/type.js'
import { type Variant, variantsOf } from '../../types/variants.js'
import { type Context, type Fact, literalIndex, type Narrowing, type Place } from './context.js'
import { withoutNull } from './fields.js'

/** Applies `rule` where a condition is known to hold, or not to. */
export const where = <T>(condition: Expression, holds: boolean, context: Context, rule: () => T): T =>
  context.under(narrowBy(condition, holds, context), rule)

const placeOf = (e: Expression, context: Context): Place | undefined => {
  if (e.kind === 'name') {
    const meaning = context.meanings.get(e)
    if (meaning?.kind === 'local') return { root: meaning.local, path: [] }
    if (meaning?.kind === 'whole') return { root: undefined, path: [] }
    return meaning?.kind === 'field' ? { root: undefined, path: [e.name] } : undefined
  }
  if (e.kind !== 'field' && e.kind !== 'index') return undefined
  const step = e.kind === 'index' ? itemOfTuple(e, context) : context.moduleParams.has(e) ? undefined : e.field.text
  const base = step === undefined ? undefined : placeOf(e.of, context)
  return base && step !== undefined ? { root: base.root, path: [...base.path, step] } : undefined
}

const itemOfTuple = (e: IndexExpression, context: Context): number | undefined => {
  const of = context.facts.get(e.of)?.type
  return of && listsOf(of)?.every(({ kind }) => kind === 'tuple') ? literalIndex(e.index) : undefined
}

const isSame = (a: Place, b: Place): boolean =>
  a.root === b.root && a.path.length === b.path.length && a.path.every((step, i) => step === b.path[i])

/** With what the conditions around it say. */
export const narrowedFact = (e: Expression, fact: Fact, context: Context): Fact => {
  const place = context.narrowed && placeOf(e, context)
  return place ? narrowedAt(place, fact, context) : fact
}

/** The same for the whole input. */
export const narrowedInput = (context: Context): Type =>
  narrowedAt({ root: undefined, path: [] }, { type: context.environment.input, absence: 'never' }, context).type

const narrowedAt = (place: Place, fact: Fact, context: Context): Fact => {
  const known: Narrowing[] = []
  for (let n = context.narrowed; n; n = n.outer) if (isSame(n.place, place)) known.unshift(n)
  return keptBy(known, fact)
}

/** The narrowings where the condition holds, or does not. It has been inferred. */
const narrowBy = (e: Expression, holds: boolean, context: Context): Narrowing | undefined => {
  if (e.kind === 'unary' && e.operator === 'not') return narrowBy(e.operand, !holds, context)
  if (e.kind === 'binary' && (e.operator === 'and' || e.operator === 'or')) {
    const isBoth = holds === (e.operator === 'and')
    const left = narrowBy(e.left, holds, context)
    const right = narrowBy(e.right, holds, isBoth ? { ...context, narrowed: left } : context)
    // Of `a and b` that does not hold, and of `a or b` that does, either may be the reason.
    return isBoth ? right : either(left, right, context)
  }
  if (e.kind === 'binary' && (e.operator === '=' || e.operator === '!=')) return byLiteral(e, holds === (e.operator === '='), context)
  if (e.kind !== 'call' || e.function.text !== 'has' || context.callees.has(e)) return context.narrowed
  const [argument] = e.arguments
  return argument ? byHas(argument, holds, context) : context.narrowed
}

/** What both know, one this and the other that. */
const either = (left: Narrowing | undefined, right: Narrowing | undefined, { narrowed }: Context): Narrowing | undefined => {
  const added = (last: Narrowing | undefined): Narrowing[] => {
    const all: Narrowing[] = []
    for (let n = last; n && n !== narrowed; n = n.outer) all.unshift(n)
    return all
  }
  const [ones, others] = [added(left), added(right)]
  const places = ones.map(({ place }) => place).filter((place, i, all) => all.findIndex((other) => isSame(other, place)) === i)
  return places.reduce<Narrowing | undefined>((outer, place) => {
    const of = (list: readonly Narrowing[]) => list.filter((n) => isSame(n.place, place))
    if (of(others).length === 0) return outer
    return { place, keep: (fact) => unitedFact(keptBy(of(ones), fact), keptBy(of(others), fact), fact), outer }
  }, narrowed)
}

const keptBy = (all: readonly Narrowing[], fact: Fact): Fact => all.reduce((left, { keep }) => keep(left), fact)

const unitedFact = (one: Fact, other: Fact, all: Fact): Fact => {
  if (!one.isNarrowed || !other.isNarrowed) return all
  return { ...one, type: unite([one.type, other.type]), absence: other.absence === 'maybe' ? 'maybe' : one.absence }
}

const byLiteral = (e: BinaryExpression, isEqual: boolean, context: Context): Narrowing | undefined => {
  const [left, right] = [literalOf(e.left), literalOf(e.right)]
  const [literal, subject] = left ? [left, e.right] : [right, e.left]
  const place = literal && placeOf(subject, context)
  if (!literal || !place) return context.narrowed
  const isKept = isEqual ? (v: Variant) => mayBe(v, literal) : (v: Variant) => !isJust(v, literal)
  const own: Narrowing = { place, keep: keeping(isKept, isGrowing(place, context)), outer: context.narrowed }
  const owner = ownerOf(subject, place)
  if (!owner) return own
  const isOwner = (v: Variant): boolean => {
    const field = v.kind === 'record' ? fieldOf(v, owner.field) : undefined
    return !field || !isPresent(field) || variantsOf(field.type).some(isKept)
  }
  return { place: owner.place, keep: keeping(isOwner, isGrowing(place, context)), outer: own }
}

/** The `state` of a fold, which is not declared, or a part of it. */
const isGrowing = ({ root }: Place, { environment }: Context): boolean =>
  environment.isGrowing === true && root !== undefined && root.declared === undefined

const literalOf = (e: Expression): LiteralExpression | undefined => {
  if (e.kind === 'literal') return e
  return e.kind === 'unary' && e.operator === '-' ? literalOf(e.operand) : undefined
}

const byHas = (argument: Expression, holds: boolean, context: Context): Narrowing | undefined => {
  const place = placeOf(argument, context)
  const owner = place && ownerOf(argument, place)
  if (!place || !owner) return context.narrowed
  const isOwner = (v: Variant): boolean => {
    if (v.kind !== 'record') return true
    const field = fieldOf(v, owner.field)
    return holds ? field !== undefined : !field || !isPresent(field)
  }
  const outer = {
    place: owner.place,
    keep: keeping(isOwner, isGrowing(place, context)),
    outer: holds ? onTheWay(place, context) : context.narrowed,
  }
  return holds ? { place, keep: asPresent, outer } : outer
}

const asPresent = (fact: Fact): Fact => ({ ...fact, absence: fact.absence === 'maybe' ? 'never' : fact.absence, isNarrowed: true })

const asRecord = (fact: Fact): Fact => asPresent({ ...fact, type: withoutNull(fact).type })

/** A place that is there has all before it, and none is null. */
const onTheWay = ({ root, path }: Place, context: Context): Narrowing | undefined =>
  path
    .slice(0, -1)
    .reduce<Narrowing | undefined>((outer, _, i) => ({ place: { root, path: path.slice(0, i + 1) }, keep: asRecord, outer }), {
      place: { root, path: [] },
      keep: asRecord,
      outer: context.narrowed,
    })

const ownerOf = (e: Expression, { root, path }: Place): { readonly place: Place; readonly field: string } | undefined => {
  const field = path.at(-1)
  return typeof field !== 'string' || (e.kind !== 'name' && e.kind !== 'field')
    ? undefined
    : { place: { root, path: path.slice(0, -1) }, field }
}

/** A type of one variant says all that there is to know, and a sum of which nothing is left is not told, but of what still grows. */
const keeping =
  (isKept: (variant: Variant) => boolean, isGrowing: boolean) =>
  (fact: Fact): Fact => {
    const variants = variantsOf(fact.type)
    const kept = variants.filter(isKept)
    const [only] = kept
    if (!only && isGrowing) return { ...fact, type: NEVER, isNarrowed: true }
    if (!only || kept.length === variants.length) return fact
    return { ...fact, type: kept.length === 1 ? only : { kind: 'sum', variants: kept }, isNarrowed: true }
  }

const mayBe = (v: Variant, { value }: LiteralExpression): boolean => {
  if (v.kind === 'json') return true
  if (value === null) return v.kind === 'unit'
  if (typeof value === 'string') return v.kind === 'string' || (v.kind === 'literal' && v.value === value)
  if (typeof value === 'boolean') return v.kind === 'bool'
  return v.kind === 'int' || v.kind === 'number'
}

/** Has it no other value? */
const isJust = (v: Variant, { value }: LiteralExpression): boolean =>
  (value === null && v.kind === 'unit') || (v.kind === 'literal' && v.value === value)
