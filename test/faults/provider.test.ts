// long
// plumb-agent and a provider behind a faulty network (plumb-faults(7), Providers): the answers of a model with a tool are cut at every place, and
// whatever else can become of a reply becomes of one input and of no other.

import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { anthropicText, data, named, openClient, openStub, STREAM } from '../../packages/plumb-agent/test/fixtures/provider/stub.js'
import { cutPlaces } from './places.js'
import { type Flow, type Outcome, openFaultProxy } from './proxy.js'
import { scene } from './scene.js'
import { type SelfSigned, selfSigned } from './self-signed.js'

type Api = 'anthropic' | 'openai'
type Round = 'call' | 'answer'

const sentence = (n: number): string => `Twice ${n} is ${2 * n}, as the tool says — grüß Gott.`

const STREAMS: Readonly<Record<Api, Readonly<Record<Round, (n: number) => string>>>> = {
  anthropic: {
    call: (n) =>
      named(
        { type: 'message_start', message: { type: 'message', content: [], usage: { input_tokens: 5, output_tokens: 1 } } },
        { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: `toolu_${n}`, name: 'note', input: {} } },
        { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '{"n": ' } },
        { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: `${n}}` } },
        { type: 'content_block_stop', index: 0 },
        { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 9 } },
        { type: 'message_stop' },
      ),
    answer: (n) =>
      named(
        { type: 'message_start', message: { type: 'message', content: [], usage: { input_tokens: 5, output_tokens: 1 } } },
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
        { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: sentence(n).slice(0, 9) } },
        { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: sentence(n).slice(9) } },
        { type: 'content_block_stop', index: 0 },
        { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 9 } },
        { type: 'message_stop' },
      ),
  },
  openai: {
    call: (n) =>
      data(
        {
          choices: [{ index: 0, delta: { tool_calls: [{ index: 0, id: `call_${n}`, function: { name: 'note', arguments: '{"n": ' } }] } }],
        },
        { choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: `${n}}` } }] } }] },
        { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
      ),
    answer: (n) =>
      data(
        { choices: [{ index: 0, delta: { role: 'assistant', content: sentence(n).slice(0, 9) } }] },
        { choices: [{ index: 0, delta: { content: sentence(n).slice(9) } }] },
        { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
      ),
  },
}

const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n'
/** As bytes on the wire: in pieces that say how long they are, or up to the end of the connection. */
const FRAMES: Readonly<Record<string, (stream: string) => string>> = {
  chunked: (stream) => {
    const pieces = stream.split(/(?<=\n\n)/).map((piece) => `${Buffer.byteLength(piece).toString(16)}\r\n${piece}\r\n`)
    return `${HEAD}Transfer-Encoding: chunked\r\n\r\n${pieces.join('')}0\r\n\r\n`
  },
  'to the end': (stream) => `${HEAD}\r\n${stream}`,
}

interface Cut {
  readonly round: Round
  readonly frame: string
  readonly end: 'close' | 'reset'
  readonly at: number
}

const cutsOf = (api: Api): Cut[] =>
  (['call', 'answer'] as const).flatMap((round) =>
    Object.keys(FRAMES).flatMap((frame) =>
      (['close', 'reset'] as const).flatMap((end) => {
        const bytes = Buffer.byteLength(FRAMES[frame]?.(STREAMS[api][round](0)) ?? '')
        return cutPlaces(bytes, `${api} ${round} ${frame} ${end}`).map((at) => ({ round, frame, end, at }))
      }),
    ),
  )

/** The first time that input `n` comes to the round of its cut, its reply is cut there. */
const openCuttingModel = async (t: Test, api: Api, cuts: readonly Cut[]) => {
  const outcomes = new Map<number, Outcome>()
  const asked = new Map<string, number>()
  const server = createServer(async (request, response) => {
    const { n, round } = questionOf(await bodyOf(request))
    const key = `${n} ${round}`
    const count = (asked.get(key) ?? 0) + 1
    asked.set(key, count)
    const cut = cuts[n]
    const frame = FRAMES[cut?.frame ?? '']
    if (!cut || !frame || !response.socket) return void response.destroy()
    if (cut.round === round && count === 1) outcomes.set(response.socket.remotePort ?? 0, { toClient: { after: cut.at, end: cut.end } })
    response.socket.end(frame(STREAMS[api][round](n)))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.close()
    server.closeAllConnections()
  })
  const proxy = await openFaultProxy(t, (server.address() as AddressInfo).port, ({ port }) => {
    const outcome = outcomes.get(port)
    // The number may come again.
    outcomes.delete(port)
    return outcome ?? {}
  })
  return { url: proxy.url, times: (n: number, round: Round) => asked.get(`${n} ${round}`) ?? 0 }
}

const bodyOf = async (request: IncomingMessage): Promise<Asked> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return JSON.parse(Buffer.concat(chunks).toString('utf8'))
}

type Content = string | readonly { readonly type: string; readonly text?: string }[]

interface Asked {
  readonly messages: readonly { readonly role: string; readonly content: Content }[]
}

const textOf = (content: Content = ''): string => (typeof content === 'string' ? content : (content[0]?.text ?? ''))

/** Which input it is about: a number, as text. */
const questionOf = ({ messages }: Asked): { n: number; round: Round } => {
  const user = messages.find(({ role }) => role === 'user')?.content
  const last = messages.at(-1)
  const isResult = last?.role === 'tool' || (Array.isArray(last?.content) && last.content.some(({ type }) => type === 'tool_result'))
  return { n: Number(textOf(user)), round: isResult ? 'answer' : 'call' }
}

const SPEC = `type N = { n: int }
let double : N -> N = map({ n: n * 2 })
let note : N -> N = tool { spy: double, record: "calls.jsonl" }
let bot : !int -> !string = agent { model: "stub", tools: [note], amnesiac: true, concurrency: 64 }
let once : !int -> !string = agent { model: "stub", tools: [note], amnesiac: true, concurrency: 64, transport_retries: 0 }
`

/** Inputs of one run. */
const A_PART = 500
const FILES = { 't.plumb': SPEC }

/** How often the tool was called for each input. */
const callsIn = (work: string): Map<number, number> => {
  const counts = new Map<number, number>()
  const path = join(work, 'calls.jsonl')
  const calls = existsSync(path) ? readFileSync(path, 'utf8') : ''
  for (const [, n] of calls.matchAll(/"input":\{"n":(\d+)\}/g)) counts.set(Number(n), (counts.get(Number(n)) ?? 0) + 1)
  return counts
}

const PARTS = (['anthropic', 'openai'] as const).flatMap((api) => {
  const cuts = cutsOf(api)
  return Array.from({ length: Math.ceil(cuts.length / A_PART) }, (_, i) => ({ api, cuts: cuts.slice(i * A_PART, (i + 1) * A_PART) }))
})

for (const { api, cuts } of PARTS) {
  const lines = cuts.map((_, n) => `${n}\n`).join('')

  const wrong = (isRight: (n: number, cut: Cut) => boolean): Cut[] => cuts.filter((cut, n) => !isRight(n, cut))

  scene(`faults 71, 77: ${api}, cut at ${cuts.length} places: asked again, no half answer, no tool twice`, FILES, async (t, scene) => {
    const model = await openCuttingModel(t, api, cuts)
    const { out, err, status } = await scene.bash(
      `PLUMB_PROVIDER=${api} PLUMB_ENDPOINT=${model.url} plumb-agent --agent bot t.plumb`,
      lines,
    )
    t.strictSame([err, status], ['', 0])
    const said = out.split('\n')
    const called = callsIn(scene.work)
    t.strictSame(
      wrong((n) => said[n] === JSON.stringify(sentence(n))),
      [],
      'every answer is whole, and in its place',
    )
    t.strictSame(
      wrong((n) => called.get(n) === 1),
      [],
      'the tool ran once for each',
    )
    t.strictSame(
      wrong((n, { round }) => model.times(n, round) <= 2),
      [],
      'asked again once at most',
    )
  })

  scene(
    `faults 71, 77: ${api}, cut at ${cuts.length} places and not asked again: one error each, no half answer`,
    FILES,
    async (t, scene) => {
      const model = await openCuttingModel(t, api, cuts)
      const { out, err, status } = await scene.bash(
        `PLUMB_PROVIDER=${api} PLUMB_ENDPOINT=${model.url} plumb-agent --agent once t.plumb`,
        lines,
      )
      t.equal(status, 1)
      const answered = new Set(out.split('\n').filter((line) => line !== ''))
      const failed = new Map(
        err
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => [Number(JSON.parse(line).seq) - 1, JSON.parse(line).error]),
      )
      const called = callsIn(scene.work)
      t.equal(answered.size + failed.size, cuts.length, 'each input has one outcome')
      t.strictSame(
        wrong((n) => failed.has(n) !== answered.has(JSON.stringify(sentence(n)))),
        [],
        'an answer is whole, or there is an error',
      )
      t.strictSame([...new Set(failed.values())], ['connection_failed'])
      t.strictSame(
        wrong((n, { round }) => (called.get(n) ?? 0) === (failed.has(n) && round === 'call' ? 0 : 1)),
        [],
        'a half call is none',
      )
      t.strictSame(
        wrong((n, { round }) => model.times(n, round) === 1),
        [],
        'asked once',
      )
    },
  )
}

interface Reply {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly isCut?: boolean
}

const SSE = { 'content-type': 'text/event-stream' }
const refusal = (status: number, error: object = { type: 'api_error', message: 'no' }): Reply => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ type: 'error', error }),
})
const says = (text: string): Reply => ({ headers: SSE, body: anthropicText(text) })

/** Answers as the word says that it is asked with; counts how often, by the word. */
const openWordModel = async (t: Test, replies: Readonly<Record<string, Reply>>, tls?: SelfSigned) => {
  const asked = new Map<string, number>()
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { messages } = await bodyOf(request)
    const word = textOf(messages[0]?.content)
    asked.set(word, (asked.get(word) ?? 0) + 1)
    const { status = 200, headers = {}, body = '', isCut = false } = replies[word] ?? says(word)
    response.writeHead(status, headers)
    if (isCut) response.write(body, () => response.socket?.resetAndDestroy())
    else response.end(body)
  }
  const server = tls ? createTlsServer(tls, answer) : createServer(answer)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.close()
    server.closeAllConnections()
  })
  return { url: `http${tls ? 's' : ''}://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

const WORDS = `let bot : !string -> !string = agent { provider: "anthropic", model: "stub", amnesiac: true, transport_retries: 1 }
let count : !string -> !int = agent { provider: "anthropic", model: "stub", amnesiac: true, max_retries: 2 }
`

scene(
  'faults 66, 67, 69, 70, 71, 73, 74: each failure is the error of one input, in one object, and the next input works',
  { 't.plumb': WORDS },
  async (t, scene) => {
    const other = await openWordModel(t, {})
    const half = anthropicText('half').split('event: message_delta')[0] ?? ''
    const late = 'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n'
    const cases: readonly (readonly [word: string, reply: Reply, code: string, requests: number])[] = [
      ...[408, 504].map((status) => [`${status}`, refusal(status), 'timeout', 2] as const),
      ...[409, 500, 502, 503, 529].map((status) => [`${status}`, refusal(status), 'overloaded', 2] as const),
      ['429', refusal(429, { message: `no ${scene.env.ANTHROPIC_API_KEY}` }), 'rate_limited', 2],
      ...[400, 413, 422].map((status) => [`${status}`, refusal(status), 'provider_refused', 1] as const),
      // Once: what is refused for good ends the asking (agent.test.ts, "what a provider refuses").
      ['403', refusal(403, { message: `no ${scene.env.ANTHROPIC_API_KEY}` }), 'unauthorized', 1],
      ['reported not to', { ...refusal(500), headers: { 'x-should-retry': 'false' } }, 'overloaded', 1],
      ['reset', { headers: SSE, body: half, isCut: true }, 'connection_failed', 2],
      ['error after 200', { headers: SSE, body: half + late }, 'overloaded', 2],
      ['no end', { headers: SSE, body: half }, 'connection_failed', 2],
      ['elsewhere', { status: 302, headers: { location: `${other.url}/v1/messages` } }, 'bad_reply', 1],
      ['page', { headers: { 'content-type': 'text/html' }, body: '<!doctype html><title>Sign in</title>' }, 'bad_reply', 1],
    ]
    const { url, asked } = await openWordModel(t, Object.fromEntries(cases.map(([word, reply]) => [word, reply])))
    const lines = cases.flatMap(([word], i) => [JSON.stringify(word), JSON.stringify(`good ${i}`)])
    const { out, err, status } = await scene.bash(
      `PLUMB_ENDPOINT=${url} PIPELINE_DEBUG=1 plumb-agent --agent bot t.plumb`,
      `${lines.join('\n')}\n`,
    )
    t.equal(out, cases.map((_, i) => `"good ${i}"\n`).join(''))
    const reported = err.split('\n').flatMap((line) => (line.startsWith('{"error"') ? [JSON.parse(line)] : []))
    t.strictSame(
      reported.map(({ error, seq }) => [error, seq]),
      cases.map(([, , code], i) => [code, 2 * i + 1]),
    )
    t.strictSame(
      cases.map(([word]) => [word, asked.get(word)]),
      cases.map(([word, , , requests]) => [word, requests]),
    )
    t.equal(status, 1)
    t.equal(other.asked.size, 0, 'the key is not sent on')
  },
  { stderr: 'text' },
)

scene('faults 70, 75: no TLS that is believed; an answer of the wrong type', { 't.plumb': WORDS }, async (t, scene) => {
  const { cert, key } = selfSigned()
  const secret = await openWordModel(t, {}, { cert, key })
  const refused = await scene.bash(`PLUMB_ENDPOINT=${secret.url} plumb-agent --agent bot t.plumb`, '"x"\n')
  t.match(refused, {
    out: '',
    err: /^{"error":"connection_failed",.*certificate is not accepted \(DEPTH_ZERO_SELF_SIGNED_CERT\).*NODE_EXTRA_CA_CERTS.*after 1 retry.*\n$/,
    status: 1,
  })
  t.equal(secret.asked.size, 0, 'nothing is said to whom is not believed')
  writeFileSync(join(scene.work, 'ca.pem'), cert)
  const believed = await scene.bash(`NODE_EXTRA_CA_CERTS=ca.pem PLUMB_ENDPOINT=${secret.url} plumb-agent --agent bot t.plumb`, '"x"\n')
  t.match(believed, { out: '"x"\n', err: '', status: 0 })

  const { url, asked } = await openWordModel(t, {})
  const { out, err, status } = await scene.bash(`PLUMB_ENDPOINT=${url} plumb-agent --agent count t.plumb`, '"many"\n"7"\n')
  t.match([out, status], ['7\n', 1])
  t.match(err, /^{"error":"output_type_mismatch",.*after 2 retries.*"seq":1.*\n$/)
  t.strictSame([asked.get('many'), asked.get('7')], [3, 1], 'max_retries + 1, and the next works')
})

t.test('fault 72: what drips is waited for as long as it may take in all; silence less long', async (t) => {
  const { url } = await openStub(t, [{ headers: STREAM, chunks: [anthropicText('fine')] }])
  const wait = { transport_retries: 0 }
  const cases: Readonly<Record<string, readonly [flow: Flow, timing: object, wanted: object]>> = {
    'a steady drip': [{ drip: { bytes: 100, everyMs: 1 } }, {}, { ok: true, value: { content: [{ text: 'fine' }] } }],
    'a drip that would take for ever': [
      { drip: { bytes: 1, everyMs: 30 } },
      { idleMs: 10_000, totalMs: 800 },
      { ok: false, error: { error: 'timeout', detail: /took more than 0.8 s/ } },
    ],
    'a drip with pauses': [
      { drip: { bytes: 300, everyMs: 3_000 } },
      { headersMs: 60_000, idleMs: 500, totalMs: 60_000 },
      { ok: false, error: { error: 'timeout', detail: /fell silent/ } },
    ],
    'silence in the middle': [
      { after: 400, end: 'swallow' },
      { idleMs: 500 },
      { ok: false, error: { error: 'timeout', detail: /fell silent/ } },
    ],
    'silence from the start': [
      { after: 0, end: 'swallow' },
      { headersMs: 500 },
      { ok: false, error: { error: 'timeout', detail: /did not answer in time/ } },
    ],
  }
  await Promise.all(
    Object.entries(cases).map(async ([what, [flow, timing, wanted]]) => {
      const proxy = await openFaultProxy(t, Number(new URL(url).port), () => ({ toClient: flow }))
      t.match(await openClient(t, 'anthropic', proxy.url, wait, timing).ask(), wanted, what)
    }),
  )
})
