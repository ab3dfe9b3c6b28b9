// What the nodes of a tree stand for in JavaScript, where something has to be computed with them.

import type { Json } from '../types/type.js'
import type { Extent, Tree } from './tree.js'

/**
 * The value as JavaScript has it: numbers are doubles, objects have no prototype, so that `__proto__` and `constructor` are keys like any
 * other and a key that is not there reads as undefined.
 */
export const valueOf = (node: Tree, buf: Buffer): Json => {
  switch (node.kind) {
    case 'object': {
      const object: { [key: string]: Json } = Object.create(null)
      for (const entry of node.entries) object[entry.key] = valueOf(entry.node, buf)
      return object
    }
    case 'array':
      return node.items.map((item) => valueOf(item, buf))
    case 'string':
      return stringOf(node, buf)
    case 'number':
      return Number(buf.toString('latin1', node.start, node.end))
    case 'null':
      return null
    default:
      return node.kind === 'true'
  }
}

/** What a string node says, without its quotes and escapes. */
export const stringOf = (node: Extent, buf: Buffer): string => {
  const text = buf.toString('utf8', node.start + 1, node.end - 1)
  return text.includes('\\') ? (JSON.parse(`"${text}"`) as string) : text
}
