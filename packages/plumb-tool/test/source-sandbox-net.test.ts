// The net of a sandbox with a list of hosts: real bubblewrap, real programs inside, servers on loopback that the names of a resolver of the
// test's own lead to. Lists and targets by table.

import { once } from 'node:events'
import { createServer as createHttp, type RequestListener } from 'node:http'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { isHostOf, readHost, readHostPattern } from '@plumb/lang'
import type { Authority } from '@plumb/policy'
import { type Child, spawnChild } from '@plumb/wire'
import t from 'tap'
import { type ConnectPolicy, checkAddresses, openHostConnector } from '../../sandbox/src/net/connect-host.js'
import { hostPolicy } from '../../sandbox/src/net/host-policy.js'
import { openProxy } from '../../sandbox/src/net/proxy.js'
import { openRefusalLog } from '../../sandbox/src/net/refusal-log.js'
import { openSandboxNet } from '../../sandbox/src/net/sandbox-net.js'
import { scaled } from '../../wire/test/patience.js'
import { NO_SANDBOX } from '../../wire/test/sandbox-here.js'
import { TEST_PATH } from '../../wire/test/shell.js'
import { makeSource, makeTestDirectory, running, until } from './source-directory.js'

t.setTimeout(scaled(60_000))
const BOXED = { skip: NO_SANDBOX }
const PRIVATE: Authority = { grant: ['net', 'net.private'], policy: [], context: {} }
const PUBLIC: Authority = { policy: [], context: {} }
const WAIT_MS = scaled(30_000)

const patterns = (...texts: string[]) =>
  texts.map((text) => {
    const read = readHostPattern(text)
    if (typeof read === 'string') throw new Error(`${text}: ${read}`)
    return read
  })

interface Parts extends Partial<ConnectPolicy> {
  readonly authority?: () => Authority
}

const policyWith = ({ authority = () => PRIVATE, ...parts }: Parts = {}): ConnectPolicy => ({
  who: "tool 'probe'",
  ...hostPolicy('probe', authority),
  resolve: async () => [{ address: '127.0.0.1', family: 4 }],
  ...parts,
})

const listening = async <S extends Server>(server: S): Promise<{ server: S; port: number }> => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => void server.close())
  return { server, port: (server.address() as AddressInfo).port }
}
const serveHttp = async (answer: RequestListener): Promise<number> => {
  const { server, port } = await listening(createHttp(answer))
  t.teardown(() => server.closeAllConnections())
  return port
}

t.test('a list of hosts', async (t) => {
  const wrong: [string, RegExp][] = [
    ['*', /net: true/],
    ['https://api.example.com', /URL/],
    ['api.example.com/x', /URL/],
    ['*.com', /at least two/],
    ['*.', /not a host name/],
    ['a.*.com', /not a host name/],
    ['*example.com', /not a host name/],
    ['user@api.example.com', /not a host name/],
    ['api.example.com:', /not a host name/],
    ['api.example.com:0', /not a host name/],
    ['api.example.com:65536', /not a host name/],
    ['api.example.com:080', /not a host name/],
    ['api..example.com', /not a host name/],
    ['.example.com', /not a host name/],
    ['-a.example.com', /not a host name/],
    [`${'a'.repeat(64)}.com`, /not a host name/],
    [`${'a.'.repeat(130)}com`, /not a host name/],
    ['127.1', /not a host name/],
    ['2130706433', /not a host name/],
    ['0x7f.1', /not a host name/],
    ['0177.0.0.1', /not a host name/],
    ['1.2.3.256', /not a host name/],
    ['::1', /not a host name/],
    ['[fe80::1%25eth0]', /not a host name/],
    ['bücher.example', /xn--/],
    ['\u212Aey.example', /xn--/],
    ['a b.example', /xn--|not a host name/],
    ['a.example\r\n', /xn--|not a host name/],
    ['', /not a host name/],
  ]
  for (const [text, why] of wrong) t.match(readHostPattern(text), why, JSON.stringify(text))
  const right: [string, string, boolean][] = [
    ['api.example.com', 'api.example.com:443', true],
    ['api.example.com', 'api.example.com:80', true],
    ['api.example.com', 'api.example.com:22', false],
    ['api.example.com:22', 'api.example.com:22', true],
    ['api.example.com:22', 'api.example.com:443', false],
    ['API.Example.com.', 'api.EXAMPLE.com:443', true],
    ['api.example.com', 'api.example.com.:443', true],
    ['api.example.com', 'xapi.example.com:443', false],
    ['api.example.com', 'api.example.com.evil.org:443', false],
    ['*.example.com', 'a.b.example.com:443', true],
    ['*.example.com', 'example.com:443', false],
    ['*.example.com', 'evilexample.com:443', false],
    ['my_service', 'my_service:443', true],
    ['xn--bcher-kva.example', 'xn--bcher-kva.example:443', true],
    ['127.0.0.1:8080', '127.0.0.1:8080', true],
    ['[::1]:8080', '[0:0:0:0:0:0:0:1]:8080', true],
    ['*.0.0.example', '127.0.0.1:443', false],
  ]
  for (const [pattern, asked, isOne] of right) {
    const target = readHost(asked)
    t.equal(target !== undefined && isHostOf(patterns(pattern)[0] as never, target), isOne, `${pattern} and ${asked}`)
  }
})

t.test('which addresses of a name are connected to', async (t) => {
  const address = (text: string) => ({ address: text, family: text.includes(':') ? 6 : 4 })
  const judge = async (asked: string, list: string[], addresses: string[], authority = PUBLIC) => {
    const host = readHost(asked)
    if (host?.port === undefined) throw new Error(asked)
    const listed = patterns(...list)
    const result = await checkAddresses(
      { ...host, port: host.port },
      listed,
      policyWith({ authority: () => authority, resolve: async () => addresses.map(address) }),
    )
    return result.ok ? result.value.map(({ address }) => address) : result.error.detail
  }
  t.strictSame(
    await judge('a.org:443', ['a.org'], ['10.0.0.1', '1.1.1.1', '::1', '2606:4700::1']),
    ['1.1.1.1', '2606:4700::1'],
    'mixed: the public ones',
  )
  t.strictSame(await judge('a.org:443', ['a.org'], ['10.0.0.1', '1.1.1.1'], PRIVATE), ['1.1.1.1'], 'mixed, with the grant: the public ones')
  for (const bad of ['127.0.0.1', '169.254.169.254', '::ffff:10.0.0.1', '100.64.0.1', 'fe80::1', '64:ff9b::a00:1', '0.0.0.0']) {
    t.match(await judge('a.org:443', ['a.org'], [bad]), /private or local.*net\.private is not granted/, bad)
  }
  t.strictSame(await judge('a.org:443', ['a.org'], ['10.0.0.1'], PRIVATE), ['10.0.0.1'], 'granted and named')
  t.match(await judge('a.org:443', ['*.org.example', '*.a.org'], ['10.0.0.1'], PRIVATE), /by a pattern: name the host/)
  t.match(await judge('1.1.1.1:443', ['1.1.1.1'], []), /is an address, not a name/)
  t.strictSame(await judge('1.1.1.1:443', ['1.1.1.1'], [], PRIVATE), ['1.1.1.1'])
  t.match(await judge('a.org:443', ['a.org'], []), /has no address/)
  const rules = (decision: 'deny' | 'ask'): Authority => ({ policy: [{ decision, host: 'a.org' }, { decision: 'allow' }], context: {} })
  for (const decision of ['deny', 'ask'] as const) {
    const reach = openHostConnector(
      patterns('a.org', 'b.org'),
      policyWith({ authority: () => rules(decision), resolve: async () => [address('10.0.0.1')] }),
    )
    const open = (host: string) => reach.open({ host, port: 443, isAddress: false }, AbortSignal.timeout(WAIT_MS))
    t.match(await open('a.org'), { error: { detail: decision === 'deny' ? /policy denies/ : /policy asks a person/ } })
    t.match(await open('b.org'), { error: { error: 'address_denied' } }, 'another host is not meant')
  }
})

const textOf = async (stream: AsyncIterable<Buffer>): Promise<string> => {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks).toString('latin1')
}

/** The proxy alone, without a sandbox around its clients. */
const openListener = async (list: string[], parts: Parts = {}) => {
  const record = openRefusalLog()
  record.opened()
  const proxy = openProxy(openHostConnector(patterns(...list), policyWith(parts)), record)
  const { server, port } = await listening(createServer())
  proxy.answer(server)
  t.teardown(() => proxy.close())
  const ask = (text: string, isOpenEnded = false): Promise<string> => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    socket.on('error', () => {})
    if (isOpenEnded) socket.write(text, 'latin1')
    else socket.end(text, 'latin1')
    return textOf(socket).catch((error: Error) => `broken: ${error.message}`)
  }
  return { record, proxy, port, ask }
}

t.test('what is asked of the proxy in a crooked way', async (t) => {
  const seen: string[] = []
  const port = await serveHttp((request, response) => {
    seen.push(`${request.method} ${request.url} ${request.headers.host}`)
    response.end('served')
  })
  const { ask, record } = await openListener([`site.test:${port}`])
  const site = `site.test:${port}`
  const inner = `GET /inner HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`
  const connects: [string, RegExp][] = [
    [`CONNECT ${site} HTTP/1.1\r\n\r\n`, /^HTTP\/1\.1 (200|400)/],
    [`CONNECT ${site} HTTP/1.1\r\nHost: other.test\r\n\r\n${inner}`, /^HTTP\/1\.1 200 [\s\S]*served$/],
    [`CONNECT SITE.TEST.:${port} HTTP/1.1\r\nHost: x\r\n\r\n${inner}`, /served$/],
    [`CONNECT ${site} HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n${inner}`, /served$/],
    [`CONNECT other.test:443 HTTP/1.1\r\nHost: ${site}\r\n\r\n`, /^HTTP\/1\.1 403 [\s\S]*'other\.test:443' in 'net'/],
    [`CONNECT other.test:443 HTTP/1.1\r\nHost: x\r\nX: a\r\n\tCONNECT ${site}\r\n\r\n`, /^HTTP\/1\.1 40[03]/],
    [`CONNECT user@${site} HTTP/1.1\r\nHost: x\r\n\r\n`, /^HTTP\/1\.1 400/],
    [`CONNECT ${site}@other.test:443 HTTP/1.1\r\nHost: x\r\n\r\n`, /^HTTP\/1\.1 400/],
    [`CONNECT ${site}%0d%0a HTTP/1.1\r\nHost: x\r\n\r\n`, /^HTTP\/1\.1 400/],
    [`CONNECT site.test\r\n:${port} HTTP/1.1\r\nHost: x\r\n\r\n`, /^HTTP\/1\.1 400/],
    [`CONNECT site.test\0:${port} HTTP/1.1\r\nHost: x\r\n\r\n`, /^HTTP\/1\.1 400/],
    ['CONNECT site.test HTTP/1.1\r\nHost: x\r\n\r\n', /^HTTP\/1\.1 400/],
    ['CONNECT site.test:0 HTTP/1.1\r\nHost: x\r\n\r\n', /^HTTP\/1\.1 400/],
    [`CONNECT site.test:${port + 65_536} HTTP/1.1\r\nHost: x\r\n\r\n`, /^HTTP\/1\.1 400/],
    [`CONNECT site.test:+${port} HTTP/1.1\r\nHost: x\r\n\r\n`, /^HTTP\/1\.1 400/],
    [`CONNECT 127.1:${port} HTTP/1.1\r\nHost: x\r\n\r\n`, /^HTTP\/1\.1 400/],
    [`CONNECT 127.0.0.1:${port} HTTP/1.1\r\nHost: x\r\n\r\n`, /^HTTP\/1\.1 403/],
    [`CONNECT [::1%lo]:${port} HTTP/1.1\r\nHost: x\r\n\r\n`, /^HTTP\/1\.1 400/],
    [`CONNECT [::ffff:127.0.0.1]:${port} HTTP/1.1\r\nHost: x\r\n\r\n`, /^HTTP\/1\.1 403/],
    [`CONNECT s\xefte.test:${port} HTTP/1.1\r\nHost: x\r\n\r\n`, /^HTTP\/1\.1 400/],
    [`CONNECT http://${site}/ HTTP/1.1\r\nHost: x\r\n\r\n`, /^HTTP\/1\.1 400/],
    [`GET http://${site}/ HTTP/1.1\r\nHost: other.test\r\nConnection: close\r\n\r\n`, /^HTTP\/1\.1 200 [\s\S]*served/],
    [`GET http://other.test/ HTTP/1.1\r\nHost: ${site}\r\nConnection: close\r\n\r\n`, /^HTTP\/1\.1 403/],
    [`GET http://${site}@other.test/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`, /^HTTP\/1\.1 400/],
    [`GET http://other.test#@${site}/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`, /^HTTP\/1\.1 40[03]/],
    [`GET http://other.test\\@${site}/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`, /^HTTP\/1\.1 400/],
    [`GET https://${site}/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`, /^HTTP\/1\.1 400/],
    [`GET / HTTP/1.1\r\nHost: ${site}\r\nConnection: close\r\n\r\n`, /^HTTP\/1\.1 400/],
    [`GET http://${site}?q HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`, /served/],
    [
      `POST http://${site}/two HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${inner}`,
      /^HTTP\/1\.1 400/,
    ],
    [`POST http://${site}/two HTTP/1.1\r\nHost: x\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n${inner}`, /^HTTP\/1\.1 400/],
    [
      `POST http://${site}/cl HTTP/1.1\r\nHost: x\r\nContent-Length: ${inner.length}\r\nConnection: close, content-length\r\n\r\n${inner}`,
      /^HTTP\/1\.1 200/,
    ],
    [
      `DELETE http://${site}/te HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n${inner.length.toString(16)}\r\n${inner}\r\n0\r\n\r\n`,
      /^HTTP\/1\.1 200/,
    ],
    [`GET http://${site}/long HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, /^HTTP\/1\.1 431/],
    ['\x05\x01\x00', /^HTTP\/1\.1 400/],
  ]
  for (const [text, expected] of connects) t.match(await ask(text), expected, JSON.stringify(text.slice(0, 90)))
  t.strictSame(
    seen.map((line) => line.replace(String(port), 'PORT')),
    [
      ...new Array(3).fill('GET /inner x'),
      'GET / site.test:PORT',
      'GET /?q site.test:PORT',
      'POST /cl site.test:PORT',
      'DELETE /te site.test:PORT',
    ],
    'nothing else has reached the server',
  )
  t.match(record.missingAccess(), /'other\.test:443' in 'net': add "other\.test" there.*; and \d+ more$/)
})

t.test('one fails, one is slow, one is late, and the others go through', async (t) => {
  const port = await serveHttp((request, response) => {
    if (request.url === '/cut')
      return void response.writeHead(200, { 'content-length': '1000' }).write('some', () => request.socket.resetAndDestroy())
    if (request.url === '/slow') return void response.end('slow'.repeat(10), 'latin1')
    response.end(`got ${request.url}`)
  })
  let release: () => void = () => {}
  const held = new Promise<void>((done) => {
    release = done
  })
  const loopback = [{ address: '127.0.0.1', family: 4 }]
  const resolve: ConnectPolicy['resolve'] = async (name) => {
    if (name === 'lost.test') throw Object.assign(new Error('lost'), { code: 'ENOTFOUND' })
    if (name === 'late.test') await held
    if (name === 'never.test') await new Promise(() => {})
    return loopback
  }
  const { ask, record } = await openListener(
    ['lost', 'late', 'never', 'site'].map((name) => `${name}.test:${port}`),
    { resolve, connectTimeoutMs: 300 },
  )
  const get = (host: string, path: string) => ask(`GET http://${host}.test:${port}${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
  const through = (host: string) =>
    ask(`CONNECT ${host}.test:${port} HTTP/1.1\r\nHost: x\r\n\r\nGET /t HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
  const late = get('late', '/late')
  const answers = await Promise.all([
    get('site', '/a'),
    get('lost', '/'),
    through('lost'),
    through('never'),
    get('site', '/cut'),
    get('site', '/slow'),
    through('site'),
    get('site', '/z'),
  ])
  release()
  const expected = [
    /got \/a/,
    /502[\s\S]*lost\.test:\d+ cannot be reached/,
    /^HTTP\/1\.1 502/,
    /^HTTP\/1\.1 504/,
    /broken|some$/,
    /slow/,
    /got \/t/,
    /got \/z/,
  ]
  for (const [i, answer] of answers.entries()) t.match(answer, expected[i])
  t.match(await late, /got \/late|504/)
  t.equal(record.missingAccess(), undefined, 'what cannot be reached is not a refusal')
})

t.test('limits: connections at once, and who is served then', async (t) => {
  const { ask, port, record } = await openListener(['site.test:1'])
  const held: Socket[] = []
  for (let i = 0; i < 64; i++) held.push(connect(port, '127.0.0.1'))
  await Promise.all(held.map((socket) => once(socket, 'connect')))
  const full = await ask('CONNECT site.test:1 HTTP/1.1\r\nHost: x\r\n\r\n')
  t.match(full, /^HTTP\/1\.1 503 [\s\S]*64 connections at once/)
  t.match(record.missingAccess(), /64 connections/)
  held[0]?.destroy()
  await once(held[0] as Socket, 'close')
  let last = full
  for (const end = Date.now() + WAIT_MS; last.includes(' 503 ') && Date.now() < end; )
    last = await ask('CONNECT site.test:1 HTTP/1.1\r\nHost: x\r\n\r\n')
  t.match(last, /^HTTP\/1\.1 502/, 'one has gone, another is served')
  for (const socket of held) socket.destroy()
})

interface Boxed {
  readonly child: Child
  readonly lacked: () => string | undefined
  readonly done: Promise<{ readonly status: number | null; readonly text: string }>
}

const BWRAP = [
  'bwrap',
  '--unshare-user',
  '--unshare-net',
  '--unshare-pid',
  '--die-with-parent',
  '--ro-bind',
  '/',
  '/',
  '--dev',
  '/dev',
  '--proc',
  '/proc',
  '--',
]

const box = (list: string[], command: string[], { env = {}, ...parts }: Parts & { env?: Record<string, string> } = {}): Boxed => {
  const net = openSandboxNet(patterns(...list), policyWith(parts))
  const started = spawnChild({
    command: [...BWRAP, ...net.command, ...command],
    env: { PATH: process.env.PATH ?? '', ...net.env, ...env },
    isForeign: true,
    joinsStderr: true,
    listener: net.listener,
  })
  if (!started.ok) throw new Error(started.error.detail)
  const child = started.value
  child.stdin.end('what is on stdin\n')
  const text = textOf(child.stdout)
  void child.ended.then(net.close)
  return { child, lacked: net.missingAccess, done: Promise.all([child.exited, text]).then(([{ status }, text]) => ({ status, text })) }
}

/** A client that speaks to its proxy by hand: `target` and `then` are for CONNECT. */
const CLIENT = `
const { connect } = require('node:net')
const open = (target) => new Promise((done) => {
  const [, host, port] = /^http:..([^:]+):(\\d+)/.exec(process.env.HTTPS_PROXY)
  const socket = connect({ host, port, allowHalfOpen: true }, () => socket.write('CONNECT ' + target + ' HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n'))
  socket.on('error', (error) => { console.log(error.code); process.exit(9) })
  socket.once('data', (head) => { socket.pause(); done({ socket, head: head.toString('latin1') }) })
})
`
const client = (work: string) => [process.execPath, '-e', `${CLIENT};(async () => { ${work} })()`]

t.test('a program in the box: its descriptors, status and signals, and what it finds around it', BOXED, async (t) => {
  const around = await box(['site.test'], ['/bin/sh', '-c', 'cat; env | sort; ls /proc/self/fd; exit 7']).done
  t.equal(around.status, 7)
  t.match(around.text, /^what is on stdin\n/)
  t.match(
    around.text,
    /\nHTTPS_PROXY=http:\/\/127\.0\.0\.1:\d+\n[\s\S]*\nNODE_NO_WARNINGS=1\nNODE_USE_ENV_PROXY=1\nNO_PROXY=localhost,127\.0\.0\.1,::1\n/,
  )
  t.notMatch(around.text, /NODE_CHANNEL/)
  const quiet = await box(['site.test'], [process.execPath, '-e', 'fetch("http://other.test").catch(() => {})']).done
  t.equal(quiet.text, '', 'Node.js says nothing of the proxy')
  const ended = box(['site.test'], ['/bin/sh', '-c', 'echo begun; exec sleep 600'])
  await once(ended.child.stdout, 'data')
  await ended.child.terminate(scaled(2000))
  t.not((await ended.child.ended).status, 0)
  const unheard = box(['site.test'], ['/bin/true'])
  t.equal((await unheard.done).status, 0)
  t.match(unheard.lacked(), /asked its proxy for nothing.*ignores HTTPS_PROXY/)
  const lost = box(['site.test'], ['/bin/sh', '-c', 'echo run'], { env: { LD_PRELOAD: '/nowhere.so' } })
  t.match((await lost.done).text, /run/, 'what the loader says is not a failure')
})

t.test('no way out but the list', BOXED, async (t) => {
  let hits = 0
  const port = await serveHttp((_, response) => response.end(`hit ${++hits}`))
  const direct = `
    const { connect } = require('node:net'), { lookup } = require('node:dns'), dgram = require('node:dgram')
    const tcp = (host, port) => new Promise((done) => connect({ host, port }).on('connect', () => done('connected')).on('error', (e) => done(e.code)))
    const udp = new Promise((done) => { const s = dgram.createSocket('udp4'); s.on('error', (e) => done(e.code)); s.send('x', 53, '9.9.9.9', (e) => done(e ? e.code : 'sent')) })
    console.log(await tcp('127.0.0.1', ${port}), await tcp('1.1.1.1', 443), await udp, await new Promise((done) => lookup('example.com', (e) => done(e ? e.code : 'found'))))
    process.exit()`
  const open = box([`site.test:${port}`], client(direct))
  t.equal((await open.done).text, 'ECONNREFUSED ENETUNREACH ENETUNREACH EAI_AGAIN\n')
  const asked = box(
    [`site.test:${port}`, `127.0.0.1:${port}`],
    client(
      `for (const target of ['site.test:${port}', 'other.test:443', '127.0.0.1:${port}']) console.log((await open(target)).head.split('\\r\\n')[0]); process.exit(3)`,
    ),
    { authority: () => PUBLIC },
  )
  t.equal((await asked.done).text, 'HTTP/1.1 403 Forbidden\n'.repeat(3))
  t.match(
    asked.lacked(),
    /site\.test:\d+'.*net\.private is not granted; .*'other\.test:443' in 'net': add "other\.test" there.*; .*is an address, not a name/,
  )
  t.equal(hits, 0)
})

const MEGABYTES = 300

t.test('300 MB each way, a slow reader, and what that takes of memory', BOXED, async (t) => {
  const piece = Buffer.alloc(1024 * 1024, 'x')
  const received: number[] = []
  const { port } = await listening(
    createServer({ allowHalfOpen: true }, (socket) => {
      const index = received.push(0) - 1
      socket.on('data', (chunk) => {
        received[index] = (received[index] ?? 0) + chunk.length
      })
      socket.on('error', () => {})
      socket.on('end', async () => {
        for (let i = 0; i < MEGABYTES; i++) if (!socket.write(piece)) await once(socket, 'drain')
        socket.end()
      })
    }),
  )
  const before = process.memoryUsage.rss()
  let most = before
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss())
  }, 10)
  // Says all, closes its side, and only then is answered: half of it is read, slowly, then the rest.
  const work = `
    const { once } = require('node:events')
    const { socket, head } = await open('site.test:${port}')
    if (!head.includes(' 200 ')) return console.log(head)
    const piece = Buffer.alloc(1 << 20, 'y')
    for (let i = 0; i < ${MEGABYTES}; i++) if (!socket.write(piece)) await once(socket, 'drain')
    socket.end()
    let bytes = 0, turns = 0
    for await (const chunk of socket) { bytes += chunk.length; if (turns++ < 100) await new Promise((done) => setTimeout(done, 5)) }
    console.log(bytes)`
  const { text } = await box([`site.test:${port}`], client(work)).done
  clearInterval(watch)
  t.equal(text, `${MEGABYTES * 1024 * 1024}\n`)
  t.strictSame(received, [MEGABYTES * 1024 * 1024])
  t.ok(most - before < 150 * 1024 * 1024, `${Math.round((most - before) / 1024 / 1024)} MB more than before`)
})

t.test('a reader that reads nothing holds back the one that sends', BOXED, async (t) => {
  let sent = 0
  const piece = Buffer.alloc(1024 * 1024, 'x')
  const { port } = await listening(
    createServer((socket) => {
      socket.on('error', () => {})
      const push = (): void => {
        while (!socket.destroyed && sent < 400 && socket.write(piece)) sent++
      }
      socket.on('drain', push)
      push()
    }),
  )
  const { child, done } = box(
    [`site.test:${port}`],
    client(`const { head } = await open('site.test:${port}'); console.log(head.split('\\r\\n')[0]); setInterval(() => {}, 1000)`),
  )
  await once(child.stdout, 'data')
  let last = 0
  let looks = 0
  const stands = (): boolean => {
    looks = sent > 0 && sent === last ? looks + 1 : 0
    last = sent
    return looks > 10
  }
  t.ok(await until(stands), 'it comes to a stop')
  t.ok(sent < 60, `${sent} MB were taken`)
  child.kill('SIGKILL')
  await done
})

t.test('the inside dies, the server dies, and either other side hears of it', BOXED, async (t) => {
  const sockets: Socket[] = []
  const { port } = await listening(
    createServer((socket) => {
      sockets.push(socket)
      socket.on('error', () => {})
      socket.on('data', (chunk) => {
        if (chunk.includes('cut')) socket.resetAndDestroy()
        else socket.write('some of it')
      })
    }),
  )
  const cut = await box(
    [`site.test:${port}`],
    client(
      `const { socket } = await open('site.test:${port}'); socket.on('end', () => console.log('end')); socket.resume(); socket.write('cut')`,
    ),
  ).done
  t.match(cut, { status: 9, text: 'ECONNRESET\n' }, 'what breaks off does not look like the end')
  const killed = box(
    [`site.test:${port}`],
    client(
      `const { socket } = await open('site.test:${port}'); socket.resume(); socket.write('go'); socket.once('data', () => console.log('some'))`,
    ),
  )
  await once(killed.child.stdout, 'data')
  killed.child.kill('SIGKILL')
  await killed.done
  t.ok(await until(() => sockets.every((socket) => socket.destroyed)), 'no connection is left')
})

t.test('tools with a list of hosts', BOXED, async (t) => {
  const port = await serveHttp((request, response) => response.end(`served ${request.headers['x-who'] ?? ''}`))
  const fetcher = (target: string) => `#!${process.execPath}
const { Agent, request } = require('node:http')
const { host: proxy } = new URL(process.env.http_proxy)
const [host, port] = proxy.split(':')
// The usual agent of Node.js 24 would ask the proxy for the proxy.
request({ agent: new Agent(), host, port, path: 'http://${target}/', headers: { host: 'x', 'x-who': 'a command' } }, async (given) => {
  for await (const chunk of given) process.stdout.write(chunk)
  process.exit(given.statusCode === 200 ? 0 : 4)
}).end()
`
  const spec = `
    let good : { arguments?: [string] } -> string = tool { command: "./good.cjs", sandbox: { net: ["localhost:${port}"] } }
    let small : { arguments?: [string] } -> string = tool { command: "./good.cjs", sandbox: { net: ["localhost:${port}"], memory: "1G" } }
    let bad : { arguments?: [string] } -> string = tool { command: "./bad.cjs", sandbox: { net: ["localhost:${port}"] } }
    let quiet : { arguments?: [string] } -> string = tool { command: "false", sandbox: { net: ["api.example.com"] } }
    let limited : { arguments?: [string] } -> string = tool { command: "./limit.sh", sandbox: { net: ["api.example.com"], memory: "16M" } }
    let deaf : { n: int } -> string = tool { function: "./f.mjs#deaf", sandbox: { net: ["localhost:${port}"] } }
    let whole : { n: int } -> int = tool { function: "./f.mjs#whole", sandbox: { net: ["localhost:${port}"] } }
  `
  const files = {
    'good.cjs': fetcher(`localhost:${port}`),
    'bad.cjs': fetcher('other.test'),
    'limit.sh': '#!/bin/sh\nulimit -d\n',
    'f.mjs': `import { connect } from 'node:net'
export const deaf = () => new Promise((_, reject) => connect(${port}, 'localhost').on('error', (error) => reject(new Error(error.code || error.errors[0].code))))
export const whole = ({ n }) => n + 1`,
  }
  const { call } = makeSource(spec, files, { authority: () => PRIVATE })
  const [good, small, bad, quiet, limited, deaf, whole] = await Promise.all(
    ['good', 'small', 'bad', 'quiet', 'limited', 'deaf', 'whole'].map((name) => call(name, { n: 1 })),
  )
  t.equal(good?.value, 'served a command', JSON.stringify(good?.error))
  t.equal(small?.value, 'served a command', JSON.stringify(small?.error))
  t.equal(limited?.value, '16384\n', 'the limit is that of the program')
  t.match(bad?.error, {
    error: 'child_failed',
    detail: /status 4.*; the sandbox of tool 'bad' has not 'other\.test:80' in 'net': add "other\.test" there/,
  })
  t.match(quiet?.error, { error: 'child_failed', detail: /status 1.*ignores HTTPS_PROXY/ })
  t.match(deaf?.error, { detail: /deaf.*ECONNREFUSED.*ignores HTTPS_PROXY/ })
  t.equal(whole?.value, 2)
  const denied = makeSource(spec, files, { authority: () => PUBLIC })
  t.match((await denied.call('good', {})).error, {
    detail: /'localhost:\d+', which tool 'good' asks for, leads to a private or local address, and net\.private is not granted/,
  })
  t.throws(
    () => makeSource('let x : { arguments?: [string] } -> string = tool { command: "true", sandbox: { net: ["https://a.org/"] } }'),
    /https.*of a URL write the host alone/,
  )
})

t.test('the outside dies, and with it all that is inside', BOXED, async (t) => {
  const mark = `60${process.pid}`
  const directory = makeTestDirectory({
    'k.plumb': `let k : { arguments?: [string] } -> string = tool { command: "sleep ${mark}", timeout: 600, sandbox: { net: ["api.example.com"] } }`,
  })
  const isThere = () => running(`sleep ${mark}`).length > 0
  // As soon as bubblewrap is seen, which has then hardly begun.
  for (const signal of ['SIGKILL', 'SIGTERM', 'SIGKILL', 'SIGTERM'] as const) {
    const started = spawnChild({
      command: ['plumb-tool', 'k.plumb', 'call', 'k', '{}'],
      cwd: directory,
      env: { PATH: TEST_PATH },
      isForeign: false,
    })
    if (!started.ok) throw new Error(started.error.detail)
    t.ok(await until(isThere), 'it has begun')
    process.kill(started.value.pid, signal)
    t.ok(await until(() => !isThere()), `it has gone after ${signal}`)
  }
})
