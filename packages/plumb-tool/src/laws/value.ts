// Values of a type by chance, as JSON text, for trying the laws on. What is nested deep is small.

import { type Field, resolve, smallestValue, type Type } from '@plumb/lang'
import type { JsonText } from '../json-text.js'

/** Gives a number from 0 up to but not including 1. */
export type Random = () => number

const DEPTH = 5
const TEXTS = ['', 'a', 'b c', 'Hello', 'näher', '"quoted"', '\\', 'line\nbreak', '12', 'true', '\u{1F600}']
const INTS = [0, 1, -1, 2, 10, 100, -7, 2 ** 31, 2 ** 53 - 1]
const NUMBERS = [0, 1, -1, 0.5, -2.25, 1e-9, 1e21, 12345.678]

/** `@min` and `@max` are kept. */
export const sampleValue = (type: Type, random: Random, depth = DEPTH): JsonText => {
  const t = resolve(type)
  if (depth === 0) return smallestValue(t) ?? 'null'
  switch (t.kind) {
    case 'record':
      return `{${t.fields.flatMap((field) => fieldOf(field, random, depth - 1)).join(',')}}`
    case 'array':
      return listOf(between(0, 3, random), t.item, random, depth - 1)
    case 'map':
      return mapOf(between(0, 3, random), t.item, random, depth - 1)
    case 'tuple':
      return `[${t.items.map((item) => sampleValue(item, random, depth - 1)).join(',')}]`
    case 'sum':
      return sampleValue(pick(t.variants, random), random, depth - 1)
    case 'json':
      return sampleValue(pick(ANY, random), random, depth - 1)
    case 'literal':
      return JSON.stringify(t.value)
    case 'string':
      return JSON.stringify(pick(TEXTS, random))
    case 'int':
      return String(pick(INTS, random))
    case 'number':
      return String(pick(NUMBERS, random))
    case 'bool':
      return String(random() < 0.5)
    case 'unit':
      return 'null'
  }
}

const ANY: readonly Type[] = [
  ...(['string', 'int', 'number', 'bool', 'unit'] as const).map((kind) => ({ kind })),
  { kind: 'array', item: { kind: 'json' } },
]

const fieldOf = (field: Field, random: Random, depth: number): string[] => {
  const mayBeAbsent = field.isOptional || field.default !== undefined
  if (mayBeAbsent && (depth === 0 || random() < 0.5)) return []
  return [`${JSON.stringify(field.name)}:${limitedValue(field, random, depth)}`]
}

const limitedValue = (field: Field, random: Random, depth: number): JsonText => {
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = field
  const t = resolve(field.type)
  if (field.min === undefined && field.max === undefined) return sampleValue(t, random, depth)
  const [least, most] = [Math.max(0, min), Math.min(Math.max(0, min) + 3, max)]
  if (t.kind === 'string') return JSON.stringify('x'.repeat(between(least, most, random)))
  if (t.kind === 'array') return listOf(between(least, most, random), t.item, random, depth)
  if (t.kind !== 'int' && t.kind !== 'number') return sampleValue(t, random, depth)
  const value = Number(sampleValue(t, random, depth))
  return String(Math.min(Math.max(value, t.kind === 'int' ? Math.ceil(min) : min), t.kind === 'int' ? Math.floor(max) : max))
}

const listOf = (length: number, item: Type, random: Random, depth: number): JsonText =>
  `[${Array.from({ length }, () => sampleValue(item, random, depth)).join(',')}]`

// Keys that are there twice would make one value of two.
const mapOf = (size: number, item: Type, random: Random, depth: number): JsonText => {
  const keys = new Set(Array.from({ length: size }, () => pick(TEXTS, random)))
  return `{${[...keys].map((key) => `${JSON.stringify(key)}:${sampleValue(item, random, depth)}`).join(',')}}`
}

const between = (least: number, most: number, random: Random): number => least + Math.floor(random() * (most - least + 1))

const pick = <T>(items: readonly T[], random: Random): T => items[Math.floor(random() * items.length)] as T
