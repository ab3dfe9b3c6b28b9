// plumb-chat --acp, driven by the client side of the official SDK, with programs that really run.

import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Readable, Writable } from 'node:stream'
import {
  type ClientContext,
  type ContentBlock,
  client,
  ndJsonStream,
  type RequestPermissionResponse,
  type SessionNotification,
} from '@agentclientprotocol/sdk'
import t, { type Test } from 'tap'
import { openTalkingModel } from './talking-model.js'

const CHAT = resolve('packages/plumb-chat/bin/plumb-chat')
const ELIZA = 'let main : !string -> !string = agent { provider: "eliza", model: "doctor" }'
const MODEL = 'let main : !string -> !string = agent { provider: "anthropic", model: "m" }'
const DANGER = `type N = { n: int }
@description "makes it nothing"
let danger : N -> N = tool { mock: { n: 7 }, approval: "ask" }
let main : !string -> !string = agent { provider: "eliza", model: "doctor", tools: [danger] }`

interface Editor {
  readonly agent: ClientContext
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>
  readonly directory: string
  /** What was reported so far. */
  readonly updates: SessionNotification['update'][]
  /** Resolves when `isThere` holds of what was reported. */
  reported(isThere: (updates: Editor['updates']) => boolean): Promise<void>
  /** All text of one kind that was reported. */
  text(kind: 'agent_message_chunk' | 'agent_thought_chunk'): string
  session(): Promise<string>
  /** Resolves to its stop reason, or to the error. */
  prompt(sessionId: string, text: string): Promise<unknown>
  stderr(): string
}

const CANCELLED: RequestPermissionResponse = { outcome: { outcome: 'cancelled' } }

/** `permit`: what the person answers, who is asked with the call. */
const openEditor = async (
  t: Test,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  permit: (call: unknown) => RequestPermissionResponse | Promise<RequestPermissionResponse> = () => CANCELLED,
): Promise<Editor> => {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'plumb-acp-')))
  const child = spawn(CHAT, ['--acp', ...args], {
    cwd: directory,
    env: { PATH: process.env.PATH ?? '', HOME: directory, ANTHROPIC_API_KEY: 'none', ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let stderr = ''
  child.stderr.on('data', (text) => (stderr += String(text)))
  const updates: Editor['updates'] = []
  const waiting: (() => void)[] = []
  const connection = client({ name: 'editor' })
    .onRequest('session/request_permission', ({ params }) => permit(params))
    .onNotification('session/update', ({ params }) => {
      updates.push(params.update)
      for (const look of waiting.splice(0)) look()
    })
    .connect(ndJsonStream(Writable.toWeb(child.stdin) as WritableStream, Readable.toWeb(child.stdout) as ReadableStream))
  t.teardown(async () => {
    connection.close()
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    rmSync(directory, { recursive: true, force: true })
  })
  const { agent } = connection
  const reported = (isThere: (updates: Editor['updates']) => boolean): Promise<void> =>
    isThere(updates) ? Promise.resolve() : new Promise<void>((resolve) => waiting.push(resolve)).then(() => reported(isThere))
  return {
    ...{ agent, child, directory, updates, reported },
    text: (kind) =>
      updates.flatMap((update) => (update.sessionUpdate === kind && 'text' in update.content ? update.content.text : [])).join(''),
    session: async () => (await agent.request('session/new', { cwd: directory, mcpServers: [] })).sessionId,
    prompt: (sessionId, text) =>
      agent.request('session/prompt', { sessionId, prompt: [{ type: 'text', text }] }).then(
        ({ stopReason }) => stopReason,
        (error) => error,
      ),
    stderr: () => stderr,
  }
}

t.test('a conversation with an agent, and another beside it', async (t) => {
  const { agent, prompt, session, text, child, stderr } = await openEditor(t, ['-e', ELIZA])
  const initialized = await agent.request('initialize', { protocolVersion: 1, clientCapabilities: {} })
  t.match(initialized, { protocolVersion: 1, agentInfo: { name: 'plumb-chat' }, agentCapabilities: { loadSession: false } })
  const [one, two] = [await session(), await session()]
  t.equal(await prompt(one, 'Men are all alike.'), 'end_turn')
  t.equal(text('agent_message_chunk'), 'IN WHAT WAY')
  t.equal(await prompt(two, 'They are always bugging us about something or other.'), 'end_turn')
  t.match(text('agent_message_chunk'), /IN WHAT WAYCAN YOU/)
  await agent.request('session/close', { sessionId: two })
  t.match(await prompt(two, 'hello'), { message: `there is no session '${two}'` })
  child.stdin.end()
  t.strictSame(await once(child, 'exit'), [0, null])
  t.equal(stderr(), '')
})

t.test('an answer is reported while it comes, once; a second message has to wait; cancel gives it up', async (t) => {
  const model = await openTalkingModel()
  t.teardown(model.close)
  const { agent, prompt, session, text, reported } = await openEditor(t, ['-e', MODEL], { PLUMB_ENDPOINT: model.url })
  const id = await session()
  const first = prompt(id, 'hello')
  const turn = await model.turn()
  turn.say('It was ')
  await reported(() => text('agent_message_chunk') === 'It was ')
  t.match(await prompt(id, 'and then?'), { message: /still being answered/ })
  turn.say('a dark night.')
  turn.end()
  t.equal(await first, 'end_turn')
  t.equal(text('agent_message_chunk'), 'It was a dark night.')
  const second = prompt(id, 'more')
  const dropped = await model.turn()
  dropped.say('And')
  await reported(() => text('agent_message_chunk').endsWith('And'))
  await agent.notify('session/cancel', { sessionId: id })
  t.equal(await second, 'cancelled')
  await dropped.dropped
  const third = prompt(id, 'hello again')
  const last = await model.turn()
  t.strictSame(
    last.body.messages.map(({ role }) => role),
    ['user', 'assistant', 'user'],
    'the first turn is remembered, the cancelled one is not',
  )
  last.say('Yes.')
  last.end()
  t.equal(await third, 'end_turn')
})

t.test('calls of tools are shown, and asked for', async (t) => {
  const asked: unknown[] = []
  const answers = ['allow', 'reject', 'something else']
  const { prompt, session, text, updates } = await openEditor(t, ['-e', DANGER], {}, (call) => {
    asked.push(call)
    return { outcome: { outcome: 'selected', optionId: answers.shift() ?? '' } }
  })
  const id = await session()
  t.equal(await prompt(id, 'call danger {"n":2}'), 'end_turn')
  t.match(asked, [
    {
      sessionId: id,
      toolCall: { title: 'danger', rawInput: { n: 2 }, kind: 'other' },
      options: [{ kind: 'allow_once' }, { optionId: 'reject', kind: 'reject_once' }, { optionId: 'edit', kind: 'reject_once' }],
    },
  ])
  t.match(updates, [
    { sessionUpdate: 'tool_call', title: 'danger', rawInput: { n: 2 }, status: 'in_progress' },
    { sessionUpdate: 'tool_call_update', status: 'completed' },
    { sessionUpdate: 'agent_message_chunk' },
  ])
  t.equal(new Set(updates.flatMap((update) => ('toolCallId' in update ? update.toolCallId : []))).size, 1)
  t.equal(text('agent_message_chunk'), '{"n":7}')
  for (const why of ['rejected', 'no option that was offered']) {
    updates.splice(0)
    t.equal(await prompt(id, 'call danger {"n":3}'), 'end_turn')
    t.match(
      updates.filter(({ sessionUpdate }) => sessionUpdate === 'tool_call_update'),
      [{ status: 'failed' }],
      why,
    )
  }
})

t.test('a call is made with the input that is the next message', async (t) => {
  const inputs: unknown[] = []
  const chosen = ['edit', 'edit', 'allow', 'edit']
  const { prompt, session, text, updates } = await openEditor(t, ['-e', DANGER], {}, (call) => {
    inputs.push((call as { toolCall: { rawInput: unknown } }).toolCall.rawInput)
    return { outcome: { outcome: 'selected', optionId: chosen.shift() ?? '' } }
  })
  const id = await session()
  t.equal(await prompt(id, 'call danger {"n":2}'), 'end_turn')
  t.match(text('agent_message_chunk'), /The input of 'danger' is \{"n":2\}\n\nThe next message is its input/)
  t.equal(await prompt(id, 'three'), 'end_turn')
  t.match(text('agent_message_chunk'), /That is not JSON/)
  t.equal(await prompt(id, '{"n":"x"}'), 'end_turn', 'it does not fit, and is asked again')
  t.match(text('agent_message_chunk'), /Not changed: .*n/)
  t.equal(await prompt(id, '{ "n": 3 }'), 'end_turn')
  t.strictSame(inputs, [{ n: 2 }, { n: 2 }, { n: 3 }])
  t.match(text('agent_message_chunk'), /\{"n":7\}$/)
  t.equal(await prompt(id, 'call danger {"n":4}'), 'end_turn')
  updates.splice(0)
  t.equal(await prompt(id, 'skip'), 'end_turn')
  t.match(
    updates.filter(({ sessionUpdate }) => sessionUpdate === 'tool_call_update'),
    [{ status: 'failed' }],
  )
})

t.test('a question without an answer ends with its turn', async (t) => {
  let ask: () => void = () => {}
  const isAsked = new Promise<void>((resolve) => (ask = resolve))
  const { agent, prompt, session } = await openEditor(t, ['-e', DANGER], {}, () => {
    ask()
    return new Promise(() => {})
  })
  const id = await session()
  const turn = prompt(id, 'call danger {"n":2}')
  await isAsked
  await agent.notify('session/cancel', { sessionId: id })
  t.equal(await turn, 'cancelled')
  t.equal(await prompt(id, 'Men are all alike.'), 'end_turn')
})

t.test('an agent whose model is a person asks in the conversation, and the next message is the answer', async (t) => {
  const program = `let review : !string -> !{ text: string, stars: int } = agent { provider: "person", prompt: "How good is it?" }
let main : !string -> !string = review ; map($"{text} {stars}")`
  const { prompt, session, text } = await openEditor(t, ['-e', program])
  const id = await session()
  t.equal(await prompt(id, 'a poem'), 'end_turn')
  t.match(text('agent_message_chunk'), /'review' asks: How good is it\?\n +a poem/)
  t.equal(await prompt(id, '{"text":"fine","stars":"x"}'), 'end_turn', 'it does not fit, and is asked again')
  t.equal(await prompt(id, '{"text":"fine","stars":4}'), 'end_turn')
  t.match(text('agent_message_chunk'), /fine 4$/)
})

t.test('a program of several agents: its outputs are the answer, what is said within it are thoughts', async (t) => {
  const program = `let a : !string -> !string = agent { provider: "eliza", model: "doctor" }
let b : !string -> !string = agent { provider: "eliza", model: "doctor" }
let main : !string -> !string = a ; map(lower(value)) ; b ; map(upper(value) + "!")`
  const { agent, prompt, session, text } = await openEditor(t, ['-e', program])
  const id = await session()
  t.equal(await prompt(id, 'Men are all alike.'), 'end_turn')
  t.match(text('agent_message_chunk'), /^[A-Z ',]+!$/)
  // It takes no control: it is restarted.
  const cancelled = prompt(id, 'Men are all alike.')
  await agent.notify('session/cancel', { sessionId: id })
  t.match(await cancelled, /cancelled|end_turn/)
  t.equal(await prompt(id, 'Men are all alike.'), 'end_turn')
})

t.test('session/cancel is for the turn before it, and not for the prompt that comes with it', async (t) => {
  const { agent, child, session } = await openEditor(t, ['-e', 'let main : !string -> !string = map(upper(value))'])
  await agent.request('initialize', { protocolVersion: 1, clientCapabilities: {} })
  const sessionId = await session()
  const cancel = JSON.stringify({ jsonrpc: '2.0', method: 'session/cancel', params: { sessionId } })
  const prompt = (id: string): string =>
    JSON.stringify({ jsonrpc: '2.0', id, method: 'session/prompt', params: { sessionId, prompt: [{ type: 'text', text: 'hi' }] } })
  const answered = (id: string): Promise<string> =>
    new Promise((resolve) => {
      let text = ''
      child.stdout.on('data', (bytes) => {
        text += String(bytes)
        const line = text.split('\n').find((one) => one.includes(`"id":"${id}"`))
        if (line !== undefined) resolve(JSON.parse(line).result.stopReason)
      })
    })
  const after = answered('after')
  child.stdin.write(`${cancel}\n${prompt('after')}\n`)
  t.equal(await after, 'end_turn')
  const before = answered('before')
  child.stdin.write(`${prompt('before')}\n${cancel}\n`)
  t.equal(await before, 'cancelled')
})

t.test('what fails is the error of its turn, and the next one is answered', async (t) => {
  const program = 'let main : !string -> !int = map(12 % (length(value) - 3))'
  const { prompt, session, text, stderr } = await openEditor(t, ['-e', program])
  const id = await session()
  t.equal(await prompt(id, 'four'), 'end_turn')
  t.match(await prompt(id, 'two'), { message: /zero/, data: { error: 'evaluation_failed' } })
  t.match(await prompt(id, ''), { message: 'the message is empty' })
  t.equal(await prompt(id, 'five!'), 'end_turn')
  t.equal(text('agent_message_chunk'), '00', 'of four and five')
  t.equal(stderr(), '', 'it is reported once')
})

t.test('files come as links or whole; what is not text is refused', async (t) => {
  const { agent, session, text } = await openEditor(t, ['-e', 'let main : !string -> !string = map(value)'])
  const sessionId = await session()
  const ask = (prompt: ContentBlock[]) => agent.request('session/prompt', { sessionId, prompt })
  await ask([
    { type: 'text', text: 'look at' },
    { type: 'resource_link', name: 'a.ts', uri: 'file:///a.ts' },
    { type: 'resource', resource: { uri: 'file:///b.md', text: '```\nx\n```' } },
  ])
  t.equal(text('agent_message_chunk'), 'look at\n\n[a.ts](file:///a.ts)\n\nfile:///b.md\n````\n```\nx\n```\n````')
  await t.rejects(ask([{ type: 'image', data: '', mimeType: 'image/png' }]), { message: /takes text here, and no image/ })
})

t.test('tools use the directory of the session; --docroot goes before it', async (t) => {
  const write = 'let write_file : json -> json = tool { builtin: "write_file" }'
  const program = `${write} let main : !string -> !string = agent { provider: "eliza", model: "doctor", tools: [write_file] }`
  const { prompt, session, directory, updates } = await openEditor(t, ['--grant', 'fs.write', '-e', program])
  const id = await session()
  await prompt(id, 'call write_file {"path":"made.txt","content":"here"}')
  t.match(updates[0], { sessionUpdate: 'tool_call', kind: 'edit' })
  t.equal(readFileSync(join(directory, 'made.txt'), 'utf8'), 'here')
})

t.test('what cannot be served says so', async (t) => {
  const bad = await openEditor(t, ['-e', 'let main : !int -> !int = id'])
  t.strictSame(await once(bad.child, 'exit'), [2, null])
  t.match(bad.stderr(), /an editor sends text, and 'main' takes int/)
  const absent = await openEditor(t, ['program.plumb'])
  t.strictSame(await once(absent.child, 'exit'), [2, null])
  t.match(absent.stderr(), /program\.plumb/)
  const noKey = await openEditor(t, ['-e', MODEL], { ANTHROPIC_API_KEY: '' })
  const refused = await noKey.prompt(await noKey.session(), 'hello')
  t.match(refused, { message: /key/i })
  const elsewhere = await openEditor(t, ['-e', ELIZA])
  await t.rejects(elsewhere.agent.request('session/new', { cwd: 'here', mcpServers: [] }), { message: /absolute path/ })
  await t.rejects(elsewhere.agent.request('session/new', { cwd: '/no/such', mcpServers: [] }), { message: /no directory/ })
})

t.test('what came before the end of stdin is answered, and what is not a message is refused', async (t) => {
  const lines = [
    request(1, 'initialize', { protocolVersion: 1, clientCapabilities: {} }),
    'no JSON',
    '[1]',
    request(2, 'session/new', { cwd: '/', mcpServers: [{ name: 'files', command: '/bin/true', args: [], env: [] }] }),
    request(3, 'no/such', {}),
  ]
  const { status, stdout, stderr } = spawnSync(CHAT, ['--acp', '-e', ELIZA], { input: lines.join('\n'), encoding: 'utf8' })
  t.equal(status, 0)
  const answers = stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
  t.match(
    answers.sort((a, b) => a.id - b.id),
    [
      { id: null, error: { code: -32700, message: 'a line is not JSON: no JSON' } },
      { id: null, error: { code: -32600 } },
      { id: 1, result: { protocolVersion: 1 } },
      { id: 2, result: { sessionId: /^[\da-f-]{36}$/ } },
      { id: 3, error: { code: -32601 } },
    ],
  )
  t.match(stderr, /"warning":"usage".*the 1 MCP servers of the editor are left out/)
})

const request = (id: number, method: string, params: object): string => JSON.stringify({ jsonrpc: '2.0', id, method, params })

t.test('a signal ends it, with all its children', async (t) => {
  const { child, session, prompt } = await openEditor(t, ['-e', ELIZA])
  t.equal(await prompt(await session(), 'Men are all alike.'), 'end_turn')
  child.kill('SIGTERM')
  t.strictSame(await once(child, 'exit'), [null, 'SIGTERM'])
})
