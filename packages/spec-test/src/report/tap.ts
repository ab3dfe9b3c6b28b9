// TAP 14 (https://testanything.org/tap-version-14-specification.html): a point a test, followed by its findings in YAML.

import { escapeControls, preview } from '@plumb/wire'
import type { TestFinding, TestReporter, TestResult } from './result.js'
import { positionText, summaryText } from './words.js'

export const tapReporter = (): TestReporter => {
  let number = 0
  return {
    begin: (count) => `TAP version 14\n1..${count}\n`,
    result: (result) => {
      number++
      return [pointOf(result, number), ...details(result)].map((line) => `${line}\n`).join('')
    },
    end: (summary) => `# ${escaped(summaryText(summary))}\n`,
  }
}

const pointOf = ({ name, status, why = '' }: TestResult, number: number): string => {
  const point = `${status === 'failed' ? 'not ok' : 'ok'} ${number} - ${escaped(name)}`
  return status === 'skipped' ? `${point} # SKIP ${escaped(why)}`.trimEnd() : point
}

/** A `#` would begin a directive. */
const escaped = (text: string): string => escapeControls(text).replace(/[\\#]/g, '\\$&')

const details = ({ of, place, status, milliseconds, findings, share, spent, seed, again }: TestResult): readonly string[] => {
  if (status === 'skipped' || (status === 'passed' && !share)) return []
  const all = {
    of,
    at: positionText(place),
    findings: findings.length > 0 ? findings.map(findingDetails) : undefined,
    share: share && { ...share, worst: share.worst.slice(0, MAX_WORST) },
    spent,
    seed,
    again,
    duration_ms: milliseconds,
  }
  return ['  ---', ...yamlOf(all).map((line) => `  ${line}`), '  ...']
}

const MAX_VALUE = 1000
/** Of the rows of an evaluation. */
const MAX_WORST = 5

const findingDetails = ({ place, expected, got, ...rest }: TestFinding) => ({
  ...rest,
  ...(place ? { at: positionText(place) } : {}),
  ...(expected === undefined ? {} : { expected: preview(expected, MAX_VALUE) }),
  ...(got === undefined ? {} : { got: preview(got, MAX_VALUE) }),
})

// Blocks, with scalars as JSON writes them, which is YAML too. Keys are ours; undefined ones are left out.
const yamlOf = (value: object): readonly string[] =>
  Array.isArray(value)
    ? value.flatMap((item: unknown) => nested('-', item, (lines) => [`- ${lines[0]?.trimStart()}`, ...lines.slice(1)]))
    : Object.entries(value).flatMap(([key, item]) => (item === undefined ? [] : nested(`${key}:`, item, (lines) => [`${key}:`, ...lines])))

const nested = (head: string, value: unknown, write: (lines: readonly string[]) => readonly string[]): readonly string[] => {
  if (typeof value !== 'object' || value === null) return [`${head} ${scalar(value)}`]
  const lines = yamlOf(value)
  return lines.length === 0 ? [`${head} []`] : write(lines.map((line) => `  ${line}`))
}

const scalar = (value: unknown): string => JSON.stringify(typeof value === 'string' ? escapeControls(value) : value)
