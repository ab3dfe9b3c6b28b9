import Ajv from 'ajv/dist/2020'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { parseTree, type Tree, valueOf } from '../../wire/src/json/index.js'
import { runs } from '../../wire/test/property.js'
import { findShared } from '../src/types/disjoint.js'
import { isEqual } from '../src/types/equal.js'
import { join } from '../src/types/join.js'
import { printType } from '../src/types/print.js'
import { hasDefaults } from '../src/types/required-fields.js'
import { toSchema } from '../src/types/schema.js'
import { smallestValue } from '../src/types/smallest.js'
import { isSubtype } from '../src/types/subtype.js'
import { BOOL, type Field, INT, JSON_TYPE, type Json, type NamedType, NUMBER, STRING, type Type, UNIT } from '../src/types/type.js'
import { isWirable, needsLook, type Wiring } from '../src/types/wirable.js'
import { checkTree, describeMismatch } from '../src/validate/check-tree.js'
import { fillDefaults } from '../src/validate/defaults.js'
import { arbitraryJson, arbitraryNearMiss, arbitraryType, arbitraryValue } from './arbitrary-type.js'

// `a?` is optional, `a=3` has the default 3.
const record = (fields: Record<string, Type>): Type => ({
  kind: 'record',
  fields: Object.entries(fields).map(([key, type]): Field => {
    const [name = '', standIn] = key.split('=')
    const isOptional = name.endsWith('?')
    return { name: name.replace('?', ''), type, isOptional, ...(standIn === undefined ? {} : { default: standIn }) }
  }),
})
const map = (item: Type): Type => ({ kind: 'map', item })
const array = (item: Type): Type => ({ kind: 'array', item })
const tuple = (...items: Type[]): Type => ({ kind: 'tuple', items })
const sum = (...variants: (Type | string)[]): Type => ({
  kind: 'sum',
  variants: variants.map((v) => (typeof v === 'string' ? literal(v) : v)),
})
const literal = (value: string): Type => ({ kind: 'literal', value })
const named = (name: string, make: (self: NamedType) => Type): NamedType => {
  const self: NamedType = { kind: 'named', name, target: UNIT }
  self.target = make(self)
  return self
}
const tree = (name = 'Tree', leaf: Type = INT): NamedType =>
  named(name, (self) => record({ v: leaf, kids: array(self), 'next?': self, last: sum(self, UNIT) }))

const TREE = tree()
const ENDLESS = named('Endless', (self) => record({ next: self }))
const LEVEL = named('Level', () => sum('low', 'high'))
const SHAPE = sum(record({ kind: literal('circle'), r: NUMBER }), record({ kind: literal('square'), side: NUMBER }))
// Each is made of two of the one before: written out, the last would fill any memory.
const DOUBLING = Array.from({ length: 60 }).reduce<Type>((t, _, i) => named(`D${i}`, () => record({ l: t, r: t })), INT)

const parse = (text: string): { buf: Buffer; node: Tree } => {
  const buf = Buffer.from(text)
  const node = parseTree(buf, 0, buf.length)
  if (node.kind === 'fault') throw new Error(`${node.detail}: ${text}`)
  return { buf, node }
}
const mismatch = (type: Type, text: string) => {
  const { buf, node } = parse(text)
  return checkTree(type, buf, node)
}
const accepts = (type: Type, text: string): boolean => mismatch(type, text) === undefined
const fill = (type: Type, text: string): string => {
  const { buf, node } = parse(text)
  return fillDefaults(type, buf, node)?.toString() ?? text
}
const holds = <T extends [unknown, ...unknown[]]>(t: Test, numRuns: number, property: fc.IProperty<T>): void => {
  const drawn = runs(2 * numRuns)
  fc.assert(property, { numRuns: drawn })
  t.pass(`${drawn} runs`)
}
const typed = <T>(types: fc.Arbitrary<Type>, more: (type: Type) => fc.Arbitrary<T>): fc.Arbitrary<[Type, T]> =>
  types.chain((type) => fc.tuple(fc.constant(type), more(type)))
const types = arbitraryType()
const filling = arbitraryType({ withDefaults: true })
const limited = arbitraryType({ withDefaults: true, withLimits: true })

// So small that they are often subtypes of one another.
const simple: fc.Arbitrary<Type> = fc.letrec<{ type: Type }>((tie) => ({
  type: fc.oneof(
    { maxDepth: 2 },
    fc.constantFrom<Type[]>(INT, NUMBER, literal('x'), STRING, JSON_TYPE, LEVEL),
    fc.constantFrom<Type[]>(sum(INT, 'x'), sum(NUMBER, 'x', 'y', UNIT), SHAPE, TREE),
    fc.tuple(tie('type'), tie('type'), fc.constantFrom('b', 'b?', 'b=null', '')).map(([a, b, key]) => {
      const standIn = smallestValue(b) ?? ''
      if (key === '') return record({ a })
      return record({ a, [key === 'b=null' && !/[[{]/.test(standIn) ? `b=${standIn}` : key.replace('=null', '')]: b })
    }),
    tie('type').map(array),
    tie('type').map(map),
    tie('type').map((item) => tuple(item, item)),
  ),
})).type

t.test('types are printed as a user would write them', async (t) => {
  const cases: [Type, string][] = [
    [INT, 'int'],
    [literal('a"b'), '"a\\"b"'],
    [record({}), '{}'],
    [record({ a: INT, 'b?': STRING, 'c?=3': NUMBER, 'd="x"': STRING }), '{ a: int, b?: string, c?: number = 3, d: string = "x" }'],
    [array(sum('a', INT)), '["a" | int]'],
    [tuple(sum('a', INT), array(TREE)), '("a" | int, [Tree])'],
    [sum(sum('a', 'b'), UNIT), '"a" | "b" | unit'],
    [array(LEVEL), '[Level]'],
    [map(sum('a', map(INT))), '{ [string]: "a" | { [string]: int } }'],
  ]
  for (const [type, text] of cases) t.equal(printType(type), text)
})

t.test('subtypes', async (t) => {
  const few = sum('p', 'q')
  const more = sum('p', 'q', 'r', INT)
  const full = record({ a: INT, b: INT })
  const part = record({ a: INT, 'b?': INT })
  const only = record({ a: INT })
  const standIn = record({ a: INT, 'b=1': INT })
  const cases: [Type, Type, Wiring][] = [
    [INT, NUMBER, 'static'],
    [NUMBER, INT, 'no'],
    [few, STRING, 'static'],
    [STRING, few, 'no'],
    [few, more, 'static'],
    [more, few, 'no'],
    [INT, more, 'static'],
    [more, sum(STRING, NUMBER), 'static'],
    [full, part, 'static'],
    [part, full, 'no'],
    [full, only, 'no'],
    [only, full, 'no'],
    [only, part, 'static'],
    [only, standIn, 'checked'],
    [part, standIn, 'checked'],
    [full, standIn, 'static'],
    [standIn, full, 'static'],
    [standIn, part, 'static'],
    [standIn, record({ a: INT, 'b=2': INT }), 'static'],
    [array(only), array(standIn), 'checked'],
    [sum(only, UNIT), sum(UNIT, standIn), 'checked'],
    [record({ a: INT, b: INT, c: literal('x') }), record({ a: NUMBER, 'b?': INT, c: STRING }), 'static'],
    [array(INT), array(NUMBER), 'static'],
    [map(INT), map(NUMBER), 'static'],
    [map(NUMBER), map(INT), 'no'],
    [part, map(INT), 'static'],
    [record({}), map(INT), 'static'],
    [record({ a: INT, b: STRING }), map(NUMBER), 'no'],
    [record({ a: INT, 'b?': JSON_TYPE }), map(INT), 'checked'],
    [record({ a: only }), map(standIn), 'checked'],
    [map(only), map(standIn), 'checked'],
    [map(INT), record({ 'a?': INT }), 'no'],
    [map(INT), array(INT), 'no'],
    [map(INT), JSON_TYPE, 'static'],
    [JSON_TYPE, map(INT), 'checked'],
    [tuple(INT, INT), tuple(NUMBER, INT), 'static'],
    [tuple(INT, INT), array(NUMBER), 'static'],
    [array(INT), tuple(INT, INT), 'no'],
    [tuple(INT, INT), tuple(INT, INT, INT), 'no'],
    [UNIT, INT, 'no'],
    [only, INT, 'no'],
    [ENDLESS, JSON_TYPE, 'static'],
    [JSON_TYPE, JSON_TYPE, 'static'],
    [JSON_TYPE, INT, 'checked'],
    [array(JSON_TYPE), array(INT), 'checked'],
    [tuple(JSON_TYPE, INT), array(INT), 'checked'],
    [array(JSON_TYPE), INT, 'no'],
    [record({ a: JSON_TYPE, 'b?': STRING }), record({ a: INT }), 'no'],
    [sum(record({ a: JSON_TYPE }), UNIT), sum(UNIT, only), 'checked'],
    [sum(record({ a: JSON_TYPE }), UNIT), only, 'no'],
    [SHAPE, sum(UNIT, SHAPE), 'static'],
    [record({ kind: literal('circle'), r: INT }), SHAPE, 'static'],
    [record({ kind: sum('circle', 'square'), r: INT }), SHAPE, 'no'],
    [TREE, tree('Other'), 'static'],
    [TREE, tree('Other', NUMBER), 'static'],
    [tree('Other', NUMBER), TREE, 'no'],
    [tree('Other', JSON_TYPE), TREE, 'checked'],
    [DOUBLING, JSON_TYPE, 'static'],
    [JSON_TYPE, DOUBLING, 'checked'],
  ]
  for (const [a, b, wiring] of cases) {
    const name = `${printType(a)} to ${printType(b)}`
    t.equal(isWirable(a, b), wiring, name)
    if (wiring !== 'checked') t.equal(isSubtype(a, b), wiring === 'static', name)
  }
  t.notOk(isSubtype(JSON_TYPE, INT))
  t.ok(isSubtype(only, standIn))
  t.ok(needsLook(JSON_TYPE, array(standIn)))
  t.notOk(needsLook(JSON_TYPE, TREE))
})

t.test('equal types', async (t) => {
  const cases: [Type, Type, boolean][] = [
    [INT, NUMBER, false],
    [record({ a: INT, 'b?': INT }), record({ 'b?': INT, a: INT }), true],
    [record({ 'b?': INT }), record({ b: INT }), false],
    [record({ 'b?': INT }), record({ 'b=1': INT }), false],
    [record({ 'b?=1.0': INT }), record({ 'b=1': INT }), true],
    [record({ 'b=2': INT }), record({ 'b=1': INT }), false],
    [sum('a', 'b'), sum('b', 'a'), true],
    [sum('a', sum('b', UNIT)), sum(UNIT, 'b', 'a'), true],
    [sum('a', 'b'), sum('a', 'b', 'c'), false],
    [LEVEL, sum('high', 'low'), true],
    [TREE, tree('Other'), true],
    [TREE, tree('Other', NUMBER), false],
    [tuple(INT, INT), array(INT), false],
    [map(LEVEL), map(sum('high', 'low')), true],
    [map(INT), map(NUMBER), false],
    [map(INT), array(INT), false],
    [map(INT), record({}), false],
  ]
  for (const [a, b, expected] of cases) {
    t.equal(isEqual(a, b), expected, `${printType(a)} and ${printType(b)}`)
    t.equal(isEqual(b, a), expected)
  }
})

t.test('a shared value is a smallest one that both accept', async (t) => {
  const lists = named('Lists', (self) => array(self))
  const cases: [Type, Type, string | undefined][] = [
    [INT, NUMBER, '0'],
    [STRING, literal('low'), '"low"'],
    [literal('low'), literal('high'), undefined],
    [array(INT), array(STRING), '[]'],
    [map(INT), map(STRING), '{}'],
    [map(INT), map(INT), '{}'],
    [map(INT), array(INT), undefined],
    [map(INT), record({ a: NUMBER, 'b?': STRING }), '{"a":0}'],
    [map(INT), record({ a: STRING }), undefined],
    [map(STRING), sum(record({ kind: literal('a'), n: INT }), record({ kind: literal('b') })), '{"kind":"b"}'],
    [named('Nested', (self) => map(self)), record({ 'a?': INT }), '{}'],
    [JSON_TYPE, record({ a: INT, 'b?': INT }), '{"a":0}'],
    [JSON_TYPE, JSON_TYPE, 'null'],
    [record({ a: INT }), record({ a: INT, 'b?': STRING }), '{"a":0}'],
    [record({ a: INT }), record({ a: INT, 'b="x"': STRING }), '{"a":0}'],
    [record({ 'a?': INT }), record({ 'b?': INT }), '{}'],
    [record({ a: INT, 'c?': INT }), record({ a: INT, b: INT }), undefined],
    [record({ 'a?': INT }), record({ a: NUMBER }), '{"a":0}'],
    [record({ 'a?': INT }), record({ 'a?': STRING }), '{}'],
    [record({ a: INT }), record({ 'a?': STRING }), undefined],
    [tuple(INT, STRING), tuple(NUMBER, STRING), '[0,""]'],
    [tuple(INT, STRING), tuple(INT, INT), undefined],
    [tuple(INT, INT), tuple(INT, INT, INT), undefined],
    [tuple(INT, STRING), array(sum(INT, STRING)), '[0,""]'],
    [tuple(INT, STRING), array(INT), undefined],
    [sum('a', UNIT), sum(INT, STRING), '"a"'],
    [SHAPE, record({ kind: STRING, side: INT }), '{"kind":"square","side":0}'],
    [TREE, tree('Other', NUMBER), '{"v":0,"kids":[],"last":null}'],
    [TREE, tree('Other', STRING), undefined],
    [ENDLESS, JSON_TYPE, undefined],
    [ENDLESS, ENDLESS, undefined],
    [lists, array(INT), '[]'],
    [named('Self', (self) => sum(self, INT)), INT, '0'],
    [named('Nothing', (self) => sum(self, self)), JSON_TYPE, undefined],
    [DOUBLING, JSON_TYPE, '…'],
  ]
  for (const [a, b, shared] of cases) {
    t.equal(findShared(a, b), shared, `${printType(a)} and ${printType(b)}`)
    t.equal(findShared(b, a) === undefined, shared === undefined)
  }
  t.equal(smallestValue(sum(record({}), tuple(INT, INT), TREE)), '{}')
  t.equal(smallestValue(record({ a: BOOL, b: array(INT), c: JSON_TYPE })), '{"a":false,"b":[],"c":null}')
})

t.test('schemas', async (t) => {
  const limited: Type = {
    kind: 'record',
    fields: [
      { name: 'n', type: INT, isOptional: false, default: '3', description: 'how many', min: 1, max: 5 },
      { name: 's', type: sum(STRING, UNIT), isOptional: true, min: 1 },
      { name: 'xs', type: array(INT), isOptional: false, max: 9 },
    ],
  }
  const object = (properties: Json, required: string[]) => ({ type: 'object', properties, required, additionalProperties: false })
  const tree = object(
    {
      v: { type: 'integer' },
      kids: { type: 'array', items: { $ref: '#/$defs/Tree' } },
      next: { $ref: '#/$defs/Tree' },
      last: { anyOf: [{ $ref: '#/$defs/Tree' }, { type: 'null' }] },
    },
    ['v', 'kids', 'last'],
  )
  const cases: [Type, Json][] = [
    [JSON_TYPE, {}],
    [UNIT, { type: 'null' }],
    [literal('a'), { type: 'string', const: 'a' }],
    [map(array(INT)), { type: 'object', additionalProperties: { type: 'array', items: { type: 'integer' } } }],
    [LEVEL, { type: 'string', enum: ['low', 'high'] }],
    [sum(LEVEL, INT), { anyOf: [{ type: 'string', enum: ['low', 'high'] }, { type: 'integer' }] }],
    [tuple(INT, JSON_TYPE), { type: 'array', prefixItems: [{ type: 'integer' }, {}], minItems: 2, maxItems: 2 }],
    [
      limited,
      object(
        {
          n: { description: 'how many', type: 'integer', minimum: 1, maximum: 5, default: 3 },
          s: { anyOf: [{ type: 'string' }, { type: 'null' }], minLength: 1 },
          xs: { type: 'array', items: { type: 'integer' }, maxItems: 9 },
        },
        ['xs'],
      ),
    ],
    [TREE, { ...tree, $defs: { Tree: tree } }],
    [
      array(named('Alias', () => TREE)),
      { type: 'array', items: { $ref: '#/$defs/Alias' }, $defs: { Alias: JSON.parse(JSON.stringify(tree).replaceAll('/Tree', '/Alias')) } },
    ],
  ]
  for (const [type, schema] of cases) t.same(toSchema(type), schema, printType(type))
  t.equal(Object.keys(toSchema(DOUBLING).$defs ?? {}).length, 59, 'a type that would be long written out is not')
  t.same(Object.keys(toSchema(tuple(TREE, tree === undefined ? INT : named('Tree', (self) => array(self)))).$defs ?? {}), [
    'Tree',
    'Tree_2',
  ])
})

t.test('JSON texts', async (t) => {
  const deep = (n: number) => '['.repeat(n) + ']'.repeat(n)
  const good = [
    '0',
    '-0',
    ' [ ] ',
    '{}',
    '[1,2 , 3]',
    '{"a":{"b":[null,true,false]}}',
    '"\\u00e9\\/\u007f\u2028😀"',
    '1E+2',
    '0.5e-7',
    '""',
    deep(512),
  ]
  for (const [i, text] of good.entries()) {
    const { buf, node } = parse(text)
    t.equal(JSON.stringify(valueOf(node, buf)), JSON.stringify(JSON.parse(text)), `text ${i}`)
  }
  const bad: [string, number, string][] = [
    ['', 1, 'expected a value at column 1, found the end'],
    ['  ', 3, 'expected a value at column 3, found the end'],
    ['{oops', 2, "expected a key or '}' at column 2, found 'o'"],
    ['{"a":1,}', 8, "expected a key at column 8, found '}'"],
    ['{"a" 1}', 6, "expected ':' at column 6, found '1'"],
    ['{"a":}', 6, "expected a value at column 6, found '}'"],
    ['{"a":1', 7, "expected ',' or '}' at column 7, found the end"],
    ['{1:2}', 2, "expected a key or '}' at column 2, found '1'"],
    ['[4,', 4, 'expected a value at column 4, found the end'],
    ['[1,]', 4, "expected a value at column 4, found ']'"],
    ['[,1]', 2, "expected a value or ']' at column 2, found ','"],
    ['["é😀" 1]', 7, "expected ',' or ']' at column 7, found '1'"],
    ['5 6', 3, "expected the end at column 3, found '6'"],
    ['01', 2, "expected the end at column 2, found '1'"],
    ['-', 2, 'expected a digit at column 2, found the end'],
    ['+1', 1, "expected a value at column 1, found '+'"],
    ['1.', 3, 'expected a digit at column 3, found the end'],
    ['.5', 1, "expected a value at column 1, found '.'"],
    ['1e', 3, 'expected a digit at column 3, found the end'],
    ['0x1', 2, "expected the end at column 2, found 'x'"],
    ['[1e999]', 2, 'number is not finite at column 2'],
    [`[-${'9'.repeat(310)}.5]`, 2, 'number is not finite at column 2'],
    ['nul', 4, "expected 'null' at column 4, found the end"],
    ['truE', 4, "expected 'true' at column 4, found 'E'"],
    ['NaN', 1, "expected a value at column 1, found 'N'"],
    ["'a'", 1, "expected a value at column 1, found '''"],
    ['"a', 3, "expected a closing '\"' at column 3, found the end"],
    ['"a\tb"', 3, 'expected an escape for a control character at column 3, found U+0009'],
    ['"\\x"', 3, "expected an escape JSON knows at column 3, found 'x'"],
    ['"\\u00g0"', 6, "expected a hexadecimal digit at column 6, found 'g'"],
    ['[1]\u00a0', 4, "expected the end at column 4, found '\u00a0'"],
    ['\ufeff1', 1, "expected a value at column 1, found '\ufeff'"],
    [deep(513), 513, 'nesting over 512 at column 513'],
  ]
  for (const [i, [text, column, detail]] of bad.entries()) {
    const buf = Buffer.from(`##${text}##`)
    const fault = parseTree(buf, 2, buf.length - 2)
    t.match(fault, { kind: 'fault', error: detail.startsWith('nesting') ? 'too_deep' : 'invalid_json', column, detail }, `fault ${i}`)
  }
  const { buf, node } = parse('{"__proto__":{"x":1},"a":1,"constructor":2,"a":3}')
  const value = valueOf(node, buf) as { readonly [key: string]: Json }
  t.same(
    Object.entries(value),
    [
      ['__proto__', { x: 1 }],
      ['a', 3],
      ['constructor', 2],
    ],
    'the last of two wins',
  )
  t.equal(value.toString, undefined, 'nothing is inherited')
})

t.test('mismatches', async (t) => {
  const strict = record({ a: INT, 'b?': STRING })
  const pairs = sum(tuple(literal('add'), INT), tuple(literal('del'), STRING))
  const cases: [Type, string, string?][] = [
    [strict, '{"a":1}'],
    [strict, '{"a":1.0}'],
    [strict, '{"a":1,"c":2}', 'at .c: unknown field, the record has a, b'],
    [strict, '{"A":1}', 'at .A: unknown field, the record has a, b'],
    [strict, '{}', 'at .a: missing field, expected int'],
    [strict, '{"a":1.5}', 'at .a: expected int, found 1.5'],
    [strict, '{"a":1,"b":null}', 'at .b: expected string, found null; leave the field out instead'],
    [strict, '{"a":1,"__proto__":{"b":2}}', 'at .__proto__: unknown field, the record has a, b'],
    [strict, '{"a":"x","a":1}', 'at .a: the key is given twice, and each is to be given once'],
    [strict, '5', 'expected { a: int, b?: string }, found 5'],
    [record({}), '{"a b":1}', 'at ["a b"]: unknown field, the record has none'],
    [INT, '100e-2'],
    [INT, '0.0e-5'],
    [INT, '12345678901234567890'],
    [INT, '9007199254740993.5', 'expected int, found 9007199254740993.5'],
    [INT, '1e-400', 'expected int, found 1e-400'],
    [map(INT), '{}'],
    [map(INT), '{"a":1,"":2,"__proto__":3}'],
    [map(INT), '{"a":1,"b":"x"}', 'at .b: expected int, found "x"'],
    [map(map(INT)), '{"a b":{"c":null}}', 'at ["a b"].c: expected int, found null'],
    [map(INT), '{"a":"x","a":1}', 'at .a: the key is given twice, and each is to be given once'],
    [map(INT), '[1]', 'expected { [string]: int }, found [1]'],
    [sum(map(INT), UNIT), '{"a":1.5}', 'at .a: expected int, found 1.5'],
    [LEVEL, '"low"'],
    [LEVEL, '"l\\u006fw"'],
    [LEVEL, '"LOW"', 'expected "low" | "high", found "LOW"'],
    [LEVEL, '1', 'expected "low" | "high", found 1'],
    [tuple(INT, STRING), '[1,"a"]'],
    [tuple(INT, STRING), '[1]', 'expected 2 items, found 1'],
    [tuple(INT, STRING), '[1,2]', 'at [1]: expected string, found 2'],
    [tuple(INT, STRING), '{"0":1,"1":"a"}', 'expected (int, string), found {"0":1,"1":"a"}'],
    [sum(INT, array(INT), UNIT), '[1,"x"]', 'at [1]: expected int, found "x"'],
    [sum(INT, UNIT), '1.5', 'expected int | unit, found 1.5'],
    [SHAPE, '{"kind":"square","side":2}'],
    [SHAPE, '{"kind":"square","r":1.5}', 'at .r: unknown field, the record has kind, side'],
    [SHAPE, '{"kind":"square"}', 'at .side: missing field, expected number'],
    [SHAPE, '{"kind":"triangle"}', 'at .kind: expected "circle" | "square", found "triangle"'],
    [SHAPE, '{"r":1}', 'at .kind: missing field, expected "circle" | "square"'],
    [pairs, '["del",1]', 'at [1]: expected string, found 1'],
    [sum(record({ a: INT, b: INT }), record({ a: INT, c: INT })), '{"a":"x"}', 'at .a: expected int, found "x"'],
    [sum(record({ a: INT }), record({ b: INT })), '{"c":1}', 'expected { a: int } | { b: int }, found {"c":1}'],
    [TREE, '{"v":1,"kids":[],"last":null}'],
    [TREE, '{"v":1,"kids":[{"v":"x","kids":[],"last":null}],"last":null}', 'at .kids[0].v: expected int, found "x"'],
    [TREE, '{"v":1,"kids":[],"next":{"v":1},"last":null}', 'at .next.kids: missing field, expected [Tree]'],
    [TREE, '{"v":1,"kids":[],"last":{"v":4,"kids":[]}}', 'at .last.last: missing field, expected Tree | unit'],
  ]
  for (const [type, text, detail] of cases) {
    const found = mismatch(type, text)
    t.equal(found && describeMismatch(found), detail, text)
  }
  const long = mismatch(INT, JSON.stringify('é\n'.repeat(200)))
  t.equal(long?.found.length, 80)
  t.equal(long?.expected, 'int')
  t.equal(long && describeMismatch(long, 'Count').startsWith('does not fit Count: expected int, found "é\\n'), true)
})

t.test('variants that differ only deep inside cost no more than their size', async (t) => {
  const tag = (text: string) => record({ t: literal(text) })
  const chain = named('Chain', (self) => sum(UNIT, record({ next: self, tag: tag('a') }), record({ next: self, tag: tag('b') })))
  let text = 'null'
  for (let i = 0; i < 300; i++) text = `{"next":${text},"tag":{"t":"b"}}`
  t.ok(accepts(chain, text))
  t.notOk(accepts(chain, text.replace('null', '1')))
  t.equal(fill(record({ c: chain, 'd=1': INT }), `{"c":${text}}`), `{"c":${text},"d":1}`)
})

t.test('defaults', async (t) => {
  const box = record({ name: STRING, 'size?=3': INT, 'unit="m"': STRING })
  const nest = record({ box, 'list?': array(sum(box, UNIT)), 'on=true': BOOL })
  const cases: [Type, string, string?][] = [
    [box, '{"name":"a","size":2,"unit":"k"}'],
    [box, ' { "name" : "\\u0061" } ', '{ "name" : "\\u0061","size":3,"unit":"m" }'],
    [box, '{"unit":"k","name":"a","unit":"l"}', '{"unit":"k","name":"a","unit":"l","size":3}'],
    [record({ 'a=1': INT }), '{ }', '{"a":1 }'],
    [
      nest,
      '{"box":{"name":""},"list":[null,{"name":"é"}]}',
      '{"box":{"name":"","size":3,"unit":"m"},"list":[null,{"name":"é","size":3,"unit":"m"}],"on":true}',
    ],
    [sum(record({ kind: literal('a'), 'n=1': INT }), record({ kind: literal('b'), 'n=2': INT })), '{"kind":"b"}', '{"kind":"b","n":2}'],
    [tuple(INT, box), '[1,{"name":"a"}]', '[1,{"name":"a","size":3,"unit":"m"}]'],
    [JSON_TYPE, '{}'],
    [named('T', (self) => record({ 'n=0': INT, 'next?': self })), '{"next":{"next":{"n":1}}}', '{"next":{"next":{"n":1},"n":0},"n":0}'],
  ]
  for (const [type, text, filled] of cases) t.equal(fill(type, text), filled ?? text, text)
  t.ok(hasDefaults(nest))
  t.notOk(hasDefaults(TREE))
})

t.test('laws of types', async (t) => {
  holds(
    t,
    300,
    fc.property(filling, (a) => isSubtype(a, a) && isEqual(a, a) && isWirable(a, a) === 'static'),
  )
  holds(
    t,
    300,
    fc.property(filling, filling, (a, b) => isEqual(a, b) === isEqual(b, a) && (!isEqual(a, b) || isSubtype(a, b))),
  )
  const related = fc.oneof(fc.tuple(filling, filling, filling), fc.tuple(simple, simple, simple))
  holds(
    t,
    1000,
    fc.property(related, ([a, b, c]) => !isSubtype(a, b) || needsLook(a, b) || !isSubtype(b, c) || isSubtype(a, c)),
  )
})

t.test('what may be wired fits', async (t) => {
  const pairs = fc.oneof(fc.tuple(filling, filling), fc.tuple(simple, simple))
  const cases = pairs.chain(([a, b]) =>
    fc.tuple(fc.constant(a), fc.constant(b), fc.array(arbitraryValue(a), { minLength: 1, maxLength: 3 })),
  )
  const fits = ([a, b, texts]: [Type, Type, string[]]) => {
    const wiring = isWirable(a, b)
    if (!isSubtype(a, b)) return wiring !== 'static'
    return texts.every((text) => {
      const sent = fill(a, text)
      const received = fill(b, sent)
      return accepts(a, sent) && accepts(b, sent) && accepts(b, received) && (wiring !== 'static' || received === sent)
    })
  }
  holds(t, 1000, fc.property(cases, fits))
  // What is said of a field by one type alone is for the receiver to look at.
  const limits = fc.tuple(
    fc.oneof(types, limited),
    fc.constantFrom({ min: 1 }, { max: 1 }, {}),
    fc.constantFrom({ min: 1 }, { max: 2 }, {}),
  )
  const likes = limits.chain(([type, own, other]) =>
    fc.tuple(
      fc.constant<Type>({ kind: 'record', fields: [{ name: 'f', type, isOptional: false, ...own }] }),
      fc.constant<Type>({ kind: 'record', fields: [{ name: 'f', type, isOptional: false, ...other }] }),
      fc.array(arbitraryValue({ kind: 'record', fields: [{ name: 'f', type, isOptional: false }] }), { minLength: 1, maxLength: 4 }),
    ),
  )
  const keeps = ([a, b, texts]: [Type, Type, string[]]) => {
    const joined = join(a, b)
    return (
      isEqual(a, b) &&
      isWirable(a, b) !== 'no' &&
      joined !== undefined &&
      texts.every(
        (text) =>
          (isWirable(a, b) !== 'static' || !accepts(a, text) || accepts(b, text)) &&
          (accepts(joined, text) || !(accepts(a, text) || accepts(b, text))),
      )
    )
  }
  holds(t, 600, fc.property(likes, keeps))
})

t.test('what is disjoint shares no value, and what is shared is accepted by both', async (t) => {
  const pairs = fc.oneof(fc.tuple(types, filling), fc.tuple(simple, simple))
  const cases = pairs.chain(([a, b]) =>
    fc.tuple(fc.constant(a), fc.constant(b), fc.array(arbitraryValue(a), { minLength: 1, maxLength: 4 })),
  )
  const agrees = ([a, b, texts]: [Type, Type, string[]]) => {
    const shared = findShared(a, b)
    if (shared === undefined) return texts.every((text) => !accepts(b, text))
    return shared.includes('…') || (accepts(a, shared) && accepts(b, shared))
  }
  holds(t, 600, fc.property(cases, agrees))
})

const repeatsKey = (node: Tree): boolean => {
  if (node.kind === 'array') return node.items.some(repeatsKey)
  return node.kind === 'object' && node.entries.some((entry) => entry.isRepeated || repeatsKey(entry.node))
}

t.test('values of a type are accepted, by its schema too, and so is nothing else', async (t) => {
  holds(
    t,
    200,
    fc.property(typed(filling, arbitraryValue), ([type, text]) => accepts(type, text)),
  )
  const texts = (type: Type) => fc.array(fc.oneof(arbitraryNearMiss(type), arbitraryJson()), { minLength: 1, maxLength: 12 })
  const ajv = new Ajv({ ownProperties: true, strictTuples: false, addUsedSchema: false })
  const agrees = ([type, values]: [Type, string[]]) => {
    const validate = ajv.compile({ ...toSchema(type) })
    // What JSON.parse reads of a text no longer shows that a key was given twice, which is refused.
    return values.every((text) => repeatsKey(parse(text).node) || validate(JSON.parse(text)) === accepts(type, text))
  }
  holds(t, 150, fc.property(typed(filling, texts), agrees))
  holds(t, 300, fc.property(typed(limited, texts), agrees))
})

t.test('filling in defaults leaves what was there and nothing to fill in', async (t) => {
  const agrees = ([type, text]: [Type, string]) => {
    const filled = fill(type, text)
    return accepts(type, filled) && fill(type, filled) === filled && (filled === text || hasDefaults(type))
  }
  holds(t, 300, fc.property(typed(filling, arbitraryValue), agrees))
})

t.test('the parser reads what JSON.parse reads', async (t) => {
  const plain = (text: string) => JSON.stringify(JSON.parse(text))
  const reads = (text: string) => {
    const { buf, node } = parse(text)
    return JSON.stringify(valueOf(node, buf)) === plain(text)
  }
  holds(t, 500, fc.property(arbitraryJson(), reads))
  const broken = fc.tuple(arbitraryJson(), fc.nat(), fc.nat(2), fc.constantFrom(...'{}[]",:\\0.e- ux\n\u0001')).map(([text, n, cut, c]) => {
    const at = n % (text.length + 1)
    return text.slice(0, at) + c + text.slice(at + cut)
  })
  const agrees = (text: string) => {
    const buf = Buffer.from(text)
    const node = parseTree(buf, 0, buf.length)
    let isValid = true
    try {
      JSON.parse(buf.toString())
    } catch {
      isValid = false
    }
    if (node.kind === 'fault') return !isValid || node.detail.startsWith('number is not finite')
    return isValid && JSON.stringify(valueOf(node, buf)) === plain(buf.toString())
  }
  holds(t, 1500, fc.property(broken, agrees))
})
