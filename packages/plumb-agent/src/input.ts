// From a line of the input to what the user says: checked against the input type, a string as itself, anything else as JSON.

import { checkTree, describeMisfit, fillDefaults, parseTree, printType, type Type } from '@plumb/lang'
import { fail, parseJson, preview, type Result, succeed } from '@plumb/wire'

/** `isLast`: the line had no newline, so that what ends too soon was cut off. */
export const readInput = (json: Buffer, type: Type, isLast: boolean): Result<string> => {
  const tree = parseTree(json, 0, json.length)
  if (tree.kind === 'fault') {
    const parsed = parseJson(json, 0, json.length, isLast)
    return parsed.ok ? fail(tree.error, `not JSON: ${tree.detail}`) : parsed
  }
  const misfit = checkTree(type, json, tree)
  if (misfit) {
    const detail = `message ${describeMisfit(misfit, preview(printType(type)))}`
    return fail('input_type_mismatch', detail, { path: misfit.path, expected: preview(misfit.expected) })
  }
  const text = (fillDefaults(type, json, tree) ?? json.subarray(tree.start, tree.end)).toString()
  return succeed(tree.kind === 'string' ? JSON.parse(text) : text)
}
