// Schemas of tools that others wrote, in the form that each API takes: stand-ins refuse what the APIs refuse.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Json } from '@plumb/lang'
import { compileSchema } from '@plumb/wire'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { holds, runs } from '../../wire/test/property.js'
import type { ToolOffer } from '../src/provider/provider.js'
import { refusalOf, toolsIn } from './fixtures/provider/schema-rules.js'
import { anthropicText, openaiText, openClient, type Received, STREAM } from './fixtures/provider/stub.js'

type Schema = { readonly [keyword: string]: Json }
type Api = 'anthropic' | 'openai'

const APIS: readonly Api[] = ['anthropic', 'openai']

/** Refuses what the API refuses, and more: what `alsoRefuses` says. */
const openStrict = async (t: Test, api: Api, alsoRefuses: (body: Received['body']) => string | undefined = () => undefined) => {
  // biome-ignore lint/suspicious/noExplicitAny: bodies as they came
  const bodies: any[] = []
  const server = createServer((request, response) => {
    let text = ''
    request.setEncoding('utf8').on('data', (part: string) => {
      text += part
    })
    request.on('end', () => {
      const body = JSON.parse(text)
      bodies.push(body)
      const message = refusalOf(request.url ?? '', body) ?? alsoRefuses(body)
      if (message === undefined) return response.writeHead(200, STREAM).end(api === 'anthropic' ? anthropicText('x') : openaiText('x'))
      const error = { type: 'invalid_request_error', message, code: 'invalid_function_parameters' }
      return response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ type: 'error', error }))
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const client = openClient(t, api, `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  const offer = (schemas: Readonly<Record<string, Schema>>, strict?: true): readonly ToolOffer[] =>
    Object.entries(schemas).map(([name, input_schema]) => ({ name, description: 'd', input_schema, ...(strict ? { strict } : {}) }))
  const concessions = () => client.reported.flatMap((event) => (event.kind === 'concession' ? [`${event.what}: ${event.why}`] : []))
  return { bodies, client, offer, concessions }
}

const TEXT = { type: 'string' }
const GOOD: Schema = { type: 'object', properties: { q: TEXT }, required: ['q'] }

/** What servers offer, and what is told of it. */
const ODD: readonly (readonly [name: string, schema: Schema, told?: RegExp])[] = [
  ['nothing', {}],
  ['no_type', { properties: {} }],
  ['no_properties', { type: 'object' }],
  ['nullable', { type: ['object', 'null'], properties: { q: TEXT } }],
  [
    'one_of_two',
    { type: 'object', properties: { content: TEXT, url: TEXT }, anyOf: [{ required: ['content'] }, { required: ['url'] }] },
    /'anyOf' at the top/,
  ],
  ['variants', { oneOf: [GOOD, { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] }] }, /'oneOf' at the top/],
  ['all_of', { type: 'object', allOf: [GOOD, { properties: { n: { type: 'integer' } } }] }, /'allOf' at the top/],
  ['not', { ...GOOD, not: { required: ['x'] } }, /'not' at the top/],
  ['referred', { $ref: '#/$defs/Args', $defs: { Args: GOOD } }],
  ['referred_in_variants', { anyOf: [{ $ref: '#/$defs/A' }, { $ref: '#/$defs/A' }], $defs: { A: GOOD } }, /'anyOf' at the top/],
  ['refers_into_variants', { anyOf: [{ properties: { a: TEXT } }], properties: { b: { $ref: '#/anyOf/0/properties/a' } } }, /#\/anyOf\/0/],
  ['recursive', { type: 'object', properties: { kids: { type: 'array', items: { $ref: '#' } } } }],
  ['circle', { $ref: '#/$defs/A', $defs: { A: { $ref: '#/$defs/A' } } }],
  [
    'draft_7',
    {
      $schema: 'http://json-schema.org/draft-07/schema#',
      definitions: { A: TEXT },
      type: 'object',
      properties: { a: { $ref: '#/definitions/A' } },
    },
  ],
  ['tuple', { type: 'object', properties: { pair: { type: 'array', items: [TEXT, { type: 'integer' }], additionalItems: false } } }],
  ['list_of_anything', { type: 'object', properties: { list: { type: 'array' }, map: { type: 'object' }, any: true } }],
  [
    'odata',
    { type: 'object', properties: { $filter: TEXT, 'a b': TEXT, ok: TEXT }, required: ['$filter', 'ok'], additionalProperties: false },
  ],
  [
    'odd_values',
    { type: 'object', properties: { a: { type: 'string', format: 5, title: 7, minLength: -1, pattern: '(?P<x>a)' }, b: { enum: [] } } },
  ],
  ['python', { type: 'object', properties: { a: { type: 'string', pattern: '^\\Z' } } }],
  ['doubled', { type: 'object', properties: { a: TEXT }, required: ['a', 'a'] }],
  ['deep', { type: 'object', properties: { o: { oneOf: [GOOD, { type: 'array' }] } } }],
]

t.test('a tool of an odd schema costs no question, and is told once', async (t) => {
  for (const api of APIS) {
    const { bodies, client, offer, concessions } = await openStrict(t, api)
    const tools = offer(Object.fromEntries([['good', GOOD], ...ODD.map(([name, schema]) => [name, schema])]))
    for (let i = 0; i < 2; i++) t.match(await client.ask({ tools }), { ok: true }, api)
    t.equal(bodies.length, 2, 'nothing was sent twice')
    t.equal(toolsIn(bodies[0]).length, tools.length, 'each is offered')
    const told = concessions()
    for (const [name, schema, words] of ODD) {
      const of = told.filter((one) => one.includes(`'${name}'`))
      if (words) t.match(of, [words], `${name} is told`)
      const sent = toolsIn(bodies[0]).find((tool) => tool.name === name)?.schema
      t.ok(looser(schema, sent as Schema, SAMPLES), `${name} takes all that it took`)
    }
    t.notOk(told.some((one) => one.includes("'good'")))
    t.match(toolsIn(bodies[0])[0], { name: 'good', schema: GOOD }, 'what is fine is sent as it is')
    t.equal(new Set(told).size, told.length, 'once')
  }
  const { bodies, client, offer } = await openStrict(t, 'anthropic')
  await client.ask({ tools: offer(Object.fromEntries(ODD.map(([name, schema]) => [name, schema]))) })
  const schemaOf = (name: string) => toolsIn(bodies[0]).find((tool) => tool.name === name)?.schema
  t.match(schemaOf('one_of_two'), {
    properties: { content: TEXT, url: TEXT },
    description: /"required":\["content"\].*"required":\["url"\]/,
  })
  t.match(schemaOf('variants'), { properties: { q: TEXT, n: { type: 'integer' } } })
  t.notOk((schemaOf('variants') as Schema).required, 'what one alternative needs is not needed')
  t.match(schemaOf('all_of'), { properties: { q: TEXT, n: { type: 'integer' } }, required: ['q'] })
  t.match(schemaOf('odata'), { properties: { ok: TEXT }, required: ['ok'], description: /"\$filter"/ })
})

const SAMPLES: readonly Json[] = [
  {},
  { q: 'a' },
  { n: 1 },
  { content: 'a' },
  { url: 'a', more: [] },
  { kids: [{ kids: [] }] },
  { pair: ['a', 1] },
  { list: [1], map: { a: 1 }, any: null },
  { $filter: 'a', 'a b': 'b', ok: 'c' },
  { a: 'x', b: 1 },
  { o: { q: 'a' } },
  { o: [] },
]

/** What the one takes the other takes too. */
const looser = (schema: Schema, sent: Schema, samples: readonly Json[]): boolean => {
  const [before, after] = [compileSchema(schema), compileSchema(sent)]
  if (!after.ok) return false
  return !before.ok || samples.every((value) => before.value(value).length > 0 || after.value(value).length === 0)
}

t.test('strict where nothing is refused by it, and else told', async (t) => {
  const closed = (properties: Json, required: readonly string[], more = {}): Schema => ({
    type: 'object',
    properties,
    required: [...required],
    additionalProperties: false,
    ...more,
  })
  const nested = closed({ o: closed({ a: TEXT }, ['a']), list: { type: 'array', items: closed({ n: { type: 'integer' } }, ['n']) } }, [
    'o',
    'list',
  ])
  const rows: readonly (readonly [what: string, schema: Schema, strict: readonly Api[], sent?: Schema])[] = [
    ['it is strict already', closed({ q: TEXT }, ['q']), APIS, closed({ q: TEXT }, ['q'])],
    ['nested', nested, APIS],
    ['no parameters', closed({}, []), APIS],
    ['it takes further properties', { type: 'object', properties: { q: TEXT }, required: ['q'] }, []],
    ['a map within', closed({ m: { type: 'object', additionalProperties: TEXT } }, ['m']), []],
    ['one may be absent', closed({ q: TEXT, n: { type: 'integer' } }, ['q']), APIS],
    ['what may be absent may be null too', closed({ q: { type: ['string', 'null'] } }, []), ['anthropic']],
    ['a pattern goes to the description', closed({ q: { type: 'string', pattern: '^a', title: 'Q', default: 'a' } }, ['q']), APIS],
    ['a reference', closed({ q: { $ref: '#/$defs/Q' } }, ['q'], { $defs: { Q: closed({ a: TEXT }, ['a']) } }), APIS],
    ['recursive', closed({ q: { $ref: '#/$defs/Q' } }, ['q'], { $defs: { Q: closed({ a: { $ref: '#/$defs/Q' } }, ['a']) } }), ['openai']],
    ['names by a pattern', closed({}, [], { patternProperties: { '^x': TEXT } }), []],
    ['one that is needed and not described', closed({}, ['x']), []],
  ]
  for (const api of APIS) {
    for (const [what, schema, strict, sent] of rows) {
      const { bodies, client, offer, concessions } = await openStrict(t, api)
      t.match(await client.ask({ tools: offer({ tool: schema }, true) }), { ok: true }, what)
      const [tool] = toolsIn(bodies[0])
      t.equal(tool?.strict, strict.includes(api), `${api}: ${what}`)
      if (sent) t.match(tool?.schema, sent)
      t.match(concessions(), strict.includes(api) ? [] : [/^'strict' of tool 'tool'/])
    }
  }
  const { bodies, client, offer, concessions } = await openStrict(t, 'anthropic')
  const many = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`t${i}`, closed({ a: TEXT, b: TEXT }, ['a'])]))
  t.match(await client.ask({ tools: offer(many, true) }), { ok: true })
  t.equal(toolsIn(bodies[0]).filter(({ strict }) => strict).length, 20, 'no more than the API takes')
  t.equal(concessions().length, 10)
})

t.test('what is refused all the same is sent with less, and then left out alone', async (t) => {
  for (const api of APIS) {
    const ofTool = (name: string, ok: (schema: Schema) => boolean) => (body: Received['body']) => {
      const at = toolsIn(body).findIndex((tool) => tool.name === name)
      const isFine = at < 0 || ok(toolsIn(body)[at]?.schema as Schema)
      if (isFine) return undefined
      return api === 'anthropic'
        ? `tools.${at}.custom.input_schema: for a reason of its own`
        : `Invalid schema for function '${name}': why not`
    }
    const reduced = await openStrict(
      t,
      api,
      ofTool('s__odd', ({ properties }) => Object.keys(properties as Schema).length === 0),
    )
    const tools = reduced.offer({ 's:good': GOOD, 's:odd': { type: 'object', properties: { secret: TEXT } } })
    t.match(await reduced.client.ask({ tools }), { ok: true }, api)
    t.match(await reduced.client.ask({ tools }), { ok: true }, api)
    t.equal(reduced.bodies.length, 3, 'it is remembered')
    t.match(toolsIn(reduced.bodies.at(-1)), [{ name: 's__good' }, { name: 's__odd', schema: { properties: {}, description: /secret/ } }])
    t.match(reduced.concessions(), [/^the schema of tool 's:odd': .*(?:input_schema|Invalid schema)/])

    const never = await openStrict(
      t,
      api,
      ofTool('s__odd', () => false),
    )
    t.match(await never.client.ask({ tools, output: { kind: 'record', fields: [] } }), { ok: true }, api)
    t.strictSame(
      toolsIn(never.bodies.at(-1)).map(({ name }) => name),
      ['s__good'],
      'the others stay',
    )
    t.match(never.concessions(), [/^the schema of tool 's:odd'/, /^tool 's:odd'/], 'and so does structured output')
    t.notMatch(never.concessions(), [/structured output/])
  }
})

const NAMES = ['a', 'b', '$c', 'd e']

const arbitrarySchema = fc.letrec<{ schema: Json; object: Schema; leaf: Json; top: Schema }>((tie) => ({
  leaf: fc.oneof(
    fc.constantFrom<Json>({}, true, TEXT, { type: 'integer', minimum: 0 }, { enum: ['x', 'y', null] }, { const: 1 }, { $ref: '#/$defs/D' }),
    fc.constantFrom<Json>(
      { type: 'array' },
      { type: ['string', 'null'], default: 3 },
      { type: 'object' },
      { type: 'number', nullable: true },
    ),
    fc.constantFrom<Json>(
      { type: 'string', pattern: '^(?=x)' },
      { type: 'array', items: [TEXT] },
      { $ref: '#' },
      { type: 'string', format: 1 },
    ),
  ),
  object: fc
    .record(
      {
        type: fc.constantFrom<Json>('object', ['object', 'null']),
        properties: fc.dictionary(fc.constantFrom(...NAMES), tie('schema'), { maxKeys: 3 }),
        required: fc.uniqueArray(fc.constantFrom(...NAMES), { maxLength: 2 }),
        additionalProperties: fc.constantFrom<Json>(true, false, TEXT),
      },
      { requiredKeys: ['properties'] },
    )
    .map((schema) => schema as Schema),
  schema: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    tie('leaf'),
    tie('object'),
    fc.record({ type: fc.constant('array'), items: tie('schema') }) as fc.Arbitrary<Json>,
    fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }) as fc.Arbitrary<Json>,
    fc.record({ allOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }), description: fc.string() }) as fc.Arbitrary<Json>,
  ),
  top: fc
    .tuple(
      tie('object'),
      fc.record(
        {
          anyOf: fc.array(tie('object'), { minLength: 1, maxLength: 3 }),
          oneOf: fc.array(tie('object'), { minLength: 1, maxLength: 3 }),
          allOf: fc.array(fc.oneof(tie('object'), fc.constant({ $ref: '#/$defs/D' })), { minLength: 1, maxLength: 2 }),
          not: fc.constant({ required: ['zz'] }),
          $schema: fc.constant('http://json-schema.org/draft-07/schema#'),
        },
        { requiredKeys: [] },
      ),
      tie('object'),
    )
    .map(([object, more, definition]) => ({ ...object, ...more, $defs: { D: definition } }) as Schema),
}))

t.test('random schemas are taken by each API, and take what they took', async (t) => {
  for (const api of APIS) {
    for (const strict of [undefined, true] as const) {
      const { bodies, client, offer } = await openStrict(t, api)
      const property = fc.asyncProperty(
        fc.array(arbitrarySchema.top, { minLength: 1, maxLength: 4 }),
        fc.array(fc.dictionary(fc.constantFrom(...NAMES), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 }), { maxLength: 20 }),
        async (schemas, values) => {
          const before = bodies.length
          const answered = await client.ask({ tools: offer(Object.fromEntries(schemas.map((schema, i) => [`t${i}`, schema])), strict) })
          if (!answered.ok) throw new Error(answered.error.detail)
          if (bodies.length !== before + 1) throw new Error('it was refused first')
          for (const [i, tool] of toolsIn(bodies.at(-1)).entries()) {
            // A strict one wants null for what is absent; of alternatives a model is shown what each of them has.
            const { anyOf, oneOf } = schemas[i] as Schema
            if (!tool.strict && !anyOf && !oneOf && !looser(schemas[i] as Schema, tool.schema, values as Json[]))
              throw new Error('it takes less')
          }
        },
      )
      await holds(t, property, { numRuns: runs(40) })
    }
  }
})
