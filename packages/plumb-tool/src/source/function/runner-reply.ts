// Turns the reply of a function's child, or its missing reply, into a result.

import type { Json, Type } from '@plumb/lang'
import { type Exit, type Fault, fail, fault, isRecord, nearest, parseJson, preview, type Result } from '@plumb/wire'
import { type Thrown, thrownFault } from '../../call/thrown.js'
import type { JsonText } from '../../json-text.js'
import { parseResult, refuseNonJson, refuseNoValue } from './to-result.js'

/** The line that runner.child.cjs writes. */
type Reply =
  | { readonly kind: 'value'; readonly json: string }
  | { readonly kind: 'nothing'; readonly type: string }
  | ({ readonly kind: 'threw' } & Thrown)
  | { readonly kind: 'unloaded' | 'unfit'; readonly message: string }
  | { readonly kind: 'missing'; readonly functions: readonly string[] }

/** What comes before the reply of a function that declares its parameters. */
export const readDeclared = (line: string): Json | undefined => {
  const bytes = Buffer.from(line)
  const parsed = parseJson(bytes, 0, bytes.length)
  const { kind, parameters } = (parsed.ok && isRecord(parsed.value) ? parsed.value : {}) as {
    readonly kind?: unknown
    readonly parameters?: Json
  }
  return kind === 'declared' ? parameters : undefined
}

interface Asked {
  readonly tool: string
  readonly file: string
  readonly name: string
  readonly output: Type
}

const MAX_MESSAGE = 400

export const readReply = (line: Result<string> | undefined, exit: Exit, asked: Asked): Result<JsonText> => {
  const { tool, file, name, output } = asked
  if (line?.ok === false) return refuseNonJson(line.error.detail, tool)
  const reply = parseReply(line?.value ?? '')
  if (!reply) return fail('tool_crashed', `function '${tool}' ${howItEnded(exit)} before it gave a result`)
  switch (reply.kind) {
    case 'value':
      return parseResult(reply.json, tool, output)
    case 'nothing':
      return refuseNoValue(reply.type, tool, output)
    case 'unfit':
      return refuseNonJson(reply.message, tool)
    case 'threw':
      return { ok: false, error: thrownFault(reply, `function '${tool}'`) }
    case 'unloaded':
      return fail('tool_crashed', `'${preview(file, 200)}' cannot be loaded: ${preview(reply.message, MAX_MESSAGE)}`)
    case 'missing':
      return { ok: false, error: noSuchFunction(file, name, reply.functions) }
  }
}

export const noSuchFunction = (file: string, name: string, functions: readonly string[]): Fault => {
  const near = nearest(name, functions)
  const list = functions.length === 0 ? 'it exports none' : `there are ${preview(functions.join(', '), 200)}`
  const hint = near === undefined ? list : `did you mean '${near}'?`
  return fault('config_invalid', `'${preview(file, 200)}' exports no function '${preview(name)}', ${hint}`)
}

// The module itself may have written to the descriptor too.
const parseReply = (line: string): Reply | undefined => {
  const bytes = Buffer.from(line)
  const parsed = parseJson(bytes, 0, bytes.length)
  const reply = (parsed.ok ? parsed.value : undefined) as Reply | undefined
  return KINDS.includes(reply?.kind) ? reply : undefined
}

const KINDS: readonly unknown[] = ['value', 'nothing', 'threw', 'unloaded', 'unfit', 'missing'] satisfies Reply['kind'][]

export const howItEnded = ({ status, signal }: Exit): string => (signal ? `was ended by ${signal}` : `ended with status ${status}`)
