// What a function gave, as JSON that says the same; or why there is none.

import { resolve, type Type } from '@plumb/lang'
import { fail, preview, type Result, succeed } from '@plumb/wire'
import type { JsonText } from '../../tool.js'

export const toResult = (value: unknown, name: string, output: Type): Result<JsonText> => {
  try {
    const json: string | undefined = JSON.stringify(value, refuseInfinite)
    return json === undefined ? noValue(typeof value, name, output) : succeed(json)
  } catch (error) {
    return noJson((error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? '', name)
  }
}

/** A function that gives nothing gives what `unit` is. */
export const noValue = (type: string, name: string, output: Type): Result<JsonText> => {
  if (type === 'undefined' && resolve(output).kind === 'unit') return succeed('null')
  return fail('output_type_mismatch', `function '${name}' gave ${type}, which is no JSON value; return one, or null`)
}

export const noJson = (why: string, name: string): Result<JsonText> =>
  fail('output_type_mismatch', `what function '${name}' gave is no JSON value: ${preview(why, MAX_WHY)}`)

const MAX_WHY = 400

// JSON.stringify would make null of these.
const refuseInfinite = (_key: string, value: unknown): unknown => {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new TypeError(`${value} is no JSON number`)
  return value
}
