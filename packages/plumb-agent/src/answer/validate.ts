// The one check of an answer: JSON text in, one line of JSON out, or the reasons why not.

import { fitText, type RepairKind, type Type } from '@plumb/lang'
import { type Result, succeed } from '@plumb/wire'

/** One line, with the defaults of absent fields; `output_type_mismatch` with `path` and `expected` otherwise. */
export const validate = (json: string, type: Type, repairs?: ReadonlySet<RepairKind>): Result<string> => {
  const fit = fitText(json, type, { what: 'answer', code: 'output_type_mismatch', ...(repairs ? { repairs } : {}) })
  return fit.ok ? succeed(fit.value.json) : fit
}
