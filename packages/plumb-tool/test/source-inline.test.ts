// Tools that run in the dispatcher itself: leaves of chains, functions of the host, and what is looked up among the built-ins.

import { resolve, type Type } from '@plumb/lang'
import t from 'tap'
import { typeOfSchema } from '../src/call/type-of-schema.js'
import { builtinProgram } from '../src/source/builtin/declarations.js'
import { type BuiltinRow, findBuiltin } from '../src/source/builtin/table.js'
import { adaptFunction } from '../src/source/function/host-function.js'
import { openCall, openSession } from './call-session.js'
import { after, makeSource } from './source-directory.js'

t.test('leaves', async (t) => {
  const { call } = makeSource(`
    type N = { n: number, m?: int = 7 }
    let same : json -> json = id
    let twice : json -> (json, json) = copy
    let gone : json -> unit = discard
    let half : N -> number = map(n / 2)
    let moved : N -> number = map(n)
    let both : N -> [number] = map([n, m])
    let chained : N -> string = half ; map(text(value) + "!")
    let inverse : number -> number = map(1 / value)
  `)
  const cases: [tool: string, input: string, text: string | undefined][] = [
    ['same', '{ "a" : 1.0 }', '{ "a" : 1.0 }'],
    ['twice', '12345678901234567890', '[12345678901234567890,12345678901234567890]'],
    ['gone', '"x"', 'null'],
    ['half', '{"n":5}', '2.5'],
    ['moved', '{"n":0.10000000000000000001}', '0.10000000000000000001'],
    ['both', '{"n":1}', '[1,7]'],
    ['chained', '{"n":5}', '"2.5!"'],
    ['inverse', '0', undefined],
    ['half', '{"n":"5"}', undefined],
  ]
  for (const [tool, input, text] of cases) t.equal((await call(tool, input)).text, text, `${tool} of ${input}`)
  t.match((await call('inverse', '0')).error, { error: 'evaluation_failed' })
  t.match((await call('half', '{"n":"5"}')).error, { error: 'input_type_mismatch' })
})

t.test('a leaf is done without a turn of the event loop', async (t) => {
  const { tool, session } = makeSource('let double : int -> int = map(value * 2)')
  const made = tool('double')
  if (!made.ok) throw new Error(made.error.detail)
  const call = openCall(session)
  let turns = 0
  setImmediate(() => turns++)
  for (let i = 0; i < 2000; i++) await made.value.run('21', call)
  t.equal(turns, 0)
})

t.test('built-ins by name', async (t) => {
  t.ok(builtinProgram().entry, 'the declarations compile')
  const load = async () => ({ run: async () => ({ ok: true, value: null }) as const })
  const builtins: BuiltinRow[] = [{ name: 'read_file', load }]
  for (const name of ['read_file', 'get_contents']) t.match(findBuiltin(name, builtins), { ok: true, value: { name: 'read_file' } })
  const cases: [name: string, detail: RegExp][] = [
    ['read_fiel', /no built-in tool is named 'read_fiel'; did you mean 'read_file'\?/],
    ['zzz', /'plumb-tool list' shows them/],
    ['fork', /'fork' is not part of this system/],
    ['odoc_search', /'odoc_search' is not part of this system/],
  ]
  for (const [name, detail] of cases) t.match(findBuiltin(name, builtins), { ok: false, error: { error: 'config_invalid', detail } })
  const { tool } = makeSource('let f : string -> string = tool { builtin: "fork" }')
  t.match(tool('f'), { ok: false, error: { category: 'config', detail: /not part of this system/ } })
})

t.test('functions of the host', async (t) => {
  const calculate = adaptFunction({
    name: 'calculate',
    description: 'Perform arithmetic',
    parameters: {
      a: { type: 'number', description: 'First operand' },
      b: { type: 'number', default: 2 },
      op: { type: 'string', enum: ['add', 'div'] },
    },
    fn: ({ a, b, op }) => (op === 'add' ? a + b : a / b),
  })
  t.strictSame(calculate.input, {
    kind: 'record',
    fields: [
      { name: 'a', type: { kind: 'number' }, isOptional: false, description: 'First operand' },
      { name: 'b', type: { kind: 'number' }, isOptional: true, default: '2' },
      {
        name: 'op',
        type: {
          kind: 'sum',
          variants: [
            { kind: 'literal', value: 'add' },
            { kind: 'literal', value: 'div' },
          ],
        },
        isOptional: false,
      },
    ],
  })
  const call = openCall(openSession())
  const give = (value: () => unknown, output?: Type) =>
    adaptFunction({ name: 'give', description: '', parameters: { type: 'object' }, fn: value, ...(output ? { output } : {}) }).run(
      '{}',
      call,
    )
  t.strictSame(await calculate.run('{"a":1,"b":2,"op":"add"}', call), { ok: true, value: '3' })
  t.match(await calculate.run('{"a":1,"b":0,"op":"div"}', call), {
    error: { error: 'output_type_mismatch', detail: /Infinity is not a JSON number/ },
  })
  t.match(await give(() => 10n), { error: { detail: /BigInt/ } })
  t.match(await give(() => undefined), { error: { error: 'output_type_mismatch', detail: /gave undefined/ } })
  t.strictSame(await give(() => undefined, { kind: 'unit' }), { ok: true, value: 'null' })
  t.match(await give(async () => Promise.reject(new Error('out of order'))), {
    error: { error: 'tool_crashed', detail: /threw: out of order/ },
  })
  t.match(
    await give(() => {
      throw 'a word'
    }),
    { error: { detail: /threw: a word/ } },
  )
  const endless = adaptFunction({ name: 'endless', description: '', parameters: {}, fn: () => new Promise(() => {}) })
  t.match(await endless.run('{}', openCall(openSession(), { signal: after(20) })), { error: { error: 'cancelled' } })
})

t.test('JSON Schema as a type', async (t) => {
  const json = { kind: 'json' }
  const cases: [schema: Parameters<typeof typeOfSchema>[0], type: unknown][] = [
    [{}, json],
    [{ type: 'object' }, json],
    [{ type: 'integer' }, { kind: 'int' }],
    [{ type: ['string', 'null'] }, { kind: 'sum', variants: [{ kind: 'string' }, { kind: 'unit' }] }],
    [{ enum: ['a'] }, { kind: 'literal', value: 'a' }],
    [{ enum: [1, 2], type: 'integer' }, { kind: 'int' }],
    [{ anyOf: [{ type: 'string' }, { const: 'a' }] }, { kind: 'string' }],
    [
      {
        anyOf: [
          { type: 'array', items: { type: 'string' } },
          { type: 'array', items: { type: 'integer' } },
        ],
      },
      json,
    ],
    [{ type: 'array' }, { kind: 'array', item: json }],
    [
      { type: 'object', additionalProperties: { type: 'integer' } },
      { kind: 'map', item: { kind: 'int' } },
    ],
    [
      { type: 'object', properties: {}, additionalProperties: {} },
      { kind: 'map', item: json },
    ],
    [{ type: 'object', patternProperties: { '^x': {} }, additionalProperties: { type: 'integer' } }, json],
    [{ $ref: 'http://example.com/x' }, json],
    [
      { type: 'object', properties: { n: { type: 'integer', minimum: 1, default: 3, description: 'd' } } },
      { kind: 'record', fields: [{ name: 'n', type: { kind: 'int' }, isOptional: true, default: '3', description: 'd', min: 1 }] },
    ],
  ]
  for (const [schema, type] of cases) t.match(typeOfSchema(schema), type, JSON.stringify(schema))
  const tree = { type: 'object', properties: { children: { type: 'array', items: { $ref: '#/$defs/Tree' } } }, required: ['children'] }
  const named = resolve(typeOfSchema({ $ref: '#/$defs/Tree', $defs: { Tree: tree } }))
  const [field] = named.kind === 'record' ? named.fields : []
  t.ok(field?.type.kind === 'array' && resolve(field.type.item) === named, 'recursive')
})
