// What the reporters of plumb test write, each read by a reader of its format.

import { escapeControls, textWidth } from '@plumb/wire'
import t from 'tap'
import { Parser } from 'tap-parser'
import type { ComparedTest, ComparedVariant } from '../src/report/compared.js'
import { showComparison } from '../src/report/comparison.js'
import { openReporter } from '../src/report/reporters.js'
import { REPORTER_NAMES, type ReporterName, type Summary, type TestCost, type TestResult } from '../src/report/result.js'

const place = { file: 'a.plumb', line: 3, column: 1 }
const again = "plumb test --filter 'adds' a.plumb"

const PASSED: TestResult = { name: 'adds', of: 'sum', place, status: 'passed', milliseconds: 2, findings: [], again }

/** Everything that a terminal, TAP, XML or a line would obey. */
const ODD = 'a # TODO\\ "b"\r\nok 2 ]]> <i>&amp; \u001b[31m \u0000 \u009b \u202e \ud800 \ufffe é\u{1F600}'

const FAILED: TestResult = {
  name: ODD,
  of: 'sum',
  place: { ...place, line: 7 },
  status: 'failed',
  milliseconds: 12,
  findings: [
    {
      code: 'expect',
      message: 'another output',
      place: { ...place, line: 8, column: 5 },
      number: 2,
      expected: '{"n":1}',
      got: `{"n":${JSON.stringify(ODD)}}`,
      wire: 'writer-critic',
      difference: [`.n: expected 1, got ${JSON.stringify(ODD)}`],
    },
    { code: 'timeout', message: ODD },
  ],
  seed: 7,
  again,
}

const SKIPPED: TestResult = { ...PASSED, name: 'is live', status: 'skipped', why: `needs --live ${ODD}` }

const RATED: TestResult = {
  ...PASSED,
  name: 'separates spam from ham',
  share: { passed: 9, rows: 10, low: 0.596, high: 0.982, worst: [`row 4 gave ${ODD}`] },
  spent: { calls: 10, cost: 0.12, unpriced: [] },
}

const ALL = [PASSED, FAILED, SKIPPED, RATED]
const SUMMARY: Summary = { passed: 2, failed: 1, skipped: 1, milliseconds: 20, spent: RATED.spent as TestCost }

const report = (name: ReporterName, results: readonly TestResult[], summary: Summary): string => {
  const reporter = openReporter(name)
  return [reporter.begin?.(results.length) ?? '', ...results.map(reporter.result), reporter.end(summary)].join('')
}

/** What no reader gets as it is: all but these is as in the name. */
const READ = escapeControls(ODD)

t.test('json: a line a test, and the summary', async (t) => {
  t.strictSame(REPORTER_NAMES, ['text', 'tap', 'junit', 'json'])
  const lines = report('json', ALL, SUMMARY).split('\n')
  t.equal(lines.pop(), '')
  t.notMatch(lines.join(''), /[\p{Cc}\u202e]/u)
  t.strictSame(
    lines.map((line) => JSON.parse(line)),
    [
      ...ALL.map(({ place: { file, line, column }, findings, ...rest }) => ({
        kind: 'test',
        ...rest,
        ...{ file, line, column },
        findings: findings.map(({ place, ...said }) => ({ ...said, ...place })),
      })),
      { kind: 'summary', ...SUMMARY },
    ],
  )
})

t.test('text: what failed, was skipped or has a share', async (t) => {
  const text = report('text', ALL, SUMMARY)
  t.equal(
    text,
    `a.plumb:7:1: failed: "${READ}" of sum
  expect: message 2: another output (a.plumb:8:5)
    .n: expected 1, got ${escapeControls(JSON.stringify(ODD))}
    first wrong on the wire writer-critic
  timeout: ${READ}
  seed 7
  again: plumb test --filter 'adds' a.plumb
a.plumb:3:1: skipped: "is live" of sum: needs --live ${READ}
a.plumb:3:1: passed: "separates spam from ham" of sum
  9 of 10 held (90.0 %; 95 % interval 59.6 % to 98.2 %), cost $0.12
    row 4 gave ${READ}
2 passed, 1 failed, 1 skipped in 0.02 s, asked 10 times, cost $0.12
`,
  )
  const { difference: _, ...whole } = FAILED.findings[0] as (typeof FAILED.findings)[number]
  const finding = { ...whole, message: 'message 2 is another', got: `"${'x'.repeat(300)}"` }
  const shown = report('text', [{ ...FAILED, findings: [finding] }], { passed: 0, failed: 1, skipped: 0, milliseconds: 5 })
  t.match(shown, /\n {2}expect: message 2 is another \(a\.plumb:8:5\)\n {4}expected \{"n":1\}\n {4}got "x{78}…\n/)
  t.match(shown, /\n0 passed, 1 failed in 0\.01 s\n$/)
  t.equal(report('text', [PASSED], { passed: 1, failed: 0, skipped: 0, milliseconds: 0 }), '1 passed, 0 failed in 0.00 s\n')
})

t.test('text on a terminal: colour, a blank line after each test, and words that stay whole', async (t) => {
  const words = 'the bill is wrong and the customer is told so today'
  const failed = { ...FAILED, name: words, findings: [{ code: 'expect', message: words }], again: `plumb test --filter '${words}' a.plumb` }
  const on = (isStyled: boolean): string => {
    const reporter = openReporter('text', { columns: 40, isStyled })
    return [failed, PASSED, SKIPPED].map(reporter.result).join('') + reporter.end(SUMMARY)
  }
  const lines = on(false).split('\n')
  t.strictSame(lines.slice(0, 8), [
    'a.plumb:7:1: failed: "the bill is wrong',
    '    and the customer is told so today"',
    '    of sum',
    '  expect: the bill is wrong and the',
    '      customer is told so today',
    '  seed 7',
    `  again: ${failed.again}`,
    '',
  ])
  const styled = on(true)
  t.match(styled, '\x1b[2ma.plumb:7:1:\x1b[0m \x1b[1;31mfailed:\x1b[0m "the bill')
  t.match(styled, '\x1b[33mskipped:\x1b[0m')
  t.match(styled, '\x1b[32m2 passed\x1b[0m, \x1b[1;31m1 failed\x1b[0m, 1 skipped in')
  t.equal(styled.replaceAll('\x1b', '␛').replaceAll(/␛\[[\d;]*m/g, ''), on(false))
})

t.test('text: of a long route the ends, and of many messages too', async (t) => {
  const route = Array.from({ length: 10 }, (_, i) => ({ wire: `w${i}`, count: 1, messages: [`${i}`] }))
  const shown = (steps: typeof route) =>
    report('text', [{ ...FAILED, findings: [{ code: 'expect', message: 'no', route: steps }] }], SUMMARY)
      .split('\n')
      .slice(1, -3)
  t.strictSame(shown(route), [
    ...['  expect: no', '    on its way:', '      w0  0', '      w1  1', '      … 3 more wires'],
    ...[5, 6, 7, 8, 9].map((i) => `      w${i}  ${i}`),
    '  seed 7',
  ])
  t.equal(shown([{ wire: 'loop', count: 7, messages: ['1', '2', '7'] }])[2], '      loop  1, 2, … 7 (7 messages)')
})

t.test("tap: read by tap's parser", async (t) => {
  const text = report('tap', ALL, SUMMARY)
  t.match(text, /^TAP version 14\n1\.\.4\nok 1 - adds\nnot ok 2 - /)
  const points: { ok: boolean; id: number; name: string; skip: boolean | string; todo: boolean | string; time: unknown; diag: unknown }[] =
    []
  const parser = new Parser({ strict: true })
  parser.on('assert', (point) => points.push(point))
  const comments: string[] = []
  parser.on('comment', (comment) => comments.push(comment))
  parser.end(text)
  const { results } = parser
  t.match(results, { ok: false, count: 4, pass: 3, fail: 1, skip: 1, todo: 0, bailout: false, failures: [{ id: 2 }] })
  t.strictSame(
    results?.failures.flatMap(({ tapError }) => tapError ?? []),
    [],
  )
  t.equal(points[1]?.time, 12)
  t.strictSame(
    points.map(({ ok, id, name }) => [ok, id, name]),
    [
      [true, 1, 'adds'],
      [false, 2, READ],
      [true, 3, 'is live'],
      [true, 4, 'separates spam from ham'],
    ],
  )
  t.equal(points[1]?.todo, false)
  t.match(points[2]?.skip, /^needs --live a .*TODO/)
  t.strictSame(points[1]?.diag, {
    of: 'sum',
    at: 'a.plumb:7:1',
    findings: [
      {
        ...{
          code: 'expect',
          message: 'another output',
          number: 2,
          wire: 'writer-critic',
          difference: [escapeControls(`${FAILED.findings[0]?.difference}`)],
        },
        ...{ at: 'a.plumb:8:5', expected: '{"n":1}', got: escapeControls(`${FAILED.findings[0]?.got}`) },
      },
      { code: 'timeout', message: READ },
    ],
    ...{ seed: 7, again },
  })
  t.match(points[3]?.diag, { share: { passed: 9, rows: 10, worst: [`row 4 gave ${READ}`] } })
  t.strictSame(comments, ['# 2 passed, 1 failed, 1 skipped in 0.02 s, asked 10 times, cost $0.12\n'])
  t.equal(report('tap', [], { passed: 0, failed: 0, skipped: 0, milliseconds: 0 }).split('\n')[1], '1..0')
})

t.test('junit: read by a reader of JUnit', async (t) => {
  const other = { ...PASSED, place: { ...place, file: 'dir & co/b.plumb' } }
  const text = report('junit', [...ALL, other], { ...SUMMARY, passed: 3 })
  // The signs that XML 1.0 has, and no others; nor any that a terminal obeys.
  t.notMatch(text, /[^\n\u0020-\u007e\u00a0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]|\u202e/u)
  const { parse } = await import('junit2json')
  const read = JSON.parse(JSON.stringify(await parse(text)))
  t.match(read, { name: 'plumb test', tests: 5, failures: 1, errors: 0, time: 0.02 })
  const [first, second] = read.testsuite
  t.match(first, { name: 'a.plumb', tests: 4, failures: 1, errors: 0, skipped: 1, time: 0.018 })
  t.match(second, { name: 'dir & co/b.plumb', tests: 1, failures: 0, testcase: [{ name: 'adds', classname: 'sum', time: 0.002 }] })
  const [, failed, skipped, rated] = first.testcase
  const seen = READ.replace('\ufffe', '\\ufffe')
  t.match(failed, { name: seen, classname: 'sum', time: 0.012 })
  t.equal(failed.failure.length, 1)
  t.match(failed.failure[0], { type: 'expect', message: 'expect: message 2: another output (a.plumb:8:5)' })
  const lines = failed.failure[0].inner.split('\n')
  t.strictSame(lines.slice(-3), [`timeout: ${seen}`, 'seed 7', `again: ${again}`])
  t.strictSame(skipped.skipped, [{ message: `needs --live ${seen}` }])
  t.match(rated['system-out'], [/^9 of 10 held/])
})

t.test('a comparison, on terminals and elsewhere', async (t) => {
  const numbers = (variant: string, more: Partial<ComparedVariant> = {}): ComparedVariant => ({
    ...{ variant, rows: 3, share: 0.5, low: 0.1, high: 0.9, errors: {}, cost: 0, tokens: 7, requests: 3, p50_ms: 1, p95_ms: 2 },
    ...more,
  })
  const worse = { verdict: 'worse', difference: -0.3, difference_low: -0.5, difference_high: -0.1, adjusted_p: 0.001 } as const
  const variants = [numbers('base'), numbers('日本語 \u202e', { ...worse, better: 1, worse: 2, equal: 0, first_wires: { 'a-b': 2 } })]
  const compared: ComparedTest = { test: 'tags', title: 'a b.plumb:3:1: "tags" of main', baseline: 'base', total: 3, variants }
  const others = [{ title: 'a b.plumb:4:1: "new" of it', why: 'it is new' }]
  const plain = `a b.plumb:3:1: "tags" of main
  variant         share     95 % interval   cost     p50     p95  tokens  requests
  base           50.0 %  10.0 % to 90.0 %  $0.00  1.0 ms  2.0 ms       7         3
  日本語 \\u202e  50.0 %  10.0 % to 90.0 %  $0.00  1.0 ms  2.0 ms       7         3
  日本語 \\u202e: worse: -30.0 % (95 % interval -50.0 % to -10.0 %; p 0.0010)
  日本語 \\u202e: 1 row better, 2 worse, 0 equal; 2 of 2 worse rows part at 'a-b'
a b.plumb:4:1: "new" of it: not compared: it is new
`
    .replace('share    95', 'share     95')
    .replace('variant         share', 'variant         share')
  t.equal(showComparison([compared], others, 'text').stdout, plain)
  for (const columns of [40, 60, 80]) {
    const terminal = { columns, isStyled: true }
    const { stdout } = showComparison([compared], others, 'text', terminal)
    t.match(stdout, '\x1b[2ma b.plumb:3:1:\x1b[0m "tags"')
    t.match(stdout, '\n\x1b[1m  variant')
    t.match(stdout, '\n  日本語 \\u202e  50.0 %', 'a name is whole before there are more columns')
    t.match(stdout, ': \x1b[1;31mworse\x1b[0m: -30.0 %')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what colours text
    for (const line of stdout.replace(/\x1b\[[\d;]*m/g, '').split('\n')) t.ok(textWidth(line) <= columns, `${columns}: ${line}`)
    t.equal(showComparison([compared], others, 'tap', terminal).stdout, plain.replace(/^(?=.)/gm, '# '), 'others have none')
  }
})
