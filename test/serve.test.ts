// Bindings over HTTP: what is answered, what is kept apart, who may come in, and how it ends.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import t from 'tap'
import { scaled } from '../packages/wire/test/patience.js'
import { processes, until } from '../packages/wire/test/processes.js'
import { type Asking, eventsOf, type Serving, serve } from './serving.js'
import { openTalkingModel } from './talking-model.js'

const LINES = { 'content-type': 'application/x-ndjson' }
const EVENTS = { accept: 'text/event-stream' }

const SPEC = `type N = { n: int }
type K = { k: int, n: int }
@serve "/a/double" let double : !N -> !N = map({ n: n * 2 })
@serve let bot : !string -> !string = agent { provider: "eliza", model: "doctor" }
@serve let talks : !{ who: string, text: string } -> !string = agent { provider: "eliza", model: "doctor", conversation: who }
@serve let evens : !N -> !N = filter(n % 2 = 0)
@serve let picked : !N -> !N = plumb(input, output) { input ; filter(n % 2 = 0) ; output }
@serve let sum : !int -> !int = fold(state + value, from: 0)
@serve let total : !int -> !int = fold(state + value, from: 0, emit: "end")
@serve let all : !int -> ![int] = batch()
@serve @shared true let tally : !int -> !int = map(value) ; running
let running : !int -> !int = fold(state + value, from: 0)
@serve let some : !int -> !int = map(value) ; kept
@shared true let kept : !int -> !int = fold(state + value, from: 0)
@serve @shared true let pairs : !int -> ![int] = batch(2)
@serve @shared true let joined : !K -> !(K, K) = (filter(n < 0) * filter(n > 0)) ; barrier(by: (k, k))
@serve let many : !int -> !string = map(range(value)) ; flatten ; map($"{value} is one of many lines")
@serve let nest : !string -> !string = plumb(input, output) { input ; bot ; inner ; output }
let inner : !string -> !string = plumb(input, output) { input ; map({ s: value }) ; counted ; map(s) ; output }
let counted : !{ s: string } -> !{ s: string } = fold({ s: state.s + value.s + "|" }, from: { s: "" })
@serve let fails : !N -> !N = map(if n > 3 then fail("too much") else { n: n })
@serve let same : !json -> !json = id
@serve let two : !string -> (!string, !string) = plumb(input, up, down) { input ; map(upper(value)) ; up
  input ; map(lower(value)) ; down }
@serve let echo : !string -> !string = agent { command: ["./echo.sh"], sandbox: false }
@serve let steady : !string -> !string = agent { command: ["./echo.sh"], amnesiac: true, sandbox: false }
`
// It says how many lines it has answered.
const ECHO = '#!/bin/sh\nn=0\nwhile read -r line; do n=$((n+1)); echo "\\"$n\\""; done\n'

let serving: Serving
t.before(async () => {
  serving = await serve({ 'a.plumb': SPEC, 'echo.sh': ECHO }, { args: ['--max-body', '2000'] })
})
t.teardown(() => serving.stop())

type Row = readonly [path: string, body: string, status: number, answer: unknown, more?: Asking]

const ROWS: readonly Row[] = [
  ['/a/double', '{"n":4}', 200, { n: 8 }],
  ['/a/double', ' {\r\n"n":\n4}\n', 200, { n: 8 }],
  ['/a/double', '\ufeff{"n":4}', 200, { n: 8 }, { headers: { 'content-type': 'application/json; charset=utf-8' } }],
  ['/same', '[12345678901234567890123,1.10,"\\u0000"]', 200, undefined],
  ['/same', 'null', 200, null],
  ['/evens', '{"n":4}', 200, { outputs: [{ n: 4 }] }],
  ['/evens', '{"n":5}', 200, { outputs: [] }],
  ['/picked', '{"n":4}', 200, { n: 4 }],
  ['/picked', '{"n":5}', 422, { error: 'output_type_mismatch', seq: 1 }],
  ['/total', '7', 200, { outputs: [7] }],
  ['/all', '7', 200, { outputs: [[7]] }],
  [
    '/two',
    '"Ab"',
    200,
    {
      outputs: [
        { port: 'up', value: 'AB' },
        { port: 'down', value: 'ab' },
      ],
    },
  ],
  ['/fails', '{"n":9}', 422, { error: 'rejected', category: 'invalid', detail: 'too much', seq: 1, status: 422 }],
  ['/fails', '{"m":9}', 422, { error: 'input_type_mismatch', path: '.m' }],
  ['/fails', '{"n":', 400, { error: 'invalid_json' }],
  ['/fails', '', 400, { error: 'invalid_json' }],
  ['/fails', 'hello there', 400, { error: 'invalid_json', detail: /; a text is in quotes, as in '"hi"'$/ }],
  ['/fails', ' \n ', 400, { error: 'invalid_json' }],
  [
    '/fails',
    '{"n":1} {"n":2}',
    400,
    { error: 'invalid_json', detail: /; several inputs are lines, with Content-Type: application\/x-ndjson$/ },
  ],
  ['/same', '['.repeat(600) + ']'.repeat(600), 400, { error: 'too_deep' }],
  ['/same', `"${'a'.repeat(2000)}"`, 413, { error: 'line_too_long' }],
  ['/fails', '<n/>', 415, { error: 'unsupported_media' }, { headers: { 'content-type': 'application/xml' } }],
  ['/fails', '{"n":1}', 415, { error: 'unsupported_media' }, { headers: { 'content-encoding': 'gzip' } }],
  ['/nothing', '1', 404, { error: 'no_such_page', detail: /GET \/openapi\.json lists/ }],
  ['/a', '1', 404, { error: 'no_such_page' }],
  ['/bot?events=nonsense', '"a"', 400, { error: 'usage' }, { headers: EVENTS }],
  ['/bot', '"a"', 400, { error: 'usage' }, { headers: { 'plumb-max-cost': 'much' } }],
  ['/bot', '"a"', 405, { error: 'usage' }, { method: 'PUT' }],
]

t.test('one input, one answer', async (t) => {
  for (const [path, body, status, answer, more] of ROWS) {
    const found = await serving.call(path, body, more)
    const title = `${path} ${body.slice(0, 40)}`
    t.equal(found.status, status, title)
    if (answer === undefined) t.equal(found.text, body, `${title}: as it came`)
    else t.match(JSON.parse(found.text), answer, title)
    t.match(found.headers['content-type'], status < 400 ? 'application/json' : 'application/problem+json', title)
  }
  const bytes = await serving.call('/same', Buffer.from([0x22, 0xff, 0x22]))
  t.match([bytes.status, bytes.json], [400, { error: 'invalid_utf8' }])
  const allowed = await serving.call('/bot')
  t.match([allowed.status, allowed.headers.allow], [405, 'POST'])
})

t.test('lines are taken and answered as they come', async (t) => {
  const answers: string[] = []
  const lines = request({ host: '127.0.0.1', port: serving.port, path: '/fails', method: 'POST', headers: LINES })
  const came = (): Promise<void> => new Promise((done) => void until(() => answers.join('').split('\n').length > 1).then(() => done()))
  lines.on('response', (response) => response.setEncoding('utf8').on('data', (piece: string) => answers.push(piece)))
  const ended = new Promise<void>((done) => lines.on('close', done))
  lines.write('{"n":1}\n\n{"n":')
  await came()
  t.equal(answers.join(''), '{"seq":1,"value":{"n":1}}\n', 'before the second is whole')
  lines.end('7}\nnonsense\n{"n":2}')
  await ended
  const rest = answers
    .join('')
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => JSON.parse(line))
  t.match(rest, [
    { seq: 2, error: { error: 'rejected', detail: 'too much' } },
    { seq: 3, error: { error: 'invalid_json' } },
    { seq: 4, value: { n: 2 } },
  ])
  const long = await serving.call('/same', `1\n"${'a'.repeat(3000)}"\n2\n`, { headers: LINES })
  t.match(
    long.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
    [
      { seq: 1, value: 1 },
      { seq: 2, error: { error: 'line_too_long' } },
      { seq: 3, value: 2 },
    ],
  )
})

t.test('what belongs to one request never reaches another', async (t) => {
  const first = await serving.call('/sum', '1\n2\n3\n', { headers: LINES })
  t.equal(first.text, '{"seq":1,"value":1}\n{"seq":2,"value":3}\n{"seq":3,"value":6}\n')
  t.equal((await serving.call('/sum', '5')).text, '{"outputs":[5]}')
  for (const [path, expected] of [
    ['/tally', ['{"outputs":[5]}', '{"outputs":[10]}', '{"outputs":[15]}']],
    ['/some', ['{"outputs":[5]}', '{"outputs":[10]}', '{"outputs":[15]}']],
  ] as const) {
    const shared: string[] = []
    for (const _ of expected) shared.push((await serving.call(path, '5')).text)
    t.strictSame(shared, expected, `${path}: a fold that all requests share`)
    const both = await Promise.all(Array.from({ length: 8 }, () => serving.call(path, '1\n1\n', { headers: LINES })))
    const sums = both.flatMap(({ text }) => [...text.matchAll(/"value":(\d+)/g)].map(([, sum]) => Number(sum)))
    t.strictSame(
      sums.sort((a, b) => a - b),
      Array.from({ length: 16 }, (_, i) => 16 + i),
      'also those that are in hand at once',
    )
  }
  const pairs: string[] = []
  for (const n of [1, 2, 3, 4]) pairs.push((await serving.call('/pairs', String(n))).text)
  t.strictSame(pairs, ['{"outputs":[]}', '{"outputs":[[1,2]]}', '{"outputs":[]}', '{"outputs":[[3,4]]}'], 'lists of all requests')
  const many = await Promise.all(Array.from({ length: 8 }, () => serving.call('/pairs', '5\n6\n7\n', { headers: LINES })))
  t.equal(
    [
      ...many
        .map(({ text }) => text)
        .join('')
        .matchAll(/"value":\[[567],[567]\]/g),
    ].length,
    12,
    'also those that are in hand at once',
  )
  const partners: string[] = []
  for (const [k, n] of [
    [1, -1],
    [2, 5],
    [1, 7],
    [2, -3],
    [1, 8],
  ] as const)
    partners.push((await serving.call('/joined', `{"k":${k},"n":${n}}`)).text)
  const none = '{"outputs":[]}'
  const of = (k: number, ...ns: readonly number[]) => `{"outputs":[[${ns.map((n) => `{"k":${k},"n":${n}}`).join(',')}]]}`
  t.strictSame(partners, [none, none, of(1, -1, 7), of(2, -3, 5), none], 'partners of all requests')
  const own = await Promise.all(
    Array.from({ length: 24 }, (_, i) => serving.call('/fails', `{"n":${i % 6}}\n{"n":"${i}"}\n`, { headers: LINES })),
  )
  for (const [i, { text }] of own.entries()) {
    const [first, second] = text.trim().split('\n')
    t.match(
      JSON.parse(first ?? ''),
      i % 6 > 3 ? { seq: 1, error: { error: 'rejected' } } : { seq: 1, value: { n: i % 6 } },
      'what is compiled once',
    )
    t.match(JSON.parse(second ?? ''), { seq: 2, error: { error: 'input_type_mismatch', detail: new RegExp(`"${i}"`) } })
  }
  const said = 'I need some help'
  const alone = await serving.call('/bot', JSON.stringify(said))
  const twice = await serving.call('/bot', `${JSON.stringify(said)}\n`.repeat(2), { headers: LINES })
  t.match(JSON.parse(twice.text.split('\n')[0] ?? ''), { seq: 1, value: JSON.parse(alone.text) })
  t.not(JSON.parse(twice.text.split('\n')[1] ?? '').value, JSON.parse(alone.text), 'within a request it remembers')
  const both = await Promise.all(Array.from({ length: 12 }, (_, i) => serving.call(i % 2 ? '/bot' : '/nest', JSON.stringify(said))))
  for (const [i, { status, text }] of both.entries()) {
    t.equal(status, 200)
    t.equal(JSON.parse(text), i % 2 ? JSON.parse(alone.text) : `${JSON.parse(alone.text)}|`)
  }
  const named = ['ann', 'bob', 'ann'].map((who) => `${JSON.stringify({ who, text: said })}\n`).join('')
  for (const _ of [1, 2]) {
    const { text } = await serving.call('/talks', named, { headers: LINES })
    const [ann, bob, again] = text
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { value: string }).value)
    t.equal(ann, bob, 'a memory for each of them')
    t.not(ann, again, 'that lasts as long as the request')
  }
  t.equal((await serving.call('/echo', '"a"\n"b"\n', { headers: LINES })).text, '{"seq":1,"value":"1"}\n{"seq":2,"value":"2"}\n')
  t.equal((await serving.call('/echo', '"c"')).text, '"1"', 'a program that may remember is started for each')
  t.equal((await serving.call('/steady', '"a"')).text, '"1"')
  t.equal((await serving.call('/steady', '"b"')).text, '"2"', 'one that does not is kept')
})

t.test('events', async (t) => {
  const { text, headers } = await serving.call('/nest?events=usage', '"one"\n"two"\n{}\n', { headers: { ...LINES, ...EVENTS } })
  const events = eventsOf(text)
  t.match(headers['content-type'], 'text/event-stream')
  t.strictSame(
    events.map(({ id }) => id),
    events.map((_, i) => String(i + 1)),
  )
  const seqs = (name: string) => events.filter(({ event }) => event === name).map(({ data }) => data.seq)
  t.strictSame([seqs('output'), seqs('error'), seqs('usage')], [[1, 2], [3], [1, 2]])
  t.match(events.at(-1), { event: 'done', data: { state: 'done', cost: 0 } })
  t.match(events.find(({ event }) => event === 'usage')?.data, { agent: 'bot', model: 'doctor' })
})

t.test('the log and the counts', async (t) => {
  const { headers } = await serving.call('/bot', '"my secret words"')
  await until(() => serving.log().some(({ id }) => id === headers['x-request-id']))
  const line = serving.log().find(({ id }) => id === headers['x-request-id'])
  t.match(line, { binding: 'bot', method: 'POST', path: '/bot', status: 200, ms: Number, tokens: Number, cost: 0 })
  t.notMatch(JSON.stringify(serving.log()), /secret words/)
  const { text } = await serving.call('/metrics')
  t.match(text, /^plumb_requests_total\{binding="bot",status="200"\} \d+$/m)
  t.match(text, /^plumb_errors_total\{binding="fails",code="rejected"\} \d+$/m)
  t.match(text, /^plumb_in_flight\{binding="bot"\} 0$/m)
  t.match(text, /^plumb_whole_seconds_bucket\{binding="bot",le="\+Inf"\} \d+$/m)
})

t.test('who may come in', async (t) => {
  const foreign = (headers: Record<string, string>) => serving.call('/sum', '1', { headers })
  for (const host of ['evil.example', '127.0.0.1.evil.example', 'localhost.evil.example'])
    t.match(await foreign({ host }), { status: 403, json: { error: 'permission_denied' } }, host)
  for (const host of ['localhost', `localhost:${serving.port}`, '[::1]:99']) t.equal((await foreign({ host })).status, 200, host)
  for (const origin of ['https://evil.example', 'null', 'http://localhost:1'])
    t.match(await foreign({ origin, 'content-type': 'text/plain' }), { status: 403 }, origin)
  t.equal((await foreign({ origin: `http://127.0.0.1:${serving.port}` })).status, 200)
  const raw = async (head: string): Promise<string> => {
    const socket = connect(serving.port, '127.0.0.1')
    socket.end(`POST ${head}\r\nconnection: close\r\ncontent-length: 1\r\n\r\n1`)
    let text = ''
    for await (const piece of socket.setEncoding('utf8')) text += piece
    return text
  }
  for (const [head, status] of [
    ['/sum HTTP/1.1\r\nhost: localhost', 200],
    ['/sum HTTP/1.1\r\nhost: localhost\r\nhost: evil.example', 403],
    ['http://localhost/sum HTTP/1.1\r\nhost: localhost', 200],
    ['http://evil.example/sum HTTP/1.1\r\nhost: localhost', 403],
    ['http://localhost@evil.example/sum HTTP/1.1\r\nhost: localhost', 403],
    ['/sum HTTP/1.0', 403],
  ] as const)
    t.match(await raw(head), `HTTP/1.1 ${status} `, JSON.stringify(head))
  const refused = await serving.call('/a/double', '{"n":1}', { headers: { accept: 'text/event-stream;q=0, application/json' } })
  t.equal(refused.headers['content-type'], 'application/json')
})

t.test('tokens', async (t) => {
  const [web, other, short] = ['web-token-0123456789', 'other-token-0123456789', 'slow-token-0123456789']
  const tokens = [
    { name: 'web', token: web, bindings: ['double'] },
    { name: 'other', token_env: 'OTHER' },
    { name: 'slow', token: short, requests_per_minute: 1 },
  ]
  const args = ['--tokens', 'tokens.json', '--allow-origin', 'https://app.example', '--max-requests', '4']
  const guarded = await serve(
    { 'a.plumb': SPEC, 'echo.sh': ECHO, 'tokens.json': JSON.stringify(tokens) },
    { args: [...args, '--lazy'], env: { OTHER: other } },
  )
  t.teardown(() => guarded.stop())
  const as = (token: string | undefined, path = '/a/double', more: Record<string, string> = {}) =>
    guarded.call(path, '{"n":1}', { headers: { ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), ...more } })
  t.match(await as(undefined), { status: 401, headers: { 'www-authenticate': /^Bearer/ }, json: { error: 'unauthorized' } })
  t.match(await as('wrong-token-0123456789'), { status: 401 })
  t.equal((await as(web)).status, 200)
  t.match(await as(web, '/evens'), { status: 403, json: { error: 'permission_denied' } })
  t.equal((await as(other, '/evens')).status, 200)
  t.equal((await as(short)).status, 200)
  t.match(await as(short), { status: 429, headers: { 'retry-after': /^\d+$/ }, json: { error: 'rate_limited' } })
  t.equal((await guarded.call('/metrics')).status, 401)
  t.equal((await guarded.call('/healthz')).status, 200)
  const origin = { origin: 'https://app.example' }
  t.match((await as(web, '/a/double', origin)).headers, { 'access-control-allow-origin': origin.origin, vary: /Origin/ })
  t.match((await as(undefined, '/a/double', origin)).headers, { 'access-control-allow-origin': origin.origin }, 'errors too')
  const asked = { ...origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization,plumb-max-cost' }
  const preflight = await guarded.call('/a/double', undefined, { method: 'OPTIONS', headers: asked })
  t.match(preflight, { status: 204, headers: { 'access-control-allow-headers': /authorization.*plumb-max-cost/ } })
  t.notOk(preflight.headers['access-control-allow-credentials'])
  writeFileSync(join(guarded.directory, 'tokens.json'), JSON.stringify([{ name: 'new', token: 'new-token-0123456789x' }]))
  const asksUntil = async (isSo: (status: number) => boolean): Promise<void> => {
    while (!isSo((await as('new-token-0123456789x')).status)) await new Promise((done) => setTimeout(done, 100))
  }
  await asksUntil((status) => status === 200)
  t.equal((await as(web)).status, 401, 'one that is out of the file')
  writeFileSync(join(guarded.directory, 'tokens.json'), '[{"name":"new"}]')
  await asksUntil(() => guarded.err().includes('config_invalid'))
  t.equal((await as('new-token-0123456789x')).status, 200, 'a wrong file changes nothing')
  t.notMatch(`${JSON.stringify(guarded.log())}${guarded.err()}`, /token-0123456789/)
})

const talking = (url: string, more = ''): string =>
  `@serve let bot : !string -> !string = agent { provider: "anthropic", model: "claude-x", endpoint: "${url}"${more} }
@serve let chain : !string -> !string = bot ; map(upper(value))
`

t.test('a model that talks: text as it comes, a client that goes away, places, and the end', async (t) => {
  const model = await openTalkingModel()
  t.teardown(() => model.close())
  const server = await serve(
    { 'a.plumb': talking(model.url) },
    { args: ['--max-requests', '2', '--grace', '30'], env: { ANTHROPIC_API_KEY: 'k-0123456789' } },
  )
  let pieces = ''
  const streamed = server.call('/chain?events=text', '"hello"', {
    headers: EVENTS,
    onPiece: (piece) => {
      pieces += piece
    },
  })
  const first = await model.turn()
  first.say('one ')
  t.ok(await until(() => pieces.includes('"delta":"one "')), 'text comes before the answer is whole')
  first.say('two')
  first.end()
  t.match(
    eventsOf((await streamed).text).filter(({ event }) => event !== 'text'),
    [{ event: 'output', data: { seq: 1, value: 'ONE TWO' } }, { event: 'done' }],
  )

  const away = new AbortController()
  const left = server.call('/bot', '"leave"', { signal: away.signal }).catch(() => 'left')
  const dropped = await model.turn()
  away.abort()
  t.equal(await left, 'left')
  await dropped.dropped
  t.pass('its request to the model is cancelled')
  while (/plumb_in_flight\{binding="bot"\} 1/.test((await server.call('/metrics')).text)) await new Promise((done) => setTimeout(done, 20))

  const held = [server.call('/bot', '"a"'), server.call('/bot', '"b"')]
  const turns = [await model.turn(), await model.turn()]
  t.match(
    turns.map(({ body }) => body.messages.length),
    [1, 1],
    'no memory of another request',
  )
  t.match(await server.call('/bot', '"c"'), { status: 503, headers: { 'retry-after': '1' }, json: { error: 'overloaded' } })
  turns[0]?.say('A')
  turns[0]?.end()
  t.ok(await until(() => server.log().some(({ status, path }) => status === 200 && path === '/bot')))
  const ended = server.stop()
  t.ok(await until(() => server.log().length > 0))
  turns[1]?.say('B')
  turns[1]?.end()
  const answers = (await Promise.all(held)).map(({ status, text }) => [status, text])
  t.strictSame(
    answers.sort(),
    [
      [200, '"A"'],
      [200, '"B"'],
    ],
    'what is in hand is finished',
  )
  t.equal(await ended, 'SIGTERM')
})

t.test('a key that is refused fails the request in hand, and the next asks again', async (t) => {
  let asked = 0
  const refusing = createServer((_, response) => {
    asked++
    response
      .writeHead(401, { 'content-type': 'application/json' })
      .end('{"type":"error","error":{"type":"authentication_error","message":"no"}}')
  }).listen(0, '127.0.0.1')
  t.teardown(() => refusing.close())
  await new Promise((done) => refusing.once('listening', done))
  const url = `http://127.0.0.1:${(refusing.address() as AddressInfo).port}`
  const server = await serve({ 'a.plumb': talking(url) }, { env: { ANTHROPIC_API_KEY: 'k-0123456789' } })
  t.teardown(() => server.stop())
  for (const n of [1, 2, 3]) {
    t.match(await server.call('/bot', '"a"'), { status: 401, json: { error: 'unauthorized', category: 'denied', seq: 1 } })
    t.equal(asked, n)
  }
})

t.test('each request, and each conversation, begins with the history of its agent', async (t) => {
  const model = await openTalkingModel()
  t.teardown(() => model.close())
  const history = ', history: [{ role: "user", content: "before" }, { role: "assistant", content: "said" }]'
  const server = await serve({ 'a.plumb': talking(model.url, history) }, { env: { ANTHROPIC_API_KEY: 'k-0123456789' } })
  t.teardown(() => server.stop())
  const turnsOf = async (body: string, more: Asking, turns: number): Promise<unknown[]> => {
    const asked = server.call('/bot', body, more)
    const counts: unknown[] = []
    for (let i = 0; i < turns; i++) {
      const turn = await model.turn()
      counts.push([turn.body.messages.length, JSON.stringify(turn.body.messages[0]).includes('before')])
      turn.say('a')
      turn.end()
    }
    t.equal((await asked).status, 200)
    return counts
  }
  const of = (id: string) => ({ headers: { 'plumb-conversation': id } })
  const [alone, second] = [
    [3, true],
    [5, true],
  ]
  t.strictSame(await turnsOf('"a"', {}, 1), [alone])
  t.strictSame(await turnsOf('"a"', {}, 1), [alone], 'by a process that has answered before')
  t.strictSame(await turnsOf('"a"\n"b"\n', { headers: LINES }, 2), [alone, second])
  t.strictSame(await turnsOf('"a"', of('x'), 1), [alone])
  t.strictSame(await turnsOf('"b"', of('x'), 1), [second])
  t.strictSame(await turnsOf('"a"', of('y'), 1), [alone])
  t.strictSame(await turnsOf('"a"', {}, 1), [alone])
})

t.test('slow and broken clients are cut off, and no child outlives a kill', async (t) => {
  const server = await serve({ 'a.plumb': SPEC, 'echo.sh': ECHO })
  for (const bytes of [
    'GET /sum HTTP/1.1\r\n\r\n',
    'nonsense\r\n\r\n',
    `GET / HTTP/1.1\r\nhost: localhost\r\nx: ${'a'.repeat(40_000)}\r\n\r\n`,
  ]) {
    const socket = connect(server.port, '127.0.0.1')
    socket.write(bytes)
    const [answer] = await new Promise<string[]>((done) =>
      socket
        .setEncoding('utf8')
        .on('error', () => {})
        .once('data', (text: string) => done([text])),
    )
    t.match(answer, /^HTTP\/1\.1 4\d\d /)
    socket.destroy()
  }
  const cut = connect(server.port, '127.0.0.1')
  cut.write('POST /same HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n{"a":')
  cut.destroy()
  t.equal((await server.call('/same', '1')).text, '1')
  const idle = connect(server.port, '127.0.0.1')
  const asked = '20000\n'.repeat(50)
  const head = `POST /many HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream\r\ncontent-type: application/x-ndjson\r\ncontent-length: ${asked.length}`
  idle.write(`${head}\r\n\r\n${asked}`)
  await new Promise((readable) => idle.once('readable', readable))
  const inFlight = async () => /plumb_in_flight\{binding="many"\} (\d+)/.exec((await server.call('/metrics')).text)?.[1]
  t.equal(await inFlight(), '1')
  idle.destroy()
  while ((await inFlight()) !== '0') await new Promise((done) => setTimeout(done, 50))
  t.pass('what is asked by one who never reads ends with its connection')
  const ours = () => processes().filter(({ parent }) => parent === server.child.pid)
  const group = ours().map(({ pid }) => pid)
  t.ok(group.length > 0, 'it has children')
  t.equal(await server.stop('SIGKILL'), 'SIGKILL')
  t.ok(await until(() => processes().every(({ pid }) => !group.includes(pid)), scaled(20_000)), 'none is left')
})

t.test('where it listens is told plainly', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'plumb-serve-'))
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  writeFileSync(join(directory, 'a.plumb'), 'let main : !int -> !int = id')
  const child = spawn(resolve('packages/plumb-serve/bin/plumb-serve'), ['--listen', '0', 'a.plumb'], {
    cwd: directory,
    env: { PATH: process.env.PATH ?? '', HOME: directory },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'close')
  let [out, err] = ['', '']
  child.stdout.on('data', (piece: Buffer) => {
    out += piece
  })
  child.stderr.on('data', (piece: Buffer) => {
    err += piece
  })
  t.ok(await until(() => err.includes('\n') && out.includes('\n')))
  const [, url = ''] = /^plumb-serve: listening on (http:\/\/127\.0\.0\.1:\d+)\n$/.exec(err) ?? []
  t.match(JSON.parse(out.split('\n')[0] ?? ''), { listening: url }, 'on stderr as on stdout')
  t.equal((await fetch(`${url}/main`, { method: 'POST', body: '7' })).status, 200)
  child.kill('SIGTERM')
  await ended
})

t.test('what cannot be served', async (t) => {
  const rows: readonly (readonly [files: Record<string, string>, args: readonly string[], error: RegExp])[] = [
    [{ 'a.plumb': 'let other : !int -> !int = id' }, [], /nothing to serve/],
    [{ 'a.plumb': '@serve "/x" let a : !int -> !int = id\n@serve "/x" let b : !int -> !int = id' }, [], /both at '\/x'/],
    [{ 'a.plumb': '@serve "/v1/x" let a : !int -> !int = id' }, [], /the server's own/],
    [{ 'a.plumb': '@serve "x" let a : !int -> !int = id' }, [], /'@serve' takes true, or a path/],
    [{ 'a.plumb': '@serve @shared true let a : !int -> ![int] = batch()' }, [], /'@shared' of 'a' is not for .*: 'batch' sends at the end/],
    [{ 'a.plumb': '@serve @shared true let a : !int -> ![int] = batch(2, within: 1)' }, [], /'batch' lets go by time/],
    [
      { 'a.plumb': '@serve @shared true let a : !int -> !(int, int) = (id * id) ; barrier' },
      [],
      /'barrier' joins what stems from one input/,
    ],
    [
      { 'a.plumb': '@shared true let f : int -> int = map(value)\nlet main : !int -> !int = id' },
      [],
      /'@shared' belongs above a binding of streams/,
    ],
    [
      { 'a.plumb': '@serve let f : int -> int = map(value)\nlet main : !int -> !int = id' },
      [],
      /'@serve' belongs above a binding of streams/,
    ],
    [{ 'a.plumb': 'let main : !int -> !int = id', 'b.plumb': 'let main : !int -> !int = id' }, [], /both at '\/main'/],
    [{ 'a.plumb': 'let main : !int -> !int = id' }, ['--listen', '0.0.0.0:0'], /needs --token-env or --tokens/],
    [{ 'a.plumb': 'let main : !int -> !int = id' }, ['--tokens', 'none.json'], /file_not_found/],
    [{ 'a.plumb': 'let main : !string -> !string = agent { provider: "anthropic", model: "m" }' }, [], /missing_key/],
  ]
  await Promise.all(rows.map(([files, args, error]) => t.rejects(serve(files, { args }), error, JSON.stringify(files))))
})
