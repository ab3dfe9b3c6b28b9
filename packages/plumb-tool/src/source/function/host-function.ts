// A function of the embedding program as a tool. It runs in that program's process, so it can be asked to stop, but not stopped.

import type { Json, Type } from '@plumb/lang'
import { fail, type Result } from '@plumb/wire'
import { withOutput } from '../../call/output.js'
import { readThrown, thrownFault } from '../../call/thrown.js'
import type { Tool } from '../../call/tool.js'
import { typeOfSchema } from '../../call/type-of-schema.js'
import { withValidation } from '../../call/validate.js'
import type { JsonText } from '../../json-text.js'
import { type Parameters, type ShortParameter, schemaOfParameters } from './parameters.js'
import { toResult } from './to-result.js'

/** The input type of a function with these parameters; for JSON Schema, any record. */
export type InputOf<P> = P extends { readonly type: 'object' }
  ? { readonly [name: string]: Json }
  : { readonly [K in keyof P]: P[K] extends ShortParameter ? ValueOf<P[K]> | AbsentOf<P[K]> : Json }

type AbsentOf<P extends ShortParameter> = P extends { readonly required: false } ? undefined : never

type ValueOf<P extends ShortParameter> = P extends { readonly enum: readonly (infer E)[] } ? E : Values[P['type']]

interface Values {
  readonly string: string
  readonly number: number
  readonly integer: number
  readonly boolean: boolean
  readonly array: readonly Json[]
  readonly object: { readonly [name: string]: Json }
}

export interface FunctionDeclaration<P extends Parameters> {
  readonly name: string
  readonly description: string
  /** `{ a: { type: "number", description: "…" } }`, or a JSON Schema of an object. */
  readonly parameters: P
  /** Type of the result; default: any JSON. */
  readonly output?: Type
  /** `signal` is aborted when the result is no longer needed. */
  readonly fn: (input: InputOf<P>, signal: AbortSignal) => unknown
}

export interface FunctionTool extends Tool {
  readonly description: string
}

/** A function of this process as a tool. Input and output are checked against the declared types. Constraints of JSON Schema that types cannot express are not checked. */
export const adaptFunction = <const P extends Parameters>(declaration: FunctionDeclaration<P>): FunctionTool => {
  const { name, description, parameters, output = { kind: 'json' }, fn } = declaration
  const schema = schemaOfParameters(parameters)
  const call = async (input: JsonText, signal: AbortSignal): Promise<Result<JsonText>> => {
    try {
      return toResult(await fn(JSON.parse(input) as InputOf<P>, signal), name, output)
    } catch (error) {
      return { ok: false, error: thrownFault(readThrown(error), `function '${name}'`) }
    }
  }
  const run: Tool['run'] = (input, { signal }) => untilAborted(call(input, signal), signal, name)
  return { description, ...withValidation(withOutput()({ name, input: typeOfSchema(schema), output, run })) }
}

const untilAborted = (running: Promise<Result<JsonText>>, signal: AbortSignal, name: string): Promise<Result<JsonText>> =>
  new Promise((resolve) => {
    const onAbort = () => resolve(fail('cancelled', `function '${name}' is not waited for any longer`))
    if (signal.aborted) return onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    void running.then((result) => {
      signal.removeEventListener('abort', onAbort)
      resolve(result)
    })
  })
