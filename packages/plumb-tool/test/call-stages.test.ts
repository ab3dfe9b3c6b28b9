// The stages around a call: their order, what each does alone, and that together they cost next to nothing.

import { fail, type Result, succeed } from '@plumb/wire'
import t from 'tap'
import { withApproval } from '../src/call/approve.js'
import type { Call } from '../src/call/call.js'
import { withPathLocks } from '../src/call/path-locks.js'
import { perform } from '../src/call/perform.js'
import { withPermission } from '../src/call/permission.js'
import { withRetry } from '../src/call/retry.js'
import { secure, withRun } from '../src/call/secure.js'
import type { CallSettings } from '../src/call/settings.js'
import { withTimeout } from '../src/call/timeout.js'
import type { Tool, Wrap } from '../src/call/tool.js'
import type { JsonText } from '../src/json-text.js'
import { codeOf, INT, makeTool, openCall, openPromise, openSession, record, STRING, turn } from './call-session.js'

const N = record({ n: INT })
const AWAY = fail('overloaded', 'away')
const PLAIN: CallSettings = { effects: [], needsApproval: false, attempts: 1 }
const notes = (call: Call): string[] => call.record.stages.map(({ stage, note }) => `${stage}: ${note}`)
const stages = (call: Call): string[] => call.record.stages.map(({ stage }) => stage)

t.test('there is one order', async (t) => {
  const all: CallSettings = {
    effects: ['fs.write'],
    needsApproval: true,
    cacheMs: 1000,
    attempts: 3,
    breaker: { failures: 5, resetMs: 60_000 },
    timeoutMs: 5000,
    maxOutput: 4,
    targetsOf: async () => ({ written: ['/tmp/a'] }),
  }
  const session = openSession({ approve: async () => true })
  const tool = makeTool((_input, _call, count) => (count === 1 ? AWAY : succeed('"long text"')), { input: N, output: STRING })
  const safe = secure(tool, all)
  const call = openCall(session)
  t.strictSame(await safe.run('{"n":"1"}', call), succeed('"lo\\n[truncated: 5 more bytes]\\nxt"'))
  t.strictSame(
    notes(call).map((note) => note.replace(/waits .* ms after/, 'waits after')),
    [
      'validate: fits after 1 repair',
      'permission: allowed: fs.write',
      'approval: given',
      'cache: miss',
      'retry: attempt 1 of 3',
      'breaker: closed',
      'timeout: 5 s at most',
      'run: overloaded in 0 ms',
      'retry: waits after overloaded',
      'retry: attempt 2 of 3',
      'breaker: closed',
      'timeout: 5 s at most',
      'run: done in 0 ms',
      'output: fits, cut by 5 bytes',
    ],
  )
  t.match(call.record, { attempts: 2, cached: false, truncated: true, repairs: ['n: "1" read as 1'] })
  const again = openCall(session)
  t.strictSame(await safe.run('{"n":1.0}', again), succeed('"lo\\n[truncated: 5 more bytes]\\nxt"'))
  t.strictSame(stages(again), ['validate', 'permission', 'approval', 'cache'])
  t.match(again.record, { attempts: 0, cached: true, truncated: true })
  // What an earlier stage refuses no later one sees.
  const refusals: [parts: Parameters<typeof openSession>[0], input: string, code: string, seen: string[]][] = [
    [{}, '{"n":"x"}', 'input_type_mismatch', ['validate']],
    [{ authority: () => ({ grant: [], policy: [], context: {} }) }, '{"n":2}', 'permission_denied', ['validate', 'permission']],
    [{}, '{"n":2}', 'approval_required', ['validate', 'permission', 'approval']],
  ]
  for (const [parts, input, code, seen] of refusals) {
    const refused = openCall(openSession(parts))
    t.equal(codeOf(await safe.run(input, refused)), code)
    t.strictSame(stages(refused), seen)
  }
  t.equal(tool.runs, 2)
})

t.test('a stage that is not asked for anything changes nothing', async (t) => {
  const wraps: [name: string, wrap: Wrap][] = [
    ['retry 1', withRetry({ attempts: 1 })],
    ['retry 5', withRetry({ attempts: 5 })],
    ['timeout', withTimeout({ timeoutMs: 10_000 })],
    ['permission', withPermission({ effects: ['exec'] })],
    ['locks', withPathLocks(async () => ({ written: [] }))],
    ['run', withRun],
    ['all', (tool) => secure(tool, PLAIN)],
  ]
  const results: Result<JsonText>[] = [succeed('{"a":[1.0,12345678901234567890]}'), succeed('null'), fail('no_such_file', 'gone')]
  for (const [name, wrap] of wraps) {
    for (const result of results) {
      const tool = makeTool(() => result)
      t.strictSame(await wrap(tool).run('{"b":1e2}', openCall(openSession())), result, name)
      t.equal(tool.runs, 1)
    }
  }
})

t.test('only what can be retried is tried again, after waits that double', async (t) => {
  const waits: number[] = []
  const wait = async (ms: number) => void waits.push(ms)
  const seconds = (retry_after: unknown) => fail('rate_limited', 'slow down', { retry_after })
  const cases: [attempts: number, results: Result<JsonText>[], runs: number, waits: number[]][] = [
    [3, [AWAY, AWAY, AWAY], 3, [100, 200]],
    [3, [AWAY, succeed('1')], 2, [100]],
    [1, [AWAY], 1, []],
    [9, Array(9).fill(AWAY), 9, [100, 200, 400, 800, 1600, 3200, 6400, 10_000]],
    [3, [fail('tool_crashed', 'x')], 1, []],
    [3, [fail('permission_denied', 'x')], 1, []],
    [3, [AWAY, fail('output_type_mismatch', 'x')], 2, [100]],
    [3, [seconds(0), seconds(2.5), succeed('1')], 3, [0, 2500]],
    [3, [seconds(10), succeed('1')], 2, [10_000]],
    [3, [seconds(10.1)], 1, []],
    [3, [seconds(1e9)], 1, []],
    [3, [seconds(-1), seconds(Number.NaN), succeed('1')], 3, [100, 200]],
    [3, [seconds('soon'), seconds(undefined), succeed('1')], 3, [100, 200]],
  ]
  for (const [attempts, results, runs, expected] of cases) {
    waits.length = 0
    const tool = makeTool((_input, _call, count) => results[count - 1] ?? fail('internal', 'too many'))
    const call = openCall(openSession())
    const result = await withRetry({ attempts, wait, random: () => 0.5 })(tool).run('null', call)
    t.strictSame([result, tool.runs, call.record.attempts, waits], [results.at(-1), runs, runs, expected], `${expected}`)
  }
  let runs = 0
  const slow = makeTool(() => {
    runs++
    return fail('timeout', 'too long')
  })
  t.equal(
    codeOf(await withRetry({ attempts: 3, isLocal: true, wait: async () => {} })(slow).run('null', openCall(openSession()))),
    'timeout',
  )
  t.equal(runs, 1, 'local work that took too long is not repeated')
  const late = fail('timeout', 'no answer', { server: 's' })
  const dead = (server: string) => fail('mcp_dead', 'gone', { server })
  for (const [results, reported] of [
    [[late, dead('s')], late],
    [[late, dead('t')], dead('t')],
    [[dead('s')], dead('s')],
    [[AWAY, dead('s')], dead('s')],
  ] as const) {
    const tool = makeTool((_input, _call, count) => results[count - 1] ?? fail('internal', 'too many'))
    const result = await withRetry({ attempts: 3, wait })(tool).run('null', openCall(openSession()))
    t.strictSame(result, reported, 'a server that is gone is not asked again, and the reason is the first that there was')
  }
  for (const [random, expected] of [
    [0, 90],
    [0.75, 105],
  ] as const) {
    waits.length = 0
    await withRetry({ attempts: 2, wait, random: () => random })(makeTool(() => AWAY)).run('null', openCall(openSession()))
    t.same(Math.round(waits[0] ?? 0), expected, 'ten per cent more or less')
  }
  const controller = new AbortController()
  const tool = makeTool(() => AWAY)
  const running = withRetry({ attempts: 3 })(tool).run('null', openCall(openSession(), { signal: controller.signal }))
  await turn()
  controller.abort()
  t.equal(codeOf(await running), 'cancelled', 'a wait ends when the result is no longer waited for')
  t.equal(tool.runs, 1)
})

t.test('fault 93: the work is reported to stop when its time is up', async (t) => {
  let isStopped = false
  const obedient = makeTool(
    (_input, { signal }) =>
      new Promise((resolve) =>
        signal.addEventListener('abort', () => {
          isStopped = true
          resolve(succeed('"too late"'))
        }),
      ),
  )
  const deaf = makeTool(() => new Promise<Result<JsonText>>(() => {}))
  const late = openCall(openSession())
  t.match(await withTimeout({ timeoutMs: 20 })(obedient).run('null', late), { error: { error: 'timeout', category: 'unavailable' } })
  t.ok(isStopped, 'and is over when the error is reported')
  t.match(notes(late).at(-1), 'too late: stopped')
  const unheard = openCall(openSession())
  t.equal(codeOf(await withTimeout({ timeoutMs: 20, graceMs: 20 })(deaf).run('null', unheard)), 'timeout')
  t.match(notes(unheard).at(-1), 'not waited for any longer')
  const controller = new AbortController()
  const given = withTimeout({ timeoutMs: 60_000, graceMs: 20 })(deaf).run('null', openCall(openSession(), { signal: controller.signal }))
  controller.abort()
  t.equal(codeOf(await given), 'cancelled')
  t.equal(
    codeOf(await withTimeout({ timeoutMs: 1e12 })(makeTool()).run('1', openCall(openSession()))),
    'ok',
    'longer than a timer can count',
  )
})

t.test('a tool that throws is an error, and what was cancelled is not begun', async (t) => {
  const broken = makeTool(() => {
    throw new Error('nobody\u001b[2J expected this')
  })
  t.match(await withRun(broken).run('null', openCall(openSession())), {
    error: { error: 'tool_crashed', detail: "tool 'probe' threw: nobody\\u001b[2J expected this" },
  })
  const tool = makeTool()
  t.equal(codeOf(await withRun(tool).run('null', openCall(openSession(), { signal: AbortSignal.abort() }))), 'cancelled')
  t.equal(tool.runs, 0)
})

t.test('a person is asked once, and sees the input', async (t) => {
  const asked: unknown[] = []
  const session = (word: boolean, policy: 'ask' | 'allow') =>
    openSession({
      approve: async (request) => {
        asked.push(request)
        return word
      },
      authority: () => ({ policy: [{ decision: policy }], context: {} }),
    })
  const cases: [needsApproval: boolean, policy: 'ask' | 'allow', word: boolean, code: string, times: number][] = [
    [false, 'allow', true, 'ok', 0],
    [true, 'allow', true, 'ok', 1],
    [false, 'ask', true, 'ok', 1],
    [true, 'ask', true, 'ok', 1],
    [true, 'ask', false, 'approval_required', 1],
  ]
  for (const [needsApproval, policy, word, code, times] of cases) {
    asked.length = 0
    const safe = withPermission({ effects: ['exec'], needsApproval })(makeTool())
    t.equal(codeOf(await safe.run('{"n":1}', openCall(session(word, policy)))), code)
    t.strictSame(asked, Array(times).fill({ id: 'call-1', tool: 'probe', input: { n: 1 }, text: '{"n":1}' }))
  }
  const never = withApproval(async (input) => succeed(input))(makeTool())
  t.equal(codeOf(await never.run('1', openCall(session(true, 'ask'), { signal: AbortSignal.abort() }))), 'approval_required')
})

t.test('a person gives a call another input, within its type and the policy', async (t) => {
  const policy = [{ decision: 'deny' as const, path: '/secret/**' }, { decision: 'ask' as const }]
  const says = [{ edited: '{"n":"x"}' }, { edited: '{"n":13}' }, { edited: '{"n":"2"}' }]
  const through = async (last: boolean | object) => {
    const asked: unknown[] = []
    const answers = [...says, last, false]
    const session = openSession({
      approve: async ({ text, wrong }) => {
        asked.push([text, wrong])
        return answers.shift() as boolean
      },
      authority: () => ({ policy, context: {} }),
    })
    const ran: string[] = []
    const work = async (input: string) => {
      ran.push(input)
      return succeed('{"n":0}')
    }
    const targetsOf = async (input: string) => ({ paths: [input.includes('13') ? '/secret/key' : '/note'], written: [] })
    const call = openCall(session)
    const result = await withPermission({ effects: ['fs.read'], targetsOf })(makeTool(work, { input: N })).run('{"n":1}', call)
    return { asked, ran, code: codeOf(result), edited: call.record.edited, note: call.record.stages.at(-1)?.note }
  }
  const asked = [
    ['{"n":1}', undefined],
    ['{"n":1}', /n/],
    ['{"n":1}', /policy/],
    ['{"n":2}', undefined],
  ]
  t.match(await through(true), { asked, ran: ['{"n":2}'], code: 'ok', edited: '{"n":2}', note: 'given, with another input' })
  t.match(await through(false), { asked, ran: [], code: 'approval_required', edited: undefined, note: 'not given' })
})

t.test('fault 85: calls that write one path wait for each other, others do not', async (t) => {
  const log: string[] = []
  const gates = new Map<string, ReturnType<typeof openPromise<void>>>()
  const tool: Tool = makeTool(async (input) => {
    log.push(`begin ${input}`)
    const gate = openPromise<void>()
    gates.set(input, gate)
    await gate.promise
    log.push(`end ${input}`)
    return succeed(input)
  })
  const safe = withPathLocks(async (input) => ({ written: (JSON.parse(input) as string).split('').map((name) => `/nowhere/${name}`) }))(
    tool,
  )
  const session = openSession()
  const controller = new AbortController()
  const runs = ['"ab"', '"c"', '"bc"', '"a"'].map((input) => safe.run(input, openCall(session)))
  const abandoned = safe.run('"ca"', openCall(session, { signal: controller.signal }))
  const last = safe.run('"ac"', openCall(session))
  await turn()
  t.strictSame(log, ['begin "ab"', 'begin "c"'])
  controller.abort()
  t.equal(codeOf(await abandoned), 'cancelled')
  await turn()
  t.strictSame(log, ['begin "ab"', 'begin "c"'], 'cancelling one lets none pass those before it')
  for (const input of ['"ab"', '"a"', '"c"', '"bc"', '"ac"']) {
    gates.get(input)?.resolve()
    await turn()
  }
  await Promise.all([...runs, last])
  t.strictSame(log.slice(2), ['end "ab"', 'begin "a"', 'end "a"', 'end "c"', 'begin "bc"', 'end "bc"', 'begin "ac"', 'end "ac"'])
})

t.test('the wrapper reports all of a call, with its digits', async (t) => {
  const session = openSession()
  const inner = secure(makeTool(undefined, { input: N, output: N }), PLAIN)
  const outer = makeTool(async (input, call) => (await perform(inner, input, { session, signal: call.signal, parent: call })).result)
  const { result, print } = await perform(secure(outer, PLAIN), '{"n":12345678901234567890}', {
    session,
    signal: new AbortController().signal,
    id: 'toolu_1',
  })
  t.strictSame(result, succeed('{"n":12345678901234567890}'))
  const [second, first] = session.traced
  t.match(first, {
    tool: 'probe',
    id: 'toolu_1',
    ok: true,
    attempts: 1,
    cached: false,
    truncated: false,
    repairs: [],
    depth: 0,
    parent: null,
  })
  t.match(second, { id: /^toolu_1\/\d+$/, depth: 1, parent: 'toolu_1' })
  t.match(
    print(),
    /^{"tool":"probe","id":"toolu_1","input":{"n":12345678901234567890},"ok":true,"result":{"n":12345678901234567890},"started":"20/,
  )
  t.strictSame(Object.keys(JSON.parse(print())), Object.keys(first ?? {}))
  const failed = await perform(inner, 'no json', { session, signal: new AbortController().signal })
  t.match(JSON.parse(failed.print()), {
    input: 'no json',
    ok: false,
    error: { error: 'invalid_json' },
    attempts: 0,
    stages: [{ stage: 'validate' }],
  })
})
