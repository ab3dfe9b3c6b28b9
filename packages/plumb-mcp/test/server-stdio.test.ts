// The server on stdio: what it offers, how it answers, and its end, with the SDK's own client and with raw lines.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import {
  ElicitRequestSchema,
  LoggingMessageNotificationSchema,
  ProgressNotificationSchema,
  ResourceUpdatedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js'
import t from 'tap'
import { processes, until } from '../../wire/test/processes.js'
import { call, connect, initialize, newClient, notification, openPlace, request, spawnRaw } from './server.js'

const SPEC = `type N = { n: int }
type Kind = "a" | "b"
@tool true @description "Doubles a number"
let double : N -> N = map({ n: n * 2 })
let inner : int -> int = map(value + 1)
let listener : !string -> !string = agent { provider: "eliza", model: "doctor", description: "Listens" }
let counted : !N -> !string = agent { provider: "eliza", model: "doctor" }
let sleep : { arguments?: [string] } -> string = tool { command: "sleep 60", timeout: 50 }
let mark : { arguments?: [string] } -> string = tool { command: "touch marked", sandbox: { write: ["."] } }
let picture : {} -> json = tool { mock: { type: "image", media_type: "image/png", data: "aGVsbG8=" } }
let both : {} -> json = tool { mock: ["here", { type: "resource", uri: "x:y", text: "text" }, { type: "resource", uri: "x:z", media_type: "a/b", data: "aGk=" },
  { type: "resource_link", uri: "x:w", name: "w" }, { type: "audio", media_type: "audio/wav", data: "aGk=" }] }
let list : {} -> json = tool { mock: ["a", "b"] }
let fails : {} -> json = tool { failing: "unavailable", retry: 1 }
let asked : string -> string = tool { mock: "agreed", approval: "ask" }
let one : json -> json = tool { mock: 1 }
let two : json -> json = tool { mock: 2 }
@tool true let chain : json -> json = one ; two
`

const place = openPlace({
  't.plumb': SPEC,
  'text.txt': 'hello\n',
  'data.bin': '\0\u0001',
  '.env': 'KEY=x\n',
  'sub/deep.md': '# Deep\n',
  'wrong.plumb': 'let x : int -> int = nothing\n',
  'twice.plumb': '@tool true let double : int -> int = map(value)\n',
})
t.teardown(() => place.remove())
const { directory } = place
const uri = (path: string) => pathToFileURL(join(directory, path)).href

t.test('what it offers', async (t) => {
  const client = await connect(place, ['--docroot', '.', 't.plumb'])
  const { tools } = await client.listTools()
  const names = tools.map(({ name }) => name)
  const offered = ['check', 'call', 'double', 'picture', 'both', 'list', 'fails', 'asked', 'one', 'two', 'chain', 'listener', 'counted']
  t.strictSame(names, [...offered, 'read_file', 'read_directory', 'webpage_to_markdown', 'meta_refine'])
  const tool = (wanted: string) => tools.find(({ name }) => name === wanted)
  t.match(tool('double'), {
    description: 'Doubles a number',
    inputSchema: { properties: { n: { type: 'integer' } } },
    outputSchema: { type: 'object' },
  })
  t.strictSame(tool('double')?.annotations, { readOnlyHint: true, destructiveHint: false, openWorldHint: false })
  t.match(tool('listener'), { description: 'Listens', inputSchema: { required: ['input'] }, annotations: { openWorldHint: true } })
  t.match(tool('counted'), { description: 'N -> string', inputSchema: { properties: { input: { type: 'object' } } } })
  t.equal(tool('picture')?.outputSchema, undefined)
  t.match(client.getServerVersion(), { name: 'plumb-mcp' })
  await client.close()
})

t.test('how it answers', async (t) => {
  const client = await connect(place, ['--docroot', '.', 't.plumb'])
  const double = await call(client, 'double', { n: 21 })
  t.strictSame([double.structuredContent, double.text], [{ n: 42 }, '{"n":42}'])
  t.match(await call(client, 'double', { n: 'many' }), { isError: true, error: 'input_type_mismatch' })
  t.match(await call(client, 'listener', { input: 'Men are all alike.' }), { text: 'IN WHAT WAY' })
  t.match(await call(client, 'counted', { input: { n: 1 } }), { isError: undefined })
  t.match(await call(client, 'listener', { message: 'hi' }), { isError: true, text: /; the arguments are \{\\"input\\":VALUE\}/ })
  t.match(await call(client, 'counted', { n: 1 }), { isError: undefined }, 'an agent takes its record bare, too')
  t.match((await call(client, 'picture')).content, [{ type: 'image', mimeType: 'image/png', data: 'aGVsbG8=' }])
  t.match((await call(client, 'both')).content, [
    { type: 'text', text: 'here' },
    { type: 'resource', resource: { uri: 'x:y', text: 'text' } },
    { type: 'resource', resource: { uri: 'x:z', mimeType: 'a/b', blob: 'aGk=' } },
    { type: 'resource_link', uri: 'x:w', name: 'w' },
    { type: 'audio', mimeType: 'audio/wav' },
  ])
  t.equal((await call(client, 'list')).text, '["a","b"]')
  t.equal((await call(client, 'fails')).isError, true)
  t.match(await call(client, 'sleep'), { error: 'permission_denied', text: /--grant exec/ })
  t.match(await call(client, 'read_file', { path: '../x' }), { error: 'path_denied' })
  await t.rejects(call(client, 'doubel'), { code: -32602, message: /did you mean 'double'/ })
  await t.rejects(call(client, 'inner'), { code: -32602 })
  await client.close()
})

t.test('resources', async (t) => {
  const client = await connect(place, ['--docroot', '.', 't.plumb'])
  const { resources } = await client.listResources()
  t.strictSame(
    resources.map(({ name }) => name),
    ['data.bin', 'sub/deep.md', 't.plumb', 'text.txt', 'twice.plumb', 'wrong.plumb'],
  )
  t.match((await client.readResource({ uri: uri('text.txt') })).contents, [{ mimeType: 'text/plain', text: 'hello\n' }])
  t.match((await client.readResource({ uri: uri('data.bin') })).contents, [{ mimeType: 'application/octet-stream', blob: 'AAE=' }])
  for (const wrong of [uri('.env'), uri('../x'), uri('nope'), 'file:///etc/passwd', 'http://x/', 'file://other/x', 'no uri']) {
    await t.rejects(client.readResource({ uri: wrong }), { code: -32002 }, wrong)
    await t.rejects(client.subscribeResource({ uri: wrong }), { code: -32002 }, wrong)
  }
  const { resourceTemplates } = await client.listResourceTemplates()
  const [template] = resourceTemplates
  const ref = { type: 'ref/resource', uri: template?.uriTemplate ?? '' } as const
  const completed = await client.complete({ ref, argument: { name: 'path', value: 't' } })
  t.strictSame(completed.completion.values, ['t.plumb', 'text.txt', 'twice.plumb'])
  const updated = new Promise<string>((done) => {
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => done(params.uri))
  })
  await client.subscribeResource({ uri: uri('text.txt') })
  writeFileSync(join(directory, 'text.txt'), 'changed\n')
  t.equal(await updated, uri('text.txt'))
  await client.unsubscribeResource({ uri: uri('text.txt') })
  await t.rejects(client.listResources({ cursor: 'nonsense' }), { code: -32602 })
  await client.close()
  const bare = await connect(place, ['t.plumb'])
  t.equal(bare.getServerCapabilities()?.resources, undefined)
  await bare.close()
})

t.test('lists in pages', async (t) => {
  const many = openPlace({
    'many.plumb': Array.from({ length: 450 }, (_, i) => `@tool true let t${i} : int -> int = map(value)`).join('\n'),
  })
  for (let i = 0; i < 250; i++) many.lay({ [`docs/${i}.txt`]: 'x' })
  const client = await connect(many, ['--docroot', 'docs', 'many.plumb'])
  const names: string[] = []
  let cursor: string | undefined
  do {
    const page = await client.listTools({ cursor })
    names.push(...page.tools.map(({ name }) => name))
    cursor = page.nextCursor
  } while (cursor !== undefined)
  t.equal(new Set(names).size, 456)
  const first = await client.listResources()
  const second = await client.listResources({ cursor: first.nextCursor })
  t.equal(new Set([...first.resources, ...second.resources].map((resource) => resource.uri)).size, 250)
  t.equal(second.nextCursor, undefined)
  await client.close()
  many.remove()
})

t.test('an agent whose model is a person asks the one at the client', async (t) => {
  const place = openPlace({
    'people.plumb': `let review : !string -> !{ text: string, stars: int } = agent { provider: "person", prompt: "How good is it?" }
let name : !{ of: string } -> !string = agent { provider: "person", prompt: "Its name?" }
let tags : !string -> ![string] = agent { provider: "person" }
let both : !string -> !string = plumb(input, output) { input ; name_of ; output }
let name_of : !string -> !string = map({ of: value }) ; name
let ask : string -> string = tool { process: both }
`,
  })
  t.teardown(() => place.remove())
  const forms: { message: string; requestedSchema: object }[] = []
  const entered: object[] = [
    { action: 'accept', content: { text: 'fine', stars: 4 } },
    { action: 'accept', content: { answer: 'Ann' } },
    { action: 'accept', content: { answer: 'no list' } },
    { action: 'accept', content: { answer: '["a","b"]' } },
    { action: 'decline' },
    { action: 'accept', content: { answer: 'Bob' } },
  ]
  const person = newClient({ elicitation: {} })
  person.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
    forms.push(params as (typeof forms)[number])
    return (entered.shift() ?? { action: 'cancel' }) as { action: 'cancel' }
  })
  const client = await connect(place, ['people.plumb'], person)
  t.teardown(() => client.close())
  t.match(JSON.parse((await call(client, 'review', { input: 'a poem' })).text), { text: 'fine', stars: 4 })
  t.match(forms[0], {
    message: /'review' asks: How good is it\?\n\na poem/,
    requestedSchema: { properties: { stars: { type: 'integer' } } },
  })
  t.equal((await call(client, 'name', { of: 'x' })).text, 'Ann')
  t.match(JSON.parse((await call(client, 'tags', { input: 'x' })).text), ['a', 'b'])
  t.match(forms[3], { message: /The answer does not fit/ }, 'one that does not fit is asked again')
  t.match((await call(client, 'name', { of: 'x' })).error, /answer_refused/)
  t.equal((await call(client, 'ask', { input: 'y' })).text, 'Bob', 'also one within a tool')
  const nobody = await connect(place, ['people.plumb'])
  t.match((await call(nobody, 'name', { of: 'x' })).error, /answer_refused/)
  await nobody.close()
})

t.test('progress, logging, and a person who is asked', async (t) => {
  const answers = ['accept', 'decline'] as const
  let asked = 0
  const person = newClient({ elicitation: {} })
  person.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
    t.match(params.message, /'asked'.*hello/)
    return { action: answers[asked++] ?? 'cancel', content: {} }
  })
  const client = await connect(place, ['--grant', 'exec', 't.plumb'], person)
  const logs: unknown[] = []
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void logs.push([params.level, params.data]))
  await call(client, 'chain', { input: 1 })
  t.strictSame(logs.splice(0), [
    ['info', 'one is done'],
    ['info', 'two is done'],
  ])
  const outputs: unknown[] = []
  const program = { source: 'let main : !int -> !int = id', inputs: [1, 2, 3] }
  // The SDK forgets who listens to progress with the answer, before it hands on a notification that came in the same piece.
  client.setNotificationHandler(ProgressNotificationSchema, ({ params }) => void outputs.push(params))
  await client.callTool({ name: 'call', arguments: program }, undefined, { onprogress: () => {} })
  t.match(outputs.at(-1), { progress: 3, total: 3 })
  await client.setLoggingLevel('error')
  await call(client, 'chain', { input: 1 })
  t.strictSame(logs, [])
  await t.rejects(client.setLoggingLevel('loud' as 'error'), { code: -32602 })
  t.equal((await call(client, 'asked', { input: 'hello' })).text, 'agreed')
  t.equal((await call(client, 'asked', { input: 'hello' })).error, 'approval_required')
  const edits = ['no JSON', '7', '"hello again"', '']
  const messages: string[] = []
  person.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
    messages.push(params.message)
    return { action: 'accept', content: { input: edits.shift() ?? '' } }
  })
  t.equal((await call(client, 'asked', { input: 'hello' })).text, 'agreed')
  t.match(messages, [/"hello"\?$/, /"hello"\?\n\nNot changed: /, /"hello"\?\n\nNot changed: /, /"hello again"\?$/])
  await client.close()
  const nobody = await connect(place, ['t.plumb'])
  t.equal((await call(nobody, 'asked', { input: 'hello' })).error, 'approval_required')
  await nobody.close()
})

t.test('a policy narrows what is offered', async (t) => {
  place.lay({ 'policy.json': '[{"decision":"deny","tool":"listener"},{"decision":"allow","when":{"environment":"test"}}]' })
  const client = await connect(place, ['--policy', 'policy.json', '--context', 'environment=test', 't.plumb'])
  const names = (await client.listTools()).tools.map(({ name }) => name)
  t.strictSame([names.includes('listener'), names.includes('counted')], [false, true])
  t.match(await call(client, 'listener', { input: 'x' }), { error: 'permission_denied' })
  await client.close()
})

t.test('faults 104, 105, 106: raw lines', async (t) => {
  const raw = spawnRaw(place, ['--max-line', '100000', 't.plumb'])
  const long = `{"jsonrpc":"2.0","id":9,"method":"ping","params":{"x":"${'x'.repeat(100_000)}"}}\n`
  raw.send(initialize('2025-06-18'))
  raw.send(notification('notifications/initialized'))
  for (const text of [
    'no json\n',
    '[]\n',
    '42\n',
    '{"jsonrpc":"1.0","id":"v","method":"ping"}\n',
    '{"jsonrpc":"2.0","id":"m","method":7}\n',
    long,
  ])
    raw.send(text)
  raw.send(
    '{"jsonrpc":"2.0","id":"p","method":"ping","params":[]}\n{"jsonrpc":"2.0","id":{},"method":"ping"}\n{"jsonrpc":"2.0","id":"n"}\n',
  )
  raw.send(Buffer.from([0xff, 0x0a]).toString('latin1'))
  raw.send('[{"jsonrpc":"2.0","id":"b1","method":"ping"},{"jsonrpc":"2.0","id":"b2","method":"nope"}]\n')
  // Answers to nothing, progress of nothing, and two with one id.
  raw.send('{"jsonrpc":"2.0","id":"init","result":{}}\n{"jsonrpc":"2.0","id":77,"error":{"code":1,"message":"x"}}\n')
  for (let progress = 0; progress < 5000; progress++) raw.send(notification('notifications/progress', { progressToken: 'last', progress }))
  for (const n of [5, 6]) raw.send(request('same', 'tools/call', { name: 'double', arguments: { n } }))
  raw.send(request(7, 'tools/call', { name: 'double', arguments: { n: 7 } }))
  raw.send(request('7', 'tools/call', { name: 'double', arguments: { n: 8 } }))
  raw.send(request('last', 'tools/call', { name: 'double', arguments: { n: 1 } }))
  for (const [id, params] of [
    ['w1', {}],
    ['w2', { name: 'double', arguments: [] }],
    ['w3', { name: 7 }],
  ] as const)
    raw.send(request(id, 'tools/call', params))
  raw.child.stdin.end()
  const { status } = await raw.exited
  t.equal(status, 1, 'lines that were not messages are reported by the exit status')
  const by = (id: unknown) => raw.received.filter((message) => message.id === id)
  t.equal(by('init')[0]?.result?.protocolVersion, '2025-06-18')
  t.match(by('last'), [{ result: { structuredContent: { n: 2 } } }])
  t.match(
    [by(7), by('7')],
    [[{ result: { structuredContent: { n: 14 } } }], [{ result: { structuredContent: { n: 16 } } }]],
    'ids keep their kind',
  )
  t.strictSame(
    by('same')
      .map(({ result }) => (result?.structuredContent as { n: number } | undefined)?.n)
      .sort(),
    [10, 12],
    'each is answered',
  )
  for (const id of ['v', 'm', 'p', 'n']) t.match(by(id), [{ error: { code: -32600 } }], id)
  t.match([by('b1'), by('b2')], [[{ result: {} }], [{ error: { code: -32601 } }]])
  for (const id of ['w1', 'w2', 'w3']) t.match(by(id), [{ error: { code: -32602 } }], id)
  t.equal(by(null).filter(({ error }) => error?.code === -32700).length >= 2, true)
})

t.test('fault 116: revisions', async (t) => {
  for (const [asked, given] of [
    ['2025-03-26', '2025-03-26'],
    ['2025-06-18', '2025-06-18'],
    ['2025-11-25', '2025-11-25'],
    // One without a handshake, of which nothing is spoken here yet.
    ['2026-07-28', '2025-11-25'],
    ['2099-01-01', '2025-11-25'],
  ]) {
    const raw = spawnRaw(place, ['t.plumb'])
    raw.send(initialize(asked))
    raw.child.stdin.end()
    t.strictSame([(await raw.receive(({ id }) => id === 'init')).result?.protocolVersion, (await raw.exited).status], [given, 0])
  }
})

const running = (word: string) => processes().filter(({ args }) => /^\S*sleep 60 \S*$/.test(args) && args.endsWith(word))

t.test('progress, and what is cancelled', async (t) => {
  const raw = spawnRaw(place, ['--grant', 'exec', '--max-requests', '1', 't.plumb'])
  raw.send(initialize())
  raw.send(request('a', 'tools/call', { name: 'sleep', arguments: { arguments: ['61001'] } }))
  t.ok(await until(() => running('61001').length === 1))
  raw.send(request('queued', 'tools/call', { name: 'mark' }))
  raw.send(notification('notifications/cancelled', { requestId: 'queued' }))
  raw.send(request('other', 'ping'))
  await raw.receive(({ id }) => id === 'other')
  raw.send(notification('notifications/cancelled', { requestId: 'a', reason: 'enough' }))
  t.ok(await until(() => running('61001').length === 0))
  raw.send(request('next', 'tools/call', { name: 'double', arguments: { n: 1 } }))
  t.match(await raw.receive(({ id }) => id === 'next'), { result: { structuredContent: { n: 2 } } })
  raw.send(request('c', 'tools/call', { name: 'chain', arguments: { input: 1 }, _meta: { progressToken: 'p' } }))
  await raw.receive(({ id }) => id === 'c')
  t.match(
    raw.received.filter(({ method }) => method === 'notifications/progress').map(({ params }) => params),
    [
      { progressToken: 'p', progress: 1, message: 'one is done' },
      { progressToken: 'p', progress: 2, message: 'two is done' },
    ],
  )
  t.strictSame(
    raw.received.filter(({ id }) => id === 'a' || id === 'queued'),
    [],
    'and is not answered',
  )
  t.notOk(existsSync(join(directory, 'marked')), 'what only waited was not begun')
  raw.child.stdin.end()
  t.equal((await raw.exited).status, 0)
})

const leave = ({ child }: ReturnType<typeof spawnRaw>): void => {
  child.stdin.destroy()
  child.stdout.destroy()
}

t.test('fault 109: its end leaves nothing running', async (t) => {
  for (const [how, word, end] of [
    ['SIGTERM', '61002', (raw: ReturnType<typeof spawnRaw>) => raw.child.kill('SIGTERM')],
    ['SIGKILL', '61003', (raw: ReturnType<typeof spawnRaw>) => raw.child.kill('SIGKILL')],
    // As when the client is killed: no one writes, and no one reads.
    ['gone', '61004', (raw: ReturnType<typeof spawnRaw>) => leave(raw)],
  ] as const) {
    const raw = spawnRaw(place, ['--grant', 'exec', 't.plumb'])
    raw.send(initialize())
    raw.send(request('a', 'tools/call', { name: 'sleep', arguments: { arguments: [word] } }))
    t.ok(await until(() => running(word).length === 1), how)
    end(raw)
    const { signal } = await raw.exited
    if (how !== 'gone') t.equal(signal, how)
    t.ok(await until(() => running(word).length === 0), `${how}: nothing is left`)
  }
})

t.test('servers that agents do without are warned of; an agent of a client gets no server whose tools it does not declare', async (t) => {
  const agent = (name: string) =>
    `let ${name} : !string -> !string = agent { provider: "eliza", model: "doctor", mcp: [{ command: "./none-of-${name}" }] }\n`
  const place = openPlace({ 't.plumb': agent('bot') })
  t.teardown(place.remove)
  const raw = spawnRaw(place, ['--grant', 'exec', 't.plumb'])
  raw.send(initialize())
  const calls = { bot: { input: 'x' }, call: { source: agent('main'), input: 'x' } }
  const results = {
    bot: { isError: undefined },
    call: { isError: true, content: [{ text: /untrusted data reaches the tools of a server/ }] },
  }
  for (const name of ['bot', 'call'] as const) {
    raw.send(request(name, 'tools/call', { name, arguments: calls[name] }))
    t.match(await raw.receive(({ id }) => id === name), { result: results[name] }, name)
  }
  raw.child.stdin.end()
  const { err } = await raw.exited
  t.match(err, /"warning":"file_not_found".*none-of-bot' does not exist; its tools are left out/)
})

t.test('what cannot be started', async (t) => {
  const cases: readonly (readonly [args: readonly string[], codes: readonly string[], env?: Record<string, string>])[] = [
    [['wrong.plumb'], ['unknown_name']],
    [['nope.plumb'], ['file_not_found']],
    [['t.plumb', 'twice.plumb'], ['duplicate_name']],
    [
      ['--docroot', 'nope', '--prompts', 'nope', '--grant', 'fly'],
      ['usage', 'file_not_found', 'file_not_found'],
    ],
    [['--builtin', 'read_fil'], ['config_invalid']],
    [['--policy', 'text.txt'], ['config_invalid']],
    [[], ['file_not_found'], { MCP_PROMPTS_DIR: 'nope' }],
    [['--http', '0', '--token-env', 'NONE'], ['missing_key']],
    [['--http', '0', '--token-env', 'WEAK'], ['missing_key'], { WEAK: 'short' }],
    [['--http', '0', '--grant', 'exec'], ['missing_option']],
    [['--http', 'x'], ['usage']],
    [['--http', '65536'], ['usage']],
    [['--htp', '1'], ['unknown_option']],
  ]
  await Promise.all(
    cases.map(async ([args, codes, env]) => {
      const raw = spawnRaw(place, args, env)
      const { status, err } = await raw.exited
      const said = err
        .split('\n')
        .flatMap((line) => /"(?:error|code)":"(\w+)"/.exec(line)?.[1] ?? /error: (no binding)/.exec(line)?.[0] ?? [])
      t.equal(status, 2, args.join(' '))
      for (const code of codes) t.ok(said.includes(code) || (code === 'unknown_name' && /nothing/.test(err)), `${args.join(' ')}: ${err}`)
      t.strictSame(raw.received, [])
    }),
  )
})

t.test('chosen built-ins, and names that clients know them by', async (t) => {
  const client = await connect(place, ['--builtin', 'get_contents,grep', '--builtin', 'write_file'])
  t.strictSame(
    (await client.listTools()).tools.map(({ name }) => name),
    ['check', 'call', 'get_contents', 'grep'],
  )
  t.match(await call(client, 'get_contents', { path: 't.plumb' }), {
    structuredContent: { text: readFileSync(join(directory, 't.plumb'), 'utf8') },
  })
  await client.close()
})
