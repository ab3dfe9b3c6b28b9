// Which declared types a type mentions, and which mention it.

import { componentsOf } from '../types/parts.js'
import type { NamedType, Type } from '../types/type.js'

/** For each name, the declared types that mention it directly. */
export const mentions = (declared: Iterable<NamedType>): ReadonlyMap<NamedType, readonly NamedType[]> => {
  const found = new Map<NamedType, NamedType[]>()
  for (const type of declared) {
    for (const name of namesIn(type.target)) {
      const list = found.get(name)
      if (list) list.push(type)
      else found.set(name, [type])
    }
  }
  return found
}

/** Direct mentions only. */
export const namesIn = (type: Type): readonly NamedType[] => (type.kind === 'named' ? [type] : componentsOf(type).flatMap(namesIn))
