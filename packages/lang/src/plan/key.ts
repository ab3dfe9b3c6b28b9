// The key of a keyed fold or barrier: strings and numbers, which are equal as `=` has it.

import { error, type Report } from '../diagnostic/diagnostic.js'
import { checkUsed } from '../expression/check-expression.js'
import type { Environment } from '../expression/infer/environment.js'
import type { Expression } from '../parse/ast.js'
import { printType } from '../types/print.js'
import type { Type } from '../types/type.js'
import { variantsOf } from '../types/variants.js'

const KEYS: ReadonlySet<string> = new Set(['string', 'literal', 'int', 'number', 'json'])

/** Its type; undefined: it has an error, already reported. */
export const checkKey = (e: Expression, environment: Environment, who: string, report: Report): Type | undefined => {
  const type = checkUsed(e, environment, report)
  if (!type || variantsOf(type).every(({ kind }) => KEYS.has(kind))) return type
  const help = 'text(…) makes a string of anything'
  report(error('type_mismatch', `${who} is a key of strings or numbers, but this is ${printType(type, 120)}`, e.span, help))
  return undefined
}
