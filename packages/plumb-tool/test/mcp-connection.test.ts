// long
// The connection to MCP servers: real ones from npm on stdio, and one that misbehaves. Faults 103 to 109 of the list, by number.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { type Fault, fault, MAX_LINE } from '@plumb/wire'
import fc from 'fast-check'
import t from 'tap'
import { connectMcp } from '../../mcp-client/src/connect.js'
import type { ConnectOptions, McpConnection, ServerConfig } from '../../mcp-client/src/connection.js'
import { guard } from '../../mcp-client/src/guard.js'
import { openRequests } from '../../mcp-client/src/requests.js'
import { scaledSeconds } from '../../wire/test/patience.js'
import { processes, until } from '../../wire/test/processes.js'
import { holds } from '../../wire/test/property.js'
import { NO_SANDBOX } from '../../wire/test/sandbox-here.js'
import { turn } from './call-session.js'

const HOSTILE = resolve('packages/plumb-tool/test/fixtures/mcp/hostile.cjs')
const SERVERS = 'packages/plumb-tool/node_modules/@modelcontextprotocol'

const place = mkdtempSync(join(tmpdir(), 'mcp-connection-'))
t.teardown(() => rmSync(place, { recursive: true, force: true }))
process.env.XDG_CACHE_HOME = place

interface Opened {
  readonly connection: McpConnection
  readonly notes: Fault[]
  readonly changes: () => number
}

const configOf = (how: string, config: ServerConfig = {}): ServerConfig => ({
  command: process.execPath,
  args: [HOSTILE, how],
  prefix: 'ink',
  cache_ttl: 0,
  ...config,
})

const connect = async (config: ServerConfig, { signal, cwd }: Pick<ConnectOptions, 'signal' | 'cwd'> = {}) => {
  const notes: Fault[] = []
  let changes = 0
  const opened = await connectMcp(config, {
    clientName: 'test',
    note: (warning) => notes.push(warning),
    allowsPrivateNet: true,
    onToolsChanged: () => changes++,
    ...(signal ? { signal } : {}),
    ...(cwd === undefined ? {} : { cwd }),
  })
  return { opened, notes, changes: () => changes }
}

const open = async (config: ServerConfig, cwd?: string): Promise<Opened> => {
  const { opened, ...rest } = await connect(config, cwd === undefined ? {} : { cwd })
  if (!opened.ok) throw new Error(opened.error.detail)
  t.teardown(() => opened.value.disconnect())
  return { connection: opened.value, ...rest }
}

const hostile = (how = 'well', config: ServerConfig = {}) => open(configOf(how, config))

/** `code: detail`, or what the answer holds. */
const said = async (work: ReturnType<McpConnection['call'] | McpConnection['tools']>): Promise<unknown> => {
  const result = await work
  return result.ok ? result.value : `${result.error.error}: ${result.error.detail}`
}

const answer = (text: string, isError = false) => ({ content: [{ type: 'text', text }], isError })

t.test('fault 103: how a connection cannot be made', async (t) => {
  const cases: [ServerConfig, string][] = [
    [configOf('silent', { handshake_timeout: 0.5 }), "timeout: MCP server 'ink' did not answer the handshake within 0.5 s"],
    [
      configOf('crash'),
      "child_failed: MCP server 'ink' ended before the handshake was done: it ended with status 3; its stderr ends with: cannot find my ink",
    ],
    [configOf('refuses'), "bad_reply: the handshake with MCP server 'ink' failed: not today"],
    [configOf('old'), "bad_reply: the handshake with MCP server 'ink': Server's protocol version is not supported: 1999-01-01"],
    [configOf('empty'), "bad_reply: the handshake with MCP server 'ink' got an answer that is not a result of MCP"],
    [{ command: './no-such-server' }, "file_not_found: program './no-such-server' does not exist"],
    [{ url: 'nowhere' }, "config_invalid: 'nowhere' is not a URL of an MCP server, such as https://example.org/mcp"],
    [{ url: 'ftp://a/b' }, "config_invalid: the URL of an MCP server begins with http:// or https://, not with 'ftp://'"],
    [{ url: 'http://u:secret@a/' }, 'config_invalid: the URL of the MCP server at a has a user or password in it: use token or token_env'],
    [{ url: 'http://a/', token: 'two words' }, 'config_invalid: the token for a has a space or a character in it that no header can carry'],
    [
      { url: 'http://a/', token_env: 'NO_SUCH' },
      'missing_key: the environment has no NO_SUCH, which token_env names for the MCP server at a',
    ],
    [
      { url: 'http://a/', client_id_env: 'NO_SUCH' },
      'missing_key: the environment has no NO_SUCH, which client_id_env names for the MCP server at a',
    ],
  ]
  for (const [config, words] of cases) {
    const { opened } = await connect(config)
    t.equal(opened.ok ? 'connected' : `${opened.error.error}: ${opened.error.detail}`, words)
  }
  const stop = new AbortController()
  const waiting = connect(configOf('silent'), { signal: stop.signal })
  stop.abort()
  t.match(await waiting, { opened: { error: { error: 'cancelled', detail: "connecting to MCP server 'ink' was cancelled" } } })
  t.match(await connect(configOf('well'), { signal: AbortSignal.abort() }), { opened: { error: { error: 'cancelled' } } })
})

t.test(
  'fault 103: 30 s and 60 s, where nothing else is said',
  { skip: process.env.PLUMB_CUTS === 'all' ? false : 'takes a minute: PLUMB_CUTS=all' },
  async (t) => {
    const shaken = connect(configOf('silent'))
    const { connection } = await hostile()
    t.match(await said(connection.call('hang', '{}')), /^timeout: .* within 60 s; its connection is closed/)
    t.match(await shaken, { opened: { error: { error: 'timeout', detail: /did not answer the handshake within 30 s/ } } })
  },
)

t.test('why a server of Node ended at its start stands above the trace of its stack', async (t) => {
  const program = "const f = (n) => { if (n === 0) throw new Error('no key in NOTES_KEY'); f(n - 1) }; f(9)"
  const { opened } = await connect({ command: process.execPath, args: ['-e', program], prefix: 'ink', cache_ttl: 0, sandbox: false })
  t.match(opened, {
    error: {
      detail: /ended before the handshake was done: it ended with status 1; its stderr ends with: .*\| Error: no key in NOTES_KEY$/,
    },
  })
})

t.test('without options: warnings are those of Node', async (t) => {
  const warned = once(process, 'warning')
  const opened = await connectMcp(configOf('names'))
  t.match(opened, { ok: true, value: { server: { name: 'hostile' } } })
  if (!opened.ok) return
  t.match(await opened.value.tools(), { ok: true })
  t.match(await warned, [{ name: 'McpWarning', code: 'bad_reply', message: /is left out: there is a tool 'twice' already/ }])
  await opened.value.disconnect()
})

t.test('revisions from 2025-03-26 on are agreed on', async (t) => {
  for (const revision of ['2025-03-26', '2025-06-18', '2025-11-25']) {
    const { connection } = await hostile(revision)
    t.equal(connection.protocol, revision)
    t.strictSame(await said(connection.call('echo', '{"text":"hi"}')), answer('heard: hi'))
  }
})

t.test('what a server does not offer is an empty list, and not asked for', async (t) => {
  const { connection } = await hostile('bare')
  for (const list of [connection.tools(), connection.prompts(), connection.resources(), connection.resourceTemplates()])
    t.strictSame(await list, { ok: true, value: [] })
})

t.test('every kind of content is of that kind', async (t) => {
  const { connection } = await hostile()
  t.strictSame(await said(connection.call('kinds', '{}')), {
    content: [
      { type: 'text', text: 'a' },
      { type: 'image', media_type: 'image/png', data: 'AA==' },
      { type: 'audio', media_type: 'audio/wav', data: 'AA==' },
      { type: 'resource', uri: 'a:b', media_type: 'text/plain', text: 'b' },
      { type: 'resource', uri: 'a:c', data: 'AA==' },
      { type: 'resource_link', uri: 'a:d', name: 'd', size: 3 },
      { type: 'text', text: '{"type":"image","data":5}' },
      { type: 'text', text: '{"type":"constructor"}' },
    ],
    isError: false,
  })
  t.strictSame(await said(connection.call('fail', '{}')), answer('no ink', true), 'isError is passed through')
  t.equal(
    await said(connection.call('echo', '[1]')),
    "input_type_mismatch: the input of tool 'echo' of MCP server 'ink' is not a JSON object",
  )
  t.match(await connection.read('a:b'), {
    ok: false,
    error: { error: 'bad_reply', detail: "resources/read of MCP server 'ink' failed: method not found" },
  })
})

t.test('structured content is checked against the output schema of the tool', async (t) => {
  const { connection } = await hostile()
  await connection.tools()
  t.strictSame(await said(connection.call('fits', '{}')), { content: [], structured: '{"n":1}', isError: false })
  t.equal(
    await said(connection.call('misfit', '{}')),
    "bad_reply: the answer of tool 'misfit' of MCP server 'ink' does not fit its output schema: /n must be integer",
  )
  t.equal(
    await said(connection.call('missing', '{}')),
    "bad_reply: the answer of tool 'missing' of MCP server 'ink' has no structured content, and the tool has an output schema",
  )
  t.match(await said(connection.call('failed-misfit', '{}')), { isError: true })
})

t.test(
  'faults 103, 104: a call that is not answered has its time, whatever progress is reported, and the connection with it',
  async (t) => {
    for (const name of ['hang', 'progress']) {
      const { connection } = await hostile('well', { timeout: 1 })
      let reported = 0
      const words = `tool '${name}' of MCP server 'ink' did not answer within 1 s; its connection is closed`
      t.equal(await said(connection.call(name, '{}', { onProgress: () => reported++ })), `timeout: ${words}`)
      t.equal(reported > 0, name === 'progress', `progress ${reported} times`)
      t.ok(connection.isDead)
      t.equal(await said(connection.call('echo', '{}')), `mcp_dead: ${words}`)
      t.match(await connection.prompt('x', {}), { ok: false, error: { error: 'mcp_dead' } })
    }
  },
)

t.test('a cancelled call is cancelled at the server, and others go on', async (t) => {
  const { connection } = await hostile()
  const stop = new AbortController()
  const hanging = said(connection.call('hang', '{}', { signal: stop.signal }))
  t.strictSame(await said(connection.call('echo', '{"text":"1"}')), answer('heard: 1'))
  stop.abort()
  t.equal(await hanging, "cancelled: tool 'hang' of MCP server 'ink' was cancelled")
  t.equal(await said(connection.call('echo', '{}', { signal: stop.signal })), "cancelled: tool 'echo' of MCP server 'ink' was cancelled")
  t.notOk(connection.isDead)
  t.equal(
    await said(connection.call('die', '{}')),
    "mcp_dead: MCP server 'ink' has ended: it ended with status 7; its stderr ends with: cancelled: the answer is not wanted any more | out of ink",
  )
})

t.test('fault 105: what is not a message is counted and skipped, or ends the connection', async (t) => {
  const { connection } = await hostile()
  t.strictSame(await said(connection.call('strays', '{}')), answer('in between'))
  t.strictSame(await said(connection.call('flood', '{}')), answer('after the flood'))
  t.match(
    await said(connection.call('die', '{}')),
    /^mcp_dead: .* it ended with status 7; 6 lines on its stdout were not JSON-RPC, the first '.+'; its stderr/,
  )
  const gone = async (name: string, config: ServerConfig = {}) => said((await hostile('well', config)).connection.call(name, '{}'))
  t.match(await gone('half'), /^mcp_dead: MCP server 'ink' has ended: it ended with status 0; 1 line on its stdout was not JSON-RPC: '.+'$/)
  t.equal(
    await gone('long'),
    `mcp_dead: MCP server 'ink' has ended: it wrote a line that is too long (line 3 is longer than ${MAX_LINE} bytes)`,
  )
  t.equal(await gone('deep'), "mcp_dead: MCP server 'ink' has ended: it wrote a message that is nested more than 512 deep")
  // bubblewrap holds the stdout of what it runs.
  t.equal(await gone('mute', { sandbox: false }), "mcp_dead: MCP server 'ink' has ended: it closed its stdout")
})

t.test('fault 105: lines with some of their bits turned over are not an answer to what was asked', async (t) => {
  const { connection } = await hostile()
  t.strictSame(await said(connection.call('flips', '{}')), answer('after the flips'))
  t.match(await said(connection.call('die', '{}')), /; \d{2,} lines on its stdout were not JSON-RPC, the first '.+'; /)
})

t.test('fault 106: an answer goes to the question with its very id, once', async (t) => {
  const { connection } = await hostile()
  t.strictSame(await said(connection.call('ids', '{}')), answer('the answer'))
  t.strictSame(await said(connection.call('echo', '{"text":"2"}')), answer('heard: 2'))
  t.strictSame(await said(connection.call('strings', '{}')), answer('by its text'), 'the number as text is that id')
  t.strictSame(await said(connection.call('nulls', '{}')), answer('the answer'), 'null is absent before 2026-07-28')
  t.strictSame(await said(connection.call('byte', '{}')), answer('a\ufffdb'), 'a byte that is not UTF-8 costs its character')
  const stop = new AbortController()
  const later = said(connection.call('later', '{}', { signal: stop.signal }))
  stop.abort()
  t.match(await later, /^cancelled/)
  t.strictSame(await said(connection.call('echo', '{"text":"3"}')), answer('heard: 3'), 'the late answer to another is ignored')
  t.match(
    await said((await hostile()).connection.call('babble', '{}', { timeoutMs: 500 })),
    /^timeout: tool 'babble' .* within 0\.5 s; meanwhile 1 line on its stdout was not JSON-RPC, the last 'progress 10%\{.*…'; an answer came with an id that belongs to no request; its connection is closed$/,
  )
})

interface Step {
  readonly kind: 'ask' | 'answer' | 'stray' | 'cancel'
  readonly which: number
  readonly form: number
}

// Of the id of a question: what looks like it and is not.
const FORMS: readonly ((id: number) => unknown)[] = [String, () => null, (id) => [id], (id) => id + 0.5, (id) => `${id}.0`, (id) => -id - 1]

t.test('fault 106: whatever is answered, and when, no call gets the answer to another', async (t) => {
  const { Client } = await import('../../mcp-client/src/mcp-client.late.js')
  const step: fc.Arbitrary<Step> = fc.record({
    kind: fc.constantFrom('ask', 'ask', 'answer', 'answer', 'stray', 'cancel'),
    which: fc.nat(9),
    form: fc.nat(FORMS.length - 1),
  })
  const obeys = async (steps: readonly Step[]): Promise<void> => {
    const sent: JSONRPCMessage[] = []
    const inner: Transport = { start: async () => {}, close: async () => {}, send: async (message) => void sent.push(message) }
    const say = (id: unknown, result: object) => inner.onmessage?.({ jsonrpc: '2.0', id, result } as JSONRPCMessage)
    const guarded = guard({ transport: inner })
    const client = new Client({ name: 'test', version: '1' })
    const connecting = client.connect(guarded.transport)
    await turn()
    say(0, { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'fake', version: '1' } })
    await connecting
    const dead = fault('mcp_dead', 'gone')
    const life = { dead: undefined, die: () => {} }
    const stray = () => ({ lines: 0, last: '', unmatched: guarded.unmatched() })
    const request = await openRequests({ client, life, server: 'fake', timeoutMs: 60_000, stray })
    const asked: { id: number; stop: AbortController; wanted: string | undefined; got: Promise<string> }[] = []
    for (const [serial, { kind, which, form }] of steps.entries()) {
      const question = asked[which % Math.max(asked.length, 1)]
      if (kind === 'ask') {
        const stop = new AbortController()
        const answered = request({ method: 'tools/call', about: () => 'it', otherwise: 'tool_crashed' }, { signal: stop.signal })
        await turn()
        const { id } = sent.findLast((message) => 'method' in message && message.method === 'tools/call') as { id: number }
        const got = answered.then((result) => (result.ok ? String(result.value.said) : result.error.error))
        asked.push({ id, stop, wanted: undefined, got })
      } else if (question && kind === 'cancel') {
        question.stop.abort()
        question.wanted ??= 'cancelled'
      } else if (question && kind === 'answer') {
        say(question.id, { said: serial })
        question.wanted ??= String(serial)
      } else if (question) say(FORMS[form]?.(question.id), { said: 'astray' })
    }
    guarded.abandon(dead)
    const got = await Promise.all(asked.map((question) => question.got))
    assert.deepEqual(
      got,
      asked.map(({ wanted = 'mcp_dead' }) => wanted),
    )
    await client.close()
  }
  await holds(t, fc.asyncProperty(fc.array(step, { maxLength: 40 }), obeys), { numRuns: 200 })
})

t.test('fault 107: a list of tools has an end, and each of its tools one name', async (t) => {
  const listed = async (how: string) => said((await hostile(how)).connection.tools())
  const about = "bad_reply: the list of tools of MCP server 'ink'"
  const circle = await hostile('circle')
  t.match(await said(circle.connection.tools()), [{ name: 'one' }, { name: 'two' }], 'what came before is taken')
  t.match(circle.notes, [{ detail: /does not end: cursor 'again' came twice/ }])
  t.equal(await listed('endless'), `${about} has more than 1000 pages`)
  t.equal(await listed('many'), `${about} lists more than 10000 of them`)
  t.equal(await listed('none'), `${about} sent a page without 'tools'`)
  t.match(await listed('pages'), [{ name: 'one' }, { name: 'two' }])

  const { connection, notes } = await hostile('names')
  t.match(await said(connection.tools()), [{ name: 'a:b' }, { name: 'twice', description: 'first' }])
  const left = "a tool of MCP server 'ink' is left out:"
  t.strictSame(
    notes.map(({ detail }) => detail),
    [
      `${left} there is a tool 'twice' already`,
      `${left} the name 'line\\nfeed' has white space or a control character in it`,
      `${left} it has no name`,
      `${left} the name '${'x'.repeat(59)}…' is longer than 256 characters`,
      `${left} 'bare' has no input schema`,
      `${left} a schema of 'deep' is nested more than 128 deep`,
    ],
  )
})

t.test('fault 108: a tool that nothing can check is left out alone when it is listed, and so is what it answers', async (t) => {
  const { connection, notes } = await hostile('odd')
  const tools = await connection.tools()
  t.strictSame(tools.ok && tools.value.map(({ name, outputSchema }) => [name, outputSchema]), [
    ['good', undefined],
    ['draft-7', undefined],
    ['answers', undefined],
    ['lists', undefined],
  ])
  const left = "a tool of MCP server 'ink' is left out: the input schema of"
  t.match(
    notes.map(({ detail }) => detail),
    [
      new RegExp(`^${left} 'php' cannot be used: properties value must be \\["object"\\]$`),
      new RegExp(`^${left} 'null' cannot be used`),
      new RegExp(`^${left} 'none' cannot be used`),
      new RegExp(`^${left} 'draft-3' cannot be used`),
      new RegExp(`^${left} 'draft-4' cannot be used`),
      new RegExp(`^${left} 'any' cannot be used`),
      new RegExp(`^${left} 'nowhere' cannot be used: can't resolve reference #/\\$defs/Nope`),
      new RegExp(`^${left} 'text' takes no object`),
      /^what tool 'answers' of MCP server 'ink' answers is not checked: its output schema cannot be used: can't resolve reference/,
      /^what tool 'lists' .* its output schema is not an object$/,
    ],
  )
})

t.test('fault 107: a tool that is changed after it was listed is reported, and the list asked for again', async (t) => {
  const { connection, notes, changes } = await hostile()
  await connection.tools()
  await connection.call('change', '{}')
  t.equal(changes(), 1, 'reported once, until the list is asked for')
  const again = await connection.tools()
  t.match(again, { ok: true })
  t.strictSame(notes[0], {
    error: 'tool_changed',
    category: 'invalid',
    detail: "MCP server 'ink' has changed its tool 'echo' since it was first listed: description",
    server: 'ink',
    tool: 'echo',
  })
  t.equal(await connection.tools(), again, 'asked once')
})

t.test('fault 108: a schema of the server cannot keep us busy, or send us anywhere', async (t) => {
  const { connection } = await hostile()
  await connection.tools()
  const about = (name: string) => `bad_reply: the answer of tool '${name}' of MCP server 'ink'`
  t.equal(
    await said(connection.call('pattern', '{}')),
    `${about('pattern')} does not fit its output schema: /s must match pattern "^(a|a)*$"`,
  )
  const work = 'does not fit its output schema: it cannot be checked: the schema asks for too much work'
  t.equal(await said(connection.call('fan', '{}')), `${about('fan')} ${work}`)
  t.equal(await said(connection.call('loop', '{}')), `${about('loop')} ${work}`)
  const unchecked = await hostile('unchecked')
  await unchecked.connection.tools()
  // A pattern that the answer itself brings along is none.
  for (const name of ['data', 'remote']) t.match(await said(unchecked.connection.call(name, '{}')), { isError: false }, name)
  t.match(unchecked.notes, [
    { detail: /^what tool 'remote' .* is not checked: .* it refers to 'http:\/\/127\.0\.0\.1:9\/schema\.json', outside of itself$/ },
    { detail: /^what tool 'data' .* is not checked: .* pattern value must be \["string"\]$/ },
  ])
})

t.test('fault 109: a server that dies in the middle of a call takes nothing along, and leaves nothing behind', async (t) => {
  const { connection } = await hostile()
  const other = said(connection.call('hang', '{}'))
  const words = "mcp_dead: MCP server 'ink' has ended: it was ended by SIGKILL"
  t.equal(await said(connection.call('fork', '{}')), words)
  t.equal(await other, words)
  t.equal(await said(connection.call('echo', '{}')), words, 'nothing is connected again')
  t.ok(await until(() => !processes().some(({ args }) => args === 'sleep 4711')), 'the child of the server has ended')
})

t.test('fault 109: the end: a server that will not go is made to', async (t) => {
  const { connection } = await hostile('stubborn')
  await connection.disconnect()
  t.ok(await until(() => !processes().some(({ args }) => args.endsWith('hostile.cjs stubborn'))))
  t.equal(await said(connection.call('echo', '{}')), "mcp_dead: the connection to MCP server 'ink' was closed")
  await connection.disconnect()
})

t.test('a server gets the allow-listed environment with what its entry adds, and keys stay out of errors', async (t) => {
  process.env.ANTHROPIC_API_KEY = 'sk-CANARY-environment'
  const { connection } = await hostile('well', { env: { SECRET_TOKEN: 'sk-CANARY-of-the-spec' } })
  const env = JSON.stringify(await said(connection.call('env', '{}')))
  t.match(env, /PATH.*SECRET_TOKEN/)
  t.notMatch(env, /ANTHROPIC/)
  t.equal(await said(connection.call('rpc-error', '{}')), "tool_crashed: tool 'rpc-error' of MCP server 'ink' failed: broken\\n***")
})

t.test('the list of tools is kept for the next who connects, and never a key with it', { skip: NO_SANDBOX }, async (t) => {
  const directory = `${place}/plumb/mcp`
  rmSync(directory, { recursive: true, force: true })
  const gate = `${place}/gate`
  /** What is known of a server that lists its tools, or does not. */
  const known = async (config: ServerConfig, lists: boolean) => {
    if (lists) rmSync(gate, { force: true })
    else writeFileSync(gate, '')
    const env = { LISTS_NOTHING_BESIDE: gate, ...config.env }
    const sandbox = { read: [place] }
    const { connection } = await hostile('well', { sandbox, cache_ttl: 300, timeout: scaledSeconds(2), ...config, env })
    const list = await connection.tools()
    const isOwn = connection.isListed
    await connection.disconnect()
    return list.ok ? (isOwn ? 'listed' : 'kept') : list.error.error
  }
  t.equal(await known({}, true), 'listed')
  t.equal(await known({}, true), 'listed', 'the server is believed first')
  t.equal(await known({}, false), 'kept')
  t.equal(statSync(directory).mode & 0o777, 0o700)
  const [file = ''] = readdirSync(directory)
  t.match(file, /^[0-9a-f]{32}\.json$/)
  t.equal(statSync(`${directory}/${file}`).mode & 0o777, 0o600)
  t.equal(await known({ cache_ttl: 0 }, false), 'timeout', 'nothing is kept')
  t.equal(await known({ env: { VERSION: '2' } }, false), 'timeout', 'another environment')
  const key = { env: { SECRET_TOKEN: 'sk-CANARY-in-the-cache' } }
  t.equal(await known(key, false), 'timeout', 'another key')
  t.equal(await known(key, true), 'listed')
  t.equal(await known(key, false), 'kept')
  t.equal(await known({ env: { VERSION: '2' } }, true), 'listed')
  const kept = readdirSync(directory).map((name) => name + readFileSync(`${directory}/${name}`, 'utf8'))
  t.equal(kept.length, 3)
  t.notMatch(kept.join(), /CANARY/)
})

t.test('real servers', { skip: NO_SANDBOX }, async (t) => {
  const everything = await open({ command: process.execPath, args: [`${SERVERS}/server-everything/dist/index.js`], cache_ttl: 0 })
  const { connection } = everything
  t.match(connection.server, { name: 'mcp-servers/everything' })
  t.match(await said(connection.tools()), [{ name: 'echo' }])
  t.strictSame(await said(connection.call('echo', '{"message":"hi"}')), answer('Echo: hi'))
  t.match(await said(connection.call('get-tiny-image', '{}')), { content: [{ type: 'text' }, { type: 'image', media_type: 'image/png' }] })
  t.match(await said(connection.call('get-structured-content', '{"location":"New York"}')), { structured: /^\{"temperature":\d+/ })
  const reported: number[] = []
  // The SDK drops a report of progress that is read together with the answer, as on a busy machine.
  for (const duration of [0.1, 1, 10])
    if (reported.length === 0)
      await connection.call('trigger-long-running-operation', `{"duration":${duration},"steps":3}`, {
        onProgress: ({ progress }) => reported.push(progress),
      })
  t.equal(reported[0], 1)
  t.match(await connection.prompts(), { ok: true, value: [{ name: 'simple-prompt' }] })
  t.match(await connection.prompt('args-prompt', { city: 'Rome' }), {
    value: { messages: [{ content: { text: "What's weather in Rome?" } }] },
  })
  t.match(await connection.resourceTemplates(), { ok: true, value: [{ uriTemplate: /^demo:/ }] })
  t.match(await connection.read('demo://resource/dynamic/text/1'), { value: { contents: [{ text: /^Resource 1/ }] } })
  const department = { name: 'department', value: 'E' }
  t.match(await connection.complete({ type: 'ref/prompt', name: 'completable-prompt' }, department), {
    value: { completion: { values: ['Engineering'] } },
  })

  const directory = `${place}/docs`
  mkdirSync(directory)
  writeFileSync(`${directory}/a.txt`, 'what a holds')
  const files = await open({
    command: process.execPath,
    args: [`${SERVERS}/server-filesystem/dist/index.js`, directory],
    sandbox: { read: [directory] },
    cache_ttl: 0,
  })
  t.match(await said(files.connection.tools()), [{ name: 'read_file' }])
  t.match(await said(files.connection.call('read_text_file', JSON.stringify({ path: `${directory}/a.txt` }))), {
    content: [{ text: 'what a holds' }],
  })
  t.match(await said(files.connection.call('read_text_file', '{"path":"/etc/passwd"}')), { isError: true })

  const env = { MEMORY_FILE_PATH: `${directory}/memory.jsonl` }
  const memory = await open(
    {
      command: process.execPath,
      args: [resolve(`${SERVERS}/server-memory/dist/index.js`)],
      env,
      sandbox: { write: ['docs'] },
      cache_ttl: 0,
    },
    place,
  )
  const entities = [{ name: 'Ada', entityType: 'person', observations: ['wrote 9007199254740993'] }]
  t.match(await said(memory.connection.tools()), [{ name: 'create_entities' }])
  t.match(await said(memory.connection.call('create_entities', JSON.stringify({ entities }))), { isError: false })
  t.match(await said(memory.connection.call('read_graph', '{}')), { structured: /"Ada"/ })
})
