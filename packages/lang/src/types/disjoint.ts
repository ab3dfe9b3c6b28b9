// Whether two types share a value, and which: the variants of a sum must not, and an example convinces the reader.

import { unreachable } from '../diagnostic/unreachable.js'
import { candidates, candidatesAmong } from './candidates.js'
import { fieldOf, isRequired } from './required-fields.js'
import { type MapType, type RecordType, resolve, type Type } from './type.js'

/**
 * JSON text of a smallest value that both types accept; undefined when they are disjoint (plumbing(5), TYPES).
 *
 * A recursive type may hold only values that end, so this is a least fixed point: each pair of types is looked at again until no pair
 * finds a smaller value from what the others have found. Parts of a value over 4096 characters are shown as `…`.
 */
export const findShared = (a: Type, b: Type): string | undefined => {
  const pairs: Pair[] = []
  const index = new Map<Type, Map<Type, Pair>>()
  const look: Look = (left, right) => {
    const x = resolve(left)
    const y = resolve(right)
    const row = index.get(x) ?? new Map<Type, Pair>()
    index.set(x, row)
    let pair = row.get(y)
    if (!pair) {
      pair = { a: x, b: y, value: undefined }
      row.set(y, pair)
      pairs.push(pair)
    }
    return pair.value
  }
  look(a, b)
  let hasChanged = true
  while (hasChanged) {
    hasChanged = false
    // Pairs first asked for in this round are appended and so are part of it.
    for (const pair of pairs) {
      const value = derive(pair.a, pair.b, look)
      if (!value || (pair.value && pair.value.size <= value.size)) continue
      pair.value = value
      hasChanged = true
    }
  }
  return pairs[0]?.value?.text
}

/** The first type of a list that overlaps an earlier one, with the first such. */
export const findOverlap = (
  types: readonly Type[],
): { readonly first: number; readonly second: number; readonly shared: string } | undefined => {
  const among = candidatesAmong(types)
  for (const [second, b] of types.entries()) {
    for (const first of among(b)) {
      if (first >= second) break
      const shared = findShared(types[first] as Type, b)
      if (shared !== undefined) return { first, second, shared }
    }
  }
  return undefined
}

type Resolved = ReturnType<typeof resolve>
type Look = (a: Type, b: Type) => Value | undefined

interface Pair {
  readonly a: Resolved
  readonly b: Resolved
  value: Value | undefined
}
/** `size` in characters; it can exceed any text. */
interface Value {
  readonly size: number
  readonly text: string
}

const MAX_TEXT = 4096

const derive = (a: Resolved, b: Resolved, look: Look): Value | undefined => {
  if (a === b) return deriveOwn(a, look)
  if (a.kind === 'json') return look(b, b)
  if (b.kind === 'json') return look(a, a)
  if (a.kind === 'sum') return smallest(candidates(a, b).map((variant) => look(variant, b)))
  if (b.kind === 'sum') return smallest(candidates(b, a).map((variant) => look(a, variant)))
  switch (a.kind) {
    case 'int':
    case 'number':
      return b.kind === 'int' || b.kind === 'number' ? atom('0') : undefined
    case 'string':
      return b.kind === 'literal' || b.kind === 'string' ? look(b, b) : undefined
    case 'literal':
      return b.kind === 'string' || (b.kind === 'literal' && a.value === b.value) ? look(a, a) : undefined
    case 'record':
      if (b.kind === 'map') return deriveRecordAsMap(a, b, look)
      return b.kind === 'record' ? deriveRecord(a, b, look) : undefined
    case 'map':
      if (b.kind === 'record') return deriveRecordAsMap(b, a, look)
      return b.kind === 'map' ? join('{', [], '}') : undefined
    case 'array':
      if (b.kind === 'tuple') return list(b.items.map((item) => look(a.item, item)))
      return b.kind === 'array' ? list([]) : undefined
    case 'tuple':
      if (b.kind === 'array') return list(a.items.map((item) => look(item, b.item)))
      if (b.kind !== 'tuple' || a.items.length !== b.items.length) return undefined
      return list(b.items.map((item, i) => look(a.items[i] ?? item, item)))
    case 'bool':
    case 'unit':
      return a.kind === b.kind ? look(a, a) : undefined
    default:
      return unreachable(a.kind)
  }
}

// What a type shares with itself: its smallest value.
const deriveOwn = (type: Resolved, look: Look): Value | undefined => {
  switch (type.kind) {
    case 'string':
      return atom('""')
    case 'int':
    case 'number':
      return atom('0')
    case 'bool':
      return atom('false')
    case 'unit':
    case 'json':
      return atom('null')
    case 'literal':
      return atom(JSON.stringify(type.value))
    case 'array':
      return list([])
    case 'tuple':
      return list(type.items.map((item) => look(item, item)))
    case 'record':
      return deriveRecord(type, type, look)
    case 'map':
      return join('{', [], '}')
    case 'sum':
      return smallest(type.variants.map((variant) => look(variant, variant)))
    default:
      return unreachable(type)
  }
}

const deriveRecord = (a: RecordType, b: RecordType, look: Look): Value | undefined => {
  const names = new Set([...a.fields, ...b.fields].map((f) => f.name))
  const parts: Value[] = []
  for (const name of names) {
    const left = fieldOf(a, name)
    const right = fieldOf(b, name)
    if (!(left && isRequired(left)) && !(right && isRequired(right))) continue
    const [mine, others] = [left?.type ?? (a.isOpen ? right?.type : undefined), right?.type ?? (b.isOpen ? left?.type : undefined)]
    const value = mine && others && look(mine, others)
    if (!value) return undefined
    parts.push(member(name, value))
  }
  return join('{', parts, '}')
}

// The smallest value has only the required fields.
const deriveRecordAsMap = (record: RecordType, { item }: MapType, look: Look): Value | undefined => {
  const parts: Value[] = []
  for (const field of record.fields) {
    if (!isRequired(field)) continue
    const value = look(field.type, item)
    if (!value) return undefined
    parts.push(member(field.name, value))
  }
  return join('{', parts, '}')
}

const member = (name: string, value: Value): Value => {
  const key = JSON.stringify(name)
  return { size: key.length + 1 + value.size, text: `${key}:${value.text}` }
}

const list = (items: readonly (Value | undefined)[]): Value | undefined => {
  const values = items.filter((item) => item !== undefined)
  return values.length === items.length ? join('[', values, ']') : undefined
}

const join = (open: string, parts: readonly Value[], close: string): Value => {
  const size = parts.reduce((sum, part) => sum + part.size, 1 + Math.max(1, parts.length))
  return { size, text: size > MAX_TEXT ? '…' : `${open}${parts.map((part) => part.text).join(',')}${close}` }
}

const atom = (text: string): Value => ({ size: text.length, text })

const smallest = (values: readonly (Value | undefined)[]): Value | undefined =>
  values.reduce((best, value) => (value && !(best && best.size <= value.size) ? value : best), undefined)
