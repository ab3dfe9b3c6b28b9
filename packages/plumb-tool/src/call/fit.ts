// Makes a text fit the type of a tool's input or result: with defaults, and with repairs where it is almost right.

import { ALL_REPAIRS, type Fit, fitText, resolve, type Type } from '@plumb/lang'
import { parseTree, type Result, succeed } from '@plumb/wire'
import type { JsonText } from '../json-text.js'

/** For models and callers from outside: a type that is not a record may also be written as `{"input": …}`, as its schema shows it. */
export const fitToolInput = (json: JsonText, type: Type): Result<Fit> => {
  const { kind } = resolve(type)
  const isWrapped = kind !== 'record'
  const inner = isWrapped ? unwrap(json) : undefined
  if (inner === undefined) return kind === 'unit' && json.trim() === '{}' ? succeed({ json: 'null', repairs: [] }) : fitInput(json, type)
  const unwrapped = fitInput(inner, type)
  if (unwrapped.ok && unwrapped.value.repairs.length === 0) return unwrapped
  // A variant of the type may itself be a record with that one field.
  const whole = fitInput(json, type)
  if (whole.ok && whole.value.repairs.length === 0) return whole
  return unwrapped.ok || !whole.ok ? unwrapped : whole
}

export const fitInput = (json: JsonText, type: Type): Result<Fit> =>
  fitText(json, type, { what: 'input', code: 'input_type_mismatch', repairs: ALL_REPAIRS })

export const fitOutput = (json: JsonText, type: Type): Result<Fit> =>
  fitText(json, type, { what: 'result', code: 'output_type_mismatch', repairs: ALL_REPAIRS })

const unwrap = (json: JsonText): JsonText | undefined => {
  if (!/^\s*\{\s*"/.test(json)) return undefined
  const buf = Buffer.from(json)
  const tree = parseTree(buf, 0, buf.length)
  if (tree.kind !== 'object') return undefined
  const [only, another] = tree.entries
  if (only?.key !== 'input' || another) return undefined
  return buf.toString('utf8', only.node.start, only.node.end)
}
