// The server on HTTP: who may come in, what is refused, sessions, streams, and many clients at once.

import { spawn } from 'node:child_process'
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { connect as connectSocket } from 'node:net'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import t from 'tap'
import { processes, until } from '../../wire/test/processes.js'
import { serve } from '../src/index.js'
import { call, initialize, newClient, openPlace, request, SERVER } from './server.js'

const place = openPlace({
  't.plumb': `type N = { n: int }
@tool true let double : N -> N = map({ n: n * 2 })
let listener : !string -> !string = agent { provider: "eliza", model: "doctor" }
let sleep : { arguments?: [string] } -> string = tool { command: "sleep 60", timeout: 50 }
let brief : { arguments?: [string] } -> string = tool { command: "sleep 1" }
let asked : string -> string = tool { mock: "agreed", approval: "ask" }
`,
})
t.teardown(() => place.remove())
const TOKEN = 'a-token-of-this-test-0123456789'

interface Listening {
  readonly url: string
  readonly port: number
  readonly err: () => string
  end(signal?: NodeJS.Signals): Promise<{ status: number | null; signal: string | null }>
}

const start = (args: readonly string[], env: Record<string, string> = {}): Promise<Listening> =>
  new Promise((done, fail) => {
    const child = spawn(SERVER, ['--http', '0', ...args, 't.plumb'], { cwd: place.folder, env: { ...place.env, ...env } })
    let err = ''
    const timer = setTimeout(() => child.kill('SIGKILL'), 90_000)
    const ended = new Promise<{ status: number | null; signal: string | null }>((over) => {
      child.on('close', (status, signal) => {
        clearTimeout(timer)
        fail(new Error(err))
        over({ status, signal })
      })
    })
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      err += chunk
      const [, url = '', port = ''] = /"listening":"(http:\/\/127\.0\.0\.1:(\d+)\/mcp)"/.exec(err) ?? []
      if (url === '') return
      const end = (signal: NodeJS.Signals = 'SIGTERM') => {
        child.kill(signal)
        return ended
      }
      done({ url, port: Number(port), err: () => err, end })
    })
  })

interface Sent {
  readonly method?: string
  readonly path?: string
  readonly headers?: Record<string, string>
  readonly body?: unknown
}

interface Got {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

const BOTH = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

const send = (port: number, { method = 'POST', path = '/mcp', headers = {}, body }: Sent): Promise<Got> =>
  new Promise((done, fail) => {
    const sent = httpRequest({ port, host: '127.0.0.1', method, path, headers: { ...BOTH, ...headers } }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
      response.on('end', () => done({ status: response.statusCode ?? 0, headers: response.headers, text }))
    })
    sent.on('error', fail)
    sent.end(body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body))
  })

const open = async (port: number, headers: Record<string, string> = {}): Promise<string> =>
  String((await send(port, { headers, body: initialize('2025-11-25') })).headers['mcp-session-id'])

const connect = async (url: string, headers: Record<string, string> = {}, client = newClient()) => {
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } })
  await client.connect(transport as never)
  return { client, transport }
}

t.test('who may come in', async (t) => {
  const { port, end, err } = await start([])
  t.match(err(), /--token-env/, 'without a token it warns')
  const body = initialize()
  const cases: readonly (readonly [status: number, sent: Sent])[] = [
    [200, {}],
    [200, { headers: { origin: 'http://localhost:6274' } }],
    [200, { headers: { origin: 'https://127.0.0.1', host: `localhost:${port}` } }],
    [200, { headers: { host: `[::1]:${port}` } }],
    [403, { headers: { origin: 'http://evil.test' } }],
    [403, { headers: { origin: 'null' } }],
    [403, { headers: { origin: 'http://localhost.evil.test' } }],
    [403, { headers: { origin: 'http://localhost@evil.test' } }],
    [403, { headers: { origin: 'file://localhost' } }],
    [403, { headers: { host: `evil.test:${port}` } }],
    [403, { headers: { host: 'localhost.evil.test' } }],
    [403, { headers: { host: 'evil@localhost' } }],
    [403, { headers: { host: 'localhost/evil' } }],
    [404, { path: '/' }],
    [404, { path: '/mcp/x' }],
    [400, { path: '/mcp?token=x' }],
    [405, { method: 'PUT' }],
    [405, { method: 'OPTIONS' }],
    [406, { headers: { accept: 'text/html' } }],
    [415, { headers: { 'content-type': 'text/plain' } }],
    [400, { body: 'no json' }],
    [400, { body: '"\ud800' }],
    [400, { body: { jsonrpc: '2.0', method: 'initialize' } }],
    [400, { body: request(1, 'tools/list') }],
    [400, { body: [] }],
    [400, { method: 'GET', headers: { accept: 'text/event-stream' } }],
    [400, { method: 'DELETE' }],
    [404, { body: request(1, 'tools/list'), headers: { 'mcp-session-id': 'guessed' } }],
    [404, { method: 'DELETE', headers: { 'mcp-session-id': '00000000-0000-0000-0000-000000000000' } }],
  ]
  for (const [status, sent] of cases) {
    const got = await send(port, { ...(sent.method === undefined ? { body } : {}), ...sent })
    t.equal(got.status, status, `${JSON.stringify(sent)}: ${got.text}`)
  }
  await t.rejects(start(['--http', String(port)]), /config_invalid.*another program has it/, 'one port, one server')
  t.equal((await end()).signal, 'SIGTERM')
})

t.test('a token', async (t) => {
  const { port, url, end, err } = await start(['--token-env', 'GATE', '--grant', 'exec'], { GATE: TOKEN })
  for (const authorization of [undefined, 'Bearer', 'Bearer ', `Basic ${TOKEN}`, `Bearer ${TOKEN}x`, `Bearer ${TOKEN.slice(1)}`, TOKEN]) {
    const got = await send(port, { ...(authorization === undefined ? {} : { headers: { authorization } }), body: initialize() })
    t.strictSame([got.status, /^Bearer/.test(got.headers['www-authenticate'] ?? '')], [401, true], String(authorization))
  }
  const { client } = await connect(url, { authorization: `Bearer ${TOKEN}` })
  t.match(await call(client, 'double', { n: 2 }), { structuredContent: { n: 4 } })
  await client.close()
  await end()
  t.notMatch(err(), TOKEN)
  const without = await start(['--no-token', '--grant', 'exec'])
  t.equal((await send(without.port, { body: initialize() })).status, 200)
  t.notMatch(without.err(), /token/, 'who says --no-token is not warned')
  await without.end()
})

t.test('sessions', async (t) => {
  const { port, url, end } = await start(['--max-sessions', '2', '--idle-timeout', '1'])
  const [mine, other] = [await open(port), await open(port)]
  t.match(mine, /^[0-9a-f-]{36}$/)
  t.not(mine, other)
  const ping = (id: string, more: Record<string, string> = {}) =>
    send(port, { body: request(1, 'ping'), headers: { 'mcp-session-id': id, ...more } })
  t.equal((await ping(mine)).status, 200)
  t.equal((await ping(mine, { 'mcp-protocol-version': '1999-01-01' })).status, 400)
  t.equal((await send(port, { body: initialize(), headers: { 'mcp-session-id': mine } })).status, 400, 'none is initialized twice')
  t.equal((await send(port, { method: 'DELETE', headers: { 'mcp-session-id': other } })).status, 200)
  t.equal((await ping(other)).status, 404)
  const [second, third] = [await open(port), await open(port)]
  t.strictSame(
    [(await ping(mine)).status, (await ping(second)).status, (await ping(third)).status],
    [404, 200, 200],
    'the silent one makes room',
  )
  for (let left = 200; left > 0 && (await ping(third)).status === 200; left--) await new Promise((done) => setTimeout(done, 1500))
  t.equal((await ping(third)).status, 404, 'one that was silent for long is forgotten')
  const { client, transport } = await connect(url)
  await transport.terminateSession()
  await client.close()
  await end()
})

t.test('limits', async (t) => {
  const { port, end } = await start(['--max-line', '10000'])
  const id = await open(port)
  const big = request(1, 'ping', { x: 'x'.repeat(20_000) })
  t.equal((await send(port, { body: big, headers: { 'mcp-session-id': id } })).status, 413)
  const chunked = await send(port, { body: JSON.stringify(big), headers: { 'mcp-session-id': id, 'transfer-encoding': 'chunked' } }).catch(
    () => ({ status: 413 }),
  )
  t.equal(chunked.status, 413)
  // Somebody sends a head that never ends, and somebody a body: the others are served.
  const slow = [`POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-`, `POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99\r\n\r\n{`].map(
    (text) => {
      const socket = connectSocket(port, '127.0.0.1')
      socket.on('error', () => {})
      socket.write(text)
      return socket
    },
  )
  const batch = [request('a', 'ping'), request('b', 'ping')]
  const got = await send(port, { body: batch, headers: { 'mcp-session-id': id } })
  t.strictSame([got.status, got.text.includes('"id":"a"'), got.text.includes('"id":"b"')], [200, true, true])
  for (const socket of slow) socket.destroy()
  await end()
})

t.test('a stream that was cut goes on', async (t) => {
  const { port, end } = await start(['--grant', 'exec', '--no-token'])
  const [id, other] = [await open(port), await open(port)]
  const headers = { 'mcp-session-id': id, 'mcp-protocol-version': '2025-11-25' }
  const first = await new Promise<string>((done) => {
    const body = JSON.stringify(request('late', 'tools/call', { name: 'brief' }))
    const sent = httpRequest({ port, host: '127.0.0.1', method: 'POST', path: '/mcp', headers: { ...BOTH, ...headers } }, (response) => {
      response.setEncoding('utf8').once('data', (chunk: string) => {
        response.destroy()
        done(chunk)
      })
    })
    sent.on('error', () => {})
    sent.end(body)
  })
  const last = /^id: (\S+)/m.exec(first)?.[1] ?? ''
  t.not(last, '', first)
  const resume = (session: string) =>
    send(port, { method: 'GET', headers: { ...headers, 'mcp-session-id': session, 'last-event-id': last, accept: 'text/event-stream' } })
  t.equal((await resume(other)).status, 400, 'another session cannot have it')
  let got = await resume(id)
  for (let left = 50; left > 0 && got.status === 409; left--) got = await resume(id)
  t.match(got.text, /"id":"late"/)
  await end()
})

t.test('calls end with their session, and with the server', async (t) => {
  const { url, port, end } = await start(['--grant', 'exec', '--no-token'])
  const running = (word: string) => processes().some(({ args }) => args.endsWith(`sleep 60 ${word}`))
  const { client, transport } = await connect(url)
  const lost = client.callTool({ name: 'sleep', arguments: { arguments: ['62001'] } }).catch(() => {})
  t.ok(await until(() => running('62001')))
  await transport.terminateSession()
  t.ok(await until(() => !running('62001')), 'DELETE')
  await client.close()
  await lost
  const second = await connect(url)
  const stopped = second.client.callTool({ name: 'sleep', arguments: { arguments: ['62002'] } }).catch(() => {})
  t.ok(await until(() => running('62002')))
  t.equal((await send(port, { body: initialize() })).status, 200, 'others are served meanwhile')
  t.equal((await end()).signal, 'SIGTERM')
  t.ok(await until(() => !running('62002')), 'SIGTERM')
  await second.client.close()
  await stopped
})

t.test('a hundred clients at once, each its own', async (t) => {
  const { url, end } = await start(['--max-requests', '4'])
  const wrong: unknown[] = []
  const one = async (n: number): Promise<void> => {
    const { client, transport } = await connect(url, {}, new Client({ name: `client-${n}`, version: '1' }))
    const { tools } = await client.listTools()
    const answers = await Promise.all([n, n + 1000].map((m) => call(client, 'double', { n: m })))
    const found = answers.map(({ structuredContent }) => (structuredContent as { n?: number } | undefined)?.n)
    if (tools.length < 8 || found.join() !== [2 * n, 2 * (n + 1000)].join()) wrong.push([n, found])
    await transport.terminateSession()
    await client.close()
  }
  await Promise.all(
    Array.from({ length: 100 }, (_, n) => one(n).catch((error: unknown) => wrong.push([n, String(error), String((error as Error).cause)]))),
  )
  t.strictSame(wrong, [])
  const { client } = await connect(url)
  t.equal((await call(client, 'listener', { input: 'Men are all alike.' })).text, 'IN WHAT WAY')
  await client.close()
  t.equal((await end('SIGINT')).signal, 'SIGINT')
})

t.test('as part of a program', async (t) => {
  place.lay({ 'own.plumb': '@tool true let inc : int -> int = map(value + 1)\n' })
  const served = await serve({ specs: [`${place.folder}/own.plumb`], http: 0, isOpen: true, docroot: place.folder, builtins: [] })
  if (!served.ok) {
    t.fail(served.error.detail)
    return
  }
  const { client } = await connect(served.value.url ?? '')
  t.equal((await call(client, 'inc', { input: 1 })).text, '2')
  t.match(await call(client, 'check', { source: 'let main : !int -> !int = id' }), { structuredContent: { ok: true } })
  await client.close()
  await served.value.close()
  await served.value.finished
  t.notOk((await serve({ specs: ['nope.plumb'], http: 0, isOpen: true })).ok)
})
