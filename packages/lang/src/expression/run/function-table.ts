// The functions of the language: one row each, with its parameters, its result and its implementation.

import { once } from '@plumb/wire/once'
import { unite } from '../../types/join.js'
import { isInt, isJson, isString, objectsOf } from '../../types/kind.js'
import { BOOL, INT, JSON_TYPE, NEVER, NUMBER, STRING, type Type } from '../../types/type.js'
import { variantsOf } from '../../types/variants.js'
import { fieldsOf } from '../infer/fields.js'
import { containsAny } from './by-kind.js'
import { length } from './coerce.js'
import { readCsv, writeCsv } from './csv.js'
import { fixed, rounded } from './decimal.js'
import { fromBase64, fromUrl, sha256, toBase64, toUrl } from './encode.js'
import { reject, type Site } from './failure.js'
import type { Function } from './function.js'
import { greater, lesser } from './list.js'
import { type FunctionRow, itemTypeOf, listFunctions } from './list-function.js'
import * as map from './map.js'
import { defined, power, quotient } from './number.js'
import { parseNumber, parseText } from './parse-text.js'
import { findPattern, matchesPattern, replaceMatches } from './pattern.js'
import type { RuntimeValue } from './slice.js'
import { limitedText, linesOf, pad, replaceAll, sliceText, split, textOf, wordsOf } from './text.js'
import { readTime, writeTime } from './time.js'

const STRINGS: Type = { kind: 'array', item: STRING }
const MATCHES: Type = {
  kind: 'array',
  item: {
    kind: 'record',
    fields: [
      { name: 'text', type: STRING, isOptional: false },
      { name: 'groups', type: STRINGS, isOptional: false },
      { name: 'at', type: INT, isOptional: false },
    ],
  },
}
const likeArguments = (types: readonly Type[]): Type => (types.every(isInt) ? INT : NUMBER)
const isText = ([type]: readonly Type[]): boolean => type !== undefined && isString(type) && !isJson(type)

// biome-ignore format: a table
const rows = (): readonly FunctionRow[] => [
  { usage: 'lower(s)', text: 'The string in lower case.', takes: ['string'], gives: STRING, run: (s: string) => s.toLowerCase() },
  { usage: 'upper(s)', text: 'The string in upper case.', takes: ['string'], gives: STRING, run: (s: string) => s.toUpperCase() },
  { usage: 'trim(s)', text: 'The string without white space at its ends.', takes: ['string'], gives: STRING, run: (s: string) => s.trim() },
  { usage: 'length(x)', text: 'How many code points a string has, or items a list.', takes: ['sized'], gives: INT, run: length },
  { usage: 'contains(s, t)', text: 'Is the second string a part of the first?', takes: ['string', 'string'], only: isText, gives: BOOL, run: (s: string, t: string) => s.includes(t) },
  { usage: 'starts_with(s, t)', text: 'Does the string begin with the other?', takes: ['string', 'string'], gives: BOOL, run: (s: string, t: string) => s.startsWith(t) },
  { usage: 'ends_with(s, t)', text: 'Does the string end with the other?', takes: ['string', 'string'], gives: BOOL, run: (s: string, t: string) => s.endsWith(t) },
  { usage: 'split(s, sep)', text: 'The parts between separators; with "" the code points.', takes: ['string', 'string'], gives: STRINGS, run: split, result: 'strings' },
  { usage: 'join(xs, sep)', text: 'The strings of a list as one, with the separator between them.', takes: ['strings', 'string'], gives: STRING, run: (xs: string[], s: string, site: Site) => limitedText(xs.join(s), site) },
  { usage: 'replace(s, a, b)', text: 'The string with b for every a.', takes: ['string', 'string', 'string'], gives: STRING, run: (s: string, a: string, b: string, site: Site) => limitedText(replaceAll(s, a, b), site) },
  { usage: 'lines(s)', text: 'The lines of a text, without their ends.', takes: ['string'], gives: STRINGS, run: linesOf, result: 'strings' },
  { usage: 'words(s)', text: 'What is between white space.', takes: ['string'], gives: STRINGS, run: wordsOf, result: 'strings' },
  { usage: 'slice(s, a, b)', text: 'The code points from a up to b: s[a:b].', takes: ['string', 'int', 'int'], gives: STRING, run: sliceText },
  { usage: 'pad(s, n)', text: 'The string with spaces behind it, to n code points; with -n before it.', takes: ['string', 'int'], gives: STRING, run: pad },
  { usage: 'matches(s, "re")', text: 'Does the pattern (RE2) match anywhere in the string?', takes: ['string', 'pattern'], gives: BOOL, run: matchesPattern },
  { usage: 'find(s, "re")', text: 'All matches of the pattern (RE2): text, groups, and at which code point.', takes: ['string', 'pattern'], gives: MATCHES, run: findPattern, result: 'moved' },
  { usage: 'replace_all(s, "re", t)', text: 'The string with t, as it is, for every match of the pattern (RE2).', takes: ['string', 'pattern', 'string'], gives: STRING, run: replaceMatches },
  { usage: 'time(s)', text: 'Seconds since 1970 of a time (RFC 3339) or a date.', takes: ['string'], gives: NUMBER, run: readTime },
  { usage: 'iso(n)', text: 'The time (RFC 3339, UTC) of seconds since 1970.', takes: ['number'], gives: STRING, run: writeTime },
  { usage: 'abs(x)', text: 'The number without its sign.', takes: ['number'], gives: likeArguments, run: (x: number) => Math.abs(x) },
  { usage: 'round(x)', text: 'The nearest int; halves away from zero.', takes: ['numeric'], gives: INT, run: rounded('round') },
  { usage: 'floor(x)', text: 'The largest int that is not above.', takes: ['numeric'], gives: INT, run: rounded('floor') },
  { usage: 'ceil(x)', text: 'The smallest int that is not below.', takes: ['numeric'], gives: INT, run: rounded('ceil') },
  { usage: 'min(x, y)', text: 'The smaller of two numbers.', takes: ['numeric', 'numeric'], gives: likeArguments, run: lesser, result: 'moved' },
  { usage: 'max(x, y)', text: 'The larger of two numbers.', takes: ['numeric', 'numeric'], gives: likeArguments, run: greater, result: 'moved' },
  { usage: 'div(a, b)', text: 'The quotient without its fraction, as % gives the rest.', takes: ['number', 'number'], gives: INT, run: quotient },
  { usage: 'pow(x, y)', text: 'The power; fails where it is not a finite number.', takes: ['number', 'number'], gives: NUMBER, run: power },
  { usage: 'sqrt(x)', text: 'The square root; fails below 0.', takes: ['real'], gives: NUMBER, run: (x: number, site: Site) => defined(Math.sqrt(x), site) },
  { usage: 'log(x)', text: 'The natural logarithm; fails up to 0.', takes: ['real'], gives: NUMBER, run: (x: number, site: Site) => defined(Math.log(x), site) },
  { usage: 'exp(x)', text: 'The power of e; fails where it is too large.', takes: ['real'], gives: NUMBER, run: (x: number, site: Site) => defined(Math.exp(x), site) },
  { usage: 'fixed(n, places)', text: 'The number as text with so many digits after the point, 0 to 20; halves away from zero.', takes: ['numeric', 'int'], gives: STRING, run: fixed },
  { usage: 'text(x)', text: 'A string as it is, anything else as JSON.', takes: ['any'], gives: STRING, run: (x: RuntimeValue) => textOf(x) },
  { usage: 'parse(s)', text: 'The value of a JSON text.', takes: ['string'], gives: JSON_TYPE, run: parseText, result: 'moved' },
  { usage: 'number(s)', text: 'The number that a string says.', takes: ['string'], gives: NUMBER, run: parseNumber, result: 'moved' },
  { usage: 'fail(text)', text: 'Fails the message with rejected and this text.', takes: ['string'], gives: NEVER, run: reject },
  { usage: 'base64(s)', text: 'The bytes of the string (UTF-8) in base64.', takes: ['string'], gives: STRING, run: toBase64 },
  { usage: 'unbase64(s)', text: 'The string whose bytes (UTF-8) base64 gives.', takes: ['string'], gives: STRING, run: fromBase64 },
  { usage: 'sha256(s)', text: 'The SHA-256 of its bytes (UTF-8), in hexadecimal digits.', takes: ['string'], gives: STRING, run: sha256 },
  { usage: 'url_encode(s)', text: 'The string as a part of a URL: all but A-Z a-z 0-9 - . _ ~ as %XX.', takes: ['string'], gives: STRING, run: toUrl },
  { usage: 'url_decode(s)', text: 'The string that a part of a URL says; + stays +.', takes: ['string'], gives: STRING, run: fromUrl },
  { usage: 'csv(s)', text: 'The rows of a CSV (RFC 4180), each a list of strings.', takes: ['string'], gives: { kind: 'array', item: STRINGS }, run: readCsv, result: 'moved' },
  { usage: 'to_csv(rows)', text: 'The CSV (RFC 4180) of rows, with no newline at the end.', takes: ['rows'], gives: STRING, run: writeCsv },
  ...listFunctions(),
  ...mapFunctions(),
  { usage: 'contains(x, y)', text: 'Is the second in the first, a string or a list?', takes: ['sized', 'any'], only: ([type]) => type !== undefined && isJson(type), gives: BOOL, run: containsAny },
]

const functionOf = ({ usage, gives, result = 'value', ...row }: FunctionRow, i: number): Function => ({
  ...row,
  name: usage.slice(0, usage.indexOf('(')),
  usage,
  gives: typeof gives === 'function' ? gives : () => gives,
  result,
  id: `call_${i}`,
})

interface Table {
  readonly all: readonly Function[]
  readonly byName: ReadonlyMap<string, readonly Function[]>
}

const readTable = (): Table => {
  const all = rows().map(functionOf)
  const byName = new Map<string, Function[]>()
  for (const f of all) byName.set(f.name, [...(byName.get(f.name) ?? []), f])
  return { all, byName }
}

const table = once(readTable)

/** Overloads in the order in which they are tried. */
export const allFunctions = (): readonly Function[] => table().all
export const functionsNamed = (name: string): readonly Function[] => table().byName.get(name) ?? []
/** With `has`, which is no row. */
export const functionNames = (): readonly string[] => [...new Set([...table().byName.keys(), 'has'])].sort()
export const isFunction = (name: string): boolean => name === 'has' || table().byName.has(name)

/** Of the values of a map or a record, or of a value that may turn out to be one. */
const valueTypeOf = (type: Type | undefined): Type => {
  if (!type || isJson(type)) return JSON_TYPE
  const objects = objectsOf(type) ?? []
  if (objects.some((object) => object.kind === 'record' && object.isOpen)) return JSON_TYPE
  return unite(objects.flatMap((object) => (object.kind === 'map' ? [object.item] : object.fields.map((field) => field.type))))
}

const entryOf = (value: Type): Type => ({
  kind: 'record',
  fields: [
    { name: 'key', type: STRING, isOptional: false },
    { name: 'value', type: value, isOptional: false },
  ],
})

const valueOfEntry = (entry: Type): Type => (variantsOf(entry).length === 0 ? entry : (fieldsOf(entry)?.get('value')?.type ?? JSON_TYPE))

// biome-ignore format: a table
const mapFunctions = (): readonly FunctionRow[] => [
  { usage: 'keys(m)', text: 'The keys of a map or a record, in their order.', takes: ['object'], gives: { kind: 'array', item: STRING }, run: map.keys, result: 'moved' },
  { usage: 'values(m)', text: 'The values of a map or a record, in the order of its keys.', takes: ['object'], gives: ([type]) => ({ kind: 'array', item: valueTypeOf(type) }), run: map.values, result: 'moved' },
  { usage: 'entries(m)', text: 'The keys and values of a map or a record: a list of { key, value }.', takes: ['object'], gives: ([type]) => ({ kind: 'array', item: entryOf(valueTypeOf(type)) }), run: map.entries, result: 'moved' },
  { usage: 'map_of(entries)', text: 'The map of a list of { key, value }; of equal keys the last.', takes: ['entries'], gives: ([type]) => ({ kind: 'map', item: valueOfEntry(itemTypeOf(type)) }), run: map.mapOf, result: 'moved' },
  { usage: 'without(m, k)', text: 'The map without a key.', takes: ['map', 'string'], gives: ([type]) => ({ kind: 'map', item: valueTypeOf(type) }), run: map.without, result: 'moved' },
  { usage: 'omit(r, "a", "b")', text: 'The record without these fields.', takes: ['object', 'string'], gives: JSON_TYPE, run: map.omit, result: 'moved' },
  { usage: 'pick(r, "a", "b")', text: 'The record of these fields alone.', takes: ['object', 'string'], gives: JSON_TYPE, run: map.pick, result: 'moved' },
]
