// The text of results, for all reporters that people read: lines without ends and without terminal controls.

import { showCost } from '@plumb/runtime/display'
import { escapeControls, preview } from '@plumb/wire'
import type { RouteStep, Share, SpecPosition, Summary, TestCost, TestFinding, TestResult } from './result.js'

const MAX_VALUE = 80
/** A row, with the error that it came to. */
const MAX_ROW = 320

export const positionText = ({ file, line, column }: SpecPosition): string => escapeControls(`${file}:${line}:${column}`)

/** `"adds" of sum`. */
export const titleOf = ({ name, of, model, variant = model }: Pick<TestResult, 'name' | 'of' | 'model' | 'variant'>): string =>
  escapeControls(`"${name}" of ${of}${variant === undefined ? '' : ` with ${variant}`}`)

/** What is wrong, what was expected, and where the values first differed; further lines are indented. */
export const findingLines = (finding: TestFinding): readonly string[] => {
  const { code, message, place, expected, got, wire, route = [], difference = [] } = finding
  const values = difference.length > 0 ? difference : [...shown('expected', expected), ...shown('got', got)]
  return [
    escapeControls(`${code}: ${numberOf(finding)}${message}${place ? ` (${positionText(place)})` : ''}`),
    ...values.map((line) => `  ${escapeControls(line)}`),
    ...(wire === undefined ? [] : [`  first wrong on the wire ${escapeControls(wire)}`]),
    ...routeLines(route).map((line) => `  ${escapeControls(line)}`),
  ]
}

/** Of more wires, the first and the last are shown. */
const MAX_WIRES = 8
const FIRST_WIRES = 2

const routeLines = (route: readonly RouteStep[]): readonly string[] => {
  const left = route.length - MAX_WIRES
  const steps = left > 0 ? [...route.slice(0, FIRST_WIRES), ...route.slice(FIRST_WIRES + left + 1)] : route
  const width = Math.max(0, ...steps.map(({ wire }) => wire.length))
  const lines = steps.map((step) => `  ${step.wire.padEnd(width)}  ${messagesOf(step)}`)
  if (left > 0) lines.splice(FIRST_WIRES, 0, `  … ${left + 1} more wires`)
  return route.length === 0 ? [] : ['on its way:', ...lines]
}

const messagesOf = ({ count, messages }: RouteStep): string => {
  if (count <= 3) return preview(messages.join(', '), MAX_VALUE)
  const [first, second, last] = messages.map((json) => preview(json, MAX_VALUE / 3))
  return `${first}, ${second}, … ${last} (${count} messages)`
}

// Many messages contain it themselves.
const numberOf = ({ number, message }: TestFinding): string =>
  number === undefined || new RegExp(`\\bmessage ${number}\\b`).test(message) ? '' : `message ${number}: `

const shown = (what: string, value: string | undefined): readonly string[] =>
  value === undefined ? [] : [`${what} ${preview(value, MAX_VALUE)}`]

/** All findings, and how to repeat the test. */
export const failureLines = ({ findings, share, spent, seed, again }: TestResult): readonly string[] => [
  ...findings.flatMap(findingLines),
  ...(share ? shareLines(share, spent) : []),
  ...(seed === undefined ? [] : [`seed ${seed}`]),
  `again: ${escapeControls(again)}`,
]

/** The share with its interval, then the outputs of the failed rows. */
export const shareLines = (
  { passed, score, rows, low, high, errors, alpha, worst }: Share,
  spent: TestCost | undefined,
): readonly string[] => {
  const interval = `95 % interval ${percent(low)} to ${percent(high)}`
  const share =
    passed === undefined
      ? `mean score ${score} of ${rows} rows${rows === 0 ? '' : ` (${interval})`}`
      : `${passed} of ${rows} held${rows === 0 ? '' : ` (${percent(passed / rows)}; ${interval})`}`
  const left = worst.length - MAX_WORST
  return [
    `${share}${costText(spent)}`,
    ...(errors ? [`errors: ${errorsText(errors)}`] : []),
    ...(alpha === undefined ? [] : [`the judges agree to ${alpha.toFixed(2)} (Krippendorff's alpha)`]),
    ...worst.slice(0, MAX_WORST).map((row) => `  ${preview(row, MAX_ROW)}`),
    ...(left > 0 ? [`  and ${left} more: --reporter json and --rows show all`] : []),
  ]
}

/** Of the rows that were not held. */
const MAX_WORST = 5

/** `2 timeout, 1 no_output`. */
export const errorsText = (errors: Readonly<Record<string, number>>): string =>
  escapeControls(
    Object.entries(errors)
      .map(([code, count]) => `${count} ${code}`)
      .join(', '),
  )

export const percent = (share: number): string => `${(share * 100).toFixed(1)} %`

export const signedPercent = (share: number): string => `${share > 0 ? '+' : ''}${percent(share)}`

/** A plus stands for models without a price. */
const showSpent = (spent: TestCost | undefined): string => (spent ? showCost({ known: spent.cost, unpriced: spent.unpriced }) : '')

const costText = (spent: TestCost | undefined): string => (spent ? `, cost ${showSpent(spent)}` : '')

/** `2 passed, 1 failed, 1 skipped in 0.02 s, asked 12 times, cost $0.12`. */
export const summaryText = ({ passed, failed, skipped, milliseconds, spent }: Summary): string => {
  const counts = `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`
  const asked = spent ? `, asked ${spent.calls === 1 ? 'once' : `${spent.calls} times`}` : ''
  return `${counts} in ${(milliseconds / 1000).toFixed(2)} s${asked}${costText(spent)}`
}
