// Protocols of tools: which calls of a turn are made, in what order, and what a model is told. Calls and models are doubled here; the walks
// are judged by a reference of their own, a set of sequences.

import { agentOf, agentTools, type Bound, type CheckedAgent, checkedAgent, compile, type Json, type ToolProtocol } from '@plumb/lang'
import { WalkedProtocol } from '@plumb/tool/protocol/walk'
import { checkedTool } from '@plumb/tool/source/checked-tool'
import { type Fault, fault, succeed, type ToolAnswer, type ToolRequest } from '@plumb/wire'
import fc from 'fast-check'
import t from 'tap'
import { holds, runs } from '../../wire/test/property.js'
import type { AgentConfig } from '../src/config/config.js'
import { openConversation } from '../src/conversation/conversation.js'
import { openWalks } from '../src/late-parts.js'
import { Cancellation } from '../src/provider/cancellation.js'
import type { ChatMessage, ContentBlock, ModelAnswer, ModelRequest, Provider, ToolUse } from '../src/provider/provider.js'
import { declareTools } from '../src/tool/agent-tools.js'
import { Approvals } from '../src/tool/approvals.js'
import { openComposing } from '../src/tool/composing.js'
import { openToolPolicy } from '../src/tool/policy.js'
import { openTools } from '../src/tool/tools.js'

const NAMES = ['a', 'b', 'c', 'd', 'e'] as const
const TOOLS_TEXT = NAMES.map((name) => `@tool true\nlet ${name} : { n?: int } -> { n?: int } = map(value)`).join('\n')

const files = {
  read: () => ({ ok: false, error: fault('file_not_found', '') }) as const,
  find: () => undefined,
  beside: (path: string) => path,
}

const compiled = (protocol: string, keys: string, signature = '!string -> !string') =>
  compile({
    path: 'a.plumb',
    text: `protocol P = ${protocol}\n${TOOLS_TEXT}\nlet bot : ${signature} = agent { provider: "eliza", model: "doctor", ${keys} }\n`,
    files,
  })

const agentWith = (protocol: string, keys: string): CheckedAgent => {
  const { program, diagnostics } = compiled(protocol, keys)
  const errors = diagnostics.filter(({ severity }) => severity === 'error').map(({ message }) => message)
  if (errors.length > 0) throw new Error(errors.join('\n'))
  const plan = agentOf(program.entry.bindings.get('bot') as Bound)
  return checkedAgent(plan, agentTools(plan.bound).map(checkedTool))
}

const text = (said: string): ContentBlock => ({ type: 'text', text: said })
const use = (name: string, id: string, input: Json = {}): ToolUse => ({ type: 'tool_use', id, name, input })
const USAGE = { input_tokens: 1, output_tokens: 1, cache_read_tokens: 0, cache_creation_tokens: 0 }
const says = (...content: ContentBlock[]): ModelAnswer => ({
  content,
  stop: content.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end',
  usage: USAGE,
})

interface Setting {
  readonly protocol: string
  readonly keys?: string
  readonly config?: Partial<AgentConfig>
  /** The tools that fail. */
  readonly failing?: readonly string[]
  readonly wait?: (request: ToolRequest) => Promise<void>
}

/** A conversation whose model says these things, one after the other. */
const open = async (
  script: readonly ModelAnswer[],
  { protocol, keys = 'tools: [a, b, c, d, e]', config = {}, failing = [], wait }: Setting,
) => {
  const agent = agentWith(protocol, `${keys}, protocol: P`)
  const asked: ModelRequest[] = []
  const made: string[] = []
  const provider: Provider = {
    answer: async (question) => {
      asked.push({ ...question, turn: [...question.turn] })
      return succeed(script[Math.min(asked.length, script.length) - 1] as ModelAnswer)
    },
  }
  const tools = openTools({
    declared: declareTools(agent.tools),
    gate: openToolPolicy(() => ({ policy: [], context: {} })),
    approvals: new Approvals({ announce: () => false, canBeAnswered: () => false, isRecorded: false, emit: () => {} }),
    caller: {
      call: async (request): Promise<ToolAnswer> => {
        made.push(request.name)
        await wait?.(request)
        const is_error = failing.includes(request.name)
        return { id: request.id, content: is_error ? JSON.stringify(fault('tool_crashed', 'it fails')) : '{"n":1}', is_error }
      },
    },
    areParallel: true,
    composing: keys.includes('compose') ? openComposing(1000) : undefined,
  })
  const all = {
    ...{ agent: 'bot', input: agent.input, output: agent.output, hasTelemetry: true, provider, providerWith: () => provider },
    ...{ providerName: 'stub', model: 'm', system: '', documents: [], history: [], maxTokens: 100, maxRetries: 2 },
    ...{ schemaInPrompt: 'auto', keepsCut: false, tools: agent.tools, servers: [], skills: [], maxToolCalls: Number.POSITIVE_INFINITY },
    ...{ parallelToolCalls: true, hasRuntimeContext: false, isAmnesiac: false, concurrency: 1, lane: 'now', isUnordered: false },
    ...config,
  } as unknown as AgentConfig
  const beginWalk = await openWalks({ agent } as Parameters<typeof openWalks>[0])
  const conversation = openConversation(
    all,
    tools,
    () => {},
    () => {},
    { beginWalk },
  )
  const say = () => conversation.answer({ text: 'go', isString: true } as never, new Cancellation())
  return { asked, made, say, conversation }
}

type Results = { readonly content: string; readonly is_error: boolean }[]
const resultsIn = (question: ModelRequest | undefined): Results => question?.turn.at(-1)?.content as unknown as Results
const codes = (results: Results) => results.map(({ content, is_error }) => (is_error ? (JSON.parse(content) as Fault).error : 'made'))
const offered = ({ tools }: ModelRequest) => tools.map(({ name }) => name).join(' ')
const V = 'protocol_violation'

t.test('the calls of a turn walk in the order of the model', async (t) => {
  const REFUND = '{ a: loop, b: { c: end, a: loop, end }, end }'
  const free = 'tools: [a, b, c, d, e], free: [d, e]'
  const cases: readonly {
    readonly name: string
    readonly calls: string
    readonly made: string
    readonly codes: readonly string[]
    readonly failing?: readonly string[]
    readonly protocol?: string
  }[] = [
    { name: 'a call out of turn is not made', calls: 'c', made: '', codes: [V] },
    { name: 'the calls before it allow it', calls: 'b c', made: 'b c', codes: ['made', 'made'] },
    { name: 'the rest of the turn behind a refused one is refused', calls: 'c b c', made: '', codes: [V, V, V] },
    { name: 'free ones are not', calls: 'c d e b', made: 'd e', codes: [V, 'made', 'made', V] },
    { name: 'what was made before counts', calls: 'b c a', made: 'b c', codes: ['made', 'made', V] },
    {
      name: 'a failed one leaves the walk, and the next is judged from there',
      calls: 'b c',
      made: 'b',
      codes: ['tool_crashed', V],
      failing: ['b'],
    },
    { name: 'and may be allowed', calls: 'b a b', made: 'b a b', codes: ['tool_crashed', 'made', 'tool_crashed'], failing: ['b'] },
    { name: 'a name that is no tool is told as such', calls: 'x b', made: '', codes: ['unknown_tool', V] },
    {
      name: 'a call in the middle, by name',
      calls: 'a b a',
      made: 'a b a',
      codes: ['made', 'made', 'made'],
      protocol: 'call a . call b . call a . end',
    },
  ]
  for (const { name, calls, made, codes: expected, failing = [], protocol = REFUND } of cases) {
    const script = [says(...calls.split(' ').map((tool, i) => use(tool, `t${i}`))), says(text('done'))]
    const keys = protocol === REFUND ? free : 'tools: [a, b]'
    const { asked, made: really, say } = await open(script, { protocol, keys, failing })
    await say()
    t.strictSame(codes(resultsIn(asked[1])), expected, name)
    t.strictSame(
      [...really].sort(),
      made
        .split(' ')
        .filter((one) => one !== '')
        .sort(),
      `${name}: what runs`,
    )
  }
})

t.test('each call waits for the one before it, and free ones for none', async (t) => {
  let release: () => void = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const script = [says(use('b', '1'), use('c', '2'), use('d', '3')), says(text('done'))]
  const { made, say } = await open(script, {
    protocol: '{ a: loop, b: call c . end, end }',
    keys: 'tools: [a, b, c, d], free: [d]',
    wait: async ({ name }) => {
      if (name === 'd') release()
      if (name === 'b') await held
    },
  })
  await say()
  t.strictSame(made, ['b', 'd', 'c'], 'the free one has ended while the first is at work')
})

t.test('a model is offered what the state allows, told what is missing, and does it', async (t) => {
  const script = [says(text('Done.')), says(use('b', '1')), says(text('Done now?')), says(use('c', '2')), says(text('Done.'))]
  const { asked, say } = await open(script, { protocol: 'call b . call c . end', keys: 'tools: [b, c, d], free: [d]' })
  t.strictSame(await say(), succeed('"Done."'))
  t.strictSame(asked.map(offered), ['b d', 'b d', 'c d', 'c d', 'd'])
  t.match(asked[1]?.turn.at(-1)?.content, /not at its end: calls are missing, in this order: 'b', 'c'.\nCall what is missing first/)
  t.match(asked[3]?.turn.at(-1)?.content, /a call of 'c' is missing/)

  const never = await open([says(text('Done.'))], { protocol: 'call b . end', keys: 'tools: [b]' })
  const outcome = await never.say()
  t.match(outcome, { ok: false, error: { error: V, protocol: 'P', allowed: ['b'], detail: /after 2 retries/ } })
  t.equal(never.asked.length, 3, 'max_retries')
  t.equal(never.conversation.memoryOf().length, 0)

  const counted = await open([says(use('c', '1')), says(text('no'))], {
    protocol: '{ b: call c . end, end }',
    keys: 'tools: [b, c]',
    config: { maxToolCalls: 1 },
  })
  t.match(await counted.say(), { ok: false, error: { error: 'tool_limit' } }, 'a refused call counts')
})

t.test('for each input from the beginning, or where the conversation is', async (t) => {
  const protocol = '{ a: { b: end, end }, end }'
  const script = [says(use('a', '1')), says(text('one')), says(use('b', '2')), says(text('two')), says(use('a', '3')), says(text('three'))]
  const each = await open(script, { protocol, keys: 'tools: [a, b]' })
  for (let i = 0; i < 3; i++) await each.say()
  t.strictSame(each.made, ['a', 'a'])
  const same = await open([says(use('a', '1')), says(text('one')), says(use('a', '1')), says(text('two'))], {
    protocol,
    keys: 'tools: [a, b]',
  })
  for (let i = 0; i < 2; i++) await same.say()
  t.strictSame(same.made, ['a', 'a'], 'an id that comes again, as of providers that count from the beginning, is another call')

  const keys = 'tools: [a, b], protocol_per: "conversation"'
  const on = await open(script, { protocol, keys })
  for (let i = 0; i < 3; i++) await on.say()
  t.strictSame(on.made, ['a', 'b'], 'it ends once for the whole conversation')

  const memory = on.conversation.memoryOf().slice(0, 4) as ChatMessage[]
  const other = await open([says(use('b', '9')), says(text('late'))], { protocol, keys })
  other.conversation.setMemory(memory)
  await other.say()
  t.strictSame(other.made, ['b'], 'another process goes on from the calls in the memory')

  const short = await open([...script.slice(0, 2), says(use('b', '2')), says(text('two'))], { protocol, keys })
  await short.say()
  short.conversation.setMemory([{ role: 'user', content: 'in short' }], undefined, true)
  await short.say()
  t.strictSame(short.made, ['a', 'b'], 'a memory in other words is the same conversation')
  short.conversation.setMemory([])
  await short.say()
  t.equal(offered(short.asked.at(-1) as ModelRequest), 'a', 'an empty one begins anew')
})

t.test('a model that does not hear what it is told is not asked for ever', async (t) => {
  const stubborn = [says(use('c', '1'))]
  const { asked, made, say } = await open(stubborn, { protocol: '{ a: { c: end } }', keys: 'tools: [a, c]' })
  const outcome = await say()
  t.match(outcome, {
    ok: false,
    error: { error: 'protocol_violation', detail: /^20 calls in a row were refused: .* allows 'a'$/, allowed: ['a'] },
  })
  t.strictSame([asked.length, made], [20, []])
  const late = [...Array.from({ length: 19 }, () => says(use('c', '1'))), says(use('a', '2')), says(use('c', '3')), says(text('done'))]
  const heard = await open(late, { protocol: '{ a: { c: end } }', keys: 'tools: [a, c]' })
  t.ok((await heard.say()).ok)
  t.strictSame(heard.made, ['a', 'c'], 'one that hears it late is')
})

t.test('a chain is checked whole before anything of it runs', async (t) => {
  const protocol = '{ a: loop, b: { c: end, a: loop, end }, end }'
  const keys = 'tools: [a, b, c, d], compose: true, free: [d, "compose"]'
  const chains: readonly (readonly [chain: string, made: string | undefined])[] = [
    ['b ; c', 'b c'],
    ['c', undefined],
    ['a ; c', undefined],
    ['a ; b ; d ; c', 'a b d c'],
    ['b * c ; map(value[1])', 'b c'],
    ['c * b ; map(value[1])', undefined],
    ['c + b', undefined],
    ['b + a ; c', undefined],
    ['map([value, value]) ; each(a) ; map(value[0]) ; b', 'a a b'],
    ['map([value, value]) ; each(b)', undefined],
    ['b ; map([value]) ; each(c)', undefined],
    ['b ; trace(c, max: 1)', 'b c'],
    ['trace(a, max: 3) ; b ; c', 'a b c'],
  ]
  for (const [chain, expected] of chains) {
    const script = [says(use('compose', '1', { chain, input: { n: 1 } })), says(text('done'))]
    const { asked, made, say } = await open(script, { protocol, keys })
    await say()
    const [result] = resultsIn(asked[1])
    if (expected === undefined) {
      t.match(result?.content, /"protocol_violation".*nothing of the chain was run/, chain)
      t.strictSame(made, [], `${chain}: nothing runs`)
    } else t.strictSame([made.join(' '), result?.is_error], [expected, false], `${chain}: ${result?.content}`)
  }
  const script = [says(use('compose', '1', { chain: 'b', input: {} })), says(use('c', '2')), says(text('done'))]
  const { made, asked, say } = await open(script, { protocol, keys })
  await say()
  t.strictSame(made, ['b', 'c'], 'the walk goes on behind it')
  t.match(resultsIn(asked[1])[0], { calls: ['b'] }, 'and a memory holds what it called')
  const label = { protocol: 'call compose . call b . end', keys: 'tools: [a, b], compose: true, free: [a]' }
  const named = await open([says(use('compose', '1', { chain: 'a ; b', input: {} })), says(text('done'))], label)
  t.ok((await named.say()).ok)
  t.strictSame(named.made, ['a', 'b'], 'compose may be a label itself')
})

// A reference: a protocol is drawn as a tree, and its sequences are enumerated, not walked.
type Tree = { readonly ends: boolean; readonly next: Readonly<Record<string, Tree | 'loop'>> }

const tree = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.constant<Tree>({ ends: true, next: {} }),
    fc.record({
      ends: fc.boolean(),
      next: fc.dictionary(fc.constantFrom(...NAMES), fc.oneof(tie('tree'), fc.constant('loop' as const)), { minKeys: 1, maxKeys: 3 }),
    }),
  ),
})).tree

const printed = ({ ends, next }: Tree): string => {
  const branches = Object.entries(next).map(([name, then]) => `${name}: ${then === 'loop' ? 'loop' : printed(then)}`)
  return branches.length === 0 ? 'end' : `{ ${[...branches, ...(ends ? ['end'] : [])].join(', ')} }`
}

const canEnd = (top: Tree, at: Tree = top): boolean =>
  at.ends || Object.keys(at.next).length === 0 || Object.values(at.next).some((then) => then !== 'loop' && canEnd(top, then))
const allEnd = (top: Tree, at: Tree): boolean =>
  (canEnd(top, at) || (Object.values(at.next).includes('loop') && canEnd(top))) &&
  Object.values(at.next).every((then) => then === 'loop' || allEnd(top, then))

const walk = (top: Tree, calls: readonly string[]): Tree | undefined => {
  let at: Tree = top
  for (const call of calls) {
    const then = Object.hasOwn(at.next, call) ? at.next[call] : undefined
    if (then === undefined) return undefined
    at = then === 'loop' ? top : then
  }
  return at
}

t.test('conforming runs are never stopped, and each that leaves is before the call runs', async (t) => {
  let [conforming, leaving] = [0, 0]
  const property = fc.asyncProperty(
    tree.filter((one) => Object.keys(one.next).length > 0 && allEnd(one, one)),
    fc.array(fc.nat(), { maxLength: 12 }),
    fc.nat(),
    fc.integer({ min: 1, max: 4 }),
    async (top, picks, stray, width) => {
      const named = new Set(NAMES.filter((name) => printed(top).includes(`${name}:`)))
      const sequence: string[] = []
      let at = top
      for (const pick of picks) {
        const labels = Object.keys(at.next)
        if (labels.length === 0) break
        const label = labels[pick % labels.length] as string
        sequence.push(label)
        at = walk(top, sequence) as Tree
      }
      // To an end.
      for (let left = 20; left > 0 && !(at.ends || Object.keys(at.next).length === 0); left--) {
        const [label = ''] = Object.entries(at.next)
          .sort(([, one], [, other]) => rank(top, one) - rank(top, other))
          .map(([name]) => name)
        sequence.push(label)
        at = walk(top, sequence) as Tree
      }
      const turns = Array.from({ length: Math.ceil(sequence.length / width) }, (_, i) => sequence.slice(i * width, (i + 1) * width))
      const script = [...turns.map((turn, i) => says(...turn.map((name, n) => use(name, `t${i}_${n}`)))), says(text('done'))]
      const setting = { protocol: printed(top), keys: `tools: [${[...named].join(', ')}]` }
      const good = await open(script, setting)
      const outcome = await good.say()
      conforming++
      if (!outcome.ok || good.made.join() !== sequence.join()) throw new Error(`stopped: ${JSON.stringify(outcome)} ${good.made}`)
      const place = stray % (sequence.length + 1)
      const before = walk(top, sequence.slice(0, place)) as Tree
      const wrong = [...named].find((name) => !Object.hasOwn(before.next, name))
      if (wrong === undefined) return
      leaving++
      const left = [...sequence.slice(0, place), wrong, ...sequence.slice(place)]
      const bad = await open([says(...left.map((name, n) => use(name, `w${n}`))), says(text('done'))], setting)
      await bad.say()
      if (bad.made.join() !== sequence.slice(0, place).join()) throw new Error(`made ${bad.made} of ${left}`)
      const results = codes(resultsIn(bad.asked[1]))
      if (results.some((code, i) => code !== (i < place ? 'made' : V))) throw new Error(`told ${results} of ${left}`)
    },
  )
  await holds(t, property, { numRuns: runs(400) })
  t.comment(`${conforming} conforming runs, ${leaving} that leave`)
})

const rank = (top: Tree, then: Tree | 'loop', depth = 0): number => {
  if (then === 'loop') return depth > 6 ? 100 : 50
  if (then.ends || Object.keys(then.next).length === 0) return depth
  return depth > 6 ? 100 : Math.min(...Object.values(then.next).map((next) => rank(top, next, depth + 1)))
}

t.test('what a protocol costs a call', async (t) => {
  const { protocol } = agentWith('{ a: loop, b: { c: loop, a: loop, end }, end }', 'tools: [a, b, c], protocol: P') as {
    protocol: ToolProtocol
  }
  const walked = new WalkedProtocol(protocol).begin()
  const calls = ['a', 'b', 'c']
  const count = 300_000
  const before = process.hrtime.bigint()
  for (let i = 0; i < count; i++) {
    const tool = calls[i % 3] as string
    if (walked.judge(tool)) throw new Error('refused')
    walked.made(tool)
  }
  const each = Number(process.hrtime.bigint() - before) / count
  t.comment(`${Math.round(each)} ns a call`)
  t.ok(walked.unfinished === undefined)
})

t.test('what does not load says which', (t) => {
  const cases: readonly (readonly [protocol: string, keys: string, message: RegExp])[] = [
    ['{ a: end, b: end }', 'tools: [a], protocol: P', /'P' names 'b', and agent 'bot' has no tool of that name/],
    ['{ a: end }', 'tools: [a, b], protocol: P', /tool 'b' of agent 'bot' occurs neither in 'P' nor in 'free'/],
    ['{ a: end }', 'tools: [a], compose: true, protocol: P', /tool 'compose' of agent 'bot' occurs neither/],
    ['{ a: end }', 'tools: [a], free: [c], protocol: P', /'free' names 'c', and agent 'bot' has no tool/],
    ['{ a: end }', 'tools: [a], free: [a], protocol: P', /'a' is in 'free', and 'P' names it too/],
    ['send string . recv int . end', 'tools: [a], free: [a], protocol: P', /'P' is for messages between processes/],
    ['{ a: end }', 'tools: [a], protocol: Q', /no protocol is named 'Q'/],
    ['{ a: end }', 'tools: [a], free: [a]', /'free' is for an agent with 'protocol'/],
    ['{ a: end }', 'tools: [a], protocol_per: "input"', /'protocol_per' is for an agent with 'protocol'/],
    ['{ a: end }', 'tools: [a], protocol: P, protocol_per: "day"', /'protocol_per' takes one of "input", "conversation"/],
    ['{ a: end }', 'tools: [a], protocol: P, protocol_per: "conversation", amnesiac: true', /exclude each other/],
    ['{ a: end }', 'command: ["x"], answers: "some", tools: [a], protocol: P', /'protocol' and 'answers: "some"' exclude each other/],
    [
      '{ a: { "f:g": end } }',
      'tools: [a], protocol: P, mcp: [{ command: "x", prefix: "f", tools: ["h"] }]',
      /'P' names 'f:g', and agent 'bot' has no tool of that name/,
    ],
    [
      '{ a: { "f:g": end } }',
      'tools: [a], protocol: P, mcp: [{ command: "x", prefix: "f", tools: ["g", "h"] }]',
      /tool 'f:h' of agent 'bot' occurs neither/,
    ],
  ]
  for (const [protocol, keys, message] of cases) {
    const found = compiled(protocol, keys).diagnostics.filter(({ severity }) => severity === 'error')
    t.match(found.map((one) => one.message).join('\n'), message, `${protocol} ${keys}`)
  }
  const right = compiled(
    '{ a: { "f:g": end } }',
    'tools: [a], protocol: P, free: ["f:h"], mcp: [{ command: "x", prefix: "f", tools: ["g", "h"] }]',
  )
  t.strictSame(
    right.diagnostics.filter(({ severity }) => severity === 'error'),
    [],
  )
  const open = compiled('{ a: { "f:g": end } }', 'tools: [a], protocol: P, mcp: [{ command: "x", prefix: "f" }]')
  t.strictSame(
    open.diagnostics.filter(({ severity }) => severity === 'error'),
    [],
    'what a server lists is looked at when it is connected',
  )
  t.end()
})
