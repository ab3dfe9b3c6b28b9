// The spans of plumb-serve: each request is a part of the trace of its client, also where processes are shared, or a record is kept.

import t from 'tap'
import { openCollector } from '../packages/wire/test/collector.js'
import { serve } from './serving.js'

const SPEC = `
let where : { arguments?: [string] } -> string = tool { command: "printenv TRACEPARENT" }
@serve let bot : !string -> !string = agent { provider: "eliza", model: "doctor", tools: [where] }
let inner : !string -> !string = plumb(input, output) { input ; bot ; output }
@serve let nested : !string -> !string = inner
@serve let number : !string -> !int = map(fail("it is no number"))
`

const traceparent = (n: number): string => `00-${String(n).padStart(32, 'a')}-${String(n).padStart(16, 'b')}-01`

t.test('each request in the trace of its client', async (t) => {
  const { url, spans } = await openCollector(t)
  const server = await serve({ 'a.plumb': SPEC }, { args: ['--grant', 'exec'], env: { OTEL_EXPORTER_OTLP_ENDPOINT: url } })
  const ask = (path: string, n: number) => server.call(path, '"call where {}"', { headers: { traceparent: traceparent(n) } })
  const answers = await Promise.all([ask('/bot', 1), ask('/bot', 2), ask('/nested', 3), ask('/number', 4), server.call('/bot', '"hello"')])
  t.strictSame(
    answers.map(({ status }) => status),
    [200, 200, 200, 422, 200],
  )
  const said = answers.slice(0, 3).map(({ json }) => String(json))
  await server.stop()
  const sent = spans()
  const namesIn = (traceId: string) =>
    sent
      .filter((span) => span.traceId === traceId)
      .map(({ name }) => name)
      .sort()
  const idOf = (n: number): string => traceparent(n).slice(3, 35)
  const ofCall = ['chat doctor', 'chat doctor', 'execute_tool where', 'invoke_agent bot', 'invoke_workflow bot']
  t.strictSame([namesIn(idOf(1)), namesIn(idOf(2))], [ofCall, ofCall])
  t.match(namesIn(idOf(3)), ['chat doctor', 'chat doctor', 'execute_tool where', 'invoke_workflow inner', 'invoke_workflow nested'])
  const [failed] = sent.filter(({ traceId }) => traceId === idOf(4))
  t.match(failed, { name: 'invoke_workflow number', parentSpanId: traceparent(4).slice(36, 52), status: { code: 2 } })
  for (const n of [1, 2]) {
    const [call] = sent.filter(({ traceId, name }) => traceId === idOf(n) && name.startsWith('execute_tool'))
    t.match(said[n - 1], `00-${idOf(n)}-${call?.spanId}-01`, 'the tool is told its own span')
  }
  t.match(said[2], `00-${idOf(3)}-`)
  const others = new Set(sent.map(({ traceId }) => traceId).filter((id) => !/^a/.test(id)))
  t.equal(others.size, 1, 'a request without one has a trace of its own')
})

t.test('a request that its client leaves out of its traces sends no span, and what it asks is told so', async (t) => {
  const { url, spans } = await openCollector(t)
  const left = traceparent(6).replace(/01$/, '00')
  for (const args of [[], ['--record', 'runs']]) {
    const server = await serve({ 'a.plumb': SPEC }, { args: ['--grant', 'exec', ...args], env: { OTEL_EXPORTER_OTLP_ENDPOINT: url } })
    for (const path of ['/bot', '/nested']) {
      const { status, json } = await server.call(path, '"call where {}"', { headers: { traceparent: left } })
      t.match({ status, said: String(json) }, { status: 200, said: left }, `${path} ${args}`)
    }
    await server.stop()
  }
  t.strictSame(spans(), [])
})

t.test('a run that is recorded', async (t) => {
  const { url, spans } = await openCollector(t)
  const server = await serve({ 'a.plumb': SPEC }, { args: ['--record', 'runs'], env: { OTEL_EXPORTER_OTLP_ENDPOINT: url } })
  const headers = { traceparent: traceparent(5), prefer: 'respond-async' }
  const { headers: told } = await server.call('/bot', '"hello"', { headers })
  const { text } = await server.call(`${told.location}/events`)
  t.match(text, /event: done/)
  await server.stop()
  t.strictSame(new Set(spans().map(({ traceId }) => traceId)), new Set([traceparent(5).slice(3, 35)]))
  t.equal(spans().filter(({ name }) => name === 'invoke_workflow bot').length, 1)
})
