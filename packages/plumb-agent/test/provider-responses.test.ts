// OpenAI's Responses API: what it is asked, what is read of its events, and reasoning that goes back as it came.

import t, { type Test } from 'tap'
import type { ChatMessage, ContentBlock, ModelRequest } from '../src/provider/provider.js'
import { CANARY, json, named, openClient, openStub, STREAM } from './fixtures/provider/stub.js'

const TOOLS = [
  { name: 'fs:read', description: 'Reads.', input_schema: { type: 'object', properties: {} } },
  { name: 'Mod.look', description: '', input_schema: { type: 'object', properties: { at: { type: 'integer' } }, required: ['at'] } },
]
const REASONING = { id: 'rs_1', type: 'reasoning', summary: [], encrypted_content: 'gAAAAA==' }
const SEARCH = { id: 'ws_1', type: 'web_search_call', status: 'completed', action: { type: 'search', query: 'x' } }
const message = (text: string, more: object = {}) => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text }],
  ...more,
})
const call = (args: string) => ({ id: 'fc_1', type: 'function_call', call_id: 'call_1', name: 'fs__read', arguments: args })
const USAGE = {
  input_tokens: 132,
  input_tokens_details: { cached_tokens: 100, cache_write_tokens: 7 },
  output_tokens: 89,
  total_tokens: 221,
}

/** The events of a response with these items of output. */
const streamed = (...output: readonly { readonly type: string }[]): string =>
  named(
    { type: 'response.created', response: { id: 'resp_1', status: 'in_progress', output: [] } },
    ...output.flatMap((item, output_index) => [
      { type: 'response.output_item.added', output_index, item: { ...item, status: 'in_progress' } },
      { type: 'response.output_item.done', output_index, item },
    ]),
    { type: 'response.completed', response: { id: 'resp_1', status: 'completed', output, usage: USAGE } },
  )

const openResponses = async (t: Test, replies: readonly string[], config: Readonly<Record<string, unknown>> = {}) => {
  const { url, received } = await openStub(
    t,
    replies.map((text) => ({ headers: STREAM, chunks: [text] })),
  )
  return { ...openClient(t, 'openai', url, { wire: 'responses', ...config }), received }
}

const TOLD: ContentBlock[] = [
  REASONING as unknown as ContentBlock,
  { type: 'text', text: 'I look.', phase: 'commentary' },
  { type: 'tool_use', id: 'call_1', name: 'fs:read', input: { path: 'a' } },
]

t.test('the whole request', async (t) => {
  const history: ChatMessage[] = [
    { role: 'user', content: 'first' },
    { role: 'assistant', content: JSON.parse(JSON.stringify([...TOLD, { type: 'thinking', thinking: 'hm', signature: 's' }, SEARCH])) },
    {
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: 'call_1',
          content: [
            { type: 'text', text: 'a picture' },
            { type: 'image', media_type: 'image/png', data: 'iVBORw0KGgo=' },
          ],
          is_error: true,
        },
      ],
    },
    { role: 'assistant', content: 'done' },
  ]
  const { ask, received } = await openResponses(t, [streamed(message('x'))], {
    max_tokens: 321,
    thinking_budget: 5,
    request: { metadata: { a: 'b' } },
  })
  t.match(await ask(), { ok: true })
  const full = { history, tools: TOOLS, parallelToolCalls: false, temperature: 0.5, effort: 'high', context: 'It is noon.' } as const
  t.match(await ask(full), { ok: true })
  t.match(await ask({ output: { kind: 'int' }, system: '' }), { ok: true })
  const [plain, rich, typed] = received
  t.equal(plain?.path, '/v1/responses')
  t.match(plain?.headers, { authorization: `Bearer ${CANARY}` })
  const key = plain?.body.prompt_cache_key
  t.match(key, /^[0-9a-f]{32}$/)
  t.strictSame(plain?.body, {
    model: 'stub-1',
    input: [{ type: 'message', role: 'user', content: 'hello' }],
    stream: true,
    store: false,
    max_output_tokens: 321,
    instructions: 'Be brief.',
    include: ['reasoning.encrypted_content'],
    prompt_cache_key: key,
    metadata: { a: 'b' },
  })
  t.strictSame(rich?.body.input, [
    { type: 'message', role: 'user', content: 'first' },
    REASONING,
    { type: 'message', role: 'assistant', content: 'I look.', phase: 'commentary' },
    { type: 'function_call', call_id: 'call_1', name: 'fs__read', arguments: '{"path":"a"}' },
    SEARCH,
    {
      type: 'function_call_output',
      call_id: 'call_1',
      output: [
        { type: 'input_text', text: 'a picture' },
        { type: 'input_image', detail: 'auto', image_url: 'data:image/png;base64,iVBORw0KGgo=' },
      ],
    },
    { type: 'message', role: 'assistant', content: 'done' },
    { type: 'message', role: 'user', content: 'hello' },
    { type: 'message', role: 'system', content: 'It is noon.' },
  ])
  t.match(rich?.body, { parallel_tool_calls: false, temperature: 0.5, reasoning: { effort: 'high' } })
  t.strictSame(rich?.body.tools[1], { type: 'function', name: 'Mod__look', parameters: TOOLS[1]?.input_schema, strict: false })
  t.not(rich?.body.prompt_cache_key, key, 'another beginning has another key')
  t.strictSame(typed?.body.text.format, {
    type: 'json_schema',
    name: 'answer',
    strict: true,
    schema: { type: 'object', properties: { value: { type: 'integer' } }, required: ['value'], additionalProperties: false },
  })
  t.notOk('instructions' in (typed?.body ?? {}))
})

t.test('what is read, streamed or at once', async (t) => {
  const output = [REASONING, message('I look.', { phase: 'commentary' }), call('{"path":"a"}')]
  const events = named(
    { type: 'response.reasoning_summary_text.done', text: 'I think.' },
    { type: 'response.output_text.delta', delta: 'I ' },
    { type: 'response.output_text.delta', delta: 'look.' },
    { type: 'response.brand_new', what: 'ever' },
  )
  const usage = { input_tokens: 25, output_tokens: 89, cache_read_tokens: 100, cache_creation_tokens: 7 }
  const { ask, reported } = await openResponses(t, [events + streamed(...output)])
  t.strictSame(await ask({ tools: TOOLS }), { ok: true, value: { content: TOLD, stop: 'tool_use', usage, reply: { id: 'resp_1' } } })
  t.strictSame(reported, [
    { kind: 'thinking', text: 'I think.' },
    { kind: 'text', delta: 'I ' },
    { kind: 'text', delta: 'look.' },
  ])
  // Only the last event has the items, as some servers send them.
  const last = await openResponses(t, [named({ type: 'response.completed', response: { status: 'completed', output, usage: USAGE } })])
  t.strictSame(await last.ask({ tools: TOOLS }), { ok: true, value: { content: TOLD, stop: 'tool_use', usage } })

  const thought = {
    ...REASONING,
    summary: [{ type: 'summary_text', text: 'In short.' }],
    content: [{ type: 'reasoning_text', text: 'I think.' }],
  }
  const { url, received } = await openStub(t, [json({ status: 'completed', output: [thought, ...output.slice(1)], usage: USAGE })])
  const plain = openClient(t, 'openai', url, { wire: 'responses', stream: false })
  t.strictSame(await plain.ask({ tools: TOOLS }), { ok: true, value: { content: [thought, ...TOLD.slice(1)], stop: 'tool_use', usage } })
  t.equal(received[0]?.body.stream, false)
  t.strictSame(plain.reported, [
    { kind: 'thinking', text: 'In short.' },
    { kind: 'thinking', text: 'I think.' },
    { kind: 'text', delta: 'I look.' },
  ])
})

t.test('reasoning goes back in a tool round as it came', async (t) => {
  const { ask, received } = await openResponses(t, [streamed(REASONING, call('{}')), streamed(message('done'))])
  const first = await ask({ tools: TOOLS })
  t.ok(first.ok)
  const turn = JSON.parse(
    JSON.stringify([
      { role: 'user', content: 'hello' },
      { role: 'assistant', content: first.ok ? first.value.content : [] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_1', content: 'seen', is_error: false }] },
    ]),
  ) as ChatMessage[]
  t.match(await ask({ tools: TOOLS, turn }), { ok: true, value: { stop: 'end' } })
  t.strictSame(received[1]?.body.input.slice(1), [
    REASONING,
    { type: 'function_call', call_id: 'call_1', name: 'fs__read', arguments: '{}' },
    { type: 'function_call_output', call_id: 'call_1', output: 'seen' },
  ])
  // To another API it means nothing.
  const { url, received: others } = await openStub(t, [json({ choices: [{ index: 0, message: { content: 'x' }, finish_reason: 'stop' }] })])
  t.match(await openClient(t, 'openai', url).ask({ turn }), { ok: true })
  t.notMatch(JSON.stringify(others[0]?.body), /rs_1|encrypted/)
  const anthropic = await openStub(t, [
    json({ type: 'message', content: [{ type: 'text', text: 'x' }], stop_reason: 'end_turn', usage: {} }),
  ])
  t.match(await openClient(t, 'anthropic', anthropic.url).ask({ turn }), { ok: true })
  t.notMatch(JSON.stringify(anthropic.received[0]?.body), /rs_1|encrypted/)
})

t.test('how it ends', async (t) => {
  const ends = (response: object) => [json({ output: [message('half')], usage: USAGE, ...response })]
  const cases: readonly (readonly [reply: object, wanted: object])[] = [
    [{ status: 'completed' }, { ok: true, value: { stop: 'end' } }],
    [
      { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } },
      { ok: true, value: { stop: 'tokens' } },
    ],
    [
      { status: 'incomplete', incomplete_details: { reason: 'content_filter' } },
      { ok: true, value: { stop: 'refused' } },
    ],
    [
      { status: 'completed', output: [{ type: 'message', content: [{ type: 'refusal', refusal: 'No.' }] }] },
      { ok: true, value: { stop: 'refused', content: [{ text: 'No.' }] } },
    ],
    [
      { status: 'failed', error: { code: 'rate_limit_exceeded', message: 'slow down' } },
      { ok: false, error: { error: 'rate_limited' } },
    ],
    [{ status: 'in_progress' }, { ok: false, error: { error: 'connection_failed' } }],
  ]
  for (const [reply, wanted] of cases) {
    const { url } = await openStub(t, ends(reply))
    t.match(await openClient(t, 'openai', url, { wire: 'responses', transport_retries: 0 }).ask(), wanted, JSON.stringify(reply))
  }
  const broken = await openResponses(t, [named({ type: 'error', code: 'server_error', message: 'oops', param: null })], {
    transport_retries: 0,
  })
  t.match(await broken.ask(), { ok: false, error: { error: 'overloaded', detail: /server_error.*oops/ } })
})

t.test('where it is the default', async (t) => {
  const asked = async (config: Readonly<Record<string, unknown>>) => {
    const { url, received } = await openStub(t, [json({ error: { message: 'no' } }, 400)])
    await openClient(t, 'openai', url, config).ask()
    return received[0]?.path
  }
  t.equal(await asked({}), '/v1/chat/completions', 'another server speaks Chat Completions')
  t.equal(await asked({ wire: 'responses' }), '/v1/responses')
  t.equal(await asked({ wire: 'chat' }), '/v1/chat/completions')
})

t.test('effort: each API in its own way, and the nearest level where a model has it not', async (t) => {
  const refusal = (words: string) => json({ error: { type: 'invalid_request_error', message: words } }, 400)
  const chatReply = {
    headers: STREAM,
    chunks: ['data: {"choices":[{"index":0,"delta":{"content":"x"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'],
  }
  const effortsOf = async (
    effort: ModelRequest['effort'],
    replies: readonly Parameters<typeof openStub>[1][number][],
    wire = 'responses',
  ) => {
    const { url, received } = await openStub(t, replies)
    const client = openClient(t, 'openai', url, { wire })
    t.match(await client.ask({ effort }), { ok: true })
    const sent = received.map(({ body }) => (wire === 'chat' ? body.reasoning_effort : body.reasoning?.effort))
    return { sent, reported: client.reported.filter(({ kind }) => kind === 'concession') }
  }
  const good = { headers: STREAM, chunks: [streamed(message('x'))] }
  t.match(await effortsOf('minimal', [good]), { sent: ['minimal'], reported: [] })
  t.match(await effortsOf('max', [chatReply], 'chat'), { sent: ['max'], reported: [] })
  const supported =
    "Unsupported value: 'max' is not supported with the model. Supported values are: 'none', 'low', 'medium', 'high', and 'xhigh' (reasoning.effort)."
  t.match(await effortsOf('max', [refusal(supported), good]), {
    sent: ['max', 'xhigh'],
    reported: [{ what: "effort 'max'", why: /none, low, medium, high, xhigh: it is asked for 'xhigh'/ }],
  })
  // The parameter has a place of its own, and stands in no word of the message.
  const withParam = json(
    {
      error: {
        message:
          "Unsupported value: 'max' is not supported with the 'gpt-5.1' model. Supported values are: 'none', 'low', 'medium', and 'high'.",
        type: 'invalid_request_error',
        param: 'reasoning.effort',
        code: 'unsupported_value',
      },
    },
    400,
  )
  t.match(await effortsOf('max', [withParam, good]), { sent: ['max', 'high'] })
  // The same of a server that answers 200 and refuses in the stream.
  const inStream = {
    headers: STREAM,
    chunks: [
      'data: {"type":"error","error":{"type":"invalid_request_error","message":"Unsupported value. Supported values are: \'low\' and \'high\'.","param":"reasoning.effort"}}\n\n',
    ],
  }
  t.match(await effortsOf('max', [inStream, good]), { sent: ['max', 'high'] })
  const few = "reasoning.effort 'minimal': supported values are 'none' and 'high'"
  t.match(await effortsOf('minimal', [refusal(few), good]), { sent: ['minimal', 'high'] }, 'reasoning is not switched off')
  t.match(await effortsOf('low', [refusal('Unsupported parameter: reasoning.effort'), good]), {
    sent: ['low', undefined],
    reported: [{ what: "effort 'low'", why: /takes no effort/ }],
  })

  const anthropic = await openStub(t, [
    json({ type: 'message', content: [{ type: 'text', text: 'x' }], stop_reason: 'end_turn', usage: {} }),
  ])
  const client = openClient(t, 'anthropic', anthropic.url)
  for (const effort of ['none', 'minimal', 'medium', 'max', 'none'] as const) t.match(await client.ask({ effort }), { ok: true })
  t.strictSame(
    anthropic.received.map(({ body }) => body.output_config),
    ['low', 'low', 'medium', 'max', 'low'].map((effort) => ({ effort })),
  )
  const conceded = client.reported.filter(({ kind }) => kind === 'concession')
  t.match(conceded, [{ what: "effort 'none'" }, { what: "effort 'minimal'" }], 'each is reported once')
  t.equal(conceded.length, 2)
})

t.test('tools with reasoning are the business of another API, and it is named', async (t) => {
  const words =
    "Function tools with reasoning_effort are not supported for this model in /v1/chat/completions. Please use /v1/responses or set reasoning_effort to 'none'."
  const { url, received } = await openStub(t, [json({ error: { message: words } }, 400)])
  const answer = await openClient(t, 'openai', url).ask({ tools: TOOLS, effort: 'high' })
  t.match(answer, { ok: false, error: { error: 'provider_refused', detail: /Function tools.*write wire: "responses"/ } })
  t.equal(received.length, 1, 'reasoning is not switched off to get tools')
})

t.test('a conversation that is too long', async (t) => {
  const words = [
    'prompt is too long: 213000 tokens > 200000 maximum',
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
    'the request exceeds the available context size (4096 tokens)',
  ]
  for (const message of words) {
    const { url } = await openStub(t, [json({ error: { type: 'invalid_request_error', message } }, 400)])
    const error = { error: 'context_overflow', category: 'invalid', detail: new RegExp(message.slice(0, 12)) }
    t.match(await openClient(t, 'openai', url).ask(), { ok: false, error }, message)
  }
})
