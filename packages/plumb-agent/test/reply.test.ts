// What a reply means: how servers end one, where they put its parts, and how they say that something is wrong. An oddity of a server is a row.

import t from 'tap'
import { endingOf } from '../src/provider/reply/ending.js'
import { errorIn, wordsOf, wordsOfBody } from '../src/provider/reply/server-words.js'
import { ask, chunk, DONE, said, sse, stream, TOOLS, type Wire } from './fixtures/provider/ask.js'
import { anthropicText, JSON_TYPE, json, named, openClient, openStub, STREAM, type StubReply } from './fixtures/provider/stub.js'

const HALF = 'The first half of'

t.test('reasons', async (t) => {
  const reasons: Readonly<Record<string, readonly string[]>> = {
    whole: [
      ...['stop', 'STOP', 'end_turn', 'eos', 'stop_sequence', 'tool_calls', 'tool_use', 'function_call', 'completed'],
      ...['FINISH_REASON_STOP', 'FinishReason.STOP', 'tool-calls', 'toolUse', 'endTurn'],
    ],
    cut: [
      'length',
      'max-tokens',
      'maxTokens',
      'length_limit',
      'MAX_TOKENS',
      'max_output_tokens',
      'model_length',
      'model_context_window_exceeded',
      'max_new_tokens_reached',
    ],
    refused: ['content_filter', 'refusal', 'SAFETY', 'sensitive', 'RECITATION', 'PROHIBITED_CONTENT', 'blocked_by_policy'],
    malformed: ['MALFORMED_FUNCTION_CALL', 'malformed_function_call', 'UNEXPECTED_TOOL_CALL'],
    broken: [
      'error',
      'abort',
      'network_error',
      'insufficient_system_resource',
      'cancelled',
      'incomplete',
      'in_progress',
      'OTHER',
      'stop_error',
    ],
    overflow: ['context_length_exceeded'],
    paused: ['pause_turn'],
  }
  for (const [ending, names] of Object.entries(reasons)) for (const name of names) t.equal(endingOf(name), ending, name)
  for (const none of [undefined, '', ' ', 'null', 'None', 'FINISH_REASON_UNSPECIFIED']) t.equal(endingOf(none), undefined)
})

t.test('a reply that is not whole is asked for again, and nothing of it is given', async (t) => {
  const call = { tool_calls: [{ index: 0, id: 'a', type: 'function', function: { name: 'look', arguments: '' } }] }
  const incomplete = (response: object, type = 'response.incomplete') => stream({ type, response })
  const item = { type: 'message', id: 'm', role: 'assistant', content: [{ type: 'output_text', text: HALF }] }
  const cutCall = { type: 'function_call', id: 'f', call_id: 'c', name: 'look', arguments: '{"a"', status: 'incomplete' }
  const rows: readonly (readonly [string, Wire, StubReply])[] = [
    ...['error', 'abort', 'insufficient_system_resource', 'network_error', 'nobody_knows'].map(
      (reason) => [`chat ends with ${reason}`, 'chat', said(HALF, reason, DONE)] as const,
    ),
    ['chat: "" in each chunk, and the end', 'chat', stream(chunk({ content: HALF }, ''))],
    ['chat: "" in each chunk, and a reset', 'chat', { ...stream(chunk({ content: HALF }, '')), after: 'reset' }],
    ['chat: [DONE] without a reason', 'chat', stream(chunk({ content: HALF }), DONE)],
    ['chat: [DONE] alone', 'chat', stream(DONE)],
    ['chat: no choices, then [DONE]', 'chat', stream({ choices: [] }, DONE)],
    [
      'chat: an error in the choice',
      'chat',
      json({ choices: [{ index: 0, message: { content: HALF }, finish_reason: 'error', error: { code: 502, message: 'gone' } }] }),
    ],
    ['chat: an error after the reason', 'chat', said(HALF, 'stop', { error: { message: 'upstream failed', code: 502 } }, DONE)],
    ['chat: an error as a list', 'chat', stream([{ error: { code: 503, message: 'later' } }] as object, DONE)],
    ['chat: an error as detail', 'chat', stream({ detail: 'the engine died' }, DONE)],
    // DeepInfra.
    ['chat: error_message beside choices null', 'chat', stream({ choices: null, error_message: 'the engine is busy' }, DONE)],
    ['chat: a fault of a gateway', 'chat', json({ fault: { faultstring: 'Rate limit quota violation' } })],
    ['chat: MiniMax', 'chat', json({ choices: null, base_resp: { status_code: 1002, status_msg: 'rate limit exceeded' } })],
    ['chat: success false', 'chat', stream({ success: false, msg: 'busy' }, DONE)],
    ['chat: an error event without a word', 'chat', stream(chunk({ content: HALF }), 'event: error\ndata:', DONE)],
    ['chat: a call whose arguments never came, by error', 'chat', stream(chunk(call), chunk({}, 'error'), DONE)],
    ['chat: a call whose arguments never came, by ""', 'chat', stream({ choices: [{ index: 0, delta: call, finish_reason: '' }] })],
    ['chat: a call whose arguments never came, by [DONE]', 'chat', stream(chunk(call), DONE)],
    ['chat: tool_calls without a call', 'chat', stream(chunk({}, 'tool_calls'), DONE)],
    ['chat: damaged behind the first event', 'chat', stream(chunk({ content: HALF }), 'data: {"choices":[}')],
    ['chat: no UTF-8', 'chat', { headers: STREAM, chunks: [sse(chunk({ content: HALF })), Buffer.from([0xff, 0xfe, 0x0a])] }],
    ['chat: nothing at all', 'chat', { headers: STREAM, chunks: [] }],
    ['chat: success behind an error', 'chat', stream({ error: { message: 'upstream failed' } }, chunk({ content: HALF }, 'stop'), DONE)],
    ['chat plain: no reason', 'chat', json({ choices: [{ index: 0, message: { content: HALF }, finish_reason: null }] })],
    ['responses: incomplete without details', 'responses', incomplete({ status: 'incomplete', incomplete_details: null, output: [item] })],
    [
      'responses: completed, and its status is incomplete',
      'responses',
      incomplete({ status: 'incomplete', output: [item] }, 'response.completed'),
    ],
    [
      'responses: completed, and its message is incomplete',
      'responses',
      incomplete({ status: 'completed', output: [{ ...item, status: 'incomplete' }] }, 'response.completed'),
    ],
    ['responses: completed without any item', 'responses', incomplete({ status: 'completed', output: null }, 'response.completed')],
    ['responses: cancelled', 'responses', incomplete({ status: 'cancelled', output: [item] }, 'response.cancelled')],
    ['responses: a call that is incomplete', 'responses', incomplete({ status: 'completed', output: [cutCall] }, 'response.completed')],
    [
      'responses: a call that was begun only',
      'responses',
      stream(
        { type: 'response.output_item.added', output_index: 0, item: { ...cutCall, arguments: '', status: 'in_progress' } },
        { type: 'response.completed', response: { status: 'completed', output: [] } },
      ),
    ],
    ['responses plain: incomplete', 'responses', json({ status: 'incomplete', incomplete_details: null, output: [item] })],
    [
      'anthropic: no reason',
      'anthropic',
      stream({ type: 'message_start', message: {} }, { type: 'message_delta', delta: {} }, { type: 'message_stop' }),
    ],
    [
      'anthropic: a reason nobody knows',
      'anthropic',
      json({ type: 'message', content: [{ type: 'text', text: HALF }], stop_reason: 'error' }),
    ],
  ]
  for (const [what, wire, reply] of rows) {
    const { text, calls, asked, stop } = await ask(t, wire, reply, { tools: TOOLS })
    t.strictSame({ text, calls, asked, stop }, { text: 'SECOND', calls: [], asked: 2, stop: 'end' }, what)
  }
})

t.test('a server that never gives a reason is told as such', async (t) => {
  const { url } = await openStub(t, [stream(chunk({ content: HALF }), DONE)])
  const answer = await openClient(t, 'openai', url, { wire: 'chat' }).ask()
  t.match(answer, { ok: false, error: { category: 'unavailable', detail: /without a reason.*after 4 retries/ } })
})

t.test('ends that are told', async (t) => {
  const rows: readonly (readonly [string, Wire, StubReply, string])[] = [
    ['cut', 'chat', said(HALF, 'MAX_TOKENS', DONE), 'tokens'],
    ['refused', 'chat', said(HALF, 'sensitive', DONE), 'refused'],
    ['overflow', 'chat', said('', 'context_length_exceeded', DONE), 'context_overflow'],
    ['of the model', 'chat', said('', 'malformed_function_call', DONE), 'provider_refused'],
    [
      'cut',
      'responses',
      stream({ type: 'response.incomplete', response: { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } } }),
      'tokens',
    ],
    [
      'refused',
      'responses',
      stream({ type: 'response.incomplete', response: { status: 'incomplete', incomplete_details: { reason: 'content_filter' } } }),
      'refused',
    ],
  ]
  for (const [what, wire, reply, stop] of rows) t.match(await ask(t, wire, reply), { stop, asked: 1 }, `${wire}: ${what}`)
  t.equal((await ask(t, 'chat', said('', 'malformed_function_call', DONE))).isOfModel, true)
})

t.test('parts, wherever a server puts them', async (t) => {
  const piece = (call: object) => chunk({ tool_calls: [call] })
  const of = (name: string, args: unknown) => ({ type: 'function', function: { name, arguments: args } })
  const ends = [chunk({}, 'tool_calls'), DONE]
  const [A, B] = [
    ['look', { text: 'A' }],
    ['look', { text: 'B' }],
  ]
  const calls: readonly (readonly [string, StubReply, readonly unknown[]])[] = [
    [
      'one index for all (Gemini)',
      stream(
        piece({ index: 0, id: 'a', ...of('look', '{"text":"A"}') }),
        piece({ index: 0, id: 'b', ...of('look', '{"text":"B"}') }),
        ...ends,
      ),
      [A, B],
    ],
    [
      'no index, ids',
      stream(piece({ id: 'a', ...of('look', '{"text":"A"}') }), piece({ id: 'b', ...of('look', '{"text":"B"}') }), ...ends),
      [A, B],
    ],
    ['no index, no id, whole calls', stream(piece(of('look', { text: 'A' })), piece(of('look', { text: 'B' })), ...ends), [A, B]],
    [
      'one index and no ids, whole calls',
      stream(
        piece({ index: 0, id: '', ...of('look', '{"text":"A"}') }),
        piece({ index: 0, id: '', ...of('look', '{"text":"B"}') }),
        piece({ index: 0, id: '', ...of('look', '{"text":"B"}') }),
        ...ends,
      ),
      [A, B],
    ],
    [
      'an id made up with each piece',
      stream(piece({ index: 0, id: 'a', ...of('look', '{"te') }), piece({ index: 0, id: 'b', ...of('look', 'xt":"A"}') }), ...ends),
      [A],
    ],
    ['no list', stream(chunk({ tool_calls: { id: 'a', ...of('look', '{"text":"A"}') } }), ...ends), [A]],
    ['no function', stream(piece({ index: 0, id: 'a', name: 'look', arguments: '{"text":"A"}' }), ...ends), [A]],
    ['no index, in one chunk', stream(chunk({ tool_calls: [of('look', '{"text":"A"}'), of('look', '{"text":"B"}')] }), ...ends), [A, B]],
    [
      'index null',
      stream(piece({ index: null, id: 'a', ...of('look', '{"te') }), piece({ index: null, function: { arguments: 'xt":"A"}' } }), ...ends),
      [A],
    ],
    [
      'index as a text',
      stream(
        piece({ index: '1', id: 'b', ...of('look', '{"text":"B"}') }),
        piece({ index: '0', id: 'a', ...of('look', '{"text":"A"}') }),
        ...ends,
      ),
      [A, B],
    ],
    [
      'one id for two',
      stream(
        piece({ index: 0, id: 'x', ...of('look', '{"text":"A"}') }),
        piece({ index: 1, id: 'x', ...of('look', '{"text":"B"}') }),
        ...ends,
      ),
      [A, B],
    ],
    [
      'one id and one index for two',
      stream(
        piece({ index: 0, id: 'x', ...of('look', '{"text":"A"}') }),
        piece({ index: 0, id: 'x', ...of('look', '{"text":"B"}') }),
        ...ends,
      ),
      [A, B],
    ],
    ['the reason twice', stream(piece({ index: 0, id: 'a', ...of('look', '{"text":"A"}') }), chunk({}, 'tool_calls'), ...ends), [A]],
    [
      'id and name with each piece',
      stream(piece({ index: 0, id: 'a', ...of('look', '{"te') }), piece({ index: 0, id: 'a', ...of('look', 'xt":"A"}') }), ...ends),
      [A],
    ],
    [
      'another id, without a name, with each piece',
      stream(
        piece({ index: 0, id: 'a', ...of('look', '{"te') }),
        piece({ index: 0, id: 'b', function: { arguments: 'xt":"A"}' } }),
        ...ends,
      ),
      [A],
    ],
    [
      'the name in pieces',
      stream(
        piece({ index: 0, id: 'a', ...of('lo', '') }),
        piece({ index: 0, function: { name: 'ok', arguments: '{"text":"A"}' } }),
        ...ends,
      ),
      [A],
    ],
    [
      'the arguments again at the end',
      stream(
        piece({ index: 0, id: 'a', ...of('look', '{"text":"A"}') }),
        piece({ index: 0, id: 'a', ...of('look', '{"text":"A"}') }),
        ...ends,
      ),
      [A],
    ],
    [
      '{} to begin with',
      stream(piece({ index: 0, id: 'a', ...of('look', '{}') }), piece({ index: 0, function: { arguments: '{"text":"A"}' } }), ...ends),
      [A],
    ],
    ['arguments "" of a whole reply', stream(piece({ index: 0, id: 'a', ...of('look', '') }), ...ends), [['look', {}]]],
    [
      'the old function_call',
      stream(
        chunk({ function_call: { name: 'look', arguments: '{"text":' } }),
        chunk({ function_call: { arguments: '"A"}' } }),
        chunk({}, 'function_call'),
        DONE,
      ),
      [A],
    ],
    [
      'cut arguments of a whole reply',
      stream(piece({ index: 0, id: 'a', ...of('look', '{"te') }), ...ends),
      [['look', { invalid_json: '{"te' }]],
    ],
  ]
  for (const [what, reply, expected] of calls) t.strictSame((await ask(t, 'chat', reply, { tools: TOOLS })).calls, expected, what)

  const thinking = { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] }
  const text = { type: 'text', text: 'The answer is 4' }
  const texts: (readonly [string, StubReply, string, string])[] = [
    [
      'content as parts, streamed',
      stream(chunk({ content: '' }), chunk({ content: [thinking] }), chunk({ content: [text] }), chunk({}, 'stop'), DONE),
      'The answer is 4',
      'hm',
    ],
    [
      'content as parts, plain',
      json({ choices: [{ message: { content: [thinking, text] }, finish_reason: 'stop' }] }),
      'The answer is 4',
      'hm',
    ],
    ['content as a list of texts', json({ choices: [{ message: { content: ['a', 'b'] }, finish_reason: 'stop' }] }), 'ab', ''],
    [
      'reasoning_content',
      stream(chunk({ reasoning_content: 'h' }), chunk({ reasoning_content: 'm' }), chunk({ content: 'x' }), chunk({}, 'stop'), DONE),
      'x',
      'hm',
    ],
    ['reasoning, plain', json({ choices: [{ message: { reasoning: 'hm', content: 'x' }, finish_reason: 'stop' }] }), 'x', 'hm'],
    ['both names of it', stream(chunk({ reasoning: 'hm', reasoning_content: 'hm' }), chunk({ content: 'x' }, 'stop'), DONE), 'x', 'hm'],
    [
      'details alone',
      stream(chunk({ reasoning_details: [{ type: 'reasoning.text', text: 'hm', index: 0 }] }), chunk({ content: 'x' }, 'stop')),
      'x',
      'hm',
    ],
    [
      'NaN in probabilities',
      {
        headers: STREAM,
        chunks: [
          `data: {"choices":[{"index":0,"delta":{"content":"NaN x"},"logprobs":{"a":NaN,"b":-Infinity},"finish_reason":"stop"}]}\n\n`,
        ],
      },
      'NaN x',
      '',
    ],
  ]
  const choice = (parts: object) => ({ choices: [{ index: 0, ...parts }] })
  texts.push(
    ['a message in place of deltas', stream(choice({ message: { content: 'whole' }, finish_reason: 'stop' }), DONE), 'whole', ''],
    // Perplexity.
    [
      'a message beside deltas',
      stream(
        choice({ delta: { content: 'he' }, message: { content: 'he' } }),
        choice({ delta: { content: 'llo' }, message: { content: 'hello' } }),
        choice({ message: { content: 'hello' }, finish_reason: 'stop' }),
        DONE,
      ),
      'hello',
      '',
    ],
    ['a text', json(choice({ text: 'legacy', finish_reason: 'stop' })), 'legacy', ''],
    ['a part without its list', json(choice({ message: { content: { type: 'text', text: 'part' } }, finish_reason: 'stop' })), 'part', ''],
    ['"null" in each chunk', stream(chunk({ content: 'a' }, 'null'), chunk({ content: 'b' }, 'null'), chunk({}, 'stop'), DONE), 'ab', ''],
  )
  for (const error of [{}, [], '', false, { code: 0, message: '' }])
    texts.push([
      `error ${JSON.stringify(error)}`,
      json({ error, ...choice({ message: { content: 'x' }, finish_reason: 'stop' }) }),
      'x',
      '',
    ])
  for (const [what, reply, expected, thought] of texts) t.match(await ask(t, 'chat', reply), { text: expected, thought, asked: 1 }, what)
})

t.test('parts of a message of Anthropic, from servers that write them otherwise', async (t) => {
  const message = (content: unknown, stop_reason: string) => json({ type: 'message', content, stop_reason })
  t.match(await ask(t, 'anthropic', message('plain', 'end_turn')), { text: 'plain', asked: 1 })
  const call = { type: 'tool_use', id: 'a', name: 'look', input: '{"text":"A"}' }
  t.match(await ask(t, 'anthropic', message([call], 'tool_use')), { calls: [['look', { text: 'A' }]], asked: 1 })
  const block = (content_block: object, ...deltas: readonly object[]) => [
    { type: 'content_block_start', index: 0, content_block },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index: 0, delta })),
    { type: 'content_block_stop', index: 0 },
  ]
  const used = (id: string, text: string) =>
    block({ type: 'tool_use', id, name: 'look', input: {} }, { type: 'input_json_delta', partial_json: text })
  const one = stream(
    { type: 'message_start', message: {} },
    ...block({ type: 'text', text: '' }, { type: 'text_delta', text: 'I look.' }),
    ...used('a', '{"text":"A"}'),
    ...block({ type: 'tool_use', id: 'b', name: 'look', input: {} }),
    ...used('c', '{"text":"C"}'),
    { type: 'message_delta', delta: { stop_reason: 'tool_use' } },
    { type: 'message_stop' },
  )
  const calls = [{ text: 'A' }, {}, { text: 'C' }].map((input) => ['look', input])
  t.match(await ask(t, 'anthropic', one, { tools: TOOLS }), { text: 'I look.', calls, asked: 1 }, 'one index for all')
})

t.test('parts of a response, of which some servers send few', async (t) => {
  const delta = { type: 'response.output_text.delta', output_index: 0, delta: 'hello' }
  const completed = (...output: readonly object[]) => ({ type: 'response.completed', response: { status: 'completed', output } })
  const done = (item: object, output_index = 0) => ({ type: 'response.output_item.done', output_index, item })
  const message = (words: string) => ({
    type: 'message',
    id: 'm',
    role: 'assistant',
    content: words === '' ? [] : [{ type: 'output_text', text: words }],
  })
  const call = (id: string, words: string, args = `{"text":"${words}"}`) => ({
    type: 'function_call',
    id: `f${id}`,
    call_id: id,
    name: 'look',
    arguments: args,
  })
  const reasoning = { type: 'reasoning', id: 'r', summary: [], encrypted_content: 'E' }
  const rows: readonly (readonly [string, StubReply, string, readonly string[]])[] = [
    ['deltas, output []', stream(delta, completed()), 'hello', []],
    ['deltas, item done with content []', stream(delta, done(message('')), completed()), 'hello', []],
    ['item done, output []', stream(done(message('hello')), completed()), 'hello', []],
    ['output alone', stream(completed(message('hello'))), 'hello', []],
    [
      'no place, deltas and output',
      stream({ type: 'response.output_text.delta', delta: 'hello' }, completed(message('hello'))),
      'hello',
      [],
    ],
    ['one place for all', stream(done(reasoning), done(message('hello')), completed(reasoning, message('hello'))), 'hello', []],
    ['one place for calls', stream(done(call('a', 'A')), done(call('b', 'B')), completed(call('a', 'A'), call('b', 'B'))), '', ['A', 'B']],
    ['one place for calls, output []', stream(done(call('a', 'A')), done(call('b', 'B')), completed()), '', ['A', 'B']],
    [
      'one id for two calls',
      stream(done(call('x', 'A'), 0), done(call('x', 'B'), 1), completed(call('x', 'A'), call('x', 'B'))),
      '',
      ['A', 'B'],
    ],
    [
      'a call by its arguments alone',
      stream(
        { type: 'response.output_item.added', output_index: 0, item: call('a', '', '') },
        { type: 'response.function_call_arguments.delta', output_index: 0, delta: '{"text":' },
        { type: 'response.function_call_arguments.delta', output_index: 0, delta: '"A"}' },
        { type: 'response.function_call_arguments.done', output_index: 0, arguments: '{"text":"A"}' },
        completed(),
      ),
      '',
      ['A'],
    ],
    // A gateway that reports an item, and leaves it out at the end under another id.
    [
      'output without an item that came',
      stream(done(reasoning), done(message('hello'), 1), completed({ ...message('hello'), id: 'other' })),
      'hello',
      [],
    ],
    [
      'an item that is null when it is added',
      stream({ type: 'response.output_item.added', output_index: 0, item: null }, delta, done(message('hello')), completed()),
      'hello',
      [],
    ],
    ['output_text alone', json({ status: 'completed', output: [], output_text: 'hello' }), 'hello', []],
    [
      'a part that is done, output []',
      stream({ ...delta, type: 'response.content_part.done', part: message('hello').content[0] }, completed()),
      'hello',
      [],
    ],
    ['content that is a text', stream(completed({ ...message(''), content: 'hello' })), 'hello', []],
    ['content that is a text, plain', json({ status: 'completed', output: [{ type: 'message', content: 'hello' }] }), 'hello', []],
    ['arguments that are an object', stream(completed({ ...call('a', ''), arguments: { text: 'A' } })), '', ['A']],
    ['the end as response.done', stream(delta, { type: 'response.done', response: { status: 'completed', output: [] } }), 'hello', []],
    ['an event twice', stream(done(message('hello')), done(message('hello')), completed(message('hello'))), 'hello', []],
  ]
  for (const [what, reply, text, calls] of rows) {
    const answer = await ask(t, 'responses', reply, { tools: TOOLS })
    t.strictSame([answer.text, answer.calls.map(([, input]) => (input as { text: string }).text)], [text, calls], what)
  }
})

t.test('usage, wherever a server puts it', async (t) => {
  const usage = { prompt_tokens: 30, completion_tokens: 5 }
  const text = chunk({ content: 'hello' })
  const end = { index: 0, delta: {}, finish_reason: 'stop' }
  const counts = (read = 0) => ({ input_tokens: 30 - read, output_tokens: 5, cache_read_tokens: read, cache_creation_tokens: 0 })
  const rows: readonly (readonly [string, StubReply, object])[] = [
    ['a chunk of its own', stream(text, { choices: [end] }, { choices: [], usage }, DONE), counts()],
    ['the last choice (Moonshot)', stream(text, { choices: [{ ...end, usage }] }, DONE), counts()],
    ['the last choice of a plain reply', json({ choices: [{ message: { content: 'hello' }, finish_reason: 'stop', usage }] }), counts()],
    ['x_groq', stream(text, { choices: [end], x_groq: { usage } }, DONE), counts()],
    ['by the names of the newer API', stream(text, { choices: [end], usage: { input_tokens: 30, output_tokens: 5 } }, DONE), counts()],
    ['cached_tokens (Moonshot)', stream(text, { choices: [end], usage: { ...usage, cached_tokens: 20 } }, DONE), counts(20)],
    [
      'prompt_cache_hit_tokens (DeepSeek)',
      stream(text, { choices: [end], usage: { ...usage, prompt_cache_hit_tokens: 20, prompt_cache_miss_tokens: 10 } }, DONE),
      counts(20),
    ],
    [
      'null, and then nowhere',
      stream({ ...text, usage: null }, { choices: [end], usage: null }, DONE),
      { ...counts(), input_tokens: 0, output_tokens: 0 },
    ],
  ]
  for (const [what, reply, counted] of rows) {
    const { text, usage } = await ask(t, 'chat', reply)
    t.strictSame([text, usage], ['hello', counted], what)
  }
})

t.test('streams, whatever they are called and what else is in them', async (t) => {
  const lines = (end: string) =>
    [chunk({ content: 'he' }), chunk({ content: 'llo' }, 'stop')].map((one) => JSON.stringify(one) + end).join('')
  const PRETTY = JSON.stringify({ choices: [{ message: { content: 'hello' }, finish_reason: 'stop' }] }, null, 2)
  const hello = [chunk({ content: 'he' }), 'data:', chunk({ content: 'llo' }), 'event: ping\ndata:', 'data: keep-alive', chunk({}, 'stop')]
  const rows: readonly (readonly [string, StubReply])[] = [
    ['empty data, words', stream(...hello, DONE)],
    ['[DONE] and white space', stream(...hello, 'data: [DONE] ')],
    ...['Text/Event-Stream', 'text/plain', 'application/json', 'application/octet-stream'].map(
      (type) => [type, { headers: { 'content-type': type }, chunks: [sse(...hello, DONE)] }] as const,
    ),
    ['no type', { headers: {}, chunks: [sse(...hello, DONE)] }],
    [
      'no blank lines',
      { headers: STREAM, chunks: [sse(chunk({ content: 'he' }), chunk({ content: 'llo' }, 'stop'), DONE).replaceAll('\n\n', '\n')] },
    ],
    ['no type, and the first word cut', { headers: {}, chunks: ['da', sse(...hello, DONE).slice(2)] }],
    [
      'a plain reply with a byte-order mark',
      { headers: JSON_TYPE, chunks: ['\ufeff{"choices":[{"message":{"content":"hello"},"finish_reason":"stop"}]}'] },
    ],
    ['a byte-order mark', { headers: JSON_TYPE, chunks: [`\ufeff${sse(...hello, DONE)}`] }],
    ['lines of JSON', { headers: { 'content-type': 'application/x-ndjson' }, chunks: [lines('\n')] }],
    ['lines of JSON, called a stream, with [DONE]', { headers: STREAM, chunks: [lines('\r\n\r\n'), '[DONE]\n'] }],
    ['a reply in many lines, and the end of a stream', { headers: JSON_TYPE, chunks: [`${PRETTY}\n\n${DONE}\n\n`] }],
    ['a line without data:', { headers: STREAM, chunks: [lines('\n\n'), `${DONE}\n\n`] }],
    [
      'a plain reply that is called a stream',
      { headers: STREAM, chunks: ['{"choices":[{"message":{"content":"hello"},', '"finish_reason":"stop"}]}'] },
    ],
  ]
  for (const [what, reply] of rows) t.match(await ask(t, 'chat', reply), { text: 'hello', asked: 1 }, what)
  const ping = anthropicText('hello').replaceAll('event: ping\n', 'event: ping\ndata:\n\nevent: ping\n')
  t.match(await ask(t, 'anthropic', { headers: STREAM, chunks: [ping] }), { text: 'hello', asked: 1 })
  const late = named({
    type: 'response.completed',
    response: { status: 'completed', output: [{ type: 'message', content: [{ type: 'output_text', text: 'hello' }] }] },
  })
  t.match(await ask(t, 'responses', { headers: STREAM, chunks: [`data:\n\n${late}`] }), { text: 'hello', asked: 1 })
})

t.test('lines of JSON that are cut, and an error in place of data', async (t) => {
  const whole = [chunk({ content: HALF }), chunk({}, 'stop')].map((one) => JSON.stringify(one)).join('\n')
  const rows: readonly (readonly [string, string])[] = [
    ['cut lines', whole.slice(0, -3)],
    ['lines without a reason', JSON.stringify(chunk({ content: HALF }))],
    ['error:', `${sse(chunk({ content: HALF }))}error: {"code":500,"message":"out of memory"}\n\n`],
  ]
  for (const [what, body] of rows) t.match(await ask(t, 'chat', { headers: STREAM, chunks: [body] }), { text: 'SECOND', asked: 2 }, what)
})

t.test('a call that a server left in the text is told, and never made', async (t) => {
  const calls = [
    '<tool_call>\n{"name": "look", "arguments": {"at": "A"}}\n</tool_call>',
    '<tool_call>\n<function=look>\n<parameter=at>\nA\n</parameter>\n</function>\n</tool_call>',
    '<tool_call>look\n<arg_key>at</arg_key>\n<arg_value>A</arg_value>\n</tool_call>',
    'I look.\n<function=look>{"at": "A"}</function>',
    '<minimax:tool_call>\n<invoke name="look">\n<parameter name="at">A</parameter>\n</invoke>\n</minimax:tool_call>',
    '<|tool_calls_section_begin|><|tool_call_begin|>functions.look:0<|tool_call_argument_begin|>{"at":"A"}<|tool_call_end|><|tool_calls_section_end|>',
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>look\n```json\n{}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    '<|python_tag|>{"name": "look", "parameters": {"at": "A"}}',
    '<|channel|>commentary to=functions.look <|constrain|>json<|message|>{"at":"A"}',
    '[TOOL_CALLS][{"name": "look", "arguments": {"at": "A"}}]',
    '[TOOL_CALLS]look[ARGS]{"at": "A"}',
    '<think>I look.</think><tool_call>{"name": "look"}</tool_call>',
    // It takes a time that is linear in the text.
    `<tool_call>{"name": "look", "arguments": {"at": "${'A<'.repeat(200_000)}`,
  ]
  const whole = (words: string) => said(words, 'stop', DONE)
  for (const words of calls) {
    const { stop, isOfModel, asked } = await ask(t, 'chat', whole(words), { tools: TOOLS })
    t.strictSame([stop, isOfModel, asked], ['provider_refused', true, 1], words.slice(0, 200))
    t.match(await ask(t, 'chat', whole(words)), { text: words, stop: 'end' }, 'no tools are offered')
  }
  const answers = [
    'Models write <tool_call>{"name": "look"}</tool_call>.',
    '<tool_call>{"name": "look"}</tool_call>\nis how models write it.',
    '<tool_call>{"name": "other"}</tool_call>',
    'They look at <b>it</b>.\n<invoke>',
    '```\n<tool_call>{"name": "look"}</tool_call>\n```',
  ]
  for (const words of answers) t.match(await ask(t, 'chat', whole(words), { tools: TOOLS }), { text: words, stop: 'end', asked: 1 }, words)
  const [call = ''] = calls
  for (const [wire, reply] of [
    ['anthropic', json({ type: 'message', content: [{ type: 'text', text: call }], stop_reason: 'end_turn' })],
    ['responses', json({ status: 'completed', output: [{ type: 'message', content: [{ type: 'output_text', text: call }] }] })],
  ] as const)
    t.match(await ask(t, wire, reply, { tools: TOOLS }), { isOfModel: true, asked: 1 }, wire)
})

t.test('errors within a reply of status 200', async (t) => {
  const error = (event: object, name?: string): StubReply => stream(...(name === undefined ? [] : []), event, DONE)
  const failed = (code: string, message: string) =>
    stream({ type: 'response.failed', response: { status: 'failed', error: { code, message } } })
  const rows: readonly (readonly [string, Wire, StubReply, string, ('final' | 'doubtful')?])[] = [
    ['a number for money', 'chat', error({ error: { code: 402, message: 'Insufficient credits' } }), 'provider_refused', 'final'],
    ['a number for the key', 'chat', error({ error: { code: 401, message: 'No auth credentials found' } }), 'unauthorized', 'final'],
    ['a number for the model', 'chat', error({ error: { code: 404, message: 'No endpoints found' } }), 'provider_refused', 'final'],
    ['a number beside the words', 'chat', error({ error: 'no money', code: 402 }), 'provider_refused', 'final'],
    [
      'a list',
      'chat',
      error([{ error: { code: 400, message: 'API key not valid. Please pass a valid API key.' } }] as object),
      'unauthorized',
      'final',
    ],
    [
      'llama.cpp',
      'chat',
      error({ error: { code: 400, message: 'the request exceeds the available context size', type: 'exceed_context_size_error' } }),
      'context_overflow',
    ],
    [
      'a filter',
      'chat',
      error({ error: { code: 403, message: 'flagged for "violence"', metadata: { reasons: ['violence'] } } }),
      'answer_refused',
    ],
    [
      'MiniMax: no money',
      'chat',
      json({ choices: null, base_resp: { status_code: 1008, status_msg: 'insufficient balance' } }),
      'provider_refused',
      'final',
    ],
    ['MiniMax: the key', 'chat', json({ base_resp: { status_code: 1004, status_msg: 'login fail' } }), 'unauthorized', 'final'],
    ['MiniMax: the request', 'chat', json({ base_resp: { status_code: 2013, status_msg: 'invalid params' } }), 'provider_refused'],
    [
      'z.ai: a filter',
      'chat',
      error({ error: { code: '1301', message: '系统检测到输入或生成内容可能包含不安全或敏感内容' } }),
      'answer_refused',
    ],
    [
      'a filter, whose word is a member',
      'chat',
      error({ error: { code: 403, message: 'no', metadata: { flagged_input: 'x' } } }),
      'answer_refused',
    ],
    ['a filter, without a reason', 'chat', error({ error: { code: 403, message: 'Your input was flagged' } }), 'answer_refused'],
    ['of the model', 'chat', error({ error: { code: 'tool_use_failed', message: 'Failed to call a function.' } }), 'provider_refused'],
    [
      'overflow',
      'responses',
      failed('context_length_exceeded', 'Your input exceeds the context window of this model.'),
      'context_overflow',
    ],
    [
      'overflow, nested',
      'responses',
      stream({ type: 'error', error: { type: 'invalid_request_error', code: 'context_length_exceeded', message: 'too long' } }),
      'context_overflow',
    ],
    [
      'money, flat',
      'responses',
      stream({ type: 'error', code: 'credit_balance_exhausted', message: 'no credits' }),
      'provider_refused',
      'final',
    ],
    [
      'money, nested',
      'responses',
      stream({ type: 'error', error: { type: 'insufficient_quota', message: 'no quota' } }),
      'rate_limited',
      'final',
    ],
    [
      'overflow',
      'anthropic',
      stream({ type: 'error', error: { type: 'invalid_request_error', message: 'prompt is too long: 213000 tokens > 200000 maximum' } }),
      'context_overflow',
    ],
    [
      'money',
      'anthropic',
      json({ type: 'error', error: { type: 'invalid_request_error', message: 'Your credit balance is too low' } }),
      'provider_refused',
      'final',
    ],
  ]
  for (const [what, wire, reply, stop, refusal] of rows) {
    const answer = await ask(t, wire, reply)
    t.strictSame([answer.stop, answer.refusal, answer.asked], [stop, refusal, 1], `${wire}: ${what}: ${answer.detail}`)
  }
  const late = await ask(t, 'chat', {
    headers: STREAM,
    chunks: ['{"code":429,"message":"Resource has been exhausted","details":"RESOURCE_EXHAUSTED"}'],
  })
  t.match(late, { text: 'SECOND', asked: 2 })
})

t.test('thinking that the server leaves out is told', async (t) => {
  const input_transformations = [{ type: 'thinking_dropped', path: 'messages.1.content.0', reason: 'prefix_binding_mismatch' }]
  const { url } = await openStub(t, [
    json({ type: 'message', content: [{ type: 'text', text: 'x' }], stop_reason: 'end_turn', input_transformations }),
  ])
  const { ask, reported } = openClient(t, 'anthropic', url)
  t.match(await ask(), { ok: true })
  t.match(
    reported.find(({ kind }) => kind === 'concession'),
    { what: 'earlier thinking', why: /prefix_binding_mismatch/ },
  )
})

t.test('errors by status', async (t) => {
  const extra = { type: 'extra_forbidden', loc: ['body', 'max_completion_tokens'], msg: 'Extra inputs are not permitted', input: 8192 }
  const rows: readonly (readonly [string, number, unknown, string, RegExp, string?])[] = [
    ['pydantic in detail', 422, { detail: [{ ...extra, loc: ['body', 'n'] }] }, 'provider_refused', /n: Extra inputs are not permitted/],
    [
      'pydantic in message',
      422,
      { object: 'error', message: { detail: [{ ...extra, loc: ['body', 'n'] }] } },
      'provider_refused',
      /n: Extra inputs/,
    ],
    [
      'pydantic in a text',
      422,
      { message: JSON.stringify({ detail: [{ ...extra, loc: ['body', 'n'] }] }) },
      'provider_refused',
      /n: Extra inputs/,
    ],
    [
      'a list',
      400,
      [{ error: { code: 400, message: 'API key not valid.', status: 'INVALID_ARGUMENT' } }],
      'unauthorized',
      /did not accept.*API key not valid/,
      'final',
    ],
    [
      'of another server',
      502,
      { error: { code: 502, message: 'Provider returned error', metadata: { raw: '{"error":{"message":"out of memory"}}' } } },
      'overloaded',
      /Provider returned error; out of memory/,
    ],
    ['several', 400, { errors: [{ message: 'one' }, { message: 'two' }] }, 'provider_refused', /one; two/],
    ['no words known', 418, { why: { not: 'teapot' } }, 'provider_refused', /\{"why":\{"not":"teapot"\}\}/],
    ['problem details', 400, { type: 'about:blank', title: 'Bad', detail: 'no such thing' }, 'provider_refused', /no such thing; Bad/],
    [
      'a parameter',
      400,
      { error: { message: 'Unsupported value', type: 'invalid_request_error', param: 'reasoning.summary' } },
      'provider_refused',
      /Unsupported value \(reasoning\.summary\)/,
    ],
    [
      'moderation',
      403,
      { error: { code: 403, message: 'Your chosen model requires moderation and your input was flagged for "violence"' } },
      'answer_refused',
      /flagged/,
    ],
    [
      'a filter',
      400,
      { error: { message: "The response was filtered due to Azure OpenAI's content management policy.", code: 'content_filter' } },
      'answer_refused',
      /content_filter/,
    ],
    ['a key without rights', 403, { error: { message: 'not allowed' } }, 'unauthorized', /not allowed/, 'doubtful'],
    [
      'no money',
      429,
      { error: { type: 'insufficient_quota', message: 'You exceeded your current quota' } },
      'rate_limited',
      /quota/,
      'final',
    ],
    [
      'no such model',
      400,
      { error: { message: 'foo is not a valid model ID', code: 400 } },
      'provider_refused',
      /not a valid model/,
      'final',
    ],
    [
      'Gemini',
      400,
      { error: { message: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).' } },
      'context_overflow',
      /1200000/,
    ],
    [
      'xAI',
      400,
      {
        code: 'Client specified an invalid argument',
        error: "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
      },
      'context_overflow',
      /537812/,
    ],
    [
      'vLLM',
      400,
      { error: { message: 'The decoder prompt (length 9000) is longer than the maximum model length of 4096.' } },
      'context_overflow',
      /9000/,
    ],
    [
      'Together',
      422,
      { error: { message: 'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4097.' } },
      'context_overflow',
      /4097/,
    ],
    [
      'LM Studio',
      400,
      { error: 'Trying to keep the first 9000 tokens. However, the model is loaded with context length of only 4096 tokens' },
      'context_overflow',
      /4096/,
    ],
    [
      'of the model',
      400,
      { error: { message: 'Failed to call a function.', code: 'tool_use_failed', failed_generation: '<function' } },
      'provider_refused',
      /Failed/,
    ],
  ]
  for (const [what, status, body, stop, detail, refusal] of rows) {
    const { url, received } = await openStub(t, [json(body, status)])
    const answer = await openClient(t, 'openai', url, { wire: 'chat', transport_retries: 0 }).ask()
    t.match(answer, { ok: false, error: { error: stop, detail } }, what)
    t.equal(answer.ok ? undefined : answer.refusal, refusal, what)
    t.equal(received.length, 1, what)
  }
  // Gemini's quota comes back in a minute, whatever its words.
  const quota = { error: { code: 429, message: 'insufficient_quota: Please retry in 34.2s.', status: 'RESOURCE_EXHAUSTED' } }
  t.match(await ask(t, 'chat', json(quota, 429)), { text: 'SECOND', asked: 2 })
  const atOnce = await ask(t, 'chat', json({ error: { message: 'Rate limit' } }, 429, { 'retry-after': '0' }))
  t.match(atOnce, { text: 'SECOND', waits: [500] })
})

t.test('words, wherever they are', async (t) => {
  t.equal(wordsOfBody('<html>').text, 'a page of HTML')
  t.equal(wordsOfBody('plain').text, 'plain')
  t.equal(wordsOfBody('').text, '')
  t.equal(wordsOfBody('[]').text, '[]')
  t.strictSame(wordsOf({ error: { type: 'a', code: 'b', message: 'c', param: 'd' } }).all, 'a b d c')
  const deep = Array.from({ length: 500 }).reduce<unknown>((inner) => ({ error: [inner] }), 'x')
  t.ok(wordsOf(deep).text.length > 0)
  for (const part of [
    { choices: [] },
    { usage: { a: 1 } },
    { id: 'x' },
    {},
    [],
    'x',
    1,
    null,
    { error: null },
    { output: [], message: 'x' },
  ])
    t.equal(errorIn(part), undefined, JSON.stringify(part))
})
