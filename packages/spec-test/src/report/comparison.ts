// Writes comparisons: a table for each test, and below it what the numbers say of each variant.

import { showCost, textTable } from '@plumb/runtime/display'
import { escapeControls, type Style, type Styled, styledText } from '@plumb/wire'
import type { ComparedTest, ComparedVariant, Uncompared } from './compared.js'
import type { ShownCoverage } from './coverage.js'
import type { ReporterName } from './result.js'
import { type ReportTerminal, shown } from './text.js'
import { errorsText, percent, signedPercent } from './words.js'

/** `terminal`: for the text report alone. */
export const showComparison = (
  tests: readonly ComparedTest[],
  others: readonly Uncompared[],
  reporter: ReporterName,
  terminal?: ReportTerminal,
): ShownCoverage => {
  const own = reporter === 'text' ? terminal : undefined
  const uncompared = others.map(({ title, why }) => shown(headed(`${title}: not compared: ${escapeControls(why)}`), own))
  const after = own && tests.length + others.length > 0 ? [''] : []
  const lines = [
    ...tests.flatMap((test) => [...tableOf(test, own), ...(own && test !== tests.at(-1) ? [''] : [])]),
    ...uncompared,
    ...after,
  ]
  if (reporter === 'json') {
    const objects = tests.map(({ test, baseline, variants }) => ({ kind: 'comparison', test, baseline, variants }))
    return {
      stdout: objects.map((object) => `${escapeControls(JSON.stringify(object))}\n`).join(''),
      stderr: uncompared,
    }
  }
  if (reporter === 'junit') return { stdout: '', stderr: lines }
  return { stdout: lines.map((line) => `${reporter === 'tap' ? '# ' : ''}${line}\n`).join(''), stderr: [] }
}

const tableOf = (test: ComparedTest, terminal: ReportTerminal | undefined): readonly string[] => {
  const { title, variants } = test
  const head = headOf(test)
  const rows = [head, ...variants.map(rowOf)]
  const table = textTable(rows, terminal ? { width: terminal.columns - INDENT.length, leastName: LEAST_NAME } : {}).map(
    (line) => INDENT + line,
  )
  const notes = variants.flatMap((one) =>
    notesOf(test, one).map((note, i) => shown(i === 0 ? judged(note, one) : [INDENT + note], terminal)),
  )
  return [shown(headed(title), terminal), ...table.map((line, i) => shownRow(line, i, terminal)), ...notes]
}

const INDENT = '  '

const LEAST_NAME = 16

// The titles are bold.
const shownRow = (line: string, i: number, terminal: ReportTerminal | undefined): string =>
  i === 0 ? styledText([['bold', line]], terminal?.isStyled === true) : line

/** The place of a test is dim. */
const headed = (text: string): Styled => {
  const [whole = '', place = '', rest = ''] = /^(.*?:\d+:\d+:)( .*)$/s.exec(text) ?? []
  return whole === '' ? [text] : [['dim', place], rest]
}

const VERDICTS: Readonly<Record<string, Style>> = { better: 'good', worse: 'error' }

/** `a: worse: …`, with its verdict in colour. */
const judged = (note: string, { variant, verdict = 'no difference' }: ComparedVariant): Styled => {
  const name = `${escapeControls(variant)}: `
  const style = VERDICTS[verdict]
  return style && note.startsWith(`${name}${verdict}:`)
    ? [INDENT + name, [style, verdict], note.slice(name.length + verdict.length)]
    : [INDENT + note]
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
    ...(verdict === undefined
      ? []
      : [`${name}: ${one.better} ${one.better === 1 ? 'row' : 'rows'} better, ${one.worse} worse, ${one.equal} equal${partingText(one)}`]),
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
