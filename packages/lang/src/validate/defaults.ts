// Rewrites a message with the defaults of its absent fields; all other bytes are kept.

import type { ObjectTree, Tree } from '@plumb/wire/json'
import { unreachable } from '../diagnostic/unreachable.js'
import { hasDefaults } from '../types/required-fields.js'
import { type RecordType, resolve, type Type } from '../types/type.js'
import { openChecker } from './check-tree.js'

/**
 * The text of a value that has the type, each default after the last field of its object in the order of declaration. Undefined: no
 * defaulted field is absent. White space around the value is dropped.
 */
export const fillDefaults = (type: Type, buf: Buffer, node: Tree): Buffer | undefined => {
  if (!hasDefaults(type)) return undefined
  const insertions: Insertion[] = []
  const checker = openChecker(buf)

  const visit = (type: Type, node: Tree): void => {
    if (!hasDefaults(type)) return
    const t = resolve(type)
    switch (t.kind) {
      case 'record':
        return node.kind === 'object' ? visitRecord(t, node) : undefined
      case 'array':
        return visitItems(() => t.item, node)
      case 'map':
        for (const entry of node.kind === 'object' ? node.entries : []) visit(t.item, entry.node)
        return
      case 'tuple':
        return visitItems((i) => t.items[i], node)
      case 'sum': {
        const variant = checker.pick(t, node)
        return variant && visit(variant, node)
      }
      case 'string':
      case 'int':
      case 'number':
      case 'bool':
      case 'unit':
      case 'json':
      case 'literal':
        return
      default:
        return unreachable(t)
    }
  }

  const visitItems = (typeAt: (index: number) => Type | undefined, node: Tree): void => {
    for (const [i, item] of node.kind === 'array' ? node.items.entries() : []) {
      const type = typeAt(i)
      if (type) visit(type, item)
    }
  }

  const visitRecord = (type: RecordType, node: ObjectTree): void => {
    const given = new Map(node.entries.map((entry) => [entry.key, entry.node]))
    const absent: string[] = []
    for (const field of type.fields) {
      const value = given.get(field.name)
      if (value) visit(field.type, value)
      else if (field.default !== undefined) absent.push(`${JSON.stringify(field.name)}:${field.default}`)
    }
    if (absent.length > 0) insertions.push({ at: endOfFields(node), text: `${given.size > 0 ? ',' : ''}${absent.join(',')}` })
  }

  visit(type, node)
  return insertions.length === 0 ? undefined : insert(buf, node, insertions)
}

interface Insertion {
  readonly at: number
  readonly text: string
}

const endOfFields = ({ start, entries }: ObjectTree): number => entries.reduce((end, entry) => Math.max(end, entry.node.end), start + 1)

// An inner object ends before what encloses it, so no two insertions have one place.
const insert = (buf: Buffer, { start, end }: Tree, insertions: readonly Insertion[]): Buffer => {
  const parts: Buffer[] = []
  let from = start
  for (const { at, text } of [...insertions].sort((a, b) => a.at - b.at)) {
    parts.push(buf.subarray(from, at), Buffer.from(text))
    from = at
  }
  parts.push(buf.subarray(from, end))
  return Buffer.concat(parts)
}
