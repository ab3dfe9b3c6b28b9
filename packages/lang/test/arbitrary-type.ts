// Random types, recursive ones among them, and random values of a type, for property tests.

import fc from 'fast-check'
import { findShared } from '../src/types/disjoint.js'
import { smallestValue } from '../src/types/smallest.js'
import { BOOL, type Field, INT, JSON_TYPE, type NamedType, NUMBER, resolve, STRING, type Type, UNIT } from '../src/types/type.js'

export interface TypeOptions {
  /** Fields may have defaults. */
  readonly withDefaults?: boolean
  /** Fields may have limits; not every type has a value then. */
  readonly withLimits?: boolean
}

/** Every type has a value, and the variants of its sums are disjoint. Field names and literals are few, so that two types often meet. */
export const arbitraryType = (options: TypeOptions = {}): fc.Arbitrary<Type> =>
  fc.tuple(shapes(options), shapes(options), shapes(options)).map(([root, ...bodies]) => tie(root, bodies))

/** JSON text of values that the type accepts: with white space, escapes, fields in any order, some of what may be absent left out. */
export const arbitraryValue = (type: Type): fc.Arbitrary<string> => valueText(type, { depth: 4, noise: 0 })

/** Mostly not of the type, but close to it. */
export const arbitraryNearMiss = (type: Type): fc.Arbitrary<string> => valueText(type, { depth: 4, noise: 1 })

/** Any JSON text: duplicate keys, `__proto__`, odd numbers and escapes included. */
export const arbitraryJson = (): fc.Arbitrary<string> => jsonText

// --- types: a shape is a type whose references are not tied yet

type Shape =
  | { readonly kind: 'type'; readonly type: Type }
  | { readonly kind: 'reference'; readonly index: number; readonly way: 'array' | 'unit' }
  | { readonly kind: 'array' | 'map'; readonly item: Shape }
  | { readonly kind: 'tuple'; readonly items: readonly Shape[] }
  | { readonly kind: 'sum'; readonly variants: readonly Shape[] }
  | { readonly kind: 'record'; readonly fields: readonly FieldShape[] }

interface FieldShape {
  readonly name: string
  readonly shape: Shape
  readonly presence: 'required' | 'optional' | 'default'
  readonly limits: Pick<Field, 'min' | 'max'>
}

const NAMES = ['a', 'b', 'c', 'kind', 'constructor']
const WORDS = ['x', 'y', 'é"\\']
const SCALARS: readonly Type[] = [STRING, INT, NUMBER, BOOL, UNIT, JSON_TYPE]

const shapes = ({ withDefaults = false, withLimits = false }: TypeOptions): fc.Arbitrary<Shape> => {
  const limits = fc.constantFrom<Pick<Field, 'min' | 'max'>[]>({}, { min: 1 }, { max: 2 }, { min: -1.5, max: 1 }, { min: 1, max: 3 })
  const presence = fc.constantFrom<FieldShape['presence'][]>('required', 'required', 'optional', withDefaults ? 'default' : 'required')
  const tied = fc.letrec<{ shape: Shape; field: FieldShape }>((tie) => ({
    field: fc.record({ name: fc.constantFrom(...NAMES), shape: tie('shape'), presence, limits: withLimits ? limits : fc.constant({}) }),
    shape: fc.oneof(
      { maxDepth: 3, depthIdentifier: 'shape' },
      { weight: 3, arbitrary: fc.constantFrom(...SCALARS).map((type) => ({ kind: 'type', type }) as const) },
      { weight: 2, arbitrary: fc.constantFrom(...WORDS).map((value) => ({ kind: 'type', type: { kind: 'literal', value } }) as const) },
      { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('array' as const, 'map' as const), item: tie('shape') }) },
      {
        weight: 1,
        arbitrary: fc.record({ kind: fc.constant('tuple' as const), items: fc.array(tie('shape'), { minLength: 2, maxLength: 3 }) }),
      },
      {
        weight: 2,
        arbitrary: fc.record({ kind: fc.constant('sum' as const), variants: fc.array(tie('shape'), { minLength: 2, maxLength: 4 }) }),
      },
      {
        weight: 4,
        arbitrary: fc.record({
          kind: fc.constant('record' as const),
          fields: fc.uniqueArray(tie('field'), { maxLength: 4, selector: (field) => field.name }),
        }),
      },
      {
        weight: 2,
        arbitrary: fc.record({
          kind: fc.constant('reference' as const),
          index: fc.nat(1),
          way: fc.constantFrom<('array' | 'unit')[]>('array', 'unit'),
        }),
      },
    ),
  }))
  return tied.shape
}

const tie = (root: Shape, bodies: readonly Shape[]): Type => {
  const names = bodies.map((_, i): NamedType => ({ kind: 'named', name: `T${i}`, target: UNIT }))
  const sums: Type[][] = []
  const optional: { -readonly [K in keyof Field]: Field[K] }[] = []

  const sumOf = (variants: Type[]): Type => {
    sums.push(variants)
    return { kind: 'sum', variants }
  }
  const build = (shape: Shape): Type => {
    switch (shape.kind) {
      case 'type':
        return shape.type
      case 'reference': {
        const name = names[shape.index] ?? UNIT
        return shape.way === 'array' ? { kind: 'array', item: name } : sumOf([UNIT, name])
      }
      case 'array':
      case 'map':
        return { kind: shape.kind, item: build(shape.item) }
      case 'tuple':
        return { kind: 'tuple', items: shape.items.map(build) }
      case 'sum':
        return sumOf(shape.variants.map(build))
      case 'record':
        return { kind: 'record', fields: shape.fields.map(buildField) }
    }
  }
  const buildField = ({ name, shape, presence, limits }: FieldShape): Field => {
    const field = { name, type: build(shape), isOptional: presence !== 'required', ...(presence === 'default' ? {} : limits) }
    if (presence === 'default') optional.push(field)
    return field
  }

  for (const [i, name] of names.entries()) name.target = build(bodies[i] ?? root)
  const type = build(root)
  // Taking variants away only makes types smaller, so what is disjoint stays so.
  for (const variants of sums) {
    const kept: Type[] = []
    for (const variant of variants) if (kept.every((other) => findShared(other, variant) === undefined)) kept.push(variant)
    variants.splice(0, variants.length, ...kept)
  }
  for (const field of optional) {
    const standIn = smallestValue(field.type)
    if (standIn !== undefined && !/^[[{]/.test(standIn)) field.default = standIn
  }
  return type
}

// --- values

interface ValueOptions {
  readonly depth: number
  /** How likely a part is replaced by another, of 8. */
  readonly noise: number
}

const spaces = fc.constantFrom('', '', '', ' ', '\t', ' \r\n')

const strings = fc.oneof(
  fc.constantFrom(...WORDS, '').map((word) => JSON.stringify(word)),
  fc.string({ unit: 'grapheme', maxLength: 6 }).map((text) => JSON.stringify(text)),
  fc.constantFrom('"\\u0078"', '"\\/"', '"\\ud800"', '"\\uD83D\\uDE00"', '"\\b\\f\\n\\r\\t"'),
)
const ints = fc.oneof(
  fc.integer().map(String),
  fc.constantFrom('0', '-0', '1.0', '1e2', '100e-2', '12345678901234567890', '1.5E+1', '0e9999'),
)
const numbers = fc.oneof(
  ints,
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((x) => JSON.stringify(x)),
  fc.constantFrom('1.5', '-0.25e-3', '0.10000000000000000555'),
)

const keys = fc.oneof(
  fc.constantFrom(...NAMES, '__proto__', 'toString').map((name) => JSON.stringify(name)),
  fc.constant('"\\u0061"'),
  strings,
)

const listText = (items: readonly string[], gap: string): string => `[${gap}${items.join(`${gap},${gap}`)}${gap}]`

const objectText = (entries: readonly (readonly [string, string])[], gap: string): string =>
  `{${gap}${entries.map(([key, value]) => `${key}${gap}:${gap}${value}`).join(`${gap},`)}${gap}}`

const jsonText = fc.letrec<{ json: string }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 3 },
    { weight: 4, arbitrary: fc.oneof(strings, numbers, fc.constantFrom('null', 'true', 'false')) },
    { weight: 1, arbitrary: fc.tuple(fc.array(tie('json'), { maxLength: 4 }), spaces).map(([items, gap]) => listText(items, gap)) },
    {
      weight: 2,
      arbitrary: fc
        .tuple(fc.array(fc.tuple(keys, tie('json')), { maxLength: 12 }), spaces)
        .map(([entries, gap]) => objectText(entries, gap)),
    },
  ),
})).json

const valueText = (type: Type, options: ValueOptions): fc.Arbitrary<string> => {
  const exact = exactText(type, options)
  if (options.noise === 0) return exact
  return fc.oneof({ weight: 8 - options.noise, arbitrary: exact }, { weight: options.noise, arbitrary: jsonText })
}

const exactText = (type: Type, options: ValueOptions): fc.Arbitrary<string> => {
  const t = resolve(type)
  const inner = { ...options, depth: options.depth - 1 }
  if (options.depth <= 0) return fc.constant(smallestValue(t) ?? 'null')
  switch (t.kind) {
    case 'string':
      return strings
    case 'int':
      return ints
    case 'number':
      return numbers
    case 'bool':
      return fc.constantFrom('true', 'false')
    case 'unit':
      return fc.constant('null')
    case 'json':
      return jsonText
    case 'literal':
      return fc.constant(JSON.stringify(t.value))
    case 'array':
      return fc.tuple(fc.array(valueText(t.item, inner), { maxLength: 3 }), spaces).map(([items, gap]) => listText(items, gap))
    case 'map':
      return fc
        .tuple(
          fc.uniqueArray(fc.tuple(keys, valueText(t.item, inner)), {
            maxLength: 3,
            selector: ([key]) => String(key.match(/^"/) ? JSON.parse(key) : key),
          }),
          spaces,
        )
        .map(([entries, gap]) => objectText(entries, gap))
    case 'tuple':
      return fc.tuple(fc.tuple(...t.items.map((item) => valueText(item, inner))), spaces).map(([items, gap]) => listText(items, gap))
    case 'sum':
      return fc.oneof(...t.variants.map((variant) => valueText(variant, inner)))
    case 'record':
      return fc
        .tuple(fc.tuple(...t.fields.map((field) => entryText(field, inner)), extraEntry(options)), spaces, fc.nat())
        .map(([entries, gap, turn]) => objectText(rotate(entries.flat(), turn), gap))
  }
}

const entryText = (field: Field, options: ValueOptions): fc.Arbitrary<[string, string][]> => {
  const key = JSON.stringify(field.name)
  const present = valueText(field.type, options).map((value): [string, string][] => [[key, value]])
  const canBeAbsent = field.isOptional || field.default !== undefined
  if (!canBeAbsent && options.noise === 0) return present
  return fc.oneof({ weight: canBeAbsent ? 1 : 8, arbitrary: present }, { weight: 1, arbitrary: fc.constant<[string, string][]>([]) })
}

const extraEntry = ({ noise }: ValueOptions): fc.Arbitrary<[string, string][]> =>
  noise === 0
    ? fc.constant<[string, string][]>([])
    : fc.oneof(
        { weight: 8, arbitrary: fc.constant<[string, string][]>([]) },
        { weight: noise, arbitrary: fc.tuple(fc.constantFrom('"__proto__"', '"toString"', '"other"'), jsonText).map((entry) => [entry]) },
      )

const rotate = <T>(items: readonly T[], by: number): readonly T[] => {
  const at = items.length === 0 ? 0 : by % items.length
  return [...items.slice(at), ...items.slice(0, at)]
}
