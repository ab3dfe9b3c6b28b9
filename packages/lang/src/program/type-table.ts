// Types as a flat list of JSON objects that refer to each other by index: recursive types can be written so, and deep ones nest no deeper.

import { BOOL, type Field, INT, type NamedType, NUMBER, STRING, type Type, UNIT } from '../types/type.js'

/** Each item after those that it is made of, but for what a name stands for, which may come later. */
export type TypeTable = readonly TableEntry[]

type TableEntry =
  | Exclude<Type, { readonly kind: 'record' | 'array' | 'map' | 'tuple' | 'sum' | 'named' }>
  | {
      readonly kind: 'record'
      readonly fields: readonly (Omit<Field, 'type'> & { readonly type: number })[]
      readonly isOpen?: boolean
    }
  | { readonly kind: 'array' | 'map'; readonly item: number }
  | { readonly kind: 'tuple'; readonly items: readonly number[] }
  | { readonly kind: 'sum'; readonly variants: readonly number[] }
  | { readonly kind: 'named'; readonly name: string; target: number }

/** Gives the indexes of types in the table, which gets all that they are made of, each once. */
export class TypeWriter {
  readonly table: TableEntry[] = []
  readonly #indexes = new Map<Type, number>()

  add = (type: Type): number => {
    const known = this.#indexes.get(type)
    if (known !== undefined) return known
    if (type.kind === 'named') return this.#addNamed(type)
    return this.#push(type, this.#entry(type))
  }

  #addNamed(type: NamedType): number {
    const entry = { kind: 'named' as const, name: type.name, target: 0 }
    const index = this.#push(type, entry)
    entry.target = this.add(type.target)
    return index
  }

  #push(type: Type, entry: TableEntry): number {
    const index = this.table.push(entry) - 1
    this.#indexes.set(type, index)
    return index
  }

  #entry(type: Exclude<Type, NamedType>): TableEntry {
    switch (type.kind) {
      case 'record':
        return { ...type, fields: type.fields.map((field) => ({ ...field, type: this.add(field.type) })) }
      case 'array':
      case 'map':
        return { kind: type.kind, item: this.add(type.item) }
      case 'tuple':
        return { kind: 'tuple', items: type.items.map(this.add) }
      case 'sum':
        return { kind: 'sum', variants: type.variants.map(this.add) }
      default:
        return type
    }
  }
}

/** What `TypeWriter` has written, by index; undefined where an index is none of the table, or a name stands for itself. */
export const readTypes = (table: TypeTable): readonly Type[] | undefined => {
  const types: Type[] = []
  const isKnown = (index: number): boolean => index >= 0 && index < types.length
  const at = (index: number): Type => types[index] as Type
  for (const entry of table) {
    switch (entry.kind) {
      case 'record':
        if (!entry.fields.every(({ type }) => isKnown(type))) return undefined
        types.push({ ...entry, fields: entry.fields.map((field) => ({ ...field, type: at(field.type) })) })
        break
      case 'array':
      case 'map':
        if (!isKnown(entry.item)) return undefined
        types.push({ kind: entry.kind, item: at(entry.item) })
        break
      case 'tuple':
        if (!entry.items.every(isKnown)) return undefined
        types.push({ kind: 'tuple', items: entry.items.map(at) })
        break
      case 'sum':
        if (!entry.variants.every(isKnown)) return undefined
        types.push({ kind: 'sum', variants: entry.variants.map(at) })
        break
      case 'named':
        types.push({ kind: 'named', name: entry.name, target: UNIT })
        break
      default:
        types.push(entry)
    }
  }
  for (const [index, entry] of table.entries()) {
    if (entry.kind !== 'named') continue
    if (!isKnown(entry.target)) return undefined
    ;(types[index] as NamedType).target = at(entry.target)
  }
  return types.every(endsInType) ? types : undefined
}

const endsInType = (type: Type): boolean => {
  const seen = new Set<Type>()
  let next = type
  for (; next.kind === 'named' && !seen.has(next); next = next.target) seen.add(next)
  return next.kind !== 'named'
}

export const literalTypes = (...values: readonly string[]): Type => ({
  kind: 'sum',
  variants: values.map((value) => ({ kind: 'literal', value })),
})
export const listType = (item: Type): Type => ({ kind: 'array', item })
/** With these fields, and maybe those. */
export const recordType = (fields: Readonly<Record<string, Type>>, optional: Readonly<Record<string, Type>> = {}): Type => ({
  kind: 'record',
  fields: [
    ...Object.entries(fields).map(([name, type]) => ({ name, type, isOptional: false })),
    ...Object.entries(optional).map(([name, type]) => ({ name, type, isOptional: true })),
  ],
})

const field = (): Type =>
  recordType({ name: STRING, type: INT, isOptional: BOOL }, { default: STRING, description: STRING, min: NUMBER, max: NUMBER })

/** The type of a table. */
export const typeOfTable = (): Type =>
  listType({
    kind: 'sum',
    variants: [
      recordType({ kind: literalTypes('string', 'int', 'number', 'bool', 'unit', 'json') }),
      recordType({ kind: literalTypes('literal'), value: STRING }),
      recordType({ kind: literalTypes('record'), fields: listType(field()) }),
      recordType({ kind: literalTypes('array', 'map'), item: INT }),
      recordType({ kind: literalTypes('tuple'), items: listType(INT) }),
      recordType({ kind: literalTypes('sum'), variants: listType(INT) }),
      recordType({ kind: literalTypes('named'), name: STRING, target: INT }),
    ],
  })
