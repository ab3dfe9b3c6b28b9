// long
// Chains that a model writes: what they are refused for, and what they do, against the same chain in a spec; and what they may not do.

import { bindingNamed, type ChainTool, compile, hasErrors, toolOf, toolsOf, toText } from '@plumb/lang'
import { fail, fault, type Result, succeed } from '@plumb/wire'
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import t from 'tap'
import { perform } from '../src/call/perform.js'
import { wordsFor } from '../src/compose/chain-names.js'
import { type Composition, compose } from '../src/compose/compose.js'
import { NOTATION, signaturesOf } from '../src/compose/description.js'
import { checkChain, runChain } from '../src/compose/run-chain.js'
import { openRegistry } from '../src/registry/registry.js'
import { openSession } from './call-session.js'

// PLUMB_SEED: the chains of another run; it is printed. PLUMB_CHAINS: how many.
const SEED = process.env.PLUMB_SEED === undefined ? Date.now() % 2 ** 31 : Number(process.env.PLUMB_SEED)
const CHAINS = Number(process.env.PLUMB_CHAINS ?? 500)

const SPEC = `
type Hit = { url: string, rank: int }
@tool true
let search : { text: string } -> { hits: [Hit] } = map({ hits: [{ url: text + "/1", rank: 2 }, { url: text + "/2", rank: 1 }] })
@tool true
let fetch : string -> string = map("page of " + value)
@tool true
let size : string -> int = map(length(value))
@tool true
let less : int -> int = map(if value > 0 then value - 1 else 0)
@tool true
let half : int -> number = map(value / 2)
@tool true
let both : (string, int) -> string = map($"{value[0]} {value[1]}")
@tool true
let never : int -> int = map(1 / (value - value)) ; map(round(value))
`
const FILES = { read: () => fail('file_not_found', ''), find: () => undefined, beside: (path: string) => path }
const compiled = (text: string) => compile({ path: 'a.plumb', text, files: FILES })
const PROGRAM = compiled(SPEC).program
const { registry } = openRegistry(toolsOf(PROGRAM))
const TOOLS: readonly ChainTool[] = registry.list().map(({ plan }) => plan)

const call = async (name: string, input: string): Promise<Result<string>> => {
  const tool = registry.get(name)?.tool
  return tool
    ? (await perform(tool, input, { session: openSession(), signal: new AbortController().signal })).result
    : fail('unknown_tool', name)
}

const run = (chain: string, input?: unknown, parts: Partial<Composition> = {}) => {
  const calls: string[] = []
  const outcome = compose({
    chain,
    input: input === undefined ? undefined : JSON.stringify(input),
    tools: TOOLS,
    parallel: 8,
    signal: new AbortController().signal,
    warn: () => {},
    call: (tool, json) => {
      calls.push(tool)
      return call(tool, json)
    },
    ...parts,
  })
  return outcome.then((composed) => ({ composed, calls }))
}

t.test('one call for several, in order, over lists, with the repairs and defaults of what the first tool takes', async (t) => {
  const table: readonly (readonly [chain: string, input: unknown, result: unknown, calls: number])[] = [
    ['search ; map([h.url for h in hits]) ; each(fetch ; size) ; map(sum(value))', { text: 'a' }, 22, 5],
    [
      'search',
      '{"text":"a"}',
      {
        hits: [
          { url: 'a/1', rank: 2 },
          { url: 'a/2', rank: 1 },
        ],
      },
      1,
    ],
    ['(size * fetch) ; map({ n: value[0], page: value[1] })', 'ab', { n: 2, page: 'page of ab' }, 2],
    ['size * less', ['ab', 3], [2, 2], 2],
    ['fetch * less ; both', ['ab', 3], 'page of ab 2', 3],
    ['never + half', 3, 1.5, 2],
    ['trace(less, until: value <= 1)', 4, 1, 3],
    ['search ; map(hits) ; map(sort(value, h -> h.rank)) ; map(value[0].url)', { text: 'b' }, 'b/2', 1],
    ['map([x for x in value if length(x) > 1]) ; each(size)', ['a', 'bc'], [2], 1],
    ['each(size)', [], [], 0],
    // A list is a tuple where only that is accepted, also where a tool behind takes a list.
    ['((map(value[0]) + each(size)) + map(hits)) ; map([value, value]) ; map(value[0])', ['a', 'bcd'], 'a', 0],
    ['map({ name: value[0], n: value[1] + 1 })', ['ab', 3], { name: 'ab', n: 4 }, 0],
    ['map(value[1] - 1) ; less', ['ab', 3], 1, 1],
    ['map({ a: value.a, ...value.b }) ; map(value.c)', { a: 1, b: { c: 2 } }, 2, 0],
  ]
  for (const [chain, input, result, made] of table) {
    const { composed, calls } = await run(chain, input)
    t.strictSame(composed.kind === 'done' && composed.result.ok ? JSON.parse(composed.result.value) : composed, result, chain)
    t.equal(calls.length, made, chain)
  }
})

t.test('what is refused before anything runs says where and how to fix it, as check does', async (t) => {
  const table: readonly (readonly [chain: string, input: unknown, reported: RegExp])[] = [
    ['size ; fetch', 'a', /^chain:1:8: error: 'fetch' takes 'string', it is given 'int'\n {2}size ; fetch\n {9}\^+\nhelp: convert/],
    ['size ; fecth', 'a', /no binding is named 'fecth'[\s\S]*help: did you mean 'fetch'\?/],
    ['size ; ledger_of_all', 'a', /help: the tools are search, fetch/],
    ['map(size(value))', 'a', /1:5: error: 'size' is a tool, and an expression has no effects/],
    ['compose', {}, /no binding is named 'compose'/],
    ['size ;', 'a', /1:7: error: expected a process/],
    ['size\nlet x : int -> int = less', 'a', /2:1: error/],
    ['(size * size) ; barrier', 'a', /is for streams only/],
    ['less', 'one', /'less' takes 'int', it is given 'string'/],
    ['search', { txt: 'a' }, /'txt' is unknown there/],
    ['size ; map(value.x)', 'a', /1:18: error/],
    ['each(size)', 'a', /'each' takes a list, it is given 'string'/],
    ['both', ['a'], /error: /],
    [`${'map('.repeat(250)}1`, 1, /error/],
  ]
  for (const [chain, input, reported] of table) {
    const { composed, calls } = await run(chain, input)
    t.match(composed, { kind: 'refused', text: reported }, chain)
    t.equal(calls.length, 0, chain)
  }
  t.match((await run('id ; '.repeat(900), 1)).composed, { result: { error: { error: 'too_large', detail: /4500 bytes, and 4096/ } } })
})

t.test(
  `of ${CHAINS} random chains the ill-typed ones are refused before a call, the others give what they give in a spec (seed ${SEED})`,
  async (t) => {
    const random = randomOf(SEED)
    const seen = { refused: 0, run: 0, failed: 0 }
    for (let i = 0; i < CHAINS; i++) {
      const { chain, input, type } = randomChain(random)
      // A list is a tuple where the chain takes one.
      const [, item] = /^\[(\w+)\]$/.exec(type) ?? []
      const types = Array.isArray(input) && item && input.length > 1 ? [type, `(${input.map(() => item).join(', ')})`] : [type]
      const references = types.map((type) => compiled(`${SPEC}\nlet probe : ${type} -> json = ${chain}`))
      const reference = references.find(({ diagnostics }) => !hasErrors(diagnostics)) ?? (references[0] as (typeof references)[0])
      const isWrong = hasErrors(reference.diagnostics)
      let calls = 0
      const counted = (tool: string, json: string): Promise<Result<string>> => {
        calls++
        return call(tool, json)
      }
      const host = { warn: () => {}, call: counted }
      const outcome = await runChain({ chain, input: JSON.stringify(input), tools: TOOLS }, host)
      const what = `${chain} on ${JSON.stringify(input)} (chain ${i} of seed ${SEED})`
      if (isWrong !== (outcome.kind === 'refused')) {
        t.fail(`${what}: ${isWrong ? reference.diagnostics.map(toText).join('\n') : JSON.stringify(outcome)}`)
        continue
      }
      if (outcome.kind === 'refused') {
        seen.refused++
        if (calls > 0 || !/\d+:\d+: error: /.test(outcome.text)) t.fail(`${what}: ${outcome.text}`)
        continue
      }
      const probe = bindingNamed(reference.program, 'probe')
      const own = openRegistry([...toolsOf(reference.program), ...(probe ? [{ ...toolOf(probe), isExposed: true }] : [])]).registry.get(
        'probe',
      )
      const expected =
        own && (await perform(own.tool, JSON.stringify(input), { session: openSession(), signal: new AbortController().signal })).result
      const reported = (result: Result<string> | undefined) => (result?.ok ? result.value : result?.error.error)
      if (reported(outcome.result) !== reported(expected)) t.fail(`${what}: ${reported(outcome.result)}, not ${reported(expected)}`)
      seen[outcome.result.ok ? 'run' : 'failed']++
    }
    t.comment(`seed ${SEED}: ${JSON.stringify(seen)}`)
    t.ok(seen.refused > CHAINS / 20 && seen.run > CHAINS / 20, JSON.stringify(seen))
  },
)

t.test('64 calls and no more, whatever would go on without them; what was called is reported', async (t) => {
  const numbers = many(65)
  for (const chain of [
    'each(less)',
    'each(less) + map([0])',
    'each(less, on_error: "skip")',
    'map([[x] for x in value]) ; each(each(less))',
  ]) {
    const { composed, calls } = await run(chain, numbers)
    t.match(composed, { result: { ok: false, error: { error: 'tool_limit', calls: [{ tool: 'less' }] } } }, chain)
    t.equal(calls.length, 64, chain)
  }
  const { composed } = await run('each(less)', numbers)
  const made = composed.kind === 'done' && !composed.result.ok ? (composed.result.error.calls as { results: unknown[] }[])[0] : undefined
  t.equal(made?.results.length, 64)
  const spent = await run('each(less)', numbers, { refuse: () => fault('tool_limit', 'spent') })
  t.match(spent, { composed: { result: { error: { detail: 'spent' } } }, calls: [] })
})

t.test('a chain computes so much and no more, and leaves the rest of the process alone', async (t) => {
  const table: readonly (readonly [chain: string, input: unknown, why: RegExp])[] = [
    ['trace(map(value + 1), max: 1000000000)', 0, /more than 1,000,000 steps/],
    [`${'copy ; '.repeat(40)}id`, 'a'.repeat(1000), /./],
    [`${'map(value + value) ; '.repeat(100)}id`, 'abcdefgh', /larger|longer|more than/],
    ['map([1 for a in value for b in value for c in value for d in value for e in value])', many(200), /looks at more than|larger than/],
  ]
  for (const [chain, input, why] of table) {
    // On a busy machine the limit of time would come first.
    const { composed } = await run(chain, input, { maxBusyMs: 120_000 })
    t.match(
      composed.kind === 'refused' ? composed.text : composed.result.ok ? 'done' : composed.result.error.detail,
      why,
      chain.slice(0, 40),
    )
  }
  const slow = 'map([length(upper(join([x for y in value], "-"))) for x in value for z in value])'
  let turns = 0
  const timer = setInterval(() => turns++, 1)
  const { composed } = await run(slow, many(3000).map(String), { maxBusyMs: 300 })
  clearInterval(timer)
  t.match(composed, { result: { error: { error: 'too_large', detail: /computes for more than 0\.3 s/ } } })
  t.ok(turns > 1, 'meanwhile others have their turn')
})

const many = (length: number): number[] => Array.from({ length }, (_, i) => i)

t.test('a failure ends the calls beside it, on_error leaves it out, and one that is cancelled is stopped', async (t) => {
  const stopped: string[] = []
  const late = (tool: string, json: string, _: number, signal: AbortSignal): Promise<Result<string>> =>
    new Promise((resolve) => {
      if (json === '2') return resolve(fail('no_such_file', 'two'))
      if (json !== '1') return resolve(succeed(json))
      signal.addEventListener('abort', () => {
        stopped.push(tool)
        resolve(fail('cancelled', 'stopped'))
      })
    })
  t.match((await run('each(less)', [1, 2, 3], { call: late })).composed, {
    result: { error: { error: 'no_such_file', index: 1, tool: 'less', calls: [{ tool: 'less' }] } },
  })
  t.strictSame(stopped, ['less'])
  const warned: unknown[] = []
  const skipped = await run('each(less, on_error: "skip")', [2, 3], { call: late, warn: (w) => warned.push(w) })
  t.strictSame([skipped.composed, warned.length], [{ kind: 'done', result: succeed('[3]') }, 1])
  const stop = new AbortController()
  const given = run('less', 1, {
    signal: stop.signal,
    call: (...args) => {
      setImmediate(() => stop.abort())
      return late(...args)
    },
  })
  t.match((await given).composed, { result: { error: { error: 'cancelled' } } })
  t.equal(stopped.length, 2)
})

t.test('the notation takes less than 300 tokens, and all that it shows is right', async (t) => {
  const tokens = encode(NOTATION).length
  t.comment(`${tokens} tokens (o200k_base)`)
  t.ok(tokens < 270, `${tokens} tokens: other tokenizers count up to a tenth more`)
  const [, example = ''] = /Example: (.*)/.exec(NOTATION) ?? []
  t.match(checkChain(example, '{"text":"a"}', TOOLS), { ok: true }, example)
  const [, expressions = ''] = /Expressions: ([\s\S]*?);/.exec(NOTATION) ?? []
  t.match(expressions, /for x in xs if/)
  const shown =
    '{ a: value.a.b, c: xs[0], d: [x.url for x in xs if x.n > 3], e: { a: x, ...value.a }, f: $"text {x}", g: if c then a else a, h: a.k ?? 1, i: sort(xs, x -> x.n), j: unique(xs), k: group(xs, x -> x.url), l: join(["a"], ", ") }'
  const input = { a: { b: 1 }, x: 1, c: true, xs: [{ url: 'u', n: 4 }] }
  t.match(checkChain(`map(${shown.replace('h: a.k ?? 1, ', '')})`, JSON.stringify(input), TOOLS), { ok: true })
  t.equal(signaturesOf(TOOLS).split('\n').at(-1), 'type Hit = { url: string, rank: int }')
})

t.test('names of servers and their tools become words, no two alike', (t) => {
  t.strictSame(wordsFor(['a-b', 'a_b', 'a.b', 'map', '7z', 'a_b', 'ok', 'é']), ['a_b_2', 'a_b', 'a_b_3', '_map', '_7z', 'a_b_4', 'ok', '_'])
  t.end()
})

type Random = (count: number) => number

const randomOf = (seed: number): Random => {
  let state = seed >>> 0
  return (count) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * count)
  }
}

const INPUTS: readonly (readonly [type: string, input: unknown])[] = [
  ['{ text: string }', { text: 'q' }],
  ['string', 'ab'],
  ['int', 3],
  ['[string]', ['a', 'bcd']],
  ['[int]', [0, 2, 5]],
]
const MAPS = [
  'value',
  'text',
  '[h.url for h in hits]',
  'length(value)',
  'value + 1',
  'text(value)',
  'sum(value)',
  '[value, value]',
  'value[0]',
  '{ text: value }',
  'hits',
  'value.hits[1].url',
]

/** Often right, and about as often not. */
const randomChain = (random: Random): { chain: string; input: unknown; type: string } => {
  const one = <T>(list: readonly T[]): T => list[random(list.length)] as T
  const [type, input] = one(INPUTS)
  const part = (depth: number): string => {
    const kind = random(depth > 2 ? 2 : 10)
    if (kind < 4) return one(TOOLS).name
    if (kind < 6) return `map(${one(MAPS)})`
    if (kind === 6) return `each(${list(depth + 1)})`
    if (kind === 7) return `(${part(depth + 1)} ${one(['*', '+'])} ${part(depth + 1)})`
    if (kind === 8) return `trace(${part(depth + 1)}, max: 3)`
    return one(['id', 'copy', 'flatten', 'discard'])
  }
  const list = (depth: number): string => Array.from({ length: 1 + random(random(2) + 2) }, () => part(depth)).join(' ; ')
  return { chain: list(0), input, type }
}
