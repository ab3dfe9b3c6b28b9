// A type as JSON Schema 2020-12: what models and MCP clients see of it.

import { componentsOf } from './parts.js'
import { isRequired } from './required-fields.js'
import { type Field, type Json, type NamedType, type RecordType, resolve, type SumType, type Type } from './type.js'
import { literalsOf, variantsOf } from './variants.js'

export type JsonSchema = { readonly [keyword: string]: Json }

/**
 * The schema accepts the values that the type accepts. `@min` and `@max` become minimum and maximum of numbers, minLength and maxLength of
 * strings, minItems and maxItems of arrays.
 *
 * A declared type stands in `$defs` when it refers to itself, else it is written out where it is used; only when that would be long do all
 * declared types stand in `$defs`. The type itself is always written out, because some clients want `type` at the top.
 */
export const toSchema = (type: Type): JsonSchema => {
  const isLong = writtenSize(type) > MAX_WRITTEN
  const names = new Map<Type, string>()
  const queue: { name: string; target: Type }[] = []

  const refer = (type: NamedType): JsonSchema => {
    const target = resolve(type)
    if (!isLong && !refersTo(target, target)) return describe(target, refer)
    let name = names.get(target)
    if (name === undefined) {
      name = freeName(type.name, new Set(names.values()))
      names.set(target, name)
      queue.push({ name, target })
    }
    return { $ref: `#/$defs/${name}` }
  }

  const root = describe(resolve(type), refer)
  const definitions: [string, JsonSchema][] = []
  // Describing one definition may ask for more of them.
  for (const { name, target } of queue) definitions.push([name, describe(target, refer)])
  return definitions.length === 0 ? root : { ...root, $defs: Object.fromEntries(definitions) }
}

type Refer = (type: NamedType) => JsonSchema

const MAX_WRITTEN = 1000

/** As `toSchema`; what a name becomes is for `refer` to say. */
export const describe = (type: Type, refer: Refer): JsonSchema => {
  switch (type.kind) {
    case 'named':
      return refer(type)
    case 'string':
      return { type: 'string' }
    case 'int':
      return { type: 'integer' }
    case 'number':
      return { type: 'number' }
    case 'bool':
      return { type: 'boolean' }
    case 'unit':
      return { type: 'null' }
    case 'json':
      return {}
    case 'literal':
      return { type: 'string', const: type.value }
    case 'array':
      return { type: 'array', items: describe(type.item, refer) }
    case 'map':
      return { type: 'object', additionalProperties: describe(type.item, refer) }
    case 'tuple': {
      const { length } = type.items
      return {
        type: 'array',
        prefixItems: type.items.map((item) => describe(item, refer)),
        minItems: length,
        maxItems: length,
      }
    }
    case 'record':
      return describeRecord(type, refer)
    case 'sum':
      return describeSum(type, refer)
  }
}

// Object.fromEntries makes a plain property even of a field that is called __proto__.
const describeRecord = ({ fields, isOpen = false }: RecordType, refer: Refer): JsonSchema => ({
  type: 'object',
  properties: Object.fromEntries(fields.map((field) => [field.name, describeField(field, refer)])),
  required: fields.filter(isRequired).map((field) => field.name),
  additionalProperties: isOpen,
})

const describeField = (field: Field, refer: Refer): JsonSchema => ({
  ...(field.description === undefined ? {} : { description: field.description }),
  ...describe(field.type, refer),
  ...limits(field),
  ...(field.default === undefined ? {} : { default: JSON.parse(field.default) as Json }),
})

const LIMITS: Readonly<Record<string, readonly [min: string, max: string, isCount?: true]>> = {
  int: ['minimum', 'maximum'],
  number: ['minimum', 'maximum'],
  string: ['minLength', 'maxLength', true],
  array: ['minItems', 'maxItems', true],
}

// In a sum each limit counts for the variants it can be said of.
const limits = ({ type, min, max }: Field): JsonSchema => {
  const keywords: [string, number][] = []
  for (const { kind } of variantsOf(type)) {
    const [minimum, maximum, isCount] = LIMITS[kind] ?? []
    if (minimum === undefined || maximum === undefined) continue
    // What is counted is whole and not negative, and a schema may say nothing else of it.
    const isNever = isCount && max !== undefined && max < 0
    const least = isNever ? 1 : isCount && min !== undefined ? Math.max(0, Math.ceil(min)) : min
    const most = isNever ? 0 : isCount && max !== undefined ? Math.floor(max) : max
    if (least !== undefined) keywords.push([minimum, least])
    if (most !== undefined) keywords.push([maximum, most])
  }
  return Object.fromEntries(keywords)
}

const describeSum = (sum: SumType, refer: Refer): JsonSchema => {
  const literals: string[] = []
  const others: Type[] = []
  for (const variant of inlineVariants(sum)) {
    if (variant.kind === 'literal') literals.push(variant.value)
    else others.push(variant)
  }
  const schemas = others.map((variant) => describe(variant, refer))
  const [only, second] = literals
  if (second !== undefined) schemas.unshift({ type: 'string', enum: literals })
  else if (only !== undefined) schemas.unshift({ type: 'string', const: only })
  const [first, ...rest] = schemas
  return first !== undefined && rest.length === 0 ? first : { anyOf: schemas }
}

// Declared enums dissolve into the sum they are used in; other names stay, so that what is recursive has an end.
const inlineVariants = (sum: SumType): readonly Type[] =>
  sum.variants.flatMap((variant): readonly Type[] => {
    if (variant.kind === 'sum') return inlineVariants(variant)
    if (variant.kind === 'named' && literalsOf(variant)) return variantsOf(variant)
    return [variant]
  })

const freeName = (name: string, taken: ReadonlySet<string>): string => {
  let free = name
  for (let n = 2; taken.has(free); n++) free = `${name}_${n}`
  return free
}

const refersTo = (from: Type, to: Type): boolean => {
  const seen = new Set<Type>()
  const reaches = (type: Type): boolean =>
    componentsOf(resolve(type)).some((part) => {
      const p = resolve(part)
      if (p === to) return true
      if (seen.has(p)) return false
      seen.add(p)
      return reaches(p)
    })
  return reaches(from)
}

// Nodes of the schema with every name written out, each recursive one once.
const writtenSize = (type: Type): number => {
  const sizes = new Map<Type, number>()
  const measure = (type: Type): number => {
    const t = resolve(type)
    const known = sizes.get(t)
    if (known !== undefined) return known
    sizes.set(t, 1)
    const size = componentsOf(t).reduce((sum, part) => sum + measure(part), 1)
    sizes.set(t, size)
    return size
  }
  return measure(type)
}

/** The input schema of a tool as a model or an MCP client sees it: always an object. */
export interface ToolSchema {
  readonly schema: JsonSchema
  /** The input is not a record: it is the field `input` of one. */
  readonly isWrapped: boolean
}

export const toToolSchema = (input: Type): ToolSchema => {
  const isWrapped = resolve(input).kind !== 'record'
  const type: Type = isWrapped ? { kind: 'record', fields: [{ name: 'input', type: input, isOptional: false }] } : input
  return { schema: toSchema(type), isWrapped }
}
