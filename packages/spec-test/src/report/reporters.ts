// The reporters by their names, as --reporter takes them.

import { escapeControls } from '@plumb/wire'
import { junitReporter } from './junit.js'
import type { ReporterName, TestFinding, TestReporter, TestResult } from './result.js'
import { tapReporter } from './tap.js'
import { type ReportTerminal, textReporter } from './text.js'

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

const REPORTERS: Readonly<Record<ReporterName, (terminal?: ReportTerminal) => TestReporter>> = {
  text: textReporter,
  tap: tapReporter,
  junit: junitReporter,
  json: jsonReporter,
}

/** `terminal`: that people read it on; programs read the others all the same. */
export const openReporter = (name: ReporterName, terminal?: ReportTerminal): TestReporter => REPORTERS[name](terminal)
