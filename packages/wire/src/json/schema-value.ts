// Whether one value fits one part of a foreign schema, such as the default of a property. The usual keywords are decided here, since a
// schema takes milliseconds to compile; any other goes to the validator.

import { isDeepStrictEqual } from 'node:util'
import { isRecord } from '../is-record.js'
import { compileSchema } from './schema.js'

/** False too if the schema cannot be used. */
export type FitsSchema = (value: unknown, schema: unknown) => boolean

/** Schemas of one root that are compiled at most; a value of any further one counts as unfitting. */
const MAX_COMPILED = 50

/** `root`: the schema that references point into. */
export const openFitsSchema = (root: Readonly<Record<string, unknown>>): FitsSchema => {
  let compiled = 0
  return (value, schema) => {
    const plain = fitsPlainly(value, schema)
    if (plain !== undefined || !isRecord(schema)) return plain === true
    if (++compiled > MAX_COMPILED) return false
    const { $defs, definitions, $schema } = root
    const check = compileSchema({ $schema, $defs, definitions, ...schema })
    return check.ok && check.value(value).length === 0
  }
}

/** Undefined: a keyword decides that is not known here. */
const fitsPlainly = (value: unknown, schema: unknown): boolean | undefined => {
  if (typeof schema === 'boolean') return schema
  if (!isRecord(schema)) return undefined
  let fits = true
  for (const [keyword, argument] of Object.entries(schema)) {
    const test = Object.hasOwn(TESTS, keyword) ? TESTS[keyword] : undefined
    const result = test ? test(value, argument) : ANNOTATIONS.has(keyword) || keyword.startsWith('x-')
    if (result === undefined || (!test && !result)) return undefined
    fits &&= result
  }
  return fits
}

const ANNOTATIONS: ReadonlySet<string> = new Set([
  ...['title', 'description', 'default', 'examples', 'format', 'deprecated', 'readOnly', 'writeOnly', '$comment'],
])

type Test = (value: unknown, argument: unknown) => boolean | undefined

const bound =
  (sizeOf: (value: unknown) => number | undefined, holds: (size: number, limit: number) => boolean): Test =>
  (value, limit) => {
    if (typeof limit !== 'number') return undefined
    const size = sizeOf(value)
    return size === undefined || holds(size, limit)
  }

const asNumber = (value: unknown) => (typeof value === 'number' ? value : undefined)
const charactersIn = (value: unknown) => (typeof value === 'string' ? [...value].length : undefined)
const itemsIn = (value: unknown) => (Array.isArray(value) ? value.length : undefined)
const most = (size: number, limit: number): boolean => size <= limit
const least = (size: number, limit: number): boolean => size >= limit

const hasType = (value: unknown, type: unknown): boolean | undefined => {
  if (Array.isArray(type)) {
    const each = type.map((one) => hasType(value, one))
    return each.includes(undefined) ? undefined : each.includes(true)
  }
  switch (type) {
    case 'string':
    case 'number':
    case 'boolean':
      return typeof value === type
    case 'integer':
      return Number.isInteger(value)
    case 'null':
      return value === null
    case 'array':
      return Array.isArray(value)
    case 'object':
      return isRecord(value)
    default:
      return undefined
  }
}

const TESTS: Readonly<Record<string, Test>> = {
  type: hasType,
  enum: (value, values) => (Array.isArray(values) ? values.some((one) => isDeepStrictEqual(one, value)) : undefined),
  const: (value, only) => isDeepStrictEqual(only, value),
  minimum: bound(asNumber, least),
  maximum: bound(asNumber, most),
  exclusiveMinimum: bound(asNumber, (n, limit) => n > limit),
  exclusiveMaximum: bound(asNumber, (n, limit) => n < limit),
  minLength: bound(charactersIn, least),
  maxLength: bound(charactersIn, most),
  minItems: bound(itemsIn, least),
  maxItems: bound(itemsIn, most),
  items: (value, item) => {
    if (!Array.isArray(value)) return Array.isArray(item) ? undefined : true
    return every(value.map((one) => fitsPlainly(one, item)))
  },
  anyOf: (value, schemas) => {
    if (!Array.isArray(schemas)) return undefined
    const each = schemas.map((schema) => fitsPlainly(value, schema))
    return each.includes(true) ? true : each.includes(undefined) ? undefined : false
  },
}

const every = (each: readonly (boolean | undefined)[]): boolean | undefined =>
  each.includes(false) ? false : each.includes(undefined) ? undefined : true
