// Validates an answer: JSON text in, one line of JSON out, or the errors.

import { fitText, type Type } from '@plumb/lang'
import { type Result, succeed } from '@plumb/wire'

/** One line, with defaults for absent fields; otherwise `output_type_mismatch` with `path` and `expected`. */
export const validate = (json: string, type: Type): Result<string> => {
  const fit = fitText(json, type, { what: 'answer', code: 'output_type_mismatch' })
  return fit.ok ? succeed(fit.value.json) : fit
}
