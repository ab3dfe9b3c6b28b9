// For people: failed and skipped tests, evaluations with their shares, and the summary. Passed tests are not listed.

import { escapeControls } from '@plumb/wire'
import type { TestReporter, TestResult } from './result.js'
import { failureLines, positionText, shareLines, summaryText, titleOf } from './words.js'

export const textReporter = (): TestReporter => ({
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
