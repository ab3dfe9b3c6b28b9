// long
// MCP over a faulty network (plumb-faults(7), MCP): what a server answers is cut at every place, and what it is asked; then no answer is a part of
// one, no tool runs twice for one call, and the server is there for the next.

import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { connectMcp } from '../../packages/mcp-client/src/connect.js'
import type { ServerConfig } from '../../packages/mcp-client/src/connection.js'
import { scaled } from '../../packages/wire/test/patience.js'
import { HALF, type Kind, openCountingServer, RESET, SILENT } from './mcp-servers.js'
import { cutPlaces } from './places.js'
import { openFaultProxy } from './proxy.js'
import { openScene, type Scene, scene } from './scene.js'

const SPEC = `type N = { n: int }
let double : N -> N = map({ n: n * 2 })
@tool true let note : N -> N = tool { spy: double, record: "calls.jsonl" }
`

/** plumb-mcp on a port of its own. */
const startServer = async (scene: Scene, limit = 'true'): Promise<number> => {
  const server = scene.start(['bash', '-c', `${limit}; exec plumb-mcp --http 0 --no-token --grant fs.write t.plumb`])
  if (!(await server.reports(/"listening"/, 2))) throw new Error(server.reported(2))
  return Number(/"listening":"http:\/\/127\.0\.0\.1:(\d+)/.exec(server.reported(2))?.[1])
}

interface Server {
  readonly port: number
  readonly path: string
  readonly transport?: 'sse' | 'ws'
  /** How often its tool ran for this number. */
  readonly runs: (n: number) => number
}

const openScripted = async (t: Test, kind: Kind): Promise<Server> => ({
  ...(await openCountingServer(t, kind)),
  ...(kind === 'json' ? {} : { transport: kind }),
})

/** A whole session: the handshake, one call, the end. What came of the call, or the code of what went wrong. */
const askOnce = async ({ path, transport }: Server, port: number, n: number, limits: ServerConfig = {}): Promise<string> => {
  const url = `${transport === 'ws' ? 'ws' : 'http'}://127.0.0.1:${port}${path}`
  const config = { url, ...(transport ? { transport } : {}), cache_ttl: 0, prefix: 'far', ...limits }
  const opened = await connectMcp(config, { clientName: 'test', note: () => {}, allowsPrivateNet: true })
  if (!opened.ok) return opened.error.error
  const answer = await opened.value.call('note', `{"n":${n}}`)
  await opened.value.disconnect()
  return answer.ok ? `${answer.value.structured}` : answer.error.error
}

/** So many sessions at once. */
const AT_ONCE = 24
const CODES = ['connection_failed', 'mcp_dead', 'bad_reply']

const cutAnswers = async (t: Test, server: Server): Promise<void> => {
  const whole = await openFaultProxy(t, server.port)
  t.equal(await askOnce(server, whole.port, 0), '{"n":0}')
  const cuts = whole.passed.flatMap((length, index) =>
    (['close', 'reset'] as const).flatMap((end) =>
      cutPlaces(length, `${server.path} ${index} ${end}`).map((after) => ({ index, end, after })),
    ),
  )
  const wrong: unknown[] = []
  const rest = [...cuts.entries()]
  const work = async (): Promise<void> => {
    for (let next = rest.shift(); next; next = rest.shift()) {
      const [i, cut] = next
      // Not a number that stands for a status.
      const n = 10_000 + i
      const { port } = await openFaultProxy(t, server.port, ({ index }) => (index === cut.index ? { toClient: cut } : {}))
      const said = await askOnce(server, port, n)
      const isRight = said === `{"n":${2 * n}}` ? server.runs(n) === 1 : CODES.includes(said) && server.runs(n) <= 1
      if (!isRight) wrong.push({ ...cut, said, runs: server.runs(n) })
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  t.strictSame(wrong, [], `cut at ${cuts.length} places of ${whole.passed.join(' + ')} bytes`)
  t.equal(await askOnce(server, whole.port, 1_000_000), '{"n":2000000}', 'it is there for the next')
}

/** A request of which only so much comes. */
const sendPart = (port: number, bytes: Buffer, after: number, end: 'close' | 'reset'): Promise<void> =>
  new Promise((done) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => {}).on('close', () => done())
    socket.resume().write(bytes.subarray(0, after), () => (end === 'reset' ? socket.resetAndDestroy() : socket.end()))
  })

const post = (message: object, headers = ''): Buffer => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, ...message })
  const head = `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n${headers}`
  return Buffer.from(`${head}Content-Length: ${body.length}\r\n\r\n${body}`)
}
const HELLO = {
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
}

/** A session of its own, by its id. */
const openRaw = async (port: number): Promise<string> => {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, ...HELLO })
  const reply = await fetch(`http://127.0.0.1:${port}/mcp`, { method: 'POST', headers, body })
  await reply.text()
  return reply.headers.get('mcp-session-id') ?? ''
}

const cutRequests = async (t: Test, server: Server): Promise<void> => {
  const session = `Mcp-Session-Id: ${await openRaw(server.port)}\r\n`
  const call = (n: number): Buffer => post({ method: 'tools/call', params: { name: 'note', arguments: { n } } }, session)
  let n = 2_000_000
  for (const end of ['close', 'reset'] as const) {
    for (const after of cutPlaces(post(HELLO).length, `initialize ${end}`)) await sendPart(server.port, post(HELLO), after, end)
    for (const after of cutPlaces(call(n).length, `call ${end}`)) await sendPart(server.port, call(++n), after, end)
  }
  t.equal(await askOnce(server, server.port, 3_000_000), '{"n":6000000}', 'the next is served')
  t.strictSame(
    Array.from({ length: n - 2_000_000 }, (_, i) => server.runs(2_000_001 + i)).filter((runs) => runs > 0),
    [],
    'of what came in part nothing was done',
  )
}

t.test('faults 109, 113, 114: plumb-mcp, and clients whose requests, or answers, are cut', async (t) => {
  const scene = openScene({ 't.plumb': SPEC }, { stderr: 'text' })
  const record = join(scene.work, 'calls.jsonl')
  const runs = (n: number): number => (existsSync(record) ? readFileSync(record, 'utf8').split(`"input":{"n":${n}}`).length - 1 : 0)
  const server = { port: await startServer(scene), path: '/mcp', runs }
  await cutAnswers(t, server)
  await cutRequests(t, server)
  const drip = { drip: { bytes: 40, everyMs: 1 } }
  const dripping = await openFaultProxy(t, server.port, () => ({ toClient: drip, toServer: drip }))
  t.equal(await askOnce(server, dripping.port, 5), '{"n":10}', 'what drips comes, too')
  t.strictSame(await scene.leftovers(), [], 'nothing is left')
})

for (const kind of ['json', 'sse', 'ws'] as const)
  t.test(`faults 109, 114: a server over ${kind} whose answers are cut`, async (t) => cutAnswers(t, await openScripted(t, kind)))

t.test('fault 113: plumb-mcp with few descriptors, and more connections than that', async (t) => {
  const scene = openScene({ 't.plumb': SPEC }, { stderr: 'text' })
  const port = await startServer(scene, 'ulimit -n 64')
  const server: Server = { port, path: '/mcp', runs: () => 0 }
  const idle = Array.from({ length: 200 }, () => connect(port, '127.0.0.1').on('error', () => {}))
  await Promise.all(idle.map((socket) => once(socket, 'connect').catch(() => {})))
  for (const socket of idle) socket.destroy()
  // It may hear of their end, one after the other, later than of this.
  let answer = ''
  for (const end = Date.now() + scaled(20_000); answer !== '{"n":2}' && Date.now() < end; ) answer = await askOnce(server, port, 1)
  t.equal(answer, '{"n":2}', 'once they have gone, the next is served')
  t.strictSame(await scene.leftovers(), [])
})

t.test('fault 103: a server whose answers are swallowed is waited for as long as it has, and no longer', async (t) => {
  const cases = (['json', 'sse', 'ws'] as const).flatMap((kind) => [0, 100, 200].map((after) => ({ kind, after })))
  const ended = await Promise.all(
    cases.map(async ({ kind, after }) => {
      const server = await openScripted(t, kind)
      const { port } = await openFaultProxy(t, server.port, () => ({ toClient: { after, end: 'swallow' } }))
      return askOnce(server, port, 1, { handshake_timeout: scaled(1000) / 1000, timeout: scaled(1000) / 1000 })
    }),
  )
  t.strictSame([...new Set(ended)], ['timeout'])
})

const REMOTE = (port: number): string => `type N = { n: int }
let note : N -> N = tool { mcp: "http://127.0.0.1:${port}/json", name: "note" }
`

scene('faults 77, 109: a call whose answer was lost is not made again', {}, async (t, { bash, work }) => {
  const { port, runs } = await openCountingServer(t, 'json')
  writeFileSync(join(work, 't.plumb'), REMOTE(port))
  const lost = await bash(`for n in ${RESET} ${HALF}; do plumb-tool t.plumb call note "{\\"n\\":$n}"; done; true`)
  t.match(lost, { out: '', err: /^{"error":"mcp_dead".*\n{"error":"bad_reply".*\n$/, status: 0 })
  const { out, err } = await bash(
    `for n in 500 502 503 504; do printf '{"n":%s}\\n' 7 $n 8 | plumb-tool --envelope t.plumb call note - | jq -c '[.result.n, .error.error, .error.category, .attempts]'; done`,
  )
  const outcomes = '[14,null,null,1]\n[null,"mcp_dead","unavailable",1]\n[null,"mcp_dead","unavailable",1]\n'
  t.equal(out, outcomes.repeat(4), 'what the server breaks at, and what is asked later, is lost')
  t.match(err, /^({"error":"mcp_dead".*,"line":[23],"seq":[23]}\n){8}$/)
  const late = await bash(
    `sed 's/name: "note"/name: "note", timeout: 0.5/' t.plumb > u.plumb; printf '{"n":%s}\\n' ${SILENT} 9 | plumb-tool u.plumb call note -`,
  )
  t.match(late.err, /^{"error":"timeout".* within 0\.5 s.*,"line":1,.*\n{"error":"mcp_dead".*,"line":2,.*\n$/, 'late is late')
  t.strictSame([SILENT, 9].map(runs), [1, 0])
  t.strictSame([RESET, HALF, 500, 502, 503, 504, 7, 8].map(runs), [1, 1, 1, 1, 1, 1, 4, 0])
})
