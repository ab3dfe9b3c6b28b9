// Runs that go on without their client: asked for as such, or by a key; after a cut of the connection, and after a kill of the server.

import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { until } from '../packages/wire/test/processes.js'
import { eventsOf, type Serving, serve } from './serving.js'
import { openTalkingModel } from './talking-model.js'

const ASYNC = { prefer: 'respond-async' }
const EVENTS = { accept: 'text/event-stream' }
const LINES = { 'content-type': 'application/x-ndjson' }
const KEY = { ANTHROPIC_API_KEY: 'k-0123456789' }

const bot = (url: string): string => `@serve let bot : !string -> !string = agent {
  provider: "anthropic", model: "claude-x", endpoint: "${url}", amnesiac: true, stream: false
}
@serve let inc : !int -> !int = map(if value > 9 then fail("large") else value + 1)
`

const ended = async (server: Serving, location: string) => {
  let state: Record<string, unknown> = {}
  const ask = async (): Promise<boolean> => {
    state = (await server.call(location)).json
    return state.ended !== undefined
  }
  while (!(await ask())) await new Promise((done) => setTimeout(done, 50))
  return state
}

t.test('a run without its client', async (t) => {
  const model = await openTalkingModel()
  t.teardown(() => model.close())
  const server = await serve({ 'a.plumb': bot(model.url) }, { args: ['--keep-results', '1'], env: KEY })
  t.teardown(() => server.stop())
  const taken = await server.call('/inc', '1\n10\n\n3\n', { headers: { ...ASYNC, ...LINES } })
  const location = taken.headers.location ?? ''
  t.match(taken, {
    status: 202,
    headers: { 'preference-applied': 'respond-async' },
    json: { id: location.slice('/runs/'.length), binding: 'inc' },
  })
  t.match(await ended(server, location), { state: 'done', inputs: 3, outputs: 2, errors: 1, tokens: 0, cost: 0, created: /Z$/ })
  const lines = (await server.call(`${location}/outputs`)).text.trim().split('\n')
  t.equal(lines.length, 3)
  t.equal((await server.call(`${location}/outputs?from=3`)).text.trim(), lines[2])
  t.equal((await server.call(`${location}/outputs?from=4`)).text, '')
  t.match(await server.call(`${location}/outputs?from=0`), { status: 400, json: { error: 'usage' } })
  const events = eventsOf((await server.call(`${location}/events`, undefined, { headers: { 'last-event-id': '2' } })).text)
  t.strictSame(
    events.map(({ id }) => id),
    ['3', '4'],
    'behind the event that came last',
  )
  const gone = async (): Promise<boolean> => (await server.call(location)).status === 404
  while (!(await gone())) await new Promise((done) => setTimeout(done, 200))
  t.pass('it is forgotten in time')

  const long = (await server.call('/bot', '"a"', { headers: ASYNC })).headers.location ?? ''
  const turn = await model.turn()
  t.match((await server.call(long)).json, { state: 'running', outputs: 0 })
  t.match(await server.call(long, undefined, { method: 'DELETE' }), { status: 200, json: { state: 'cancelled' } })
  await turn.dropped
  t.pass('its request to the model is cancelled')
  t.match(await server.call(long, undefined, { method: 'PUT' }), { status: 405 })
})

t.test('a key: the same run, also while it runs, and of one token alone', async (t) => {
  const model = await openTalkingModel()
  t.teardown(() => model.close())
  const tokens = JSON.stringify(['one', 'two'].map((name) => ({ name, token: `${name}-0123456789abcdef` })))
  const server = await serve({ 'a.plumb': bot(model.url), 'tokens.json': tokens }, { args: ['--tokens', 'tokens.json'], env: KEY })
  t.teardown(() => server.stop())
  const ask = (body: string, more: Record<string, string> = {}, name = 'one', signal?: AbortSignal) =>
    server.call('/bot', body, {
      headers: { authorization: `Bearer ${name}-0123456789abcdef`, 'idempotency-key': 'k1', ...more },
      ...(signal ? { signal } : {}),
    })
  const away = new AbortController()
  const first = ask('"a"', EVENTS, 'one', away.signal).catch(() => 'left')
  const turn = await model.turn()
  const joined = ask('"a"')
  away.abort()
  t.equal(await first, 'left')
  t.match(await ask('"b"'), { status: 422, json: { error: 'input_changed' } })
  turn.say('fine')
  turn.end()
  t.match(await joined, { status: 200, text: '"fine"' })
  t.match(await ask('"a"'), { status: 200, text: '"fine"' })
  const { text } = await ask('"a"', { ...EVENTS, 'last-event-id': '1' })
  t.strictSame(
    eventsOf(text).map(({ event }) => event),
    ['done'],
  )
  const other = ask('"a"', {}, 'two')
  const another = await model.turn()
  another.say('other')
  another.end()
  t.match(await other, { status: 200, text: '"other"' }, 'a key is of its token')
  const { location = '' } = (await ask('"a"')).headers
  const as = (name: string) => server.call(location, undefined, { headers: { authorization: `Bearer ${name}-0123456789abcdef` } })
  t.match([(await as('one')).status, (await as('two')).status], [200, 404])
})

const RUNS = 10

t.test('a server that is killed goes on with its runs, and asks nothing twice that was answered', async (t) => {
  const answered = new Map<string, number>()
  const model = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (piece) => {
      body += piece
    })
    request.on('end', () => {
      const { messages } = JSON.parse(body) as { messages: { content: string | { text: string }[] }[] }
      const content = messages[0]?.content
      const said = typeof content === 'string' ? content : (content?.[0]?.text ?? '')
      const reply = {
        id: 'm',
        type: 'message',
        role: 'assistant',
        model: 'x',
        content: [{ type: 'text', text: `re ${said}` }],
        stop_reason: 'end_turn',
        usage: { input_tokens: 1, output_tokens: 1 },
      }
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify(reply), () => answered.set(said, (answered.get(said) ?? 0) + 1))
    })
  }).listen(0, '127.0.0.1')
  t.teardown(() => model.close())
  await new Promise((done) => model.once('listening', done))
  const url = `http://127.0.0.1:${(model.address() as AddressInfo).port}`
  const directory = mkdtempSync(join(tmpdir(), 'plumb-runs-'))
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  const options = { args: ['--record', 'runs'], env: KEY, directory }
  const files = { 'a.plumb': bot(url) }
  const before = await serve(files, options)
  const locations: string[] = []
  for (let i = 0; i < RUNS; i++) {
    const taken = await before.call('/bot', `"${i}"`, { headers: { ...ASYNC, ...(i === 0 ? { 'idempotency-key': 'first' } : {}) } })
    t.equal(taken.status, 202)
    locations.push(taken.headers.location ?? '')
  }
  t.ok(await until(() => answered.size >= 3), 'in the middle')
  await before.stop('SIGKILL')
  const inHand = new Map(answered)
  const server = await serve(files, options)
  for (const [i, location] of locations.entries()) {
    t.match(await ended(server, location), { state: 'done', inputs: 1, outputs: 1, errors: 0 }, `run ${i}`)
    t.equal((await server.call(`${location}/outputs`)).text, `{"seq":1,"value":"re ${i}"}\n`)
  }
  const again = await server.call('/bot', '"0"', { headers: { 'idempotency-key': 'first' } })
  t.match(again, { status: 200, text: '"re 0"' })
  // What the model had answered when the server died may have been on its way: at most as many as were worked at once.
  const twice = [...answered].filter(([, times]) => times > 1)
  t.ok(twice.length <= 8 && twice.every(([said, times]) => times === 2 && inHand.has(said)), `${twice.length} were in hand`)
  t.equal(answered.size, RUNS)
  await server.stop()
  const last = await serve(files, options)
  t.match((await last.call(locations[RUNS - 1] ?? '')).json, { state: 'done', outputs: 1 }, 'one that has ended is there again')
  await last.stop()
})
