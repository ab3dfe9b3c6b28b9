// Types as other languages write them, and how they are written here.

import type { Cursor } from './cursor.js'
import { named } from './foreign.js'

const MAYBE = 'an optional field is a?: T, and what may be null T | unit'
const CHOICE = 'a choice is written A | B'
const LIMITS = "'@min n' and '@max n' stand before a field, as in { @max 10 a: string }; other conditions are filters"
export const WHOLE = 'a record type has all its fields: none is taken over from another'
const LITERALS = 'write "a" | "b"'

const GENERICS: ReadonlyMap<string, string> = new Map([
  ...['array', 'list', 'set', 'sequence', 'vec', 'iterable'].map((name) => [name, 'a list is written [T]'] as const),
  ...['map', 'dict', 'record', 'mapping', 'hashmap'].map((name) => [name, 'a map is written { [string]: T }'] as const),
  ...['optional', 'option', 'maybe', 'nullable'].map((name) => [name, MAYBE] as const),
  ...['union', 'either'].map((name) => [name, CHOICE] as const),
  ...['tuple', 'pair'].map((name) => [name, 'a tuple is written (A, B)'] as const),
  ...['literal', 'enum'].map((name) => [name, LITERALS] as const),
])

/** `Array<T>`, `List[T]`, `Optional[T]` */
export const refuseGeneric = (c: Cursor, name: string): void => {
  if (!c.isSymbol('<') && !(c.isSymbol('[') && !c.isSymbol(']', 1) && !c.next.startsLine)) return
  const help = GENERICS.get(name.toLowerCase()) ?? 'a list is [T], a map { [string]: T }, a choice A | B'
  c.fail(`'${name}' takes no types`, c.next.span, help)
}

const BEHIND: ReadonlyMap<string, string> = new Map([
  ['?', MAYBE],
  ['!', 'what a type does not say may be null is not: leave the sign out'],
  ['(', LIMITS],
  ['where', LIMITS],
  ['or', CHOICE],
  ['||', CHOICE],
  ['/', CHOICE],
  ['and', WHOLE],
  ['&&', WHOLE],
  ['with', WHOLE],
  ['extends', WHOLE],
])

/** Behind the type of a declaration or of a field, on the same line. */
export const refuseBehindType = (c: Cursor): void => {
  const { text, startsLine, kind } = c.next
  if (startsLine || (kind !== 'symbol' && kind !== 'identifier')) return
  const isEnum = text === '{' && c.previous.text === 'enum'
  const help = isEnum ? LITERALS : BEHIND.get(text)
  if (help) c.fail(`expected the end of the type, found '${text}'`, c.next.span, help)
}

const WAYS = named({
  'a date is a string, and time(s) reads it': 'date datetime timestamp instant',
  "write 'use media', and Image, Document or Audio of it": 'image photo picture file audio document pdf blob',
  'bytes are a string in base64, which unbase64(s) reads': 'bytes bytea buffer binary',
  'write string; matches(value, "re") in a filter asks for a form': 'uuid email url uri regex pattern date_time ipv4',
  [LITERALS]: 'enum literal',
  'write { [string]: json } for a map of any values, json for any value': 'dictionary hash hashmap',
})

/** What has no type of its own here. */
export const ownTypeWay = (name: string): string | undefined => WAYS.get(name.toLowerCase())
