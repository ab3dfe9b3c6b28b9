// `a.b` parses as field b of a; where `a` was named by `use` it is a member of that module.

import type { FieldOf, Reference } from '../parse/ast.js'
import type { Scope } from './names.js'

export const memberOf = ({ of, field, span }: FieldOf, scope: Scope): Reference | undefined => {
  if (of.kind !== 'reference' || of.name.module || of.port) return undefined
  const module = of.name.name
  if (!scope.modules.has(module.text) && !scope.module.missing.has(module.text)) return undefined
  return { kind: 'reference', name: { module, name: field, span }, span }
}
