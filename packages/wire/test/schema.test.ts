// JSON Schemas of others: what they find, and that none of them keeps us busy, or sends us anywhere (fault 108).

import t from 'tap'
import { compileSchema, flawText } from '../src/json/schema.js'

const flaws = (schema: unknown, value: unknown): string[] => {
  const compiled = compileSchema(schema)
  return compiled.ok ? compiled.value(value).map(flawText) : [compiled.error.detail]
}

const cannot = (why: string) => [`the schema cannot be used: ${why}`]
const TOO_MUCH = ['cannot be checked: the schema asks for too much work']
const nested = (depth: number): unknown => (depth === 0 ? {} : { not: nested(depth - 1) })

t.test('what does not fit, and where', async (t) => {
  const draft7 = { $schema: 'http://json-schema.org/draft-07/schema#' }
  const tree = { type: 'object', properties: { left: { $ref: '#' }, n: { type: 'integer' } } }
  const cases: [unknown, unknown, string[]][] = [
    [true, 1, []],
    [
      { type: 'object', required: ['a'], additionalProperties: false },
      { b: 1 },
      ["must have required property 'a'", "must NOT have additional properties ('b')"],
    ],
    [{ properties: { a: { items: { type: 'integer' } } } }, { a: [1, 'x'] }, ['/a/1 must be integer']],
    [tree, { left: { left: { n: 1.5 } } }, ['/left/left/n must be integer']],
    [{ $ref: '#/$defs/a', $defs: { a: { type: 'null' } } }, 1, ['must be null']],
    [{ prefixItems: [{ type: 'string' }], items: false }, ['a', 'b'], ['must NOT have more than 1 items']],
    [{ ...draft7, items: [{ type: 'string' }], additionalItems: false }, ['a', 'b'], ['must NOT have more than 1 items']],
    [{ items: [{ type: 'string' }] }, [1], ['/0 must be string']],
    [
      { uniqueItems: true },
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      ['must NOT have duplicate items'],
    ],
    [{ uniqueItems: true }, [1, '1', [1], [[1]]], []],
    [{ items: { type: 'integer' } }, Array(20).fill('x'), Array.from({ length: 10 }, (_, i) => `/${i} must be integer`)],
    [{ allOf: [{ pattern: '^a' }, { pattern: 'b$' }] }, 'ax', ['must match pattern "b$"']],
    [{ pattern: '^(?=a)' }, 'b', []],
    [{ format: 'email', default: 5, examples: [1], 'x-plumb-step': 7 }, 'no address', []],
    [{ $async: true, type: 'string' }, 1, ['must be string']],
    [{ const: { $ref: 'data' } }, { $ref: 'data' }, []],
    [{ properties: { __proto__: null, constructor: { type: 'string' } } }, {}, []],
  ]
  for (const [schema, value, said] of cases) t.strictSame(flaws(schema, value), said, JSON.stringify(schema))
})

t.test('what is not a schema, or none to be used', async (t) => {
  const cases: [unknown, string[]][] = [
    [5, cannot('it is not an object')],
    [{ type: 5 }, cannot('type must be JSONType or JSONType[]: 5')],
    [{ $ref: '#/nowhere' }, cannot("can't resolve reference #/nowhere from id #")],
    [{ items: { $ref: 'http://a/b' } }, cannot("it refers to 'http://a/b', outside of itself")],
    [nested(200), cannot('it is nested more than 128 deep')],
    [{ enum: Array.from({ length: 60_000 }, (_, i) => i) }, cannot('it has more than 50000 parts')],
  ]
  for (const [schema, said] of cases) t.strictSame(flaws(schema, 1), said)
})

t.test('fault 108: no schema takes for ever', async (t) => {
  const twice = (to: string) => ({ anyOf: [{ $ref: to }, { $ref: to }] })
  const fan = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`r${i}`, twice(`#/$defs/r${i + 1}`)]))
  t.strictSame(flaws({ $ref: '#/$defs/r0', $defs: { ...fan, r60: { type: 'null' } } }, 1), TOO_MUCH)
  t.strictSame(flaws({ allOf: [{ $ref: '#' }] }, 1), TOO_MUCH)
  t.match(flaws({ pattern: '^(a|a)*$' }, `${'a'.repeat(10_000)}b`), [/^must match pattern/])
  t.strictSame(
    flaws(
      { uniqueItems: true },
      Array.from({ length: 50_000 }, (_, i) => ({ i })),
    ),
    [],
  )
})
