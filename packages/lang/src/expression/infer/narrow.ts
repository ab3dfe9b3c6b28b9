// What a condition tells of the names in it: `p = "a"`, `p != null` and `has(p)`, where p is a name or a path of fields from one.

import type { BinaryExpression, Expression, LiteralExpression } from '../../parse/ast.js'
import { fieldOf, isPresent } from '../../types/required-fields.js'
import type { Type } from '../../types/type.js'
import { type Variant, variantsOf } from '../../types/variants.js'
import type { Context, Fact, Narrowing, Place } from './context.js'

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
  const base = e.kind === 'field' && !context.moduleParams.has(e) ? placeOf(e.of, context) : undefined
  return base && e.kind === 'field' ? { root: base.root, path: [...base.path, e.field.text] } : undefined
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
  return known.reduce((left, { keep }) => keep(left), fact)
}

/** The narrowings where the condition holds, or does not. It has been inferred. */
const narrowBy = (e: Expression, holds: boolean, context: Context): Narrowing | undefined => {
  if (e.kind === 'unary' && e.operator === 'not') return narrowBy(e.operand, !holds, context)
  if (e.kind === 'binary' && (e.operator === 'and' || e.operator === 'or')) {
    // Of `a and b` that does not hold, and of `a or b` that does, either may be the reason.
    if (holds !== (e.operator === 'and')) return context.narrowed
    const outer = narrowBy(e.left, holds, context)
    return narrowBy(e.right, holds, { ...context, narrowed: outer })
  }
  if (e.kind === 'binary' && (e.operator === '=' || e.operator === '!=')) return byLiteral(e, holds === (e.operator === '='), context)
  if (e.kind !== 'call' || e.function.text !== 'has' || context.callees.has(e)) return context.narrowed
  const [argument] = e.arguments
  return argument ? byHas(argument, holds, context) : context.narrowed
}

const byLiteral = (e: BinaryExpression, isEqual: boolean, context: Context): Narrowing | undefined => {
  const [literal, subject] = e.left.kind === 'literal' ? [e.left, e.right] : e.right.kind === 'literal' ? [e.right, e.left] : []
  const place = subject && placeOf(subject, context)
  if (!literal || !place || !subject) return context.narrowed
  const isKept = isEqual ? (v: Variant) => mayBe(v, literal) : (v: Variant) => !isJust(v, literal)
  const own: Narrowing = { place, keep: keeping(isKept), outer: context.narrowed }
  const owner = ownerOf(subject, place)
  if (!owner) return own
  const isOwner = (v: Variant): boolean => {
    const field = v.kind === 'record' ? fieldOf(v, owner.field) : undefined
    return !field || !isPresent(field) || variantsOf(field.type).some(isKept)
  }
  return { place: owner.place, keep: keeping(isOwner), outer: own }
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
  const outer = { place: owner.place, keep: keeping(isOwner), outer: context.narrowed }
  return holds
    ? { place, keep: (fact) => ({ ...fact, absence: fact.absence === 'maybe' ? 'never' : fact.absence, isNarrowed: true }), outer }
    : outer
}

const ownerOf = (e: Expression, { root, path }: Place): { readonly place: Place; readonly field: string } | undefined => {
  const field = path.at(-1)
  return field === undefined || (e.kind !== 'name' && e.kind !== 'field') ? undefined : { place: { root, path: path.slice(0, -1) }, field }
}

/** A type of one variant says all that there is to know, and a sum of which nothing is left is not told. */
const keeping =
  (isKept: (variant: Variant) => boolean) =>
  (fact: Fact): Fact => {
    const variants = variantsOf(fact.type)
    const kept = variants.filter(isKept)
    const [only] = kept
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
