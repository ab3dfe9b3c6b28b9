// Decides on the tree of a value whether it has a type, and if not, why. Slow and exact: for values that a byte scanner does not decide.

import { type ObjectTree, stringOf, type Tree } from '@plumb/wire/json'
import { preview } from '@plumb/wire/preview'
import { unreachable } from '../diagnostic/unreachable.js'
import { isIntegerText } from '../scan/integer.js'
import { isContainer } from '../types/parts.js'
import { printType } from '../types/print.js'
import { fieldOf, isRequired } from '../types/required-fields.js'
import { type MapType, type RecordType, resolve, type SumType, type TupleType, type Type } from '../types/type.js'
import { literalsOf, type Variant, variantsOf } from '../types/variants.js'
import { findExcess } from './excess.js'
import { fieldStep, inField, inItem, type Mismatch } from './mismatch.js'

export { describeMismatch, describeToAuthor, type Mismatch } from './mismatch.js'

/** Undefined: it has the type. A field with a default may be absent. */
export const checkTree = (type: Type, buf: Buffer, node: Tree): Mismatch | undefined => openChecker(buf).check(type, node)

export interface Checker {
  check(type: Type, node: Tree): Mismatch | undefined
  /** The variant of a sum that accepts the value. */
  pick(sum: SumType, node: Tree): Variant | undefined
}

export const openChecker = (buf: Buffer): Checker => new TreeChecker(buf)

/**
 * Memoises results for sums, so that variants which differ only deep inside (each of them checks the same parts again) do not make the work
 * exponential in the depth.
 */
class TreeChecker implements Checker {
  readonly #buf: Buffer
  readonly #picks = new Map<Tree, Map<SumType, Pick>>()

  constructor(buf: Buffer) {
    this.#buf = buf
  }

  pick(sum: SumType, node: Tree): Variant | undefined {
    return this.#pickOnce(sum, node).variant
  }

  check(type: Type, node: Tree): Mismatch | undefined {
    const t = resolve(type)
    switch (t.kind) {
      case 'json':
        return undefined
      case 'sum':
        return this.#pickOnce(t, node).mismatch
      case 'array':
        if (node.kind !== 'array') return this.#mismatchOf(type, node)
        for (const [i, item] of node.items.entries()) {
          const mismatch = this.check(t.item, item)
          if (mismatch) return inItem(mismatch, i)
        }
        return undefined
      case 'map':
        if (node.kind !== 'object') return this.#mismatchOf(type, node)
        return this.#checkMap(t, node)
      case 'tuple':
        return this.#checkTuple(t, node)
      case 'record':
        return node.kind === 'object' ? this.#checkRecord(t, node) : this.#mismatchOf(type, node)
      case 'string':
      case 'int':
      case 'number':
      case 'bool':
      case 'unit':
      case 'literal':
        return isKind(t, node) && this.#isExactly(t, node) ? undefined : this.#mismatchOf(type, node)
      default:
        return unreachable(t)
    }
  }

  #checkMap({ item }: MapType, node: ObjectTree): Mismatch | undefined {
    for (const { key, node: value, isRepeated } of node.entries) {
      const mismatch = isRepeated ? this.#repeated(item, value) : this.check(item, value)
      if (mismatch) return inField(mismatch, preview(key))
    }
    return undefined
  }

  #checkTuple(type: TupleType, node: Tree): Mismatch | undefined {
    if (node.kind !== 'array') return this.#mismatchOf(type, node)
    const { length } = type.items
    if (node.items.length !== length) return this.#mismatchOf(type, node, `expected ${length} items, found ${node.items.length}`)
    for (const [i, item] of node.items.entries()) {
      const mismatch = this.check(type.items[i] ?? type, item)
      if (mismatch) return inItem(mismatch, i)
    }
    return undefined
  }

  #checkRecord(type: RecordType, node: ObjectTree): Mismatch | undefined {
    for (const { key, node: value, isRepeated } of node.entries) {
      const field = fieldOf(type, key)
      if (!field && type.isOpen) continue
      if (!field) return this.#unknownField(type, key, value)
      if (isRepeated) return inField(this.#repeated(field.type, value), key)
      const mismatch = this.check(field.type, value) ?? findExcess(field, this.#buf, value)
      if (!mismatch) continue
      const isNull = value.kind === 'null' && !isRequired(field)
      return inField(isNull ? { ...mismatch, reason: `${mismatch.reason}; leave the field out instead` } : mismatch, key)
    }
    for (const field of type.fields) {
      if (isRequired(field) && !node.entries.some(({ key }) => key === field.name)) return this.#missingField(field.type, field.name, node)
    }
    return undefined
  }

  #pickOnce(sum: SumType, node: Tree): Pick {
    const row = this.#picks.get(node) ?? new Map<SumType, Pick>()
    this.#picks.set(node, row)
    const pick = row.get(sum) ?? this.#pickVariant(sum, node)
    row.set(sum, pick)
    return pick
  }

  #pickVariant(sum: SumType, node: Tree): Pick {
    const ofKind = variantsOf(sum).filter((variant) => isKind(variant, node))
    const candidates = ofKind.filter((variant) => this.#hasLiterals(variant, node))
    const mismatches: Mismatch[] = []
    for (const variant of candidates) {
      const mismatch = this.check(variant, node)
      if (!mismatch) return { variant }
      mismatches.push(mismatch)
    }
    // Limits do not distinguish variants: this is the one that was meant.
    const excess = mismatches.find(({ isExcess }) => isExcess)
    if (excess) return { mismatch: excess }
    const [mismatch] = mismatches
    if (mismatch && mismatches.every(({ path, reason }) => path === mismatch.path && reason === mismatch.reason)) return { mismatch }
    const [only] = ofKind
    if (only && ofKind.length === 1 && isContainer(only)) return { mismatch: this.check(only, node) ?? this.#mismatchOf(sum, node) }
    return { mismatch: (mismatches.length === 0 && this.#wrongDiscriminator(ofKind, node)) || this.#mismatchOf(sum, node) }
  }

  // In most programs the required literals of a record or tuple distinguish the variants of a sum.
  #hasLiterals(variant: Variant, node: Tree): boolean {
    if (variant.kind === 'record' && node.kind === 'object') {
      return variant.fields.every((field) => {
        const literals = isRequired(field) && literalsOf(field.type)
        return !literals || this.#isOneOf(literals, valueAt(node, field.name))
      })
    }
    if (variant.kind === 'tuple' && node.kind === 'array') {
      return (
        variant.items.length === node.items.length &&
        variant.items.every((item, i) => {
          const literals = literalsOf(item)
          return !literals || this.#isOneOf(literals, node.items[i])
        })
      )
    }
    return this.#isExactly(variant, node)
  }

  // A field that distinguishes all the variants, with a value that none of them has.
  #wrongDiscriminator(variants: readonly Variant[], node: Tree): Mismatch | undefined {
    const [first] = variants
    if (node.kind !== 'object' || first?.kind !== 'record') return undefined
    for (const { name } of first.fields) {
      const fields = variants.map((variant) => (variant.kind === 'record' ? fieldOf(variant, name) : undefined))
      const types = fields.flatMap((field) => (field && isRequired(field) && literalsOf(field.type) ? [field.type] : []))
      const value = valueAt(node, name)
      if (types.length < variants.length || types.some((type) => this.#isOneOf(literalsOf(type) ?? [], value))) continue
      const all = enumOf(types)
      return value ? inField(this.#mismatchOf(all, value), name) : this.#missingField(all, name, node)
    }
    return undefined
  }

  #isExactly(type: Variant, node: Tree): boolean {
    if (type.kind === 'int') return isIntegerText(this.#buf.toString('latin1', node.start, node.end))
    return type.kind !== 'literal' || this.#isOneOf([type.value], node)
  }

  #isOneOf(literals: readonly string[], node: Tree | undefined): boolean {
    return node?.kind === 'string' && literals.includes(stringOf(node, this.#buf))
  }

  #mismatchOf(type: Type, node: Tree, reason?: string): Mismatch {
    const expected = printType(type)
    const found = this.#show(node)
    return { path: '', expected, found, reason: reason ?? `expected ${preview(expected, MAX_TYPE)}, found ${found}` }
  }

  #repeated(type: Type, node: Tree): Mismatch {
    return this.#mismatchOf(type, node, 'the key is given twice, and each is to be given once')
  }

  #missingField(type: Type, name: string, node: Tree): Mismatch {
    const expected = printType(type)
    return { path: fieldStep(name), expected, found: this.#show(node), reason: `missing field, expected ${preview(expected, MAX_TYPE)}` }
  }

  #unknownField(type: RecordType, key: string, value: Tree): Mismatch {
    const names = type.fields.map((field) => field.name).join(', ')
    const reason = `unknown field, the record has ${names === '' ? 'none' : preview(names, MAX_TYPE)}`
    return { path: fieldStep(preview(key)), expected: printType(type), found: this.#show(value), reason, isUnknownField: true }
  }

  // A character takes at most 4 bytes, or 12 as escapes.
  #show({ start, end }: Tree): string {
    return preview(this.#buf.toString('utf8', start, Math.min(end, start + 12 * MAX_FOUND)), MAX_FOUND)
  }
}

type Pick = { readonly variant: Variant; readonly mismatch?: undefined } | { readonly variant?: undefined; readonly mismatch: Mismatch }

const MAX_FOUND = 80
const MAX_TYPE = 120

const isKind = (type: Variant, node: Tree): boolean => {
  switch (type.kind) {
    case 'json':
      return true
    case 'string':
    case 'literal':
      return node.kind === 'string'
    case 'int':
    case 'number':
      return node.kind === 'number'
    case 'bool':
      return node.kind === 'true' || node.kind === 'false'
    case 'unit':
      return node.kind === 'null'
    case 'array':
    case 'tuple':
      return node.kind === 'array'
    case 'record':
    case 'map':
      return node.kind === 'object'
  }
}

const valueAt = (node: ObjectTree, name: string): Tree | undefined => node.entries.find(({ key }) => key === name)?.node

const enumOf = (types: readonly Type[]): Type => {
  const values = new Set(types.flatMap((type) => literalsOf(type) ?? []))
  return { kind: 'sum', variants: [...values].map((value) => ({ kind: 'literal', value })) }
}
