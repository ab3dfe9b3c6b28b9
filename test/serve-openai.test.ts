// The endpoints of OpenAI's API, called by the official client, and conversations.

import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import t from 'tap'
import { serve } from './serving.js'
import { openTalkingModel } from './talking-model.js'

interface Client {
  readonly models: { list(): Promise<{ data: { id: string }[] }> }
  readonly chat: { readonly completions: { create(body: object): Promise<Completion & AsyncIterable<Chunk>> } }
  readonly responses: {
    create(
      body: object,
    ): Promise<{ output_text: string; usage: { total_tokens: number } } & AsyncIterable<{ type: string; delta?: string }>>
  }
}
interface Completion {
  readonly choices: readonly { readonly message: { readonly content: string }; readonly finish_reason: string }[]
  readonly usage: { readonly prompt_tokens: number; readonly completion_tokens: number; readonly total_tokens: number }
}
interface Chunk {
  readonly choices: readonly { readonly delta: { readonly content?: string }; readonly finish_reason: string | null }[]
  readonly usage?: Completion['usage'] | null
}

// Of the package that uses its types.
const { OpenAI } = createRequire(resolve('packages/plumb-agent/package.json'))('openai') as { OpenAI: new (options: object) => Client }

const specOf = (
  url: string,
): string => `@serve let bot : !string -> !string = agent { provider: "anthropic", model: "claude-x", endpoint: "${url}", prompt: "Be brief." }
@serve let shout : !string -> !string = map(upper(value))
@serve let eliza : !string -> !string = agent { provider: "eliza", model: "doctor" }
@serve let count : !{ messages: [{ role: string, content: string }], temperature?: number } -> !string = map($"{length(messages)} {temperature ?? 0}")
@serve let size : !{ messages: [{ role: string, content: string }] } -> !{ n: int } = map({ n: length(messages[0].content) })
@serve let echo : !{ messages: [{ role: string, content: string }], n_big: int } -> !string = map($"{n_big}")
@serve let fails : !string -> !string = map(fail("it is closed"))
@serve let number : !int -> !int = id
`
const TOKEN = 'token-0123456789abcdef'

t.test('by the official client', async (t) => {
  const model = await openTalkingModel()
  t.teardown(() => model.close())
  const server = await serve(
    { 'a.plumb': specOf(model.url), 'prices.json': '{"claude-x":{"input":10,"output":10}}' },
    { args: ['--token-env', 'TOKEN', '--prices', 'prices.json'], env: { TOKEN, ANTHROPIC_API_KEY: 'k-0123456789' } },
  )
  t.teardown(() => server.stop())
  const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: TOKEN, maxRetries: 0 })
  t.strictSame(
    (await client.models.list()).data.map(({ id }) => id),
    ['bot', 'shout', 'eliza', 'count', 'size', 'echo', 'fails'],
  )

  const history = [
    { role: 'system', content: 'The caller is in a hurry.' },
    { role: 'user', content: 'I am Ada.' },
    { role: 'assistant', content: 'Hello Ada.' },
    { role: 'user', content: [{ type: 'text', text: 'Who am I?' }] },
  ]
  const asked = client.chat.completions.create({ model: 'bot', messages: history })
  const turn = await model.turn()
  const texts = JSON.stringify(turn.body.messages)
  t.match(texts, /in a hurry.*I am Ada.*Hello Ada.*Who am I/, 'what was said before is its memory')
  t.match(JSON.stringify(turn.body.system), /Be brief/)
  t.notMatch(JSON.stringify(turn.body.system), /in a hurry/, "a caller's system message is the caller's words")
  turn.say('You are Ada.')
  turn.end()
  const { choices, usage } = await asked
  t.match(choices[0], { message: { content: 'You are Ada.' }, finish_reason: 'stop' })
  t.equal(usage.total_tokens, usage.prompt_tokens + usage.completion_tokens)

  const next = client.chat.completions.create({ model: 'bot', messages: [{ role: 'user', content: 'And now?' }] })
  const fresh = await model.turn()
  t.equal(fresh.body.messages.length, 1, 'nothing of the request before')
  fresh.end()
  await next.catch(() => {})

  const streaming = client.chat.completions.create({
    model: 'bot',
    stream: true,
    stream_options: { include_usage: true },
    messages: [{ role: 'user', content: 'Go' }],
  })
  const spoken = await model.turn()
  spoken.say('one ')
  const stream = await streaming
  const pieces: string[] = []
  let last: Chunk | undefined
  for await (const chunk of stream) {
    const piece = chunk.choices[0]?.delta.content
    if (piece) pieces.push(piece)
    if (piece === 'one ') {
      spoken.say('two')
      spoken.end()
    }
    last = chunk
  }
  t.strictSame(pieces, ['one ', 'two'], 'as it comes')
  t.match(last?.usage, { total_tokens: Number })

  const whole = await client.responses.create({ model: 'shout', input: 'hello' })
  t.equal(whole.output_text, 'HELLO')
  const types: string[] = []
  for await (const event of await client.responses.create({ model: 'shout', input: [{ role: 'user', content: 'hi' }], stream: true }))
    types.push(event.type)
  t.strictSame([types[0], types.at(-1)], ['response.created', 'response.completed'])
  t.ok(types.includes('response.output_text.delta'))
  const counted = await client.chat.completions.create({
    model: 'count',
    temperature: 0.5,
    messages: history.slice(0, 3).concat({ role: 'user', content: 'x' }),
  })
  t.equal(counted.choices[0]?.message.content, '4 0.5')

  const refused = (body: object) => client.chat.completions.create(body).catch((error: unknown) => error)
  const messages = [{ role: 'user', content: 'a' }]
  t.match(await refused({ model: 'none', messages }), { status: 404, code: 'model_not_found', type: 'invalid_request_error' })
  t.match(await refused({ model: 'number', messages }), { status: 404 })
  t.match(await refused({ model: 'fails', messages }), { status: 422, code: 'rejected', message: /it is closed/ })
  t.match(await refused({ model: 'shout', messages: [] }), { status: 400 })
  t.match(await refused({ model: 'shout', messages: [{ role: 'tool', content: 'a' }] }), { status: 400 })
  for (const [path, body] of [
    ['/v1/chat/completions', { model: 'bot', messages }],
    ['/v1/responses', { model: 'bot', input: 'a' }],
  ] as const) {
    const headers = { authorization: `Bearer ${TOKEN}`, 'plumb-max-cost': '0.000001' }
    const dear = server.call(path, JSON.stringify(body), { headers })
    const turn = await model.turn()
    turn.say('yes')
    turn.end()
    t.match(await dear, { status: 402, json: { error: { code: 'budget_spent', message: /Plumb-Max-Cost/ } } }, path)
  }
  const stranger = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'wrong-token-0123456789', maxRetries: 0 })
  t.match(await stranger.models.list().catch((error: unknown) => error), { status: 401, code: 'invalid_api_key' })
})

t.test('what a client asks for beyond the text', async (t) => {
  const server = await serve({ 'a.plumb': specOf('http://127.0.0.1:9') }, { env: { ANTHROPIC_API_KEY: 'k-0123456789' } })
  t.teardown(() => server.stop())
  const chat = (body: object) => server.call('/v1/chat/completions', JSON.stringify(body))
  const hi = { model: 'shout', messages: [{ role: 'user', content: 'hi' }] }
  const schema = { type: 'json_schema', json_schema: { name: 'a', schema: { type: 'object' } } }
  const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }]
  for (const [more, message] of [
    [{ response_format: schema }, /'response_format' asks for JSON/],
    [{ response_format: { type: 'json_object' } }, /asks for JSON/],
    [{ tools, tool_choice: 'required' }, /'tool_choice' forces/],
    [{ stream: 'yes' }, /'stream' is true or false/],
  ] as const)
    t.match(await chat({ ...hi, ...more }), { status: 400, json: { error: { code: 'usage', message } } }, JSON.stringify(more))
  for (const more of [{ tools, tool_choice: 'auto' }, { response_format: { type: 'text' } }, { stream: null, n: 1, tools: null }])
    t.match(await chat({ ...hi, ...more }), { status: 200, json: { choices: [{ message: { content: 'HI' } }] } }, JSON.stringify(more))
  const counted = { model: 'size', messages: [{ role: 'user', content: 'hi' }] }
  t.match((await chat({ ...counted, response_format: schema })).json.choices, [{ message: { content: '{"n":2}' } }], 'by its type')
  const background = await server.call('/v1/responses', '{"model":"shout","input":"hi","background":true}')
  t.match(background, { status: 400, json: { error: { message: /respond-async/ } } })
  const named = '{"model":"echo",\n"messages":[{"role":"user","content":"hi"}],\n"n_big":9007199254740993}'
  t.match((await server.call('/v1/chat/completions', named)).text, /9007199254740993/, 'a number has all its digits')
  const talk = { headers: { 'plumb-conversation': 'c' } }
  const say = async () =>
    (await server.call('/v1/responses', '{"model":"eliza","input":"I need help"}', talk)).text.match(/"text":"(.*?)"/)?.[1]
  t.not(await say(), await say(), 'a conversation by its header')
})

t.test('an answer that was cut, and what a server counts', async (t) => {
  const usage = {
    prompt_tokens: 9,
    completion_tokens: 4,
    prompt_tokens_details: { cached_tokens: 5 },
    completion_tokens_details: { reasoning_tokens: 1 },
  }
  const chunk = { id: 'a', model: 'm', choices: [{ index: 0, delta: { content: 'one two' }, finish_reason: 'length' }], usage }
  const model = createServer((request, response) => {
    request
      .resume()
      .on('end', () => response.setHeader('content-type', 'text/event-stream').end(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`))
  }).listen(0, '127.0.0.1')
  await once(model, 'listening')
  t.teardown(() => model.close())
  const { port } = model.address() as AddressInfo
  const spec = `let main : !string -> !string = agent { provider: "openai", wire: "chat", model: "m", endpoint: "http://127.0.0.1:${port}/v1", cut: "keep" }`
  const server = await serve({ 'a.plumb': spec })
  t.teardown(() => server.stop())
  const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'any', maxRetries: 0 })
  const messages = [{ role: 'user', content: 'Count.' }]
  const { choices, usage: counted } = await client.chat.completions.create({ model: 'main', messages })
  t.match(choices, [{ message: { content: 'one two' }, finish_reason: 'length' }])
  t.match(counted, { prompt_tokens_details: { cached_tokens: 5 }, completion_tokens_details: { reasoning_tokens: 1 } })
  const reasons: unknown[] = []
  for await (const { choices } of await client.chat.completions.create({ model: 'main', messages, stream: true }))
    reasons.push(choices[0]?.finish_reason)
  t.equal(reasons.at(-1), 'length')
  const response = await client.responses.create({ model: 'main', input: 'Count.' })
  t.match(response, { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' }, output_text: 'one two' })
  const types: string[] = []
  for await (const { type } of await client.responses.create({ model: 'main', input: 'Count.', stream: true })) types.push(type)
  t.equal(types.at(-1), 'response.incomplete')
})

t.test('conversations', async (t) => {
  const tokens = JSON.stringify(['one', 'two'].map((name) => ({ name, token: `${name}-0123456789abcdef` })))
  const args = ['--tokens', 'tokens.json', '--conversations', '2', '--record', 'runs']
  const files = { 'a.plumb': specOf('http://127.0.0.1:9'), 'tokens.json': tokens }
  const directory = mkdtempSync(join(tmpdir(), 'plumb-talks-'))
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  const options = { args, env: { ANTHROPIC_API_KEY: 'k-0123456789' }, directory }
  const server = await serve(files, options)
  const say = async (id: string | undefined, text = 'I need some help', name = 'one', to = server): Promise<string> => {
    const headers = { authorization: `Bearer ${name}-0123456789abcdef`, ...(id === undefined ? {} : { 'plumb-conversation': id }) }
    return (await to.call('/eliza', JSON.stringify(text), { headers })).text
  }
  const first = await say(undefined)
  t.equal(await say('a'), first)
  const second = await say('a')
  t.not(second, first, 'it remembers')
  t.equal(await say('b'), first, 'another conversation')
  t.equal(await say('a', undefined, 'two'), first, "another token's")
  t.equal(await say(undefined), first)
  t.equal(await say('b'), second)
  const both = await Promise.all([say('c'), say('c')])
  t.strictSame(both.sort(), [first, second].sort(), 'one after the other')
  t.equal(await say('a'), first, 'the least recently used is forgotten')
  const forget = (id: string) =>
    server.call(`/conversations/${id}`, undefined, { method: 'DELETE', headers: { authorization: 'Bearer one-0123456789abcdef' } })
  t.equal((await forget('a')).status, 204)
  t.equal((await forget('a')).status, 404)
  t.equal(await say('a'), first)
  await server.stop('SIGKILL')
  const again = await serve(files, options)
  t.teardown(() => again.stop())
  t.equal(await say('a', undefined, 'one', again), second, 'with --record it is there after a kill')
})
