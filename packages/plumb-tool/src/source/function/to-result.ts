// Converts the return value of a function to JSON, or explains why that is not possible.

import { resolve, type Type } from '@plumb/lang'
import { fail, preview, type Result, succeed } from '@plumb/wire'
import { reportedFault } from '../../call/reported-fault.js'
import type { JsonText } from '../../json-text.js'

export const toResult = (value: unknown, name: string, output: Type): Result<JsonText> => {
  try {
    const json: string | undefined = JSON.stringify(value, refuseInfinite)
    return json === undefined ? refuseNoValue(typeof value, name, output) : parseResult(json, name, output)
  } catch (error) {
    return refuseNonJson((error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? '', name)
  }
}

/** A returned object that is an error of the table becomes the error, unless the declared output has a field `error`. */
export const parseResult = (json: JsonText, name: string, output: Type): Result<JsonText> => {
  // A cheap test first: most results need not be parsed.
  const mayBe = json.length <= MAX_FAULT_CHARACTERS && json.startsWith('{') && json.includes('"category"')
  const error = mayBe && !hasField(output, 'error') ? reportedFault(JSON.parse(json), `function '${name}'`) : undefined
  return error ? { ok: false, error } : succeed(json)
}

const MAX_FAULT_CHARACTERS = 64 * 1024

const hasField = (type: Type, name: string): boolean => {
  const resolved = resolve(type)
  if (resolved.kind === 'sum') return resolved.variants.some((variant) => hasField(variant, name))
  if (resolved.kind === 'map') return true
  return resolved.kind === 'record' && resolved.fields.some((field) => field.name === name)
}

/** `undefined` is the value of unit. */
export const refuseNoValue = (type: string, name: string, output: Type): Result<JsonText> => {
  if (type === 'undefined' && resolve(output).kind === 'unit') return succeed('null')
  return fail('output_type_mismatch', `function '${name}' gave ${type}, which is not a JSON value; return one, or null`)
}

export const refuseNonJson = (why: string, name: string): Result<JsonText> =>
  fail('output_type_mismatch', `what function '${name}' gave is not a JSON value: ${preview(why, MAX_WHY)}`)

const MAX_WHY = 400

// JSON.stringify would silently write null for NaN and Infinity.
const refuseInfinite = (_key: string, value: unknown): unknown => {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new TypeError(`${value} is not a JSON number`)
  return value
}
