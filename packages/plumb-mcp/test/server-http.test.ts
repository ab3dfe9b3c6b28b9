// The server on HTTP: who may come in, what is refused, sessions, streams, and many clients at once.

import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createServer, request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { type AddressInfo, connect as connectSocket, type Socket } from 'node:net'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import t from 'tap'
import { scaled } from '../../wire/test/patience.js'
import { processes, until } from '../../wire/test/processes.js'
import { openEventLog } from '../src/http/event-log.js'
import { listen } from '../src/http/listen.js'
import { openHttpSessions } from '../src/http/sessions.js'
import { serve } from '../src/index.js'
import type { ServerContext } from '../src/server/server-context.js'
import { call, initialize, newClient, notification, openPlace, request, SERVER } from './server.js'

const place = openPlace({
  't.plumb': `type N = { n: int }
@tool true let double : N -> N = map({ n: n * 2 })
let listener : !string -> !string = agent { provider: "eliza", model: "doctor" }
let sleep : { arguments?: [string] } -> string = tool { command: "sleep 60", timeout: 50 }
let brief : { arguments?: [string] } -> string = tool { command: "sleep 1" }
let asked : string -> string = tool { mock: "agreed", approval: "ask" }
let env : { arguments?: [string] } -> string = tool { command: "env" }
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
    const child = spawn(SERVER, ['--http', '0', ...args, 't.plumb'], { cwd: place.directory, env: { ...place.env, ...env } })
    let err = ''
    const timer = setTimeout(() => child.kill('SIGKILL'), scaled(90_000))
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

/** Connections that say nothing; PLUMB_CUTS=all for more than it takes. */
const MANY = process.env.PLUMB_CUTS === 'all' ? 10_000 : 300

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

const PAGE = 'http://localhost:6274'

t.test('a page that is let in gets in: questions before requests, and headers on whatever is answered', async (t) => {
  const asks = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type,mcp-param-city, x-own, b@d' }
  const readable = {
    'access-control-allow-origin': PAGE,
    vary: 'Origin',
    'access-control-expose-headers': /mcp-session-id.*www-authenticate/,
  }
  for (const args of [['--no-token'], ['--token-env', 'T']]) {
    const { port, end } = await start([...args, '--allow-origin', PAGE], { T: TOKEN })
    const asked = (headers: Record<string, string>, path = '/mcp') =>
      send(port, { method: 'OPTIONS', path, headers: { ...asks, ...headers } })
    const preflight = await asked({ origin: PAGE })
    t.match(preflight, {
      status: 204,
      headers: { ...readable, 'access-control-allow-methods': 'GET, POST, DELETE', 'access-control-max-age': /\d/ },
    })
    const allowed = String(preflight.headers['access-control-allow-headers']).split(', ')
    for (const name of [
      'authorization',
      'content-type',
      'accept',
      'last-event-id',
      'mcp-session-id',
      'mcp-protocol-version',
      'mcp-method',
      'mcp-name',
    ])
      t.ok(allowed.includes(name), name)
    t.strictSame(allowed.slice(-2), ['mcp-param-city', 'x-own'], 'and those of its own')
    t.notOk(preflight.headers['access-control-allow-credentials'])
    t.match(await asked({ origin: PAGE }, '/.well-known/oauth-protected-resource'), { status: 204, headers: readable }, 'wherever it asks')
    t.match(await asked({ origin: PAGE, 'access-control-request-private-network': 'true' }), {
      headers: { 'access-control-allow-private-network': 'true' },
    })
    const foreign = await asked({ origin: 'http://evil.example' })
    t.equal(foreign.status, 403)
    t.notOk(foreign.headers['access-control-allow-origin'])
    t.match(await send(port, { method: 'OPTIONS', headers: { authorization: `Bearer ${TOKEN}` } }), { status: 405 }, 'no such question')

    const token = args.length > 1 ? { authorization: `Bearer ${TOKEN}` } : {}
    const origin = { origin: PAGE, ...token }
    const opened = await send(port, { headers: origin, body: initialize('2025-11-25') })
    t.match(opened, { status: 200, headers: { ...readable, 'mcp-session-id': /./ } })
    const refusals: readonly (readonly [number, Sent])[] = [
      [404, { headers: { ...origin, 'mcp-session-id': 'none' }, body: initialize() }],
      [400, { headers: origin, body: '{' }],
      [404, { path: '/', headers: origin }],
      [405, { method: 'PUT', headers: origin }],
      ...(args.length > 1 ? [[401, { headers: { origin: PAGE } }] as const] : []),
    ]
    for (const [status, sent] of refusals) t.match(await send(port, sent), { status, headers: readable }, `${status}`)
    await end()
  }
})

t.test('the address with a slash, what a client takes, and a mark before a body', async (t) => {
  const { port, end } = await start(['--no-token'])
  const [begin, list] = [initialize('2025-11-25'), request(2, 'tools/list')]
  t.match(await send(port, { path: '/mcp/', body: begin }), { status: 200 })
  t.match(await send(port, { path: '/mcp//', body: begin }), { status: 404 })
  t.match(await send(port, { path: '/mcp/?token=x', body: begin }), { status: 400 })
  const session = { 'mcp-session-id': await open(port) }
  const takes: readonly (readonly [string, number])[] = [
    ['*/*', 200],
    ['application/*', 200],
    ['text/html, */*;q=0.8', 200],
    ['Application/JSON, Text/Event-Stream', 200],
    ['text/html', 406],
    ['*/*;q=0', 406],
    ['application/json', 406],
  ]
  for (const [accept, status] of takes) t.match(await send(port, { headers: { ...session, accept }, body: list }), { status }, accept)
  t.match(await send(port, { body: `\ufeff${JSON.stringify(begin)}` }), { status: 200 }, 'a byte order mark')
  await end()
})

t.test('a client may have several streams, and come back on another: the newest gets what there is', async (t) => {
  place.lay({ 'prompts/none.md': 'None' })
  const { port, end } = await start(['--no-token', '--prompts', 'prompts'])
  const session = { 'mcp-session-id': await open(port) }
  await send(port, { headers: session, body: notification('notifications/initialized') })
  const opened: { text: string; isOver: boolean; leave: () => void }[] = []
  const stream = (): Promise<number> =>
    new Promise((done, fail) => {
      const one = { text: '', isOver: false, leave: () => sent.destroy() }
      const sent = httpRequest(
        { port, host: '127.0.0.1', path: '/mcp', headers: { accept: 'text/event-stream', ...session } },
        (response) => {
          opened.push(one)
          response.setEncoding('utf8').on('data', (chunk: string) => {
            one.text += chunk
          })
          response.on('close', () => {
            one.isOver = true
          })
          done(response.statusCode ?? 0)
        },
      )
      sent.on('error', fail)
      sent.end()
    })
  t.strictSame([await stream(), await stream()], [200, 200])
  place.lay({ 'prompts/one.md': 'One' })
  await until(() => opened[1]?.text.includes('list_changed') === true)
  t.notMatch(opened[0]?.text, /list_changed/, 'on one of them only')
  t.notOk(opened[0]?.isOver, 'the other is not ended: its client would take the place again')
  opened[1]?.leave()
  await until(() => opened[0]?.isOver === true)
  t.equal(await stream(), 200, 'who is ended comes back')
  place.lay({ 'prompts/two.md': 'Two' })
  await until(() => opened[2]?.text.includes('list_changed') === true)
  await end()
})

t.test('faults 110, 112, 113: who may come in', async (t) => {
  const { port, end, err } = await start([])
  t.match(err(), /--token-env/, 'without a token it warns')
  const body = initialize()
  const cases: readonly (readonly [status: number, sent: Sent])[] = [
    [200, {}],
    [403, { headers: { origin: 'http://localhost:6274' } }],
    [403, { headers: { origin: 'https://127.0.0.1', host: `localhost:${port}` } }],
    [200, { headers: { origin: `http://localhost:${port}`, host: `LocalHost:${port}` } }],
    [403, { headers: { host: `127.1:${port}` } }],
    [403, { headers: { host: `2130706433:${port}` } }],
    [403, { headers: { host: `0x7f.1:${port}` } }],
    [200, { headers: { host: 'localhost' } }],
    [200, { headers: { host: '127.0.0.1:1' } }],
    [200, { headers: { host: 'localhost:1', origin: 'http://localhost:1' } }],
    [200, { headers: { host: 'localhost', origin: 'http://localhost:80' } }],
    [403, { headers: { host: 'localhost:1', origin: `http://localhost:${port}` } }],
    [200, { headers: { host: `[::1]:${port}` } }],
    [200, { headers: { origin: `http://[::1]:${port}` } }],
    [403, { headers: { origin: 'http://LOCALHOST:1' } }],
    [403, { headers: { origin: '' } }],
    [403, { headers: { origin: `http://evil.test:${port}` } }],
    [403, { headers: { origin: 'http://127.0.0.1.evil.test' } }],
    [403, { headers: { origin: 'http://localhost/path' } }],
    [403, { headers: { origin: 'ftp://localhost' } }],
    [403, { headers: { origin: 'http://10.0.0.1' } }],
    [403, { headers: { origin: 'http://0.0.0.0' } }],
    [403, { headers: { host: `10.0.0.1:${port}` } }],
    [403, { headers: { host: `0.0.0.0:${port}` } }],
    [403, { headers: { host: 'localhost.' } }],
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
    [406, { headers: { accept: '' } }],
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
  // What no client library sends.
  const id = await open(port)
  const ping = JSON.stringify(request(1, 'ping'))
  const rest = `Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: ${ping.length}\r\n`
  const raw: readonly (readonly [status: number, head: string])[] = [
    [200, `POST /mcp HTTP/1.1\r\nHost: localhost:${port}\r\nMcp-Session-Id: ${id}\r\n${rest}`],
    [403, `POST /mcp HTTP/1.0\r\nMcp-Session-Id: ${id}\r\n${rest}`],
    [403, `POST /mcp HTTP/1.1\r\nHost:\r\nMcp-Session-Id: ${id}\r\n${rest}`],
    [400, `POST /mcp HTTP/1.1\r\nMcp-Session-Id: ${id}\r\n${rest}`],
    [403, `POST /mcp HTTP/1.1\r\nHost: evil.test\r\nHost: localhost:${port}\r\nMcp-Session-Id: ${id}\r\n${rest}`],
    [400, `POST /mcp HTTP/1.1\r\nHost: localhost:${port}\r\nMcp-Session-Id: ${id}\nX: y\r\n${rest}`],
    [400, `POST /mcp HTTP/1.1\r\nHost: localhost:${port}\r\nMcp-Session-Id: ${id}\rX: y\r\n${rest}`],
    [404, `POST /mcp HTTP/1.1\r\nHost: localhost:${port}\r\nMcp-Session-Id: ${id}, other\r\n${rest}`],
    [404, `POST /mcp HTTP/1.1\r\nHost: localhost:${port}\r\nMcp-Session-Id: ${id}\r\nMcp-Session-Id: ${id}\r\n${rest}`],
    [404, `POST /mcp HTTP/1.1\r\nHost: localhost:${port}\r\nMcp-Session-Id: ${id.toUpperCase()}\r\n${rest}`],
    [400, `POST /mcp HTTP/1.1\r\nHost: localhost:${port}\r\nTransfer-Encoding: chunked\r\n${rest}`],
    [406, `POST /mcp HTTP/1.1\r\nHost: localhost:${port}\r\nMcp-Session-Id: ${id}\r\n${rest.replace(/Accept.*\r\n/, '')}`],
  ]
  for (const [status, head] of raw) {
    const got = await new Promise<string>((done) => {
      const socket = connectSocket(port, '127.0.0.1', () => socket.write(`${head}Connection: close\r\n\r\n${ping}`))
      let text = ''
      socket.on('error', () => {}).on('close', () => done(text))
      socket.setEncoding('latin1').on('data', (chunk: string) => {
        text += chunk
      })
    })
    t.match(got, /^connection: close\r$/im, 'as it was asked')
    t.equal(Number(got.split(' ')[1]), status, `${head}: ${got}`)
  }
  await t.rejects(start(['--http', String(port)]), /config_invalid.*another program has it/, 'one port, one server')
  t.equal((await end()).signal, 'SIGTERM')
})

// Of /proc/net/tcp and its like: the local addresses, in hexadecimal, that a process listens on at this port.
const listening = (port: number): string[] =>
  ['tcp', 'tcp6'].flatMap((file) => {
    const path = `/proc/net/${file}`
    const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : []
    return lines.flatMap((line) => {
      const [, address = '', at = ''] = /^ *\d+: ([0-9A-F]+):([0-9A-F]{4}) \S+ 0A /.exec(line) ?? []
      return Number.parseInt(at, 16) === port ? [address] : []
    })
  })

t.test(
  'fault 111: it is bound to loopback, with a token or without',
  { skip: existsSync('/proc/net/tcp') ? false : 'there is no /proc/net/tcp' },
  async (t) => {
    for (const [args, env] of [
      [[], {}],
      [['--token-env', 'GATE'], { GATE: TOKEN }],
    ] as const) {
      const { port, end } = await start(args, env)
      t.strictSame(listening(port), ['0100007F'])
      await end()
    }
  },
)

t.test('fault 115: a token', async (t) => {
  const { port, url, end, err } = await start(['--token-env', 'GATE', '--grant', 'exec'], { GATE: TOKEN })
  for (const authorization of [undefined, 'Bearer', 'Bearer ', `Basic ${TOKEN}`, `Bearer ${TOKEN}x`, `Bearer ${TOKEN.slice(1)}`, TOKEN]) {
    const got = await send(port, { ...(authorization === undefined ? {} : { headers: { authorization } }), body: initialize() })
    t.strictSame([got.status, /^Bearer/.test(got.headers['www-authenticate'] ?? '')], [401, true], String(authorization))
  }
  const { client } = await connect(url, { authorization: `Bearer ${TOKEN}` })
  t.match(await call(client, 'double', { n: 2 }), { structuredContent: { n: 4 } })
  t.notMatch((await call(client, 'env')).text, /a-token-of|GATE/, 'what it starts does not have it')
  await client.close()
  await end()
  t.notMatch(err(), TOKEN)
  // It is for this server: no other gets it, whatever is called through this one.
  const reported: unknown[] = []
  const far = createServer(({ headers }, response) => {
    reported.push(headers)
    response.writeHead(401).end()
  })
  await new Promise<void>((done) => far.listen(0, '127.0.0.1', done))
  t.teardown(() => far.close())
  place.lay({
    't2.plumb': `let far : { n: int } -> json = tool { mcp: "http://127.0.0.1:${(far.address() as AddressInfo).port}/mcp", name: "x", retry: 1 }\n`,
  })
  const through = await start(['--token-env', 'GATE', 't2.plumb'], { GATE: TOKEN })
  const asking = await connect(through.url, { authorization: `Bearer ${TOKEN}` })
  t.match(await call(asking.client, 'far', { n: 1 }), { error: 'unauthorized' })
  t.ok(reported.length > 0)
  t.notMatch(JSON.stringify(reported), /authorization|a-token-of/i)
  await asking.client.close()
  await through.end()
  const without = await start(['--no-token', '--grant', 'exec'])
  t.equal((await send(without.port, { body: initialize() })).status, 200)
  t.notMatch(without.err(), /token/, 'who says --no-token is not warned')
  await without.end()
})

t.test('fault 112: sessions', async (t) => {
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

t.test('fault 112: clients that initialize all at once do not pass the bound', async (t) => {
  const { port, end } = await start(['--max-sessions', '2'])
  // In one piece, so that all are read before the first is answered.
  const body = JSON.stringify(initialize())
  const head = `POST /mcp HTTP/1.1\r\nHost: localhost:${port}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n`
  const socket = connectSocket(port, '127.0.0.1', () => socket.write(`${head}Content-Length: ${body.length}\r\n\r\n${body}`.repeat(12)))
  let said = ''
  for await (const chunk of socket.setEncoding('utf8')) {
    said += chunk
    if (said.match(/^HTTP\/1\.1 /gm)?.length === 12) break
  }
  const ids = [...said.matchAll(/^mcp-session-id: (.*)\r$/gim)].map(([, id = '']) => id)
  const pings = await Promise.all(ids.map((id) => send(port, { body: request(1, 'ping'), headers: { 'mcp-session-id': id } })))
  const alive = pings.filter(({ status }) => status === 200).length
  t.ok(alive >= 1 && alive <= 2, `${alive} sessions of ${ids.length}, and 2 are allowed`)
  // What was never initialized takes no place.
  for (let i = 0; i < 3; i++) await send(port, { body: request(1, 'initialize', { protocolVersion: 7 }) })
  for (let i = 0; i < 2; i++) t.match(await open(port), /^[0-9a-f-]{36}$/)
  await end()
})

t.test('fault 112: the bound holds while sessions are opened, and what is never initialized takes no place', async (t) => {
  const sdk = await import('../src/http/mcp-http.late.js')
  const sessions = openHttpSessions(sdk, { files: undefined } as ServerContext, { maxSessions: 2, idleTimeout: 60 })
  const opened = await Promise.all(Array.from({ length: 12 }, () => sessions.open()))
  const leave = opened.flatMap((session) => session?.enter() ?? [])
  t.equal(leave.length, 2)
  t.equal(await sessions.open(), undefined)
  for (const end of leave) end()
  t.ok(await sessions.open())
  await sessions.close()
})

const stateless = { answer: async () => undefined, endListeners: () => {} }

t.test('fault 113: limits', async (t) => {
  const { port, end } = await start(['--max-line', '10000'])
  const id = await open(port)
  const big = request(1, 'ping', { x: 'x'.repeat(20_000) })
  t.equal((await send(port, { body: big, headers: { 'mcp-session-id': id } })).status, 413)
  const chunked = await send(port, { body: JSON.stringify(big), headers: { 'mcp-session-id': id, 'transfer-encoding': 'chunked' } }).catch(
    () => ({ status: 413 }),
  )
  t.equal(chunked.status, 413)
  // One client sends a head that never ends, and one a body: the others are served.
  const slow = [
    `POST /mcp HTTP/1.1\r\nHost: localhost:${port}\r\nX-`,
    `POST /mcp HTTP/1.1\r\nHost: localhost:${port}\r\nContent-Length: 99\r\n\r\n{`,
  ].map((text) => {
    const socket = connectSocket(port, '127.0.0.1')
    socket.on('error', () => {})
    socket.write(text)
    return socket
  })
  const batch = [request('a', 'ping'), request('b', 'ping')]
  const got = await send(port, { body: batch, headers: { 'mcp-session-id': id } })
  t.strictSame([got.status, got.text.includes('"id":"a"'), got.text.includes('"id":"b"')], [200, true, true])
  for (const socket of slow) socket.destroy()

  // A body of a GiB is refused by what it says of itself, or once it has passed the limit.
  let written = 0
  const endless = await new Promise<number>((done) => {
    const headers = { ...BOTH, 'mcp-session-id': id, 'transfer-encoding': 'chunked' }
    const sent = httpRequest({ port, host: '127.0.0.1', method: 'POST', path: '/mcp', headers }, (response) => {
      response.resume()
      done(response.statusCode ?? 0)
    })
    sent.on('error', () => done(413))
    const write = (): void => void (++written < 1024 && !sent.destroyed && sent.write(Buffer.alloc(2 ** 20, ' '), write))
    write()
  })
  t.equal(endless, 413)
  t.ok(written < 1024, `${written} MiB`)
  const declared = connectSocket(port, '127.0.0.1')
  const status = await new Promise<string>((done) => {
    declared.on('error', () => {}).once('data', (chunk) => done(String(chunk).split(' ')[1] ?? ''))
    declared.write(`POST /mcp HTTP/1.1\r\nHost: localhost:${port}\r\nContent-Length: ${2 ** 30}\r\n\r\n{`)
  })
  t.equal(status, '413')
  declared.destroy()

  const idle = await Promise.all(
    Array.from(
      { length: MANY },
      () =>
        new Promise<Socket>((done) => {
          const socket = connectSocket(port, '127.0.0.1', () => done(socket))
          socket.on('error', () => done(socket))
        }),
    ),
  )
  // With more than it takes, those who come then wait until some have gone.
  if (MANY > 4096) for (const socket of idle.splice(0, 6000)) socket.destroy()
  t.equal((await send(port, { body: request('c', 'ping'), headers: { 'mcp-session-id': id } })).status, 200, `beside ${MANY} others`)
  for (const socket of idle) socket.destroy()
  await end()
})

t.test('fault 113: who takes too long is answered 408, and who is too many is closed', async (t) => {
  const limits = { headersTimeout: 300, requestTimeout: 600, connectionsCheckingInterval: 50, maxConnections: 20 }
  const sessions = { get: () => undefined, open: async () => undefined, each: () => {}, close: async () => {} }
  const listener = await listen({ port: 0, token: undefined, maxBytes: 1000, sessions, stateless, limits })
  if (!listener.ok) throw new Error(listener.error.detail)
  const port = Number(new URL(listener.value.url).port)
  const heard = (text: string): Promise<string> =>
    new Promise((done) => {
      const socket = connectSocket(port, '127.0.0.1', () => socket.write(text))
      let said = ''
      socket.setEncoding('latin1').on('data', (chunk: string) => {
        said += chunk
      })
      socket.on('error', () => {}).on('close', () => done(said.split(' ')[1] ?? ''))
    })
  const slow = [
    `POST /mcp HTTP/1.1\r\nHost: localhost:${port}\r\nX-`,
    `POST /mcp HTTP/1.1\r\nHost: localhost:${port}\r\nContent-Length: 99\r\n\r\n{`,
  ]
  t.strictSame(await Promise.all(slow.map(heard)), ['408', '408'])
  const many = await Promise.all(
    Array.from({ length: 60 }, () => heard(`GET /x HTTP/1.1\r\nHost: localhost:${port}\r\nConnection: close\r\n\r\n`)),
  )
  t.ok(
    many.every((status) => status === '404' || status === ''),
    'an answer, or none',
  )
  t.ok(many.includes('404'))
  t.equal(await heard(`GET /x HTTP/1.1\r\nHost: localhost:${port}\r\nConnection: close\r\n\r\n`), '404', 'the next is served')
  await listener.value.close()
})

t.test('bodies that stall have a bound together, and small requests go on beside them', async (t) => {
  const limits = { maxTotalBytes: 200_000, stallTimeout: 3000, connectionsCheckingInterval: 50 }
  const sessions = { get: () => undefined, open: async () => undefined, each: () => {}, close: async () => {} }
  const listener = await listen({ port: 0, token: undefined, maxBytes: 100_000, sessions, stateless, limits })
  if (!listener.ok) throw new Error(listener.error.detail)
  const port = Number(new URL(listener.value.url).port)
  const stalled = (): Promise<string> =>
    new Promise((done) => {
      const socket = connectSocket(port, '127.0.0.1', () => {
        socket.write(`POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Length: 99000\r\n\r\n${' '.repeat(90_000)}`)
      })
      let said = ''
      socket.setEncoding('latin1').on('data', (chunk: string) => {
        said += chunk
      })
      socket.on('error', () => {}).on('close', () => done(said))
    })
  const all = Array.from({ length: 10 }, stalled)
  const first = await Promise.race(all)
  t.match(first, /^HTTP\/1.1 503 /, 'what is over is refused')
  t.match(first, /retry-after: 10/i)
  t.equal((await send(port, { body: request(1, 'ping') })).status, 400, 'a small one is read')
  const ended = await Promise.all(all)
  t.equal(ended.filter((said) => said.startsWith('HTTP/1.1 503')).length, 8, 'two fit')
  t.equal(ended.filter((said) => said.startsWith('HTTP/1.1 408')).length, 2, 'and are told why they are cut off')
  t.equal((await send(port, { body: `${JSON.stringify(request(1, 'ping'))}${' '.repeat(90_000)}` })).status, 400, 'there is room again')
  await listener.value.close()
})

t.test('faults 114, 116: who goes away has not cancelled, and a stream that was cut goes on', async (t) => {
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

t.test('fault 114: what went out on one stream is never sent on another', async (t) => {
  const log = openEventLog()
  const [mine, other] = [log.forSession(), log.forSession()]
  const message = (id: number) => ({ jsonrpc: '2.0' as const, id, result: {} })
  const first = await mine.storeEvent('a', message(1))
  await mine.storeEvent('b', message(2))
  await other.storeEvent('a', message(3))
  const last = await mine.storeEvent('a', message(4))
  const reported: unknown[] = []
  const send = async (_: string, { id }: { id?: unknown }) => void reported.push(id)
  t.equal(await mine.replayEventsAfter(first, { send: send as never }), 'a')
  t.strictSame(reported, [4])
  await t.rejects(other.replayEventsAfter(first, { send: send as never }))
  t.equal(await other.getStreamIdForEventId?.(last), undefined)
  mine.forget()
  await t.rejects(mine.replayEventsAfter(first, { send: send as never }), 'with the session it is not there any more')
  const small = openEventLog(200).forSession()
  const [oldest = ''] = [
    await small.storeEvent('a', message(1)),
    await small.storeEvent('a', { ...message(2), result: { x: 'x'.repeat(200) } }),
  ]
  t.equal(await small.getStreamIdForEventId?.(oldest), undefined, 'and so is what is too much')
})

t.test('fault 116: in the revisions that are spoken here, who goes away has not cancelled', async (t) => {
  const { port, end } = await start(['--grant', 'exec', '--no-token'])
  for (const [revision, word] of [
    ['2025-03-26', '62101'],
    ['2025-11-25', '62102'],
  ] as const) {
    const running = () => processes().some(({ args }) => args.endsWith(`sleep 60 ${word}`))
    const session = String((await send(port, { body: initialize(revision) })).headers['mcp-session-id'])
    const headers = { ...BOTH, 'mcp-session-id': session, 'mcp-protocol-version': revision }
    const asking = httpRequest({ port, host: '127.0.0.1', method: 'POST', path: '/mcp', headers })
    asking.on('error', () => {}).end(JSON.stringify(request('x', 'tools/call', { name: 'sleep', arguments: { arguments: [word] } })))
    t.ok(await until(running))
    asking.destroy()
    for (let i = 0; i < 5; i++) t.equal((await send(port, { body: request(i, 'ping'), headers })).status, 200)
    t.ok(running(), `${revision}: it goes on`)
    const reported = notification('notifications/cancelled', { requestId: 'x' })
    t.equal((await send(port, { body: reported, headers })).status, 202)
    t.ok(await until(() => !running()), `${revision}: until that is said`)
  }
  await end()
})

t.test('fault 109: calls end with their session, and with the server', async (t) => {
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
  const served = await serve({
    specs: [`${place.directory}/own.plumb`],
    http: 0,
    wantsToken: false,
    docroot: place.directory,
    builtins: [],
  })
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
  t.notOk((await serve({ specs: ['nope.plumb'], http: 0, wantsToken: false })).ok)
})
