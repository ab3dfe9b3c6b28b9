// Relations between recursive types: what leads to no contradiction holds.

import { isContainer } from './parts.js'
import { resolve, type Type } from './type.js'

type Resolved = ReturnType<typeof resolve>
type Relation = (a: Type, b: Type) => boolean
type Rule = (a: Resolved, b: Resolved, holds: Relation) => boolean

/**
 * The greatest relation that agrees with `rule`, which decides one pair by asking `holds` about its parts. It ends for every type, because
 * a pair that is met again while it is being decided is assumed to hold.
 */
export const coinductive = (rule: Rule): Relation => {
  const relation: Relation = (left, right) => {
    const a = resolve(left)
    const b = resolve(right)
    if (a === b) return true
    // Most questions are of this kind, and need no memory.
    return isFlat(a) && isFlat(b) ? rule(a, b, relation) : remembering(rule)(a, b)
  }
  return relation
}

const remembering = (rule: Rule): Relation => {
  const answers = new Map<Resolved, Map<Resolved, boolean>>()
  const positive: (readonly [Resolved, Resolved])[] = []

  const record = (a: Resolved, b: Resolved, answer: boolean): void => {
    const row = answers.get(a)
    if (row) row.set(b, answer)
    else answers.set(a, new Map([[b, answer]]))
  }

  const holds: Relation = (left, right) => {
    const a = resolve(left)
    const b = resolve(right)
    if (a === b) return true
    if (isFlat(a) && isFlat(b)) return rule(a, b, holds)
    const known = answers.get(a)?.get(b)
    if (known !== undefined) return known
    const mark = positive.length
    record(a, b, true)
    positive.push([a, b])
    if (rule(a, b, holds)) return true
    // Positive results found meanwhile may depend on this pair. Negative ones stay.
    for (const [x, y] of positive.splice(mark)) answers.get(x)?.delete(y)
    record(a, b, false)
    return false
  }
  return holds
}

const isFlat = (type: Resolved): boolean => type.kind !== 'sum' && !isContainer(type)
