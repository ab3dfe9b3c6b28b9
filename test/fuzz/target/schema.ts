// JSON Schemas of others: a schema, and values that are checked by it, one a line. Whatever they are, a check ends soon and throws nothing.

import { compileSchema, isCode, parseJson } from '../../../packages/wire/src/index.js'
import { must, type Target } from '../target.js'

const lines = (...values: readonly unknown[]): string => values.map((value) => JSON.stringify(value)).join('\n')
const OBJECT = { a: 1, b: 'x', c: [1, 'x', { d: null }], e: { f: [true] } }

export const schema: Target = {
  name: 'schema',
  seeds: [
    lines(
      {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        properties: {
          a: { type: 'integer', minimum: 0, multipleOf: 0.5 },
          b: { type: 'string', pattern: '^(x|y)*$', maxLength: 9, format: 'email' },
        },
        required: ['a'],
        additionalProperties: { $ref: '#/$defs/any' },
        $defs: {
          any: { anyOf: [{ type: 'array', prefixItems: [{ const: 1 }], uniqueItems: true }, { $ref: '#/$defs/any2' }, true] },
          any2: { $ref: '#/$defs/any' },
        },
      },
      OBJECT,
      {},
      [1],
    ),
    lines(
      {
        $schema: 'http://json-schema.org/draft-07/schema#',
        items: [{ type: 'number' }, { enum: ['x', null] }],
        additionalItems: false,
        definitions: { a: { $id: '#a' } },
      },
      [1, 'x'],
      [1, 2, 3],
    ),
    '{"allOf":[{"if":{"required":["a"]},"then":{"properties":{"a":{"const":1}}},"else":false}],"oneOf":[{"minProperties":1},{"not":{}}],' +
      `"dependentSchemas":{"a":{"$dynamicRef":"#x"}},"$dynamicAnchor":"x"}\n${JSON.stringify(OBJECT)}`,
    lines(
      {
        type: ['object', 'null'],
        patternProperties: { '^[a-z]$': true, '(?<=x)y': false },
        propertyNames: { maxLength: 5 },
        unevaluatedProperties: false,
        contains: { type: 'string' },
        minContains: 0,
      },
      OBJECT,
      null,
      5,
    ),
    lines(
      {
        properties: { __proto__: { type: 'string' }, constructor: { type: 'number' }, toString: { default: {} } },
        required: ['__proto__', 'constructor'],
      },
      { constructor: 1 },
      JSON.parse('{"__proto__":1}'),
    ),
  ],
  words: [
    ...[
      '"$ref":"#"',
      '"$ref":"#/$defs/any"',
      '"$ref":"http://127.0.0.1:1/s"',
      '"$id":"x"',
      '"$anchor":"a"',
      '"$data"',
      '{"$data":"1/a"}',
      '"$async":true',
      '"$recursiveRef":"#"',
    ],
    ...[
      '"type":',
      '"object"',
      '"array"',
      '"string"',
      '"null"',
      '"properties":{',
      '"items":',
      '"prefixItems":[',
      '"allOf":[',
      '"anyOf":[',
      '"oneOf":[',
      '"not":',
      '"if":',
      '"const":',
    ],
    ...[
      '"enum":[',
      '"pattern":"(a|a)*$"',
      '"pattern":"(?=x)\\\\1["',
      '"pattern":"',
      '"multipleOf":0',
      '"minLength":-1',
      '"maxLength":1e99',
      '"required":["a"]',
      '"uniqueItems":true',
    ],
    ...[
      '"additionalProperties":false',
      '"unevaluatedItems":false',
      '"dependencies":{"a":["b"]}',
      '"format":"date"',
      '"default":1',
      '"__proto__":',
      'true',
      'false',
      '{}',
      '[]',
      '\n',
      ',',
      ':',
    ],
  ],
  cases: 250,
  maxBytes: 6000,
  judge: (input) => {
    const [schemaText = '', ...values] = input.toString('utf8').split('\n')
    const read = (text: string): unknown => {
      const bytes = Buffer.from(text)
      const parsed = parseJson(bytes, 0, bytes.length)
      return parsed.ok ? parsed.value : undefined
    }
    const compiled = compileSchema(read(schemaText))
    if (!compiled.ok) return must(isCode(compiled.error.error) && compiled.error.detail.length < 1000, 'a refusal says too much')
    for (const value of [...values.map(read), OBJECT, null, 'a'.repeat(5000), [[], [[]]]]) {
      const flaws = compiled.value(value)
      must(Array.isArray(flaws) && flaws.length <= 10, `${flaws.length} flaws`)
      for (const { path, detail } of flaws)
        must(typeof path === 'string' && typeof detail === 'string' && detail.length <= 200, 'a flaw says too much')
      must(JSON.stringify(compiled.value(value)) === JSON.stringify(flaws), 'the same value is judged in two ways')
    }
    must(
      ({} as { polluted?: unknown }).polluted === undefined && Object.keys(Object.prototype).length === 0,
      'the prototype of objects has changed',
    )
  },
}
