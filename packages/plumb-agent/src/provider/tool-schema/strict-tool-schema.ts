// The strict form of a tool's schema. It refuses nothing that the schema takes: else there is none.

import type { Json } from '@plumb/lang'
import { isRecord } from '@plumb/wire'
import { type Dialect, type StrictSchema, strictSchema } from '../output-schema.js'
import type { Schema } from './well-formed.js'

/** `schema` is fitted. Undefined: there is none, as for an object that takes further properties. */
export const strictToolSchema = (schema: Schema, dialect: Dialect): StrictSchema | undefined => {
  if (schema.definitions !== undefined) return undefined
  const closed = closedForm(schema, dialect)
  const { $defs } = schema
  if (!closed || !isRecord($defs)) return closed && strictSchema(closed, dialect)
  const definitions = mapped($defs as Schema, (definition) => closedForm(definition, dialect))
  return definitions && strictSchema({ ...closed, $defs: definitions }, dialect)
}

/** Without keywords that say nothing to a model, and, where all fields are required, with null for those that may be absent. */
const closedForm = (schema: Json, dialect: Dialect): Schema | undefined => {
  if (!isRecord(schema)) return undefined
  const { title: _, examples: __, $id: ___, $defs: ____, properties, items, anyOf, ...rest } = schema as Schema
  if (typeof rest.$ref === 'string' && !/^#\/\$defs\/[^/]+$/.test(rest.$ref)) return undefined
  const made: Record<string, Json> = rest
  if (isRecord(properties)) {
    // Names by a pattern would be refused.
    if (rest.additionalProperties !== false || rest.patternProperties !== undefined) return undefined
    const fields = closedFields(properties as Schema, rest.required, dialect)
    if (!fields) return undefined
    Object.assign(made, fields)
  }
  if (items !== undefined) {
    const closed = closedForm(items, dialect)
    if (!closed) return undefined
    made.items = closed
  }
  if (Array.isArray(anyOf)) {
    const closed = anyOf.map((variant) => closedForm(variant, dialect))
    if (closed.some((variant) => !variant)) return undefined
    made.anyOf = closed as Schema[]
  }
  return made
}

const closedFields = (properties: Schema, required: Json | undefined, { isAllRequired, ...dialect }: Dialect): Schema | undefined => {
  const needed = Array.isArray(required) ? required : []
  // One that is not described could not be given.
  if (needed.some((name) => !Object.hasOwn(properties, name as string))) return undefined
  const closed = mapped(properties, (field, name) => {
    const form = closedForm(field, { isAllRequired, ...dialect })
    return form && isAllRequired && !needed.includes(name) ? withNull(form) : form
  })
  return closed && { properties: closed, required: isAllRequired ? Object.keys(properties) : [...needed] }
}

/** A null is read as absent where it is none of the values itself; where that is not sure, there is none. */
const withNull = ({ type, const: only, enum: values, ...rest }: Schema): Schema | undefined => {
  if (typeof type !== 'string' || type === 'null' || only !== undefined) return undefined
  if (values === undefined) return { ...rest, type: [type, 'null'] }
  return Array.isArray(values) && !values.includes(null) ? { ...rest, type: [type, 'null'], enum: [...values, null] } : undefined
}

const mapped = (schemas: Schema, form: (schema: Json, name: string) => Schema | undefined): Schema | undefined => {
  const made = Object.entries(schemas).map(([name, schema]) => [name, form(schema, name)] as const)
  return made.every(([, schema]) => schema) ? (Object.fromEntries(made) as Schema) : undefined
}
