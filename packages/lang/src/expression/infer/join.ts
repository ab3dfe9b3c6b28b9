// The common type of two alternative expressions.

import type { Expression } from '../../parse/ast.js'
import { join } from '../../types/join.js'
import type { Type } from '../../types/type.js'
import { type Context, show } from './context.js'

export const joinOrComplain = (e: Expression, left: Type, right: Type, who: string, context: Context): Type | undefined =>
  join(left, right) ?? context.complain('type_mismatch', e.span, `${who} have no common type: ${show(left)} and ${show(right)} overlap`)
