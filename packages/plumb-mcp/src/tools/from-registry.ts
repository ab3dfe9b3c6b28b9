// The tools of a program, as clients see them.

import { printType, resolve, type ToolPlan, type Type, toSchema } from '@plumb/lang'
import { perform, type Registered, type Session } from '@plumb/tool/internal'
import type { Result } from '@plumb/wire'
import { toAnswer } from './answer.js'
import { hintsOf, type ServedTool } from './served-tool.js'

/** `isWrapped`: the input is the field `input` of an object, whatever its type is. */
export const fromRegistered = ({ plan, effects, schema, tool }: Registered, session: Session, isWrapped = false): ServedTool => {
  const outputSchema = outputSchemaOf(plan)
  return {
    name: plan.name,
    description: plan.description ?? `${printType(plan.input)} -> ${printType(plan.output)}`,
    inputSchema: isWrapped ? wrapped(plan) : schema.schema,
    ...(outputSchema ? { outputSchema } : {}),
    annotations: hintsOf(effects),
    effects,
    call: async (input, { id, signal, traceparent }) => {
      const trace = traceparent === undefined ? undefined : { traceparent }
      const taken = isWrapped ? unwrapped(input) : input
      const { result } = await perform(tool, taken, { session, signal, id, trace })
      return toAnswer(isWrapped && taken === input ? withWayToWrap(result) : result, outputSchema !== undefined)
    },
  }
}

const wrapped = ({ input }: ToolPlan): ServedTool['inputSchema'] =>
  toSchema({ kind: 'record', fields: [{ name: 'input', type: input, isOptional: false }] })

// An input that is not wrapped is taken as it is.
const unwrapped = (json: string): string => {
  const value = JSON.parse(json) as Readonly<Record<string, unknown>>
  const keys = Object.keys(value)
  return keys.length === 1 && keys[0] === 'input' ? JSON.stringify(value.input) : json
}

const withWayToWrap = <T>(result: Result<T>): Result<T> => {
  if (result.ok || result.error.error !== 'input_type_mismatch') return result
  return { ok: false, error: { ...result.error, detail: `${result.error.detail}; the arguments are {"input":VALUE}` } }
}

// The text of a string is complete; an image is sent as an image, and its data is not repeated.
const outputSchemaOf = ({ output }: ToolPlan): ServedTool['outputSchema'] | undefined => {
  const { kind } = resolve(output)
  return kind === 'string' || kind === 'json' || mayBeBlock(output) ? undefined : toSchema(output)
}

/** `Block`s go out as content: those of a type, and those in a list. */
const mayBeBlock = (type: Type): boolean => {
  const known = resolve(type)
  if (known.kind === 'array') return resolve(known.item).kind === 'json' || mayBeBlock(known.item)
  if (known.kind === 'sum') return known.variants.some(mayBeBlock)
  if (known.kind !== 'record') return false
  const kind = known.fields.find(({ name }) => name === 'type')
  return kind !== undefined && resolve(kind.type).kind === 'literal'
}
