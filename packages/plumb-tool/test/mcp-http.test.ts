// The connection to MCP servers over HTTP, SSE and WebSocket: scripted ones on loopback, and a real one from npm. Faults 114 and 115.

import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { type Fault, MAX_LINE } from '@plumb/wire'
import t from 'tap'
import { connectMcp } from '../../mcp-client/src/connect.js'
import type { McpConnection, ServerConfig } from '../../mcp-client/src/connection.js'
import { until } from '../../wire/test/processes.js'

interface Message {
  readonly id?: number
  readonly method: string
  readonly params?: Readonly<Record<string, unknown>>
}

interface Asked {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Of a POST. */
  readonly message: Message
  readonly origin: string
}

type Answer = (asked: Asked) => void

interface Seen {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

interface Server {
  readonly origin: string
  readonly seen: Seen[]
}

const json = (response: ServerResponse, value: unknown, headers: Record<string, string> = {}) =>
  response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value))

const resultOf = ({ method, params }: Message): unknown => {
  if (method === 'initialize')
    return { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'scripted', version: '1' } }
  if (method === 'tools/list') return { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] }
  return { content: [{ type: 'text', text: JSON.stringify(params?.arguments) }] }
}

/** As it should be, with a session. */
const well: Answer = ({ request, response, message }) => {
  if (request.method === 'DELETE') return void response.writeHead(200).end()
  if (request.method === 'GET') return void response.writeHead(405).end()
  if (message.id === undefined) return void response.writeHead(202).end()
  json(response, { jsonrpc: '2.0', id: message.id, result: resultOf(message) }, { 'mcp-session-id': 's-1' })
}

/** As well, with none. */
const withoutSession: Answer = (asked) => {
  const { response, message } = asked
  if (message.id === undefined) well(asked)
  else json(response, { jsonrpc: '2.0', id: message.id, result: resultOf(message) })
}

/** Well, but for calls. */
const calls =
  (answer: Answer): Answer =>
  (asked) =>
    asked.message.method === 'tools/call' ? answer(asked) : well(asked)

const says =
  (status: number, body = '', headers: Record<string, string> = {}): Answer =>
  ({ response }) =>
    void response.writeHead(status, headers).end(body)

const events = (response: ServerResponse, ...parts: string[]) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const part of parts) response.write(part)
}

const serve = async (paths: Readonly<Record<string, Answer>>): Promise<Server> => {
  const seen: Seen[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (piece: string) => {
      body += piece
    })
    request.on('end', () => {
      const { method = '', url = '', headers } = request
      seen.push({ method, path: url, headers, body })
      const answer = paths[new URL(url, origin).pathname]
      if (!answer) return void response.writeHead(404).end('nothing here')
      answer({ request, response, origin, message: body.startsWith('{') ? JSON.parse(body) : { method: '' } })
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { origin, seen }
}

const connect = (config: ServerConfig, allowsPrivateNet = true) =>
  connectMcp({ cache_ttl: 0, prefix: 'far', ...config }, { clientName: 'test', note: () => {}, allowsPrivateNet })

const open = async (config: ServerConfig): Promise<McpConnection> => {
  const opened = await connect(config)
  if (!opened.ok) throw new Error(opened.error.detail)
  t.teardown(() => opened.value.disconnect())
  return opened.value
}

const wordsOf = ({ error, detail }: Fault): string => `${error}: ${detail}`
const refusal = async (config: ServerConfig, allowsPrivateNet?: boolean) => {
  const opened = await connect(config, allowsPrivateNet)
  return opened.ok ? 'connected' : wordsOf(opened.error)
}
const said = async (connection: McpConnection, input = '{}') => {
  const answer = await connection.call('echo', input)
  return answer.ok ? answer.value.content : wordsOf(answer.error)
}
const text = (words: string) => [{ type: 'text', text: words }]

t.test('a session over Streamable HTTP: headers, numbers in full, and DELETE at the end', async (t) => {
  const { origin, seen } = await serve({ '/mcp': well })
  const connection = await open({ url: `${origin}/mcp`, token: 'sk-CANARY-bearer' })
  t.match(connection, { server: { name: 'scripted' }, protocol: '2025-11-25' })
  await said(connection, '{"n":9007199254740993}')
  t.match(seen.at(-1), {
    headers: { authorization: 'Bearer sk-CANARY-bearer', 'mcp-session-id': 's-1', 'mcp-protocol-version': '2025-11-25' },
    body: /"arguments":\{"n":9007199254740993\}/,
  })
  await connection.disconnect()
  t.match(seen.at(-1), { method: 'DELETE', headers: { 'mcp-session-id': 's-1', authorization: 'Bearer sk-CANARY-bearer' } })
})

t.test('what a refusal means', async (t) => {
  const { origin } = await serve({
    '/401': says(401, 'who are you, sk-CANARY-bearer?'),
    '/403': says(403),
    '/asks': says(401, '', { 'www-authenticate': 'Bearer resource_metadata="https://as.example/prm"' }),
    '/405': says(405),
    '/429': says(429, 'later', { 'retry-after': '7' }),
    '/503': says(503),
    '/500': says(500, 'x'.repeat(1000)),
    '/html': says(200, '<html>', { 'content-type': 'text/html' }),
    '/bad': says(200, '{"jsonrpc":', { 'content-type': 'application/json' }),
    '/long': ({ response }) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      for (let i = 0; i < 20; i++) response.write('x'.repeat(1024 * 1024))
    },
  })
  const host = new URL(origin).host
  const older = '; an older one needs transport: "sse"'
  const cases: [string, string][] = [
    ['/401', `unauthorized: ${host} does not accept the key for its MCP server (401): who are you, ***?`],
    ['/403', `unauthorized: ${host} refuses this client, or what its key may do (403)`],
    ['/404', `bad_reply: no MCP server answers at this path of ${host} (404): nothing here${older}`],
    ['/405', `bad_reply: no MCP server answers at this path of ${host} (405)${older}`],
    ['/429', `rate_limited: ${host} asks for fewer requests (429): later`],
    ['/503', `overloaded: ${host} cannot answer now (503)`],
    ['/500', `connection_failed: ${host} answered with status 500: ${'x'.repeat(299)}…`],
    ['/html', "bad_reply: the handshake with MCP server 'far': Unexpected content type: text/html"],
    ['/bad', "bad_reply: the handshake with MCP server 'far' got an answer that is not JSON"],
    ['/long', `bad_reply: ${host} sent a message that is longer than ${MAX_LINE} bytes`],
  ]
  for (const [path, words] of cases) t.equal(await refusal({ url: origin + path, token: 'sk-CANARY-bearer' }), words)
  const give = '; give it with token_env, headers_env, or client_id_env and client_secret_env'
  t.match(await refusal({ url: `${origin}/401` }), `unauthorized: ${host} wants a key for its MCP server, and none is given (401): who`)
  t.match(
    await refusal({ url: `${origin}/asks` }),
    `unauthorized: ${host} wants a key for its MCP server, and none is given (401)${give} (https://as.example/prm says who gives tokens)`,
  )
  t.equal(await refusal({ url: `${origin}/403` }), `unauthorized: ${host} refuses this client, which has sent no key (403)${give}`)
  t.match(await connect({ url: `${origin}/429` }), { error: { retry_after: 7 } })
  t.match(await refusal({ url: 'http://127.0.0.1:9/mcp' }), /^connection_failed: 127\.0\.0\.1:9: /)
  t.match(await refusal({ url: 'http://nosuch.invalid/mcp' }), /^connection_failed: nosuch\.invalid: no address is known for this name/)
  t.equal(
    await refusal({ url: `${origin}/mcp` }, false),
    "address_denied: '127.0.0.1' is a private or local address, or leads to one, and net.private is not granted",
  )
  t.match(await refusal({ url: `http://localhost:${new URL(origin).port}/mcp` }, false), /^address_denied: 'localhost' is a private/)
})

t.test('fault 115: a token goes to its server only, and is in no error', async (t) => {
  const other = await serve({ '/mcp': well })
  const { origin, seen } = await serve({
    '/mcp': well,
    '/away': ({ response }) => void response.writeHead(307, { location: `${other.origin}/mcp` }).end(),
    '/within': ({ response }) => void response.writeHead(307, { location: '/mcp' }).end(),
  })
  const token = 'sk-CANARY-bearer'
  t.equal(
    await refusal({ url: `${origin}/away`, token }),
    `bad_reply: the handshake with MCP server 'far' was pointed on to ${other.origin}/mcp, where no key is sent: name that address if it is meant`,
  )
  t.strictSame(other.seen, [])
  t.strictSame(await said(await open({ url: `${origin}/within`, token }), '{}'), text('{}'))
  process.env.TEST_CLIENT_ID = 'CANARY-id'
  process.env.TEST_CLIENT_SECRET = 'CANARY&secret'
  const query = { auth: 'query', client_id_env: 'TEST_CLIENT_ID', client_secret_env: 'TEST_CLIENT_SECRET' } as const
  await open({ url: `${origin}/mcp?a=b`, ...query })
  t.equal(seen.at(-2)?.path, '/mcp?a=b&client_id=CANARY-id&client_secret=CANARY%26secret')
  t.notMatch(await refusal({ url: `${origin}/nothing`, ...query }), /CANARY/)
})

t.test('faults 109, 114: an answer that is cut off is lost, unless the server says how to go on; so is a server that breaks', async (t) => {
  let isAsked = false
  const { origin, seen } = await serve({
    '/cut': calls(({ response }) => {
      events(response, ': working\n\n')
      response.end()
    }),
    '/broken': calls(({ response }) => {
      events(response, 'event: message\ndata: {"jso')
      setImmediate(() => response.destroy())
    }),
    // Within the event that would have reported where to go on.
    '/half-id': calls(({ response }) => {
      events(response, 'id: e-1\nretry: 10\nda')
      response.end()
    }),
    '/resumed': (asked) => {
      const { request, response, message } = asked
      if (message.method === 'tools/call') {
        isAsked = true
        events(response, 'id: e-1\nretry: 10\ndata: \n\n')
        return void response.end()
      }
      if (request.method !== 'GET' || !isAsked) return well(asked)
      const result = { content: text(String(request.headers['last-event-id'])) }
      events(response, `id: e-2\ndata: ${JSON.stringify({ jsonrpc: '2.0', id: 1, result })}\n\n`)
    },
    '/gone': calls(says(404, 'no such session')),
    '/lost': (asked) => (asked.message.method === 'tools/call' ? says(404)(asked) : withoutSession(asked)),
    '/busy': calls(says(503)),
    '/broke': calls(says(500, 'a stack trace')),
    '/gateway': calls(says(502)),
    '/huge': calls(({ response }) => {
      events(response, 'data: ')
      for (let i = 0; i < 20; i++) response.write('x'.repeat(1024 * 1024))
    }),
  })
  const host = new URL(origin).host
  const gone = "mcp_dead: MCP server 'far' has ended:"
  for (const [path, words] of [
    ['/cut', `${gone} it cut off an answer`],
    ['/broken', `${gone} it cut off an answer`],
    ['/half-id', `${gone} it cut off an answer`],
    ['/gone', `${gone} ${host} no longer knows this session (404): no such session`],
    ['/huge', `${gone} it cut off an answer`],
    ['/lost', `${gone} ${host} no longer knows this session (404)`],
    ['/busy', `${gone} ${host} answered with status 503`],
    ['/broke', `${gone} ${host} answered with status 500: a stack trace`],
    ['/gateway', `${gone} ${host} does not know what became of the request (502)`],
  ] as const) {
    const connection = await open({ url: origin + path })
    t.equal(await said(connection), words, path)
    t.ok(connection.isDead)
    const asked = seen.length
    t.equal(await said(connection), words, 'and all that follow')
    t.equal(seen.length, asked, 'without a question')
  }
  t.strictSame(await said(await open({ url: `${origin}/resumed` })), text('e-1'))
})

t.test('a server that cannot make anything of a notification is there for the next question', async (t) => {
  const stop = new AbortController()
  const { origin, seen } = await serve({
    '/mcp': (asked) => {
      const { method, params = {} } = asked.message
      if (method === 'notifications/cancelled') return says(500)(asked)
      return 'arguments' in params && JSON.stringify(params.arguments).includes('hang') ? stop.abort() : well(asked)
    },
  })
  const connection = await open({ url: `${origin}/mcp` })
  t.match(await connection.call('echo', '{"hang":true}', { signal: stop.signal }), { error: { error: 'cancelled' } })
  t.ok(await until(() => seen.some(({ body }) => body.includes('notifications/cancelled'))))
  t.strictSame(await said(connection), text('{}'))
})

t.test('what a server says unasked comes on a stream of its own', async (t) => {
  let stream: ServerResponse | undefined
  const { origin, seen } = await serve({
    '/mcp': (asked) => {
      if (asked.request.method !== 'GET') return well(asked)
      stream = asked.response
      events(stream, ': here\n\n')
    },
  })
  let changes = 0
  const config = { url: `${origin}/mcp`, prefix: 'far', cache_ttl: 0 }
  const opened = await connectMcp(config, { clientName: 'test', note: () => {}, allowsPrivateNet: true, onToolsChanged: () => changes++ })
  if (!opened.ok) throw new Error(opened.error.detail)
  const lists = () => seen.filter(({ body }) => body.includes('tools/list')).length
  await opened.value.tools()
  await opened.value.tools()
  t.equal(lists(), 1)
  t.ok(await until(() => stream !== undefined))
  stream?.write('data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n\n')
  t.ok(await until(() => changes === 1))
  await opened.value.tools()
  t.equal(lists(), 2)
  await opened.value.disconnect()
})

t.test('fault 109: a server that goes away is gone', async (t) => {
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (piece) => {
      body += piece
    })
    request.on('end', () => well({ request, response, origin: '', message: body === '' ? { method: '' } : JSON.parse(body) }))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  const connection = await open({ url: `http://127.0.0.1:${port}/mcp` })
  server.closeAllConnections()
  await new Promise((done) => server.close(done))
  t.match(await said(connection), new RegExp(`^mcp_dead: MCP server 'far' has ended: 127\\.0\\.0\\.1:${port}: `))
  t.ok(connection.isDead)
})

t.test('fault 109: of 100 calls to a server that starts anew in the middle, each has one outcome, and none runs twice', async (t) => {
  for (const atOnce of [1, 10, 100]) {
    const runs = new Map<number, number>()
    let life = 0
    const { origin } = await serve({
      '/mcp': (asked) => {
        const { request, response, message } = asked
        const session = `life-${life}`
        if (message.id === undefined) return well(asked)
        if (message.method !== 'initialize' && request.headers['mcp-session-id'] !== session) return says(404, 'no such session')(asked)
        if (message.method === 'tools/call') {
          const { n = 0 } = (message.params?.arguments ?? {}) as { n?: number }
          runs.set(n, (runs.get(n) ?? 0) + 1)
          // It ends with what it has begun.
          if (n === 50) life++
          if (n === 50 || n === 49) return void response.destroy()
        }
        json(response, { jsonrpc: '2.0', id: message.id, result: resultOf(message) }, { 'mcp-session-id': session })
      },
    })
    const connection = await open({ url: `${origin}/mcp` })
    const outcomes: string[] = []
    let next = 1
    const work = async (): Promise<void> => {
      for (let n = next++; n <= 100; n = next++) {
        const answer = await connection.call('echo', `{"n":${n}}`)
        const right = answer.ok && JSON.stringify(answer.value.content) === JSON.stringify(text(`{"n":${n}}`))
        outcomes[n] = right ? 'answered' : answer.ok ? 'of another' : answer.error.error
      }
    }
    await Promise.all(Array.from({ length: atOnce }, work))
    const counted = (outcome: string) => outcomes.filter((other) => other === outcome).length
    t.equal(
      counted('answered') + counted('mcp_dead'),
      100,
      `${atOnce} at once: ${counted('answered')} answered, ${counted('mcp_dead')} dead`,
    )
    t.ok(
      [...runs.values()].every((count) => count === 1),
      'none ran twice',
    )
    t.ok(
      outcomes.every((outcome, n) => outcome !== 'answered' || runs.get(n) === 1),
      'what is answered ran',
    )
    t.equal(outcomes[50], 'mcp_dead')
  }
})

t.test('headers of the entry go to its server, and to no other host', async (t) => {
  const other = await serve({ '/mcp': well })
  const { origin, seen } = await serve({
    '/mcp': well,
    '/away': ({ response }) => void response.writeHead(307, { location: `${other.origin.replace('127.0.0.1', 'localhost')}/mcp` }).end(),
  })
  process.env.TEST_KEY = 'CANARY key 1'
  const headers = { 'X-Tenant': 'a b', Authorization: 'Basic CANARY2' }
  await said(await open({ url: `${origin}/mcp`, headers, headers_env: { 'X-Goog-Api-Key': 'TEST_KEY' } }))
  for (const { headers } of seen) t.match(headers, { 'x-tenant': 'a b', authorization: 'Basic CANARY2', 'x-goog-api-key': 'CANARY key 1' })
  t.match(seen.at(-1), { body: /tools\/call/ })
  t.match(await refusal({ url: `${origin}/away`, headers }), /where no key is sent/)
  t.strictSame(other.seen, [])
  const wrong: readonly (readonly [ServerConfig, RegExp])[] = [
    [{ headers: { 'a b': 'x' } }, /^config_invalid: 'headers' .*'a b' is not a name of a header/],
    [{ headers: { Accept: 'x' } }, /'Accept' is set by the protocol/],
    [{ headers: { 'Mcp-Session-Id': 'x' } }, /set by the protocol/],
    [{ headers: { authorization: 'x' }, token: 'y' }, /'authorization' and a token exclude each other/],
    [{ headers: { a: 'x\ny: z' } }, /the value of 'a' has a line end/],
    [{ headers: { a: 'x' }, headers_env: { A: 'TEST_KEY' } }, /'A' stands there twice/],
    [{ headers_env: { a: 'NO_SUCH' } }, /^missing_key: the environment has no NO_SUCH, which headers_env names for 'a'/],
  ]
  for (const [config, words] of wrong) t.match(await refusal({ url: `${origin}/mcp`, ...config }), words)
  const echo = await serve({
    '/mcp': ({ request, response }) => void response.writeHead(500).end(String(request.headers['x-goog-api-key'])),
  })
  t.notMatch(await refusal({ url: `${echo.origin}/mcp`, headers_env: { 'X-Goog-Api-Key': 'TEST_KEY' } }), /CANARY/)
})

/** Each `/token` gives a token for the scope that is asked for. */
const openIssuer = async ({
  needs = '',
  supported,
  methods,
  refuses = false,
  flawed = false,
  isOpenId = false,
  isBare = false,
}: Issuer) => {
  const asked: { readonly body: URLSearchParams; readonly authorization: string | undefined }[] = []
  let granted: readonly string[] = []
  const server = await serve({
    '/mcp': (given) => {
      const { request, response, origin, message } = given
      const where = `resource_metadata="${origin}/.well-known/oauth-protected-resource"`
      const lacks = message.method === 'tools/call' && !granted.includes('mcp:write') && needs.includes('mcp:write')
      if (!/^Bearer tok/.test(request.headers.authorization ?? ''))
        response.writeHead(401, { 'www-authenticate': `Bearer ${where}${needs === '' ? '' : ', scope="mcp:read"'}` }).end()
      else if (lacks)
        response.writeHead(403, { 'www-authenticate': `Bearer error="insufficient_scope", scope="mcp:write", ${where}` }).end('{}')
      else well(given)
    },
    '/.well-known/oauth-protected-resource': ({ response, origin }) =>
      json(response, { resource: `${origin}/mcp`, authorization_servers: [origin], ...(supported ? { scopes_supported: supported } : {}) }),
    [`/.well-known/${isOpenId ? 'openid-configuration' : 'oauth-authorization-server'}`]: ({ response, origin }) =>
      json(response, {
        issuer: origin,
        ...(isBare ? {} : { authorization_endpoint: `${origin}/authorize`, response_types_supported: ['code'] }),
        token_endpoint: flawed ? 5 : `${origin}/token`,
        ...(methods ? { token_endpoint_auth_methods_supported: methods } : {}),
      }),
    '/token': ({ request, response }) => {
      const body = new URLSearchParams(server.seen.at(-1)?.body)
      asked.push({ body, authorization: request.headers.authorization })
      granted = (body.get('scope') ?? '').split(' ')
      if (!refuses) json(response, { access_token: `tok${asked.length}`, token_type: 'bearer' })
      else response.writeHead(401, { 'content-type': 'application/json' }).end('{"error":"invalid_client","error_description":"disabled"}')
    },
  })
  const config = { url: `${server.origin}/mcp`, client_id_env: 'TEST_CLIENT_ID', client_secret_env: 'TEST_CLIENT_SECRET' }
  return { config, asked, scopes: () => asked.map(({ body }) => body.get('scope')) }
}

interface Issuer {
  readonly needs?: string
  readonly supported?: readonly string[]
  readonly methods?: readonly string[]
  readonly refuses?: boolean
  readonly flawed?: boolean
  /** Its metadata are where those of OpenID are. */
  readonly isOpenId?: boolean
  /** They have what client credentials need, and no more. */
  readonly isBare?: boolean
}

t.test('OAuth: which scope is asked for, how the client shows who it is, and how often', async (t) => {
  process.env.TEST_CLIENT_ID = 'my id'
  process.env.TEST_CLIENT_SECRET = "s3:%/+é'~"
  const rows: readonly (readonly [what: string, issuer: Issuer, config: ServerConfig, scopes: readonly (string | null)[]])[] = [
    ['none is named', {}, {}, [null]],
    ['that of the challenge', { needs: 'mcp:read', supported: ['a'] }, {}, ['mcp:read']],
    ['what is supported', { supported: ['a', 'b'] }, {}, ['a b']],
    ['that of the entry', { needs: 'mcp:read', supported: ['a'] }, { scope: 'own other' }, ['own other']],
    ['metadata of OpenID without keys', { isOpenId: true }, {}, [null]],
    ['metadata of client credentials alone', { isBare: true }, {}, [null]],
    ['more, where a 403 asks for it', { needs: 'mcp:read mcp:write' }, {}, ['mcp:read', 'mcp:read mcp:write']],
  ]
  for (const [what, issuer, more, scopes] of rows) {
    const { config, scopes: wanted } = await openIssuer(issuer)
    t.strictSame(await said(await open({ ...config, ...more })), text('{}'), what)
    t.strictSame(wanted(), scopes, what)
  }
  const basic = `Basic ${Buffer.from('my+id:s3%3A%25%2F%2B%C3%A9%27%7E').toString('base64')}`
  const methods: readonly (readonly [string[] | undefined, object])[] = [
    [undefined, { authorization: basic }],
    [['private_key_jwt', 'client_secret_basic', 'client_secret_post'], { authorization: basic }],
    [['client_secret_post'], { authorization: undefined }],
  ]
  for (const [each, shown] of methods) {
    const { config, asked } = await openIssuer(each ? { methods: each } : {})
    await open(config)
    t.match(asked, [shown], String(each))
    t.equal(asked[0]?.body.get('client_secret') ?? undefined, each?.length === 1 ? "s3:%/+é'~" : undefined)
  }
  const refused = await openIssuer({ refuses: true })
  t.equal(await refusal(refused.config), "unauthorized: the handshake with MCP server 'far': no token was given for it: disabled")
  t.equal(refused.asked.length, 1, 'a client that is refused is not locked by asking')
  const flawed = await openIssuer({ flawed: true })
  t.match(await refusal(flawed.config), /^unauthorized: .*the metadata of its authorization server cannot be used: 'token_endpoint': /)
})

t.test('a server that is silent, or refuses a revision, is asked for an older one', async (t) => {
  const refuses =
    (isKnown: (version: unknown) => boolean, status: number, body: string): Answer =>
    (asked) =>
      asked.message.method === 'initialize' && !isKnown(asked.message.params?.protocolVersion)
        ? void asked.response.writeHead(status, { 'content-type': 'text/plain' }).end(body)
        : asked.message.method === 'server/discover'
          ? void asked.response.writeHead(404).end()
          : well(asked)
  const { origin } = await serve({
    '/hangs': (asked) => (asked.message.method === 'server/discover' ? undefined : well(asked)),
    '/accepts': (asked) => (asked.message.method === 'server/discover' ? void asked.response.writeHead(202).end() : well(asked)),
    '/old': refuses((version) => version === '2025-06-18' || version === '2025-03-26', 400, 'unsupported'),
    '/never': refuses(() => false, 400, 'not here'),
    '/text-ids': (asked) =>
      asked.message.id === undefined
        ? well(asked)
        : json(asked.response, { jsonrpc: '2.0', id: String(asked.message.id), result: resultOf(asked.message) }),
  })
  for (const path of ['/hangs', '/accepts', '/text-ids']) t.strictSame(await said(await open({ url: origin + path })), text('{}'), path)
  t.equal((await open({ url: `${origin}/old` })).protocol, '2025-06-18')
  t.match(await refusal({ url: `${origin}/never` }), /answered with status 400: not here/)
  t.match(
    await refusal({ url: `${origin}/old`, revision: '2025-11-25' }),
    /answered with status 400: unsupported/,
    'not where one is named',
  )
})

t.test('OAuth client credentials are exchanged for a token', async (t) => {
  process.env.TEST_CLIENT_ID = 'CANARY-id'
  process.env.TEST_CLIENT_SECRET = 'CANARY-secret'
  let tokens = '/token'
  const metadata = ({ origin }: Asked) => ({ resource: `${origin}/mcp`, authorization_servers: [origin] })
  const { origin, seen } = await serve({
    '/mcp': (asked) => {
      const { request, response, origin } = asked
      if (request.headers.authorization === 'Bearer CANARY-token') return well(asked)
      const where = `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource"`
      response.writeHead(401, { 'www-authenticate': where }).end()
    },
    '/.well-known/oauth-protected-resource': (asked) => json(asked.response, metadata(asked)),
    '/.well-known/oauth-authorization-server': ({ response, origin }) =>
      json(response, {
        issuer: origin,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: new URL(tokens, origin).href,
        response_types_supported: ['code'],
      }),
    '/token': ({ request, response }) => {
      const isKnown = request.headers.authorization === `Basic ${Buffer.from('CANARY-id:CANARY-secret').toString('base64')}`
      if (isKnown) json(response, { access_token: 'CANARY-token', token_type: 'bearer' })
      else response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":"invalid_client","error_description":"who?"}')
    },
  })
  const config = { url: `${origin}/mcp`, client_id_env: 'TEST_CLIENT_ID', client_secret_env: 'TEST_CLIENT_SECRET' }
  t.strictSame(await said(await open(config)), text('{}'))
  t.match(seen.find(({ path }) => path === '/token')?.body, 'grant_type=client_credentials')
  tokens = 'http://example.org/token'
  t.equal(
    await refusal(config),
    'address_denied: the secret of a client is not sent to example.org, which the server names for its tokens, without TLS',
  )
  tokens = origin.replace('127.0.0.1', 'localhost').replace('http', 'https')
  t.match(await refusal(config), /^address_denied: 'localhost' is a private or local address/)
  tokens = '/token'
  process.env.TEST_CLIENT_SECRET = 'CANARY-other'
  t.equal(await refusal(config), "unauthorized: the handshake with MCP server 'far': no token was given for it: who?")
})

t.test('the older SSE: a stream, and an endpoint to post to', async (t) => {
  let stream: ServerResponse | undefined
  const { origin, seen } = await serve({
    '/sse': ({ response }) => {
      stream = response
      events(response, 'event: endpoint\ndata: /post\n\n')
    },
    '/post': ({ response, message }) => {
      response.writeHead(202).end()
      if (message.id !== undefined)
        stream?.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id: message.id, result: resultOf(message) })}\n\n`)
    },
    '/abroad': ({ response }) => events(response, 'event: endpoint\ndata: http://127.0.0.1:9/post\n\n'),
    '/mute': ({ response }) => events(response, ': nothing\n\n'),
  })
  const connection = await open({ url: `${origin}/sse`, transport: 'sse', token: 'sk-CANARY-bearer' })
  t.strictSame(await said(connection, '{"a":1}'), text('{"a":1}'))
  t.ok(seen.every(({ headers }) => headers.authorization === 'Bearer sk-CANARY-bearer'))
  stream?.end()
  t.ok(await until(() => connection.isDead))
  t.equal(await said(connection), `mcp_dead: MCP server 'far' has ended: ${new URL(origin).host} has ended its stream of events`)
  t.equal(seen.filter(({ path }) => path === '/sse').length, 1, 'not connected again')
  t.equal(
    await refusal({ url: `${origin}/abroad`, transport: 'sse' }),
    "bad_reply: the handshake with MCP server 'far': Endpoint origin does not match connection origin: http://127.0.0.1:9",
  )
  t.equal(
    await refusal({ url: `${origin}/mute`, transport: 'sse', handshake_timeout: 0.3 }),
    "timeout: MCP server 'far' did not answer the handshake within 0.3 s",
  )
})

t.test('a WebSocket: one message a frame', async (t) => {
  const headers: IncomingMessage['headers'][] = []
  const sockets: Duplex[] = []
  const server = createServer().on('upgrade', (request: IncomingMessage, socket: Duplex) => {
    headers.push(request.headers)
    sockets.push(socket)
    const accept = createHash('sha1').update(`${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')
    const lines = ['HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade', `Sec-WebSocket-Accept: ${accept}`]
    socket.write(`${lines.join('\r\n')}\r\nSec-WebSocket-Protocol: mcp\r\n\r\n`)
    const say = (words: string) => {
      const bytes = Buffer.from(words)
      socket.write(Buffer.concat([Buffer.from([0x81, 126, bytes.length >> 8, bytes.length & 255]), bytes]))
    }
    socket.on('error', () => {})
    socket.on('data', (frame: Buffer) => {
      for (const words of readFrames(frame)) {
        const message: Message = JSON.parse(words)
        if (message.id === undefined) continue
        say('no message')
        say(JSON.stringify({ jsonrpc: '2.0', id: message.id, result: resultOf(message) }))
      }
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  t.teardown(() => server.close())
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
  const connection = await open({ url, transport: 'ws', token: 'sk-CANARY-bearer' })
  t.strictSame(await said(connection, '{"n":12345678901234567890}'), text('{"n":12345678901234567000}'))
  t.match(headers, [{ authorization: 'Bearer sk-CANARY-bearer', 'sec-websocket-protocol': 'mcp' }])
  for (const socket of sockets) socket.destroy()
  t.ok(await until(() => connection.isDead))
  t.equal(await said(connection), "mcp_dead: MCP server 'far' has ended: it closed the WebSocket with code 1006")
  t.match(await refusal({ url: 'ws://127.0.0.1:9/', transport: 'ws' }), /^connection_failed: 127\.0\.0\.1:9: /)
  t.match(await refusal({ url, transport: 'ws' }, false), /^address_denied: /)
})

/** Masked text frames of less than 64 KiB, whole in what came at once. */
const readFrames = (bytes: Buffer): string[] => {
  const texts: string[] = []
  for (let at = 0; at < bytes.length; ) {
    const opcode = (bytes[at] as number) & 15
    const short = (bytes[at + 1] as number) & 127
    const start = at + (short === 126 ? 4 : 2)
    const length = short === 126 ? bytes.readUInt16BE(at + 2) : short
    const mask = bytes.subarray(start, start + 4)
    const data = bytes.subarray(start + 4, start + 4 + length).map((byte, i) => byte ^ (mask[i % 4] as number))
    if (opcode === 1) texts.push(Buffer.from(data).toString())
    at = start + 4 + length
  }
  return texts
}

t.test('a real server', async (t) => {
  const main = 'packages/plumb-tool/node_modules/@modelcontextprotocol/server-everything/dist/index.js'
  const port = await freePort()
  const child = spawn(process.execPath, [main, 'streamableHttp'], {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  t.teardown(() => child.kill('SIGKILL'))
  await new Promise<void>((listens) => {
    child.stderr.on('data', (words: Buffer) => words.includes('listening') && listens())
  })
  const connection = await open({ url: `http://127.0.0.1:${port}/mcp` })
  t.match(await connection.tools(), { ok: true, value: [{ name: 'echo' }] })
  t.match(await connection.call('echo', '{"message":"hi"}'), { value: { content: text('Echo: hi') } })
  const reported: number[] = []
  await connection.call('trigger-long-running-operation', '{"duration":0.1,"steps":2}', {
    onProgress: ({ progress }) => reported.push(progress),
  })
  t.equal(reported[0], 1)
  await connection.disconnect()
})

const freePort = async (): Promise<number> => {
  const server = createServer()
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  await new Promise((done) => server.close(done))
  return port
}
