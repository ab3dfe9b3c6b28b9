// The edge cases of a type, by number, computed on demand. In a value of several parts each part is an edge case, but not the same one in
// all: so there are about as many as of its richest part, and each occurs once.

import type { ValueLimits } from '../types/limits.js'
import { isRequired } from '../types/required-fields.js'
import { type Field, type RecordType, resolve, type Type } from '../types/type.js'
import type { Variant } from '../types/variants.js'
import { type Bounds, numberBounds, sizeBounds } from './bounds.js'
import { leastOfVariant, leastValue, limitsOfPart, objectText, possibleVariants, type Sizes, type TypePart } from './least.js'
import { numberEdges } from './number-edges.js'
import { textEdges } from './text-edges.js'

export interface EdgeValues {
  readonly count: number
  /** JSON text of the i-th, from 0; the first is a smallest value. */
  readonly at: (i: number) => string
}

/** More deeply nested parts are minimal. */
const DEPTH = 4
/** For all variants of a sum together, unless it has more variants. */
const MAX_OF_SUM = 256
const LONG_LIST = 100
/** In characters; a longer one is made only of minimal items. */
const LONG_LIST_ROOM = 20_000

const ANY_JSON = [
  ...['null', 'false', 'true', '0', '-0', '0.5', '9007199254740993', '1e308', '""', '"a"', '"\\u0000"', '"\\ud800"'],
  ...['[]', '{}', '[null]', '[[]]', '[[],{}]', '[0,"a",null,true]', '{"":null}', '{"a":{"b":[1,{"c":null}]}}'],
  ...['{"__proto__":{"a":1}}', '{"constructor":"a","toString":0}', '{"a b":1,"\\n":2,"\\u0065\\u0301":3}'],
]

/** The type must have a value. */
export const edgesOf = (type: Type, sizes: Sizes): EdgeValues => new EdgeTable(sizes).of(type, DEPTH)

class EdgeTable {
  readonly #known: Map<Type, EdgeValues>[] = Array.from({ length: DEPTH + 1 }, () => new Map())

  constructor(private readonly sizes: Sizes) {}

  of(part: TypePart, depth: number): EdgeValues {
    if (depth === 0) return listed([leastValue(part, this.sizes)])
    if (!('kind' in part)) return this.#sum(part, depth)
    const type = resolve(part)
    const known = this.#known[depth]?.get(type)
    if (known) return known
    const edges = this.#sum(type, depth)
    this.#known[depth]?.set(type, edges)
    return edges
  }

  // The first of each variant in turn, then the second of each that has one.
  #sum(part: TypePart, depth: number): EdgeValues {
    const limits = limitsOfPart(part)
    const variants = [...possibleVariants(part, this.sizes)].sort((a, b) => a.size - b.size)
    const each = variants.map(({ variant }) => this.#variant(variant, limits, depth))
    const [only] = each
    if (only && each.length === 1) return only
    const most = Math.max(each.length, MAX_OF_SUM)
    const places: (readonly [edges: EdgeValues, i: number])[] = []
    const rounds = Math.max(...each.map(({ count }) => count))
    for (let i = 0; i < rounds && places.length < most; i++) {
      for (const edges of each) if (i < edges.count) places.push([edges, i])
    }
    return {
      count: Math.min(places.length, most),
      at: (i) => {
        const [edges, place] = places[i] as (typeof places)[number]
        return edges.at(place)
      },
    }
  }

  #variant(variant: Variant, limits: ValueLimits | undefined, depth: number): EdgeValues {
    switch (variant.kind) {
      case 'string':
        return listed(textEdges(sizeBounds('string', limits) as Bounds).map((text) => JSON.stringify(text)))
      case 'int':
      case 'number':
        return listed(numberEdges(variant.kind, numberBounds(variant.kind, limits) as Bounds))
      case 'bool':
        return listed(['false', 'true'])
      case 'json':
        return listed(ANY_JSON)
      case 'array':
        return this.#list(variant.item, sizeBounds('list', limits) as Bounds, depth)
      case 'tuple': {
        const items = variant.items.map((item) => this.of(item, depth - 1))
        return together(items.map(present), (texts) => `[${texts.join(',')}]`)
      }
      case 'record':
        return this.#record(variant, depth)
      case 'map':
        return this.#map(variant.item, depth)
      case 'unit':
      case 'literal':
        return listed([leastOfVariant(variant, limits, this.sizes)])
    }
  }

  #record({ fields }: RecordType, depth: number): EdgeValues {
    const possible = fields.filter((field) => isRequired(field) || this.sizes.of(field) < Number.POSITIVE_INFINITY)
    const options = possible.map((field) => this.#field(field, depth))
    const write = (texts: readonly (string | undefined)[]) =>
      objectText(possible.flatMap(({ name }, i) => (texts[i] === undefined ? [] : [[name, texts[i]] as const])))
    return together(options, write)
  }

  #field(field: Field, depth: number): Options {
    const edges = this.of(field, depth - 1)
    return isRequired(field) ? present(edges) : { count: edges.count + 1, at: (i) => (i === 0 ? undefined : edges.at(i - 1)) }
  }

  // The minimum, one of each edge case, several, many, the maximum.
  #list(item: Type, { least, most }: Bounds, depth: number): EdgeValues {
    if (most === 0 || this.sizes.of(item) === Number.POSITIVE_INFINITY) return listed(['[]'])
    const items = this.of(item, depth - 1)
    const small = items.at(0)
    const textOf = (first: readonly string[], count: number) => `[${Array.from({ length: count }, (_, i) => first[i] ?? small).join(',')}]`
    const one = Math.max(1, least)
    const longest = Math.min(most, least + Math.min(LONG_LIST, Math.floor(LONG_LIST_ROOM / small.length)))
    const counts = [...new Set([least, 2, least + 1, LONG_LIST, most])].filter((n) => n >= least && n <= longest)
    const mixed = Array.from({ length: Math.min(items.count, 5, most) }, (_, i) => i)
    const rest = [
      ...counts.slice(1).map((count) => () => textOf([], count)),
      ...(mixed.length >= least ? [() => textOf(mixed.map(items.at), mixed.length)] : []),
    ]
    const at = (i: number) =>
      i === 0 ? textOf([], least) : i <= items.count ? textOf([items.at(i - 1)], one) : rest[i - 1 - items.count]?.()
    return { count: 1 + items.count + rest.length, at: (i) => at(i) as string }
  }

  #map(item: Type, depth: number): EdgeValues {
    if (this.sizes.of(item) === Number.POSITIVE_INFINITY) return listed(['{}'])
    const items = this.of(item, depth - 1)
    const all = () => objectText(KEYS.map((key, i) => [key, items.at(i % items.count)]))
    const count = Math.max(items.count, KEYS.length)
    return {
      count: count + 2,
      at: (i) => {
        if (i === 0) return '{}'
        return i > count ? all() : objectText([[KEYS[(i - 1) % KEYS.length] as string, items.at((i - 1) % items.count)]])
      },
    }
  }
}

export const KEYS = ['a', 'b c', '', '__proto__', 'constructor', '0', 'é', 'e\u0301', '\u{1F600}', '"\\\n', '\u0000']

/** An absent part is undefined. */
interface Options {
  readonly count: number
  readonly at: (i: number) => string | undefined
}

const present = (edges: EdgeValues): Options => edges

const listed = (texts: readonly string[]): EdgeValues => ({ count: texts.length, at: (i) => texts[i] as string })

// All with their first; all with what may be absent; then each with its own i-th, moved on by one from part to part.
const together = (options: readonly Options[], write: (texts: readonly (string | undefined)[]) => string): EdgeValues => {
  const most = options.reduce((count, option) => Math.max(count, option.count), 0)
  if (most <= 1) return { count: 1, at: () => write(options.map(({ at }) => at(0))) }
  return {
    count: 2 + most,
    at: (i) => {
      if (i === 0) return write(options.map(({ at }) => at(0)))
      if (i === 1) return write(options.map(({ at, count }) => at(0) ?? at(1 % count)))
      return write(options.map(({ at, count }, part) => at((i - 1 + part) % count)))
    },
  }
}
