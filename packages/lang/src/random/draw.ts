// Draws a random value of a type. Its parts share a budget of characters, so that deeply nested parts are small.

import type { ValueLimits } from '../types/limits.js'
import { isRequired } from '../types/required-fields.js'
import type { RecordType, Type } from '../types/type.js'
import type { Variant } from '../types/variants.js'
import { type Bounds, isInBounds, numberBounds, sizeBounds } from './bounds.js'
import { KEYS } from './edges.js'
import { leastOfVariant, leastValue, limitsOfPart, objectText, possibleVariants, type Sizes, type TypePart } from './least.js'
import { numberEdges, numberText } from './number-edges.js'
import { between, pick, type Random } from './seeded.js'
import { textEdges } from './text-edges.js'

interface Source {
  readonly sizes: Sizes
  readonly random: Random
}

/** JSON text; the type must have a value. Longer than `room` only if its smallest value is. */
export const drawValue = (part: TypePart, room: number, source: Source): string => {
  const possible = possibleVariants(part, source.sizes)
  const affordable = possible.filter(({ size }) => size <= room)
  if (affordable.length === 0) return leastValue(part, source.sizes)
  return drawVariant(pick(affordable, source.random).variant, limitsOfPart(part), room, source)
}

const drawVariant = (variant: Variant, limits: ValueLimits | undefined, room: number, source: Source): string => {
  const { random, sizes } = source
  switch (variant.kind) {
    case 'string':
      return JSON.stringify(drawText(sizeBounds('string', limits) as Bounds, room, random))
    case 'int':
    case 'number':
      return drawNumber(variant.kind, numberBounds(variant.kind, limits) as Bounds, random)
    case 'bool':
      return random() < 0.5 ? 'false' : 'true'
    case 'json':
      return drawVariant(pick(room < SMALL ? PLAIN : ANY, random), undefined, room, source)
    case 'array': {
      const { least, most } = sizeBounds('list', limits) as Bounds
      const count = countWithin({ least, most }, variant.item, room, source)
      const each = Array.from({ length: count }, () => drawValue(variant.item, (room - 2) / count - 1, source))
      return `[${each.join(',')}]`
    }
    case 'tuple': {
      const spare = (room - sizes.ofVariant(variant, limits)) / variant.items.length
      return `[${variant.items.map((item) => drawValue(item, sizes.of(item) + spare, source)).join(',')}]`
    }
    case 'record':
      return drawRecord(variant, room, source)
    case 'map': {
      const count = countWithin({ least: 0, most: KEYS.length }, variant.item, room, source)
      const keys = new Set(Array.from({ length: count }, () => (random() < 0.5 ? pick(KEYS, random) : drawText(KEY, 10, random))))
      return objectText([...keys].map((key) => [key, drawValue(variant.item, (room - 2) / count - key.length - 4, source)]))
    }
    case 'unit':
    case 'literal':
      return leastOfVariant(variant, limits, sizes)
  }
}

/** Below this budget nothing more is nested into json. */
const SMALL = 12
const KEY: Bounds = { least: 0, most: 8 }
const JSON_ITEM: Type = { kind: 'json' }
const PLAIN: readonly Variant[] = (['string', 'int', 'number', 'bool', 'unit'] as const).map((kind) => ({ kind }))
const ANY: readonly Variant[] = [...PLAIN, { kind: 'array', item: JSON_ITEM }, { kind: 'map', item: JSON_ITEM }]

// Half of all lists have at most two items more than the minimum.
const countWithin = ({ least, most }: Bounds, item: Type, room: number, { sizes, random }: Source): number => {
  const fitting = Math.floor((room - 2) / (sizes.of(item) + 1))
  const more = Math.min(Math.max(0, fitting - least), most - least, random() < 0.5 ? 2 : 10)
  return least + between(0, more, random)
}

const drawRecord = ({ fields }: RecordType, room: number, source: Source): string => {
  const { random, sizes } = source
  let spare = room - sizes.ofVariant({ kind: 'record', fields }, undefined)
  const drawn = fields.filter((field) => {
    if (isRequired(field)) return true
    const size = field.name.length + sizes.of(field) + 4
    if (size > spare || random() < 0.5) return false
    spare -= size
    return true
  })
  return objectText(drawn.map((field) => [field.name, drawValue(field, sizes.of(field) + spare / drawn.length, source)]))
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCXYZ      0123456789.,-_'
// No surrogate halves: two of them would form one character.
const POOLS = [
  LETTERS,
  LETTERS,
  Array.from({ length: 95 }, (_, i) => String.fromCharCode(i + 32)),
  [...'éß漢字İمر\u0301\u200d\u202e\u{1F600}\u{1F468}\u{10FFFF}\ufeff\u00a0\n\t\u0000\u0007\u001b"\\'],
].map((letters) => [...letters])

const drawText = (bounds: Bounds, room: number, random: Random): string => {
  if (random() < 0.15) {
    const edge = pick(textEdges(bounds), random)
    if (edge.length <= Math.max(room, bounds.least)) return edge
  }
  const most = Math.min(bounds.most, bounds.least + Math.max(0, Math.min(20, room - 2)))
  const pool = pick(POOLS, random)
  return Array.from({ length: between(bounds.least, most, random) }, () => pick(pool, random)).join('')
}

const drawNumber = (kind: 'int' | 'number', bounds: Bounds, random: Random): string => {
  if (random() < 0.15) return pick(numberEdges(kind, bounds), random)
  const { least, most } = bounds
  const drawn = draw(kind, random)
  if (isInBounds(drawn, bounds)) return numberText(drawn, kind)
  // With one bound only: near it.
  const far =
    least === Number.NEGATIVE_INFINITY ? most - Math.abs(drawn) : most === Number.POSITIVE_INFINITY ? least + Math.abs(drawn) : undefined
  const n = far ?? least + random() * (most - least)
  const value = kind === 'int' ? Math.round(n) : n
  return numberText(Math.min(Math.max(value, least), most), kind)
}

/** Half of the magnitudes are small. */
const MAGNITUDES = [10, 10, 100, 1000, 2 ** 20, 2 ** 31, 2 ** 53]

const draw = (kind: 'int' | 'number', random: Random): number => {
  const n = (random() * 2 - 1) * pick(MAGNITUDES, random)
  if (kind === 'int' || random() < 0.25) return Math.trunc(n) + 0
  return random() < 0.5 ? Math.round(n * 100) / 100 + 0 : n
}
