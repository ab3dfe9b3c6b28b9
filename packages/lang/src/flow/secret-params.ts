// Params that hold keys: values of a token, or of a server's variable.

import type { Param, Scope } from '../names/names.js'
import type { Value } from '../parse/ast.js'
import { visitEntries } from '../parse/visit.js'
import { leavesIn } from './config-values.js'

export const secretParams = (scopes: readonly Scope[]): ReadonlySet<Param> => {
  const found = new Set<Param>()
  const add = (value: Value, scope: Scope): void => {
    // A list of names of variables holds none of their values.
    if (value.kind === 'list') return
    for (const part of leavesIn(value, scope)) if (part.kind === 'param') found.add(part.param)
  }
  for (const scope of scopes) {
    if (scope.params.size === 0 && scope.modules.size === 0) continue
    visitEntries(scope.module.program.items, ({ key, value }) => {
      if (key.text === 'token' || key.text === 'env') add(value, scope)
    })
  }
  return found
}
