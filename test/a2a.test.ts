// A2A on both sides: plumb-serve by the official client, and an agent of a spec that is a plumb-serve elsewhere.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type Message, type Part, Role, type Task, TaskState } from '@a2a-js/sdk'
import { ClientFactory } from '@a2a-js/sdk/client'
import t from 'tap'
import { serve } from './serving.js'

const PLUMB = resolve('packages/plumb/bin/plumb')
const TOKEN = '0123456789abcdef'
const SPEC = `use media
type Draft = { text: string, @min 1 @max 5 stars: int }
type Letter = { subject: string, body: string, scan?: Media.Image }
@serve let up : !string -> !string = map(upper(value))
@serve let split : !string -> !string = map(words(value)) ; flatten
@serve let review : !string -> !Draft = agent { provider: "person", prompt: "How good is it?" }
@serve let letter : !Letter -> !Letter = id
@serve let bad : !int -> !number = map(10 / value)
@serve let bot : !string -> !string = agent { provider: "eliza", model: "doctor" }
let pay : { n: int } -> { n: int } = tool { function: "./pay.mjs", approval: "ask" }
@serve let clerk : !string -> !string = agent { provider: "eliza", model: "doctor", tools: [pay] }
`
const FILES = { 'a.plumb': SPEC, 'pay.mjs': '/** Pays. @param {{n: number}} i */\nexport default ({ n }) => ({ n })\n' }

const own = { metadata: undefined, filename: '', mediaType: '' }
const text = (value: string): Part => ({ ...own, content: { $case: 'text', value } })
const data = (value: unknown): Part => ({ ...own, content: { $case: 'data', value } })
const message = (parts: Part[], more: Partial<Message> = {}) => ({
  ...{ tenant: '', metadata: undefined, configuration: undefined },
  message: {
    ...{ messageId: String(Math.random()), contextId: '', taskId: '', role: Role.ROLE_USER, parts },
    ...{ metadata: undefined, extensions: [], referenceTaskIds: [], ...more },
  },
})
const of = (binding: string) => ({ metadata: { binding } })
const contents = ({ artifacts }: Task) => artifacts.flatMap(({ parts }) => parts.map(({ content }) => content?.value as unknown))

t.test('what a stream cannot give is an error of it', async (t) => {
  const server = await serve(FILES, { args: ['--a2a', '--lazy'] })
  t.teardown(() => server.stop())
  const client = await new ClientFactory().createFromUrl(server.url)
  const all = async (stream: AsyncIterable<unknown>): Promise<void> => {
    for await (const _ of stream);
  }
  const ended = (await client.sendMessage(message([text('a')]))) as Task
  await t.rejects(all(client.resubscribeTask({ tenant: '', id: 'none' })), { name: 'TaskNotFoundError' })
  await t.rejects(all(client.resubscribeTask({ tenant: '', id: ended.id })), /has ended/)
  await t.rejects(all(client.sendMessageStream(message([text('a')], of('none')))), /no skill 'none'/)
  await t.rejects(all(client.sendMessageStream(message([text('a')], of('bad')))), /neither a data part nor a text that is JSON/)
  t.strictSame(server.err().trim().split('\n').length, 1, 'and no bug of the server')
  const call = (body: string, version = '1.0') => server.call('/a2a', body, { headers: { 'a2a-version': version } })
  t.match((await call('{')).json, { jsonrpc: '2.0', id: null, error: { code: -32700 } })
  t.match((await call('[]')).json, { jsonrpc: '2.0', id: null, error: { code: -32600 } })
  t.match((await call('{"jsonrpc":"2.0","id":7,"method":"GetTask","params":{"id":"a"}}', '0.3')).json, { id: 7, error: { code: -32009 } })
})

t.test('a call that another decides on', async (t) => {
  const tokens = ['boss', 'ann'].map((name) => ({ name, token: `${name}-0123456789abcdef`, answers: name === 'boss' }))
  const spec = `let pay : { n: int } -> { n: int } = tool { mock: { n: 7 }, approval: "ask" }
let main : !string -> !string = agent { provider: "eliza", model: "doctor", tools: [pay] }`
  const files = { 'a.plumb': spec, 'tokens.json': JSON.stringify(tokens) }
  const server = await serve(files, { args: ['--a2a', '--tokens', 'tokens.json'] })
  t.teardown(() => server.stop())
  const as = (name: string) => ({ authorization: `Bearer ${name}-0123456789abcdef` })
  const rpc = (method: string, extra: object = {}) => {
    const params = { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'call pay {"n":2}' }] }, ...extra }
    return server.call('/a2a', JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }), { headers: as('ann') })
  }
  const whole = rpc('SendMessage')
  const streamed = rpc('SendStreamingMessage')
  const asked = async (count: number): Promise<{ id: string }[]> => {
    const found = JSON.parse((await server.call('/pending', undefined, { headers: as('boss') })).text) as { id: string }[]
    return found.length === count ? found : asked(count)
  }
  for (const { id } of await asked(2)) await server.call(`/pending/${id}`, '{"answer":true}', { headers: as('boss') })
  t.match((await whole).text, /TASK_STATE_COMPLETED.*\\"n\\":7/, 'a message is answered when it is done')
  t.match((await streamed).text, /\\"n\\":7.*\n\n.*TASK_STATE_COMPLETED/, 'and streamed until then')
})

t.test('the card of a server behind a proxy says where others reach it', async (t) => {
  const server = await serve(FILES, { args: ['--a2a', '--lazy', '--public-url', 'https://api.example/desk/'] })
  t.teardown(() => server.stop())
  const { json } = await server.call('/.well-known/agent-card.json')
  t.match(json.supportedInterfaces, [{ url: 'https://api.example/desk/a2a' }])
  await t.rejects(serve(FILES, { args: ['--a2a', '--public-url', 'api.example'] }), /a URL of http or https/)
})

t.test('where there are tokens the card needs one, and has the skills that it may use', async (t) => {
  const tokens = [{ name: 'bob', token: TOKEN, bindings: ['up', 'bot'] }]
  const files = { ...FILES, 'tokens.json': JSON.stringify(tokens) }
  const server = await serve(files, { args: ['--a2a', '--lazy', '--tokens', 'tokens.json'] })
  t.teardown(() => server.stop())
  const path = '/.well-known/agent-card.json'
  t.match(await server.call(path), { status: 401, json: { error: 'unauthorized' } })
  const { json } = await server.call(path, undefined, { headers: { authorization: `Bearer ${TOKEN}` } })
  t.match(json, { skills: [{ id: 'up' }, { id: 'bot' }], securitySchemes: { token: {} } })
})

t.test('plumb-serve by the official client', async (t) => {
  const server = await serve(FILES, { args: ['--a2a', '--lazy'] })
  t.teardown(() => server.stop())
  const client = await new ClientFactory().createFromUrl(server.url)
  const ask = async (...of: Parameters<typeof message>) => (await client.sendMessage(message(...of))) as Task
  const card = await client.getAgentCard()
  t.strictSame(
    card.skills.map(({ id }) => id),
    ['up', 'split', 'review', 'letter', 'bad', 'bot', 'clerk'],
  )
  t.equal(client.protocolVersion, '1.0')

  t.test('a message is a task, of the first skill where none is named', async (t) => {
    const task = await ask([text('hello')])
    t.strictSame([task.status?.state, contents(task)], [TaskState.TASK_STATE_COMPLETED, ['HELLO']])
    t.match((await client.getTask({ tenant: '', id: task.id })).history, [{ parts: [{ content: { value: 'hello' } }] }])
    t.equal((await server.call(`/runs/${task.id}`)).json.state, 'done', 'and it is a run')
  })

  t.test('it is streamed, output by output', async (t) => {
    const seen: unknown[] = []
    for await (const { payload } of client.sendMessageStream(message([text('so it goes')], of('split'))))
      if (payload?.$case === 'artifactUpdate') seen.push(payload.value.artifact?.parts[0]?.content?.value)
      else if (payload?.$case === 'statusUpdate') seen.push(payload.value.status?.state)
    t.strictSame(seen, ['so', 'it', 'goes', TaskState.TASK_STATE_COMPLETED])
  })

  t.test('parts by the type of the input', async (t) => {
    const image: Part = { ...own, mediaType: 'image/png', filename: 'a.png', content: { $case: 'raw', value: Buffer.from('x') } }
    const scan = { kind: 'image', data: 'eA==', media_type: 'image/png', title: 'a.png' }
    for (const [parts, output] of [
      [[data({ subject: 'a', body: 'b' })], { subject: 'a', body: 'b' }],
      [[text('{"subject":"a","body":"b"}')], { subject: 'a', body: 'b' }],
      [[text('b'), data({ subject: 'a' })], { subject: 'a', body: 'b' }],
      [[image, data({ subject: 'a', body: 'b' })], { subject: 'a', body: 'b', scan }],
    ] as const)
      t.strictSame(contents(await ask([...parts], of('letter'))), [output])
  })

  t.test('what fails says why', async (t) => {
    const failed = await ask([data(0)], of('bad'))
    t.equal(failed.status?.state, TaskState.TASK_STATE_FAILED)
    t.match(failed.status?.message?.parts, [{ content: { value: /division by zero/ } }, { content: { value: { detail: /division/ } } }])
    await t.rejects(ask([text('x')], of('none')), /no skill 'none'/)
    await t.rejects(client.getTask({ tenant: '', id: 'none' }), /no task none/)
  })

  t.test('a question is input-required', async (t) => {
    const asked = await ask([text('a poem')], of('review'))
    t.equal(asked.status?.state, TaskState.TASK_STATE_INPUT_REQUIRED)
    const { id: taskId, contextId } = asked
    t.match(asked.status?.message?.parts, [{ content: { value: 'How good is it?' } }, { content: { value: { input: 'a poem' } } }])
    await t.rejects(ask([data({ text: 'x', stars: 9 })], { taskId, contextId }), /max 5/)
    const done = await ask([data({ text: 'x', stars: 3 })], { taskId, contextId })
    t.strictSame([done.status?.state, contents(done)], [TaskState.TASK_STATE_COMPLETED, [{ text: 'x', stars: 3 }]])
    await t.rejects(ask([text('x')], { taskId, contextId }), /asks nothing/)
  })

  t.test('a call is approved, denied, or asked about again with another input', async (t) => {
    const asked = await ask([text('call pay {"n":7}')], of('clerk'))
    const { id: taskId, contextId } = asked
    const inputs = (task: Task) => task.status?.message?.parts.slice(1).map(({ content }) => content?.value as unknown)
    t.match(inputs(asked), [{ input: { tool: 'pay', input: { n: 7 } }, schema: { type: 'boolean' } }])
    const wrong = await ask([data({ edit: { n: 'much' } })], { taskId, contextId })
    t.match([wrong.status?.state, inputs(wrong)], [TaskState.TASK_STATE_INPUT_REQUIRED, [{ input: { input: { n: 7 } }, wrong: /n/ }]])
    const again = await ask([text('{"edit":{"n":5}}')], { taskId, contextId })
    t.match([again.status?.state, inputs(again)], [TaskState.TASK_STATE_INPUT_REQUIRED, [{ input: { input: { n: 5 } } }]])
    const paid = await ask([data(true)], { taskId, contextId })
    t.match([paid.status?.state, contents(paid)], [TaskState.TASK_STATE_COMPLETED, [/\{"n":5\}$/]])
    const other = await ask([text('call pay {"n":8}')], of('clerk'))
    const denied = await ask([data(false)], { taskId: other.id, contextId: other.contextId })
    t.match(contents(denied), [/approval_required/])
  })

  t.test('tasks are listed, cancelled and subscribed to', async (t) => {
    const { id } = await ask([text('b')], of('review'))
    const states: unknown[] = []
    const following = (async () => {
      for await (const { payload } of client.resubscribeTask({ tenant: '', id }))
        if (payload?.$case === 'statusUpdate') states.push(payload.value.status?.state)
    })()
    const list = (status: TaskState) =>
      client.listTasks({ tenant: '', contextId: '', status, pageToken: '', pageSize: 2, statusTimestampAfter: undefined })
    t.equal((await list(TaskState.TASK_STATE_INPUT_REQUIRED)).totalSize, 1)
    t.match(await list(TaskState.TASK_STATE_UNSPECIFIED), { tasks: { length: 2 }, nextPageToken: '2' })
    await following
    t.equal((await client.cancelTask({ tenant: '', id, metadata: undefined })).status?.state, TaskState.TASK_STATE_CANCELED)
    await t.rejects(client.cancelTask({ tenant: '', id, metadata: undefined }), /has ended/)
  })

  t.test('a context is a conversation', async (t) => {
    const { contextId } = await ask([text('My boyfriend made me come here.')], of('bot'))
    const again = await ask([text('My boyfriend made me come here.')], { ...of('bot'), contextId })
    const afresh = await ask([text('My boyfriend made me come here.')], of('bot'))
    t.notSame(contents(again), contents(afresh))
  })
})

const runPlumb = (spec: string, directory: string, env: Readonly<Record<string, string>>): Promise<{ out: string; err: string }> => {
  writeFileSync(join(directory, 'far.plumb'), spec)
  const child = spawn(PLUMB, ['far.plumb'], {
    cwd: directory,
    env: { PATH: process.env.PATH ?? '', HOME: directory, PLUMB_ERRORS: 'json', ...env },
  })
  const texts = { out: '', err: '' }
  child.stdout.on('data', (piece) => (texts.out += String(piece)))
  child.stderr.on('data', (piece) => (texts.err += String(piece)))
  child.stdin.end('"hello"\n')
  return new Promise((over) => child.on('close', () => over(texts)))
}

t.test('an agent of a spec that is elsewhere', async (t) => {
  const far = await serve(FILES, { args: ['--a2a', '--lazy', '--token-env', 'TOK'], env: { TOK: TOKEN } })
  t.teardown(() => far.stop())
  const spec = (type: string, more = '') => `let main : !string -> !${type} = agent { a2a: "${far.url}", token_env: "KEY"${more} }`
  for (const [name, text, env, out, err] of [
    ['answers', spec('string'), { KEY: TOKEN }, /^"HELLO"\n$/, /^$/],
    ['with another key', spec('string'), { KEY: 'x' }, /^$/, /"error":"unauthorized"/],
    ['without a key', spec('string'), {}, /^$/, /"error":"missing_key"/],
    ['of another type', spec('int'), { KEY: TOKEN }, /^$/, /"error":"output_type_mismatch"/],
    ['with keys of models', spec('string', ', model: "m"'), { KEY: TOKEN }, /^$/, /'model' and 'a2a' exclude each other/],
    ['without TLS', 'let main : !string -> !string = agent { a2a: "http://example.com" }', {}, /^$/, /https URL of an agent/],
  ] as const)
    t.test(name, async (t) => {
      const told = await runPlumb(text, far.directory, env)
      t.match(told.out, out)
      t.match(told.err, err)
      t.notMatch(told.err, TOKEN)
    })

  t.test('whose stream breaks', async (t) => {
    const state = { later: true }
    const card = (port: number) => ({
      ...{ name: 'far', description: 'far', version: '1', skills: [], defaultInputModes: [], defaultOutputModes: [] },
      ...{ capabilities: { streaming: true } },
      supportedInterfaces: [{ url: `http://127.0.0.1:${port}/a2a`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
    })
    const broken = createServer((request, response) => {
      let body = ''
      request.on('data', (piece) => (body += String(piece)))
      request.on('end', () => {
        if (request.method === 'GET') return void response.end(JSON.stringify(card(request.socket.localPort ?? 0)))
        const { id, method } = JSON.parse(body) as { id: number; method: string }
        const task = (status: string) => ({ id: 't', contextId: 'c', status: { state: status } })
        if (method === 'GetTask') {
          if (!state.later) return void response.destroy()
          const artifacts = [{ artifactId: 'a', parts: [{ text: 'later' }] }]
          return void response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { ...task('TASK_STATE_COMPLETED'), artifacts } }))
        }
        const begun = { jsonrpc: '2.0', id, result: { task: task('TASK_STATE_WORKING') } }
        response.setHeader('content-type', 'text/event-stream')
        response.write(`data: ${JSON.stringify(begun)}\n\n`, () => setImmediate(() => response.destroy()))
      })
    }).listen(0, '127.0.0.1')
    await once(broken, 'listening')
    t.teardown(() => broken.close())
    const { port } = broken.address() as AddressInfo
    const far = `let main : !string -> !string = agent { a2a: "http://127.0.0.1:${port}" }`
    const directory = mkdtempSync(join(tmpdir(), 'plumb-far-'))
    t.teardown(() => rmSync(directory, { recursive: true, force: true }))
    t.match(await runPlumb(far, directory, {}), { out: '"later"\n', err: '' }, 'its task goes on')
    state.later = false
    t.match(await runPlumb(far, directory, {}), { out: '', err: /"error":"child_failed"/ }, 'and the run ends where it cannot be asked')
  })

  t.test('what it asks, the person of the run answers', async (t) => {
    const asking = await serve(
      { ...FILES, 'a.plumb': SPEC.replace('@serve let up', 'let up').replace('@serve let split', 'let split') },
      { args: ['--a2a', '--lazy'] },
    )
    t.teardown(() => asking.stop())
    const near = await serve({
      'b.plumb': `type Draft = { text: string, stars: int }\nlet main : !string -> !Draft = agent { a2a: "${asking.url}" }`,
    })
    t.teardown(() => near.stop())
    const answered = near.call('/main', '"a poem"')
    let questions: { id: string; prompt: string; input: unknown }[] = []
    while (questions.length === 0) questions = JSON.parse((await near.call('/pending')).text) as typeof questions
    t.match(questions, [{ kind: 'person', prompt: 'How good is it?', input: 'a poem' }])
    await near.call(`/pending/${questions[0]?.id}`, JSON.stringify({ answer: { text: 'fine', stars: 2 } }))
    t.match(await answered, { status: 200, text: '{"text":"fine","stars":2}' })
  })
})
