// `a.b` in a chain: a member of the module that `use` named `a`, else the field `b` of what comes out of `a`.

import type { FieldExpression, FieldOf, Reference } from '../parse/ast.js'
import type { Scope } from './names.js'

/** Undefined: `a` is not a module, so `.b` is a field. */
export const memberOf = ({ of, field, span }: FieldOf, scope: Scope): Reference | undefined => {
  if (of.kind !== 'reference' || of.name.module || of.port) return undefined
  const module = of.name.name
  if (!scope.modules.has(module.text) && !scope.module.missing.has(module.text)) return undefined
  return { kind: 'reference', name: { module, name: field, span }, span }
}

/** The field as an expression on the output: `value.b`. */
export const fieldOfWhole = ({ of, field, span }: FieldOf): FieldExpression => ({
  kind: 'field',
  of: { kind: 'name', name: 'value', span: of.span },
  field,
  span,
})
