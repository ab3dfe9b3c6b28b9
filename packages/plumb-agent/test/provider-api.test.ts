// What the two APIs are asked, word for word, and what is read from what they send, however it is cut.

import type { Field, Type } from '@plumb/lang'
import t, { type Test } from 'tap'
import { ANTHROPIC } from '../src/provider/anthropic/protocol.js'
import { mergePatch } from '../src/provider/chat.js'
import { CHAT_COMPLETIONS } from '../src/provider/openai/chat/protocol.js'
import { type Dialect, formatOf, systemText } from '../src/provider/output-schema.js'
import type { ChatMessage, ModelRequest } from '../src/provider/provider.js'
import { wireNames } from '../src/provider/wire-names.js'
import { anthropicText, CANARY, data, json, named, openaiText, openClient, openStub, STREAM } from './fixtures/provider/stub.js'

type Api = 'anthropic' | 'openai'

const field = (name: string, type: Type, more: Partial<Field> = {}): Field => ({ name, type, isOptional: false, ...more })
const record = (...fields: Field[]): Type => ({ kind: 'record', fields })
const STRING: Type = { kind: 'string' }
const INT: Type = { kind: 'int' }
const PERSON = record(field('name', STRING, { max: 20 }), field('age', INT, { min: 0 }))

/** The bodies that were sent for one question each. */
const bodiesOf = async (
  t: Test,
  name: Api,
  questions: readonly Partial<ModelRequest>[],
  config: Readonly<Record<string, unknown>> = {},
) => {
  const { url, received } = await openStub(t, [{ headers: STREAM, chunks: [name === 'anthropic' ? anthropicText('x') : openaiText('x')] }])
  const { ask } = openClient(t, name, url, config)
  for (const question of questions) t.match(await ask(question), { ok: true })
  return received
}

const PIXEL = { type: 'image', media_type: 'image/png', data: 'iVBORw0KGgo=' }
const HISTORY: readonly ChatMessage[] = [
  { role: 'user', content: 'first' },
  {
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 'hm', signature: 'sig' },
      { type: 'redacted_thinking', data: 'zzz' },
      { type: 'text', text: 'I look.' },
      { type: 'tool_use', id: 'toolu_1', name: 'Mod.look', input: { at: 1 } },
      { type: 'tool_use', id: 'toolu_2', name: 'fs:read', input: {} },
    ],
  },
  {
    role: 'user',
    content: [
      { type: 'tool_result', tool_use_id: 'toolu_1', content: '"seen"', is_error: false },
      { type: 'tool_result', tool_use_id: 'toolu_2', content: [{ type: 'text', text: 'a picture' }, PIXEL], is_error: true },
    ],
  },
  { role: 'assistant', content: 'done' },
]
const TOOLS = [
  { name: 'fs:read', description: 'Reads.', input_schema: { type: 'object', properties: {} } },
  { name: 'Mod.look', description: '', input_schema: { type: 'object', properties: { at: { type: 'integer' } }, required: ['at'] } },
]
const MARK = { type: 'ephemeral' }

t.test('Anthropic: the whole request', async (t) => {
  const [plain, full, alone, ended] = await bodiesOf(
    t,
    'anthropic',
    [
      {},
      { history: HISTORY, tools: TOOLS, parallelToolCalls: false, temperature: 0.5 },
      { system: '', tools: TOOLS, context: 'It is noon.' },
      { history: HISTORY },
    ],
    { max_tokens: 321, request: { metadata: { user_id: 'u' }, service_tier: 'auto' } },
  )
  t.equal(plain?.path, '/v1/messages')
  t.match(plain?.headers, { 'x-api-key': CANARY, 'anthropic-version': '2026-10-21', 'content-type': 'application/json' })
  t.strictSame(plain?.body, {
    model: 'stub-1',
    max_tokens: 321,
    stream: true,
    messages: [{ role: 'user', content: [{ type: 'text', text: 'hello' }] }],
    system: [{ type: 'text', text: 'Be brief.', cache_control: MARK }],
    metadata: { user_id: 'u' },
    service_tier: 'auto',
  })
  // The version of 2026 takes no temperature.
  t.match(full?.headers, { 'anthropic-version': '2023-06-01' })
  t.equal(full?.body.temperature, 0.5)
  t.strictSame(full?.body.tool_choice, { type: 'auto', disable_parallel_tool_use: true })
  t.strictSame(full?.body.tools, [
    { name: 'fs__read', description: 'Reads.', input_schema: TOOLS[0]?.input_schema },
    { name: 'Mod__look', input_schema: TOOLS[1]?.input_schema },
  ])
  // Messages with calls are refused where no tools are defined.
  t.strictSame(ended?.body.tools, [
    { name: 'Mod__look', input_schema: { type: 'object' } },
    { name: 'fs__read', input_schema: { type: 'object' } },
  ])
  t.strictSame(ended?.body.tool_choice, { type: 'none' })
  t.strictSame(full?.body.messages, [
    { role: 'user', content: [{ type: 'text', text: 'first' }] },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'hm', signature: 'sig' },
        { type: 'redacted_thinking', data: 'zzz' },
        { type: 'text', text: 'I look.' },
        { type: 'tool_use', id: 'toolu_1', name: 'Mod__look', input: { at: 1 } },
        { type: 'tool_use', id: 'toolu_2', name: 'fs__read', input: {} },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'toolu_1', content: [{ type: 'text', text: '"seen"' }] },
        {
          type: 'tool_result',
          tool_use_id: 'toolu_2',
          content: [
            { type: 'text', text: 'a picture' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL.data } },
          ],
          is_error: true,
        },
      ],
    },
    { role: 'assistant', content: [{ type: 'text', text: 'done', cache_control: MARK }] },
    { role: 'user', content: [{ type: 'text', text: 'hello', cache_control: MARK }] },
  ])
  t.ok(JSON.stringify(full?.body).split('"cache_control"').length - 1 <= 4, 'no more marks than the API takes')
  // Nothing stable in front: the tools bear the mark. What changes stands behind the last mark.
  t.equal(alone?.body.system, undefined)
  t.strictSame(alone?.body.tools[1].cache_control, MARK)
  t.strictSame(alone?.body.messages, [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'hello', cache_control: MARK },
        { type: 'text', text: 'It is noon.' },
      ],
    },
  ])
})

t.test('Anthropic: thinking, as each model takes it', async (t) => {
  const budget = { type: 'enabled', budget_tokens: 2000 }
  const adaptive = { type: 'adaptive', display: 'summarized' }
  const bound = { type: 'adaptive', block_binding: { prefix_mismatch_behavior: 'drop_block' }, display: 'summarized' }
  const models: Readonly<Record<string, object>> = {
    'stub-1': budget,
    'claude-3-7-sonnet-20250219': budget,
    'claude-sonnet-4-20250514': budget,
    'claude-haiku-4-5-20251001': budget,
    'claude-opus-4-6': adaptive,
    'claude-sonnet-5': adaptive,
    'claude-mythos-preview': adaptive,
    'anthropic/claude-opus-4.8': adaptive,
    'claude-opus-5-5': bound,
    'claude-fable-5-1': bound,
  }
  const received = await bodiesOf(
    t,
    'anthropic',
    Object.keys(models).map((model) => ({ model })),
    { thinking_budget: 2000 },
  )
  for (const [i, [model, thinking]] of Object.entries(models).entries()) {
    t.strictSame(received[i]?.body.thinking, thinking, model)
    t.equal(received[i]?.headers['anthropic-beta'], thinking === bound ? 'thinking-binding-controls-2026-08-01' : undefined, model)
  }
  const [unasked] = await bodiesOf(t, 'anthropic', [{ model: 'claude-opus-5-5' }])
  t.strictSame(unasked?.body.thinking, { type: 'adaptive', block_binding: { prefix_mismatch_behavior: 'drop_block' } })
})

t.test('OpenAI: the whole request', async (t) => {
  const received = await bodiesOf(
    t,
    'openai',
    [{}, { history: HISTORY, tools: TOOLS, parallelToolCalls: false, temperature: 0.5, context: 'It is noon.' }],
    { thinking_budget: 1000, request: { reasoning_effort: 'high', stream_options: null } },
  )
  const [plain, full] = received
  t.equal(plain?.path, '/v1/chat/completions')
  t.strictSame(plain?.body, {
    model: 'stub-1',
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'hello' },
    ],
    stream: true,
    max_completion_tokens: 8192,
    reasoning_effort: 'high',
  })
  t.equal(full?.body.parallel_tool_calls, false)
  t.equal(full?.body.temperature, 0.5)
  t.strictSame(full?.body.tools[0], {
    type: 'function',
    function: { name: 'fs__read', description: 'Reads.', parameters: TOOLS[0]?.input_schema },
  })
  t.strictSame(full?.body.messages, [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'first' },
    {
      role: 'assistant',
      content: 'I look.',
      tool_calls: [
        { id: 'toolu_1', type: 'function', function: { name: 'Mod__look', arguments: '{"at":1}' } },
        { id: 'toolu_2', type: 'function', function: { name: 'fs__read', arguments: '{}' } },
      ],
    },
    { role: 'tool', tool_call_id: 'toolu_1', content: '"seen"' },
    { role: 'tool', tool_call_id: 'toolu_2', content: 'a picture' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Images of the tool result toolu_2:' },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL.data}` } },
      ],
    },
    { role: 'assistant', content: 'done' },
    { role: 'user', content: 'hello' },
    { role: 'system', content: 'It is noon.' },
  ])
  t.notMatch(JSON.stringify(received.map(({ body }) => body)), /thinking|hm|zzz/, 'thinking is not sent')
})

t.test('any memory can be shown', async (t) => {
  const history: ChatMessage[] = [
    { role: 'system', content: 'once' },
    { role: 'user', content: { a: [1, null] } },
    { role: 'assistant', content: [{ type: 'strange' }] },
    { role: 'user', content: [{ type: 'tool_use', id: 'x', name: 'y', input: {} }] },
    { role: 'user', content: '' },
    { role: 'assistant', content: '' },
    { role: 'assistant', content: [{ type: 'server_tool_use', id: 's', name: 'web_search', input: {} }] },
  ]
  const [anthropic] = await bodiesOf(t, 'anthropic', [{ history }])
  const shown = anthropic?.body.messages.map(({ role, content }: { role: string; content: { text: string }[] }) => [role, content[0]?.text])
  t.strictSame(shown, [
    ['user', 'once'],
    ['user', '{"a":[1,null]}'],
    ['assistant', '[{"type":"strange"}]'],
    ['user', '[{"type":"tool_use","id":"x","name":"y","input":{}}]'],
    ['user', '""'],
    ['assistant', undefined],
    ['user', 'hello'],
  ])
  t.strictSame(anthropic?.body.messages[5].content, history[6]?.content, "the API's own blocks go back as they came")
  const [openai] = await bodiesOf(t, 'openai', [{ history }])
  // Turns alternate, and none is without content.
  t.strictSame(
    openai?.body.messages.map(({ role }: { role: string }) => role),
    ['system', 'user', 'assistant', 'user'],
  )
})

t.test('structured output, for every type but text', async (t) => {
  const list: Type = { kind: 'named', name: 'List', target: STRING }
  Object.assign(list, { target: record(field('next', list, { isOptional: true }), field('n', INT)) })
  const literals: Type = {
    kind: 'sum',
    variants: [
      { kind: 'literal', value: 'a' },
      { kind: 'literal', value: 'b' },
    ],
  }
  const pair: Type = { kind: 'tuple', items: [INT, STRING] }
  // Whether Anthropic's takes it, and whether OpenAI's enforces it; `wrapped`: it travels as { value: T }.
  const types: Readonly<Record<string, readonly [type: Type, anthropic: boolean, openai: boolean | undefined, wrapped?: true]>> = {
    string: [STRING, false, undefined],
    int: [INT, true, true, true],
    list: [{ kind: 'array', item: STRING }, true, true, true],
    person: [PERSON, true, true],
    optional: [record(field('a', literals, { isOptional: true })), true, false],
    recursive: [list, false, false],
    tuple: [pair, false, false, true],
    map: [{ kind: 'map', item: INT }, false, false, true],
    json: [{ kind: 'json' }, false, false, true],
    enum: [literals, true, true, true],
    sum: [{ kind: 'sum', variants: [PERSON, record(field('x', INT))] }, true, true, true],
  }
  const questions = Object.values(types).map(([output]) => ({ output }))
  const anthropic = await bodiesOf(t, 'anthropic', questions)
  const openai = await bodiesOf(t, 'openai', questions)
  for (const [i, [name, [, isThere, isStrict, isWrapped]]] of Object.entries(types).entries()) {
    const format = anthropic[i]?.body.output_config?.format
    const other = openai[i]?.body.response_format?.json_schema
    t.equal(format !== undefined, isThere, `anthropic: ${name}`)
    t.equal(other?.strict, isStrict, `openai: ${name}`)
    for (const schema of [format?.schema, other?.schema]) {
      if (schema && isWrapped) t.strictSame(Object.keys(schema.properties), ['value'], `${name} is wrapped`)
    }
    const isReported = name !== 'string' && !isThere
    t.equal(/JSON Schema/.test(JSON.stringify(anthropic[i]?.body.system)), isReported, `anthropic: ${name}: in the prompt`)
    t.equal(/JSON Schema/.test(openai[i]?.body.messages[0].content), false, `openai: ${name}: a server may enforce it`)
  }
  t.strictSame(anthropic[3]?.body.output_config.format, {
    type: 'json_schema',
    schema: {
      type: 'object',
      additionalProperties: false,
      properties: { name: { type: 'string', description: 'maxLength: 20' }, age: { type: 'integer', description: 'minimum: 0' } },
      required: ['name', 'age'],
    },
  })
  t.strictSame(openai[3]?.body.response_format.json_schema.schema.properties.age, { type: 'integer', minimum: 0 })
  t.strictSame(openai[6]?.body.response_format.json_schema.schema.properties.value, {
    type: 'array',
    prefixItems: [{ type: 'integer' }, { type: 'string' }],
    minItems: 2,
    maxItems: 2,
  })
})

t.test('the schema stands in the prompt where the server does not enforce it', async (t) => {
  const { log, emit } = { log: () => {}, emit: () => {} }
  const question = { system: 'Be brief.', schemaInPrompt: 'auto', hasMismatch: false, log, emit } as Partial<ModelRequest> as ModelRequest
  const pair: Type = { kind: 'tuple', items: [INT, INT] }
  const reported = (output: Type, dialect: Dialect, isOwnHost: boolean, change: Partial<ModelRequest> = {}) =>
    /JSON Schema/.test(systemText({ ...question, output, ...change }, formatOf(output, dialect), isOwnHost))
  t.equal(reported(INT, CHAT_COMPLETIONS.dialect, true), false, 'its own host enforces what is strict')
  t.equal(reported(pair, CHAT_COMPLETIONS.dialect, true), true, 'and nothing else')
  t.equal(reported(pair, CHAT_COMPLETIONS.dialect, false), false, 'another server may')
  t.equal(reported(INT, CHAT_COMPLETIONS.dialect, false, { hasMismatch: true }), true, 'until an answer shows that it does not')
  t.equal(reported(INT, CHAT_COMPLETIONS.dialect, true, { hasMismatch: true }), false)
  t.equal(reported(pair, ANTHROPIC.dialect, true), true, 'there is no schema for it')
  t.equal(reported(INT, CHAT_COMPLETIONS.dialect, true, { schemaInPrompt: true }), true)
  t.equal(reported(pair, ANTHROPIC.dialect, true, { schemaInPrompt: false }), false)
  t.equal(reported(STRING, CHAT_COMPLETIONS.dialect, false, { schemaInPrompt: true }), false, 'text has none')
  const wrapped = systemText({ ...question, output: INT, schemaInPrompt: true }, formatOf(INT, CHAT_COMPLETIONS.dialect), true)
  t.match(wrapped, '"properties":{"value":{"type":"integer"}}', 'it is the schema that is sent')
  const bare = systemText({ ...question, output: INT }, undefined, true)
  t.match(bare, '{"type":"integer"}', 'and where none is sent, that of the type')

  const refusal = json({ error: { message: 'response_format is not supported' } }, 400)
  const { url, received } = await openStub(t, [refusal, { headers: STREAM, chunks: [openaiText('7')] }])
  t.match(await openClient(t, 'openai', url).ask({ output: INT }), { ok: true, value: { isWrapped: undefined } })
  t.match(
    received[1]?.body.messages[0].content,
    /JSON Schema.*\{"type":"integer"\}$/s,
    'a server that refuses the field does not enforce it',
  )
})

t.test('what a model or server refuses is left out, once, and from then on', async (t) => {
  const error = (message: string) => json({ error: { type: 'invalid_request_error', message } }, 400)
  const cases: readonly (readonly [
    name: Api,
    message: string,
    change: Partial<ModelRequest>,
    config: object,
    gone: string | undefined,
    instead?: object,
  ])[] = [
    ['anthropic', 'output_config.format: Schema is too complex', { output: PERSON }, {}, 'output_config'],
    [
      'anthropic',
      '"thinking.type.enabled" is not supported for this model',
      {},
      { thinking_budget: 2000 },
      'enabled',
      { thinking: { type: 'adaptive' } },
    ],
    ['openai', "'response_format' of type 'json_schema' is not supported", { output: PERSON }, {}, 'response_format'],
    ['openai', 'Unsupported parameter: temperature', { temperature: 0.5 }, {}, 'temperature'],
    ['openai', 'parallel_tool_calls is not known', { tools: TOOLS, parallelToolCalls: false }, {}, 'parallel_tool_calls'],
    ['anthropic', 'tool_choice: Extra inputs are not permitted', { tools: TOOLS, parallelToolCalls: false }, {}, 'tool_choice'],
    ['openai', 'Unknown field: max_completion_tokens', {}, {}, 'max_completion_tokens', { max_tokens: 8192 }],
    ['openai', 'stream_options is not known', {}, {}, 'stream_options'],
  ]
  for (const [name, message, change, config, gone, instead = {}] of cases) {
    const good = { headers: STREAM, chunks: [name === 'anthropic' ? anthropicText('x') : openaiText('x')] }
    const { url, received } = await openStub(t, [error(message), good])
    const { ask, reported } = openClient(t, name, url, { ...config })
    t.match(await ask(change), { ok: true }, message)
    t.match(await ask(change), { ok: true })
    t.equal(received.length, 3, `${message}: two questions, one more request`)
    const conceded = reported.filter(({ kind }) => kind === 'concession')
    if (message.includes('max_completion_tokens')) t.strictSame(conceded, [], 'nothing is missing')
    else t.match(conceded, [{ what: /./, why: new RegExp(message.slice(0, 20).replace(/\W/g, '.')) }], 'it is reported, once')
    for (const { body } of received.slice(1)) {
      if (gone !== undefined) t.notMatch(JSON.stringify({ ...body, system: undefined, messages: [] }), gone)
      t.match(body, instead)
    }
  }
  const { url, received } = await openStub(t, [error('stream_options, response_format, schema: all wrong')])
  t.match(await openClient(t, 'openai', url).ask(), { ok: false, error: { error: 'provider_refused' } })
  t.equal(received.length, 2, 'there was only one thing to leave out')
})

const ANSWER = {
  anthropic: named(
    {
      type: 'message_start',
      message: {
        type: 'message',
        usage: { input_tokens: 25, cache_creation_input_tokens: 7, cache_read_input_tokens: 100, output_tokens: 1 },
      },
    },
    { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Grüße ' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: '👋' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'EqQB' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'content_block_start', index: 1, content_block: { type: 'redacted_thinking', data: 'abc' } },
    { type: 'content_block_stop', index: 1 },
    { type: 'content_block_start', index: 2, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 2, delta: { type: 'text_delta', text: 'Zoë ' } },
    { type: 'content_block_delta', index: 2, delta: { type: 'text_delta', text: '→ 日本' } },
    { type: 'content_block_stop', index: 2 },
    { type: 'content_block_start', index: 3, content_block: { type: 'tool_use', id: 'toolu_1', name: 'fs__read', input: {} } },
    { type: 'content_block_delta', index: 3, delta: { type: 'input_json_delta', partial_json: '' } },
    { type: 'content_block_delta', index: 3, delta: { type: 'input_json_delta', partial_json: '{"path": "é' } },
    { type: 'content_block_delta', index: 3, delta: { type: 'input_json_delta', partial_json: '"}' } },
    { type: 'content_block_stop', index: 3 },
    { type: 'message_delta', delta: { stop_reason: 'tool_use', stop_sequence: null }, usage: { output_tokens: 89, input_tokens: null } },
    { type: 'message_stop' },
  ),
  openai: data(
    { choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }], usage: null },
    { choices: [{ index: 0, delta: { content: 'Zoë ' }, finish_reason: null }] },
    { choices: [{ index: 0, delta: { content: '→ 日本' }, finish_reason: null }] },
    {
      choices: [
        {
          index: 0,
          delta: { tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'fs__read', arguments: '' } }] },
          finish_reason: null,
        },
      ],
    },
    { choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: '{"path": "é' } }] }, finish_reason: null }] },
    { choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: '"}' } }] }, finish_reason: null }] },
    { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
    {
      choices: [],
      usage: {
        prompt_tokens: 132,
        completion_tokens: 89,
        total_tokens: 221,
        prompt_tokens_details: { cached_tokens: 100, cache_write_tokens: 7 },
      },
    },
  ),
}

t.test('fault 71: a stream may be cut anywhere, within a character and within an event', async (t) => {
  const call = { type: 'tool_use', name: 'fs:read', input: { path: 'é' } }
  const wanted = {
    anthropic: [
      { type: 'thinking', thinking: 'Grüße 👋', signature: 'EqQB' },
      { type: 'redacted_thinking', data: 'abc' },
      { type: 'text', text: 'Zoë → 日本' },
      { ...call, id: 'toolu_1' },
    ],
    openai: [
      { type: 'text', text: 'Zoë → 日本' },
      { ...call, id: 'call_1' },
    ],
  }
  const usage = { input_tokens: 25, output_tokens: 89, cache_read_tokens: 100, cache_creation_tokens: 7 }
  for (const name of ['anthropic', 'openai'] as const) {
    const bytes = Buffer.from(ANSWER[name])
    // Every place, four to a reply, so that no reply is the whole at once; then each byte alone; then CRLF.
    const step = Math.ceil(bytes.length / 4)
    const cuts = Array.from({ length: step }, (_, at) => [
      bytes.subarray(0, at),
      ...[0, 1, 2, 3].map((i) => bytes.subarray(at + i * step, at + (i + 1) * step)),
    ])
    const single = [...bytes].map((byte) => Uint8Array.of(byte))
    const crlf = [...Buffer.from(ANSWER[name].replaceAll('\n', '\r\n'))].map((byte) => Uint8Array.of(byte))
    const replies = [...cuts, single, crlf].map((chunks) => ({ headers: STREAM, chunks }))
    const { url } = await openStub(t, replies)
    const { ask, reported } = openClient(t, name, url)
    let wrong = 0
    for (const _ of replies) {
      reported.length = 0
      const answer = await ask({ tools: TOOLS })
      const deltas = reported.flatMap((event) => (event.kind === 'text' ? [event.delta] : []))
      const isRight =
        JSON.stringify(answer) ===
          JSON.stringify({ ok: true, value: { content: sorted(wanted[name], answer), stop: 'tool_use', usage } }) &&
        deltas.join('') === 'Zoë → 日本'
      if (!isRight && wrong++ === 0) t.match(answer, { ok: true, value: { content: wanted[name], stop: 'tool_use', usage } })
      const thoughts = reported.flatMap((event) => (event.kind === 'thinking' ? [event.text] : []))
      if (name === 'anthropic') t.strictSame(thoughts, ['Grüße 👋'])
    }
    t.equal(wrong, 0, `${name}: ${replies.length} ways to cut ${bytes.length} bytes`)
  }
})

/** The keys of what is wanted in the order in which they came. */
const sorted = (wanted: readonly object[], answer: { ok: boolean; value?: { content: readonly object[] } }): unknown =>
  wanted.map((block, i) =>
    Object.fromEntries(Object.keys(answer.value?.content[i] ?? {}).map((key) => [key, (block as Record<string, unknown>)[key]])),
  )

t.test('the plain form gives the same', async (t) => {
  const usage = { input_tokens: 25, output_tokens: 89, cache_read_input_tokens: 100, cache_creation_input_tokens: 7 }
  const content = [
    { type: 'thinking', thinking: 'hm', signature: 's' },
    { type: 'text', text: 'hi' },
    { type: 'tool_use', id: 'toolu_1', name: 'fs__read', input: { path: 'a' } },
  ]
  const message = { id: 'm', type: 'message', role: 'assistant', content, stop_reason: 'tool_use', usage }
  const tool_calls = [{ id: 'call_1', type: 'function', function: { name: 'fs__read', arguments: '{"path":"a"}' } }]
  const completion = {
    id: 'c',
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', content: 'hi', refusal: null, tool_calls }, finish_reason: 'tool_calls' }],
    usage: { prompt_tokens: 25, completion_tokens: 89 },
  }
  for (const [name, reply] of [
    ['anthropic', message],
    ['openai', completion],
  ] as const) {
    const { url, received } = await openStub(t, [json(reply)])
    const { ask, reported } = openClient(t, name, url, { stream: false })
    const call = { type: 'tool_use', name: 'fs:read', input: { path: 'a' } }
    t.match(await ask({ tools: TOOLS }), { ok: true, value: { stop: 'tool_use', usage: { input_tokens: 25, output_tokens: 89 } } })
    t.match(await ask({ tools: TOOLS }), { value: { content: name === 'anthropic' ? [content[0], content[1], call] : [content[1], call] } })
    t.equal(received[0]?.body.stream, false)
    t.equal(received[0]?.body.stream_options, undefined)
    t.match(
      reported.filter(({ kind }) => kind === 'text'),
      [{ delta: 'hi' }, { delta: 'hi' }],
    )
  }
})

t.test('why it stopped', async (t) => {
  const reasons = {
    end_turn: 'end',
    stop_sequence: 'end',
    max_tokens: 'tokens',
    model_context_window_exceeded: 'tokens',
    refusal: 'refused',
  }
  for (const [stop_reason, stop] of Object.entries(reasons)) {
    const { url } = await openStub(t, [json({ type: 'message', content: [{ type: 'text', text: 'x' }], stop_reason, usage: {} })])
    t.match(await openClient(t, 'anthropic', url).ask(), { ok: true, value: { stop } }, stop_reason)
  }
  // What nobody knows is no success.
  const { url: odd } = await openStub(t, [
    json({ type: 'message', content: [{ type: 'text', text: 'x' }], stop_reason: 'brand_new', usage: {} }),
  ])
  t.match(await openClient(t, 'anthropic', odd).ask(), { ok: false, error: { detail: /brand_new/ } })
  const finishes = { stop: 'end', length: 'tokens', content_filter: 'refused' }
  for (const [finish_reason, stop] of Object.entries(finishes)) {
    const { url } = await openStub(t, [json({ choices: [{ index: 0, message: { content: 'x' }, finish_reason }] })])
    t.match(await openClient(t, 'openai', url).ask(), { ok: true, value: { stop } }, finish_reason)
  }
  const { url } = await openStub(t, [json({ choices: [{ index: 0, message: { content: null, refusal: 'No.' }, finish_reason: 'stop' }] })])
  t.match(await openClient(t, 'openai', url).ask(), { ok: true, value: { stop: 'refused', content: [{ text: 'No.' }] } })
})

t.test('an answer that interrupts itself is continued', async (t) => {
  const search = { type: 'server_tool_use', id: 's1', name: 'web_search', input: { query: 'x' } }
  const paused = { type: 'message', content: [search], stop_reason: 'pause_turn', usage: { input_tokens: 5, output_tokens: 1 } }
  const ended = {
    type: 'message',
    content: [{ type: 'text', text: 'found' }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 7, output_tokens: 2 },
  }
  const { url, received } = await openStub(t, [json(paused), json(ended)])
  const answer = await openClient(t, 'anthropic', url).ask()
  t.match(answer, {
    ok: true,
    value: { content: [search, { type: 'text', text: 'found' }], stop: 'end', usage: { input_tokens: 12, output_tokens: 3 } },
  })
  t.strictSame(received[1]?.body.messages[1], { role: 'assistant', content: [search] })
})

t.test('fault 76: arguments that are not JSON, without an id, or without end', async (t) => {
  const call = (args: string, id?: string) => ({ ...(id ? { id } : {}), type: 'function', function: { name: 'fs__read', arguments: args } })
  const tool_calls = [call('{"path":', 'a'), call('', 'b'), call('[1]'), call(`${'['.repeat(2000)}${']'.repeat(2000)}`, 'd')]
  const { url } = await openStub(t, [
    json({ choices: [{ index: 0, message: { content: null, tool_calls }, finish_reason: 'tool_calls' }] }),
  ])
  const answer = await openClient(t, 'openai', url).ask({ tools: TOOLS })
  t.match(answer, {
    ok: true,
    value: {
      content: [
        { id: 'a', input: { invalid_json: '{"path":' } },
        { id: 'b', input: {} },
        { id: /^call_./, input: [1] },
        { id: 'd', input: { invalid_json: /^\[{20}/ } },
      ],
    },
  })
})

t.test('endpoints', async (t) => {
  const paths: readonly (readonly [name: Api, endpoint: string, path: string])[] = [
    ['anthropic', '', '/v1/messages'],
    ['anthropic', '/', '/v1/messages'],
    ['anthropic', '/v1', '/v1/messages'],
    ['anthropic', '/v1/', '/v1/messages'],
    ['anthropic', '/gateway/anthropic', '/gateway/anthropic/v1/messages'],
    ['openai', '', '/v1/chat/completions'],
    ['openai', '/', '/v1/chat/completions'],
    ['openai', '/v1/', '/v1/chat/completions'],
    ['openai', '/api/paas/v4', '/api/paas/v4/chat/completions'],
  ]
  for (const [name, endpoint, path] of paths) {
    const { url, received } = await openStub(t, [
      { headers: STREAM, chunks: [name === 'anthropic' ? anthropicText('x') : openaiText('x')] },
    ])
    t.match(await openClient(t, name, url + endpoint).ask(), { ok: true })
    t.equal(received[0]?.path, path, `${name} ${endpoint}`)
  }
})

t.test('tool names are made such that they can be told apart, and come back exactly', async (t) => {
  const names = ['a:b', 'a__b', 'a.b', 'a b', 'é', '', 'x'.repeat(70), `${'x'.repeat(64)}y`, 'ok-1', '…']
  const { toWire, toOwn } = wireNames(names)
  const wire = names.map(toWire)
  t.equal(new Set(wire).size, names.length)
  for (const name of wire) t.match(name, /^[A-Za-z0-9_-]{1,64}$/)
  t.strictSame(wire.map(toOwn), names)
  t.equal(toWire('a__b'), 'a__b')
  t.equal(toWire('ok-1'), 'ok-1')
  t.equal(toOwn('made_up'), 'made_up')
  const others = wireNames(['ldc:search', 'a__b:c', 'Fs.read'])
  const made = ['ldc__find', 'a__b__d', 'Fs__write', 'ldc__', 'other__x', 'ldc:x y']
  t.strictSame(made.map(others.toOwn), ['ldc:find', 'a__b:d', 'Fs.write', 'ldc__', 'other__x', 'ldc:x y'], 'made up, with a prefix')
  t.strictSame(
    made.map((name) => others.toWire(others.toOwn(name))),
    [...made.slice(0, 5), 'ldc__x_y'],
  )
})

t.test('request is a merge patch', async (t) => {
  const patched = mergePatch({ a: { b: 1, c: 2 }, d: [1] }, JSON.parse('{"a":{"b":null,"e":{"f":null}},"d":[2],"__proto__":{"x":1}}'))
  t.equal(JSON.stringify(patched), '{"a":{"c":2,"e":{}},"d":[2],"__proto__":{"x":1}}')
  t.equal(({} as { x?: number }).x, undefined)
})
