// Tools: what a model is offered, what becomes of the calls of one answer, and the channel on which they are made.

import { agentOf, agentTools, type Bound, compile, type Json, type Type } from '@plumb/lang'
import { checkedTool } from '@plumb/tool/source/checked-tool'
import { type Fault, fault, type Result, spawnChild, succeed, type ToolAnswer, type ToolCaller, type ToolRequest } from '@plumb/wire'
import t from 'tap'
import type { AgentConfig } from '../src/config/config.js'
import { openConversation } from '../src/conversation/conversation.js'
import type { TelemetryEvent } from '../src/io/telemetry.js'
import { Cancellation } from '../src/provider/cancellation.js'
import type { ContentBlock, ModelAnswer, ModelRequest, Provider } from '../src/provider/provider.js'
import { declareTools } from '../src/tool/agent-tools.js'
import { Approvals } from '../src/tool/approvals.js'
import { ChildDispatcher } from '../src/tool/child-dispatcher.js'
import { DispatchClient } from '../src/tool/client.js'
import { toModelContent } from '../src/tool/content.js'
import { openToolPolicy } from '../src/tool/policy.js'
import { openTools } from '../src/tool/tools.js'
import { openShell } from './shell.js'

const said = (text: string) => ({ text, isString: true })

const SPEC = `
type N = { n: int, note?: string = "none" }
@tool true
@description "Twice the number"
let double : N -> N = map({ n: n * 2, note: note })
@tool true
let size : string -> int = map(length(value))
let danger : N -> N = tool { mock: { n: 1 }, approval: "ask" }
@tool true
let both : N -> N = double ; danger
let shell : { arguments?: [string] } -> string = tool { command: "git status" }
let reach : { url: string } -> string = tool { builtin: "webpage_to_markdown", effects: ["net.private"] }
let bot : !string -> !string = agent { provider: "eliza", model: "doctor", tools: [double, size, danger, both, shell, reach] }
`

const plan = (() => {
  const { program, diagnostics } = compile({
    path: 'a.plumb',
    text: SPEC,
    files: { read: () => ({ ok: false, error: fault('file_not_found', '') }), find: () => undefined, beside: (path) => path },
  })
  t.strictSame(diagnostics, [])
  return agentOf(program.entry.bindings.get('bot') as Bound)
})()
const TOOLS = agentTools(plan.bound).map(checkedTool)

const USAGE = { input_tokens: 3, output_tokens: 2, cache_read_tokens: 1, cache_creation_tokens: 0 }
const text = (said: string): ContentBlock => ({ type: 'text', text: said })
const use = (id: string, name: string, input: Json): ContentBlock => ({ type: 'tool_use', id, name, input })
const says = (...content: ContentBlock[]): ModelAnswer => ({
  content,
  stop: content.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end',
  usage: USAGE,
})

interface Setting {
  readonly config?: Partial<AgentConfig>
  readonly authority?: Parameters<typeof openToolPolicy>[0]
  readonly run?: (request: ToolRequest) => Promise<ToolAnswer> | ToolAnswer
  readonly approve?: boolean
}

const doubled = ({ id, name, input }: ToolRequest): ToolAnswer => ({
  id,
  content: name === 'size' ? '1' : `{"n":${JSON.parse(input).n * 2}}`,
  is_error: false,
})

// A conversation with a model that says what it is asked to, and tools that are run here.
const open = (
  answers: readonly (ModelAnswer | Result<ModelAnswer>)[],
  { config = {}, authority, run = doubled, approve }: Setting = {},
) => {
  const asked: ModelRequest[] = []
  const requests: ToolRequest[] = []
  const reported: TelemetryEvent[] = []
  let running = 0
  let most = 0
  const provider: Provider = {
    answer: async (question) => {
      asked.push({ ...question, history: [...question.history], turn: [...question.turn] })
      const said = answers[Math.min(asked.length, answers.length) - 1] as ModelAnswer | Result<ModelAnswer>
      return 'ok' in said ? said : succeed(said)
    },
  }
  const caller: ToolCaller = {
    call: async (request) => {
      requests.push(request)
      most = Math.max(most, ++running)
      const answer = await run(request)
      running--
      return answer
    },
  }
  const approvals = new Approvals({
    announce: () => false,
    canBeAnswered: () => false,
    isRecorded: false,
    emit: () => {},
    askTerminal: async () => approve,
  })
  const all: AgentConfig = {
    agent: 'bot',
    input: plan.input,
    output: plan.output,
    hasTelemetry: true,
    provider,
    providerWith: () => provider,
    providerName: 'stub',
    conversations: undefined,
    account: '',
    limit: undefined,
    rate: undefined,
    model: 'm',
    temperature: undefined,
    effort: undefined,
    system: '',
    documents: ['tone.md'],
    maxTokens: 100,
    maxRetries: 1,
    schemaInPrompt: 'auto',
    keepsCut: false,
    tools: TOOLS,
    servers: [],
    skills: [],
    compose: undefined,
    maxToolCalls: Number.POSITIVE_INFINITY,
    parallelToolCalls: true,
    hasRuntimeContext: false,
    grant: undefined,
    minutes: undefined,
    isAmnesiac: false,
    history: [],
    concurrency: 1,
    lane: 'now',
    isUnordered: false,
    afterFailure: 'go on',
    maxMessages: Number.POSITIVE_INFINITY,
    ...config,
  }
  const emit = (event: TelemetryEvent) => void reported.push(event)
  const tools = openTools({
    declared: declareTools(TOOLS),
    gate: openToolPolicy(authority ?? (() => ({ policy: [], context: {} }))),
    approvals,
    caller,
    areParallel: all.parallelToolCalls,
  })
  const conversation = openConversation(all, tools, emit, () => {})
  const cancellation = new Cancellation()
  const say = (input = 'go') => conversation.answer(said(input), cancellation)
  return { conversation, asked, requests, reported, cancellation, most: () => most, say }
}

const results = (question: ModelRequest | undefined): Extract<ContentBlock, { type: 'tool_result' }>[] =>
  question?.turn.at(-1)?.content as unknown as Extract<ContentBlock, { type: 'tool_result' }>[]

const errorOf = ({ content }: { content: Json }): string => (JSON.parse(String(content)) as Fault).error

t.test('a tool round: what is offered, called, answered and remembered', async (t) => {
  const thinking: ContentBlock = { type: 'thinking', thinking: 'hm', signature: 'sig' }
  const round = [thinking, text('Let me see.'), use('a', 'double', { n: 21 }), use('b', 'size', { input: 'four' })]
  const { conversation, asked, requests, reported, say } = open([says(...round), says(text('It is 42.'))])
  t.strictSame(await say(), succeed('"It is 42."'))
  t.match(asked[0]?.tools, [
    { name: 'double', description: 'Twice the number', input_schema: { properties: { n: { type: 'integer' } } } },
    { name: 'size', input_schema: { type: 'object', properties: { input: { type: 'string' } } } },
    { name: 'danger' },
    { name: 'both' },
    { name: 'shell' },
  ])
  t.equal(asked[0]?.tools.length, 5, 'what needs net.private is not offered')
  t.strictSame(requests, [
    { id: 'a', name: 'double', input: '{"n":21,"note":"none"}' },
    { id: 'b', name: 'size', input: '{"input":"four"}' },
  ])
  t.strictSame(asked[1]?.turn[1], { role: 'assistant', content: round }, 'passed back intact')
  t.match(results(asked[1]), [
    { type: 'tool_result', tool_use_id: 'a', content: '{"n":42}', is_error: false },
    { type: 'tool_result', tool_use_id: 'b', is_error: false },
  ])
  t.strictSame(
    conversation.memoryOf().map(({ role }) => role),
    ['user', 'assistant', 'user', 'assistant'],
  )
  t.strictSame(
    reported.map(({ kind }) => kind),
    ['usage', 'tool_call', 'tool_call', 'tool_result', 'tool_result', 'usage'],
  )
  t.match(reported[3], { kind: 'tool_result', id: 'a', name: 'double', is_error: false, bytes: 8 })
})

t.test('fault 76: whatever is wrong with a call is the answer of that call alone', async (t) => {
  const calls = [
    use('a', 'double', { n: 1 }),
    use('b', 'nosuch', {}),
    use('c', 'double', { n: 'many' }),
    use('d', 'double', { invalid_json: '{"n":' }),
    use('a', 'double', { n: 2 }),
    use('e', 'reach', { url: 'http://localhost/' }),
    use('f', 'danger', { n: 1 }),
    use('g', 'double', { n: '4' }),
  ]
  const { asked, requests, reported, say } = open([says(...calls), says(text('done'))])
  t.strictSame(await say(), succeed('"done"'))
  const answers = results(asked[1])
  t.strictSame(
    answers.map((answer) => [answer.tool_use_id, answer.is_error && errorOf(answer)]),
    [
      ['a', false],
      ['b', 'unknown_tool'],
      ['c', 'input_type_mismatch'],
      ['d', 'invalid_json'],
      // Another call with the same id.
      ['a_2', false],
      ['e', 'permission_denied'],
      ['f', 'approval_required'],
      ['g', false],
    ],
  )
  t.strictSame(
    requests.map(({ id }) => id),
    ['a', 'a_2', 'g'],
  )
  t.match(
    reported.find(({ kind }) => kind === 'mended'),
    { what: /^input of double: / },
  )
})

t.test('fault 76: a thousand calls, eight at once, in order; one at a time on request; no more than max_tool_calls', async (t) => {
  const thousand = Array.from({ length: 1000 }, (_, i) => use(`id${i}`, 'double', { n: i }))
  const late = async (request: ToolRequest) => {
    if (request.id.endsWith('0')) await new Promise(setImmediate)
    return doubled(request)
  }
  const many = open([says(...thousand), says(text('done'))], { run: late })
  await many.say()
  t.equal(many.most(), 8)
  t.ok(results(many.asked[1]).every(({ tool_use_id, content }, i) => tool_use_id === `id${i}` && content === `{"n":${2 * i}}`))

  const single = open([says(...thousand.slice(0, 20)), says(text('done'))], { run: late, config: { parallelToolCalls: false } })
  await single.say()
  t.equal(single.most(), 1)

  const limited = open([says(...thousand), says(text('done'))], { config: { maxToolCalls: 3 } })
  t.match(await limited.say(), { ok: false, error: { error: 'tool_limit', category: 'internal' } })
  t.equal(limited.requests.length, 1000, 'a batch is run whole')
  t.equal(limited.asked.length, 1)
  t.equal(limited.conversation.memoryOf().length, 0, 'as if it had not been asked')
})

t.test('an answer is checked against what the tool declares, wherever it comes from', async (t) => {
  const given = ['{"n":4}', '{"n":"5"}', '{"n":"x"}', 'six', '"7"', 'seven']
  const calls = [...'abcd'].map((id) => use(id, 'double', { n: 1 }))
  const texts = [...'ef'].map((id) => use(id, 'shell', {}))
  const run = ({ id }: ToolRequest): ToolAnswer => ({ id, content: given['abcdef'.indexOf(id)] ?? '', is_error: false })
  const { asked, say } = open([says(...calls, ...texts), says(text('done'))], { run })
  await say()
  t.match(results(asked[1]), [
    { content: '{"n":4}', is_error: false },
    { content: /^\{"n":5/, is_error: false },
    { content: /^\{"error":"output_type_mismatch".*what 'double' was answered with/, is_error: true },
    { content: /output_type_mismatch.*not a JSON value/, is_error: true },
    { content: '7', is_error: false },
    { content: 'seven', is_error: false },
  ])
})

// Of a long call only a hash is kept.
for (const note of ['', 'x'.repeat(1000)])
  t.test(`fault 77: a call that is repeated, by its id, is made once: ${note.length + 10} characters`, async (t) => {
    const call = says(use('a', 'double', { note, n: 1 }))
    const other = says(use('a', 'double', { note, n: 5 }))
    const { asked, requests, say } = open([call, call, other, says(text('done')), call, says(text('again'))])
    await say()
    await say()
    t.strictSame(
      asked.flatMap((question) => (Array.isArray(results(question)) ? results(question).map(({ content }) => content) : [])),
      ['{"n":2}', '{"n":2}', '{"n":10}', '{"n":2}'],
    )
    t.strictSame(
      requests.map(({ id }) => id),
      ['a', 'a#1', 'a#2'],
      'an id that means another call is another one',
    )
  })

t.test('fault 77: a provider that fails after a tool has run', async (t) => {
  const failed = { ok: false, error: fault('overloaded', 'busy') } as const
  const { conversation, requests, say } = open([says(use('a', 'double', { n: 1 })), failed, says(text('fine'))])
  t.match(await say(), failed)
  t.equal(conversation.memoryOf().length, 0)
  t.strictSame(await say(), succeed('"fine"'))
  t.equal(requests.length, 1)
})

t.test(
  'fault 75: an answer that does not fit, after tools, goes back without calling them again; spent, the next input works',
  async (t) => {
    const config = { output: { kind: 'int' } as const }
    const call = says(use('a', 'double', { n: 1 }))
    const { conversation, asked, requests, say } = open([call, says(text('many')), says(text('2')), says(text('x'))], { config })
    t.strictSame(await say(), succeed('2'))
    t.strictSame(
      conversation.memoryOf().map(({ role, content }) => [role, typeof content === 'string' ? content : content]),
      [
        ['user', 'go'],
        ['assistant', call.content],
        ['user', [{ type: 'tool_result', tool_use_id: 'a', content: '{"n":2}', is_error: false }]],
        ['assistant', '2'],
      ],
    )
    t.equal(requests.length, 1)
    const before = asked.length
    t.match(await say(), { ok: false, error: { error: 'output_type_mismatch', detail: /after 1 retry/ } })
    t.equal(asked.length - before, 2, 'max_retries + 1')
    t.equal(conversation.memoryOf().length, 4)
  },
)

const N: Type = { kind: 'record', fields: [{ name: 'n', type: { kind: 'int' }, isOptional: false }] }

t.test('an answer that was cut is not an answer, whatever it says; one that was refused is an error at once', async (t) => {
  const cut = (...content: ContentBlock[]): ModelAnswer => ({ content, stop: 'tokens', usage: USAGE })
  const { asked, requests, say } = open([cut(text('half an'), use('a', 'double', { n: 1 })), says(text('whole'))])
  t.strictSame(await say(), succeed('"whole"'))
  t.equal(requests.length, 0)
  t.strictSame(
    asked[1]?.turn.map(({ role }) => role),
    ['user', 'user'],
    'what was cut is not sent back',
  )
  t.match(asked[1]?.turn[1]?.content, /too long.*shorter/s)
  t.notOk(asked[1]?.hasMismatch, 'it does not show that the schema is not enforced')

  const always = open([cut(text('It begins.'))])
  const detail = "answer was cut at max_tokens, 100; it begins 'It begins.' (after 1 retry)"
  t.match(await always.say(), { ok: false, error: { error: 'output_type_mismatch', detail } })
  t.equal(always.asked.length, 2, 'it is asked for again once')
  const silent = open([cut()])
  t.match(await silent.say(), { ok: false, error: { detail: /^answer was cut at max_tokens, 100 \(/ } })

  const kept = open([cut(text('half a text'))], { config: { keepsCut: true } })
  t.strictSame(await kept.say(), succeed('"half a text"'))
  const thoughtful = open([cut(text('<think>hm</think>half a text'))], { config: { keepsCut: true } })
  t.strictSame(await thoughtful.say(), succeed('"half a text"'), 'nor is what it thought')
  const thinking = open([cut(text('<think>hm, and')), says(text('a text'))], { config: { keepsCut: true } })
  t.strictSame(await thinking.say(), succeed('"a text"'))
  const half = open([cut(text('{"n":')), says(text('{"n":1}'))], { config: { keepsCut: true, output: N } })
  t.strictSame(await half.say(), succeed('{"n":1}'), 'half a value is none')
  t.match(half.asked[1], { hasMismatch: false, turn: { 1: { content: /shorter, .*of the type \{ n: int \}\.$/s } } }, 'the schema is known')
  const size: Type = { kind: 'named', name: 'Size', target: { kind: 'record', fields: [{ name: 'of', type: N, isOptional: false }] } }
  const named = open([cut(text('{"of":')), says(text('{"of":{"n":1}}'))], { config: { output: size } })
  t.ok((await named.say()).ok)
  t.match(named.asked[1]?.turn[1]?.content, /type \{ of: \{ n: int \} \}\.$/, 'a name says nothing to the model')
  const inner: Type = { kind: 'record', fields: [{ name: 'size', type: size, isOptional: false }] }
  const within = open([cut(text('{')), says(text('{"size":{"of":{"n":1}}}'))], { config: { output: inner } })
  t.ok((await within.say()).ok)
  t.match(within.asked[1]?.turn[1]?.content, /type \{ size: Size \}, where Size = \{ of: \{ n: int \} \}\.$/)
  const reported = open([cut(text('Well, let me')), says(text('{"n":1}'))], { config: { output: N } })
  t.strictSame(await reported.say(), succeed('{"n":1}'))
  t.match(
    reported.asked[1],
    { hasMismatch: true, turn: { 1: { content: /shorter.*Its JSON Schema/s } } },
    'what it says shows that it is not',
  )

  const refused = open([{ content: [text('I will not.')], stop: 'refused', usage: USAGE }])
  t.match(await refused.say(), { ok: false, error: { error: 'answer_refused', detail: /I will not/ } })
  t.equal(refused.asked.length, 1)
})

t.test('a cancelled input leaves no trace', async (t) => {
  const opened = open([says(use('a', 'double', { n: 1 }), use('b', 'double', { n: 2 })), says(text('late'))], {
    run: (request) => {
      opened.cancellation.cancel()
      return doubled(request)
    },
    config: { parallelToolCalls: false },
  })
  t.match(await opened.say(), { ok: false, error: { error: 'cancelled' } })
  t.equal(opened.requests.length, 1)
  t.equal(opened.asked.length, 1)
  t.equal(opened.conversation.memoryOf().length, 0)
})

t.test('approval and permission, before anything is sent', async (t) => {
  const calls = says(use('a', 'danger', { n: 1 }), use('b', 'both', { n: 1 }), use('c', 'shell', {}))
  const errors = async (setting: Setting) => {
    const { asked, requests, say } = open([calls, says(text('done'))], setting)
    await say()
    return [results(asked[1]).map((result) => result.is_error && errorOf(result)), requests.length, asked[0]?.tools.length]
  }
  t.strictSame(await errors({ approve: true }), [[false, false, false], 3, 5])
  t.strictSame(await errors({ approve: false }), [['approval_required', 'approval_required', false], 1, 5], 'also for a part of a tool')
  t.strictSame(
    await errors({ approve: true, authority: () => ({ grant: ['net'], policy: [], context: {} }) }),
    [[false, false, 'permission_denied'], 2, 4],
    'a grant narrows',
  )
  const policy = [
    { decision: 'allow', when: { user_present: true } },
    { decision: 'ask', effect: 'exec' },
  ] as const
  t.strictSame(await errors({ authority: () => ({ policy, context: {} }) }), [Array(3).fill('approval_required'), 0, 5], 'a rule asks')
  t.strictSame(
    await errors({ approve: true, authority: () => ({ policy, context: {}, expires: Date.now() - 1 }) }),
    [Array(3).fill('permission_denied'), 0, 0],
    'a grant ends',
  )
})

t.test('runtime_context stands before each call, and counts', async (t) => {
  const { conversation, asked, say } = open([says(use('a', 'double', { n: 1 })), says(text('done'))], {
    config: { hasRuntimeContext: true },
  })
  await say()
  conversation.setMemory([{ role: 'user', content: 'before' }])
  await say()
  t.match(asked[0]?.context, /time: \d{4}-.*tokens so far: 0 in, 0 out.*calls so far: 0.*history: 0.*documents: 1 \(tone\.md\).*cycles: 0/s)
  t.match(asked[1]?.context, /tokens so far: 3 in, 2 out, cache 1 read, 0 created\nAPI calls so far: 1/)
  t.match(asked[2]?.context, /tokens so far: 6 in.*calls so far: 2.*history: 1\n.*cycles: 1/s)
})

t.test('what a model sees of a result', async (t) => {
  const image = { type: 'image', media_type: 'image/png', data: 'iVBORw0KGgo=' }
  const cases: [string, boolean, Json][] = [
    ['"plain \\n text"', false, 'plain \n text'],
    ['{"n":9007199254740993}', false, '{"n":9007199254740993}'],
    ['not JSON', false, 'not JSON'],
    ['{"error":"timeout"}', true, '{"error":"timeout"}'],
    ['"boom"', true, 'boom'],
    [JSON.stringify({ ...image, alt: 'x' }), false, [image]],
    [JSON.stringify([{ type: 'text', text: 'a' }, image, 'b']), false, [{ type: 'text', text: 'a' }, image, { type: 'text', text: 'b' }]],
    [JSON.stringify({ at: [image, 1], b: image }), false, [{ type: 'text', text: '{"at":["[image 1]",1],"b":"[image 2]"}' }, image, image]],
    ['{"type":"image","data":1}', false, '{"type":"image","data":1}'],
    [`${'['.repeat(600)}"image"${']'.repeat(600)}`, false, `${'['.repeat(600)}"image"${']'.repeat(600)}`],
  ]
  for (const [content, isError, shown] of cases) t.strictSame(toModelContent(content, isError), shown, content.slice(0, 60))
})

t.test('the channel: any order, bad answers, its end', async (t) => {
  const sent: string[] = []
  const faults: Fault[] = []
  const client = new DispatchClient({ send: (json) => sent.push(json), onFault: (error) => faults.push(error) })
  const { signal } = new AbortController()
  const ask = (id: string, timeoutMs = 60_000, by = signal) => client.call({ id, name: 'f', input: '{"n":1}' }, timeoutMs, by)

  const [first, second] = [ask('1'), ask('2')]
  t.equal(sent[0], '{"id":"1","name":"f","input":{"n":1}}')
  client.receive({ id: '2', content: '2', is_error: true })
  client.receive({ id: '1', content: { raw: 1 } })
  t.strictSame(await Promise.all([first, second]), [
    { id: '1', content: '{"raw":1}', is_error: false },
    { id: '2', content: '2', is_error: true },
  ])
  for (const bad of [{ id: '2', content: '2', is_error: false }, { id: 7 }, 'x', null, ['1']]) client.receive(bad)
  t.equal(faults.length, 5)
  t.match(faults[0], { error: 'input_type_mismatch', port: 'tool_resp', detail: "no tool call with the id '2' waits for an answer" })

  const bare = ask('3')
  client.receive({ id: '3' })
  t.match(await bare, { is_error: true, content: /tool_crashed/ })
  const unread = ask('4')
  client.refuse(fault('line_too_long', 'line 1 is longer than that', { line: 1 }))
  t.match(await unread, { is_error: true, content: /line_too_long/ }, 'the only one that is open')

  const late = ask('5', 1)
  t.match(await late, { is_error: true, content: /timeout/ })
  const abort = new AbortController()
  const dropped = ask('6', 60_000, abort.signal)
  abort.abort()
  t.match(await dropped, { is_error: true, content: /cancelled/ })
  t.match(await ask('7', 60_000, abort.signal), { is_error: true })
  const before = faults.length
  client.receive({ id: '5', content: '1', is_error: false })
  client.receive({ id: '6', content: '1', is_error: false })
  t.equal(faults.length, before, 'answers that come too late are dropped')

  const open = ask('8')
  t.equal(client.end(fault('tool_crashed', 'gone')), 1)
  t.match(await open, { is_error: true, content: /gone/ })
  t.match(await ask('9'), { is_error: true, content: /gone/ })
})

const FILES = {
  'bot.plumb': SPEC.replace(', both, shell, reach', ''),
  'typed.plumb': SPEC.replace('!string -> !string', '!string -> !N').replace(', both, shell, reach', ''),
  'given.plumb': `@tool true
let double : { n: int } -> { n: int } = map({ n: n * 2 })
let act : { n: int } -> string = tool { mock: "done", effects: ["exec"] }
let bot : !string -> !string = agent { provider: "eliza", model: "doctor", tools: [double, act] }
`,
  'env.plumb': `let show : { arguments?: [string] } -> string = tool { command: "./env.sh" }
let bot : !string -> !string = agent { provider: "eliza", model: "doctor", tools: [show], env: ["MINE"] }
`,
  'env.sh': '#!/bin/sh\nenv | cut -d= -f1 | sort | tr "\\n" " "\n',
  'die.sh': '#!/bin/sh\nread -r line; exit 3\n',
  'serve.sh': `#!/bin/bash
tee -a seen | pick '({ id: _.id, content: "{\\"n\\":7}", is_error: false })'
`,
  'in.jsonl': '"call double {\\"n\\":21}"\n"Men are all alike."\n',
}
const { runTable } = openShell(FILES)

const ALIKE = '"IN WHAT WAY"\n'

runTable('who runs the tools', {
  'plumb-tool, started for the first call; memory, state and types go on': {
    run: `plumb-agent bot.plumb < in.jsonl; echo '"call double {\\"n\\":\\"3\\"}"' | plumb-agent typed.plumb`,
    out: `"{\\"n\\":42,\\"note\\":\\"none\\"}"\n${ALIKE}{"n":6,"note":"none"}\n`,
  },
  'a program in its place, with plain lines': {
    run: `plumb-agent --tool-command ./serve.sh bot.plumb < in.jsonl; cat seen; rm seen; PLUMB_TOOL=./serve.sh plumb-agent bot.plumb < in.jsonl; rm seen`,
    out: `"{\\"n\\":7}"\n${ALIKE}{"id":"call_1","name":"double","input":{"n":21,"note":"none"}}\n"{\\"n\\":7}"\n${ALIKE}`,
  },
  'fault 44: one that dies: the call is answered, the agent lives and says so': {
    run: `cat in.jsonl in.jsonl | plumb-agent --tool-command ./die.sh bot.plumb | sed 's/.*child_failed.*/1/'; echo "\${PIPESTATUS[1]}"`,
    out: `1\n${ALIKE}1\n"WHAT RESEMBLANCE DO YOU SEE"\n1\n`,
    errors: [['child_failed', /\.\/die\.sh.*status 3/]],
  },
  'fds 4 and 5 of another program': {
    run: `mkfifo req resp; plumb-agent bot.plumb < in.jsonl 4> req 5< resp & ./serve.sh < req > resp; wait; rm req resp seen`,
    out: `"{\\"n\\":7}"\n${ALIKE}`,
  },
  'one of the two is not a channel': {
    run: `plumb-agent bot.plumb < in.jsonl 4> req; cat req`,
    out: `"{\\"n\\":42,\\"note\\":\\"none\\"}"\n${ALIKE}`,
  },
  'fd 5 as a file that was written before': {
    run: `echo '{"id":"call_1","content":"{\\"n\\":1}","is_error":false}' > resp; cat in.jsonl in.jsonl | plumb-agent bot.plumb 4> req 5< resp | sed 's/.*tool_crashed.*/1/'; head -1 req | pick _.id`,
    out: `"{\\"n\\":1}"\n${ALIKE}1\n"WHAT RESEMBLANCE DO YOU SEE"\ncall_1\n`,
  },
  'fd 5 that ends with a call open': {
    run: `mkfifo r1 r2; plumb-agent bot.plumb < in.jsonl 4> r1 5< r2 | sed 's/.*tool_crashed.*/1/' & { read -r line; } < r1 > r2; wait; rm r1 r2`,
    out: `1\n${ALIKE}`,
    errors: [['tool_crashed', /"port":"tool_resp"/]],
  },
  'bad answers on fd 5 are reported, and the right one counts': {
    run: `mkfifo r1 r2; plumb-agent bot.plumb < in.jsonl 4> r1 5< r2 & { read -r line; printf '%s\\n' '{"id":"x","content":"1","is_error":false}' '[]' '{"id":"call_1","content":"{\\"n\\":1}"}'; cat >&2; } < r1 > r2; wait; rm r1 r2`,
    out: `"{\\"n\\":1}"\n${ALIKE}`,
    errors: [
      ['input_type_mismatch', /id 'x'.*"port":"tool_resp"/],
      ['input_type_mismatch', /is \{/],
    ],
  },
  'with --mux, whichever side asked for it': {
    run: `start --mux bot.plumb; send '{"__port":"input","msg":"call double {\\"n\\":21}"}'; receive
      send '{"__port":"tool_resp","msg":{"id":"call_1","content":"{\\"n\\":5}","is_error":false}}'; receive
      send '{"__port":"input","msg":"call double {\\"n\\":22}"}'; receive; send '{"__port":"tool_resp","eof":true}'; receive | grep -c tool_crashed; end`,
    out: `{"__port":"tool_req","msg":{"id":"call_1","name":"double","input":{"n":21,"note":"none"}}}
{"__port":"output","msg":"{\\"n\\":5}"}
{"__port":"tool_req","msg":{"id":"call_2","name":"double","input":{"n":22,"note":"none"}}}
1
`,
    errors: [['tool_crashed']],
    status: 1,
  },
  'without --mux answers in envelopes belong nowhere': {
    run: `echo '{"__port":"tool_resp","msg":{}}' | plumb-agent bot.plumb`,
    errors: [['unknown_port', 'tool_resp']],
    status: 1,
  },
  'fault 64: outputs that are not read hold up no call and lose nothing': {
    run: `mkfifo r1 r2 o; for i in {1..300}; do echo '"call size {\\"input\\":\\"a\\"}"'; done > many; big=$(printf '%05000d' 0); : > seen
      plumb-agent bot.plumb < many 4> r1 5< r2 > o & tee seen < r1 | sed -u 's/^{"id":"\\([^"]*\\)".*/{"id":"\\1","content":"\\\\"'$big'\\\\"","is_error":false}/' > r2 &
      exec 9<o; until [ "$(wc -l < seen)" -gt 40 ]; do sleep 0.05; done; wc -l <&9 | tr -d ' '; wait; rm r1 r2 o seen`,
    out: '300\n',
  },
  'fault 120: no key reaches a tool, a log or telemetry': {
    run: `export OPENAI_API_KEY=sk-canary-1234567 GITHUB_TOKEN=canary-1234567
      printf '%s\\n' '"call show"' '"call show {\\"arguments\\":[\\"sk-canary-1234567\\"]}"' | PIPELINE_DEBUG=1 plumb-agent --telemetry env.plumb 3> tel 2> err | pick '["PATH", "OPENAI", "GITHUB"].map((name) => _.includes(name))'
      cat tel err | grep -c canary; cat tel err | grep -c '[*][*][*]' | pick '_ > 2'; pick _.msg < err | sort -u | tr '\n' ' '`,
    out: '[true,false,false]\n[true,false,false]\n0\ntrue\nanswer question tool_call ',
  },
})

runTable('approval', {
  'over fds 6 and 7': {
    run: `mkfifo c r; echo '"call danger {\\"n\\":1}"' | plumb-agent --telemetry bot.plumb 3> reported 6< c 7> r & exec 8>c 9<r
      receive; send '{"approve":"nope"}'; receive | pick _.detail; send '{"approve":"call_1"}'; wait; exec 8>&-; rm c r
      grep '"approval"' reported | cut -d, -f1-4`,
    out: `{"kind":"approval","id":"call_1","tool":"danger","input":{"n":1,"note":"none"}}
no call with the id 'nope' waits for approval
"{\\"n\\":1,\\"note\\":\\"none\\"}"
{"kind":"approval","id":"call_1","name":"danger","outcome":"approved"
`,
  },
  'with another input: what does not fit is asked about again, and nothing that was allowed before': {
    run: `mkfifo c r; echo '"call danger {\\"n\\":1}"' | plumb-agent --telemetry bot.plumb 3> reported 6< c 7> r > out & exec 8>c 9<r
      receive; send '{"edit":"call_1"}'; receive | pick _.detail; send '{"edit":"call_1","input":{"n":2},"approve":"call_1"}'; receive | pick _.detail
      send '{"edit":"call_1","input":{"n":"x"}}'; receive | sed 's/"wrong":".*n.*"/"wrong":"n"/'
      send '{"approve":"call_1"}'; receive | pick _.detail; send '{"edit":"call_1~2","input":{"n":1e0,"note":"two"}}'; receive
      send '{"approve":"call_1~3"}'; wait; exec 8>&-; rm c r; pick _ < out; grep '"approval"' reported | sed 's/,"agent.*//'`,
    out: `{"kind":"approval","id":"call_1","tool":"danger","input":{"n":1,"note":"none"}}
'edit' names a call that waits, and 'input' is its new input
'edit' has the call asked about again, with an id of its own: approve or deny that
{"kind":"approval","id":"call_1~2","tool":"danger","input":{"n":1,"note":"none"},"wrong":"n"}
no call with the id 'call_1' waits for approval
{"kind":"approval","id":"call_1~3","tool":"danger","input":{"n":1e0,"note":"two"}}
A person changed the input of 'danger' before it was called, to {"n":1e0,"note":"two"}

{"n":1,"note":"none"}
{"kind":"approval","id":"call_1","name":"danger","outcome":"edited"
{"kind":"approval","id":"call_1~2","name":"danger","outcome":"edited","input":{"n":1e0,"note":"two"}
{"kind":"approval","id":"call_1~3","name":"danger","outcome":"approved"
`,
  },
  'no edit passes a rule that denies': {
    run: `echo '[{"decision":"deny","path":"secret.txt"},{"decision":"allow"}]' > p.json; echo key > secret.txt; echo open > open.txt; mkfifo c r
      echo 'let read : { path: string } -> json = tool { builtin: "read_file", approval: "ask" }
      let bot : !string -> !string = agent { provider: "eliza", model: "doctor", tools: [read] }' > read.plumb
      echo '"call read {\\"path\\":\\"open.txt\\"}"' | plumb-agent --policy p.json read.plumb 6< c 7> r > out & exec 8>c 9<r
      receive | pick _.id; send '{"edit":"call_1","input":{"path":"secret.txt"}}'; receive | pick _.id; send '{"approve":"call_1~2"}'
      wait; exec 8>&-; rm c r; grep 'A person changed' out | grep -c permission_denied`,
    out: 'call_1\ncall_1~2\n1\n',
  },
  'in envelopes, denied, and while the answer is awaited control goes on': {
    run: `start --mux bot.plumb; send '{"__port":"input","msg":"call danger {\\"n\\":1}"}'; receive >/dev/null; send '{"__port":"ctrl_in","msg":{"pause":true}}'; receive
      send '{"__port":"ctrl_in","msg":{"deny":"call_1","resume":true}}'; receive; receive | grep -c approval_required; end`,
    out: `{"__port":"ctrl_out","msg":{"kind":"paused"}}\n{"__port":"ctrl_out","msg":{"kind":"resumed"}}\n1\n`,
  },
  'no person there, none any more, cancelled': {
    run: `echo '"call danger {\\"n\\":1}"' > one; plumb-agent bot.plumb < one | grep -c 'there is none to ask'
      mkfifo c; plumb-agent bot.plumb < one 6< c 7> r | grep -c 'control channel ended' & exec 8>c; until [ -s r ]; do sleep 0.05; done; exec 8>&-; wait; rm c
      mkfifo c; plumb-agent --telemetry bot.plumb < one 3> reported 6< c 7> s > answer & exec 8>c; until [ -s s ]; do sleep 0.05; done; exec 8>&-; wait; rm c
      grep -o '"outcome":"[a-z]*"' reported
      start --mux bot.plumb; send '{"__port":"input","msg":"call danger {\\"n\\":1}"}'; receive >/dev/null; send '{"__port":"ctrl_in","msg":{"cancel":true}}'; end`,
    out: '1\n1\n"outcome":"unheard"\n',
    errors: [['cancelled']],
    status: 1,
  },
})

// A spec handed over as plumb does it, with what may be done.
const BUNDLE = `bundle () {
  SPEC=$(sed "$EDIT" given.plumb) pick '({ entry: "/there/bot.plumb", files: { "/there/bot.plumb": process.env.SPEC }, modules: {}, ..._ })' <<< "$1"; }
`
const ACT = `'"call act {\\"n\\":1}"'`

runTable('what a parent lets be done', {
  'over a descriptor: less than the spec declares; what is not an authority is refused': {
    run: `${BUNDLE} given () { bundle "$1" > b; echo ${ACT} | plumb-agent --sources-fd 16 /there/bot.plumb 16< b | grep -o 'permission_denied\\|done'; }
      given '{"authority":{"policy":[],"context":{},"grant":["exec"]}}'; given '{}'
      given '{"authority":{"policy":[],"context":{},"grant":["net"]}}'; given '{"authority":{"policy":3}}'`,
    out: 'done\ndone\npermission_denied\n',
    errors: [['config_invalid', 'an authority']],
    status: 1,
  },
  'over a descriptor: the agent itself, and the texts are not compiled again; what is none is refused': {
    run: `${BUNDLE} EDIT=s/agent/agnet/; given () { bundle "$1" > b; echo '"Men are all alike."' | plumb-agent --sources-fd 16 /there/bot.plumb 16< b; }
      agent () { echo '{"agent":{"version":'$1',"types":[{"kind":"string"}],"agent":{"name":"bot","binding":"bot","specPath":"/there/bot.plumb","input":0,
        "output":0,"hasTelemetry":false,"config":{"provider":"eliza","model":"doctor"},"tools":[],"serverVariables":[]}}}' | tr -d '\\n'; }
      given "$(agent 2)"; given "$(agent 3)"`,
    out: '"IN WHAT WAY"\n',
    errors: [['fd_invalid', 'its version is 3']],
    status: 2,
  },
  'a grant that has run out is renewed': {
    run: `${BUNDLE} mkfifo h; exec 21<> h; bundle '{"authority":{"policy":[],"context":{},"expires":1}}' >&21
      start --sources-fd 16 /there/bot.plumb 16< h; send ${ACT}; receive; echo '{"authority":{"policy":[],"context":{}}}' >&21
      for i in {1..100}; do send ${ACT}; [ "$(receive)" = '"done"' ] && echo renewed && break; done; exec 21>&-; end; rm h`,
    out: '"I AM NOT SURE I UNDERSTAND YOU FULLY"\nrenewed\n',
  },
  'in the first envelope, with options; renewed in later ones': {
    run: `${BUNDLE} EDIT='s/tools:/via: ["nowhere"], tools:/'; start --mux --spec-envelope
      send '{"__port":"spec","msg":'"$(bundle '{"args":["--agent","bot"],"authority":{"policy":[],"context":{},"grant":[]}}')"'}'
      ask () { send '{"__port":"input","msg":'${ACT}'}'; receive | pick '_.__port === "output" ? JSON.parse(_.msg).error : [_.__port, _.msg.name]'; }
      ask; send '{"__port":"spec","msg":{"authority":{"policy":[],"context":{},"grant":["exec"]}}}'; ask
      send '{"__port":"tool_resp","msg":{"id":"call_2","content":"\\"fine\\"","is_error":false}}'; receive; end`,
    out: 'permission_denied\n["tool_req","act"]\n{"__port":"output","msg":"fine"}\n',
  },
  'a first envelope that is none': {
    run: `for line in '' '{"__port":"input","msg":1}' '{"__port":"spec","msg":{"entry":1}}' nonsense; do printf '%s' "$line" | plumb-agent --mux --spec-envelope; done
      plumb-agent --spec-envelope`,
    errors: [...Array(4).fill(['spec_invalid', 'first line of stdin']), ['usage', 'needs --mux']],
    status: 2,
  },
})

t.test('a dispatcher that is started before its first call says nothing until that has come', async (t) => {
  const reported: string[] = []
  const of = (script: string) => {
    let starts = 0
    const dispatcher = new ChildDispatcher({
      program: 'runner',
      start: () => {
        starts++
        return spawnChild({ command: [process.execPath, '-e', script], env: { PATH: process.env.PATH ?? '' }, isForeign: true })
      },
      report: ({ detail }) => reported.push(detail),
      writeStderr: (line) => reported.push(line),
    })
    return { dispatcher, starts: () => starts }
  }
  const request: ToolRequest = { id: 'a', name: 'f', input: '1' }
  const { signal } = new AbortController()

  const fails = of('console.error("no spec"); process.exit(3)')
  fails.dispatcher.prepare()
  await fails.dispatcher.open()
  fails.dispatcher.prepare()
  t.strictSame(reported, [], 'what no call needs is not a matter')
  t.match(await fails.dispatcher.call(request, 60_000, signal), { is_error: true, content: /ended with status 3/ })
  t.equal(fails.starts(), 1)
  while (reported.length < 2) await new Promise(setImmediate)
  t.match(reported.toSorted(), ['no spec', /ended with status 3/])
  await fails.dispatcher.close()

  const idle = of('process.stdin.resume()')
  idle.dispatcher.prepare()
  // Its input is not ended first: it has nothing to finish.
  await idle.dispatcher.close()
  idle.dispatcher.prepare()
  t.equal(idle.starts(), 1)
  t.equal(reported.length, 2)

  const answers = of('process.stdin.on("data", () => console.log(JSON.stringify({ id: "a", content: "2", is_error: false })))')
  answers.dispatcher.prepare()
  t.match(await answers.dispatcher.call(request, 60_000, signal), { content: '2', is_error: false })
  await answers.dispatcher.close()
  t.equal(reported.length, 2)
})
