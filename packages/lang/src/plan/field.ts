// `.field` behind an element is the expression `value.field` on what comes out of it.

import type { FieldExpression, FieldOf } from '../parse/ast.js'

export const fieldOfWhole = ({ of, field, span }: FieldOf): FieldExpression => ({
  kind: 'field',
  of: { kind: 'name', name: 'value', span: of.span },
  field,
  span,
})
