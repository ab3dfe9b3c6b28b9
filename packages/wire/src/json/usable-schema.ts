// Whether a foreign schema can be compiled at all. Lists of tools are long, and a schema takes milliseconds to compile: what is usual is
// recognised, and anything else is compiled.

import { isRecord } from '../is-record.js'
import { compileSchema } from './schema.js'

/** Why it cannot be used. Undefined: it can, or nothing can be checked here (`cannot_run`). */
export const whyUnusable = (schema: unknown): string | undefined => {
  if (isUsual(schema)) return undefined
  const compiled = compileSchema(schema)
  return compiled.ok || compiled.error.error === 'cannot_run'
    ? undefined
    : compiled.error.detail.replace(/^the schema cannot be used: /, '')
}

const MAX_USUAL_PARTS = 5000
const MAX_USUAL_DEPTH = 32

const isUsual = (root: unknown): boolean => {
  let parts = 0
  const each = (values: readonly unknown[], depth: number): boolean => values.every((value) => check(value, depth))
  const check = (schema: unknown, depth: number): boolean => {
    if (typeof schema === 'boolean') return true
    if (!isRecord(schema) || depth > MAX_USUAL_DEPTH || ++parts > MAX_USUAL_PARTS) return false
    return Object.entries(schema).every(([keyword, value]) => {
      if (keyword.startsWith('x-')) return true
      switch (Object.hasOwn(KEYWORDS, keyword) ? KEYWORDS[keyword] : undefined) {
        case 'any':
          return true
        case 'text':
          return typeof value === 'string'
        case 'number':
          return typeof value === 'number' && value >= 0
        case 'bound':
          return typeof value === 'number'
        case 'flag':
          return typeof value === 'boolean'
        case 'type':
          return TYPES.includes(value) || (Array.isArray(value) && value.length > 0 && value.every((one) => TYPES.includes(one)))
        case 'texts':
          return Array.isArray(value) && value.every((one) => typeof one === 'string') && new Set(value).size === value.length
        case 'values':
          return Array.isArray(value) && value.length > 0
        case 'reference':
          return typeof value === 'string' && isDefined(value, root)
        case 'schema':
          return check(value, depth + 1)
        case 'list':
          return Array.isArray(value) && value.length > 0 && each(value, depth + 1)
        case 'named':
          return isRecord(value) && each(Object.values(value), depth + 1)
        default:
          return false
      }
    })
  }
  return check(root, 0)
}

const isDefined = (reference: string, root: unknown): boolean => {
  const [, group = '', name = ''] = /^#\/(\$defs|definitions)\/([\w.-]+)$/.exec(reference) ?? []
  const definitions = isRecord(root) ? root[group] : undefined
  return isRecord(definitions) && Object.hasOwn(definitions, name)
}

const TYPES: readonly unknown[] = ['string', 'number', 'integer', 'boolean', 'null', 'array', 'object']

type Form = 'any' | 'text' | 'number' | 'bound' | 'flag' | 'type' | 'texts' | 'values' | 'reference' | 'schema' | 'list' | 'named'

const of = (form: Form, ...keywords: readonly string[]): Record<string, Form> =>
  Object.fromEntries(keywords.map((keyword) => [keyword, form]))

const KEYWORDS: Readonly<Record<string, Form>> = {
  ...of('any', 'default', 'const', 'examples', '$schema', '$comment'),
  ...of('text', 'title', 'description', 'format', 'pattern'),
  ...of('number', 'minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'),
  ...of('bound', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'),
  ...of('flag', 'deprecated', 'readOnly', 'writeOnly', 'uniqueItems'),
  ...of('type', 'type'),
  ...of('texts', 'required'),
  ...of('values', 'enum'),
  ...of('reference', '$ref'),
  ...of('schema', 'items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains', 'propertyNames'),
  ...of('list', 'anyOf', 'oneOf', 'allOf', 'prefixItems'),
  ...of('named', 'properties', '$defs', 'definitions'),
}
