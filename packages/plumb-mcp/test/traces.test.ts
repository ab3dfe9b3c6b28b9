// The place of a request in the trace of its client: in _meta, or as W3C has it in a header of HTTP, both ways; and what the tools ask is below
// the span of the request, behind a gateway and in a client's program too.

import { spawn } from 'node:child_process'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { openCollector, type SentSpan } from '../../wire/test/collector.js'
import { scaled } from '../../wire/test/patience.js'
import { bash, envIn, makeTestDirectory } from '../../wire/test/shell.js'
import { initialize, openPlace, request, SERVER } from './server.js'

const TOOLS = `@tool true let where : { arguments?: [string] } -> string = tool { command: "printenv TRACEPARENT" }\n`
const place = openPlace({ 't.plumb': TOOLS })
t.teardown(() => place.remove())

interface Serving {
  readonly url: string
  end(): Promise<void>
}

const start = (args: readonly string[], env: Readonly<Record<string, string>>): Promise<Serving> =>
  new Promise((done, fail) => {
    const child = spawn(SERVER, ['--http', '0', '--no-token', '--grant', 'exec', ...args], {
      cwd: place.directory,
      env: { ...place.env, ...env },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let err = ''
    const timer = setTimeout(() => child.kill('SIGKILL'), scaled(90_000))
    const ended = new Promise<void>((over) => {
      child.on('close', () => {
        clearTimeout(timer)
        fail(new Error(err))
        over()
      })
    })
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      err += chunk
      const [, url] = /"listening":"([^"]+)"/.exec(err) ?? []
      const end = (): Promise<void> => {
        child.kill('SIGTERM')
        return ended
      }
      if (url !== undefined) done({ url, end })
    })
  })

const BOTH = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

const post = async (url: string, body: object, headers: Readonly<Record<string, string>> = {}) => {
  const response = await fetch(url, { method: 'POST', headers: { ...BOTH, ...headers }, body: JSON.stringify(body) })
  return { session: response.headers.get('mcp-session-id') ?? '', text: await response.text() }
}

const trace = (n: number): string => String(n).padStart(32, 'a')
const span = (n: number): string => String(n).padStart(16, 'b')
const parent = (n: number): string => `00-${trace(n)}-${span(n)}-01`

const PREFIX = 'io.modelcontextprotocol/'
const STATELESS = { [`${PREFIX}protocolVersion`]: '2026-07-28', [`${PREFIX}clientCapabilities`]: {} }

const callOf = (id: number, params: object, _meta: object = {}) => request(id, 'tools/call', { ...params, _meta })
const WHERE = { name: 'where', arguments: {} }

/** What a request says, whose part its span is then, and what is linked beside that. */
const ROWS: readonly (readonly [what: string, headers: Readonly<Record<string, string>>, meta: object, of: number, linked?: number])[] = [
  ['in a header', { traceparent: parent(1) }, {}, 1],
  ['in both: what is nearer to the call', { traceparent: parent(2) }, { traceparent: parent(3) }, 3, 2],
  ['the same in both', { traceparent: parent(5) }, { traceparent: parent(5) }, 5],
  ['in neither: the trace of the server', {}, {}, 9],
  ['in a header that is wrong', { traceparent: '00-abc-def-01' }, {}, 9],
  ['wrong in _meta alone', { traceparent: parent(4) }, { traceparent: 4 }, 4],
]

t.test('a server over HTTP, with sessions and without', async (t) => {
  const collector = await openCollector(t)
  const server = await start(['t.plumb'], { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, TRACEPARENT: parent(9) })
  const { session } = await post(server.url, initialize('2025-11-25'))
  const told: { readonly what: string; readonly of: number; readonly linked: number | undefined; readonly text: string }[] = []
  for (const [what, headers, meta, of, linked] of ROWS) {
    const inSession = { ...headers, 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' }
    const alone = { ...headers, 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'where' }
    const answers = [
      await post(server.url, callOf(told.length, WHERE, meta), inSession),
      await post(server.url, callOf(told.length, WHERE, { ...STATELESS, ...meta }), alone),
    ]
    for (const { text } of answers) told.push({ what, of, linked, text })
  }
  await server.end()
  const spans = collector.spans()
  for (const { what, of, linked, text } of told) {
    const [, traceId, spanId] = /00-([\da-f]{32})-([\da-f]{16})-01/.exec(text) ?? []
    const own = spans.find((one) => one.spanId === spanId)
    t.match({ traceId, ...own }, { traceId: trace(of), name: 'tools/call where', parentSpanId: span(of) }, `${what}: ${text}`)
    t.strictSame(own?.links, linked === undefined ? undefined : [{ traceId: trace(linked), spanId: span(linked) }], what)
  }
})

t.test('what a gateway asks, and the program of a client, are below its span', async (t) => {
  const collector = await openCollector(t)
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }
  const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', traceparent: parent(1) }
  const source = `let where : { arguments?: [string] } -> string = tool { command: "printenv TRACEPARENT" }
let main : !{} -> !string = map({ arguments: [] }) ; map(where, parallel: 1)`
  for (const [args, params] of [
    [['--gateway', 't.plumb'], { name: 'compose', arguments: { chain: 'where', input: {} } }],
    [['t.plumb'], { name: 'call', arguments: { source, input: {} } }],
  ] as const) {
    const server = await start(args, env)
    const { text } = await post(server.url, callOf(1, params, STATELESS), { ...headers, 'mcp-name': params.name })
    await server.end()
    const [own] = collector.spans().filter(({ name }) => name === `tools/call ${params.name}`)
    t.match(own, { traceId: trace(1), parentSpanId: span(1) }, params.name)
    t.match(text, `00-${trace(1)}-${own?.spanId}-01`, params.name)
  }
})

t.test('what its client leaves out of its traces', async (t) => {
  const collector = await openCollector(t)
  const server = await start(['t.plumb'], { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })
  const alone = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'where' }
  const left = parent(1).replace(/01$/, '00')
  for (const [headers, meta] of [
    [{ traceparent: left }, {}],
    [{}, { traceparent: left }],
  ] as const) {
    const { text } = await post(server.url, callOf(1, WHERE, { ...STATELESS, ...meta }), { ...alone, ...headers })
    t.match(text, left, 'the tool is told so')
  }
  await server.end()
  t.strictSame(collector.spans(), [])
})

const specOf = (url: string, more = ''): string => `let main : !string -> !string = agent {
  provider: "eliza", model: "doctor", mcp: [{ url: "${url}", prefix: "far", timeout: 60${more} }]
}
`
const ask = async (spec: string, env: Readonly<Record<string, string>>) => {
  const directory = makeTestDirectory({ 'a.plumb': spec })
  const { out, err } = await bash(`echo '"call far:where {}"' | plumb --grant net,net.private a.plumb`, {
    directory,
    env: { ...envIn(directory), ...env },
  })
  return { out, err }
}

t.test('a run, and the server that its agent asks: one trace', async (t) => {
  const collector = await openCollector(t)
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }
  const server = await start(['t.plumb'], env)
  for (const revision of ['2025-11-25', '2026-07-28']) {
    const { out, err } = await ask(specOf(server.url, `, revision: "${revision}"`), { ...env, TRACEPARENT: parent(1) })
    t.match(out, `00-${trace(1)}-`, err)
  }
  await server.end()
  const spans = collector.spans()
  const above = (one: SentSpan | undefined): SentSpan | undefined => spans.find(({ spanId }) => spanId === one?.parentSpanId)
  const asked = spans.filter(({ name }) => name === 'tools/call where')
  t.equal(asked.length, 2)
  for (const one of asked) {
    const names = [above(one), above(above(one)), above(above(above(one)))].map((span) => span?.name)
    t.strictSame(names, ['execute_tool far:where', 'invoke_agent main', 'invoke_workflow main'])
  }
})

/** A server of others, whose middleware reads headers alone. */
const openOther = async (t: Test) => {
  const seen: { readonly method: string; readonly header: IncomingMessage['headers'][string]; readonly meta: unknown }[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text
    })
    request.on('end', () => {
      if (request.method !== 'POST') return void response.writeHead(405).end()
      const { id, method, params = {} } = JSON.parse(body)
      seen.push({ method, header: request.headers.traceparent, meta: params._meta?.traceparent })
      const results: Readonly<Record<string, object>> = {
        initialize: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'o', version: '1' } },
        'tools/list': { tools: [{ name: 'where', inputSchema: { type: 'object' } }] },
        'tools/call': { content: [{ type: 'text', text: 'here' }] },
      }
      if (id === undefined) return void response.writeHead(202).end()
      const answer = results[method] ? { result: results[method] } : { error: { code: -32601, message: 'no' } }
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { seen, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp` }
}

t.test('a server of others gets it as a header too', async (t) => {
  const collector = await openCollector(t)
  const { seen, url } = await openOther(t)
  const calls = () => seen.splice(0).filter(({ method }) => method === 'tools/call')
  t.match(await ask(specOf(url, ', revision: "2025-11-25"'), {}), { out: /here/ })
  t.strictSame(calls(), [{ method: 'tools/call', header: undefined, meta: undefined }], 'none without a collector')
  await ask(specOf(url, ', revision: "2025-11-25"'), { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })
  const [tool] = collector.spans().filter(({ name }) => name === 'execute_tool far:where')
  const expected = `00-${tool?.traceId}-${tool?.spanId}-01`
  t.strictSame(calls(), [{ method: 'tools/call', header: expected, meta: expected }])
  const own = specOf(url, ', revision: "2025-11-25", headers: { traceparent: "mine" }')
  await ask(own, { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })
  t.match(calls(), [{ header: 'mine' }], 'a header of the spec is as it says')
})
