// Smaller values of the same type than a failing one, to report a minimal failure. The caller continues with the first that fails too,
// until none does: each is shorter than the one before, or as long with a simpler part, so this ends.

import { type ArrayTree, type ObjectTree, parseTree, stringOf, type Tree } from '@plumb/wire/json'
import { fieldOf, isRequired } from '../types/required-fields.js'
import { type Field, type RecordType, resolve, type Type } from '../types/type.js'
import type { Variant } from '../types/variants.js'
import { type Checker, checkTree, openChecker } from '../validate/check-tree.js'
import { type Bounds, numberBounds, sizeBounds } from './bounds.js'
import {
  leastOfVariant,
  leastValue,
  limitsOfPart,
  objectText,
  openSizes,
  possibleVariants,
  type Sizes,
  type TypePart,
  typeOfPart,
} from './least.js'
import { shrinkNumber } from './shrink-number.js'

const MAX_VALUES = 500
const MAX_CHARACTERS = 20_000_000

/**
 * JSON texts, the largest reductions first; at most 500, and 20 million characters in total. None for a text that is not a value of the
 * type.
 */
export function* shrinkValue(type: Type, value: string): Generator<string> {
  const buf = Buffer.from(value)
  const tree = parseTree(buf, 0, buf.length)
  if (tree.kind === 'fault' || checkTree(type, buf, tree)) return
  const own = buf.toString('utf8', tree.start, tree.end)
  const given = new Set([own])
  let characters = 0
  for (const smaller of new Shrinker(buf, openSizes(type)).shrink(type, tree)) {
    if (given.has(smaller)) continue
    given.add(smaller)
    yield smaller
    characters += smaller.length
    if (given.size > MAX_VALUES || characters > MAX_CHARACTERS) return
  }
}

type Texts = Generator<string>

class Shrinker {
  readonly #checker: Checker

  constructor(
    private readonly buf: Buffer,
    private readonly sizes: Sizes,
  ) {
    this.#checker = openChecker(buf)
  }

  *shrink(part: TypePart, node: Tree): Texts {
    const type = resolve(typeOfPart(part))
    if (type.kind === 'json') {
      yield* this.#json(node)
      return
    }
    const variant = type.kind === 'sum' ? this.#checker.pick(type, node) : type
    if (!variant) return
    yield leastValue(part, this.sizes)
    if (type.kind === 'sum') yield* this.#simplerVariants(part, variant)
    if (!limitsOfPart(part)) for (const inner of this.#inside(type, variant, node)) yield this.#text(inner)
    yield* this.#variant(part, variant, node)
  }

  /** The smallest value of each variant that has a smaller one than this, or comes before it. */
  *#simplerVariants(part: TypePart, own: Variant): Texts {
    const inOrder = [...possibleVariants(part, this.sizes)].sort((a, b) => a.size - b.size)
    for (const { variant } of inOrder) {
      if (variant === own) return
      yield leastOfVariant(variant, limitsOfPart(part), this.sizes)
    }
  }

  *#variant(part: TypePart, variant: Variant, node: Tree): Texts {
    const limits = limitsOfPart(part)
    switch (variant.kind) {
      case 'string':
        for (const text of shrinkText(stringOf(node, this.buf), sizeBounds('string', limits) as Bounds)) yield JSON.stringify(text)
        return
      case 'int':
      case 'number':
        yield* shrinkNumber(this.#text(node), numberBounds(variant.kind, limits) as Bounds)
        return
      case 'bool':
        if (node.kind === 'true') yield 'false'
        return
      case 'array':
        yield* this.#list(node as ArrayTree, variant.item, (sizeBounds('list', limits) as Bounds).least)
        return
      case 'tuple':
        yield* this.#items(node as ArrayTree, (i) => variant.items[i] as Type)
        return
      case 'record':
        yield* this.#record(node as ObjectTree, variant)
        return
      case 'map':
        yield* this.#map(node as ObjectTree, variant.item)
        return
      case 'unit':
      case 'literal':
      case 'json':
        return
    }
  }

  // Null is the simplest; then what is inside; then as of its kind.
  *#json(node: Tree): Texts {
    if (node.kind === 'null') return
    yield 'null'
    if (node.kind === 'true') yield 'false'
    else if (node.kind === 'number') yield* this.#variant(NUMBER, NUMBER, node)
    else if (node.kind === 'string') yield* this.#variant(STRING, STRING, node)
    else if (node.kind === 'array') {
      for (const item of node.items) yield this.#text(item)
      yield* this.#list(node, JSON_TYPE, 0)
    } else if (node.kind === 'object') {
      for (const { node: member } of node.entries) yield this.#text(member)
      yield* this.#map(node, JSON_TYPE)
    }
  }

  *#list(node: ArrayTree, item: Type, least: number): Texts {
    const texts = node.items.map((one) => this.#text(one))
    for (const range of removals(texts.length, least)) yield listText(withoutRange(texts, range))
    yield* this.#items(node, () => item)
  }

  *#items(node: ArrayTree, typeAt: (i: number) => Type): Texts {
    const texts = node.items.map((one) => this.#text(one))
    yield* roundRobin(node.items, (item, i) => mapped(this.shrink(typeAt(i), item), (text) => listText(texts.with(i, text))))
  }

  *#record(node: ObjectTree, record: RecordType): Texts {
    const { entries } = node
    const members = this.#members(node)
    const fields = entries.map(({ key }) => fieldOf(record, key) as Field)
    const free = fields.flatMap((field, i) => (isRequired(field) ? [] : [i]))
    for (const range of removals(free.length, 0)) {
      const kept = new Set(withoutRange(free, range))
      yield objectText(members.filter((_, i) => kept.has(i) || !free.includes(i)))
    }
    yield* roundRobin(entries, ({ key, node: value }, i) =>
      mapped(this.shrink(fields[i] as Field, value), (text) => objectText(members.with(i, [key, text]))),
    )
  }

  *#map(node: ObjectTree, item: Type): Texts {
    const { entries } = node
    const members = this.#members(node)
    for (const range of removals(members.length, 0)) yield objectText(withoutRange(members, range))
    const keys = new Set(entries.map(({ key }) => key))
    yield* roundRobin(entries, ({ key, node: value }, i) =>
      inOrder(
        mapped(shrinkText(key, ANY_KEY), (shorter) =>
          keys.has(shorter) ? undefined : objectText(members.with(i, [shorter, this.#text(value)])),
        ),
        mapped(this.shrink(item, value), (text) => objectText(members.with(i, [key, text]))),
      ),
    )
  }

  /** The values of the same type that are nearest below one; a type that does not hold itself has none. */
  *#inside(type: Type, variant: Variant, node: Tree): Generator<Tree> {
    for (const [part, child] of childrenOf(variant, node)) {
      const inner = resolve(typeOfPart(part))
      if (inner === type) yield child
      else {
        const of = inner.kind === 'sum' ? this.#checker.pick(inner, child) : inner
        if (of) yield* this.#inside(type, of, child)
      }
    }
  }

  #members({ entries }: ObjectTree): (readonly [string, string])[] {
    return entries.map(({ key, node }) => [key, this.#text(node)])
  }

  #text({ start, end }: Tree): string {
    return this.buf.toString('utf8', start, end)
  }
}

const JSON_TYPE: Type = { kind: 'json' }
const NUMBER = { kind: 'number' } as const
const STRING = { kind: 'string' } as const
const ANY_KEY: Bounds = { least: 0, most: Number.POSITIVE_INFINITY }

const childrenOf = (variant: Variant, node: Tree): readonly (readonly [TypePart, Tree])[] => {
  if (node.kind === 'array') {
    if (variant.kind === 'array') return node.items.map((item) => [variant.item, item])
    if (variant.kind === 'tuple') return node.items.map((item, i) => [variant.items[i] as Type, item])
  }
  if (node.kind === 'object') {
    if (variant.kind === 'map') return node.entries.map(({ node: value }) => [variant.item, value])
    if (variant.kind === 'record') return node.entries.map(({ key, node: value }) => [fieldOf(variant, key) as TypePart, value])
  }
  return []
}

const listText = (items: readonly string[]): string => `[${items.join(',')}]`

function* mapped(texts: Texts, write: (text: string) => string | undefined): Texts {
  for (const text of texts) {
    const written = write(text)
    if (written !== undefined) yield written
  }
}

function* inOrder(...all: readonly Texts[]): Texts {
  for (const texts of all) yield* texts
}

// The first of each part, then the second of each that has one. A generator that is not asked costs nothing.
function* roundRobin<T>(parts: readonly T[], shrunk: (part: T, i: number) => Texts): Texts {
  let open = parts.map((part, i) => shrunk(part, i))
  while (open.length > 0) {
    const left: Texts[] = []
    for (const texts of open) {
      const next = texts.next()
      if (next.done) continue
      left.push(texts)
      yield next.value
    }
    open = left
  }
}

const PLAIN = 'a'

/**
 * Strings simpler than one: shorter ones, the shortest first, then with plain letters. Two
 * halves of a pair that meet are one code point, so each is counted again.
 */
function* shrinkText(text: string, { least, most }: Bounds): Generator<string> {
  const points = [...text]
  for (const range of removals(points.length, least)) {
    const shorter = withoutRange(points, range).join('')
    if ([...shorter].length >= least) yield shorter
  }
  const odd = points.flatMap((point, i) => (point === PLAIN ? [] : [i]))
  if (odd.length > 1 && points.length <= most) yield PLAIN.repeat(points.length)
  for (const i of odd) yield points.with(i, PLAIN).join('')
}

/** Ranges of indices, half-open; after each at least `least` of the `count` are left. The largest first. */
function* removals(count: number, least: number): Generator<readonly [start: number, end: number]> {
  for (let size = count - least; size > 0; size = Math.floor(size / 2)) {
    for (let start = 0; start < count; start += size) {
      const end = Math.min(start + size, count)
      // The last of them may be a smaller one; where that is all, it was there before.
      if (end - start === size || size > 1) yield [start, end]
    }
  }
}

const withoutRange = <T>(items: readonly T[], [start, end]: readonly [number, number]): T[] => [
  ...items.slice(0, start),
  ...items.slice(end),
]
