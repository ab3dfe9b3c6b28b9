// The values of a configuration as they are written, with names followed to the config values and params that they stand for.

import { type Param, resolveName, resolveParam, type Scope } from '../names/names.js'
import type { Literal, ObjectValue, Template, Value } from '../parse/ast.js'

/** What a value consists of, at any depth; objects as such, if they are wanted. */
export type Written =
  | { readonly kind: 'literal'; readonly value: Literal }
  | { readonly kind: 'param'; readonly value: Value; readonly param: Param }
  | { readonly kind: 'template'; readonly value: Template; readonly scope: Scope }
  | { readonly kind: 'object'; readonly value: ObjectValue; readonly scope: Scope }

/** Lists and names are looked through. Only for a program without errors: config values do not name themselves. */
export const writtenIn = (value: Value, scope: Scope): readonly Written[] => {
  switch (value.kind) {
    case 'value':
      return [{ kind: 'literal', value }]
    case 'template':
      return [{ kind: 'template', value, scope }]
    // What an expression says depends on the message.
    case 'condition':
      return []
    case 'object':
      return [{ kind: 'object', value, scope }]
    case 'list':
      return value.items.flatMap((item) => writtenIn(item, scope))
    case 'name': {
      const param = resolveParam(value.name, scope)
      if (param) return [{ kind: 'param', value, param }]
      const bound = resolveName(value.name, scope)
      return bound?.binding.impl.kind === 'object' ? writtenIn(bound.binding.impl, bound.scope) : []
    }
  }
}

/** The same, objects looked through as well. */
export const leavesIn = (value: Value, scope: Scope): readonly Exclude<Written, { kind: 'object' }>[] =>
  writtenIn(value, scope).flatMap((part) =>
    part.kind === 'object' ? part.value.entries.flatMap((entry) => leavesIn(entry.value, part.scope)) : [part],
  )
