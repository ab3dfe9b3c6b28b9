// Finds the parts of a value that have a certain kind of type, by the types that the value was checked against.

import type { Tree } from '@plumb/wire/json'
import { resolve, type Type } from '../types/type.js'
import { openChecker } from './check-tree.js'
import { fieldStep } from './mismatch.js'

export interface TreeMatch<T> {
  readonly node: Tree
  /** As in errors: `.photos[2]`; empty for the whole value. */
  readonly path: string
  readonly found: T
}

/** In the order of the text. The inside of a found part is not searched. `node` has the type: see `checkTree`. */
export const findInTree = <T>(type: Type, buf: Buffer, node: Tree, look: (type: Type) => T | undefined): readonly TreeMatch<T>[] => {
  const checker = openChecker(buf)
  const places: TreeMatch<T>[] = []
  const visit = (type: Type, node: Tree, path: string): void => {
    const t = resolve(type)
    if (t.kind === 'sum') {
      const variant = checker.pick(t, node)
      if (variant) visit(variant, node, path)
      return
    }
    const found = look(t)
    if (found !== undefined) places.push({ node, path, found })
    else if (node.kind === 'array') {
      for (const [i, item] of node.items.entries()) {
        const of = t.kind === 'array' ? t.item : t.kind === 'tuple' ? t.items[i] : undefined
        if (of) visit(of, item, `${path}[${i}]`)
      }
    } else if (node.kind === 'object') {
      for (const { key, node: value } of node.entries) {
        const of = t.kind === 'map' ? t.item : t.kind === 'record' ? t.fields.find(({ name }) => name === key)?.type : undefined
        if (of) visit(of, value, `${path}${fieldStep(key)}`)
      }
    }
  }
  visit(type, node, '')
  return places.toSorted((a, b) => a.node.start - b.node.start)
}
