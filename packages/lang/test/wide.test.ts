// Sums of many variants and records of many fields: what is found by an index is what is found by looking at each.

import fc from 'fast-check'
import t, { type Test } from 'tap'
import { runs } from '../../wire/test/property.js'
import { findOverlap, findShared } from '../src/types/disjoint.js'
import { isEqual } from '../src/types/equal.js'
import { join, joinAll, unite } from '../src/types/join.js'
import { printType } from '../src/types/print.js'
import { fieldOf } from '../src/types/required-fields.js'
import { isCompatible, isSubtype } from '../src/types/subtype.js'
import { BOOL, type Field, INT, JSON_TYPE, NUMBER, type RecordType, STRING, type SumType, type Type, UNIT } from '../src/types/type.js'
import { variantsOf } from '../src/types/variants.js'
import { isWirable, needsLook } from '../src/types/wirable.js'

const NAMES = ['kind', 'type', 'a', 'b', 'c']

const literal = fc.nat(30).map((n): Type => ({ kind: 'literal', value: `v${n}` }))
const scalar = fc.constantFrom<Type>(STRING, INT, NUMBER, BOOL, UNIT, JSON_TYPE)
const words = fc.array(literal, { minLength: 1, maxLength: 3 }).map((variants): Type => ({ kind: 'sum', variants }))
const presence = fc.constantFrom<Partial<Field>>(
  {},
  {},
  {},
  { isOptional: true },
  { default: '"v1"' },
  { isOptional: true, default: '"v2"' },
)
const field = fc
  .record({ name: fc.constantFrom(...NAMES), type: fc.oneof({ weight: 5, arbitrary: literal }, words, scalar), given: presence })
  .map(({ name, type, given }): Field => ({ name, type, isOptional: false, ...given }))
const record = fc
  .uniqueArray(field, { maxLength: 4, selector: ({ name }) => name })
  .map((fields): RecordType => ({ kind: 'record', fields }))
const variant: fc.Arbitrary<Type> = fc.oneof(
  { weight: 4, arbitrary: literal },
  { weight: 12, arbitrary: record },
  { weight: 1, arbitrary: scalar },
  { weight: 1, arbitrary: fc.tuple(literal, scalar).map(([a, b]): Type => ({ kind: 'tuple', items: [a, b] })) },
  { weight: 1, arbitrary: literal.map((item): Type => ({ kind: 'array', item })) },
  { weight: 1, arbitrary: record.map((target): Type => ({ kind: 'named', name: 'R', target })) },
  { weight: 1, arbitrary: words.map((target): Type => ({ kind: 'named', name: 'W', target })) },
)
const list = fc.array(variant, { minLength: 9, maxLength: 40 })
const wide = list.map((variants): SumType => ({ kind: 'sum', variants }))

const holds = <T extends [unknown, ...unknown[]]>(t: Test, property: fc.IProperty<T>): void => {
  fc.assert(property, { numRuns: runs(300) })
  t.pass('300 runs')
}
const smallest = (texts: readonly (string | undefined)[]) =>
  texts.reduce((best, text) => (text === undefined || (best !== undefined && best.length <= text.length) ? best : text), undefined)

t.test('a type and a sum: as it is with each of the variants', async (t) => {
  const agrees = ([a, b]: [Type, SumType]) => {
    const ones = variantsOf(a)
    const within = (test: (x: Type, y: Type) => boolean) => ones.every((one) => b.variants.some((other) => test(one, other)))
    const fills = (x: Type) => b.variants.some((y) => isCompatible(x, y) && needsLook(x, y))
    return (
      isSubtype(a, b) === within(isSubtype) &&
      isCompatible(a, b) === (a.kind === 'json' || within(isCompatible)) &&
      needsLook(a, b) === ones.some((one) => (one.kind === 'json' ? needsLook(one, b) : fills(one))) &&
      findShared(a, b)?.length === smallest(ones.map((one) => smallest(b.variants.map((other) => findShared(one, other)))))?.length &&
      (findShared(a, b) === undefined) === (findShared(b, a) === undefined)
    )
  }
  holds(t, fc.property(fc.tuple(fc.oneof(variant, wide), wide), agrees))
})

t.test('sums are equal where each variant has its like', async (t) => {
  const others = wide.chain((sum) =>
    fc.tuple(
      fc.constant(sum),
      fc.shuffledSubarray([...sum.variants], { minLength: sum.variants.length - 1 }),
      fc.array(variant, { maxLength: 1 }),
    ),
  )
  const agrees = ([a, kept, more]: [SumType, Type[], Type[]]) => {
    const b: SumType = { kind: 'sum', variants: [...kept, ...more] }
    const [left, right] = [variantsOf(a), variantsOf(b)]
    const has = (list: readonly Type[], x: Type) => list.some((y) => isEqual(x, y))
    return isEqual(a, b) === (left.every((x) => has(right, x)) && right.every((x) => has(left, x)))
  }
  holds(t, fc.property(others, agrees))
})

t.test('the first overlap of a list is that of the first pair', async (t) => {
  const pairWise = (types: readonly Type[]) => {
    for (const [second, b] of types.entries()) {
      for (const [first, a] of types.slice(0, second).entries()) {
        const shared = findShared(a, b)
        if (shared !== undefined) return { first, second, shared }
      }
    }
    return undefined
  }
  // Drawn from many, most lists overlap early: some are made to overlap late, or never.
  const thinned = list.map((types) => types.filter((type, i) => i % 7 === 6 || pairWise([...types.slice(0, i), type]) === undefined))
  const agrees = (types: readonly Type[]) => JSON.stringify(findOverlap(types)) === JSON.stringify(pairWise(types))
  holds(t, fc.property(fc.oneof(list, thinned), agrees))
})

t.test('types are united as they are one after the other', async (t) => {
  const isWithin = (a: Type, b: Type) => isWirable(a, b) === 'static'
  const slowUnite = (types: readonly Type[]): Type => {
    const [first, ...others] = types
    if (first && others.every((type) => isWithin(type, first))) return first
    const variants: Type[] = []
    for (const one of types.flatMap(variantsOf)) {
      if (variants.some((other) => isWithin(one, other))) continue
      variants.splice(0, variants.length, ...variants.filter((other) => !isWithin(other, one)), one)
    }
    const [only] = variants
    return only && variants.length === 1 ? only : { kind: 'sum', variants }
  }
  const slowJoin = (types: readonly Type[]) => types.slice(1).reduce<Type | undefined>((all, other) => all && join(all, other), types[0])
  const distinct = list.map((types) => types.filter((type, i) => types.slice(0, i).every((other) => findShared(other, type) === undefined)))
  const agrees = (types: readonly Type[]) => {
    const [fast, slow] = [joinAll(types), slowJoin(types)]
    return printType(unite(types)) === printType(slowUnite(types)) && (fast && printType(fast)) === (slow && printType(slow))
  }
  holds(t, fc.property(fc.oneof(list, distinct, fc.array(variant, { minLength: 1, maxLength: 3 })), agrees))
})

t.test('a field of many', async (t) => {
  const fields = Array.from({ length: 40 }, (_, i): Field => ({ name: `f${i}`, type: INT, isOptional: false }))
  for (const { name } of [...fields, { name: 'g' }, { name: 'constructor' }]) {
    t.equal(
      fieldOf({ kind: 'record', fields }, name),
      fields.find((field) => field.name === name),
      name,
    )
  }
})
