// The providers against a mock of both APIs that none of us wrote.

import { type ChatMessage, LLMock } from '@copilotkit/aimock'
import type { Json } from '@plumb/lang'
import t from 'tap'
import { openClient } from './fixtures/provider/stub.js'

const TOOLS = [
  {
    name: 'shop:price',
    description: 'The price.',
    input_schema: { type: 'object', properties: { item: { type: 'string' } }, required: ['item'] },
  },
]
const lastIs =
  (role: string) =>
  ({ messages }: { messages: readonly ChatMessage[] }) =>
    messages.at(-1)?.role === role

t.test('both APIs, streaming and plain, with a tool round', async (t) => {
  const mock = new LLMock({ port: 0, chunkSize: 3 })
  t.teardown(() => mock.stop())
  mock.on({ predicate: lastIs('tool') }, { content: 'It costs 7 €.' })
  mock.onMessage('price', { toolCalls: [{ name: 'shop__price', arguments: '{"item":"Käse"}' }] })
  mock.onMessage('hello', { content: 'Grüße 👋 from the mock' })
  mock.onMessage('broken', { error: { message: 'Overloaded', type: 'overloaded_error' }, status: 529 })
  await mock.start()

  for (const name of ['anthropic', 'openai'] as const) {
    for (const stream of [true, false]) {
      const what = `${name}, ${stream ? 'streaming' : 'plain'}`
      const { ask, reported } = openClient(t, name, mock.url, { stream, transport_retries: 1 })
      t.match(await ask(), { ok: true, value: { content: [{ type: 'text', text: 'Grüße 👋 from the mock' }], stop: 'end' } }, what)
      const deltas = reported.flatMap((event) => (event.kind === 'text' ? [event.delta] : []))
      t.equal(deltas.join(''), 'Grüße 👋 from the mock', `${what}: reported`)
      t.equal(deltas.length > 1, stream, `${what}: piece by piece`)

      const user = { role: 'user', content: 'what is the price?' }
      const call = await ask({ turn: [user], tools: TOOLS })
      t.match(
        call,
        { ok: true, value: { content: [{ type: 'tool_use', name: 'shop:price', input: { item: 'Käse' } }], stop: 'tool_use' } },
        what,
      )
      if (!call.ok) return
      const [use] = call.value.content.filter((block) => block.type === 'tool_use')
      const result = { type: 'tool_result', tool_use_id: use?.id ?? '', content: '7', is_error: false }
      const turn = [user, { role: 'assistant', content: call.value.content as Json }, { role: 'user', content: [result] }]
      t.match(await ask({ turn, tools: TOOLS }), { ok: true, value: { content: [{ type: 'text', text: 'It costs 7 €.' }] } }, what)

      t.match(
        await ask({ turn: [{ role: 'user', content: 'broken' }] }),
        { ok: false, error: { error: 'overloaded', detail: /Overloaded.*after 1 retry/ } },
        what,
      )
    }
  }
})
