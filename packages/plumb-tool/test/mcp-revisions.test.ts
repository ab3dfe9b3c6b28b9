// Servers of all revisions, on stdio and on HTTP: the newest that a server knows is spoken, and where it knows none of the newer ones it is
// initialized.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Fault } from '@plumb/wire'
import t from 'tap'
import { connectMcp } from '../../mcp-client/src/connect.js'
import type { McpConnection, ServerConfig } from '../../mcp-client/src/connection.js'
import { openToolListCache } from '../../mcp-client/src/tool-list-cache.js'
import { until } from '../../wire/test/processes.js'

const FIXTURES = resolve('packages/plumb-tool/test/fixtures/mcp')
const SERVERS = 'packages/plumb-tool/node_modules/@modelcontextprotocol'

const places: string[] = []
t.teardown(() => {
  for (const place of places) rmSync(place, { recursive: true, force: true })
})

const newPlace = (): string => {
  const place = mkdtempSync(join(tmpdir(), 'mcp-revisions-'))
  places.push(place)
  return place
}
process.env.XDG_CACHE_HOME = newPlace()

interface Opened {
  readonly connection: McpConnection
  readonly notes: Fault[]
  readonly place: string
  readonly changes: () => number
}

/** Under load a server may take long to say anything. */
const PATIENCE_MS = 60_000

const open = async (config: ServerConfig, place: string, silenceMs = PATIENCE_MS): Promise<Opened> => {
  const notes: Fault[] = []
  let changes = 0
  const options = { cwd: place, note: (warning: Fault) => void notes.push(warning), onToolsChanged: () => void changes++, silenceMs }
  const opened = await connectMcp({ prefix: 'ink', cache_ttl: 0, ...config }, options)
  if (!opened.ok) throw new Error(`${opened.error.error}: ${opened.error.detail}`)
  t.teardown(() => opened.value.disconnect())
  return { connection: opened.value, notes, place, changes: () => changes }
}

const command = (file: string, ...args: readonly string[]): ServerConfig => ({
  command: process.execPath,
  args: [join(FIXTURES, file), ...args],
  sandbox: false,
})

/** The address of one that is started. */
const listening = async (place: string, file: string, ...args: readonly string[]): Promise<ServerConfig> => {
  const child = spawn(process.execPath, [join(FIXTURES, file), ...args], { cwd: place, stdio: ['ignore', 'pipe', 'inherit'] })
  t.teardown(() => child.kill('SIGKILL'))
  const [chunk] = (await once(child.stdout, 'data')) as [Buffer]
  return { url: chunk.toString('utf8').trim() }
}

const WAYS: Readonly<Record<'stdio' | 'http', (file: string, ...how: readonly string[]) => Promise<Opened>>> = {
  stdio: (file, ...how) => open(command(file, ...how), newPlace()),
  http: async (file, ...how) => {
    const place = newPlace()
    return open(await listening(place, file, ...how, 'http'), place)
  },
}

const said = async (work: Promise<{ ok: true; value: unknown } | { ok: false; error: Fault }>): Promise<unknown> => {
  const result = await work
  return result.ok ? result.value : `${result.error.error}: ${result.error.detail}`
}

const answer = (text: string) => ({ content: [{ type: 'text', text }], isError: false })

const linesOf = (place: string, file: string): Record<string, unknown>[] =>
  readFileSync(join(place, file), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>)

for (const [way, opened] of Object.entries(WAYS)) {
  t.test(`${way}: a server of 2026-07-28 alone`, async (t) => {
    const { connection, changes, notes, place } = await opened('revisions.cjs', 'newer')
    t.match(connection, { protocol: '2026-07-28', server: { name: 'newer', version: '2' } })
    const call = (name: string, input: object = {}) => said(connection.call(name, JSON.stringify(input)))
    const names = async () => {
      const listed = await connection.listedTools()
      return listed.ok ? listed.value.map(({ name }) => name) : []
    }
    const listed = await names()
    t.ok(listed.includes('mirror'))
    const isHttp = way === 'http'
    t.equal(listed.includes('twice'), !isHttp, 'headers matter where there are some')
    t.strictSame(
      notes.map(({ detail }) => detail),
      isHttp
        ? [
            "a tool of MCP server 'ink' is left out: 'twice' has the header 'a' twice",
            "a tool of MCP server 'ink' is left out: 'below' has an 'x-mcp-header' that belongs to no parameter",
          ]
        : [],
    )
    t.strictSame(await call('echo', { text: 'a' }), answer('heard: a'))
    t.match(await call('numbers'), { structured: '[1,2]' })
    t.match(await call('state'), { content: [{ text: /^after (\d+), (?!\1$)\d+$/ }] }, 'what it wants to be sent again, under another id')
    t.strictSame(await call('consent'), answer('decline, undefined'), 'there is no person to ask')
    t.match(await call('sampling'), /^bad_reply: .* asks for what is not offered: .*sampling/)
    t.match(await call('strange'), /^bad_reply: .* is a task, and has no 'taskId'/)
    t.match(await call('for-ever'), /^bad_reply: .* after 10 times/)
    t.match(await call('refuse'), /^input_type_mismatch: .* no such tool/)
    t.match(await said(connection.read('x:y')), /^bad_reply: .* there is no 'resources\/read'/)
    const heard: unknown[] = []
    t.strictSame(await said(connection.call('progress', '{}', { onProgress: (progress) => heard.push(progress) })), answer('done'))
    // On one stream the answer may overtake it within the SDK.
    if (isHttp) t.match(heard, [{ progress: 1, total: 2 }])
    if (isHttp) t.match(await call('cut'), /^mcp_dead: .* cut off an answer/)
    t.strictSame(await call('echo', { text: 'b' }), answer('heard: b'), 'each request stands for itself')

    const stop = new AbortController()
    const hanging = said(connection.call('hang', '{}', { signal: stop.signal }))
    const asked = () => linesOf(place, 'received').find(({ params }) => (params as { name?: string } | undefined)?.name === 'hang')
    t.ok(await until(() => asked() !== undefined))
    stop.abort()
    t.match(await hanging, /^cancelled/)
    if (isHttp) t.ok(await until(() => readFileSync(join(place, 'closed'), 'utf8').includes('tools/call hang false')))
    else
      await until(() =>
        linesOf(place, 'received').some(
          ({ method, params }) => method === 'notifications/cancelled' && (params as { requestId?: unknown }).requestId === asked()?.id,
        ),
      )

    // A refused input was a change as well.
    await names()
    const before = changes()
    t.strictSame(await call('grow'), answer('grown'))
    t.ok(await until(() => changes() > before))
    t.ok((await names()).includes('grown'))
    const received = linesOf(place, 'received')
    t.notOk(received.some(({ method }) => method === 'initialize' || method === 'notifications/initialized'))
    t.ok(
      received.every(
        ({ id, params }) =>
          id === undefined || JSON.stringify(params).includes('clientCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}'),
      ),
    )
    t.notOk(connection.isDead)
  })

  t.test(`${way}: a call that becomes a task is asked after until it ends`, async (t) => {
    const { connection, place } = await opened('revisions.cjs', 'newer')
    const call = (how: string, options = {}) => said(connection.call('task', JSON.stringify({ how }), options))
    const received = (name: string, taskId: string) =>
      linesOf(place, 'received').filter(({ method, params }) => method === name && (params as { taskId?: string }).taskId === taskId)
    t.strictSame(await call('ends'), answer('asked after 3 times'))
    t.match(await call('fails'), /: out of ink/)
    t.match(await call('refuses'), /^bad_reply: .* its task was cancelled/)
    t.match(await call('odd'), /^bad_reply: .* a task with a 'status' that is not known: "asleep"/)
    t.match(await call('empty'), /^bad_reply: .* completed, and has no result/)
    t.strictSame(await call('asks'), answer('[{"who":{"action":"decline"}}]'), 'a question that is told again is answered once')
    t.match(await call('samples'), /^bad_reply: .* asks for what is not offered/)
    t.ok(await until(() => received('tasks/cancel', 'samples 6').length === 1), 'it goes on for nobody')

    const stop = new AbortController()
    const hanging = call('hangs', { signal: stop.signal })
    t.ok(await until(() => received('tasks/get', 'hangs 7').length > 1))
    stop.abort()
    t.match(await hanging, /^cancelled/)
    t.ok(await until(() => received('tasks/cancel', 'hangs 7').length === 1))
    const count = received('tasks/get', 'hangs 7').length
    t.strictSame(await call('ends'), answer('asked after 3 times'))
    t.ok(received('tasks/get', 'hangs 7').length <= count + 1)
    if (way === 'http')
      t.match(
        linesOf(place, 'heads').find((head) => head['mcp-method'] === 'tasks/get'),
        { 'mcp-name': 'ends 0' },
      )
    t.notOk(connection.isDead)
  })

  t.test(`${way}: servers of npm that speak all revisions, or older ones`, async (t) => {
    const { connection } = await opened('published.mjs')
    t.match(connection, { protocol: '2026-07-28', server: { name: 'published' } })
    t.match(await said(connection.call('echo', '{"text":"a"}')), answer('heard: a'))
    t.match(await said(connection.call('echo', '{}')), { isError: true })
    const older = await opened('revisions.cjs', 'older')
    t.match(older.connection, { protocol: '2025-11-25', server: { name: 'older' } })
    t.match(await said(older.connection.call('echo', '{}')), answer('heard by the older one'))
  })

  t.test(`${way}: one that knows none of ours says which it knows`, async (t) => {
    await t.rejects(opened('revisions.cjs', 'later'), {
      message: /^bad_reply: .* speaks 2030-01-01, and this client 2026-07-28, 2025-11-25,/,
    })
  })
}

t.test('stdio: an older server that is silent, or ends, at what it does not know', async (t) => {
  const silent = await open(command('revisions.cjs', 'silent'), newPlace(), 100)
  t.equal(silent.connection.protocol, '2025-11-25')
  const strict = await open(command('revisions.cjs', 'strict'), newPlace())
  t.equal(strict.connection.protocol, '2025-11-25', 'it is started again')
  t.match(await said(strict.connection.call('echo', '{}')), answer('heard by the older one'))
  const everything = { command: process.execPath, args: [resolve(SERVERS, 'server-everything/dist/index.js')], sandbox: false }
  t.equal((await open(everything, newPlace())).connection.protocol, '2025-11-25')
})

t.test('a revision that is named is the one that is spoken', async (t) => {
  const place = newPlace()
  const older = await open({ ...command('published.mjs'), revision: '2025-06-18' }, place)
  t.equal(older.connection.protocol, '2025-06-18')
  t.equal((await open({ ...command('published.mjs'), revision: 'auto' }, place)).connection.protocol, '2026-07-28')
  await t.rejects(open({ ...command('published.mjs'), revision: '2027' }, place), {
    message: /^config_invalid: '2027' is not a known revision/,
  })
  const refused = open({ ...command('revisions.cjs', 'older'), revision: '2026-07-28' }, place)
  await t.rejects(refused, {
    message: /^bad_reply: MCP server 'ink' does not speak revision 2026-07-28: it does not know server\/discover/,
  })
})

t.test('a list of tools is kept as long as its server says, and not at all where it says so', async (t) => {
  const isKept = async (how: string, config: ServerConfig, laterMs: number): Promise<boolean> => {
    const place = newPlace()
    const asked = { ...command('revisions.cjs', how), prefix: 'ink', ...config }
    await (await open(asked, place)).connection.listedTools()
    return (await openToolListCache(asked, { cwd: place, now: () => Date.now() + laterMs }).read()) !== undefined
  }
  t.ok(await isKept('fresh', { cache_ttl: 10_000 }, 500_000))
  t.notOk(await isKept('fresh', { cache_ttl: 10_000 }, 1_000_000), 'it says 1,000 seconds')
  t.notOk(await isKept('fresh', { cache_ttl: 300 }, 500_000))
  t.notOk(await isKept('newer', { cache_ttl: 300 }, 0), 'it says none')
})

t.test('HTTP: headers say what the body does, and what a tool wants to see there', async (t) => {
  const { connection, place } = await WAYS.http('revisions.cjs', 'newer')
  await connection.listedTools()
  await connection.call('mirror', '{"place":"Zürich","in":{"n":42}}')
  await connection.call('mirror', '{"place":null}')
  await connection.disconnect()
  const heads = linesOf(place, 'heads')
  t.ok(
    heads.every((head) => head.method === 'POST' && head['mcp-session-id'] === undefined),
    'no session, and no stream of its own',
  )
  t.ok(heads.every((head) => head['mcp-protocol-version'] === '2026-07-28'))
  const calls = heads.filter((head) => head['mcp-method'] === 'tools/call')
  t.match(calls[0], {
    'mcp-name': 'mirror',
    'mcp-param-place': `=?base64?${Buffer.from('Zürich').toString('base64')}?=`,
    'mcp-param-n': '42',
  })
  t.notOk('mcp-param-place' in (calls[1] ?? {}))
})
