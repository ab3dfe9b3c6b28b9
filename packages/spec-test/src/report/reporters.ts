// The reporters by their names, as --reporter takes them.

import { escapeControls } from '@plumb/wire'
import { junitReporter } from './junit.js'
import type { ReporterName, TestFinding, TestReporter, TestResult } from './result.js'
import { tapReporter } from './tap.js'
import { failureLines, positionText, shareLines, summaryText, titleOf } from './words.js'

// For people: failed and skipped tests, evaluations with their shares, and the summary. Passed tests are not listed.
const textReporter = (): TestReporter => ({
  result: (result) =>
    linesOf(result)
      .map((line) => `${line}\n`)
      .join(''),
  end: (summary) => `${summaryText(summary)}\n`,
})

const linesOf = (result: TestResult): readonly string[] => {
  const { status, share, spent, why } = result
  const head = `${positionText(result.place)}: ${status}: ${titleOf(result)}`
  if (status === 'skipped') return [why === undefined ? head : `${head}: ${escapeControls(why)}`]
  if (status === 'failed') return [head, ...indented(failureLines(result))]
  return share ? [head, ...indented(shareLines(share, spent))] : []
}

const indented = (lines: readonly string[]): readonly string[] => lines.map((line) => `  ${line}`)

// One JSON object a line: each test, then the summary.
const jsonReporter = (): TestReporter => ({
  result: (result) => lineOf({ kind: 'test', ...shown(result) }),
  end: (summary) => lineOf({ kind: 'summary', ...summary }),
})

const shown = ({ name, of, place, findings, ...rest }: TestResult) => ({
  name,
  of,
  ...place,
  ...rest,
  findings: findings.map(shownFinding),
})

// Positions are flat, as those of diagnostics.
const shownFinding = ({ code, message, place, ...rest }: TestFinding) => ({ code, message, ...place, ...rest })

// The values stay what they are, and contain no terminal controls.
const lineOf = (value: object): string => `${escapeControls(JSON.stringify(value))}\n`

const REPORTERS: Readonly<Record<ReporterName, () => TestReporter>> = {
  text: textReporter,
  tap: tapReporter,
  junit: junitReporter,
  json: jsonReporter,
}

export const openReporter = (name: ReporterName): TestReporter => REPORTERS[name]()
