// The one check of an answer: JSON text in, one line of JSON out, or the reason why not.

import { checkTree, describeMisfit, fillDefaults, parseTree, printType, type Type } from '@plumb/lang'
import { fail, preview, type Result, succeed } from '@plumb/wire'

/** One line, with the defaults of absent fields; `output_type_mismatch` with `path` and `expected` otherwise. */
export const validate = (json: string, type: Type): Result<string> => {
  const buf = Buffer.from(escapeLoneSurrogates(json))
  const tree = parseTree(buf, 0, buf.length)
  const wanted = preview(printType(type))
  if (tree.kind === 'fault') return fail('output_type_mismatch', `answer is no JSON value: ${tree.detail}`, { expected: wanted })
  const misfit = checkTree(type, buf, tree)
  if (misfit) {
    const extras = { path: misfit.path, expected: preview(misfit.expected) }
    return fail('output_type_mismatch', `answer ${describeMisfit(misfit, wanted)}`, extras)
  }
  const whole = fillDefaults(type, buf, tree) ?? buf.subarray(tree.start, tree.end)
  return succeed(onOneLine(whole.toString()))
}

// Valid JSON has line ends only between tokens.
const onOneLine = (json: string): string => (/[\n\r]/.test(json) ? json.replace(/[\n\r]\s*/g, '') : json)

// They can stand only in strings, and there as escapes; as bytes they would turn into U+FFFD.
const escapeLoneSurrogates = (json: string): string => json.replace(/\p{Cs}/gu, (c) => `\\u${c.charCodeAt(0).toString(16)}`)
