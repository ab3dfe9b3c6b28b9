// The elements of a list as a type: what `each` takes apart.

import { joinAll } from './join.js'
import { JSON_TYPE, type Type } from './type.js'
import { variantsOf } from './variants.js'

/** Of an array, a tuple, or a sum of these; of json, which is looked at when it comes. Undefined: it is no list, or its parts have no type in common. */
export const elementOf = (list: Type): Type | undefined => {
  const elements: Type[] = []
  for (const variant of variantsOf(list)) {
    if (variant.kind === 'json') elements.push(JSON_TYPE)
    else if (variant.kind === 'array') elements.push(variant.item)
    else if (variant.kind === 'tuple') elements.push(...variant.items)
    else return undefined
  }
  return joinAll(elements)
}
