// The input schema of a tool as a model or an MCP client sees it: always an object.

import { type JsonSchema, toSchema } from './schema.js'
import { resolve, type Type } from './type.js'

export interface ToolSchema {
  readonly schema: JsonSchema
  /** The input is not a record: it is in the field `input` of one. */
  readonly isWrapped: boolean
}

export const toToolSchema = (input: Type): ToolSchema => {
  const isWrapped = resolve(input).kind !== 'record'
  const type: Type = isWrapped ? { kind: 'record', fields: [{ name: 'input', type: input, isOptional: false }] } : input
  return { schema: toSchema(type), isWrapped }
}
