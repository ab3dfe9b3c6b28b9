// Which variants of a sum a value can belong to: by its kind, and by the literal field that distinguishes records.

import { fieldOf, isRequired } from './required-fields.js'
import type { Field, RecordType, SumType, Type } from './type.js'
import { literalsOf, variantsOf } from './variants.js'

/**
 * The variants that may share a value with `type`, in the order written: the others are disjoint from it, so it is neither a subtype of
 * them nor equal. Requires that all names are resolved.
 */
export const candidates = (sum: SumType, type: Type): readonly Type[] => {
  const { variants } = sum
  if (variants.length <= MAX_UNINDEXED) return variants
  const among = known.get(variants) ?? candidatesAmong(variants)
  known.set(variants, among)
  return among(type).map((i) => variants[i] as Type)
}

// For so few, a linear search is faster than an index.
const MAX_UNINDEXED = 8
const known = new WeakMap<readonly Type[], Among>()

/** The indexes of the types that may share a value with one; ascending. */
export type Among = (type: Type) => readonly number[]

export const candidatesAmong = (types: readonly Type[]): Among => {
  const everything = types.map((_, i) => i)
  if (types.length <= MAX_UNINDEXED) return () => everything
  const tag = tagOf(types)
  const families = new Map<string, Family>()
  const open: number[] = []
  for (const [i, type] of types.entries()) {
    const marks = marksOf(type, tag)
    if (!marks) open.push(i)
    for (const { family: name, values } of marks ?? []) {
      const family: Family = families.get(name) ?? { all: [], untagged: [], tagged: new Map() }
      families.set(name, family)
      family.all.push(i)
      if (!values) family.untagged.push(i)
      for (const value of values ?? []) push(family.tagged, value, i)
    }
  }
  return (type) => {
    const marks = marksOf(type, tag)
    if (!marks) return everything
    const places = new Set(open)
    for (const { family: name, values } of marks) {
      const family = families.get(name)
      const found = values ? [family?.untagged ?? [], ...values.map((value) => family?.tagged.get(value) ?? [])].flat() : family?.all
      for (const place of found ?? []) places.add(place)
    }
    return [...places].sort((a, b) => a - b)
  }
}

interface Family {
  readonly all: number[]
  /** Those with any value, where the others have one of a few. */
  readonly untagged: number[]
  readonly tagged: Map<string, number[]>
}

/** `values`: a literal's own, or those of the field that distinguishes records. */
interface Mark {
  readonly family: string
  readonly values: readonly string[] | undefined
}

/** Undefined: it may share a value with anything. */
const marksOf = (type: Type, tag: string | undefined): readonly Mark[] | undefined => {
  const marks: Mark[] = []
  for (const variant of variantsOf(type)) {
    switch (variant.kind) {
      case 'json':
        return undefined
      case 'literal':
        marks.push({ family: 'string', values: [variant.value] })
        break
      case 'record':
        marks.push({ family: 'record', values: tagValues(variant, tag) })
        break
      default:
        marks.push({ family: FAMILIES[variant.kind], values: undefined })
    }
  }
  return marks
}

const FAMILIES = {
  string: 'string',
  int: 'number',
  number: 'number',
  bool: 'bool',
  unit: 'unit',
  array: 'array',
  tuple: 'array',
  map: 'record',
} as const

const tagValues = (record: RecordType, tag: string | undefined): readonly string[] | undefined => {
  const field = tag === undefined ? undefined : fieldOf(record, tag)
  return field && valuesOf(field)
}

const valuesOf = (field: Field): readonly string[] | undefined => (isRequired(field) ? literalsOf(field.type) : undefined)

/** The field that is a required literal in most of the records. */
const tagOf = (types: readonly Type[]): string | undefined => {
  const counts = new Map<string, number>()
  for (const variant of types.flatMap(variantsOf)) {
    if (variant.kind !== 'record') continue
    for (const field of variant.fields) if (valuesOf(field)) counts.set(field.name, (counts.get(field.name) ?? 0) + 1)
  }
  const most = Math.max(...counts.values())
  return [...counts].find(([, count]) => count === most)?.[0]
}

const push = (lists: Map<string, number[]>, key: string, value: number): void => {
  const list = lists.get(key)
  if (list) list.push(value)
  else lists.set(key, [value])
}
