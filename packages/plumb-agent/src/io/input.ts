// From a line of the input to what the user says: checked against the input type, a string as itself, anything else as JSON.

import { checkTree, describeMismatch, fillDefaults, parseTree, printType, type Type, takesText } from '@plumb/lang'
import { checkLine, fail, fault, preview, type Result, succeed, suggestRaw } from '@plumb/wire'

/** `isLast`: the line had no newline, so that what ends too soon was cut off. */
export const readInput = (json: Buffer, type: Type, isLast: boolean): Result<string> => {
  const tree = parseTree(json, 0, json.length)
  if (tree.kind === 'fault') {
    const refusal = checkLine(json, 0, json.length, takesText(type), isLast)
    return refusal ? { ok: false, error: refusal } : fail(tree.error, `not JSON: ${tree.detail}`)
  }
  const mismatch = checkTree(type, json, tree)
  if (mismatch) {
    const detail = `message ${describeMismatch(mismatch, preview(printType(type)))}`
    const error = fault('input_type_mismatch', detail, { path: mismatch.path, expected: preview(mismatch.expected) })
    return { ok: false, error: suggestRaw(error, json, tree.start, takesText(type)) }
  }
  const text = (fillDefaults(type, json, tree) ?? json.subarray(tree.start, tree.end)).toString()
  return succeed(tree.kind === 'string' ? JSON.parse(text) : text)
}
