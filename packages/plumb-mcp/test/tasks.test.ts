// Calls that become tasks (io.modelcontextprotocol/tasks), as a client of 2026-07-28 sees them: their states, their questions and their ends.

import { EventEmitter } from 'node:events'
import { Semaphore } from '@plumb/wire'
import t from 'tap'
import { openActiveCalls } from '../src/server/active-calls.js'
import type { ServerContext } from '../src/server/server-context.js'
import { openStateless } from '../src/stateless/stateless-server.js'
import type { CallContext, ServedTool } from '../src/tools/served-tool.js'

const PREFIX = 'io.modelcontextprotocol/'
const TASKS = { extensions: { [`${PREFIX}tasks`]: {} } }
const FORMS = { elicitation: {} }

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely
type Message = any

/** Tools that wait until they are let go on; calls become tasks after 20 ms. */
const open = () => {
  const calls = openActiveCalls()
  let go: (text: string) => void = () => {}
  const tool = (name: string, call: ServedTool['call']): ServedTool => ({
    name,
    description: '',
    inputSchema: { type: 'object' },
    annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: false },
    effects: [],
    call,
  })
  const text = (words: string) => ({ content: [{ type: 'text' as const, text: words }] })
  const waits = ({ signal }: CallContext) =>
    new Promise<string>((resolve) => {
      go = resolve
      signal.addEventListener('abort', () => resolve('stopped'), { once: true })
    })
  const tools = [
    tool('quick', async () => text('at once')),
    tool('long', async (_, context) => text(await waits(context))),
    tool('fails', async (_, context) => ({ ...text(await waits(context)), isError: true })),
    tool('asks', async (_, context) => {
      await waits(context)
      const isApproved = await calls.get(context.id)?.approve({ tool: 'asks', input: '{}' })
      return text(isApproved ? 'agreed' : 'refused')
    }),
  ]
  const named = (name: string) => tools.find((one) => one.name === name) as ServedTool
  const context = {
    catalogue: { tool: (name: string) => ({ ok: true, value: named(name) }), tools: () => tools, prompts: () => [] },
    files: undefined,
    calls,
    permits: new Semaphore(8),
    changes: new EventEmitter(),
    warn: () => {},
  } as unknown as ServerContext
  const server = openStateless(context, 20)
  const told: Message[] = []
  let id = 0
  const ask = async (
    method: string,
    params: object = {},
    capabilities: object = TASKS,
    signal = new AbortController().signal,
  ): Promise<Message> => {
    const _meta = { [`${PREFIX}protocolVersion`]: '2026-07-28', [`${PREFIX}clientCapabilities`]: capabilities }
    const request = { id: ++id, method, params: { ...params, _meta } }
    const answer = await server.answer(request, { signal, send: async (message) => void told.push(message) })
    const message = answer?.message as Message
    return message?.result ?? message?.error
  }
  const call = (name: string, capabilities?: object) => ask('tools/call', { name, arguments: {} }, capabilities)
  return { ask, call, told, calls, go: (words: string) => go(words) }
}

/** Lets what is ready run. */
const turns = async (): Promise<void> => {
  for (let left = 20; left > 0; left--) await new Promise((done) => setImmediate(done))
}

t.test('a call that takes long is a task, for a client that knows them', async (t) => {
  const { ask, call, go } = open()
  t.match(await ask('server/discover'), { capabilities: TASKS })
  t.match(await call('quick'), { resultType: 'complete', content: [{ text: 'at once' }] })
  const made = await call('long')
  t.match(made, {
    resultType: 'task',
    taskId: /^[0-9a-f-]{36}$/,
    status: 'working',
    createdAt: /Z$/,
    lastUpdatedAt: /Z$/,
    ttlMs: Number,
    pollIntervalMs: 1000,
  })
  const { taskId } = made
  t.match(await ask('tasks/get', { taskId }), { resultType: 'complete', taskId, status: 'working' })
  go('it is done')
  await turns()
  const ended = await ask('tasks/get', { taskId })
  t.match(ended, { resultType: 'complete', status: 'completed', result: { content: [{ text: 'it is done' }] } })
  t.match(await ask('tasks/cancel', { taskId }), { resultType: 'complete' })
  t.match(await ask('tasks/get', { taskId }), { status: 'completed' }, 'an end is for good')
  const failing = await call('fails')
  go('no')
  await turns()
  t.match(await ask('tasks/get', failing), { status: 'completed', result: { isError: true } }, "a tool's error is a result")
})

t.test('other clients wait, and get no task', async (t) => {
  const { ask, call, go } = open()
  const waiting = call('long', {})
  await new Promise((done) => setTimeout(done, 60))
  go('late')
  t.match(await waiting, { resultType: 'complete', content: [{ text: 'late' }] })
  const lacks = { code: -32021, data: { requiredCapabilities: TASKS } }
  for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
    t.match(await ask(method, { taskId: 'x' }, {}), lacks, method)
    t.match(await ask(method, { taskId: 'x' }), { code: -32602 }, method)
    t.match(await ask(method, {}), { code: -32602 }, method)
  }
  t.match(await ask('tasks/list'), { code: -32601 })
  t.match(await ask('subscriptions/listen', { notifications: { taskIds: ['x'] } }, {}), lacks)
})

t.test('a task is cancelled, and its call is stopped', async (t) => {
  const { ask, call, calls } = open()
  const { taskId } = await call('long')
  t.equal(calls.size, 1)
  t.match(await ask('tasks/cancel', { taskId }), { resultType: 'complete' })
  t.match(await ask('tasks/get', { taskId }), { status: 'cancelled' })
  await turns()
  t.equal(calls.size, 0)
  t.match(await ask('tasks/get', { taskId }), { status: 'cancelled' }, 'what it gave then is nothing')
})

t.test('a task asks a person, and tells of itself', async (t) => {
  const { ask, call, go, told } = open()
  const { taskId } = await call('asks', { ...TASKS, ...FORMS })
  const stop = new AbortController()
  const listening = ask('subscriptions/listen', { notifications: { taskIds: [taskId, 'x'] } }, TASKS, stop.signal)
  t.match(told.at(-1), { method: 'notifications/subscriptions/acknowledged', params: { notifications: { taskIds: [taskId] } } })
  go('')
  await turns()
  t.match(told.at(-1), { method: 'notifications/tasks', params: { taskId, status: 'input_required' } })
  const { status, inputRequests } = await ask('tasks/get', { taskId })
  const [key = ''] = Object.keys(inputRequests)
  t.match([status, inputRequests[key]], ['input_required', { method: 'elicitation/create' }])
  t.match(await ask('tasks/update', { taskId, inputResponses: { [key]: 'yes' } }), { code: -32602 })
  t.match(await ask('tasks/update', { taskId, inputResponses: { other: { action: 'accept' } } }), { resultType: 'complete' })
  t.match(await ask('tasks/get', { taskId }), { status: 'input_required' })
  t.match(await ask('tasks/update', { taskId, inputResponses: { [key]: { action: 'accept' } } }), { resultType: 'complete' })
  await turns()
  t.match(await ask('tasks/get', { taskId }), { status: 'completed', result: { content: [{ text: 'agreed' }] } })
  t.match(told.at(-1), { params: { status: 'completed', result: {}, _meta: { [`${PREFIX}subscriptionId`]: Number } } })
  stop.abort()
  await listening
})

t.test('nobody can be asked', async (t) => {
  const { ask, call, go } = open()
  const { taskId } = await call('asks')
  go('')
  await turns()
  t.match(await ask('tasks/get', { taskId }), { status: 'completed', result: { content: [{ text: 'refused' }] } })
})
