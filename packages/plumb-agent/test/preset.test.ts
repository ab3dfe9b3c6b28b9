// Each preset against its server, as that is recorded in fixtures/provider/exchanges.ts: with tools and without, typed and not, streamed and
// plain, and a second question of the same conversation.

import t, { type Test } from 'tap'
import type { ChatMessage, ModelRequest } from '../src/provider/provider.js'
import { describeUnpaired } from '../src/provider/read-message.js'
import { PRESET_SERVERS, type PresetServer, replyOf } from './fixtures/provider/exchanges.js'
import { openClient, openStub } from './fixtures/provider/stub.js'

const TOOLS = [
  { name: 'look', description: 'Looks.', input_schema: { type: 'object', properties: { at: { type: 'string' } }, required: ['at'] } },
]
const TYPED = {
  output: { kind: 'record', fields: [{ name: 'score', type: { kind: 'int' }, isOptional: false }] },
} as const satisfies Partial<ModelRequest>

/** Asks twice, with the rounds of tools that are wanted. Returns the texts, and how often was asked. */
const converse = async (t: Test, name: string, server: PresetServer, change: Partial<ModelRequest>, stream: boolean) => {
  const { url, received } = await openStub(t, [replyOf(server)])
  const { ask, reported } = openClient(t, name, url, { stream, transport_retries: 0, max_tokens: 50 })
  const history: ChatMessage[] = []
  const texts: string[] = []
  for (const input of ['first', 'second']) {
    const turn: ChatMessage[] = [{ role: 'user', content: input }]
    for (let round = 0; round < 3; round++) {
      // As a memory is kept and set.
      const answer = await ask({ ...change, history: JSON.parse(JSON.stringify(history)), turn: JSON.parse(JSON.stringify(turn)) })
      if (!answer.ok) return { texts, error: answer.error.detail, received, reported }
      const { content } = answer.value
      turn.push({ role: 'assistant', content: JSON.parse(JSON.stringify(content)) })
      const uses = content.filter((block) => block.type === 'tool_use')
      if (uses.length === 0) {
        texts.push(content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join(''))
        break
      }
      t.strictSame(
        uses.map(({ input }) => input),
        [{ at: 'A' }],
      )
      turn.push({
        role: 'user',
        content: uses.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: '"seen"', is_error: false })),
      })
    }
    history.push(...turn)
  }
  t.equal(describeUnpaired(history), undefined)
  return { texts, error: undefined, received, reported }
}

for (const [name, server] of PRESET_SERVERS)
  t.test(name, async (t) => {
    for (const stream of [true, false])
      for (const tools of [[], TOOLS])
        for (const typed of [{}, TYPED]) {
          const words = 'output' in typed ? '{"score":4}' : 'four'
          const { texts, error, received, reported } = await converse(t, name, server, { tools, ...typed }, stream)
          const what = `${stream ? 'streamed' : 'plain'}, ${tools.length > 0 ? 'tools' : 'no tools'}, ${words}`
          t.strictSame([texts, error], [[words, words], undefined], what)
          const requests = 2 * (tools.length > 0 ? 2 : 1)
          const conceded = reported.filter(({ kind }) => kind === 'concession').length
          t.equal(received.length, requests + conceded, `${what}: nothing was refused in silence`)
        }
  })

t.test('what a memory of elsewhere lacks is made up for', async (t) => {
  const history: ChatMessage[] = [
    { role: 'user', content: 'a' },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_01', name: 'look', input: { at: 'A' } }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_01', content: '1', is_error: false }] },
    { role: 'assistant', content: '' },
    { role: 'user', content: 'b' },
    { role: 'assistant', content: 'c' },
  ]
  for (const [name, server] of PRESET_SERVERS) {
    if (name === 'openrouter') continue
    const { url } = await openStub(t, [replyOf(server)])
    t.match(await openClient(t, name, url).ask({ history }), { ok: true }, name)
  }
})

// As the documents of the clouds have the wire of Responses: one answer at once, and one as a stream.
const RESPONSE = {
  id: 'resp_1',
  object: 'response',
  status: 'completed',
  model: 'gpt-5.2',
  output: [
    {
      type: 'message',
      id: 'msg_1',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: 'four', annotations: [] }],
    },
  ],
  usage: { input_tokens: 3, output_tokens: 2, output_tokens_details: { reasoning_tokens: 1 } },
}

for (const name of ['azure', 'bedrock'])
  t.test(`${name} by the wire of Responses`, async (t) => {
    const headers = { 'content-type': 'application/json' }
    const streamed = `event: response.completed\ndata: ${JSON.stringify({ type: 'response.completed', response: RESPONSE })}\n\n`
    const { url, received } = await openStub(t, [
      { headers, chunks: [JSON.stringify(RESPONSE)] },
      { headers: { 'content-type': 'text/event-stream' }, chunks: [streamed] },
    ])
    for (const stream of [false, true]) {
      const { ask } = openClient(t, name, `${url}/openai/v1`, { wire: 'responses', stream, transport_retries: 0 })
      const answer = await ask({})
      t.match(answer, { ok: true, value: { content: [{ text: 'four' }], reply: { id: 'resp_1', model: 'gpt-5.2', reasoning_tokens: 1 } } })
    }
    t.match(received, [
      { path: '/openai/v1/responses', body: { store: false } },
      { path: '/openai/v1/responses', body: { stream: true } },
    ])
  })
