// What --progress shows of a run: one line for the whole run, and a line for each stage.

import { hasStyles, styledText } from '@plumb/wire'
import { showCost, showCount, showRate, showTime } from './show-number.js'
import { allUsages, costToShow, type ModelUsage, type RunStats, readAndWritten, type StageStats, sum, sumTokens } from './stats.js'
import { styledTable, styledTotals } from './styled-table.js'
import { endOf, fitWidth, textTable } from './text-table.js'

export interface ProgressState {
  readonly stats: RunStats
  readonly ms: number
  /** The share of the input that is done, from 0 to 1; undefined: the size of the input is unknown. */
  readonly done: number | undefined
  readonly asksCost: boolean
}

/**
 * `12 in, 11 out, 1 error, 0:12, $0.0123, 0.9/s, about 1:38 left, 3.4k+1.2k tokens, 4 tool calls, 1 failed`. Where that is longer than `columns`
 * it has no rate, and then is without what stands last.
 */
export const progressLine = (state: ProgressState, columns = Number.POSITIVE_INFINITY): string => {
  const parts = lineParts(state)
  const text = joined(parts)
  return text.length <= columns
    ? text
    : fitted(
        parts.filter(({ isRate }) => !isRate),
        columns,
      )
}

const joined = (parts: readonly LinePart[]): string => parts.map(({ text }) => text).join(', ')

const fitted = (parts: readonly LinePart[], columns: number): string => {
  const text = joined(parts)
  return text.length <= columns || parts.length === 1 ? text : fitted(parts.slice(0, -1), columns)
}

interface LinePart {
  readonly text: string
  readonly isRate: boolean
}

const lineParts = ({ stats, ms, done, asksCost }: ProgressState): LinePart[] => {
  const usages = allUsages(stats)
  const [tokens, cost] = [tokensText(usages), costToShow(usages, asksCost)]
  const calls = sum(stats.stages.map(({ toolCalls }) => toolCalls))
  const failed = sum(stats.stages.map(({ failedCalls }) => failedCalls))
  const rate = showRate(stats.outputs, ms)
  const errors = sum([...stats.errors.values()])
  const left = done !== undefined && done > 0 && done < 1 && ms >= MIN_ESTIMATE_MS ? (ms * (1 - done)) / done : undefined
  return [
    `${showCount(stats.inputs)} in`,
    `${showCount(stats.outputs)} out`,
    errors === 0 ? '' : `${showCount(errors)} ${errors === 1 ? 'error' : 'errors'}`,
    batchesText([...stats.batches.values()]),
    showTime(ms),
    cost ? showCost(cost) : '',
    rate,
    left === undefined ? '' : `about ${showTime(left)} left`,
    tokens === '' ? '' : `${tokens} tokens`,
    calls === 0 ? '' : `${showCount(calls)} tool ${calls === 1 ? 'call' : 'calls'}`,
    failed === 0 ? '' : `${showCount(failed)} failed`,
  ]
    .filter((text) => text !== '')
    .map((text) => ({ text, isRate: text === rate }))
}

const batchesText = (batches: readonly { readonly requests: number; readonly done: number }[]): string => {
  if (batches.length === 0) return ''
  const [done, requests] = [sum(batches.map((one) => one.done)), sum(batches.map((one) => one.requests))]
  return `${showCount(done)} of ${showCount(requests)} in ${batches.length === 1 ? 'a batch' : `${batches.length} batches`}`
}

/** Before, too little is known to estimate the time that is left. */
const MIN_ESTIMATE_MS = 2000

interface Column {
  readonly title: string
  readonly text: (stage: StageStats, state: ProgressState) => string
}

const COLUMNS: readonly Column[] = [
  { title: 'in', text: ({ inputs }) => showCount(inputs) },
  { title: 'out', text: ({ outputs }) => showCount(outputs) },
  { title: 'rate', text: ({ outputs, firstInputMs }, { ms }) => (firstInputMs === undefined ? '' : showRate(outputs, ms - firstInputMs)) },
  { title: 'tokens', text: ({ usages }) => tokensText(usages) },
  { title: 'tools', text: ({ toolCalls }) => count(toolCalls) },
  { title: 'failed', text: ({ failedCalls }) => count(failedCalls) },
  { title: 'retries', text: ({ retries }) => count(retries) },
  { title: 'errors', text: ({ errors }) => count(errors) },
  { title: 'cost', text: ({ usages }, { asksCost }) => costText(usages, asksCost) },
]

/** At most `rows` lines of at most `columns` characters. */
export const progressTable = (state: ProgressState, { columns, rows }: { readonly columns: number; readonly rows: number }): string[] => {
  const { stages } = state.stats
  const shown = busiest(stages, Math.max(0, rows - 2))
  const titles = [shown.length < stages.length ? `${stages.length - shown.length} more` : 'stage', ...COLUMNS.map(({ title }) => title)]
  const table = [titles, ...shown.map((stage) => [stage.name, ...COLUMNS.map(({ text }) => text(stage, state))])]
  return [
    ...(shown.length === 0 ? [] : textTable(table, { width: columns })),
    ...growingLines(state.stats, columns),
    fitWidth(progressLine(state, columns), columns).trimEnd(),
  ].slice(-rows)
}

/** Of answers that are being written: more would only flicker. */
const MAX_GROWING = 3

// The end of an answer is what is new of it.
const growingLines = ({ growing = () => [] }: RunStats, columns: number): readonly string[] =>
  growing()
    .slice(-MAX_GROWING)
    .map(({ process, text }) => fitWidth(`${process}  ${endOf(text, Math.max(8, columns - process.length - 2))}`, columns).trimEnd())

// Where there is no room for all: those with most calls, in the order of the program.
const busiest = (stages: readonly StageStats[], max: number): readonly StageStats[] => {
  if (stages.length <= max) return stages
  const callsOf = ({ usages }: StageStats) => sum(usages.map(({ calls }) => calls))
  const chosen = new Set([...stages].sort((a, b) => callsOf(b) - callsOf(a) || b.inputs - a.inputs).slice(0, max))
  return stages.filter((stage) => chosen.has(stage))
}

const count = (n: number): string => (n === 0 ? '' : showCount(n))

const tokensText = (usages: readonly ModelUsage[]): string => {
  const { read, written } = readAndWritten(sumTokens(usages))
  return read + written === 0 ? '' : `${showCount(read)}+${showCount(written)}`
}

const costText = (usages: readonly ModelUsage[], asksCost: boolean): string => {
  const cost = costToShow(usages, asksCost)
  return cost ? showCost(cost) : ''
}

/** The same on a terminal with styles, if it has them. */
export const colorTable = (lines: readonly string[]): readonly string[] => {
  if (!hasStyles(true)) return lines
  return [...styledTable(lines.slice(0, -1)), styledTotals(lines.at(-1) ?? '')].map((line) => styledText(line, true))
}
