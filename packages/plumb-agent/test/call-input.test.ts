// Inputs of calls with numbers that no double holds: they reach the tool, the provider and what is kept as the model wrote them.

import type { Json } from '@plumb/lang'
import { hashOf } from '@plumb/ledger/kept'
import t from 'tap'
import { readCallInput, withWritten } from '../src/provider/call-input.js'
import { data, JSON_TYPE, named, openClient, openStub, STREAM } from './fixtures/provider/stub.js'

t.test('the input of a call keeps its digits, on the way in and on the way back', async (t) => {
  const written = '{"n":9007199254740993,"x":[0.1000000000000000055511151231257827,1]}'
  const block = { type: 'tool_use', id: 'toolu_1', name: 'f' }
  const delta = (partial_json: string) => ({ type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json } })
  const message = `{"type":"message","content":[{"type":"tool_use","id":"toolu_1","name":"f","input":${written}}],"stop_reason":"tool_use","usage":{"input_tokens":1,"output_tokens":1}}`
  const call = { index: 0, id: 'toolu_1', type: 'function', function: { name: 'f', arguments: written } }
  const item = { type: 'function_call', call_id: 'toolu_1', name: 'f', arguments: written }
  const forms = {
    'anthropic, streamed': {
      name: 'anthropic',
      config: {},
      headers: STREAM,
      reply: named(
        { type: 'message_start', message: { usage: { input_tokens: 1, output_tokens: 1 } } },
        { type: 'content_block_start', index: 0, content_block: { ...block, input: {} } },
        delta(written.slice(0, 12)),
        delta(written.slice(12)),
        { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: {} },
        { type: 'message_stop' },
      ),
      sent: `{"type":"tool_use","id":"toolu_1","name":"f","input":${written}`,
    },
    'anthropic, plain': {
      name: 'anthropic',
      config: { stream: false },
      headers: JSON_TYPE,
      reply: message,
      sent: `{"type":"tool_use","id":"toolu_1","name":"f","input":${written}`,
    },
    chat: {
      name: 'openai',
      config: { wire: 'chat' },
      headers: STREAM,
      reply: data({ choices: [{ index: 0, delta: { tool_calls: [call] }, finish_reason: 'tool_calls' }] }),
      sent: `"arguments":${JSON.stringify(written)}`,
    },
    responses: {
      name: 'openai',
      config: { wire: 'responses' },
      headers: STREAM,
      reply: named({
        type: 'response.completed',
        response: { status: 'completed', output: [item], usage: { input_tokens: 1, output_tokens: 1 } },
      }),
      sent: `"arguments":${JSON.stringify(written)}`,
    },
  } as const
  for (const [what, { name, config, headers, reply, sent }] of Object.entries(forms)) {
    const { url, received } = await openStub(t, [{ headers, chunks: [reply] }])
    const { ask } = openClient(t, name, url, config)
    const tools = [{ name: 'f', description: '', input_schema: { type: 'object' } }]
    const answer = await ask({ tools })
    if (!answer.ok) throw new Error(answer.error.detail)
    const [use] = answer.value.content.filter((one) => one.type === 'tool_use')
    t.equal(use?.json, written, what)
    const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: '1', is_error: false }
    const said = JSON.parse(JSON.stringify(answer.value.content)) as Json
    await ask({
      tools,
      turn: [
        { role: 'user', content: 'x' },
        { role: 'assistant', content: said },
        { role: 'user', content: [result] },
      ],
    })
    t.ok(received[1]?.text.includes(sent), `${what}: ${received[1]?.text}`)
  }
})

t.test('a written input counts where it says what the value does', async (t) => {
  t.same(withWritten({ n: 2 ** 53 }, '{"n":9007199254740993}'), { input: { n: 2 ** 53 }, json: '{"n":9007199254740993}' })
  for (const other of ['{"n":1}', 'nonsense']) t.same(withWritten({ n: 2 ** 53 }, other), { input: { n: 2 ** 53 } })
})

t.test('requests and calls that differ in digits beyond doubles are others', async (t) => {
  const digits = ['{"n":9007199254740993}', '{"n":9007199254740992}', '{"n":9007199254740994}', '{ "n": 9007199254740992.0 }']
  const hashes = digits.map((text) => hashOf({ call: { name: 'f', ...readCallInput(text) } }))
  t.equal(new Set(hashes).size, 3)
  t.equal(hashes[1], hashes[3])
})
