// A foreign schema as draft 2020-12 has it, which providers hold the schemas of tools against: a whole request is refused for one keyword
// with a value of another kind. What is only written in another way becomes the same; what remains is left out, which makes it looser.

import type { Json } from '@plumb/lang'
import { isRecord, preview } from '@plumb/wire'

export type Schema = { readonly [keyword: string]: Json }

/** Is told what a schema no longer says. */
export type Lost = (what: string) => void

export interface WellFormedOptions {
  readonly lost: Lost
  /** Names that properties may have. Undefined: any. */
  readonly names: RegExp | undefined
}

export const wellFormed = (schema: Schema, options: WellFormedOptions): Schema => {
  const { lost } = options
  const made: Record<string, Json> = {}
  for (const [keyword, value] of Object.entries(withModernTuples(schema))) {
    if (UNSAID.has(keyword)) continue
    const kept = keywordOf(keyword, value, options)
    if (kept !== undefined) made[keyword] = kept
    else if (!ANNOTATIONS.has(keyword)) lost(`'${preview(keyword)}'`)
  }
  const { type } = made
  const has = (name: string): boolean => type === name || (Array.isArray(type) && type.includes(name))
  // They say nothing, and some providers want them.
  if (has('array') && made.items === undefined && made.prefixItems === undefined) made.items = {}
  if (has('object') && made.properties === undefined) made.properties = {}
  if (options.names && isRecord(schema.properties)) dropNames(made, schema.properties, options.names, lost)
  return made
}

// The meaning of all others is in the keywords beside them; `$schema` would name another draft.
const UNSAID: ReadonlySet<string> = new Set(['$schema', '$vocabulary', '$comment', '__proto__'])
const ANNOTATIONS: ReadonlySet<string> = new Set([
  ...['title', 'description', 'examples', 'deprecated', 'readOnly', 'writeOnly', 'contentEncoding', 'contentMediaType', '$id', '$anchor'],
])

/** Before 2020-12 the list of a tuple's items stood in `items`. */
const withModernTuples = (schema: Schema): Schema => {
  const { items, additionalItems, ...rest } = schema
  if (!Array.isArray(items)) return schema
  return {
    ...rest,
    ...(items.length === 0 ? {} : { prefixItems: items }),
    ...(additionalItems === undefined ? {} : { items: additionalItems }),
  }
}

const keywordOf = (keyword: string, value: Json, options: WellFormedOptions): Json | undefined => {
  if (SCHEMAS.has(keyword)) return keyword === 'items' ? item(value, options) : subschema(value, options)
  if (LISTS.has(keyword)) return Array.isArray(value) && value.length > 0 ? all(value.map((part) => item(part, options))) : undefined
  if (NAMED.has(keyword)) return isRecord(value) ? named(keyword, value as Schema, options) : undefined
  const isValid = Object.hasOwn(VALUES, keyword) ? VALUES[keyword] : undefined
  return isValid === undefined || isValid(value) ? value : undefined
}

const SCHEMAS: ReadonlySet<string> = new Set([
  ...['items', 'additionalProperties', 'contains', 'contentSchema', 'not', 'if', 'then', 'else', 'propertyNames'],
  ...['unevaluatedItems', 'unevaluatedProperties'],
])
const LISTS: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems'])
const NAMED: ReadonlySet<string> = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'])

const subschema = (value: Json, options: WellFormedOptions): Json | undefined =>
  isRecord(value) ? wellFormed(value as Schema, options) : typeof value === 'boolean' ? value : undefined

/** Where some providers want an object, too. */
const item = (value: Json, options: WellFormedOptions): Json | undefined => {
  const schema = subschema(value, options)
  if (typeof schema !== 'boolean') return schema
  return schema ? {} : { not: {} }
}

const all = (values: readonly (Json | undefined)[]): Json[] => values.map((value) => value ?? {})

const named = (keyword: string, schemas: Schema, options: WellFormedOptions): Json =>
  Object.fromEntries(
    Object.entries(schemas).flatMap(([name, value]) => {
      if (name === '__proto__' || (keyword === 'patternProperties' && !isPattern(name))) return []
      return [[name, item(value, options) ?? {}]]
    }),
  )

const dropNames = (made: Record<string, Json>, properties: Readonly<Record<string, unknown>>, names: RegExp, lost: Lost): void => {
  const odd = Object.keys(properties).filter((name) => !names.test(name))
  if (odd.length === 0) return
  const kept = Object.entries((made.properties ?? {}) as Schema).filter(([name]) => names.test(name))
  made.properties = Object.fromEntries(kept)
  if (Array.isArray(made.required)) made.required = made.required.filter((name) => !odd.includes(name as string))
  // Else a model could not give them at all.
  if (made.additionalProperties === false) delete made.additionalProperties
  for (const name of odd) lost(`the property '${preview(name)}', whose name it does not take`)
  const words = odd.map((name) => `${JSON.stringify(name)} (${JSON.stringify(properties[name])})`).join(', ')
  const also = `There are further properties: ${preview(words, MAX_WORDS)}`
  made.description = typeof made.description === 'string' && made.description !== '' ? `${made.description}. ${also}` : also
}

/** Of a description, for what the schema cannot say. */
export const MAX_WORDS = 1000

type Is = (value: Json) => boolean

const isText: Is = (value) => typeof value === 'string'
const isFlag: Is = (value) => typeof value === 'boolean'
const isNumber: Is = (value) => typeof value === 'number'
const isCount: Is = (value) => Number.isSafeInteger(value) && (value as number) >= 0
const isList: Is = (value) => Array.isArray(value)
const isTextsOnce: Is = (value) => Array.isArray(value) && value.every(isText) && new Set(value).size === value.length

const TYPES: readonly Json[] = ['string', 'number', 'integer', 'boolean', 'null', 'array', 'object']
const isType: Is = (value) =>
  Array.isArray(value) ? value.length > 0 && isTextsOnce(value) && value.every((one) => TYPES.includes(one)) : TYPES.includes(value)

const isPattern: Is = (value) => {
  if (typeof value !== 'string') return false
  try {
    return new RegExp(value, 'u') !== undefined
  } catch {
    return false
  }
}

/** A keyword that is not listed may have any value. */
const VALUES: Readonly<Record<string, Is>> = {
  type: isType,
  enum: (value) => Array.isArray(value) && value.length > 0,
  multipleOf: (value) => typeof value === 'number' && value > 0,
  maximum: isNumber,
  exclusiveMaximum: isNumber,
  minimum: isNumber,
  exclusiveMinimum: isNumber,
  maxLength: isCount,
  minLength: isCount,
  pattern: isPattern,
  maxItems: isCount,
  minItems: isCount,
  uniqueItems: isFlag,
  maxContains: isCount,
  minContains: isCount,
  maxProperties: isCount,
  minProperties: isCount,
  required: isTextsOnce,
  dependentRequired: (value) => isRecord(value) && Object.values(value as Schema).every(isTextsOnce),
  dependencies: () => false,
  additionalItems: () => false,
  id: () => false,
  format: isText,
  title: isText,
  description: isText,
  examples: isList,
  deprecated: isFlag,
  readOnly: isFlag,
  writeOnly: isFlag,
  contentEncoding: isText,
  contentMediaType: isText,
  $id: (value) => typeof value === 'string' && !value.includes('#') && URL.canParse(value, 'https://host'),
  $anchor: (value) => typeof value === 'string' && /^[A-Za-z_][-A-Za-z0-9._]*$/.test(value),
  $dynamicAnchor: (value) => typeof value === 'string' && /^[A-Za-z_][-A-Za-z0-9._]*$/.test(value),
  $ref: isText,
  $dynamicRef: isText,
  $recursiveRef: isText,
  $recursiveAnchor: isFlag,
}
