// Choices: `if c then a else b` and `x ?? default`; and names for values: `let x = e in e2`.

import type { BinaryExpression, IfExpression, LetExpression } from '../../parse/ast.js'
import { join } from '../../types/join.js'
import { isJson } from '../../types/kind.js'
import type { Type } from '../../types/type.js'
import { type Context, sourceOf } from './context.js'
import { inferLeft } from './data.js'
import { joinOrComplain } from './join.js'
import { where } from './narrow.js'
import { requireBool } from './operator.js'

export const inferIf = (e: IfExpression, context: Context): Type | undefined => {
  const condition = context.infer(e.condition)
  const isBool = condition && requireBool(e.condition, condition, `'if'`, context)
  const left = where(e.condition, true, context, () => context.infer(e.then))
  const right = where(e.condition, false, context, () => context.infer(e.else))
  return left && right && joinOrComplain(e, left, right, 'the branches of if', context) && isBool ? join(left, right) : undefined
}

export const inferCoalesce = (e: BinaryExpression, context: Context): Type | undefined => {
  const left = inferLeft(e.left, context)
  const right = context.infer(e.right)
  if (!left) return undefined
  // A json may be null wherever it comes from.
  if (left.absence === 'never' && !left.isNarrowed && !isJson(left.type)) {
    const help = `'??' stands in for what may be absent or null; leave it out here`
    return context.complain('type_mismatch', e.left.span, `'${sourceOf(e.left)}' is always there`, { help })
  }
  return right && joinOrComplain(e, left.type, right, `the two sides of '??'`, context)
}

export const inferLet = (e: LetExpression, context: Context): Type | undefined => {
  const value = context.infer(e.value)
  // What uses it is not reported again.
  return value && context.within(context.declare(e.name, value), () => context.infer(e.body))
}
