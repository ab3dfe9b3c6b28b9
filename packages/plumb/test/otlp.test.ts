// What a collector gets of a run with two agents, tools of each kind, a nested plumb, an error and a retry, and of a server of MCP: by the
// collector's own types, and by what the conventions' model files say of each name (conventions.ts).

import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { bash, envIn, makeTestDirectory } from '../../wire/test/shell.js'
import { METRICS, SPANS, wrongAttributes, wrongNames } from './conventions.js'

interface Attribute {
  readonly key: string
  readonly value: Readonly<Record<string, unknown>>
}

interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly attributes: readonly Attribute[]
  readonly status: { readonly code?: number; readonly message?: string }
}

const valuesOf = ({ attributes }: Pick<Span, 'attributes'>): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))

const TRACE = '0af7651916cd43dd8448eb211c80319c'

/** Against the table; `of`: its row. */
const checkSpan = (t: Test, span: Span, of: string): void => {
  const values = valuesOf(span)
  const rule = SPANS[of]
  t.strictSame(wrongAttributes(span.attributes), [], span.name)
  t.strictSame(rule && wrongNames(rule, Object.keys(values)), [], span.name)
  t.match(span, { traceId: TRACE, spanId: /^[\da-f]{16}$/, kind: rule?.kind ?? -1 })
  t.equal(span.status.code === 2, 'error.type' in values, `${span.name}: error.type and status`)
}

// biome-ignore lint/suspicious/noExplicitAny: the bodies of requests
const checkResource = (t: Test, bodies: readonly any[]): void => {
  for (const { resourceSpans } of bodies)
    for (const { resource, schemaUrl, scopeSpans } of resourceSpans) {
      t.strictSame(wrongAttributes(resource.attributes), [])
      t.match([schemaUrl, scopeSpans[0].schemaUrl], [/schemas\/gen-ai\/0\.1\.0$/, /schemas\/gen-ai\/0\.1\.0$/])
    }
}

interface Seen {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Takes all that is sent, and answers by path. */
const openServer = async (t: Test, answer: (seen: Seen, count: number) => { readonly status?: number; readonly body?: unknown }) => {
  const seen: Seen[] = []
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const one = { path: request.url ?? '', headers: request.headers, body: Buffer.concat(parts).toString() }
      seen.push(one)
      const { status = 200, body = {} } = answer(one, seen.length)
      response.writeHead(status, { 'content-type': 'application/json', 'retry-after-ms': '1' }).end(JSON.stringify(body))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { seen, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const completion = (message: object, finish_reason = 'stop', id = 'chatcmpl-1') => ({
  id,
  object: 'chat.completion',
  model: 'gpt-5.2-2026-01-01',
  choices: [{ index: 0, message: { role: 'assistant', content: null, ...message }, finish_reason }],
  usage: { prompt_tokens: 20, completion_tokens: 9, completion_tokens_details: { reasoning_tokens: 4 } },
})

/** By Anthropic, whose cache is counted both ways. */
const MESSAGE = {
  ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-sonnet-4-5', stop_reason: 'end_turn', stop_sequence: null },
  content: [{ type: 'text', text: 'no number' }],
  usage: { input_tokens: 1, output_tokens: 2, cache_read_input_tokens: 3, cache_creation_input_tokens: 4 },
}

const callOf = (id: string, name: string, input: object) => ({ id, type: 'function', function: { name, arguments: JSON.stringify(input) } })

const MCP_SERVER = `
const { createInterface } = require('node:readline')
const { appendFileSync } = require('node:fs')
const say = (id, result) => console.log(JSON.stringify({ jsonrpc: '2.0', id, result }))
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (method === 'initialize') say(id, { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } })
  else if (method === 'tools/list') say(id, { tools: [{ name: 'shout', inputSchema: { type: 'object', properties: { text: { type: 'string' } } } }] })
  else if (method === 'tools/call') {
    appendFileSync(process.argv[2], JSON.stringify({ id, meta: params._meta }) + String.fromCharCode(10))
    say(id, { content: [{ type: 'text', text: 'HO' }] })
  } else if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } }))
})
`

const specOf = (url: string, log: string): string => `
let fetch : { url: string } -> json = tool { builtin: "http_get" }
let where : { arguments?: [string] } -> string = tool { command: "printenv TRACEPARENT" }
let asker : !string -> !string = agent {
  provider: "openai", model: "gpt-5.2", endpoint: "${url}/v1", wire: "chat", stream: false, tools: [fetch, where],
  mcp: [{ command: "node", args: ["mcp.cjs", "${log}"], prefix: "loud", sandbox: false }], prompt: "Be brief.", conversation: value
}
let checker : !string -> !int = agent {
  provider: "anthropic", model: "claude-sonnet-4-5", endpoint: "${url}", stream: false, max_retries: 0, amnesiac: true
}
let main : !string -> !int = asker ; checker
`

const openModel = (t: Test) =>
  openServer(t, ({ path, body }, count) => {
    if (path === '/page') return { body: { page: true } }
    // Its first request is retried.
    if (count === 1) return { status: 503, body: { error: { message: 'busy' } } }
    if (path === '/v1/messages') return { body: MESSAGE }
    const { messages } = JSON.parse(body) as { messages: { role: string }[] }
    if (messages.some(({ role }) => role === 'tool')) return { body: completion({ content: 'done' }) }
    const calls = [
      callOf('call_a', 'fetch', { url: 'PAGE' }),
      callOf('call_b', 'where', {}),
      callOf('call_c', 'loud__shout', { text: 'ho' }),
      callOf('call_d', 'fetch', { url: 'not a url' }),
    ]
    return { body: JSON.parse(JSON.stringify(completion({ tool_calls: calls }, 'tool_calls')).replaceAll('PAGE', `${pageUrl}/page`)) }
  })

let pageUrl = ''

t.test('the spans of a run', async (t) => {
  const { seen, url } = await openModel(t)
  pageUrl = url
  const collector = await openServer(t, () => ({}))
  const directory = makeTestDirectory({ 'mcp.cjs': MCP_SERVER })
  const log = `${directory}/seen.json`
  const { out, err, status } = await bash(
    `cat > s.plumb; echo '"k1"' | plumb --grant net,net.private,exec s.plumb; s=$?; cat seen.json >&2; exit $s`,
    {
      directory,
      env: {
        ...envIn(directory),
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true',
        TRACEPARENT: `00-${TRACE}-b7ad6b7169203331-01`,
      },
    },
    specOf(url, log),
  )
  t.match({ out, status }, { out: '', status: 1 }, err)
  const bodies = collector.seen.filter(({ path }) => path === '/v1/traces').map(({ body }) => JSON.parse(body))
  const spans = bodies.flatMap(({ resourceSpans }) => resourceSpans[0].scopeSpans[0].spans as Span[])
  const named = (name: string) => spans.filter((span) => span.name === name)
  t.strictSame([...new Set(spans.map(({ name }) => name))].sort(), [
    'chat claude-sonnet-4-5',
    'chat gpt-5.2',
    'execute_tool fetch',
    'execute_tool loud:shout',
    'execute_tool where',
    'invoke_agent asker',
    'invoke_agent checker',
    'invoke_workflow main',
  ])
  for (const span of spans) checkSpan(t, span, String(valuesOf(span)['gen_ai.operation.name']))
  checkResource(t, bodies)
  const ids = new Map(spans.map((span) => [span.spanId, span]))
  t.equal(ids.size, spans.length)
  const ofTools = spans.filter(({ name }) => name.startsWith('execute_tool'))
  for (const { parentSpanId = '' } of ofTools) t.equal(ids.get(parentSpanId)?.name, 'invoke_agent asker')

  const [failed, first] = named('chat gpt-5.2').map(valuesOf)
  t.match(failed, { 'error.type': 'overloaded', 'gen_ai.conversation.id': 'k1' })
  t.match(first, {
    'gen_ai.request.model': 'gpt-5.2',
    'gen_ai.response.model': 'gpt-5.2-2026-01-01',
    'gen_ai.response.id': 'chatcmpl-1',
    'gen_ai.usage.reasoning.output_tokens': '4',
    'gen_ai.conversation.id': 'k1',
    'gen_ai.system_instructions': /^\[\{"type":"text","content":"Be brief\./,
  })
  t.match(JSON.parse(String(first?.['gen_ai.input.messages'])), [{ role: 'user', parts: [{ type: 'text', content: 'k1' }] }])
  t.match(JSON.parse(String(first?.['gen_ai.output.messages'])), [
    {
      role: 'assistant',
      parts: [{ type: 'tool_call', id: 'call_a', name: 'fetch', arguments: { url: `${pageUrl}/page` } }, {}, {}, {}],
      finish_reason: 'tool_call',
    },
  ])
  t.match(JSON.parse(String(valuesOf(named('chat gpt-5.2').at(-1) as Span)['gen_ai.input.messages'])), [
    { role: 'user' },
    { role: 'assistant', parts: [{ type: 'tool_call' }, {}, {}, {}] },
    { role: 'tool', parts: [{ type: 'tool_call_response', id: 'call_a', response: /page/ }, {}, {}, {}] },
  ])
  t.match(named('chat claude-sonnet-4-5').map(valuesOf), [
    {
      'gen_ai.usage.input_tokens': '8',
      'gen_ai.usage.cache_read.input_tokens': '3',
      'gen_ai.usage.cache_write.input_tokens': '4',
      'gen_ai.provider.name': 'anthropic',
    },
  ])
  t.match(named('invoke_agent asker').map(valuesOf), [{ 'gen_ai.conversation.id': 'k1', 'gen_ai.system_instructions': /Be brief/ }])
  t.match(named('invoke_agent checker').map(valuesOf), [{ 'error.type': 'output_type_mismatch' }])

  // What a tool asks is below the span of its call.
  const [page, bad] = named('execute_tool fetch').sort((a, b) => (a.status.code ?? 0) - (b.status.code ?? 0))
  t.equal(seen.find(({ path }) => path === '/page')?.headers.traceparent, `00-${page?.traceId}-${page?.spanId}-01`)
  t.match(valuesOf(bad as Span), { 'error.type': String })
  const [where] = named('execute_tool where')
  t.match(valuesOf(where as Span)['gen_ai.tool.call.result'], `${where?.traceId}-${where?.spanId}`)
  const [shout] = named('execute_tool loud:shout')
  const asked = JSON.parse(err.split('\n').find((line) => line.startsWith('{"id"')) ?? '{}') as {
    id: number
    meta: Record<string, unknown>
  }
  t.equal(asked.meta.traceparent, `00-${shout?.traceId}-${shout?.spanId}-01`)
  t.match(valuesOf(shout as Span), {
    'mcp.method.name': 'tools/call',
    'mcp.protocol.version': '2025-11-25',
    'jsonrpc.request.id': String(asked.id),
    'network.transport': 'pipe',
  })

  const metrics = collector.seen.filter(({ path }) => path === '/v1/metrics').map(({ body }) => JSON.parse(body))
  for (const { name, unit, histogram, sum } of metrics.at(-1).resourceMetrics[0].scopeMetrics[0].metrics) {
    const rule = METRICS[name]
    t.strictSame([unit, histogram ? 'histogram' : 'sum'], [rule?.unit, rule?.form], name)
    for (const point of (histogram ?? sum).dataPoints as Pick<Span, 'attributes'>[]) {
      t.strictSame(wrongAttributes(point.attributes), [], name)
      t.strictSame(rule && wrongNames(rule, Object.keys(valuesOf(point))), [], name)
    }
  }
  const names = metrics.at(-1).resourceMetrics[0].scopeMetrics[0].metrics.map(({ name }: { readonly name: string }) => name)
  for (const name of Object.keys(METRICS)) t.ok(names.includes(name), name)
  await checkProtocol(t, collector.seen)
})

t.test('nothing of what was said is sent, unless it is asked for', async (t) => {
  const { url } = await openServer(t, ({ body }) => {
    const { messages } = JSON.parse(body) as { messages: { role: string; content: string }[] }
    const [first] = messages.filter(({ role }) => role === 'user')
    if (first?.content.includes('refuse')) return { body: completion({ content: 'CANARY-1' }, 'content_filter') }
    if (first?.content.includes('no')) return { status: 400, body: { error: { message: 'it has CANARY-2' } } }
    if (messages.some(({ role }) => role === 'tool')) return { body: completion({ content: 'done' }) }
    const calls = [
      callOf('a', 'breaks', { text: 'CANARY-3' }),
      callOf('b', 'breaks', { CANARY_4: 1 }),
      callOf('c', 'read', { path: '/CANARY-5' }),
    ]
    return { body: completion({ tool_calls: calls }, 'tool_calls') }
  })
  const directory = makeTestDirectory()
  const spec = `
@tool true
let breaks : { text: string } -> number = map(if text = "" then 1 else fail(text))
let read : { path: string } -> json = tool { builtin: "read_file" }
let main : !string -> !string = agent {
  provider: "openai", model: "m", endpoint: "${url}/v1", wire: "chat", stream: false, max_retries: 0, tools: [breaks, read]
}
`
  for (const isAsked of [false, true]) {
    const collector = await openServer(t, () => ({}))
    const env = {
      ...envIn(directory),
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: String(isAsked),
    }
    const { out, err } = await bash(`cat > s.plumb; printf '"%s"\\n' refuse no tools | plumb s.plumb`, { directory, env }, spec)
    t.equal(out, '"done"\n', err)
    const sent = collector.seen.map(({ body }) => body).join('')
    t.strictSame(
      [1, 2, 3, 4, 5].map((n) => new RegExp(`CANARY.${n}`).test(sent)),
      Array(5).fill(isAsked),
    )
    const messages = spansIn(collector.seen).flatMap(({ name, status }) => (status.code === 2 ? [[name, status.message]] : []))
    if (!isAsked)
      t.strictSame(messages.sort(), [
        ['chat m', 'provider_refused'],
        ['execute_tool breaks', 'input_type_mismatch'],
        ['execute_tool breaks', 'rejected'],
        ['execute_tool read', 'path_denied'],
        ['invoke_agent main', 'answer_refused'],
        ['invoke_agent main', 'provider_refused'],
        ['invoke_workflow main', 'exit status 1'],
      ])
  }
})

t.test('calls within a nested plumb have spans of their own', async (t) => {
  const { seen, url } = await openServer(t, ({ path, body }) => {
    if (path === '/page') return { body: { page: true } }
    const { messages } = JSON.parse(body) as { messages: { role: string }[] }
    if (messages.some(({ role }) => role === 'tool')) return { body: completion({ content: 'done' }) }
    const calls = [callOf('call_a', 'fetch', { url: `${url}/page` }), callOf('call_b', 'loud__shout', { text: 'ho' })]
    return { body: completion({ tool_calls: calls }, 'tool_calls') }
  })
  const collector = await openServer(t, () => ({}))
  const directory = makeTestDirectory({ 'mcp.cjs': MCP_SERVER })
  const spec = `
let fetch : { url: string } -> json = tool { builtin: "http_get" }
let asker : !string -> !string = agent {
  provider: "openai", model: "gpt-5.2", endpoint: "${url}/v1", wire: "chat", stream: false, tools: [fetch],
  mcp: [{ command: "node", args: ["mcp.cjs", "${directory}/seen.json"], prefix: "loud", sandbox: false }]
}
let inner : !string -> !string = plumb(input, output) { spawn asker(input=input, output=output) }
let main : !string -> !string = plumb(input, output) { spawn inner(input=input, output=output) }
`
  const env = { ...envIn(directory), OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, TRACEPARENT: `00-${TRACE}-b7ad6b7169203331-01` }
  const { out, err } = await bash(`cat > s.plumb; echo '"x"' | plumb --grant net,net.private,exec s.plumb`, { directory, env }, spec)
  t.equal(out, '"done"\n', err)
  const spans = spansIn(collector.seen)
  for (const span of spans) checkSpan(t, span, String(valuesOf(span)['gen_ai.operation.name']))
  const [fetch] = spans.filter(({ name }) => name === 'execute_tool fetch')
  const [shout] = spans.filter(({ name }) => name === 'execute_tool loud:shout')
  t.equal(seen.find(({ path }) => path === '/page')?.headers.traceparent, `00-${TRACE}-${fetch?.spanId}-01`)
  t.match(JSON.parse(readFileSync(join(directory, 'seen.json'), 'utf8')), { meta: { traceparent: `00-${TRACE}-${shout?.spanId}-01` } })
  t.match(valuesOf(shout as Span), { 'mcp.method.name': 'tools/call', 'network.transport': 'pipe' })
})

const spansIn = (seen: readonly Seen[]): readonly Span[] =>
  seen.filter(({ path }) => path === '/v1/traces').flatMap(({ body }) => JSON.parse(body).resourceSpans[0].scopeSpans[0].spans as Span[])

t.test('a run that its caller leaves out of its traces sends metrics alone', async (t) => {
  const collector = await openServer(t, () => ({}))
  const spec = `let where : { arguments?: [string] } -> string = tool { command: "printenv TRACEPARENT" }
let bot : !string -> !string = agent { provider: "eliza", model: "doctor", tools: [where] }
let inner : !string -> !string = plumb(input, output) { input ; bot ; output }
let main : !string -> !string = inner
`
  const directory = makeTestDirectory({ 's.plumb': spec })
  const left = `00-${TRACE}-b7ad6b7169203331-00`
  const env = { ...envIn(directory), OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, TRACEPARENT: left }
  const { out, err } = await bash(`echo '"call where {}"' | plumb --grant exec s.plumb`, { directory, env })
  t.match(out, left, err)
  t.strictSame([...new Set(collector.seen.map(({ path }) => path))], ['/v1/metrics'])
})

const REQUESTS = [
  { id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } } },
  { id: 2, method: 'tools/list', params: {} },
  {
    id: 3,
    method: 'tools/call',
    params: { name: 'where', arguments: {}, _meta: { traceparent: `00-${TRACE}-00f067aa0ba902b7-01` } },
  },
  { id: 4, method: 'tools/call', params: { name: 'broken', arguments: {} } },
  { id: 5, method: 'tools/call', params: { name: 'none', arguments: {} } },
  { id: 6, method: 'no/such', params: {} },
  {
    id: 7,
    method: 'tools/call',
    params: {
      name: 'where',
      arguments: {},
      _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} },
    },
  },
]

t.test('the spans of a server of MCP', async (t) => {
  const collector = await openServer(t, () => ({}))
  const spec = `
@tool true let where : { arguments?: [string] } -> string = tool { command: "printenv TRACEPARENT" }
@tool true let broken : { arguments?: [string] } -> string = tool { command: "false" }
`
  const directory = makeTestDirectory({
    's.plumb': spec,
    in: REQUESTS.map((request) => `${JSON.stringify({ jsonrpc: '2.0', ...request })}\n`).join(''),
  })
  const env = {
    ...envIn(directory),
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true',
    TRACEPARENT: `00-${TRACE}-b7ad6b7169203331-01`,
  }
  const { out, err } = await bash('plumb-mcp --grant exec s.plumb < in', { directory, env })
  const spans = spansIn(collector.seen)
  t.strictSame(
    spans.map(({ name, parentSpanId }) => `${name} ${parentSpanId}`).sort(),
    [
      ...['initialize', 'tools/call', 'tools/call broken', 'tools/call where', 'tools/list'].map((name) => `${name} b7ad6b7169203331`),
      'tools/call where 00f067aa0ba902b7',
    ].sort(),
    err,
  )
  for (const span of spans) checkSpan(t, span, 'mcp.server')
  const named = (id: string) => spans.find((span) => valuesOf(span)['jsonrpc.request.id'] === id)
  t.match(valuesOf(named('4') as Span), { 'error.type': 'tool_error' })
  t.match(valuesOf(named('5') as Span), { 'rpc.status_code': '-32602', 'error.type': undefined })
  t.match(valuesOf(named('7') as Span), { 'mcp.protocol.version': '2026-07-28' })
  t.match(out, new RegExp(`00-${TRACE}-${named('3')?.spanId}-01`), 'what the tool asks is below it')
  await checkProtocol(t, collector.seen)
})

/** Each body, read by the collector's own types, which take no field that they do not have. */
const CHECK = `
import base64, json, sys
from google.protobuf.json_format import ParseDict
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
IDS = {"traceId": 16, "spanId": 8, "parentSpanId": 8}
def binary(value):
    if isinstance(value, list):
        return [binary(one) for one in value]
    if not isinstance(value, dict):
        return value
    for key, size in IDS.items():
        if key in value:
            raw = bytes.fromhex(value[key])
            assert len(raw) == size, key
            value[key] = base64.b64encode(raw).decode()
    return {key: binary(one) for key, one in value.items()}
for line in sys.stdin:
    path, body = json.loads(line)
    ParseDict(binary(json.loads(body)), ExportTraceServiceRequest() if path.endswith("traces") else ExportMetricsServiceRequest())
    print(path)
`

const PYTHON = join(process.env.PLUMB_OTHERS ?? '', 'typed/bin/python3')
const hasTypes = spawnSync(PYTHON, ['-c', 'import opentelemetry.proto']).status === 0

const checkProtocol = async (t: Test, seen: readonly Seen[]): Promise<void> => {
  if (!hasTypes) return void t.pass('no opentelemetry-proto is here (PLUMB_OTHERS: scripts/install-others)', { skip: true })
  const input = seen.map(({ path, body }) => `${JSON.stringify([path, body])}\n`).join('')
  const { stdout, stderr } = spawnSync(PYTHON, ['-c', CHECK], { input, encoding: 'utf8' })
  t.strictSame([stderr, stdout.trim().split('\n').length], ['', seen.length])
}
