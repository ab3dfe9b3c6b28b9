// Guards against foreign schemas before they are compiled: of bounded size and depth, with references only into themselves, and with a step
// counter in each subschema, so that a schema of a few lines cannot keep a process busy for ever.

import { isRecord } from '../is-record.js'
import { preview } from '../preview.js'
import { fail, type Result, succeed } from '../result.js'

/** A keyword of this program, in every subschema. */
export const STEP = 'x-plumb-step'

/** Takes less than a second. */
export const MAX_STEPS = 2_000_000

const MAX_NODES = 50_000
const MAX_SCHEMA_DEPTH = 128

interface Guarded {
  readonly schema: boolean | Record<string, unknown>
  readonly isDraft7: boolean
}

// Keywords whose value is a schema, a list of schemas, or schemas by name. All other values are data.
const ONE = new Set([
  ...['additionalProperties', 'additionalItems', 'contains', 'contentSchema', 'not', 'if', 'then', 'else', 'propertyNames'],
  ...['unevaluatedItems', 'unevaluatedProperties', 'items'],
])
const LIST = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems', 'items'])
const NAMED = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'dependencies'])
const REFERENCES = new Set(['$ref', '$dynamicRef', '$recursiveRef'])
/** They would make the check asynchronous, or name parts of it, which could be confused with others. */
const DROPPED = new Set(['$async', '$schema', '$comment', 'examples', 'default', STEP])

/** Returns a guarded copy; `bad_reply` says why there is none. */
export const guardSchema = (schema: unknown): Result<Guarded> => {
  if (typeof schema === 'boolean') return succeed({ schema, isDraft7: false })
  if (!isRecord(schema)) return refuse('it is not an object')
  const problem = describeExcess(schema)
  if (problem !== undefined) return refuse(problem)
  let foreign: string | undefined
  let hasTuple = false

  const copy = (part: unknown): unknown => {
    if (!isRecord(part)) return part
    const made: Record<string, unknown> = { [STEP]: true }
    for (const [key, value] of Object.entries(part)) {
      if (DROPPED.has(key) || key === '__proto__') continue
      if (REFERENCES.has(key) && typeof value === 'string' && !value.startsWith('#')) foreign ??= value
      if (key === 'items' && Array.isArray(value)) hasTuple = true
      made[key] = copyKeyword(key, value)
    }
    return made
  }
  const copyKeyword = (key: string, value: unknown): unknown => {
    if (LIST.has(key) && Array.isArray(value)) return value.map(copy)
    if (ONE.has(key)) return copy(value)
    if (!NAMED.has(key) || !isRecord(value)) return value
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, Array.isArray(part) ? part : copy(part)]))
  }

  const copied = copy(schema) as Record<string, unknown>
  if (foreign !== undefined) return refuse(`it refers to '${preview(foreign)}', outside of itself`)
  const draft = typeof schema.$schema === 'string' ? schema.$schema : ''
  return succeed({ schema: copied, isDraft7: hasTuple || /draft-0[67]/.test(draft) })
}

const refuse = (why: string) => fail('bad_reply', `the schema cannot be used: ${why}`)

// Iterative instead of recursive: the schema may be deeper than the stack.
const describeExcess = (schema: object): string | undefined => {
  let nodes = 0
  let level: object[] = [schema]
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > MAX_SCHEMA_DEPTH) return `it is nested more than ${MAX_SCHEMA_DEPTH} deep`
    const next: object[] = []
    for (const part of level) {
      for (const value of Object.values(part)) {
        if (++nodes > MAX_NODES) return `it has more than ${MAX_NODES} parts`
        if (typeof value === 'object' && value !== null) next.push(value)
      }
    }
    level = next
  }
  return undefined
}
