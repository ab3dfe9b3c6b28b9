// Generates operands in the form that an operator or function needs.

import type { Expression } from '../../parse/ast.js'
import { isJson } from '../../types/kind.js'
import type { Generator } from './generator.js'

// A json is checked when the code runs.
const coerced =
  (look: string) =>
  (e: Expression, g: Generator): string =>
    isJson(g.fact(e).type) ? `R.${look}(${g.boxed(e)}, ${g.site(e)})` : g.value(e)

export const emitBool = coerced('expectBool')
export const emitString = coerced('expectString')
export const emitNumber = coerced('expectNumber')
export const emitIndex = coerced('expectIndex')
export const emitInt = coerced('expectInt')
