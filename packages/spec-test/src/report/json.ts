// One JSON object a line: each test, then the summary.

import { escapeControls } from '@plumb/wire'
import type { TestFinding, TestReporter, TestResult } from './result.js'

export const jsonReporter = (): TestReporter => ({
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
