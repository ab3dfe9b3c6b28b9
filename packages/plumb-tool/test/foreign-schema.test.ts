// Inputs against the schemas of others: which defaults are filled in, and what a value of a part of a schema is held against.

import type { Json } from '@plumb/lang'
import { openFitsSchema } from '@plumb/wire'
import t from 'tap'
import { openFitSchema } from '../src/call/fit-schema.js'
import { typeOfSchema } from '../src/call/type-of-schema.js'

const object = (properties: Json, more: { readonly [key: string]: Json } = {}) => ({ type: 'object', properties, ...more })

t.test('a default that does not fit its own schema is none, and the others stay', async (t) => {
  const q = { type: 'string' }
  const limit = { type: 'integer', default: 5 }
  const rows: readonly (readonly [what: string, schema: { readonly [key: string]: Json }, given: string, filled: string])[] = [
    ['null for a text', object({ q, site: { type: 'string', default: null }, limit }), '{"q":"a"}', '{"q":"a","limit":5}'],
    ['a word for a number', object({ q, n: { type: 'integer', default: 'ten' }, limit }), '{"q":"a"}', '{"q":"a","limit":5}'],
    ['none of its values', object({ q: { enum: ['a', 'b'], default: 'c' }, limit }), '{}', '{"limit":5}'],
    ['below its bound', object({ q: { type: 'integer', minimum: 1, default: 0 }, limit }), '{}', '{"limit":5}'],
    ['longer than its bound', object({ q: { type: 'string', maxLength: 1, default: 'ab' }, limit }), '{}', '{"limit":5}'],
    ['by its pattern', object({ q: { type: 'string', pattern: '^x', default: 'ab' }, limit }), '{}', '{"limit":5}'],
    [
      'null for a list that is referred to',
      object({ ids: { $ref: '#/$defs/Ids', default: null }, limit }, { $defs: { Ids: { type: 'array', items: q } } }),
      '{}',
      '{"limit":5}',
    ],
    [
      'a list of the wrong items',
      object({ ids: { type: 'array', items: { type: 'integer' }, default: ['x'] }, limit }),
      '{}',
      '{"limit":5}',
    ],
    ['null where null is a value', object({ q: { anyOf: [q, { type: 'null' }], default: null } }), '{}', '{"q":null}'],
    ['nested', object({ o: object({ a: { type: 'string', default: 1 }, b: limit }) }), '{"o":{}}', '{"o":{"b":5}}'],
    [
      'two that exclude each other',
      object({ a: { type: 'string', default: 'x' }, b: { type: 'string', default: 'y' }, limit }, { not: { required: ['a', 'b'] } }),
      '{}',
      '{"a":"x","limit":5}',
    ],
    [
      'one that excludes what is given, which needs a repair besides',
      object({ a: { type: 'integer' }, b: { type: 'string', default: 'y' }, limit }, { not: { required: ['a', 'b'] } }),
      '{"a":"1"}',
      '{"a":1,"limit":5}',
    ],
  ]
  for (const [what, schema, given, filled] of rows) {
    const fit = openFitSchema(schema)
    if (!fit.ok) throw new Error(fit.error.detail)
    t.match(fit.value('x', given), { ok: true, value: { json: filled } }, what)
  }
  const { fields } = typeOfSchema(object({ q, site: { type: 'string', default: null } })) as Extract<
    ReturnType<typeof typeOfSchema>,
    { kind: 'record' }
  >
  t.strictSame(
    fields.map((field) => field.default),
    [undefined, undefined],
    'nor is it one of the type that chains are checked by',
  )
})

t.test('a value against one part of a schema, plainly or by the validator', async (t) => {
  const fits = openFitsSchema({ $defs: { Id: { type: 'string', minLength: 2 } } })
  const rows: readonly (readonly [schema: Json, good: readonly Json[], bad: readonly Json[]])[] = [
    [{}, [null, 1, {}], []],
    [false, [], [null]],
    [{ type: 'integer' }, [1, 1.0], ['1', 1.5, null]],
    [{ type: ['string', 'null'], title: 'T', 'x-order': 1 }, ['', null], [1]],
    [{ enum: [{ a: 1 }, 2] }, [{ a: 1 }, 2], [{ a: 2 }]],
    [{ const: null }, [null], [0]],
    [{ type: 'number', exclusiveMinimum: 0, maximum: 3 }, [0.1, 3], [0, 4]],
    [{ type: 'string', maxLength: 1 }, ['🙂', ''], ['ab']],
    [{ type: 'array', minItems: 1, items: { type: 'boolean' } }, [[true]], [[], [1]]],
    [{ anyOf: [{ type: 'string' }, { type: 'array', items: { $ref: '#/$defs/Id' } }] }, ['a', ['ab']], [['a'], 1]],
    [{ oneOf: [{ type: 'string' }, { const: 'a' }] }, ['b'], ['a']],
    [{ $ref: '#/$defs/Id' }, ['ab'], ['a']],
    [{ $ref: '#/$defs/Nope' }, [], ['a', null]],
    [{ type: 'any' }, [], ['a']],
    [{ minimum: 'x' }, [], [1]],
    [{ type: 'object', required: ['a'] }, [{ a: 1 }], [{}]],
  ]
  for (const [schema, good, bad] of rows) {
    for (const value of good) t.ok(fits(value, schema), `${JSON.stringify(value)} fits ${JSON.stringify(schema)}`)
    for (const value of bad) t.notOk(fits(value, schema), `${JSON.stringify(value)} does not fit ${JSON.stringify(schema)}`)
  }
  for (let i = 0; i < 50; i++) fits('a', { not: { const: i } })
  t.notOk(fits('ab', { $ref: '#/$defs/Id' }), 'no more are compiled than a server may cause')
})
