// biome-ignore-all lint/suspicious/noExplicitAny: what a call has given is what its script reads of it, as with any JSON.

// What compose saves: ten tasks of three to eight calls, by single calls and by one chain, with the bytes that enter the conversation and the
// rounds that they take. A model that makes single calls is given the benefit of making all that do not wait for each other in one round.

import { compile, toolsOf } from '@plumb/lang'
import { makeSession, openDispatcher, openRegistry } from '@plumb/tool/internal'
import { checkedTool } from '@plumb/tool/source/checked-tool'
import { fault } from '@plumb/wire'
import t from 'tap'
import type { ToolUse } from '../src/provider/provider.js'
import { declareTools } from '../src/tool/agent-tools.js'
import { Approvals } from '../src/tool/approvals.js'
import { openComposing } from '../src/tool/composing.js'
import { openToolPolicy } from '../src/tool/policy.js'
import { openTools } from '../src/tool/tools.js'

const LONG = 'join([$"Sentence {n} of what stands there, of some length." for n in range(30)], " ")'
const SPEC = `
type Hit = { url: string, title: string, snippet: string }
type Customer = { id: int, name: string, address: string }
type Order = { sku: string, cents: int, day: int, note: string }
type Issue = { title: string, label: string, body: string }
@tool true
let search : { text: string } -> { hits: [Hit] } = map({ hits: [{ url: $"https://shop.test/{text}/{n}", title: $"{text} {n}", snippet: ${LONG} } for n in range(5)] })
@tool true
let fetch : string -> string = map($"{value}: " + ${LONG})
@tool true
let summarise : string -> string = map(slice(value, 0, 60))
@tool true
let translate : string -> string = map(upper(value))
@tool true
let customers : { city: string } -> [Customer] = map([{ id: n, name: $"Customer {n}", address: $"{n} Long Street, {city}" } for n in range(6)])
@tool true
let orders : int -> [Order] = map([{ sku: $"sku-{value}-{n}", cents: 100 * n + value, day: n, note: ${LONG} } for n in range(4)])
@tool true
let shipment : { sku: string } -> { state: string, log: [string] } = map({ state: $"{sku} is on its way", log: lines(${LONG}) })
@tool true
let price : string -> { cents: int, currency: string, history: [int] } = map({ cents: 1200, currency: "EUR", history: range(200) })
@tool true
let rate : string -> number = map(if value = "EUR" then 1.25 else 1)
@tool true
let away : string -> string = map(text(1 / (length(value) - length(value))))
@tool true
let sensors : { room: string } -> [string] = map([$"{room}-{n}" for n in range(7)])
@tool true
let reading : string -> { celsius: number, raw: [number] } = map({ celsius: number(slice(value, length(value) - 1, length(value))) + 20, raw: [n / 7 for n in range(150)] })
@tool true
let repos : { owner: string } -> [string] = map([$"{owner}/{n}" for n in range(5)])
@tool true
let issues : string -> [Issue] = map([{ title: $"{value} #{n}", label: if n % 2 = 0 then "bug" else "idea", body: ${LONG} } for n in range(4)])
`
const files = {
  read: () => ({ ok: false, error: fault('file_not_found', '') }) as const,
  find: () => undefined,
  beside: (path: string) => path,
}
const { program, diagnostics } = compile({ path: 'a.plumb', text: SPEC, files })
t.strictSame(diagnostics, [])
const plans = toolsOf(program)

type Call = readonly [name: string, input: unknown]
/** Of single calls: what to call next, by what all calls have given, round by round; with nothing left to call, the answer. */
type Script = (given: readonly (readonly never[])[]) => readonly Call[] | { readonly answer: unknown }

interface Task {
  readonly name: string
  readonly isList: boolean
  readonly chain: string
  readonly input: unknown
  readonly single: Script
}

const done = (answer: unknown) => ({ answer })
const sum = (numbers: readonly number[]): number => numbers.reduce((all, n) => all + n, 0)
// What was given is whatever the script has asked for.
type Given = readonly (readonly any[])[]
const script = (next: (given: Given) => ReturnType<Script>): Script => next as Script

const TASKS: readonly Task[] = [
  {
    name: 'how long five pages are',
    isList: true,
    chain: 'search ; map([h.url for h in hits]) ; each(fetch ; map(length(value)))',
    input: { text: 'tea' },
    single: script(([a, b]) =>
      !a ? [['search', { text: 'tea' }]] : !b ? a[0].hits.map((h: any) => ['fetch', { input: h.url }]) : done(b.map((page) => page.length)),
    ),
  },
  {
    name: 'what six customers have bought for',
    isList: true,
    chain: 'customers ; each(map(id) ; orders ; map(sum([o.cents for o in value]))) ; map(sum(value))',
    input: { city: 'Ulm' },
    single: script(([a, b]) =>
      !a
        ? [['customers', { city: 'Ulm' }]]
        : !b
          ? a[0].map((c: any) => ['orders', { input: c.id }])
          : done(sum(b.flatMap((list) => list.map((o: any) => o.cents)))),
    ),
  },
  {
    name: 'four pages in a sentence each',
    isList: true,
    chain: 'search ; map([h.url for h in hits[:3]]) ; each(fetch ; summarise) ; map(join(value, "\\n"))',
    input: { text: 'ink' },
    single: script(([a, b, c]) =>
      !a
        ? [['search', { text: 'ink' }]]
        : !b
          ? a[0].hits.slice(0, 3).map((h: any) => ['fetch', { input: h.url }])
          : !c
            ? b.map((page) => ['summarise', { input: page }])
            : done(c.join('\n')),
    ),
  },
  {
    name: 'where the last order of a customer is',
    isList: false,
    chain: 'customers ; map(value[2].id) ; orders ; map(sort(value, o -> -o.day)[0]) ; map({ sku: sku }) ; shipment ; map(state)',
    input: { city: 'Ulm' },
    single: script(([a, b, c]) =>
      !a
        ? [['customers', { city: 'Ulm' }]]
        : !b
          ? [['orders', { input: a[0][2].id }]]
          : !c
            ? [['shipment', { sku: b[0].at(-1).sku }]]
            : done(c[0].state),
    ),
  },
  {
    name: 'what a thing costs in another currency, and its page',
    isList: false,
    chain:
      '(price * fetch) ; map([value[0].currency, text(value[0].cents), text(length(value[1]))]) ; ((map(value[0]) ; rate) * id) ; map([text(value[0]), value[1][1], value[1][2]])',
    input: 'tea',
    single: script(([a, b]) =>
      !a
        ? [
            ['price', { input: 'tea' }],
            ['fetch', { input: 'tea' }],
          ]
        : !b
          ? [['rate', { input: a[0].currency }]]
          : done([String(b[0]), String(a[0].cents), String(a[1].length)]),
    ),
  },
  {
    name: 'a page from a mirror where the first is away',
    isList: false,
    chain: '(away + fetch) ; summarise ; translate',
    input: 'mirror',
    single: script(([a, b, c, d]) =>
      !a
        ? [['away', { input: 'mirror' }]]
        : !b
          ? [['fetch', { input: 'mirror' }]]
          : !c
            ? [['summarise', { input: b[0] }]]
            : !d
              ? [['translate', { input: c[0] }]]
              : done(d[0]),
    ),
  },
  {
    name: 'the warmest of seven sensors',
    isList: true,
    chain: 'sensors ; each(reading ; map(celsius)) ; map(max(value, c -> c))',
    input: { room: 'hall' },
    single: script(([a, b]) =>
      !a
        ? [['sensors', { room: 'hall' }]]
        : !b
          ? a[0].map((s: string) => ['reading', { input: s }])
          : done(Math.max(...b.map((r) => r.celsius))),
    ),
  },
  {
    name: 'the first hit, translated',
    isList: false,
    chain: 'search ; map(hits[0].url) ; fetch ; map(slice(value, 0, 80)) ; translate',
    input: { text: 'jam' },
    single: script(([a, b, c]) =>
      !a
        ? [['search', { text: 'jam' }]]
        : !b
          ? [['fetch', { input: a[0].hits[0].url }]]
          : !c
            ? [['translate', { input: b[0].slice(0, 80) }]]
            : done(c[0]),
    ),
  },
  {
    name: 'the bugs of five repositories',
    isList: true,
    chain: 'repos ; each(issues) ; flatten ; map([i.title for i in value if i.label = "bug"])',
    input: { owner: 'me' },
    single: script(([a, b]) =>
      !a
        ? [['repos', { owner: 'me' }]]
        : !b
          ? a[0].map((r: string) => ['issues', { input: r }])
          : done(b.flatMap((list) => list.filter((i: any) => i.label === 'bug').map((i: any) => i.title))),
    ),
  },
  {
    name: 'the dearest order of each of four customers',
    isList: true,
    chain: 'customers ; map(value[:4]) ; each(map(id) ; orders ; map(max([o.cents for o in value], c -> c)))',
    input: { city: 'Jena' },
    single: script(([a, b]) =>
      !a
        ? [['customers', { city: 'Jena' }]]
        : !b
          ? a[0].slice(0, 4).map((c: any) => ['orders', { input: c.id }])
          : done(b.map((list) => Math.max(...list.map((o: any) => o.cents)))),
    ),
  },
]

/** A conversation of which only what calls and results add to it is kept. */
const openConversation = () => {
  const { registry } = openRegistry(plans)
  const dispatcher = openDispatcher({ registry, session: makeSession() })
  let made = 0
  const tools = openTools({
    declared: declareTools(plans.map(checkedTool)),
    gate: openToolPolicy(() => ({ policy: [], context: {} })),
    approvals: new Approvals({ announce: () => false, canBeAnswered: () => false, isRecorded: false, emit: () => {} }),
    caller: {
      call: (request) => {
        made++
        return dispatcher.answer(request)
      },
    },
    areParallel: true,
    composing: openComposing(10_000),
  })
  let bytes = 0
  let rounds = 0
  const round = async (calls: readonly Call[]): Promise<unknown[]> => {
    rounds++
    const uses = calls.map(([name, input], i): ToolUse => ({ type: 'tool_use', id: `call_${rounds}_${i}`, name, input: input as never }))
    const results = await tools.answer(uses, new AbortController().signal, () => {})
    if (!results.ok) throw new Error(results.error.detail)
    bytes += Buffer.byteLength(JSON.stringify(uses)) + Buffer.byteLength(JSON.stringify(results.value))
    return results.value.map(({ content }) => parsed(content))
  }
  // The answer itself is a round too.
  return { round, spent: () => ({ bytes, rounds: rounds + 1, calls: made }) }
}

const parsed = (content: unknown): unknown => {
  try {
    return JSON.parse(String(content))
  } catch {
    return content
  }
}

t.test('ten tasks by single calls and by compose: bytes in the conversation, and rounds', async (t) => {
  const lines: string[] = []
  let totals = { single: 0, compose: 0 }
  for (const { name, isList, chain, input, single } of TASKS) {
    const one = openConversation()
    const given: never[][] = []
    let next = single(given)
    for (; Array.isArray(next); next = single(given)) given.push((await one.round(next)) as never[])
    const other = openConversation()
    const [result] = await other.round([['compose', { chain, input }]])
    t.strictSame(result, (next as { answer: unknown }).answer, name)
    const [a, b] = [one.spent(), other.spent()]
    t.equal(b.calls, a.calls, `${name}: as many calls of tools`)
    t.ok(a.calls >= 3 && a.calls <= 8, `${name}: ${a.calls} calls`)
    const times = a.bytes / b.bytes
    lines.push(
      `${a.calls} calls, ${a.bytes} → ${b.bytes} bytes (${times.toFixed(1)} ×), ${a.rounds} → ${b.rounds} rounds: ${name}${isList ? ' (list)' : ''}`,
    )
    if (isList) t.ok(times >= 5, `${name}: ${times.toFixed(1)} times fewer bytes`)
    t.ok(b.bytes < a.bytes && b.rounds === 2, name)
    totals = { single: totals.single + a.bytes, compose: totals.compose + b.bytes }
  }
  for (const line of lines) t.comment(line)
  t.comment(`all: ${totals.single} → ${totals.compose} bytes (${(totals.single / totals.compose).toFixed(1)} ×)`)
})
