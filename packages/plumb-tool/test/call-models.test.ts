// Fault 94: the breaker and the cache against the simplest models of them, over random histories; and what shares one run.

import { fail, type Result, succeed } from '@plumb/wire'
import fc from 'fast-check'
import t from 'tap'
import { runs } from '../../wire/test/property.js'
import { withBreaker } from '../src/call/breaker.js'
import { withCache } from '../src/call/cache.js'
import type { Call } from '../src/call/call.js'
import { withRetry } from '../src/call/retry.js'
import type { JsonText } from '../src/json-text.js'
import { codeOf, makeTool, openCall, openPromise, openSession, turn } from './call-session.js'

const AWAY = fail('overloaded', 'away')
const WRONG = fail('evaluation_failed', 'wrong')
type Outcome = 'ok' | 'away' | 'wrong' | 'cancelled'
const OUTCOMES: readonly Outcome[] = ['ok', 'away', 'wrong', 'cancelled']

t.test('fault 94: closed, open, one trial, closed', async (t) => {
  const session = openSession()
  const results: Result<JsonText>[] = []
  const tool = makeTool(() => results.shift() ?? succeed('"fine"'))
  const safe = withBreaker({ failures: 3, resetMs: 60_000 })(tool)
  const table: [atMs: number, result: Result<JsonText> | undefined, code: string, note: string][] = [
    [0, AWAY, 'overloaded', 'closed'],
    [1, AWAY, 'overloaded', 'closed'],
    [2, WRONG, 'evaluation_failed', 'closed'],
    [3, AWAY, 'overloaded', 'closed'],
    [4, AWAY, 'overloaded', 'closed'],
    [5, AWAY, 'overloaded', 'opens for 60 s'],
    [6, undefined, 'breaker_open', 'open: held back'],
    [60_004, undefined, 'breaker_open', 'open: held back'],
    [60_005, AWAY, 'overloaded', 'opens for 60 s'],
    [60_006, undefined, 'breaker_open', 'open: held back'],
    [120_005, WRONG, 'evaluation_failed', 'closes'],
    [120_006, undefined, 'ok', 'closed'],
  ]
  for (const [atMs, result, code, note] of table) {
    session.clock = atMs
    results.splice(0, 1, ...(result ? [result] : []))
    const call = openCall(session)
    const given = await safe.run('null', call)
    t.strictSame([codeOf(given), call.record.stages.at(-1)?.note], [code, note], `at ${atMs}`)
    if (code !== 'breaker_open' || given.ok) continue
    t.match(given.error, {
      category: 'unavailable',
      detail: /'probe' is held back after 3 failures in a row, the last with overloaded: away/,
    })
    t.equal(given.error.retry_after, Math.ceil((atMs < 60_005 ? 60_005 - atMs : 120_005 - atMs) / 1000))
  }
  const waits: number[] = []
  const wait = async (ms: number) => void waits.push(ms)
  const patient = withRetry({ attempts: 3, wait })(withBreaker({ failures: 1, resetMs: 60_000 })(makeTool(() => AWAY)))
  const call = openCall(session)
  t.equal(codeOf(await patient.run('null', call)), 'breaker_open', 'a long rest is not waited for')
  t.equal(call.record.attempts, 2)
})

interface Flying {
  readonly call: Call
  readonly abort: () => void
  readonly finish: (result: Result<JsonText>) => void
  readonly result: Promise<Result<JsonText>>
  /** The period of the model in which it began. */
  readonly period: object
}

t.test('fault 94: a breaker never does otherwise than its model, whatever overlaps', async (t) => {
  const step = fc.oneof(
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('begin' as const) }) },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('end' as const), which: fc.nat(5), outcome: fc.constantFrom(...OUTCOMES) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 150 }) }) },
  )
  const [failures, resetMs] = [2, 100]
  const property = fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
    const session = openSession()
    const started: ((result: Result<JsonText>) => void)[] = []
    const tool = makeTool(() => {
      const { promise, resolve } = openPromise<Result<JsonText>>()
      started.push(resolve)
      return promise
    })
    const safe = withBreaker({ failures, resetMs })(tool)
    const flying: Flying[] = []
    let model: { kind: 'closed'; count: number } | { kind: 'open'; until: number } | { kind: 'trial' } = { kind: 'closed', count: 0 }
    for (const step of steps) {
      if (step.kind === 'pass') session.clock += step.ms
      else if (step.kind === 'begin') {
        if (model.kind === 'open' && session.clock >= model.until) model = { kind: 'trial' }
        else if (model.kind !== 'closed') {
          if (codeOf(await safe.run('null', openCall(session))) !== 'breaker_open') return false
          continue
        }
        const controller = new AbortController()
        const call = openCall(session, { signal: controller.signal })
        const runs = tool.runs
        const result = safe.run('null', call)
        const finish = started.shift()
        if (tool.runs !== runs + 1 || !finish) return false
        flying.push({ call, abort: () => controller.abort(), finish, result, period: model })
      } else {
        const [one] = flying.splice(step.which % (flying.length || 1), 1)
        if (!one) continue
        if (step.outcome === 'cancelled') one.abort()
        one.finish(step.outcome === 'ok' ? succeed('1') : step.outcome === 'wrong' ? WRONG : AWAY)
        await one.result
        if (one.period !== model) continue
        if (step.outcome === 'cancelled') {
          if (model.kind === 'trial') model = { kind: 'open', until: session.clock }
        } else if (step.outcome !== 'away') {
          if (model.kind === 'closed') model.count = 0
          else model = { kind: 'closed', count: 0 }
        } else if (model.kind !== 'closed' || ++model.count >= failures) model = { kind: 'open', until: session.clock + resetMs }
      }
    }
    return true
  })
  await fc.assert(property, { numRuns: runs(300) })
  t.pass()
})

t.test('fault 94: a cache never gives what its model would not, and never keeps an error', async (t) => {
  const ttlMs = 100
  const step = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant('ask' as const),
        key: fc.nat(3),
        form: fc.nat(2),
        outcome: fc.constantFrom('ok', 'away'),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 80 }) }) },
  )
  const FORMS = [
    (n: number) => `{"a":${n},"b":[1]}`,
    (n: number) => `{"b":[1.0],"a":${n}.0}`,
    (n: number) => ` { "a" : ${n}e0 , "b" : [10e-1] } `,
  ]
  const property = fc.asyncProperty(fc.array(step, { maxLength: 50 }), async (steps) => {
    const session = openSession()
    let next: Result<JsonText> = AWAY
    const tool = makeTool(() => next)
    const safe = withCache(ttlMs)(tool)
    const model = new Map<number, { value: string; at: number }>()
    for (const [i, step] of steps.entries()) {
      if (step.kind === 'pass') {
        session.clock += step.ms
        continue
      }
      const kept = model.get(step.key)
      const isHit = kept !== undefined && session.clock - kept.at <= ttlMs
      next = step.outcome === 'ok' ? succeed(`${i}`) : AWAY
      const runs = tool.runs
      const call = openCall(session)
      const given = await safe.run(FORMS[step.form]?.(step.key) ?? '', call)
      if (tool.runs !== runs + (isHit ? 0 : 1) || call.record.cached !== isHit) return false
      if (isHit ? !given.ok || given.value !== kept.value : given !== next) return false
      if (!isHit && next.ok) model.set(step.key, { value: next.value, at: session.clock })
    }
    return true
  })
  await fc.assert(property, { numRuns: runs(300) })
  t.pass()
})

t.test('the same question asked by many at once runs once', async (t) => {
  const cases: [name: string, result: Result<JsonText>, abort: number[], codes: string[], isStopped: boolean][] = [
    ['all share the result', succeed('1'), [], ['ok', 'ok', 'ok'], false],
    ['all share the error', AWAY, [], ['overloaded', 'overloaded', 'overloaded'], false],
    ['cancelling one stops no other', succeed('1'), [1], ['ok', 'cancelled', 'ok'], false],
    ['not even the first', succeed('1'), [0], ['cancelled', 'ok', 'ok'], false],
    ['the last one does', succeed('1'), [0, 1, 2], ['cancelled', 'cancelled', 'overloaded'], true],
  ]
  for (const [name, result, abort, codes, isStopped] of cases) {
    const session = openSession()
    const { promise, resolve } = openPromise<Result<JsonText>>()
    let wasStopped = false
    const tool = makeTool((_input, { signal }) => {
      signal.addEventListener('abort', () => {
        wasStopped = true
        resolve(AWAY)
      })
      return promise
    })
    const safe = withCache(1000)(tool)
    const callers = [0, 1, 2].map(() => new AbortController())
    const calls = callers.map(({ signal }) => openCall(session, { signal }))
    const runs = calls.map((call) => safe.run('{"n":1}', call))
    await turn()
    for (const i of abort) callers[i]?.abort()
    await turn()
    resolve(result)
    t.strictSame([(await Promise.all(runs)).map(codeOf), tool.runs, wasStopped], [codes, 1, isStopped], name)
    const given = result.ok && !isStopped
    t.strictSame(
      calls.map(({ record }) => record.cached),
      [false, given && !abort.includes(1), given && !abort.includes(2)],
      name,
    )
    const later = openCall(session)
    await safe.run('{"n":1}', later)
    t.equal(later.record.cached, given, 'only results are kept')
  }
})

t.test('a cache is bounded, and each session has its own', async (t) => {
  const session = openSession()
  const tool = makeTool((input) => succeed(input))
  const safe = withCache(1e9)(tool)
  const ask = async (n: number, text = '') => (await safe.run(JSON.stringify({ n, text }), openCall(session))).ok
  for (let n = 0; n < 1001; n++) await ask(n)
  t.equal(tool.runs, 1001)
  await ask(1000)
  t.equal(tool.runs, 1001, 'the latest is kept')
  await ask(0)
  t.equal(tool.runs, 1002, 'the oldest is not')
  const big = 'x'.repeat(6 * 1024 * 1024)
  await ask(1, big)
  await ask(2, big)
  await ask(2, big)
  t.equal(tool.runs, 1004)
  await ask(1, big)
  t.equal(tool.runs, 1005, 'two of them are too much')
  await safe.run('{"n":1000,"text":""}', openCall(openSession()))
  t.equal(tool.runs, 1006, 'what one may see another may not')
})
