// Collects all mismatches of a value, part by part, for a caller that can repair them at once. Other checks stop at the first.

import { type ObjectTree, parseTree, type Tree } from '@plumb/wire/json'
import { nearest } from '@plumb/wire/nearest'
import { preview } from '@plumb/wire/preview'
import { unreachable } from '../diagnostic/unreachable.js'
import { fieldOf, isRequired } from '../types/required-fields.js'
import { type MapType, type RecordType, resolve, type Type } from '../types/type.js'
import { toBytes } from './bytes.js'
import { checkTree } from './check-tree.js'
import { findExcess } from './excess.js'
import { describeMismatch, inField, inItem, type Mismatch, OPEN } from './mismatch.js'

const MAX_MISMATCHES = 8

/** Empty: it has the type. At most 8, the first of them the one of `checkTree`. */
export const listMismatches = (type: Type, buf: Buffer, node: Tree): readonly Mismatch[] => {
  const list: Mismatch[] = []
  for (const mismatch of mismatchesOf(type, buf, node)) if (list.push(mismatch) === MAX_MISMATCHES) break
  return list
}

export const describeMismatches = (mismatches: readonly Mismatch[], typeName: string, isToAuthor = false): string => {
  const [first, ...others] = mismatches
  const all = [...(first ? [describeMismatch(first, typeName)] : []), ...others.map((mismatch) => describeMismatch(mismatch))]
  const more = mismatches.length === MAX_MISMATCHES ? '; and perhaps more' : ''
  const open = isToAuthor && hasUnknownField(mismatches) ? OPEN : ''
  return `${all.join('; ')}${more}${open}`
}

/** What to add to an error for who can change the type: how it would take the fields that this JSON text has. Empty: it has none too many. */
export const openingHelp = (type: Type, json: string): string => {
  const buf = toBytes(json)
  const tree = parseTree(buf, 0, buf.length)
  return tree.kind !== 'fault' && hasUnknownField(listMismatches(type, buf, tree)) ? OPEN : ''
}

const hasUnknownField = (mismatches: readonly Mismatch[]): boolean => mismatches.some(({ isUnknownField }) => isUnknownField)

function* mismatchesOf(type: Type, buf: Buffer, node: Tree): Generator<Mismatch> {
  const t = resolve(type)
  switch (t.kind) {
    case 'record':
      return yield* node.kind === 'object' ? mismatchesOfRecord(t, buf, node) : firstOf(type, buf, node)
    case 'array':
      return yield* node.kind === 'array' ? mismatchesOfItems(() => t.item, buf, node.items) : firstOf(type, buf, node)
    case 'map':
      return yield* node.kind === 'object' ? mismatchesOfMap(t, buf, node) : firstOf(type, buf, node)
    case 'tuple':
      return yield* node.kind === 'array' && node.items.length === t.items.length
        ? mismatchesOfItems((i) => t.items[i] ?? type, buf, node.items)
        : firstOf(type, buf, node)
    case 'sum':
    case 'string':
    case 'int':
    case 'number':
    case 'bool':
    case 'unit':
    case 'json':
    case 'literal':
      return yield* firstOf(type, buf, node)
    default:
      return unreachable(t)
  }
}

function* firstOf(type: Type, buf: Buffer, node: Tree): Generator<Mismatch> {
  const mismatch = checkTree(type, buf, node)
  if (mismatch) yield mismatch
}

function* mismatchesOfItems(typeAt: (index: number) => Type, buf: Buffer, items: readonly Tree[]): Generator<Mismatch> {
  for (const [i, item] of items.entries()) for (const mismatch of mismatchesOf(typeAt(i), buf, item)) yield inItem(mismatch, i)
}

function* mismatchesOfMap({ item }: MapType, buf: Buffer, whole: ObjectTree): Generator<Mismatch> {
  for (const entry of whole.entries) {
    if (entry.isRepeated) yield* firstOf({ kind: 'map', item }, buf, { ...whole, entries: [entry] })
    else for (const mismatch of mismatchesOf(item, buf, entry.node)) yield inField(mismatch, preview(entry.key))
  }
}

// The words for one field are those of the check of a record that has no other.
function* mismatchesOfRecord(type: RecordType, buf: Buffer, node: ObjectTree): Generator<Mismatch> {
  const given = new Set(node.entries.map(({ key }) => key))
  const absent = type.fields.filter(({ name }) => !given.has(name))
  for (const entry of node.entries) {
    const field = fieldOf(type, entry.key)
    if (field && entry.node.kind !== 'null' && !entry.isRepeated) {
      let fits = true
      for (const mismatch of mismatchesOf(field.type, buf, entry.node)) {
        fits = false
        yield inField(mismatch, entry.key)
      }
      const excess = fits ? findExcess(field, buf, entry.node) : undefined
      if (excess) yield inField(excess, entry.key)
      continue
    }
    const mismatch = checkTree(field ? { kind: 'record', fields: [field] } : type, buf, { ...node, entries: [entry] })
    if (!mismatch) continue
    const near = field
      ? undefined
      : nearest(
          entry.key,
          absent.map(({ name }) => name),
        )
    const { isUnknownField: _, ...named } = mismatch
    yield near === undefined ? mismatch : { ...named, reason: `${mismatch.reason}; did you mean '${near}'?` }
  }
  for (const field of absent) {
    const mismatch = isRequired(field) ? checkTree({ kind: 'record', fields: [field] }, buf, { ...node, entries: [] }) : undefined
    if (mismatch) yield mismatch
  }
}
