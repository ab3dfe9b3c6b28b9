// The report for people: failed and skipped tests, evaluations with their shares, and the summary. Passed tests are not listed.

import { escapeControls, type Style, type Styled, styledText, wrapStyled } from '@plumb/wire'
import type { Summary, TestReporter, TestResult } from './result.js'
import { failureLines, positionText, shareLines, summaryText, titleOf } from './words.js'

/** Where it is read. Undefined: in a file, or by a program. */
export interface ReportTerminal {
  readonly columns: number
  /** It shows colour and weight. */
  readonly isStyled: boolean
}

const STYLES: Readonly<Record<TestResult['status'], Style>> = { passed: 'good', failed: 'error', skipped: 'warning' }
/** Of the lines of a text after the first, beyond what the first has. */
const CONTINUED = 4

/** On a terminal with a blank line after each test, and broken between words. */
export const textReporter = (terminal?: ReportTerminal): TestReporter => ({
  result: (result) => {
    const lines = linesOf(result).map((line) => shown(line, terminal))
    return [...lines, ...(terminal && lines.length > 0 ? [''] : [])].map((line) => `${line}\n`).join('')
  },
  end: (summary) => `${shown(summaryLine(summary), terminal)}\n`,
})

const AGAIN = 'again:'

const linesOf = (result: TestResult): readonly Styled[] => {
  const { status, share, spent, why } = result
  const title = ` ${titleOf(result)}${status === 'skipped' && why !== undefined ? `: ${escapeControls(why)}` : ''}`
  const head: Styled = [['dim', `${positionText(result.place)}:`], ' ', [STYLES[status], `${status}:`], title]
  if (status === 'skipped') return [head]
  if (status === 'failed') {
    const [again = '', ...others] = [...failureLines(result)].reverse()
    return [head, ...indented(others.reverse()), ['  ', ['help', AGAIN], again.slice(AGAIN.length)]]
  }
  return share ? [head, ...indented(shareLines(share, spent))] : []
}

const indented = (lines: readonly string[]): readonly Styled[] => lines.map((line) => [`  ${line}`])

/** A line as it is written there. */
export const shown = (line: Styled, terminal: ReportTerminal | undefined): string => {
  // A command is copied, and stays on one line.
  const isCommand = line.some((part) => part[1] === AGAIN)
  const [first] = line
  const indent = typeof first === 'string' ? first.length - first.trimStart().length : 0
  return styledText(terminal && !isCommand ? wrapStyled(line, terminal.columns, indent + CONTINUED) : line, terminal?.isStyled === true)
}

const summaryLine = (summary: Summary): Styled => {
  const [passed, failed] = [`${summary.passed} passed`, `${summary.failed} failed`]
  const rest = summaryText(summary).slice(`${passed}, ${failed}`.length)
  return [summary.passed > 0 ? ['good', passed] : passed, ', ', summary.failed > 0 ? ['error', failed] : failed, rest]
}
