// Providers over HTTP: what is tried again and what is not, what is waited, how much is read, and where a key goes (plumb-faults(7), Providers).

import { createServer as createHttpServer } from 'node:http'
import { connect, createServer } from 'node:net'
import { gzipSync } from 'node:zlib'
import { ACCOUNTS, scrub } from '@plumb/wire'
import t, { type Test } from 'tap'
import { until } from '../../wire/test/processes.js'
import { Cancellation } from '../src/provider/cancellation.js'
import { readRetryAfter } from '../src/provider/http/api-error.js'
import { readEndpoint } from '../src/provider/http/endpoint.js'
import { DEFAULT_TIMING } from '../src/provider/http/timing.js'
import { PROVIDERS } from '../src/provider/table.js'
import {
  anthropicText,
  CANARY,
  JSON_TYPE,
  json,
  openaiText,
  openClient,
  openStub,
  STREAM,
  type StubReply,
} from './fixtures/provider/stub.js'

const APIS = ['anthropic', 'openai'] as const
const good = (name: (typeof APIS)[number], text = 'fine'): StubReply => ({
  headers: STREAM,
  chunks: [name === 'anthropic' ? anthropicText(text) : openaiText(text)],
})
const MIB_OF_ZEROS = gzipSync(Buffer.alloc(2 ** 20))
const refused = (status: number, headers: Readonly<Record<string, string>> = {}, type = 'api_error'): StubReply =>
  json({ type: 'error', error: { type, message: `scripted ${status}, key ${CANARY}` } }, status, headers)

t.test('fault 66: 408, 409, 429, 5xx and 529 are tried again, with doubling waits', async (t) => {
  for (const name of APIS) {
    for (const status of [408, 409, 429, 500, 502, 503, 504, 529]) {
      const { url, received } = await openStub(t, [refused(status), refused(status), good(name)])
      const { ask, waits, reported } = openClient(t, name, url)
      const answer = await ask()
      t.match(answer, { ok: true, value: { content: [{ type: 'text', text: 'fine' }], stop: 'end' } }, `${name} ${status}`)
      t.strictSame(waits, [500, 1000], `${name} ${status}: waits`)
      t.match(
        reported.filter(({ kind }) => kind === 'retry'),
        [
          { attempt: 1, wait_ms: 500 },
          { attempt: 2, wait_ms: 1000 },
        ],
      )
      t.strictSame(received[0]?.body, received[2]?.body, `${name} ${status}: the same request`)
    }
  }
})

t.test('fault 66: the count is capped, and the last failure is reported', async (t) => {
  const { url, received } = await openStub(t, [refused(529, {}, 'overloaded_error')])
  const { ask, waits } = openClient(t, 'anthropic', url, { transport_retries: 6 }, { random: () => 1 })
  t.match(await ask(), { ok: false, error: { error: 'overloaded', category: 'unavailable', status: 529, detail: /after 6 retries/ } })
  t.equal(received.length, 7)
  // Up to a quarter is taken off, and 8 s is the most.
  t.strictSame(waits, [375, 750, 1500, 3000, 6000, 6000])
})

t.test('fault 67: other statuses are asked once', async (t) => {
  const codes = {
    400: 'provider_refused',
    401: 'unauthorized',
    403: 'unauthorized',
    404: 'provider_refused',
    413: 'provider_refused',
    422: 'provider_refused',
  }
  for (const name of APIS) {
    for (const [status, code] of Object.entries(codes)) {
      const { url, received } = await openStub(t, [refused(Number(status))])
      const { ask } = openClient(t, name, url)
      const answer = await ask()
      t.match(answer, { ok: false, error: { error: code, status: Number(status) } }, `${name} ${status}`)
      t.equal(received.length, 1, `${name} ${status}: asked once`)
      if (code === 'unauthorized') t.match(answer, { error: { detail: /key in (ANTHROPIC|OPENAI)_API_KEY/ } })
      t.notMatch(scrub(JSON.stringify(answer)), CANARY, `${name} ${status}: no key`)
    }
  }
})

t.test('fault 68: retry-after', async (t) => {
  const cases: readonly (readonly [headers: Readonly<Record<string, string>>, waitMs: number])[] = [
    [{ 'retry-after': '0' }, 500],
    [{ 'retry-after': '1.5' }, 1500],
    [{ 'retry-after': '60' }, 60_000],
    [{ 'retry-after': 'Fri, 20 Nov 2026 12:00:07 GMT' }, 7000],
    [{ 'retry-after-ms': '120', 'retry-after': '9' }, 120],
    // What makes no sense, or is too long to sit out: the own backoff.
    [{ 'retry-after': 'Fri, 20 Nov 2026 11:00:00 GMT' }, 500],
    [{ 'retry-after': '-1' }, 500],
    [{ 'retry-after': 'NaN' }, 500],
    [{ 'retry-after': 'soon' }, 500],
    [{ 'retry-after': '1000000000' }, 500],
    [{ 'retry-after': '61' }, 500],
    [{ 'retry-after-ms': 'x' }, 500],
  ]
  const { url } = await openStub(
    t,
    cases.flatMap(([headers]) => [refused(529, headers), good('anthropic')]),
  )
  const { ask, waits } = openClient(t, 'anthropic', url)
  for (const _ of cases) await ask()
  t.strictSame(
    waits,
    cases.map(([, ms]) => ms),
  )
  t.equal(readRetryAfter({}, 0), undefined)
})

t.test('fault 69: a spend limit is not waited for; x-should-retry decides', async (t) => {
  const spent = json(
    { type: 'error', error: { type: 'rate_limit_error', message: 'm', details: { error_code: 'enforced_spend_limit_reached' } } },
    429,
  )
  const quota = json({ error: { message: 'm', type: 'insufficient_quota', code: 'insufficient_quota' } }, 429)
  const cases: readonly (readonly [name: (typeof APIS)[number], first: StubReply, requests: number])[] = [
    ['anthropic', spent, 1],
    ['openai', quota, 1],
    ['anthropic', refused(500, { 'x-should-retry': 'false' }), 1],
    ['anthropic', refused(400, { 'x-should-retry': 'true' }), 2],
    ['openai', { ...quota, headers: { ...JSON_TYPE, 'x-should-retry': 'true' } }, 2],
  ]
  for (const [index, [name, first, requests]] of cases.entries()) {
    const { url, received } = await openStub(t, [first, good(name)])
    const answer = await openClient(t, name, url).ask()
    t.equal(received.length, requests, `case ${index}`)
    t.equal(answer.ok, requests === 2)
  }
})

t.test('fault 70: refused, unknown, reset and without TLS are tried again, then reported', async (t) => {
  const closed = createServer()
  await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve))
  const { port } = closed.address() as { port: number }
  const plain = await openStub(t, [good('anthropic')])
  const reset = await openStub(t, [{ headers: STREAM, chunks: [anthropicText('half').slice(0, 400)], after: 'reset' }])
  await new Promise((resolve) => closed.close(resolve))
  // An orderly end, where a head or a chunk should have gone on.
  const ending = async (text: string): Promise<string> => {
    const server = createServer((socket) => socket.on('error', () => {}).once('data', () => socket.end(text))).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    t.teardown(() => server.close())
    return `http://127.0.0.1:${(server.address() as { port: number }).port}`
  }
  const head = 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n'
  const cases: Readonly<Record<string, readonly [url: string, detail: RegExp]>> = {
    refused: [`http://127.0.0.1:${port}`, /refused/],
    unknown: ['http://nowhere.invalid', /no address is known/],
    reset: [reset.url, /broke off/],
    'ended in its head': [await ending(head), /broke off/],
    'ended in a chunk': [await ending(`${head}Transfer-Encoding: chunked\r\n\r\nff\r\ndata: `), /broke off/],
    'ended before it': [await ending(''), /broke off/],
    'without TLS': [plain.url.replace('http:', 'https:'), /TLS/],
  }
  for (const [what, [url, detail]] of Object.entries(cases)) {
    const { ask, waits } = openClient(t, 'anthropic', url, { transport_retries: 1 })
    t.match(await ask(), { ok: false, error: { error: 'connection_failed', category: 'unavailable', detail } }, what)
    // Where nothing listens a server may be being restarted: a quarter of a minute, for one of the four retries of a minute.
    t.strictSame(waits, what === 'refused' ? [500, 1000, 2000, 4000, 8000] : [500], `${what}: tried again`)
  }
  const { ask, waits } = openClient(t, 'anthropic', await ending('SSH-2.0-OpenSSH_9.2\r\n'))
  t.match(await ask(), { ok: false, error: { error: 'bad_reply', detail: /not HTTP/ } })
  t.equal(waits.length, 0, 'what speaks otherwise is not asked again')
})

t.test('fault 70: a model server that is restarted is waited for, for a minute', async (t) => {
  const loading = json({ error: { code: 503, message: 'Loading model', type: 'unavailable_error' } }, 503)
  const broken: StubReply = { headers: STREAM, chunks: [openaiText('half').slice(0, 200)], after: 'reset' }
  const { url } = await openStub(t, [broken, ...Array.from({ length: 9 }, () => loading), good('openai', 'back')])
  const { ask, waits, reported } = openClient(t, 'openai', url, { wire: 'chat' })
  t.match(await ask(), { ok: true, value: { content: [{ text: 'back' }] } })
  t.strictSame(waits, [500, 1000, 2000, 4000, 8000, 8000, 8000, 8000, 8000, 8000])
  t.match(
    reported.find(({ kind, ...rest }) => kind === 'retry' && 'away' in rest),
    { attempt: 2, away: true, reason: /503.*Loading model/ },
  )

  const gone = await openStub(t, [loading])
  const never = openClient(t, 'openai', gone.url, { wire: 'chat' })
  t.match(await never.ask(), { ok: false, error: { error: 'overloaded', detail: /after 11 retries/ } })
  const inAll = never.waits.reduce((sum, ms) => sum + ms, 0)
  t.ok(inAll >= 60_000 && inAll < 70_000, `${inAll} ms`)
  const other = openClient(t, 'openai', gone.url, { wire: 'chat', transport_retries: 0 })
  t.match(await other.ask(), { ok: false, error: { error: 'overloaded' } })
  t.strictSame(other.waits, [])
})

t.test('fault 71: a stream that was cut, has an error in it or no end, is asked for again as a whole', async (t) => {
  const whole = { anthropic: anthropicText('whole'), openai: openaiText('whole') }
  const half = {
    anthropic: whole.anthropic.split('event: message_delta')[0] ?? '',
    openai: whole.openai.slice(0, whole.openai.indexOf('data: ', 9)),
  }
  const overloaded = {
    anthropic: 'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n',
    openai: 'data: {"error":{"message":"m","type":"server_error"}}\n\n',
  }
  for (const name of APIS) {
    const cases: Readonly<Record<string, StubReply>> = {
      reset: { headers: STREAM, chunks: [half[name]], after: 'reset' },
      'cut within an event': { headers: STREAM, chunks: [whole[name].slice(0, 30), '\n\n'] },
      'ended too soon': { headers: STREAM, chunks: [half[name]] },
      'an error event': { headers: STREAM, chunks: [half[name], overloaded[name]] },
      'nothing in it': { headers: STREAM },
      'a plain reply cut': { headers: JSON_TYPE, chunks: ['{"id":'], after: 'reset' },
      'a plain reply that ends too soon': { headers: JSON_TYPE, chunks: ['{"id":"x","content":[{"ty'] },
    }
    for (const [what, reply] of Object.entries(cases)) {
      const { url, received } = await openStub(t, [reply, good(name, 'whole')])
      const { ask, reported } = openClient(t, name, url)
      t.match(await ask(), { ok: true, value: { content: [{ type: 'text', text: 'whole' }] } }, `${name}: ${what}`)
      t.equal(received.length, 2, `${name}: ${what}`)
      t.equal(reported.filter(({ kind }) => kind === 'retry').length, 1, `${name}: ${what}: reported`)
    }
  }
  const invalid = 'event: error\ndata: {"type":"error","error":{"type":"invalid_request_error","message":"no"}}\n\n'
  const { url, received } = await openStub(t, [{ headers: STREAM, chunks: [invalid] }])
  t.match(await openClient(t, 'anthropic', url).ask(), { ok: false, error: { error: 'provider_refused', detail: /no/ } })
  t.equal(received.length, 1, 'an error that would be the same again is not tried again')
})

t.test('fault 71: a stream that is whole but for its last line ends is an answer', async (t) => {
  for (const name of APIS) {
    const whole = name === 'anthropic' ? anthropicText('whole') : openaiText('whole')
    const endings: Readonly<Record<string, string>> = {
      'no blank line at the end': whole.trimEnd(),
      'one line end': `${whole.trimEnd()}\n`,
      'CR alone': whole.replaceAll('\n', '\r'),
      'CR LF, and none at the end': whole.trimEnd().replaceAll('\n', '\r\n'),
    }
    for (const [what, chunk] of Object.entries(endings)) {
      const { url, received } = await openStub(t, [{ headers: STREAM, chunks: [chunk] }])
      t.match(await openClient(t, name, url).ask(), { ok: true, value: { content: [{ type: 'text', text: 'whole' }] } }, `${name}: ${what}`)
      t.equal(received.length, 1, `${name}: ${what}: asked once`)
    }
  }
})

t.test('fault 66: a retry is asked with the model and the temperature of then', async (t) => {
  for (const name of APIS) {
    const { url, received } = await openStub(t, [refused(529), good(name), good(name)])
    const { ask, waits } = openClient(t, name, url)
    const settings = () => ({
      effort: undefined,
      ...(waits.length === 0 ? { model: 'stub-1', temperature: undefined } : { model: 'stub-2', temperature: 0.5 }),
    })
    t.match(await ask({ settings }), { ok: true, value: { model: 'stub-2' } }, name)
    t.equal((await ask({ settings, model: 'stub-2' })).ok, true)
    t.strictSame(
      received.map(({ body }) => [body.model, body.temperature]),
      [
        ['stub-1', undefined],
        ['stub-2', 0.5],
        ['stub-2', undefined],
      ],
    )
  }
})

t.test('fault 72: silence and dripping have deadlines', async (t) => {
  const cases: Readonly<Record<string, readonly [reply: StubReply, timing: object, detail: RegExp]>> = {
    'no head': [{ isSilent: true }, { headersMs: 400 }, /did not answer in time/],
    'silence in the middle': [{ headers: STREAM, chunks: ['event: ping\n'], after: 'hang' }, { idleMs: 400 }, /fell silent/],
    'too long in all': [{ headers: STREAM, chunks: [': comment\n\n'], after: 'hang' }, { totalMs: 400 }, /took more than 0.4 s/],
  }
  for (const [what, [reply, timing, detail]] of Object.entries(cases)) {
    const { url, received } = await openStub(t, [reply])
    const { ask } = openClient(t, 'anthropic', url, { transport_retries: what === 'too long in all' ? 1 : 0 }, timing)
    t.match(await ask(), { ok: false, error: { error: 'timeout', category: 'unavailable', detail } }, what)
    t.equal(received.length, what === 'too long in all' ? 2 : 1, `${what}: requests`)
  }
})

t.test('fault 72: a wait, and an answer under way, end when the signal fires', async (t) => {
  const { url, received } = await openStub(t, [refused(529, { 'retry-after': '60' })])
  const waiting = new AbortController()
  const slow = openClient(t, 'anthropic', url, {}, { wait: DEFAULT_TIMING.wait })
  void until(() => received.length > 0).then(() => waiting.abort())
  let hasEnded = false
  const asked = slow.ask({}, waiting.signal).finally(() => {
    hasEnded = true
  })
  t.ok(await until(() => hasEnded), 'before the wait is over')
  t.match(await asked, { ok: false })

  const silent = await openStub(t, [{ headers: STREAM, chunks: ['event: ping\n'], after: 'hang' }])
  const under = new AbortController()
  void until(() => silent.received.length > 0).then(() => under.abort())
  t.match(await openClient(t, 'anthropic', silent.url).ask({}, under.signal), { ok: false, error: { error: 'cancelled' } })
  t.equal(silent.received.length, 1, 'nothing is tried again where no one waits')
})

t.test('fault 73: redirects are not followed with a key', async (t) => {
  const other = await openStub(t, [good('openai')])
  for (const name of APIS) {
    for (const status of [301, 302, 303, 307, 308]) {
      const { url, received } = await openStub(t, [{ status, headers: { location: `${other.url}/elsewhere?token=secret` } }])
      const answer = await openClient(t, name, url).ask()
      t.match(answer, { ok: false, error: { error: 'bad_reply', status, detail: /points to http:\/\/127\.0\.0\.1:\d+\/elsewhere: / } })
      t.notMatch(JSON.stringify(answer), /secret/)
      t.equal(received.length, 1)
    }
  }
  t.equal(other.received.length, 0)
})

t.test('a proxy of the environment is used, but not for loopback or what NO_PROXY names', async (t) => {
  const { url, received } = await openStub(t, [good('openai')])
  const asked: string[] = []
  const proxy = createHttpServer()
  proxy.on('connect', (request, socket) => {
    asked.push(request.url ?? '')
    const { port } = new URL(url)
    const through = connect(Number(port), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      socket.pipe(through).pipe(socket)
    })
    for (const end of [socket, through]) end.on('error', () => {})
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    proxy.closeAllConnections()
    proxy.close()
  })
  const { port } = proxy.address() as { port: number }
  const ask = (endpoint: string, variables: Readonly<Record<string, string>>) => askThrough(t, endpoint, variables)
  const address = `http://127.0.0.1:${port}`
  t.match(await ask('http://gateway.invalid:81', { http_proxy: address }), { ok: true })
  t.match(await ask('http://gateway.invalid:82', { ALL_PROXY: address }), { ok: true })
  t.match(await ask('http://gateway.invalid:83', { http_proxy: address, no_proxy: 'gateway.invalid' }), { ok: false })
  t.match(await ask(url, { http_proxy: address, https_proxy: address }), { ok: true })
  t.strictSame(asked, ['gateway.invalid:81', 'gateway.invalid:82'])
  t.equal(received.length, 3)
})

const askThrough = (t: Test, endpoint: string, variables: Readonly<Record<string, string>>) => {
  const before = { ...process.env }
  Object.assign(process.env, variables)
  return openClient(t, 'openai', endpoint, { transport_retries: 0 })
    .ask()
    .finally(() => {
      for (const name of Object.keys(variables)) delete process.env[name]
      Object.assign(process.env, before)
    })
}

t.test('a proxy that is dead, has no name, or refuses, is named, without its password', async (t) => {
  const proxy = createHttpServer()
  let status = 407
  proxy.on('connect', (_, socket) => socket.end(`HTTP/1.1 ${status} No\r\n\r\n`))
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const { port } = proxy.address() as { port: number }
  const through = (address: string) => askThrough(t, 'http://gateway.invalid:81', { http_proxy: address })
  const wanted = await through(`http://user:hunter2@127.0.0.1:${port}`)
  t.match(wanted, { ok: false, error: { error: 'connection_failed', detail: /^gateway\.invalid:81: the proxy 127\.0\.0\.1:\d+.*\(407\)/ } })
  status = 403
  t.match(await through(`http://127.0.0.1:${port}`), {
    ok: false,
    error: { detail: /the proxy 127\.0\.0\.1:\d+.*refused the connection \(403\)/ },
  })
  await new Promise((resolve) => proxy.close(resolve))
  const dead = await through(`http://user:hunter2@127.0.0.1:${port}`)
  t.match(dead, {
    ok: false,
    error: {
      error: 'connection_failed',
      detail: new RegExp(`^gateway\\.invalid:81: the proxy 127\\.0\\.0\\.1:${port}, which the environment names: .*refused`),
    },
  })
  const unknown = await through('http://proxy.invalid:3128')
  t.match(unknown, { ok: false, error: { detail: /the proxy proxy\.invalid:3128, which the environment names: no address/ } })
  t.notMatch(JSON.stringify([wanted, dead]), /hunter2/)
})

t.test('fault 74: HTML, too much, and a small gzip of much', async (t) => {
  // 200 MiB in less than 200 KiB, of members that are alike.
  const bomb = Buffer.concat(Array.from({ length: 200 }, () => MIB_OF_ZEROS))
  t.ok(bomb.length < 210 * 2 ** 10)
  let written = 0
  const mib = Buffer.alloc(2 ** 20, ' ')
  const endless = function* () {
    for (written = 0; written < 1024; written++) yield mib
  }
  const cases: Readonly<Record<string, readonly [reply: StubReply, detail: RegExp]>> = {
    HTML: [{ headers: { 'content-type': 'text/html' }, chunks: ['<!doctype html><title>Sign in</title>'] }, /a page of HTML/],
    'no JSON': [{ headers: JSON_TYPE, chunks: ['hello'] }, /not JSON/],
    'a bomb': [{ headers: { ...JSON_TYPE, 'content-encoding': 'gzip' }, chunks: [bomb] }, /more than 67108864 bytes/],
    'a streamed bomb': [{ headers: { ...STREAM, 'content-encoding': 'gzip' }, chunks: [bomb] }, /more than/],
    'a GiB': [{ headers: JSON_TYPE, chunks: { [Symbol.iterator]: endless } }, /more than 67108864 bytes/],
    'an endless event': [
      { headers: STREAM, chunks: ['data: ', ...Array.from({ length: 20 }, () => mib)] },
      /an event of more than 16777216/,
    ],
    'no UTF-8': [{ headers: STREAM, chunks: ['data: "', Uint8Array.of(0xff), '"\n\n'] }, /not UTF-8/],
    'nested too deep': [{ headers: JSON_TYPE, chunks: ['['.repeat(100_000), ']'.repeat(100_000)] }, /not JSON/],
    'an unknown encoding': [{ headers: { ...JSON_TYPE, 'content-encoding': 'zstd' }, chunks: ['x'] }, /compressed/],
  }
  for (const [what, [reply, detail]] of Object.entries(cases)) {
    const { url, received } = await openStub(t, [reply])
    t.match(await openClient(t, 'anthropic', url).ask(), { ok: false, error: { error: 'bad_reply', category: 'invalid', detail } }, what)
    // Bytes may have been damaged on the way.
    t.equal(received.length, what === 'no UTF-8' ? 5 : 1, `${what}: how often it was asked`)
  }
  t.ok(written < 256, `a GiB is not read to its end, but ${written} MiB`)
  const { url } = await openStub(t, [{ headers: { ...STREAM, 'content-encoding': 'gzip' }, chunks: [gzipSync(anthropicText('small'))] }])
  t.match(await openClient(t, 'anthropic', url).ask(), { ok: true, value: { content: [{ text: 'small' }] } }, 'an honest gzip is read')
})

t.test('fault 120: the key stands in its header and nowhere else', async (t) => {
  const { url, received } = await openStub(t, [refused(401), refused(529), good('anthropic')])
  const { ask, reported, logged } = openClient(t, 'anthropic', url)
  const first = await ask()
  await ask()
  t.equal(received[0]?.headers['x-api-key'], CANARY)
  t.notMatch(JSON.stringify(received.map(({ body, path }) => [body, path])), CANARY)
  t.notMatch(scrub(JSON.stringify([first, reported, logged])), CANARY)
  t.match(logged, [
    { name: 'api_request', url: `${url}/v1/messages`, attempt: 1 },
    { name: 'api_response', status: 401 },
  ])
  t.notMatch(JSON.stringify(logged), CANARY, 'not even before scrubbing')
  const openai = await openStub(t, [good('openai')])
  await openClient(t, 'openai', openai.url).ask()
  t.equal(openai.received[0]?.headers.authorization, `Bearer ${CANARY}`)
})

t.test('fault 120: where a key may go', async (t) => {
  const own = 'https://api.openai.com/v1'
  const refusedWith = (detail: RegExp) => ({ error: 'config_invalid', category: 'config', detail })
  const cases: readonly (readonly [
    spec: string | undefined,
    environment: string | undefined,
    hosts: readonly string[],
    wanted: string | RegExp,
  ])[] = [
    [undefined, undefined, [], own],
    [undefined, '', [], own],
    [undefined, 'http://10.0.0.7:8080/v1', [], 'http://10.0.0.7:8080/v1'],
    ['https://eu.api.openai.com/v1', undefined, [], 'https://eu.api.openai.com/v1'],
    ['http://localhost:11434/v1', undefined, [], 'http://localhost:11434/v1'],
    ['http://127.9.9.9', undefined, [], 'http://127.9.9.9/'],
    ['http://2130706433/', undefined, [], 'http://127.0.0.1/'],
    ['http://[::1]:80', undefined, [], 'http://[::1]/'],
    ['http://[::ffff:127.0.0.1]', undefined, [], 'http://[::ffff:7f00:1]/'],
    ['https://gateway.example/v1', undefined, ['gateway.example'], 'https://gateway.example/v1'],
    ['http://gateway.example:81', undefined, ['gateway.example:81'], 'http://gateway.example:81/'],
    ['https://gateway.example/a', 'https://gateway.example/b', [], 'https://gateway.example/a'],
    ['https://gateway.example:444/v1', undefined, ['gateway.example:443'], /--allow-host gateway\.example:444/],
    ['https://gateway.example/v1', 'https://other.example', [], /--allow-host gateway\.example,/],
    ['https://api.openai.com.evil.example', undefined, [], /a key is sent to api\.openai\.com/],
    ['https://evilapi.openai.com', undefined, [], /a key is sent to/],
    ['http://api.openai.com/v1', undefined, [], /over https only/],
    ['https://localhost.evil.example', undefined, [], /a key is sent to/],
    ['http://0.0.0.0', undefined, [], /a key is sent to/],
    ['https://user:word@api.openai.com/v1', undefined, [], /name or password/],
    ['https://api.openai.com/v1?x=1', undefined, [], /more than a path/],
    ['file:///etc/passwd', undefined, [], /not a URL of a server/],
    ['nonsense', undefined, [], /not a URL of a server: 'nonsense'/],
    [undefined, 'nonsense', [], /PLUMB_ENDPOINT is not a URL/],
  ]
  for (const [spec, environment, allowedHosts, wanted] of cases) {
    const read = readEndpoint({ name: 'openai', endpoint: own }, { spec, environment, allowedHosts })
    if (typeof wanted === 'string') t.equal(read instanceof URL ? read.href : read.detail, wanted, `${spec} ${environment}`)
    else t.match(read, refusedWith(wanted), `${spec} ${environment}`)
  }
})

t.test('what is wrong with the settings is reported all at once', async (t) => {
  const base = {
    model: 'm',
    specPath: 'a',
    readText: () => ({ ok: true, value: '' }) as const,
    endpointFromEnv: undefined,
    allowedHosts: [],
  }
  const prepare = (key: string | undefined, endpoint: string) => PROVIDERS.get('anthropic')?.prepare({ ...base, key, config: { endpoint } })
  t.match(prepare(undefined, 'https://evil.example'), {
    error: [{ error: 'config_invalid' }, { error: 'missing_key', detail: /ANTHROPIC_API_KEY/ }],
  })
  const broken = prepare('sk-ant-broken\n', 'http://localhost:1')
  t.match(broken, { error: [{ error: 'config_invalid', detail: /ANTHROPIC_API_KEY holds/ }] })
  t.notMatch(JSON.stringify(broken), /sk-ant-broken/)
})

t.test('presets: servers by their names', async (t) => {
  const { url, received } = await openStub(t, [good('openai')])
  const prepare = (name: string, change: object = {}) =>
    PROVIDERS.get(name)?.prepare({
      model: 'm',
      specPath: 'a',
      readText: () => ({ ok: true, value: '' }),
      endpointFromEnv: undefined,
      allowedHosts: [],
      key: undefined,
      config: {},
      ...change,
    })
  for (const { name, keyVariable, endpoint } of ACCOUNTS) {
    const prepared = prepare(name)
    const named: string | undefined = keyVariable ?? (endpoint.includes('{') ? 'GOOGLE_CLOUD_LOCATION and GOOGLE_CLOUD_PROJECT' : undefined)
    const missing = [{ error: 'missing_key', detail: new RegExp(String(named)) }]
    t.match(prepared, named === undefined ? { ok: true } : { ok: false, error: missing }, `${name}: its key`)
    const elsewhere = prepare(name, { key: 'k', config: { endpoint: 'https://evil.example/v1' } })
    t.match(elsewhere, { ok: false, error: [{ error: 'config_invalid', detail: /a key is sent to/ }] }, `${name}: nowhere else`)
  }
  const groq = prepare('groq', { key: CANARY, config: { endpoint: url } })
  t.teardown(() => groq?.ok && groq.value.close?.())
  t.ok(groq?.ok)
  if (groq?.ok) t.match(await groq.value.answer(openClient(t, 'openai', url).question, new Cancellation()), { ok: true })
  t.match(received[0], { path: '/v1/chat/completions', headers: { authorization: `Bearer ${CANARY}` } })

  const refusing = await openStub(t, [refused(401)])
  const ollama = prepare('ollama', { config: { endpoint: refusing.url } })
  t.teardown(() => ollama?.ok && ollama.value.close?.())
  t.ok(ollama?.ok)
  if (!ollama?.ok) return
  const question = openClient(t, 'openai', refusing.url).question
  t.match(await ollama.value.answer(question, new Cancellation()), {
    ok: false,
    error: { error: 'unauthorized', detail: /provider 'ollama' has none: write provider: "openai"/ },
  })
})
