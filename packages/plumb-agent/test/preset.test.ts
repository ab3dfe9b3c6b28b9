// Each preset against its server, as that is recorded in fixtures/provider/exchanges.ts: with tools and without, typed and not, streamed and
// plain, and a second question of the same conversation.

import { ACCOUNTS, type Account } from '@plumb/wire'
import t, { type Test } from 'tap'
import { readEndpoint } from '../src/provider/http/endpoint.js'
import { madeEndpoint } from '../src/provider/http/made-endpoint.js'
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

const AZURE = 'https://res.openai.azure.com/openai/v1'
const VERTEX = 'v1/projects/p/locations'

/** What the variables make of the address, or what is wrong with them. */
const MADE: readonly (readonly [preset: string, env: Readonly<Record<string, string>>, made: string | RegExp])[] = [
  ...['', '/', '/openai', '/openai/v1', '/openai/v1/', '///'].map(
    (end) => ['azure', { AZURE_OPENAI_ENDPOINT: `https://res.openai.azure.com${end}` }, AZURE] as const,
  ),
  ['azure', { AZURE_OPENAI_ENDPOINT: ' ' }, /^missing AZURE_OPENAI_ENDPOINT$/],
  ['azure', { AZURE_OPENAI_ENDPOINT: 'res.openai.azure.com' }, /is not a URL of a server/],
  ['azure', { AZURE_OPENAI_ENDPOINT: 'http://res.openai.azure.com' }, /over https only/],
  ['azure', { AZURE_OPENAI_ENDPOINT: 'https://u:p@res.openai.azure.com' }, /holds a name or password/],
  ['bedrock', { AWS_REGION: 'eu-west-1', AWS_DEFAULT_REGION: 'x' }, 'https://bedrock-runtime.eu-west-1.amazonaws.com/openai/v1'],
  ['bedrock', { AWS_REGION: '', AWS_DEFAULT_REGION: 'us-east-1' }, 'https://bedrock-runtime.us-east-1.amazonaws.com/openai/v1'],
  ['bedrock', {}, /^missing AWS_REGION$/],
  ['bedrock', { AWS_REGION: 'a.example/' }, 'https://bedrock-runtime.a.example.amazonaws.com/openai/v1'],
  ...['a/b', 'a#b', 'a?b', 'a@b', '%2f', 'a b', '\\'].map(
    (AWS_REGION) => ['bedrock', { AWS_REGION }, /AWS_REGION is '.*', which is not a part/] as const,
  ),
  ['vertex', {}, /^missing GOOGLE_CLOUD_LOCATION GOOGLE_CLOUD_PROJECT$/],
  [
    'vertex',
    { GOOGLE_CLOUD_PROJECT: 'p', GOOGLE_CLOUD_LOCATION: 'europe-west4' },
    `https://europe-west4-aiplatform.googleapis.com/${VERTEX}/europe-west4/endpoints/openapi`,
  ],
  [
    'vertex',
    { GOOGLE_CLOUD_PROJECT: 'p', GOOGLE_CLOUD_LOCATION: 'global' },
    `https://aiplatform.googleapis.com/${VERTEX}/global/endpoints/openapi`,
  ],
  [
    'vertex',
    { GOOGLE_CLOUD_PROJECT: 'p', GOOGLE_CLOUD_LOCATION: 'eu' },
    `https://aiplatform.eu.rep.googleapis.com/${VERTEX}/eu/endpoints/openapi`,
  ],
]

const accountOf = (preset: string): Account => {
  const account = ACCOUNTS.find(({ name }) => name === preset)
  if (!account) throw new Error(preset)
  return account
}

t.test('addresses made of variables', async (t) => {
  for (const [preset, env, made] of MADE) {
    const account = accountOf(preset)
    const { url, missing, wrong } = madeEndpoint(account, env)
    const read =
      missing.length > 0
        ? `missing ${missing.join(' ')}`
        : (wrong ?? readEndpoint({ ...account, endpoint: url }, { spec: undefined, environment: undefined, allowedHosts: [] }))
    t.match(typeof read === 'object' && 'detail' in read ? read.detail : String(read), made, `${preset} ${JSON.stringify(env)}`)
  }
})

t.test('hosts of the clouds that a key is sent to', async (t) => {
  for (const [preset, host, isOwn] of [
    ['bedrock', 'bedrock-runtime-fips.us-east-1.amazonaws.com', true],
    ['bedrock', 'bedrock-mantle.us-east-1.api.aws', true],
    ['bedrock', 'bedrock-runtime.us-east-1.amazonaws.com.evil.example', false],
    ['bedrock', 's3.us-east-1.amazonaws.com', false],
    ['vertex', 'aiplatform.eu.rep.googleapis.com', true],
    ['vertex', 'us-central1-aiplatform.googleapis.com', true],
    ['vertex', 'storage.googleapis.com', false],
    ['vertex', 'xaiplatform.googleapis.com', false],
    ['azure', 'res.openai.azure.com', false],
  ] as const) {
    const own = { ...accountOf(preset), endpoint: undefined }
    const read = readEndpoint(own, { spec: `https://${host}/v1`, environment: undefined, allowedHosts: [] })
    t.equal(read instanceof URL, isOwn, `${preset}: ${host}`)
  }
})
