// Parameters of a function: a short map from name to type, or a JSON Schema.

import type { Json } from '@plumb/lang'
import type { Schema } from '../../call/type-of-schema.js'

export type Parameters = Readonly<Record<string, ShortParameter>> | Schema

export interface ShortParameter {
  readonly type: 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object'
  readonly description?: string
  readonly enum?: readonly string[]
  /** Value if the parameter is left out. */
  readonly default?: Json
  /** Without a default and without `false` here the parameter is required. */
  readonly required?: boolean
}

export const schemaOfParameters = (parameters: Parameters): Schema =>
  isSchema(parameters) ? parameters : schemaOf(parameters as Readonly<Record<string, ShortParameter>>)

/** A short map may have parameters called `type` or `properties`, so the types of their values decide. */
const isSchema = (parameters: Parameters): parameters is Schema => {
  const { type, properties } = parameters as Schema
  if (typeof type === 'string') return true
  return typeof properties === 'object' && properties !== null && typeof (properties as Schema).type !== 'string'
}

const schemaOf = (parameters: Readonly<Record<string, ShortParameter>>): Schema => {
  const properties = Object.fromEntries(Object.entries(parameters).map(([name, { required: _, ...schema }]) => [name, schema as Schema]))
  const required = Object.keys(parameters).filter((name) => parameters[name]?.default === undefined && parameters[name]?.required !== false)
  return { type: 'object', properties, required }
}
