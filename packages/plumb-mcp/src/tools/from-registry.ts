// Tools of a program, as clients see them.

import { printType, resolve, type ToolPlan, toSchema } from '@plumb/lang'
import { perform, type Registered, type Session } from '@plumb/tool'
import { toAnswer } from './answer.js'
import { hintsOf, type ServedTool } from './served-tool.js'

/** `isWrapped`: the input stands in the field `input` of an object, whatever its type is. */
export const fromRegistered = ({ plan, effects, schema, tool }: Registered, session: Session, isWrapped = false): ServedTool => {
  const outputSchema = outputSchemaOf(plan)
  return {
    name: plan.name,
    description: plan.description ?? `${printType(plan.input)} -> ${printType(plan.output)}`,
    inputSchema: isWrapped ? wrapped(plan) : schema.schema,
    ...(outputSchema ? { outputSchema } : {}),
    annotations: hintsOf(effects),
    effects,
    call: async (input, { id, signal }) => {
      const { result } = await perform(tool, isWrapped ? unwrapped(input) : input, { session, signal, id })
      return toAnswer(result, outputSchema !== undefined)
    },
  }
}

const wrapped = ({ input }: ToolPlan): ServedTool['inputSchema'] =>
  toSchema({ kind: 'record', fields: [{ name: 'input', type: input, isOptional: false }] })

// What is not wrapped is taken as it is.
const unwrapped = (json: string): string => {
  const value = JSON.parse(json) as Readonly<Record<string, unknown>>
  const keys = Object.keys(value)
  return keys.length === 1 && keys[0] === 'input' ? JSON.stringify(value.input) : json
}

// An image is shown as one; its data is not said twice.
const outputSchemaOf = ({ output }: ToolPlan): ServedTool['outputSchema'] | undefined => {
  const type = resolve(output)
  if (type.kind === 'map') return toSchema(output)
  if (type.kind !== 'record') return undefined
  const kind = type.fields.find(({ name }) => name === 'type')
  const isBlock = kind !== undefined && resolve(kind.type).kind === 'literal'
  return isBlock ? undefined : toSchema(output)
}
