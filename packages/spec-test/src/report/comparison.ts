// Writes comparisons: a table for each test, and below it what the numbers say of each variant.

import { showCost } from '@plumb/runtime/display'
import { escapeControls } from '@plumb/wire'
import type { ComparedTest, ComparedVariant, Uncompared } from './compared.js'
import type { ShownCoverage } from './coverage.js'
import type { ReporterName } from './result.js'
import { errorsText, percent, signedPercent } from './words.js'

export const showComparison = (tests: readonly ComparedTest[], others: readonly Uncompared[], reporter: ReporterName): ShownCoverage => {
  const lines = [...tests.flatMap(tableOf), ...others.map(({ title, why }) => `${title}: not compared: ${escapeControls(why)}`)]
  if (reporter === 'json') {
    const objects = tests.map(({ test, baseline, variants }) => ({ kind: 'comparison', test, baseline, variants }))
    return {
      stdout: objects.map((object) => `${escapeControls(JSON.stringify(object))}\n`).join(''),
      stderr: lines.slice(lines.length - others.length),
    }
  }
  if (reporter === 'junit') return { stdout: '', stderr: lines }
  return { stdout: lines.map((line) => `${reporter === 'tap' ? '# ' : ''}${line}\n`).join(''), stderr: [] }
}

const tableOf = (test: ComparedTest): readonly string[] => {
  const { title, variants } = test
  const head = headOf(test)
  const rows = [head, ...variants.map(rowOf)]
  const widths = head.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)))
  const lineOf = (row: readonly string[]): string =>
    row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] as number) : cell.padStart(widths[column] as number))).join('  ')
  return [title, ...rows.map((row) => `  ${lineOf(row)}`), ...variants.flatMap((one) => notesOf(test, one).map((note) => `  ${note}`))]
}

export const headOf = ({ variants }: ComparedTest): readonly string[] => {
  const isScored = variants.some(({ mean }) => mean !== undefined)
  return ['variant', isScored ? 'mean' : 'share', '95 % interval', 'cost', 'p50', 'p95', 'tokens', 'requests']
}

export const rowOf = (one: ComparedVariant): readonly string[] => [
  escapeControls(one.variant),
  one.mean === undefined ? percent(one.share ?? 0) : String(Math.round(one.mean * 1e4) / 1e4),
  `${percent(one.low)} to ${percent(one.high)}`,
  showCost({ known: one.cost, unpriced: one.unpriced ?? [] }),
  showMs(one.p50_ms),
  showMs(one.p95_ms),
  String(one.tokens),
  String(one.requests),
]

const showMs = (ms: number): string => (ms < 1000 ? `${ms.toFixed(ms < 10 ? 1 : 0)} ms` : `${(ms / 1000).toFixed(1)} s`)

/** What the numbers say of a variant, a line each. */
export const notesOf = (test: ComparedTest, one: ComparedVariant): readonly string[] => {
  const { variant, verdict, stopped_at: stoppedAt, pass_at_k: atK, pass_all_k: allK, errors } = one
  const name = escapeControls(variant)
  return [
    ...(verdict === undefined ? [] : [`${name}: ${verdictText(one)}: ${differenceText(test, one)}`]),
    ...(verdict === undefined ? [] : [`${name}: ${one.better} rows better, ${one.worse} worse, ${one.equal} equal${partingText(one)}`]),
    ...(Object.keys(errors).length === 0 ? [] : [`${name}: errors: ${errorsText(errors)}`]),
    ...(atK === undefined
      ? []
      : [`${name}: held in one of the repetitions ${percent(atK)} (pass@k), in all ${percent(allK ?? 0)} (pass^k)`]),
    ...(one.alpha === undefined ? [] : [`${name}: the judges agree to ${one.alpha.toFixed(2)} (Krippendorff's alpha)`]),
    ...(one.order_decided === undefined ? [] : [`${name}: the order decided ${one.order_decided} pairs, which count as ties`]),
    ...(stoppedAt === undefined ? [] : [`${name}: decided after ${stoppedAt} of ${test.total} rows${savedText(test, one)}`]),
  ]
}

export const verdictText = ({ verdict = 'no difference', would_see: wouldSee = 1 }: ComparedVariant): string =>
  verdict === 'no difference' ? `no difference seen (would see ±${points(wouldSee)})` : verdict

const differenceText = ({ corrected }: ComparedTest, one: ComparedVariant): string => {
  const { difference = 0, difference_low: low = -1, difference_high: high = 1, mcnemar_p: mcnemar, adjusted_p: adjusted = 1 } = one
  const ps = [
    ...(mcnemar === undefined ? [] : [`McNemar's p ${showP(mcnemar)}`]),
    ...(corrected === undefined ? [] : [`p ${showP(adjusted)} by Holm's correction of ${corrected} comparisons`]),
    ...(mcnemar === undefined && corrected === undefined ? [`p ${showP(adjusted)}`] : []),
  ]
  return `${signedPercent(difference)} (95 % interval ${signedPercent(low)} to ${signedPercent(high)}; ${ps.join('; ')})`
}

const points = (share: number): string => `${Number((share * 100).toPrecision(2))} %`

const showP = (p: number): string => (p < 0.0001 ? 'below 0.0001' : p.toFixed(4))

/** `; 41 of 52 worse rows part at 'classifier-router'`. */
const partingText = ({ worse = 0, first_wires: wires = {} }: ComparedVariant): string =>
  Object.entries(wires)
    .slice(0, MAX_WIRES)
    .map(([wire, count], i) => `; ${i === 0 ? `${count} of ${worse} worse rows part at` : `${count} at`} '${escapeControls(wire)}'`)
    .join('')

const MAX_WIRES = 3

const savedText = ({ total }: ComparedTest, { rows, cost }: ComparedVariant): string => {
  const left = total - rows
  const saved = rows === 0 ? 0 : (cost / rows) * left
  return `: ${left} of them were not asked${saved > 0 ? `, which saved about ${showCost({ known: saved, unpriced: [] })}` : ''}`
}
