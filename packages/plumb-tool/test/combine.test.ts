// Combinations: their laws over random tools, who is cancelled, what errors carry, and how parts of a spec call each other.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { compile, type Type, toolsOf } from '@plumb/lang'
import { randomAt } from '@plumb/lang/random'
import { bundledFiles, type Code, type Fault, fail, type Result, succeed } from '@plumb/wire'
import fc from 'fast-check'
import t from 'tap'
import { processes } from '../../wire/test/processes.js'
import { holds, runs } from '../../wire/test/property.js'
import { packFor } from '../examples/embed.js'
import type { Tool } from '../src/call/tool.js'
import { choice, each, handoff, pool, product, sequence, trace } from '../src/combine/compose.js'
import type { JsonText } from '../src/json-text.js'
import { openRegistry } from '../src/registry/registry.js'
import { failingOf, fileRecorder, flakyOf, mockOf, spyOf } from '../src/source/test-doubles.js'
import { codeOf, INT, makeTool, openCall, openPromise, openSession, STRING, turn } from './call-session.js'
import { makeTestDirectory } from './source-directory.js'

const SETTINGS = { numRuns: runs(300) }

// A tool is a table: for each input modulo its length, after some turns of the loop, a number or an error.
const CODES: readonly Code[] = ['overloaded', 'evaluation_failed', 'no_such_file']
const arbitraryTool: fc.Arbitrary<Tool> = fc
  .array(
    fc.record({
      outcome: fc.oneof({ weight: 3, arbitrary: fc.nat(9) }, { weight: 1, arbitrary: fc.constantFrom(...CODES) }),
      turns: fc.nat(2),
    }),
    { minLength: 1, maxLength: 4 },
  )
  .map((rows) => ({
    ...makeTool(
      async (input) => {
        const { outcome, turns } = rows[Number(input) % rows.length] as (typeof rows)[number]
        for (let i = 0; i < turns; i++) await turn()
        return typeof outcome === 'number' ? succeed(String(outcome)) : fail(outcome, `on ${input}`)
      },
      { input: INT, output: INT },
    ),
  }))

const identity: Tool = { ...makeTool(undefined, { input: INT, output: INT }), name: 'id' }
const must = (made: Result<Tool>): Tool => {
  if (!made.ok) throw new Error(made.error.detail)
  return made.value
}
const ask = (tool: Tool, input: JsonText = '1') => tool.run(input, openCall(openSession()))
/** With what was tried before. */
const reported = (result: Result<JsonText>): unknown =>
  result.ok ? result.value : [...((result.error.earlier as { error: string }[] | undefined) ?? []), result.error].map(({ error }) => error)
const [F, G, H, K, N] = [arbitraryTool, arbitraryTool, arbitraryTool, arbitraryTool, fc.nat(9)]

const INTS: Type = { kind: 'array', item: INT }
const listIdentity: Tool = { ...makeTool(undefined, { input: INTS, output: INTS }), name: 'id' }
/** A number n in, and what becomes of the list of the numbers up to n out. */
const onList = (tool: Tool): Tool => {
  const numbers = makeTool((n) => succeed(JSON.stringify(Array.from({ length: Number(n) }, (_, i) => i))), { input: INT, output: INTS })
  return must(sequence([numbers, tool]))
}

type Sides = readonly [left: Result<Tool>, right: Result<Tool>]

/** `hides`: of two that fail, which comes first is a matter of time. */
const law = <Tools extends Tool[]>(
  text: string,
  tools: { [K in keyof Tools]: fc.Arbitrary<Tools[K]> },
  sides: (...tools: Tools) => Sides,
  hides = false,
) =>
  void t.test(text, async (t) => {
    const property = fc.asyncProperty(N, fc.tuple(...tools), async (n, made) => {
      const [left, right] = sides(...(made as Tools)).map(must) as [Tool, Tool]
      const [a, b] = [await ask(left, String(n)), await ask(right, String(n))]
      if (hides && !a.ok && !b.ok) return
      if (!isDeepStrictEqual(reported(a), reported(b)))
        throw new Error(`${JSON.stringify(reported(a))} is not ${JSON.stringify(reported(b))}`)
    })
    await holds(t, property, SETTINGS)
  })

const then = (made: Result<Tool>, combine: (tool: Tool) => Result<Tool>): Result<Tool> => combine(must(made))

law('id ; f = f', [F], (f) => [sequence([identity, f]), succeed(f)])
law('f ; id = f', [F], (f) => [sequence([f, identity]), succeed(f)])
law('(f ; g) ; h = f ; (g ; h)', [F, G, H], (f, g, h) => [
  then(sequence([f, g]), (fg) => sequence([fg, h])),
  then(sequence([g, h]), (gh) => sequence([f, gh])),
])
law(
  '(f * g) ; (h * k) = (f ; h) * (g ; k)',
  [F, G, H, K],
  (f, g, h, k) => [
    sequence([must(product([f, g])), must(product([h, k], { isOnParts: true }))]),
    product([must(sequence([f, h])), must(sequence([g, k]))]),
  ],
  true,
)
law('(f + g) + h = f + (g + h)', [F, G, H], (f, g, h) => [
  then(choice([f, g]), (fg) => choice([fg, h])),
  then(choice([g, h]), (gh) => choice([f, gh])),
])
law('trace(id) = id', [], () => [trace(identity), succeed(identity)])

law('each(id) = id', [], () => [succeed(onList(each(identity))), succeed(onList(listIdentity))])
law(
  'each(f ; g) = each(f) ; each(g)',
  [F, G],
  (f, g) => [then(sequence([f, g]), (fg) => succeed(onList(each(fg)))), then(sequence([each(f), each(g)]), (fg) => succeed(onList(fg)))],
  true,
)

t.test('f + g = f where f succeeds, and g where f fails', async (t) => {
  const property = fc.asyncProperty(N, F, G, async (n, f, g) => {
    const [first, second] = [await ask(f, String(n)), await ask(g, String(n))]
    const either = await ask(must(choice([f, g])), String(n))
    if (first.ok) return isDeepStrictEqual(either, first)
    return second.ok ? isDeepStrictEqual(either, second) : codeOf(either) === codeOf(second)
  })
  await holds(t, property, SETTINGS)
})

t.test('trace(f) gives a fixed point of f, or what f gave at last', async (t) => {
  const property = fc.asyncProperty(N, F, fc.integer({ min: 1, max: 20 }), async (n, f, max) => {
    const end = await ask(must(trace(f, { max })), String(n))
    let [value, count] = [String(n), 0]
    for (let last = ''; count < max && value !== last; count++) {
      last = value
      const next = await ask(f, value)
      if (!next.ok) return codeOf(end) === codeOf(next)
      value = next.value
    }
    return end.ok && end.value === value
  })
  await holds(t, property, SETTINGS)
})

t.test('one error cancels the others, and is reported when they have really stopped', async (t) => {
  const stopped: string[] = []
  const slow = makeTool(
    (_, { signal }) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', async () => {
          await turn()
          stopped.push('slow')
          resolve(fail('cancelled', 'cancelled'))
        })
      }),
  )
  const quick = makeTool(() => fail('evaluation_failed', 'no'))
  for (const tools of [
    [slow, quick],
    [quick, slow],
    [slow, quick, slow],
  ] as [Tool, Tool][]) {
    stopped.length = 0
    t.equal(codeOf(await ask(must(product(tools)))), 'evaluation_failed')
    t.equal(stopped.length, tools.length - 1)
  }
  const outer = new AbortController()
  const both = must(product([slow, slow])).run('1', openCall(openSession(), { signal: outer.signal }))
  outer.abort()
  t.equal(codeOf(await both), 'cancelled', 'an outer one reaches all')
})

t.test('each on its part of a tuple, as it is written', async (t) => {
  const parts = must(product([identity, identity], { isOnParts: true }))
  t.strictSame(await ask(parts, ' [ 12345678901234567890 , 1.50 ] '), succeed('[12345678901234567890,1.50]'))
  for (const input of ['[1]', '[1,2,3]', '{"a":1}', '7']) t.equal(codeOf(await ask(parts, input)), 'input_type_mismatch', input)
})

t.test('trace: until, max, and what never comes out', async (t) => {
  const inc = makeTool((input) => succeed(String(Math.min(Number(input) + 1, 8))), { input: INT, output: INT })
  const runs = async (options: Parameters<typeof trace>[1], input = '1') => {
    const result = await ask(must(trace(inc, options)), input)
    return result.ok ? result.value : codeOf(result)
  }
  t.equal(await runs({}), '8', 'stops where it no longer changes')
  t.equal(await runs({ max: 3 }), '4', 'the last value')
  t.equal(await runs({ until: (n) => Number(n) >= 5 }), '5')
  t.equal(await runs({ max: 3, until: (n) => Number(n) >= 4 }), '4', 'in the last round')
  t.equal(await runs({ max: 3, until: (n) => Number(n) >= 5 }), 'trace_limit')
  t.equal(await runs({ until: (n) => Number(n) >= 9 }), 'trace_limit', 'it no longer changes')
  t.equal(await runs({ until: () => JSON.parse('x') }), 'evaluation_failed')
  const other = makeTool((input) => succeed(input === '1.0' ? '1' : '1.0'))
  t.strictSame(await ask(must(trace(other)), '1'), succeed('1.0'), 'written otherwise is not changed')
  t.equal(other.runs, 1)
})

t.test('each: so many at once, in the order of the elements, and the first failure ends it', async (t) => {
  const begun: number[] = []
  const gates = Array.from({ length: 6 }, () => openPromise<Result<JsonText>>())
  const aborted: number[] = []
  const gated = makeTool(
    (input, { signal }) => {
      const n = Number(input)
      begun.push(n)
      signal.addEventListener('abort', () => {
        aborted.push(n)
        gates[n]?.resolve(fail('cancelled', ''))
      })
      return (gates[n] as (typeof gates)[number]).promise
    },
    { input: INT, output: INT },
  )
  const running = ask(each(gated, { parallel: 2 }), ' [0, 1, 2, 3, 4, 5]')
  await turn()
  t.strictSame(begun, [0, 1], 'two at once')
  gates[1]?.resolve(succeed('10'))
  await turn()
  t.strictSame(begun, [0, 1, 2], 'a place that is free is taken')
  gates[2]?.resolve(fail('evaluation_failed', 'it is even'))
  t.match(await running, { error: { error: 'evaluation_failed', index: 2, detail: 'it is even' } })
  t.strictSame(begun, [0, 1, 2], 'calls not yet begun are not made')
  t.ok(aborted.includes(0), 'what had begun is ended')

  const odd = makeTool((input) => (Number(input) % 2 === 1 ? succeed(`${input}.50`) : fail('evaluation_failed', '')))
  const warnings: unknown[] = []
  const session = openSession()
  const servers = { ...session.servers, warn: ({ index, indexes }: Fault) => void warnings.push(indexes ?? index) }
  const skipping = async (tool: Tool, input: JsonText) => tool.run(input, openCall({ ...session, servers }))
  t.strictSame(await skipping(each(odd, { skips: true }), '[1,2,3,4]'), succeed('[1.50,3.50]'), 'numbers keep their digits')
  t.strictSame(warnings.splice(0), [1, 3])
  t.strictSame(await skipping(each(each(odd, { skips: true })), '[[],[1,2]]'), succeed('[[],[1.50]]'))
  t.strictSame(warnings.splice(0), [[1, 1]], 'of the outermost list, and of all')
  t.match(await ask(each(each(odd)), '[[1],[3,4]]'), { error: { index: 1, indexes: [1, 1] } }, 'of the outermost list, and of all')
  t.strictSame(await ask(each(odd), '[]'), succeed('[]'))
  for (const input of ['{}', '7']) t.equal(codeOf(await ask(each(odd), input)), 'input_type_mismatch', input)
})

t.test('types are looked at', async (t) => {
  const text = makeTool(undefined, { input: STRING, output: STRING })
  const count = { ...makeTool(undefined, { input: STRING, output: INT }), name: 'count' }
  const wrong: Record<string, Result<Tool>> = {
    sequence: sequence([count, text]),
    product: product([text, identity]),
    choice: choice([identity, text]),
    pool: pool([text, identity]),
    trace: trace(count),
  }
  for (const [name, made] of Object.entries(wrong)) {
    t.match(made, { ok: false, error: { error: 'type_mismatch', detail: /'int'.*'string'|'string'.*'int'/ } }, name)
  }
  t.equal(must(choice([text, count])).output.kind, 'sum', 'disjoint outputs are joined')
  t.equal(must(sequence([must(sequence([text, count])), identity])).name, '(probe ; count) ; id')
})

t.test('pool: in turn or to the least busy, and on to the next when that may help', async (t) => {
  const log: string[] = []
  const gates = new Map<string, ReturnType<typeof openPromise<Result<JsonText>>>>()
  const member = (name: string, result?: Result<JsonText>): Tool => ({
    ...makeTool(() => {
      log.push(name)
      if (result) return result
      const gate = openPromise<Result<JsonText>>()
      gates.set(name, gate)
      return gate.promise
    }),
    name,
  })
  const fine = succeed('1')
  const turns = must(pool([member('a', fine), member('b', fine), member('c', fine)]))
  for (let i = 0; i < 5; i++) await ask(turns)
  t.equal(log.splice(0).join(''), 'abcab')
  const helped = must(pool([member('a', fail('overloaded', '')), member('b', fine)]))
  t.ok((await ask(helped)).ok)
  t.equal(log.splice(0).join(''), 'ab')
  const lost = must(pool([member('a', fail('overloaded', '')), member('b', fail('timeout', ''))]))
  t.match(await ask(lost), { error: { error: 'timeout', earlier: [{ error: 'overloaded' }] } })
  log.length = 0
  const refused = must(pool([member('a', fail('permission_denied', '')), member('b', fine)]))
  t.equal(codeOf(await ask(refused)), 'permission_denied', 'what will not help is not tried')
  t.equal(log.splice(0).join(''), 'a')
  const busy = must(pool([member('a'), member('b'), member('c')], 'least-busy'))
  const asked = [ask(busy), ask(busy), ask(busy)]
  gates.get('b')?.resolve(fine)
  await asked[1]
  asked.push(ask(busy))
  t.equal(log.splice(0).join(''), 'abcb', 'b is free again')
  for (const gate of gates.values()) gate.resolve(fine)
  await Promise.all(asked)
})

t.test('hand-off: for some categories or codes only', async (t) => {
  const away = { ...makeTool(failingOf('unavailable')), name: 'away' }
  const fine = makeTool(mockOf({ n: 1 }))
  for (const [on, code] of [
    [['unavailable'], 'ok'],
    [['overloaded'], 'ok'],
    [['denied', 'timeout'], 'overloaded'],
  ] as const) {
    t.equal(codeOf(await ask(must(handoff([away, fine], on)))), code, on.join())
  }
})

t.test('doubles', async (t) => {
  const fine = makeTool()
  const calls = async (rate: number, seed: number) => {
    const flaky = { ...fine, run: flakyOf(fine, { rate, seed }) }
    return Promise.all(Array.from({ length: 200 }, async () => (await ask(flaky)).ok))
  }
  t.strictSame(await calls(0.3, 7), await calls(0.3, 7), 'a function of the seed')
  t.notSame(await calls(0.3, 7), await calls(0.3, 8))
  t.strictSame(
    (await calls(0.3, 7)).map((isOk) => !isOk),
    Array.from({ length: 200 }, (_, i) => randomAt(7, i + 1) < 0.3),
    'and of the number of the call',
  )
  t.ok((await calls(0, 1)).every(Boolean))
  t.notOk((await calls(1, 1)).some(Boolean))
  const mean = Array.from({ length: 20_000 }, (_, i) => randomAt(3, i)).reduce((sum, n) => sum + n, 0) / 20_000
  t.ok(Math.abs(mean - 0.5) < 0.01, `mean ${mean}`)
  t.match(
    await ask({ ...fine, run: flakyOf(fine, { rate: 1 }) }),
    { error: { seed: Number, call: 1, detail: /seed \d+/ } },
    'a drawn seed is reported',
  )

  for (const category of ['config', 'invalid', 'not_found', 'denied', 'internal', 'unavailable'] as const) {
    t.match(await ask({ ...fine, run: failingOf(category) }), { ok: false, error: { category } })
  }

  const directory = makeTestDirectory({})
  const spied = { ...fine, run: spyOf(fine, fileRecorder(join(directory, 'calls.jsonl'))) }
  await ask(spied, '{"n":1.50}')
  await ask({ ...fine, run: spyOf({ ...fine, run: failingOf('denied') }, fileRecorder(join(directory, 'calls.jsonl'))) }, '2')
  const [first = '', second = ''] = readFileSync(join(directory, 'calls.jsonl'), 'utf8').split('\n')
  t.match(first, /^\{"tool":"probe","id":"call-1","input":\{"n":1\.50\},"ok":true,"result":\{"n":1\.50\},"ms":\d+\}$/)
  t.match(JSON.parse(second), { input: 2, ok: false, error: { error: 'permission_denied' } })
  fine.runs = 0
  const nowhere = await ask({ ...fine, run: spyOf(fine, fileRecorder(join(directory, 'none/calls.jsonl'))) })
  t.match(nowhere, { error: { error: 'write_failed', detail: /cannot record to '.*none\/calls\.jsonl'/ } })
  t.equal(fine.runs, 0, 'what cannot be recorded is not run')
})

const open = (text: string) => {
  const files = bundledFiles({ entry: 't', files: { t: text }, modules: {} })
  const { program, diagnostics } = compile({ path: 't', text, files })
  t.strictSame(
    diagnostics.map(({ message }) => message),
    [],
  )
  return openRegistry(toolsOf(program))
}

t.test('each in a chain: each call has the one around it as its parent', async (t) => {
  const { registry } = open(`
    let inc : int -> int = map(value + 1)
    @tool true let all : { hits: [int] } -> [int] = map(hits) ; each(inc ; inc)
  `)
  const session = openSession()
  const tool = registry.get('all')?.tool as Tool
  t.strictSame(await tool.run('{"hits":[1,5]}', openCall(session, { id: 'outer' })), succeed('[3,7]'))
  const seen = session.traced.filter(({ tool }) => tool === 'inc').map(({ depth, parent }) => [depth, parent])
  t.strictSame(seen, Array(4).fill([1, 'outer']))
})

t.test('fault 63: bindings in a chain are calls of their own, with parent and depth', async (t) => {
  const { registry } = open(`
    let inc : int -> int = map(value + 1)
    let twice : int -> int = inc ; map(value * 1) ; inc
    @tool true let all : int -> (int, int) = trace(twice, max: 2) * (inc + twice)
  `)
  const session = openSession()
  const tool = registry.get('all')?.tool as Tool
  const result = await tool.run('{"input":1}', openCall(session, { id: 'outer' }))
  t.strictSame(result, succeed('[5,2]'))
  const seen = session.traced.map(({ tool, depth, parent }) => [tool, depth, parent])
  t.strictSame(
    seen.filter(([name]) => name === 'twice').map(([, depth, parent]) => [depth, parent]),
    [
      [1, 'outer'],
      [1, 'outer'],
    ],
  )
  t.equal(seen.filter(([name, depth]) => name === 'inc' && depth === 2).length, 4)
  t.equal(seen.filter(([name, depth]) => name === 'inc' && depth === 1).length, 1)
  t.equal(new Set(session.traced.map(({ id }) => id)).size, seen.length, 'each with an id of its own')
})

t.test('registry', async (t) => {
  const { registry, faults } = open(`
    let inner : int -> int = map(value + 1)
    @tool true let outer : int -> int = inner
    let safe : int -> int = tool { handoff: [inner, outer] }
  `)
  t.strictSame(faults, [])
  t.strictSame(
    registry.list().map(({ plan }) => plan.name),
    ['outer', 'safe'],
  )
  t.equal(registry.get('inner'), undefined)
  t.ok(registry.isInternal('inner'))
  t.equal(registry.get('outer')?.tool, registry.get('outer')?.tool, 'made once')
  t.ok(registry.get('outer')?.schema.isWrapped)

  const plansIn = (path: string) => {
    const text = 'let search : json -> json = tool { mock: 1 }'
    const { program } = compile({ path, text, files: bundledFiles({ entry: path, files: { [path]: text }, modules: {} }) })
    return toolsOf(program)
  }
  t.match(openRegistry([...plansIn('a.plumb'), ...plansIn('b.plumb')]).faults, [
    { error: 'duplicate_name', detail: "two tools are named 'search': one in 'a.plumb', one in 'b.plumb'" },
  ])

  const broken = open(`
    let a : json -> json = tool { builtin: "reed_file" }
    let b : { arguments?: [string] } -> string = tool { command: "no-such-program x" }
    let c : int -> int = tool { function: "./none.js#f" }
    let d : int -> int = tool { mock: 1 }
  `)
  t.match(broken.faults, [
    { error: 'config_invalid', detail: /reed_file.*did you mean/ },
    { error: 'file_not_found', detail: /'b'.*no-such-program/ },
    { error: 'file_not_found', detail: /'c'.*none\.js/ },
  ])

  const many = Array.from({ length: 100 }, (_, i) => `let t${i} : { arguments?: [string] } -> string = tool { command: "sleep 4714" }`)
  t.equal(open(many.join('\n')).registry.list().length, 100)
  t.strictSame(
    processes().filter(({ args }) => args === 'sleep 4714'),
    [],
    'a hundred tools start nothing',
  )
})

t.test('the example of a program that embeds tools', async (t) => {
  t.strictSame(await packFor('Reykjavik'), [{ degrees: 4 }, 'a coat'])
  t.strictSame(await packFor('Nairobi'), [{ degrees: 21 }, 'a shirt'], 'the error of one is the turn of the other')
})

t.test('the thirtieth call is checked as the first was', async (t) => {
  const { registry } = open(`
    type Q = { n: int, m: int = 7 }
    @tool true let int_in : int -> int = map(value * 2)
    @tool true let any_in : json -> json = id
    @tool true let record_in : Q -> [int] = map([n, m])
    @tool true let text_in : string -> string = id
    let wrong_out : json -> int = tool { mock: 1 }
  `)
  const inputs = [
    '5',
    '{"input":5}',
    '{"n":1}',
    '{"n":"1","m":2}',
    '{"n":1,"m":2}',
    '"x"',
    '"\\ud800"',
    ' 5 ',
    '{"n":1,\n"m":2}',
    'no',
    '"5"',
  ]
  for (const { tool } of registry.list()) {
    for (const input of inputs) {
      const first = await ask(tool, input)
      for (let i = 0; i < 30; i++) await ask(tool, input)
      t.strictSame(await ask(tool, input), first, `${tool.name} of ${input}`)
    }
  }
})
