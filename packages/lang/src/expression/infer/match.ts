// `match e { x : T -> e1, _ -> e2 }`: a sum is taken apart by its variants, a json by any types.

import { declaredType } from '../../declare/declare.js'
import type { MatchArm, MatchExpression } from '../../parse/ast.js'
import { findOverlap } from '../../types/disjoint.js'
import { isEqual } from '../../types/equal.js'
import { joinAll } from '../../types/join.js'
import { isJson } from '../../types/kind.js'
import type { Type } from '../../types/type.js'
import { type Variant, variantsOf } from '../../types/variants.js'
import { type Context, show } from './context.js'

export const inferMatch = (e: MatchExpression, context: Context): Type | undefined => {
  const of = context.infer(e.of)
  const patterns = e.arms.map((arm) => typeOfArm(arm, context))
  const isRight = of !== undefined && (isJson(of) ? divides(e, patterns, context) : covers(e, of, patterns, context))
  const bodies = e.arms.map((arm, i) => inferArm(arm, patterns[i], context))
  const known = bodies.flatMap((type) => type ?? [])
  if (!isRight || known.length < bodies.length) return undefined
  return (
    joinAll(known) ??
    context.complain('type_mismatch', e.span, `the arms of match have no common type: ${known.map(show).join(', ')} overlap`)
  )
}

const typeOfArm = (arm: MatchArm, context: Context): Type | undefined => {
  const { scope } = context.environment
  const type = arm.pattern && scope && declaredType(arm.pattern.type, scope, context.report)
  if (type) context.arms.set(arm, type)
  return type
}

const inferArm = (arm: MatchArm, type: Type | undefined, context: Context): Type | undefined => {
  if (!arm.pattern) return context.infer(arm.body)
  return type && context.within(context.declare(arm.pattern.name, type), () => context.infer(arm.body))
}

type Patterns = readonly (Type | undefined)[]

/** Whether it is the last arm, and the only one without a type. */
const hasRest = (e: MatchExpression, context: Context): boolean => {
  const at = e.arms.findIndex(({ pattern }) => !pattern)
  const behind = at < 0 ? undefined : e.arms[at + 1]
  if (behind)
    context.complain('type_mismatch', behind.span, "'_' takes all that is left, so no arm comes after it", { help: "put '_' last" })
  return at >= 0
}

const covers = (e: MatchExpression, of: Type, patterns: Patterns, context: Context): boolean => {
  const variants = variantsOf(of)
  const taken = new Map<Variant, MatchArm>()
  let isRight = true
  for (const [i, arm] of e.arms.entries()) {
    const pattern = patterns[i]
    if (!arm.pattern) continue
    if (!pattern) isRight = false
    for (const part of pattern ? variantsOf(pattern) : []) {
      const variant = variants.find((v) => isEqual(v, part))
      const first = variant && taken.get(variant)
      const { span } = arm.pattern.type
      if (variant) taken.set(variant, arm)
      if (!first && (variant || context.environment.isGrowing)) continue
      isRight = false
      if (first) {
        const related = first.pattern ? [{ message: 'the first', span: first.pattern.type.span }] : []
        context.complain('type_mismatch', span, `${show(part)} is taken by an arm before`, { related })
      } else {
        const message = `${show(part)} is not a variant of ${show(of)}`
        context.complain('type_mismatch', span, message, { help: `it has ${variants.map(show).join(', ')}` })
      }
    }
  }
  const missing = variants.filter((v) => !taken.has(v))
  if (hasRest(e, context) || missing.length === 0 || !isRight) return isRight
  const names = missing.map((v) => nameOf(v, of))
  context.complain('type_mismatch', e.span, `no arm of match takes ${names.join(', ')}`, {
    help: `add ${names.map((name) => `x : ${name} -> …`).join(', ')}, or _ -> … for all others`,
  })
  return false
}

/** As the sum names it. */
const nameOf = (variant: Variant, sum: Type): string => {
  const named = (type: Type): Type | undefined => {
    if (type.kind === 'named' && variantsOf(type).length === 1 && variantsOf(type)[0] === variant) return type
    if (type.kind === 'named') return named(type.target)
    if (type.kind !== 'sum') return undefined
    for (const part of type.variants) {
      const found = named(part)
      if (found) return found
    }
    return undefined
  }
  return show(named(sum) ?? variant)
}

const divides = (e: MatchExpression, patterns: Patterns, context: Context): boolean => {
  const known = patterns.flatMap((pattern, i) => (pattern ? [{ pattern, arm: e.arms[i] }] : []))
  const isWhole = known.length === e.arms.filter(({ pattern }) => pattern).length
  const overlap = findOverlap(known.map(({ pattern }) => pattern))
  const [first, second] = overlap ? [known[overlap.first], known[overlap.second]] : []
  if (overlap && first && second?.arm) {
    const message = `${show(first.pattern)} and ${show(second.pattern)} overlap: both accept ${overlap.shared}`
    context.complain('type_mismatch', second.arm.pattern?.type.span ?? e.span, message, { help: 'the arms of match are disjoint' })
  }
  if (hasRest(e, context)) return isWhole && !overlap
  context.complain('type_mismatch', e.span, 'a json may have none of these types, and no arm of match takes that', { help: 'add _ -> …' })
  return false
}
