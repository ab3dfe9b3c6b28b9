// What a function takes, in either of two notations: a short map of its parameters, or a JSON Schema.

import type { Json } from '@plumb/lang'

export type Parameters = Readonly<Record<string, ShortParameter>> | Schema

export type Schema = { readonly [keyword: string]: Json }

export interface ShortParameter {
  readonly type: 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object'
  readonly description?: string
  readonly enum?: readonly string[]
  /** It may be left out, and is then this. */
  readonly default?: Json
}

/** In a short map each key is a parameter, also one that is called `type` or `properties`. */
export const isSchema = (parameters: Parameters): parameters is Schema => {
  const { type, properties } = parameters as Schema
  if (typeof type === 'string') return true
  return typeof properties === 'object' && properties !== null && typeof (properties as Schema).type !== 'string'
}

export const schemaOf = (parameters: Readonly<Record<string, ShortParameter>>): Schema => ({
  type: 'object',
  properties: parameters as unknown as Json,
  required: Object.keys(parameters).filter((name) => parameters[name]?.default === undefined),
})
