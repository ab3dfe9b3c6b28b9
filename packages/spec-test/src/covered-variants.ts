// Records which variants of the declared sums its messages had: by the types of the ports that they passed.

import { type Bound, checkTree, MAX_WRITTEN, type Program, printType, type Span, type SumType, sumsOf, type Type } from '@plumb/lang'
import { parseTree, preview, type Tree } from '@plumb/wire'

export interface CoveredVariant {
  readonly kind: 'variant'
  readonly name: string
  readonly span: Span
  hits: number
}

export class CoveredVariants {
  readonly #sums = new Map<SumType, readonly CoveredVariant[]>()
  readonly #worthALook = new Map<Type, boolean>()

  /** For the named file. */
  constructor({ entry }: Program) {
    for (const { sum, of, spans } of sumsOf(entry)) {
      if (this.#sums.has(sum)) continue
      const variants = sum.variants.map((type, i): CoveredVariant => {
        const name = `${of}: ${preview(printType(type, MAX_WRITTEN))}`
        return { kind: 'variant', name, span: (spans[i] ?? spans[0]) as Span, hits: 0 }
      })
      this.#sums.set(sum, variants)
    }
  }

  get points(): readonly CoveredVariant[] {
    return [...this.#sums.values()].flat()
  }

  /** Records a message at a port of this type. */
  add(type: Type | undefined, json: string): void {
    if (!type || !this.#holdsSum(type)) return
    const buf = Buffer.from(json)
    const tree = parseTree(buf, 0, buf.length)
    if (tree.kind !== 'fault') this.#look(type, buf, tree)
  }

  addInputs(of: Bound, messages: readonly string[]): void {
    for (const json of messages) this.add(of.inputs[0], json)
  }

  #look(type: Type, buf: Buffer, node: Tree): void {
    if (!this.#holdsSum(type)) return
    switch (type.kind) {
      case 'named':
        return this.#look(type.target, buf, node)
      case 'sum': {
        const points = this.#sums.get(type)
        for (const [i, variant] of type.variants.entries()) {
          if (checkTree(variant, buf, node) !== undefined) continue
          const point = points?.[i]
          if (point) point.hits++
          this.#look(variant, buf, node)
        }
        return
      }
      case 'record':
        if (node.kind !== 'object') return
        for (const { key, node: value } of node.entries) {
          const field = type.fields.find(({ name }) => name === key)
          if (field) this.#look(field.type, buf, value)
        }
        return
      case 'map':
        if (node.kind === 'object') for (const { node: value } of node.entries) this.#look(type.item, buf, value)
        return
      case 'array':
        if (node.kind === 'array') for (const item of node.items) this.#look(type.item, buf, item)
        return
      case 'tuple':
        if (node.kind === 'array') for (const [i, item] of node.items.entries()) if (type.items[i]) this.#look(type.items[i], buf, item)
        return
      default:
    }
  }

  #holdsSum(type: Type): boolean {
    const known = this.#worthALook.get(type)
    if (known !== undefined) return known
    // For a recursive type, the inner occurrence has this answer.
    this.#worthALook.set(type, false)
    const parts =
      type.kind === 'named'
        ? [type.target]
        : type.kind === 'record'
          ? type.fields.map((field) => field.type)
          : type.kind === 'tuple'
            ? type.items
            : type.kind === 'sum'
              ? type.variants
              : 'item' in type
                ? [type.item]
                : []
    const holds = (type.kind === 'sum' && this.#sums.has(type)) || parts.some((part) => this.#holdsSum(part))
    this.#worthALook.set(type, holds)
    return holds
  }
}
