// Choices: `if c then a else b` and `x ?? default`.

import type { BinaryExpression, IfExpression } from '../../parse/ast.js'
import { join } from '../../types/join.js'
import type { Type } from '../../types/type.js'
import { type Context, sourceOf } from './context.js'
import { joinOrComplain } from './join.js'
import { requireBool } from './operator.js'

export const inferIf = (e: IfExpression, context: Context): Type | undefined => {
  const condition = context.infer(e.condition)
  const isBool = condition && requireBool(e.condition, condition, `'if'`, context)
  const left = context.infer(e.then)
  const right = context.infer(e.else)
  return left && right && joinOrComplain(e, left, right, 'the branches of if', context) && isBool ? join(left, right) : undefined
}

export const inferCoalesce = (e: BinaryExpression, context: Context): Type | undefined => {
  const left = context.inferMaybe(e.left)
  const right = context.infer(e.right)
  if (!left) return undefined
  if (left.absence === 'never') {
    const help = `'??' stands in for an optional field; leave it out here`
    return context.complain('type_mismatch', e.left.span, `'${sourceOf(e.left)}' is always there`, { help })
  }
  return right && joinOrComplain(e, left.type, right, `the two sides of '??'`, context)
}
