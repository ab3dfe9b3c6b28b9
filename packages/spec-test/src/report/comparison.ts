// Compares several models (--model a --model b): for each test with real models, a line a model.

import { escapeControls } from '@plumb/wire'
import type { ShownCoverage } from './coverage.js'
import type { ReporterName, TestResult } from './result.js'
import { percent, positionText, showSpent, titleOf } from './words.js'

/** Tests that were run with several models; `model` is set in each. */
export const showComparison = (results: readonly TestResult[], reporter: ReporterName): ShownCoverage => {
  const tests = byTest(results)
  if (reporter === 'json') return { stdout: tests.map((of) => `${escapeControls(JSON.stringify(objectOf(of)))}\n`).join(''), stderr: [] }
  const lines = tests.flatMap(tableOf)
  if (reporter === 'junit') return { stdout: '', stderr: lines }
  return { stdout: lines.map((line) => `${reporter === 'tap' ? '# ' : ''}${line}\n`).join(''), stderr: [] }
}

// They come test by test.
const byTest = (results: readonly TestResult[]): readonly (readonly TestResult[])[] => {
  const tests: TestResult[][] = []
  for (const result of results) {
    const last = tests.at(-1)
    if (last?.[0] && positionText(last[0].place) === positionText(result.place)) last.push(result)
    else tests.push([result])
  }
  return tests
}

const objectOf = (results: readonly TestResult[]) => {
  const [{ name, of, place }] = results as readonly [TestResult]
  const models = results.map(({ model, status, share, spent, milliseconds }) => ({ model, status, share, spent, milliseconds }))
  return { kind: 'comparison', name, of, ...place, models }
}

const HEAD = ['model', 'share', '95 % interval', 'cost', 'time', 'calls'] as const

const tableOf = (results: readonly TestResult[]): readonly string[] => {
  const [first] = results as readonly [TestResult]
  const rows = [HEAD, ...results.map(rowOf)]
  const widths = HEAD.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)))
  const lineOf = (row: readonly string[]): string =>
    row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] as number) : cell.padStart(widths[column] as number))).join('  ')
  return [`${positionText(first.place)}: ${titleOf({ name: first.name, of: first.of })}`, ...rows.map((row) => `  ${lineOf(row)}`)]
}

const rowOf = ({ model = '', status, share, spent, milliseconds }: TestResult): readonly string[] => [
  escapeControls(model),
  share ? percent(share.score ?? (share.passed ?? 0) / Math.max(1, share.rows)) : status,
  share ? `${percent(share.low)} to ${percent(share.high)}` : '',
  showSpent(spent),
  `${(milliseconds / 1000).toFixed(2)} s`,
  String(spent?.calls ?? 0),
]
