// All that keeps a value from being of a type, part by part, for whoever can mend all of it at once. The checks stop at the first.

import { nearest } from '@plumb/wire/nearest'
import type { ObjectTree, Tree } from '../scan/tree.js'
import { findExcess } from '../types/limits.js'
import { fieldOf, isRequired } from '../types/required-fields.js'
import { type RecordType, resolve, type Type } from '../types/type.js'
import { checkTree } from './check-tree.js'
import { describeMisfit, inField, inItem, type Misfit } from './mismatch.js'

const MOST = 8

/** None: it fits. At most 8, the first of them the one that `checkTree` gives. */
export const listMisfits = (type: Type, buf: Buffer, node: Tree): readonly Misfit[] => {
  const list: Misfit[] = []
  for (const misfit of misfitsOf(type, buf, node)) if (list.push(misfit) === MOST) break
  return list
}

export const describeMisfits = (misfits: readonly Misfit[], typeName: string): string => {
  const [first, ...others] = misfits
  const all = [...(first ? [describeMisfit(first, typeName)] : []), ...others.map((misfit) => describeMisfit(misfit))]
  return `${all.join('; ')}${misfits.length === MOST ? '; and perhaps more' : ''}`
}

function* misfitsOf(type: Type, buf: Buffer, node: Tree): Generator<Misfit> {
  const t = resolve(type)
  if (t.kind === 'record' && node.kind === 'object') yield* misfitsOfRecord(t, buf, node)
  else if (t.kind === 'array' && node.kind === 'array') yield* misfitsOfItems(() => t.item, buf, node.items)
  else if (t.kind === 'tuple' && node.kind === 'array' && node.items.length === t.items.length) {
    yield* misfitsOfItems((i) => t.items[i] ?? type, buf, node.items)
  } else {
    const misfit = checkTree(type, buf, node)
    if (misfit) yield misfit
  }
}

function* misfitsOfItems(typeAt: (index: number) => Type, buf: Buffer, items: readonly Tree[]): Generator<Misfit> {
  for (const [i, item] of items.entries()) for (const misfit of misfitsOf(typeAt(i), buf, item)) yield inItem(misfit, i)
}

// The words for one field are those of the check of a record that has no other.
function* misfitsOfRecord(type: RecordType, buf: Buffer, node: ObjectTree): Generator<Misfit> {
  const given = new Set(node.entries.map(({ key }) => key))
  const absent = type.fields.filter(({ name }) => !given.has(name))
  for (const entry of node.entries) {
    const field = fieldOf(type, entry.key)
    if (field && entry.node.kind !== 'null') {
      let fits = true
      for (const misfit of misfitsOf(field.type, buf, entry.node)) {
        fits = false
        yield inField(misfit, entry.key)
      }
      const excess = fits ? findExcess(field, buf, entry.node) : undefined
      if (excess) yield inField(excess, entry.key)
      continue
    }
    const misfit = checkTree(field ? { kind: 'record', fields: [field] } : type, buf, { ...node, entries: [entry] })
    if (!misfit) continue
    const near = field
      ? undefined
      : nearest(
          entry.key,
          absent.map(({ name }) => name),
        )
    yield near === undefined ? misfit : { ...misfit, reason: `${misfit.reason}; did you mean '${near}'?` }
  }
  for (const field of absent) {
    const misfit = isRequired(field) ? checkTree({ kind: 'record', fields: [field] }, buf, { ...node, entries: [] }) : undefined
    if (misfit) yield misfit
  }
}
