// What a run leaves to be looked at: a trace that keeps the rules of its format, spans at a collector, a summary with costs.

import { readFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import t, { type Test } from 'tap'
import { showCost, showCount, showRate, showTime } from '../../runtime/src/display/show-number.js'
import { SpanBuilder } from '../../runtime/src/display/span-builder.js'
import { textTable } from '../../runtime/src/display/text-table.js'
import { bash, type Case, envIn, makeTestDirectory, runCases } from '../../wire/test/shell.js'
import { axisTicks, showMicroseconds } from '../src/view/show-time.js'

const FILES = {
  'bot.plumb': `
    let today : { arguments?: [string] } -> string = tool { command: "echo Sunday" }
    let doctor : !string -> !string = agent { provider: "eliza", model: "doctor", tools: [today] }
    let inner : !string -> !string = plumb(input, output) { input ; doctor ; output }
    let critic : !string -> !{ n: int } = agent { command: ["sh", "-c", "while read -r line; do echo '{}'; done"] }
    let main : !string -> !string = plumb(input, output) {
      input ; filter(length(value) > 2) ; doctor ; inner ; map(value + "!") ; output
      doctor ; critic ; map("never") ; output
    }
  `,
  'prices.json': '{"doc": {"input": 9, "output": 9}, "doctor": {"input": 1000, "output": 2000}}',
  'near.json': '{"other": {"input": 1, "output": 1}}',
  'bad.json': '{"m": {"input": -1, "output": 1}}',
}
const INPUT = 'Men are all alike.\nno\ncall today {}\n'

interface Event {
  readonly name: string
  readonly ph: string
  readonly pid: number
  readonly tid: number
  readonly ts: number
  readonly dur: number
  readonly id: string
  readonly cat: string
  readonly args: Record<string, unknown>
}

const eventsIn = (text: string): Event[] => JSON.parse(text) as Event[]

/** What "Trace Event Format" asks of each kind of event, and what Perfetto refuses to draw. */
const flawsOf = (events: readonly Event[]): string[] => {
  const flaws: string[] = []
  const say = (flaw: string, event: Event) => flaws.push(`${flaw}: ${JSON.stringify(event)}`)
  const open = new Map<string, Event>()
  const lines = new Map<string, Event[]>()
  for (const event of events) {
    const { ph, name, pid, tid, ts, dur, id, cat, args } = event
    const key = `${cat} ${id} ${ph === 'b' || ph === 'e' ? pid : ''}`
    if (typeof name !== 'string' || !Number.isSafeInteger(pid)) say('no name or pid', event)
    if (!'MXbeisfC'.includes(ph)) say('no such kind', event)
    if (ph !== 'M' && !(Number.isSafeInteger(ts) && ts >= 0)) say('no time', event)
    if (/[Xisf]/.test(ph) && !Number.isSafeInteger(tid)) say('no thread', event)
    if (ph === 'X') {
      if (!Number.isSafeInteger(dur) || dur < 1) say('no duration', event)
      const line = `${pid} ${tid}`
      lines.set(line, [...(lines.get(line) ?? []), event])
    }
    if (ph === 'C' && !Object.values(args).every((value) => typeof value === 'number')) say('no number', event)
    if (/[besf]/.test(ph) && typeof (id && cat) !== 'string') say('no id', event)
    if (ph === 'b' || ph === 's') open.set(key, event)
    if (ph === 'e' || ph === 'f') {
      const begun = open.get(key)
      if (!begun || begun.ts > ts || begun.name !== name) say('ends what has not begun', event)
      open.delete(key)
    }
  }
  for (const event of open.values()) if (event.ph === 'b') say('never ends', event)
  for (const line of lines.values()) {
    line.sort((a, b) => a.ts - b.ts)
    for (const [i, { ts, dur }] of line.entries())
      if ((line[i + 1]?.ts ?? Number.POSITIVE_INFINITY) < ts + dur) say('overlaps', line[i] as Event)
  }
  const isIn = (arrow: Event) => (lines.get(`${arrow.pid} ${arrow.tid}`) ?? []).some(({ ts, dur }) => ts <= arrow.ts && arrow.ts < ts + dur)
  for (const event of events) if (/[sf]/.test(event.ph) && !isIn(event)) say('an arrow from or to nothing', event)
  return flaws
}

t.test('a trace keeps the rules of its format', async (t) => {
  const directory = makeTestDirectory(FILES)
  const ran = await bash('plumb -Rr --trace t.json bot.plumb', { directory }, INPUT)
  t.equal(ran.out.split('\n').length, 3)
  const events = eventsIn(readFileSync(join(directory, 't.json'), 'utf8'))
  t.strictSame(flawsOf(events), [])

  const named = events.filter(({ name }) => /^(process|thread)_name$/.test(name)).map(({ args }) => args.name)
  t.match(named, ['plumb bot.plumb main', 'input'])
  for (const name of ['filter', 'map', 'agent doctor', 'program critic', 'plumb inner']) t.ok(named.includes(name), `${name} has a place`)
  const spans = events.filter(({ ph }) => ph === 'b').map(({ name, cat, args }) => ({ name, cat, agent: args.agent, seq: args.seq }))
  t.match(
    spans.filter(({ cat }) => cat === 'tool'),
    [{ name: 'today', agent: 'doctor', seq: 3 }],
  )
  const requests = events.filter(({ ph, cat }) => ph === 'b' && cat === 'model')
  t.match(
    requests.filter(({ pid }) => pid === requests[0]?.pid).map(({ args }) => args.seq),
    [1, 3, 3],
    'two of the second input, one on each side of the call',
  )
  t.equal(new Set(requests.map(({ pid }) => pid)).size, 2, 'of the agent, and of the one in the nested plumb')
  const call = events.find(({ cat, ph }) => cat === 'tool' && ph === 'b')
  t.match(call?.args, { ok: true, attempts: 1, stages: [/^validate: /, /^permission: /] })
  const work = events.filter(({ cat }) => cat === 'work')
  t.match(work[0]?.args, { seq: 1, input: '"Men are all alike."', output: '"IN WHAT WAY"' })
  t.equal(work.filter(({ args }) => args.error === 'output_type_mismatch').length, 2)
  t.equal(events.filter(({ name, ph }) => ph === 'i' && name === 'output_type_mismatch').length, 2)
  t.equal(events.filter(({ ph }) => ph === 's').length, events.filter(({ ph }) => ph === 'f').length, 'each arrow arrives')
  t.equal(events.filter(({ ph, name }) => ph === 'C' && name === 'tokens').length > 2, true)
  t.match(events.at(-1), { name: 'end', args: { status: 1 } })
})

t.test('a trace of a run with loops and control', async (t) => {
  const directory = makeTestDirectory()
  const examples = resolve('packages/plumb/examples')
  await bash(`plumb --trace t.json ${examples}/debate.plumb < ${examples}/debate.jsonl`, { directory })
  const events = eventsIn(readFileSync(join(directory, 't.json'), 'utf8'))
  t.strictSame(flawsOf(events), [])
  t.ok(events.filter(({ cat }) => cat === 'work').length > 20)
})

t.test('a call that is over before its agent has said of which input it is', async (t) => {
  const found: unknown[] = []
  const spans = new SpanBuilder({ toolCall: ({ id, message, end }) => found.push([id, message?.seq, end]) })
  const line = { buf: Buffer.from('1'), start: 0, end: 1 }
  const call = (id: string, parent: string | null = null) => ({
    kind: 'call',
    process: 'a',
    call: { tool: 'f', id, input: {}, ok: true, ms: 1, depth: parent === null ? 0 : 1, parent },
  })
  const said = (id: string, seq: number) => ({ kind: 'telemetry', process: 'a', telemetry: { kind: 'tool_call', id, seq, input: {} } })
  const events = [
    { kind: 'begin', nodes: [{ name: 'a', kind: 'agent', concurrency: 2 }], wires: [] },
    { kind: 'spawned', process: 'a', runs: 'agent', pid: 1 },
    { kind: 'asked', process: 'a', n: 1, seq: 1, ...line },
    { kind: 'asked', process: 'a', n: 2, seq: 2, ...line },
    call('inside', 'early'),
    call('early'),
    said('early', 2),
    said('known', 2),
    call('known'),
    call('silent'),
  ]
  for (const [ms, event] of events.entries()) spans.on({ ...event, ms } as never)
  t.strictSame(found, [
    ['inside', 2, 4],
    ['early', 2, 5],
    ['known', 2, 8],
  ])
  spans.on({ kind: 'end', ms: 99 } as never)
  t.strictSame(found.at(-1), ['silent', 1, 9], 'of the oldest one, where nobody says it')
})

t.test('a trace of a run that is killed, and keys in it', async (t) => {
  const directory = makeTestDirectory(FILES)
  const script = `
    coproc plumb -Rr --trace t.json bot.plumb 2>/dev/null
    echo 'The key is sk-CANARY-123.' >&"\${COPROC[1]}"
    until grep -qs '"cat":"work"' t.json; do sleep 0.1; done
    kill -9 "$COPROC_PID"
    wait 2>/dev/null
    plumb view t.json > t.html && grep -c 'the trace ends before the run did' t.html
  `
  const ran = await bash(script, { directory, env: { ...envIn(directory), MY_API_KEY: 'sk-CANARY-123' } })
  t.equal(ran.out, '1\n')
  const text = readFileSync(join(directory, 't.json'), 'utf8')
  t.notMatch(text, 'CANARY')
  t.match(text, '***')
})

const shell = (script: string, env: NodeJS.ProcessEnv = {}) => {
  const directory = makeTestDirectory(FILES)
  return bash(script, { directory, env: { ...envIn(directory), ...env } }, INPUT)
}

void t.test('what cannot be written or read', (t) => {
  const refused = { status: 2, out: '' }
  const id = (options: string) => `plumb -R ${options} -e 'let main : !string -> !string = id'`
  const cases: Record<string, Case> = {
    'a directory that is not there': {
      ...refused,
      run: id('--trace none/t.json'),
      errors: [{ error: 'file_not_found', detail: /none\/t\.json/ }],
    },
    'a full disk': {
      run: `${id('--trace /dev/full')} | wc -l | tr -d ' '`,
      in: INPUT,
      out: '3\n',
      errors: [{ error: 'write_failed', detail: /dev\/full/ }],
      status: 0,
    },
    'no prices': { ...refused, run: id('--prices none.json'), errors: [{ error: 'file_not_found' }] },
    'bad prices': {
      ...refused,
      run: id('--prices bad.json'),
      errors: [{ error: 'config_invalid', detail: /'m' has no number from 0 to 1000000 as its 'input'/ }],
    },
    'a form of summary': { ...refused, run: id('--summary=xml'), errors: [{ error: 'usage', detail: /text, json/ }] },
    'no address of a collector': {
      ...refused,
      run: `OTEL_EXPORTER_OTLP_ENDPOINT=collector:4318 ${id('')}`,
      errors: [{ error: 'config_invalid', detail: /OTEL_EXPORTER_OTLP_ENDPOINT/ }],
    },
    'a header with a line end': {
      ...refused,
      run: `OTEL_EXPORTER_OTLP_ENDPOINT=http://localhost OTEL_EXPORTER_OTLP_HEADERS=a=b%0Ac ${id('')}`,
      errors: [{ error: 'config_invalid', detail: /'a'/ }],
    },
  }
  return runCases(t, cases, ({ run, in: input }) => bash(run, { directory: makeTestDirectory(FILES) }, input))
})

t.test('a summary', async (t) => {
  const reported = await shell('plumb -R --summary --prices prices.json bot.plumb >/dev/null 2>all; grep -v "^{" all')
  t.match(
    reported.out,
    new RegExp(
      [
        '^stage +in +out +errors +requests +tool calls',
        'filter +3 +2',
        'doctor +2 +2 +3 +1',
        'inner +2 +2 +2',
        'map +2 +2',
        'critic +2 +0 +2',
        'map.2 +0 +0',
        '',
        'agent +model +cost +requests +input +output',
        String.raw`doctor +doctor +\$\d\.\d+ +3 +\d+ +\d+`,
        String.raw`inner\.doctor +doctor +\$\d\.\d+ +2 +\d+ +\d+`,
        String.raw`all +\$\d\.\d+ +5 +\d+ +\d+`,
        '',
        'errors: 2 output_type_mismatch',
        String.raw`bot\.plumb main: 3 in, 2 out, 2 errors, \d+ s, \$\d\.\d+, [^\n]*/(s|min), \d+\+\d+ tokens, 1 tool call`,
        '$',
      ].join('\n'),
    ),
  )
  const { out } = await shell('plumb -R --summary json --prices near.json bot.plumb 2>&1 >/dev/null | tail -n 1')
  const { summary } = JSON.parse(out) as { summary: Record<string, unknown> }
  t.match(summary, {
    ...{
      spec: 'bot.plumb',
      binding: 'main',
      status: 1,
      stopped_by: null,
      inputs: 3,
      outputs: 2,
      errors: 2,
      by_code: { output_type_mismatch: 2 },
    },
    ...{ requests: 5, tool_calls: 1, retries: 0, cost: 0, unpriced: undefined },
    agents: [{ agent: 'doctor', model: 'doctor', requests: 3 }, { agent: 'inner.doctor' }],
  })
  t.equal(
    summary.input_tokens,
    (summary.agents as { input_tokens: number }[]).reduce((sum, { input_tokens }) => sum + input_tokens, 0),
  )
})

t.test('progress where there is no terminal, when it is asked for', async (t) => {
  const { err } = await shell(`plumb -R --progress -e 'let main : !string -> !string = id' >/dev/null`)
  t.match(err, /^plumb: 3 in, 3 out, 0 s, [^\n]*\n$/)
  const json = await shell(`PLUMB_ERRORS=json plumb -R --progress -e 'let main : !string -> !string = id' >/dev/null`)
  t.match(JSON.parse(json.err), { progress: { inputs: 3, outputs: 3, errors: 0 } })
  const none = await shell(`plumb -R -e 'let main : !string -> !string = id' >/dev/null`)
  t.equal(none.err, '')
})

t.test('numbers as they are shown', async (t) => {
  t.strictSame([0, 999, 1000, 9949, 9950, 999_499, 999_500, 1e9].map(showCount), [
    '0',
    '999',
    '1.0k',
    '9.9k',
    '10k',
    '999k',
    '1.0M',
    '1.0G',
  ])
  t.strictSame([0, 59_400, 60_000, 3_723_000].map(showTime), ['0 s', '59 s', '1:00', '1:02:03'])
  t.strictSame(
    [
      [0, 5],
      [1, 0],
      [50, 1000],
      [4, 1000],
      [1, 60_000],
    ].map(([n = 0, ms = 0]) => showRate(n, ms)),
    ['', '', '50/s', '4.0/s', '1.0/min'],
  )
  t.strictSame(
    [0, 0.00312, 0.5, 1.5, 230].map((known) => showCost({ known, unpriced: [] })),
    ['$0.00', '$0.0031', '$0.50', '$1.50', '$230.00'],
  )
  t.equal(showCost({ known: 1, unpriced: ['m'] }), '$1.00+')
  t.strictSame([0, 850, 3200, 1_500_000, 125_000_000].map(showMicroseconds), ['0', '850 µs', '3.20 ms', '1.50 s', '2 min 05 s'])
  t.strictSame(axisTicks(1000, 8), [0, 200, 400, 600, 800, 1000])
  t.strictSame(
    textTable(
      [
        ['a', 'b', 'c'],
        ['long name\x1b[2J', '1', ''],
        ['x', '22', ''],
      ],
      { width: 12 },
    ),
    ['a          b', 'long na…   1', 'x         22'],
  )
  t.strictSame(
    textTable(
      [
        ['a', 'b'],
        ['日本語の名前', '日1'],
        ['x', '2'],
      ],
      { width: 14 },
    ),
    ['a            b', '日本語の…  日1', 'x            2'],
    'in cells',
  )
})

interface Attribute {
  readonly key: string
  readonly value: { readonly stringValue?: string; readonly intValue?: string; readonly boolValue?: boolean }
}

interface SentSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: readonly Attribute[]
  readonly status: { readonly code?: number }
}

interface Sent {
  readonly resourceSpans: {
    readonly resource: { readonly attributes: Attribute[] }
    readonly scopeSpans: { readonly spans: SentSpan[] }[]
  }[]
}

/** Gives what it was sent, and where. `answers` false: it takes everything and says nothing. */
const openCollector = async (t: Test, { answers = true, status = 200 } = {}) => {
  const sent: { path: string | undefined; headers: IncomingHttpHeaders; body: string }[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      sent.push({ path: request.url, headers: request.headers, body: Buffer.concat(chunks).toString() })
      if (answers) response.writeHead(status, { 'content-type': 'application/json' }).end('{}')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { sent, endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const attributesOf = (attributes: readonly Attribute[]): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))

t.test('spans at a collector', async (t) => {
  const { sent, endpoint } = await openCollector(t)
  const ran = await shell('plumb -Rr bot.plumb 2>/dev/null', {
    OTEL_EXPORTER_OTLP_ENDPOINT: `${endpoint}/base/`,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-team=a%20b,authorization=Bearer sk-CANARY-9',
    OTEL_SERVICE_NAME: 'my service',
    OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    TRACEPARENT: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  })
  t.equal(ran.out.split('\n').length, 3)
  t.ok(sent.length > 0)
  const traces = sent.filter(({ path }) => path === '/base/v1/traces')
  t.match(traces[0], {
    path: '/base/v1/traces',
    headers: { 'content-type': 'application/json', 'x-team': 'a b', authorization: 'Bearer sk-CANARY-9' },
  })
  t.notMatch(sent.map(({ body }) => body).join(''), 'CANARY')
  const bodies = traces.map(({ body }) => JSON.parse(body) as Sent)
  t.match(attributesOf(bodies[0]?.resourceSpans[0]?.resource.attributes ?? []), {
    'service.name': 'my service',
    'deployment.environment.name': 'test',
  })
  const spans = bodies.flatMap(({ resourceSpans }) => resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)))
  const ids = new Set(spans.map(({ spanId }) => spanId))
  t.equal(ids.size, spans.length, 'each has an id of its own')
  t.ok(spans.every(({ traceId, spanId }) => traceId === '0af7651916cd43dd8448eb211c80319c' && /^[\da-f]{16}$/.test(spanId)))
  t.ok(
    spans.every((span) => BigInt(span.startTimeUnixNano) <= BigInt(span.endTimeUnixNano)),
    'times',
  )
  const [root] = spans.filter(({ parentSpanId }) => parentSpanId === 'b7ad6b7169203331')
  t.match(root, { name: 'invoke_workflow main', kind: 1, status: { code: 2 } })
  t.ok(
    spans.every((span) => span === root || ids.has(span.parentSpanId ?? '')),
    'every other one is below one that was sent',
  )

  const named = (name: string) =>
    spans.filter((span) => span.name === name).map((span) => ({ ...span, attributes: attributesOf(span.attributes) }))
  const [first, second] = named('invoke_agent doctor')
  t.match(first, {
    kind: 1,
    parentSpanId: root?.spanId,
    attributes: {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.provider.name': 'eliza',
      'gen_ai.input.messages': /^\[\{"role":"user","parts":\[\{"type":"text","content":"[^"\\]/,
      'gen_ai.output.messages': /"finish_reason":"stop"/,
    },
  })
  t.match(named('chat doctor')[0], {
    kind: 3,
    parentSpanId: first?.spanId,
    attributes: { 'gen_ai.operation.name': 'chat', 'gen_ai.response.model': 'doctor', 'gen_ai.usage.output_tokens': /^\d+$/ },
  })
  t.match(named('execute_tool today'), [
    {
      parentSpanId: second?.spanId,
      attributes: {
        'gen_ai.tool.name': 'today',
        'gen_ai.tool.call.id': 'call_1',
        'gen_ai.tool.call.arguments': String,
        'plumb.tool.attempts': '1',
      },
      events: [{ name: 'plumb.tool.validate' }],
    },
  ])
  t.match(named('invoke_agent critic')[0], { status: { code: 2 }, attributes: { 'error.type': 'output_type_mismatch' } })
  t.match(bodies[0], { resourceSpans: [{ schemaUrl: SCHEMA, scopeSpans: [{ schemaUrl: SCHEMA }] }] })
  const last = JSON.parse(sent.findLast(({ path }) => path === '/base/v1/metrics')?.body ?? '{}') as SentMetrics
  const [of] = last.resourceMetrics ?? []
  t.match(of, { schemaUrl: SCHEMA, scopeMetrics: [{ schemaUrl: SCHEMA }] })
  const metrics = new Map(of?.scopeMetrics[0]?.metrics.map((metric) => [metric.name, metric]))
  for (const [name, unit, form] of METRICS) t.match(metrics.get(name), { unit, [form]: { aggregationTemporality: 2 } }, name)
  for (const { histogram } of metrics.values())
    for (const { count, bucketCounts, explicitBounds } of histogram?.dataPoints ?? []) {
      t.equal(bucketCounts.length, explicitBounds.length + 1)
      t.equal(
        bucketCounts.reduce((sum, one) => sum + Number(one), 0),
        Number(count),
      )
    }
})

const SCHEMA = 'https://opentelemetry.io/schemas/gen-ai/0.1.0'
const METRICS = [
  ['gen_ai.client.inference.duration', 's', 'histogram'],
  ['gen_ai.invoke_agent.duration', 's', 'histogram'],
  ['gen_ai.execute_tool.duration', 's', 'histogram'],
  ['gen_ai.client.inference.usage.input_tokens', '{token}', 'sum'],
  ['gen_ai.client.inference.usage.output_tokens', '{token}', 'sum'],
] as const

interface SentMetrics {
  readonly resourceMetrics?: readonly {
    readonly scopeMetrics: readonly {
      readonly metrics: readonly {
        readonly name: string
        readonly histogram?: {
          readonly dataPoints: readonly { readonly count: string; readonly bucketCounts: string[]; readonly explicitBounds: number[] }[]
        }
      }[]
    }[]
  }[]
}

t.test('a collector that is away, refuses or says nothing', async (t) => {
  const run = `plumb -R -e 'let main : !string -> !string = id' >/dev/null`
  const warned = /^\{"warning":"connection_failed",[^\n]*"detail":"the collector at 127\.0\.0\.1:\d+[^\n]*the run goes on[^\n]*\}\n$/
  const { endpoint: closed } = await openCollector(t)
  const away = await shell(run, { OTEL_EXPORTER_OTLP_ENDPOINT: closed.replace(/\d+$/, '1') })
  t.match(away, { err: warned, status: 0 })
  const { endpoint: refusing } = await openCollector(t, { status: 503 })
  t.match(await shell(run, { OTEL_EXPORTER_OTLP_ENDPOINT: refusing }), { err: /^{"warning".*status 503/, status: 0 })
  const { endpoint: silent } = await openCollector(t, { answers: false })
  t.match(await shell(run, { OTEL_EXPORTER_OTLP_ENDPOINT: silent, OTEL_EXPORTER_OTLP_TIMEOUT: '200' }), { err: warned, status: 0 })
  const { endpoint, sent } = await openCollector(t)
  t.match(await shell(run, { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SDK_DISABLED: 'true' }), { err: '', status: 0 })
  t.match(await shell(run, { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_EXPORTER: 'none', OTEL_METRICS_EXPORTER: 'none' }), {
    err: '',
    status: 0,
  })
  t.equal(sent.length, 0)
  await shell(run, { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${endpoint}/there` })
  t.match(sent, [{ path: '/there' }])
})
