// Params that hold keys: values of a token, or of a server's variable.

import { type Param, resolveParam, type Scope } from '../names/names.js'
import type { Value } from '../parse/ast.js'
import { visitNodes } from '../parse/visit.js'

export const secretParams = (scopes: readonly Scope[]): ReadonlySet<Param> => {
  const found = new Set<Param>()
  const add = (value: Value, scope: Scope): void => {
    if (value.kind === 'name') {
      const param = resolveParam(value.name, scope)
      if (param) found.add(param)
    }
    if (value.kind === 'object') for (const entry of value.entries) add(entry.value, scope)
  }
  for (const scope of scopes) {
    if (scope.params.size === 0 && scope.modules.size === 0) continue
    visitNodes(scope.module.program.items, (node) => {
      const { key, value } = node as unknown as { key?: { text?: string }; value?: Value }
      if (value && typeof value === 'object' && (key?.text === 'token' || key?.text === 'env')) add(value, scope)
    })
  }
  return found
}
