// What --progress shows of a run: one line for all of it, and a line a stage.

import type { Prices } from './prices.js'
import { showCost, showCount, showRate, showTime } from './show-number.js'
import { allUses, readAndWritten, type StageTally, spentOn, sum, type Tally, tokensOf, type Use } from './stats.js'
import { fitted, textTable } from './text-table.js'

export interface ProgressState {
  readonly tally: Tally
  readonly ms: number
  /** How much of the input is done with, from 0 to 1; undefined: its size is not known. */
  readonly done: number | undefined
  readonly prices: Prices | undefined
}

/** `12 in, 11 out, 1 error, 0.9/s, 0:12, about 1:38 left, 3.4k+1.2k tokens, 4 tool calls, cost 0.0123`. */
export const progressLine = ({ tally, ms, done, prices }: ProgressState): string => {
  const uses = allUses(tally)
  const [tokens, cost] = [tokensText(uses), spentOn(uses, prices)]
  const calls = sum(tally.stages.map(({ toolCalls }) => toolCalls))
  const errors = sum([...tally.errors.values()])
  const left = done !== undefined && done > 0 && done < 1 && ms >= FIRST_GUESS_MS ? (ms * (1 - done)) / done : undefined
  return [
    `${showCount(tally.taken)} in`,
    `${showCount(tally.given)} out`,
    errors === 0 ? '' : `${showCount(errors)} ${errors === 1 ? 'error' : 'errors'}`,
    showRate(tally.given, ms),
    showTime(ms),
    left === undefined ? '' : `about ${showTime(left)} left`,
    tokens === '' ? '' : `${tokens} tokens`,
    calls === 0 ? '' : `${showCount(calls)} tool ${calls === 1 ? 'call' : 'calls'}`,
    cost ? `cost ${showCost(cost)}` : '',
  ]
    .filter((part) => part !== '')
    .join(', ')
}

const FIRST_GUESS_MS = 2000

interface Column {
  readonly title: string
  readonly text: (stage: StageTally, state: ProgressState) => string
}

const COLUMNS: readonly Column[] = [
  { title: 'in', text: ({ taken }) => showCount(taken) },
  { title: 'out', text: ({ given }) => showCount(given) },
  { title: 'rate', text: ({ given, since }, { ms }) => (since === undefined ? '' : showRate(given, ms - since)) },
  { title: 'tokens', text: ({ uses }) => tokensText(uses) },
  { title: 'tools', text: ({ toolCalls }) => count(toolCalls) },
  { title: 'retries', text: ({ retries }) => count(retries) },
  { title: 'errors', text: ({ errors }) => count(errors) },
  { title: 'cost', text: ({ uses }, { prices }) => costText(uses, prices) },
]

/** At most `rows` lines of at most `columns` characters. */
export const progressTable = (state: ProgressState, { columns, rows }: { readonly columns: number; readonly rows: number }): string[] => {
  const { stages } = state.tally
  const shown = busiest(stages, Math.max(0, rows - 2))
  const titles = [shown.length < stages.length ? `${stages.length - shown.length} more` : 'stage', ...COLUMNS.map(({ title }) => title)]
  const table = [titles, ...shown.map((stage) => [stage.name, ...COLUMNS.map(({ text }) => text(stage, state))])]
  return [...(shown.length === 0 ? [] : textTable(table, { width: columns })), fitted(progressLine(state), columns).trimEnd()].slice(-rows)
}

// Where there is no room for all, those that do most; in the order of the program.
const busiest = (stages: readonly StageTally[], most: number): readonly StageTally[] => {
  if (stages.length <= most) return stages
  const callsOf = ({ uses }: StageTally) => sum(uses.map(({ calls }) => calls))
  const chosen = new Set([...stages].sort((a, b) => callsOf(b) - callsOf(a) || b.taken - a.taken).slice(0, most))
  return stages.filter((stage) => chosen.has(stage))
}

const count = (n: number): string => (n === 0 ? '' : showCount(n))

const tokensText = (uses: readonly Use[]): string => {
  const { read, written } = readAndWritten(tokensOf(uses))
  return read + written === 0 ? '' : `${showCount(read)}+${showCount(written)}`
}

const costText = (uses: readonly Use[], prices: Prices | undefined): string => {
  const cost = spentOn(uses, prices)
  return cost ? showCost(cost) : ''
}
