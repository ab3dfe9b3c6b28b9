// What clients send that is not quite right, and clients that go away: a request that waits for its turn, a log line that has its cost.

import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { until } from '../packages/wire/test/processes.js'
import { eventsOf, type Serving, serve } from './serving.js'
import { openTalkingModel } from './talking-model.js'

const specOf = (url = 'http://127.0.0.1:9'): string => `@serve let same : !json -> !json = id
@serve let ask : !{ n: int } -> !int = agent { provider: "person", prompt: "How many?" }
@serve let asks : !{ n: int } -> !int = ask ; map([value]) ; flatten
@serve let pay : !string -> !string = agent { provider: "eliza", model: "doctor", tools: [send] }
@serve let bot : !string -> !string = agent { provider: "anthropic", model: "claude-x", endpoint: "${url}" }
@tool true let send : { cents: int } -> { cents: int } = tool { mock: { cents: 1 }, approval: "ask" }
`
const LINES = { 'content-type': 'application/x-ndjson' }
const EVENTS = { accept: 'text/event-stream' }
const ASYNC = { prefer: 'respond-async' }
const BIG = '9007199254740993'

const started = async (
  t: Test,
  { args = [], url }: { readonly args?: readonly string[]; readonly url?: string } = {},
): Promise<Serving> => {
  const files = { 'a.plumb': specOf(url), 'prices.json': '{"claude-x":{"input":10,"output":10}}' }
  const server = await serve(files, { args: ['--prices', 'prices.json', ...args], env: { ANTHROPIC_API_KEY: 'k-0123456789' } })
  t.teardown(() => server.stop())
  return server
}

const pendingOf = async (server: Serving, count: number): Promise<readonly { id: string; run: string; text: string }[]> => {
  for (;;) {
    const { text } = await server.call('/pending')
    const found = JSON.parse(text) as { id: string; run: string }[]
    if (found.length === count) return found.map((one) => ({ ...one, text }))
    await new Promise((done) => setTimeout(done, 20))
  }
}

t.test('bodies', async (t) => {
  const server = await started(t)
  t.match(await server.call('/same', '"a\nb"'), { status: 400, json: { error: 'invalid_json' } }, 'a line break within a text')
  t.match(await server.call('/same', '{"a":\r\n\t1}'), { status: 200, json: { a: 1 } }, 'one between values')
  const { text } = await server.call('/same', '{"a":\r1}\n2\n', { headers: { ...LINES, ...EVENTS } })
  t.notOk(text.includes('\r'), 'what would end a line of an event')
  t.match(eventsOf(text), [{ data: { seq: 1, value: { a: 1 } } }, { data: { seq: 2, value: 2 } }, { event: 'done' }])
})

t.test('methods and paths', async (t) => {
  const server = await started(t)
  const { json: run } = await server.call('/same', '1', { headers: ASYNC })
  const outputs = `/runs/${run.id}/outputs`
  for (const path of ['/', '/healthz', '/readyz', '/metrics', '/openapi.json', '/pending', '/v1/models', `/runs/${run.id}`, outputs]) {
    const head = await server.call(path, undefined, { method: 'HEAD' })
    t.match([head.status, head.text], [200, ''], `HEAD ${path}`)
    t.match(await server.call(path, '1', { method: 'PUT' }), { status: 405, headers: { allow: /^GET/ } }, `PUT ${path}`)
  }
  for (const path of ['/v1/modelsx', '/v1/models/bot/x', '/v1/models/nobody'])
    t.match(await server.call(path), { status: 404, json: { error: { code: /\w/ } } }, path)
})

t.test('an id of an event of another run leaves nothing out', async (t) => {
  const server = await started(t)
  const headers = { ...EVENTS, 'last-event-id': '1' }
  t.equal(eventsOf((await server.call('/same', '4', { headers })).text).length, 2, 'without a key it is a new run')
  const keyed = { headers: { ...headers, 'idempotency-key': 'k' } }
  t.match(eventsOf((await server.call('/same', '4', keyed)).text), [{ id: '2', event: 'done' }])
})

t.test('a person sees and answers with all digits of a number', async (t) => {
  const server = await started(t)
  const asked = server.call('/ask', `{"n":${BIG}}`)
  const [question] = await pendingOf(server, 1)
  t.match(question?.text, `{"n":${BIG}}`)
  t.equal((await server.call(`/pending/${question?.id}`, `{"answer":\n${BIG}}`)).status, 200)
  t.equal((await asked).text, BIG)
  const paid = server.call('/pay', JSON.stringify(`call send {"cents":${BIG}}`))
  const [call] = await pendingOf(server, 1)
  t.match(call?.text, `{"cents":${BIG}}`)
  await server.call(`/pending/${call?.id}`, '{"answer":false}')
  await paid
})

t.test('who denies a call may say why', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'plumb-why-'))
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  const server = await started(t, { args: ['--record', directory, '--tools'] })
  const call = JSON.stringify('call send {"cents":7}')
  for (const [path, body, headers, told] of [
    ['/pay', call, {}, /was denied: too much/],
    ['/pay', call, { 'idempotency-key': 'k' }, /was denied: too much/],
    ['/send', '{"cents":7}', {}, /said no: too much/],
  ] as const) {
    const asked = server.call(path, body, { headers })
    const [question] = await pendingOf(server, 1)
    const answer = (json: string) => server.call(`/pending/${question?.id}`, json)
    t.match(await answer('{"answer":false,"why":7}'), { status: 400, json: { error: 'usage' } })
    t.equal((await answer('{"answer":false,"why":"too much"}')).status, 200)
    t.match((await asked).text, told)
  }
})

t.test('a request that waits for its turn in a conversation', async (t) => {
  const server = await started(t, { args: ['--max-requests', '2'] })
  const headers = { ...ASYNC, 'plumb-conversation': 'c' }
  const { json: first } = await server.call('/ask', '{"n":1}', { headers })
  await pendingOf(server, 1)
  const { json: second } = await server.call('/ask', '{"n":2}', { headers })
  const { json: third } = await server.call('/ask', '{"n":3}', { headers })
  t.match((await server.call('/same', '1', { headers: ASYNC })).status, 202)
  const other = await server.call('/same', '5', { headers: { ...ASYNC, 'plumb-conversation': 'd' } })
  const followed = await server.call(`/runs/${other.json.id}/events`)
  t.match(eventsOf(followed.text), [{ data: { value: 5 } }, {}], 'those of other conversations go on beside it')
  const gone = await server.call(`/runs/${second.id}`, undefined, { method: 'DELETE' })
  t.match(gone, { status: 200, json: { state: 'cancelled' } }, 'it is cancelled before its turn')
  const away = new AbortController()
  const more = { headers: { 'plumb-conversation': 'c' }, signal: away.signal }
  const leaving = [4, 5].map((n) => server.call('/ask', `{"n":${n}}`, more).catch(() => 'left'))
  const isFull = async () => (await server.call('/same', '6')).status === 503
  while (!(await isFull())) await new Promise((done) => setTimeout(done, 20))
  away.abort()
  await Promise.all(leaving)
  while (await isFull()) await new Promise((done) => setTimeout(done, 20))
  t.pass('a client that is gone holds no place')
  const answered = async (run: unknown) => {
    const [question] = await pendingOf(server, 1)
    t.equal(question?.run, run)
    await server.call(`/pending/${question?.id}`, '{"answer":7}')
    return eventsOf((await server.call(`/runs/${run}/events`)).text)
  }
  t.match(await answered(first.id), [{ data: { value: 7 } }, {}])
  t.match(await answered(third.id), [{ data: { value: 7 } }, {}], 'the next has its turn')
})

t.test('a run that is cancelled while others wait for it', async (t) => {
  const server = await started(t)
  const post = (path: string, more: Readonly<Record<string, string>> = {}) =>
    server.call(path, '{"n":1}', { headers: { 'idempotency-key': path, ...more } })
  const cancelled = { error: 'cancelled' }
  const waiting = [post('/ask'), post('/asks'), post('/ask?', LINES)]
  const questions = await pendingOf(server, 3)
  for (const { run } of questions) await server.call(`/runs/${run}`, undefined, { method: 'DELETE' })
  const [one, several, lines] = await Promise.all(waiting)
  t.match(one, { status: 503, json: cancelled })
  t.match(several, { status: 503, json: cancelled }, 'and no empty list')
  t.match([lines?.status, JSON.parse(lines?.text ?? '')], [200, { seq: null, error: cancelled }])
  t.match(await post('/ask'), { status: 503, json: cancelled }, 'also later')
})

t.test('at its end it answers that it takes no more', async (t) => {
  const server = await started(t)
  const held = server.call('/ask', '{"n":1}')
  const [question] = await pendingOf(server, 1)
  server.child.kill('SIGTERM')
  while ((await server.call('/readyz')).status === 200) await new Promise((done) => setTimeout(done, 20))
  t.match(await server.call('/readyz'), { status: 503, json: { status: 'draining' } })
  t.match(await server.call('/same', '1'), { status: 503, headers: { 'retry-after': /\d/ }, json: { error: 'overloaded' } })
  t.equal((await server.call('/healthz')).status, 200, 'it lives')
  t.equal((await server.call(`/pending/${question?.id}`, '{"answer":7}')).status, 200, 'a person may answer what is in hand')
  t.match(await held, { status: 200, text: '7' })
})

t.test('at its end what was answered is read to its end', async (t) => {
  const server = await started(t)
  const body = JSON.stringify('x'.repeat(14_000_000))
  const client = connect(server.port, '127.0.0.1')
  client.write(`POST /same HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: ${body.length}\r\n\r\n${body}`)
  let read = 0
  client.on('data', (piece) => {
    read += piece.length
  })
  await once(client, 'data')
  client.pause()
  server.child.kill('SIGTERM')
  while ((await server.call('/readyz')).status === 200) await new Promise((done) => setTimeout(done, 20))
  client.resume()
  await once(client, 'close')
  t.ok(read > body.length, `${read} bytes`)
})

t.test('a conversation that is forgotten while it is answered', async (t) => {
  const model = await openTalkingModel()
  t.teardown(() => model.close())
  const server = await started(t, { url: model.url })
  const say = (text: string) => server.call('/bot', JSON.stringify(text), { headers: { 'plumb-conversation': 'c' } })
  const said = async (): Promise<number> => {
    const turn = await model.turn()
    turn.say('Well.')
    turn.end()
    return turn.body.messages.length
  }
  const first = say('I am Ada.')
  await said()
  await first
  const second = say('And I live in Rome.')
  const turn = await model.turn()
  t.equal(turn.body.messages.length, 3)
  t.equal((await server.call('/conversations/c', undefined, { method: 'DELETE' })).status, 204)
  turn.say('Well.')
  turn.end()
  t.equal((await second).text, '"Well."')
  t.equal((await server.call('/conversations/c', undefined, { method: 'DELETE' })).status, 404, 'it does not come back')
  const third = say('Who am I?')
  t.equal(await said(), 1)
  await third
})

t.test('a memory that is too long to be kept is no memory, and is told', async (t) => {
  const server = await started(t, { args: ['--max-body', '40000000'] })
  const say = (text: string) => server.call('/pay', JSON.stringify(text), { headers: { 'plumb-conversation': 'c' } })
  const first = await say('I need help')
  t.match(await say('a b '.repeat(5_000_000)), { status: 422, json: { error: 'too_large', detail: /not remembered/ } })
  t.not((await say('I need help')).text, first.text, 'the conversation is as it was before')
})

t.test('the log has what a request has cost whose client is gone', async (t) => {
  const model = await openTalkingModel()
  t.teardown(() => model.close())
  const server = await started(t, { url: model.url })
  const answering = model.turn().then(async (turn) => {
    turn.say('One.')
    turn.end()
    await model.turn()
  })
  const away = new AbortController()
  const left = server.call('/bot', '"a"\n"b"\n', { headers: LINES, signal: away.signal }).catch(() => 'left')
  await answering
  away.abort()
  await left
  t.ok(await until(() => server.log().some(({ binding }) => binding === 'bot')))
  const line = server.log().find(({ binding }) => binding === 'bot')
  t.ok(Number(line?.tokens) > 0, JSON.stringify(line))
  t.ok(Number(line?.cost) > 0)
})
