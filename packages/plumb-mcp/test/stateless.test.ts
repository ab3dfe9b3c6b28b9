// Revision 2026-07-28, without sessions: raw requests on stdio and on HTTP, beside clients of older revisions on the same server.

import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { initialize, type Message, openPlace, request, SERVER, spawnRaw } from './server.js'

const SPEC = `type N = { n: int }
type Size = "small" | "large"
@tool true
let double : N -> N = map({ n: n * 2 })
let numbers : {} -> [int] = tool { mock: [1, 2] }
let size : {} -> Size = tool { mock: "small" }
let nobody : {} -> int | unit = tool { mock: null }
let words : {} -> string = tool { mock: "a text" }
let picture : {} -> json = tool { mock: { type: "image", media_type: "image/png", data: "aGVsbG8=" } }
let asked : { why?: string } -> string = tool { mock: "agreed", approval: "ask" }
let also : { why?: string } -> string = tool { mock: "agreed too", approval: "ask" }
let unasked : { why?: string } -> string = tool { mock: "nobody was asked" }
@tool true
let both : { why?: string } -> (string, string) = asked * also
@tool true
let either : { why?: string } -> string = asked + unasked
let sleep : { arguments?: [string] } -> string = tool { command: "sleep 60", timeout: 50 }
`

const place = openPlace({
  't.plumb': SPEC,
  'text.txt': 'hello\n',
  'prompts/kind.md': '---\nprovider: eliza\nmodel: doctor\n---\nBe kind.\n',
})
t.teardown(() => place.remove())
const ARGS = ['--docroot', '.', '--grant', 'exec', '--prompts', 'prompts', 't.plumb']

const PREFIX = 'io.modelcontextprotocol/'
const FORMS = { elicitation: {} }
const meta = (capabilities: object = {}, more: object = {}) => ({
  [`${PREFIX}protocolVersion`]: '2026-07-28',
  [`${PREFIX}clientCapabilities`]: capabilities,
  ...more,
})
const ask = (id: string | number, method: string, params: object = {}, _meta: object = meta()) => request(id, method, { ...params, _meta })
const isFor = (id: string | number) => (message: Message) => message.id === id && message.method === undefined

/** One server on stdio for all that is asked in a test. */
const open = () => {
  const raw = spawnRaw(place, ARGS)
  const answer = async (message: { readonly id: string | number }): Promise<Message> => {
    raw.send(message)
    return raw.receive(isFor(message.id))
  }
  const end = (): typeof raw.exited => {
    raw.child.stdin.end()
    return raw.exited
  }
  return { ...raw, answer, end }
}

t.test('stdio: discover, lists and calls, with what they say of themselves', async (t) => {
  const { answer, end } = open()
  const { result } = await answer(ask(1, 'server/discover'))
  t.match(result, { resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities: { tools: {}, prompts: {}, resources: {} } })
  t.match(result, { ttlMs: Number, cacheScope: 'private', instructions: String, _meta: { [`${PREFIX}serverInfo`]: { name: 'plumb-mcp' } } })
  for (const method of ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'])
    t.match((await answer(ask(method, method))).result, { resultType: 'complete', ttlMs: Number, cacheScope: 'private' }, method)
  const uri = pathToFileURL(join(place.directory, 'text.txt')).href
  t.match((await answer(ask(2, 'resources/read', { uri }))).result, { ttlMs: 0, contents: [{ text: 'hello\n' }] })
  t.match((await answer(ask(3, 'resources/read', { uri: 'file:///none' }))).error, { code: -32602 }, 'no such resource')
  t.match((await answer(ask(4, 'tools/call', { name: 'double', arguments: { n: 21 } }))).result, { structuredContent: { n: 42 } })
  t.match((await answer(ask(5, 'prompts/get', { name: 'kind' }))).result, { resultType: 'complete', messages: [{ role: 'user' }] })
  t.match(await end(), { status: 0 })
})

t.test('stdio: structured content is any JSON for these clients, and an object for older ones', async (t) => {
  const { answer, end } = open()
  const listed = async (message: { id: string | number }) => {
    const { tools } = (await answer(message)).result as { tools: readonly { name: string; outputSchema?: object }[] }
    return Object.fromEntries(tools.map(({ name, outputSchema }) => [name, outputSchema]))
  }
  t.match(await listed(ask(1, 'tools/list')), {
    double: { type: 'object' },
    numbers: { type: 'array', items: { type: 'integer' } },
    size: { enum: ['small', 'large'] },
    nobody: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
    words: undefined,
    picture: undefined,
  })
  const called = async (name: string) => (await answer(ask(`call ${name}`, 'tools/call', { name }))).result
  t.match(await called('numbers'), { structuredContent: [1, 2], content: [{ text: '[1,2]' }] })
  t.match(await called('size'), { structuredContent: 'small' })
  t.equal((await called('nobody'))?.structuredContent, null)
  t.notOk('structuredContent' in ((await called('words')) ?? {}), 'its text says all of it')
  t.match(await called('picture'), { content: [{ type: 'image' }] })

  t.match((await answer(initialize('2025-11-25'))).result, { protocolVersion: '2025-11-25' }, 'both on one stream')
  t.match(await listed(request('old list', 'tools/list')), { double: { type: 'object' }, numbers: undefined, size: undefined })
  const old = (await answer(request('old', 'tools/call', { name: 'numbers' }))).result ?? {}
  t.notOk('structuredContent' in old || 'resultType' in old)
  await end()
})

t.test('stdio: what is wrong with a request is said, and the next one is answered', async (t) => {
  const { answer, end } = open()
  const unsupported = { code: -32022, data: { supported: ['2026-07-28'], requested: '2099-01-01' } }
  const wrong: readonly (readonly [ReturnType<typeof request>, object])[] = [
    [request(1, 'server/discover'), { code: -32602, message: /protocolVersion/ }],
    [request(2, 'tools/list', { _meta: { [`${PREFIX}protocolVersion`]: '2026-07-28' } }), { code: -32602, message: /clientCapabilities/ }],
    [ask(3, 'tools/list', {}, meta({}, { [`${PREFIX}protocolVersion`]: '2099-01-01' })), unsupported],
    [ask(4, 'tools/list', {}, meta({}, { [`${PREFIX}logLevel`]: 'loud' })), { code: -32602, message: /logLevel/ }],
    ...['ping', 'initialize', 'logging/setLevel', 'resources/subscribe', 'nothing'].map(
      (method) => [ask(method, method), { code: -32601 }] as const,
    ),
    [ask(5, 'tools/call', { name: 'duoble' }), { code: -32602, message: /did you mean 'double'/ }],
    [ask(6, 'subscriptions/listen', { notifications: 1 }), { code: -32602 }],
  ]
  for (const [message, error] of wrong) t.match((await answer(message)).error, error, JSON.stringify(message).slice(0, 80))
  t.match((await answer(ask('last', 'tools/list'))).result, { resultType: 'complete' })
  await end()
})

t.test('stdio: a person is asked by input_required, and what waits goes on', async (t) => {
  const { answer, end } = open()
  const call = (id: string, name: string, more: object = {}, capabilities: object = FORMS) =>
    answer(ask(id, 'tools/call', { name, arguments: { why: 'x' }, ...more }, meta(capabilities)))
  const first = (await call('1', 'asked')).result as { inputRequests: Record<string, object>; requestState: string }
  t.match(first, { resultType: 'input_required', requestState: String })
  const [[key = '', question] = []] = Object.entries(first.inputRequests)
  t.match(question, { method: 'elicitation/create', params: { mode: 'form', message: /'asked'.*"why":"x"/ } })
  const reply = (action: string, requestState = first.requestState) => ({ requestState, inputResponses: { [key]: { action } } })

  t.match((await call('2', 'asked', reply('accept', `${first.requestState}x`))).error, { code: -32602 }, 'another handle')
  t.match((await call('3', 'either', reply('accept'))).error, { code: -32602 }, 'of another call')
  t.match((await call('4', 'asked', { ...reply('accept'), inputResponses: { [key]: 'yes' } })).error, { code: -32602 }, 'no answer')
  const again = (await call('5', 'asked', { requestState: first.requestState, inputResponses: { other: { action: 'accept' } } })).result
  t.match(again, { resultType: 'input_required', inputRequests: { [key]: {} } }, 'it is asked again')
  const now = String(again?.requestState)
  t.match((await call('6', 'asked', reply('accept'))).error, { code: -32602 }, 'a handle is good for once')
  t.match((await call('7', 'asked', reply('accept', now))).result, { resultType: 'complete', content: [{ text: 'agreed' }] })

  const answers = (round: Message['result'], action: string) => ({
    requestState: round?.requestState,
    inputResponses: Object.fromEntries(Object.keys(round?.inputRequests ?? {}).map((key) => [key, { action }])),
  })
  const refused = (await call('8', 'asked')).result
  t.match((await call('9', 'asked', answers(refused, 'decline'))).result, { resultType: 'complete', isError: true })

  let round = (await call('10', 'both')).result
  for (let n = 0; round?.resultType === 'input_required' && n < 3; n++) {
    round = (await call(`10.${n}`, 'both', answers(round, 'accept'))).result
  }
  t.match(round, { resultType: 'complete', structuredContent: ['agreed', 'agreed too'] }, 'several questions in one call')

  t.match((await call('11', 'asked', {}, {})).error, { code: -32021, data: { requiredCapabilities: { elicitation: {} } } })
  t.match((await call('12', 'asked', {}, { elicitation: { url: {} } })).error, { code: -32021 }, 'no form')
  t.match((await call('13', 'either', {}, {})).result, { content: [{ text: 'nobody was asked' }] }, 'it does without')
  t.match(await end(), { status: 0 }, 'nothing waits for ever')
})

t.test('stdio: cancelled calls, progress, and the log of one request', async (t) => {
  const { send, receive, answer, received, end } = open()
  send(ask('slow', 'tools/call', { name: 'sleep' }))
  await answer(ask('x', 'tools/list'))
  send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'slow' } })
  await answer(
    ask('reported', 'tools/call', { name: 'both', arguments: {} }, meta({}, { progressToken: 'p', [`${PREFIX}logLevel`]: 'debug' })),
  )
  await receive(({ method }) => method === 'notifications/message')
  const before = received.length
  await answer(ask('silent', 'tools/call', { name: 'double', arguments: { n: 1 } }))
  t.equal(received.length, before + 1, 'without a level nothing of the log')
  t.match(await end(), { status: 0 })
  t.notOk(received.some(isFor('slow')), 'what is cancelled is not answered')
})

t.test('stdio: listeners receive what they asked for, each by its id', async (t) => {
  const { send, receive, end, answer } = open()
  const uri = pathToFileURL(join(place.directory, 'text.txt')).href
  const id = `${PREFIX}subscriptionId`
  const of = (wanted: unknown, method: string) => (message: Message) =>
    message.method === method && (message.params?._meta as Record<string, unknown> | undefined)?.[id] === wanted
  send(ask('tools', 'subscriptions/listen', { notifications: { toolsListChanged: true, resourcesListChanged: true } }))
  send(ask(7, 'subscriptions/listen', { notifications: { resourceSubscriptions: [uri, 'file:///none'] } }))
  const ack = 'notifications/subscriptions/acknowledged'
  t.strictSame((await receive(of('tools', ack))).params?.notifications, { toolsListChanged: true })
  t.strictSame((await receive(of(7, ack))).params?.notifications, { resourceSubscriptions: [uri] })
  writeFileSync(join(place.directory, 'text.txt'), 'other\n')
  t.match((await receive(of(7, 'notifications/resources/updated'))).params, { uri })
  place.lay({ 'prompts/new.md': '---\nprovider: eliza\nmodel: doctor\n---\nNew.\n' })
  await receive(of('tools', 'notifications/tools/list_changed'))
  send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } })
  await answer(ask('last', 'tools/list'))
  const { status } = await end()
  t.equal(status, 0)
  t.match(await receive(isFor('tools')), { result: { resultType: 'complete', _meta: { [id]: 'tools' } } }, 'a good end')
})

interface Answered {
  readonly status: number
  readonly type: string
  readonly messages: readonly Message[]
}

t.test('HTTP: each request stands for itself', async (t) => {
  const child = spawn(SERVER, ['--http', '0', '--no-token', ...ARGS], {
    cwd: place.directory,
    env: place.env,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ended = new Promise((resolve) => child.on('close', resolve))
  t.teardown(async () => {
    child.kill()
    await ended
  })
  let said = ''
  const url = await new Promise<string>((resolve) => {
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      said += chunk
      const [found] = /http:\/\/127\.0\.0\.1:\d+\/mcp/.exec(said) ?? []
      if (found !== undefined) resolve(found)
    })
  })
  const post = async (
    body: { readonly method?: string; readonly params?: object },
    headers: Record<string, string> = {},
    signal?: AbortSignal,
  ) => {
    const { name, uri } = (body.params ?? {}) as { name?: string; uri?: string }
    const mirrored = {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': body.method ?? '',
      ...(name === undefined && uri === undefined ? {} : { 'mcp-name': name ?? uri ?? '' }),
    }
    const all = Object.entries({ ...mirrored, ...headers }).filter(([, value]) => value !== '')
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...Object.fromEntries(all) },
      body: JSON.stringify(body),
      signal: signal ?? null,
    })
    const type = response.headers.get('content-type') ?? ''
    const text = await response.text()
    const texts =
      type === 'text/event-stream' ? [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => data ?? '') : text === '' ? [] : [text]
    return { status: response.status, type, messages: texts.map((one) => JSON.parse(one) as Message) } satisfies Answered
  }

  t.match(await post(ask(1, 'server/discover')), {
    status: 200,
    type: 'application/json',
    messages: [{ id: 1, result: { resultType: 'complete' } }],
  })
  t.match(await post(ask(2, 'tools/call', { name: 'double', arguments: { n: 2 } })), {
    messages: [{ result: { structuredContent: { n: 4 } } }],
  })
  const reported = await post(ask(3, 'tools/call', { name: 'both', arguments: {} }, meta({}, { [`${PREFIX}logLevel`]: 'debug' })))
  t.match(reported, { status: 200, type: 'text/event-stream' })
  t.match(reported.messages.at(0), { method: 'notifications/message' })
  t.match(reported.messages.at(-1), { id: 3, error: { code: -32021 } })

  const at = (status: number, code: number) => ({ status, messages: [{ error: { code } }] })
  const list = ask(4, 'tools/list')
  const refused: readonly (readonly [string, ReturnType<typeof post>, object])[] = [
    ['no _meta', post(request(4, 'tools/list')), at(400, -32602)],
    ['no version in the header', post(list, { 'mcp-protocol-version': '' }), at(400, -32020)],
    ['another version', post(list, { 'mcp-protocol-version': '2025-11-25' }), at(400, -32020)],
    ['no method in the header', post(list, { 'mcp-method': '' }), at(400, -32020)],
    ['another method', post(list, { 'mcp-method': 'Tools/List' }), at(400, -32020)],
    ['another name', post(ask(4, 'tools/call', { name: 'double' }), { 'mcp-name': 'size' }), at(400, -32020)],
    ['a name that is not base64', post(ask(4, 'tools/call', { name: 'double' }), { 'mcp-name': '=?base64?!?=' }), at(400, -32020)],
    ['an unknown method', post(ask(4, 'ping')), at(404, -32601)],
    [
      'a revision to come',
      post(ask(4, 'tools/list', {}, meta({}, { [`${PREFIX}protocolVersion`]: 'x' })), { 'mcp-protocol-version': 'x' }),
      at(400, -32022),
    ],
    ['no consent', post(ask(4, 'tools/call', { name: 'asked' })), at(400, -32021)],
    ['an unknown tool', post(ask(4, 'tools/call', { name: 'none' })), at(200, -32602)],
  ]
  for (const [what, answered, expected] of refused) t.match(await answered, expected, what)
  const name = Buffer.from('double').toString('base64')
  t.match(await post(ask(5, 'tools/call', { name: 'double', arguments: { n: 1 } }), { 'mcp-name': `=?base64?${name}?=` }), { status: 200 })
  t.match(await post({ jsonrpc: '2.0', method: 'notifications/other' } as never), { status: 202, messages: [] })
  t.match(await post(list, { 'mcp-session-id': 'none' }), { status: 200 }, 'a session is of no use, and no harm')

  const asked = await post(ask(6, 'tools/call', { name: 'asked', arguments: {} }, meta(FORMS)))
  const { requestState, inputRequests } = (asked.messages[0]?.result ?? {}) as { requestState?: string; inputRequests?: object }
  const inputResponses = Object.fromEntries(Object.keys(inputRequests ?? {}).map((key) => [key, { action: 'accept' }]))
  t.match(await post(ask(7, 'tools/call', { name: 'asked', arguments: {}, requestState, inputResponses }, meta(FORMS))), {
    messages: [{ result: { content: [{ text: 'agreed' }] } }],
  })

  const stop = new AbortController()
  const received = post(ask(8, 'subscriptions/listen', { notifications: { toolsListChanged: true } }), {}, stop.signal)
  received.catch(() => {})
  stop.abort()
  await t.rejects(received)
  t.match(await post(ask(9, 'tools/list')), { status: 200 }, 'a client that goes harms no other')
})
