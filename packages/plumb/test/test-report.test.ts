// What the reporters of plumb test write, each read by a reader of its format.

import t from 'tap'
import { openReporter, REPORTER_NAMES, type ReporterName } from '../src/test/report/reporters.js'
import type { Summary, TestResult } from '../src/test/report/result.js'

const place = { file: 'a.plumb', line: 3, column: 1 }
const again = "plumb test --filter 'adds' a.plumb"

const PASSED: TestResult = { name: 'adds', of: 'sum', place, status: 'passed', milliseconds: 2, findings: [], again }

/** Everything that a terminal, TAP, XML or a line would obey. */
const ODD = 'a # TODO\\ "b"\r\nok 2 ]]> <i>&amp; \u001b[31m \u0000 \u202e \ud800 \ufffe é\u{1F600}'

const FAILED: TestResult = {
  name: ODD,
  of: 'sum',
  place: { ...place, line: 7 },
  status: 'failed',
  milliseconds: 12.5,
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
  name: 'tells spam from ham',
  share: { passed: 9, rows: 10, low: 0.596, high: 0.982, worst: [`row 4 gave ${ODD}`], cost: '0.12' },
}

const ALL = [PASSED, FAILED, SKIPPED, RATED]
const SUMMARY: Summary = { passed: 2, failed: 1, skipped: 1, milliseconds: 20, cost: '0.12' }

const report = (name: ReporterName, results: readonly TestResult[], summary: Summary): string => {
  const reporter = openReporter(name)
  return [reporter.begin?.(results.length) ?? '', ...results.map(reporter.result), reporter.end(summary)].join('')
}

t.test('json: a line a test, and the summary', async (t) => {
  t.ok(REPORTER_NAMES.includes('json'))
  const lines = report('json', ALL, SUMMARY).split('\n')
  t.equal(lines.pop(), '')
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
