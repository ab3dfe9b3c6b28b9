// --summary: what a run did, at its end; for people, or as one object.

import { type Styled, wrapStyled } from '@plumb/wire'
import type { RunListener } from '../event/run-event.js'
import { type ProgressState, progressLine } from './progress-table.js'
import { showCost, showCount } from './show-number.js'
import {
  allUsages,
  costOfUsages,
  costToShow,
  type ModelUsage,
  type RunStats,
  type StageStats,
  type StageTokens,
  sum,
  sumTokens,
} from './stats.js'
import { styledTable, styledTotals } from './styled-table.js'
import { textTable } from './text-table.js'

export interface RunSummary {
  readonly spec: string
  readonly binding: string
  readonly ms: number
  readonly status: 0 | 1 | 2
  readonly stoppedBy: string | null
  readonly stats: RunStats
  readonly asksCost: boolean
}

export interface SummaryOptions {
  /** The state of the run at any moment; undefined before it has begun. */
  readonly clock: { readonly state: ProgressState | undefined }
  readonly form: 'text' | 'json'
  readonly write: (line: string | Styled) => void
  /** Of a terminal that shows colour and weight. Undefined: it is none. */
  readonly columns?: number | undefined
  /** Where the run is recorded. */
  readonly record?: string | undefined
}

/** Writes the summary once the run has ended. */
export const summaryListener = ({ clock, form, write, columns, record }: SummaryOptions): RunListener => {
  let begun = { spec: '', binding: '' }
  return {
    on: (event) => {
      if (event.kind === 'begin') begun = { spec: event.spec, binding: event.binding }
      if (event.kind !== 'end' || !clock.state) return
      const { status, stoppedBy } = event
      const { ms, stats, asksCost } = clock.state
      const run = { ...begun, ms, status, stoppedBy, stats, asksCost }
      const lines = form === 'json' ? [summaryJson(run)] : runSummaryText(run, columns)
      for (const line of form === 'json' || columns === undefined ? lines : styledSummary(lines, columns, record)) write(line)
    },
  }
}

/** Several lines, without line ends: tables with a blank line after each, and the totals last. */
export const runSummaryText = (run: RunSummary, columns?: number): string[] => {
  const { stats, asksCost, stoppedBy } = run
  const usages = allUsages(stats)
  const errors = [...stats.errors].sort(([, a], [, b]) => b - a).map(([code, count]) => `${count} ${code}`)
  const unpriced = costToShow(usages, asksCost)?.unpriced ?? []
  const width = columns === undefined ? {} : { width: columns }
  return [
    ...(stats.stages.length === 0 ? [] : [...textTable([STAGE_TITLES, ...stats.stages.map(stageRow)], width), '']),
    ...(usages.length === 0 ? [] : [...textTable([USAGE_TITLES, ...usagesByAgent(usages, asksCost)], { names: 2, ...width }), '']),
    ...(unpriced.length === 0 ? [] : [`no price is given for ${unpriced.join(', ')}`]),
    ...(stats.handled === 0 ? [] : [`handled errors: ${stats.handled}`]),
    ...(errors.length === 0 ? [] : [`errors: ${errors.join(', ')}`]),
    `${run.spec === '' ? '' : `${run.spec} `}${run.binding}: ` +
      `${progressLine({ ...run, done: undefined })}${stoppedBy === null ? '' : `, stopped by ${stoppedBy}`}`,
  ]
}

// Apart from what was told before, and with the command that shows more.
const styledSummary = (lines: readonly string[], columns: number, record: string | undefined): readonly Styled[] => {
  const texts = lines.slice(lines.lastIndexOf('') + 1)
  const tables = lines.slice(0, lines.length - texts.length)
  const shown = tables.flatMap((_, i): readonly Styled[] => {
    if (i > 0 && tables[i - 1] !== '') return []
    const end = tables.indexOf('', i)
    return [...styledTable(tables.slice(i, end)), []]
  })
  const [totals = '', ...others] = [...texts].reverse()
  const told = [...others.reverse(), ...(record === undefined ? [] : [`plumb view ${record} shows the run`])]
  return [[], ...shown, ...told.map((line) => wrapStyled(line, columns, INDENT)), wrapStyled(styledTotals(totals), columns, INDENT)]
}

const INDENT = 2

const STAGE_TITLES = ['stage', 'in', 'out', 'errors', 'requests', 'tool calls', 'failed calls', 'retries', 'from record']

const stageRow = ({ name, inputs, outputs, fromRecord, usages, toolCalls, failedCalls, retries, errors }: StageStats): string[] => {
  const rest = [errors, requestsOf(usages), toolCalls, failedCalls, retries, fromRecord].map((count) =>
    count === 0 ? '' : showCount(count),
  )
  return [name, showCount(inputs), showCount(outputs), ...rest]
}

const USAGE_TITLES = ['agent', 'model', 'cost', 'requests', 'input', 'output', 'cache read', 'cache written']

const usagesByAgent = (usages: readonly ModelUsage[], asksCost: boolean): string[][] => {
  const rows = usages.map((usage) => usageRow(usage.agent, usage.model, [usage], asksCost))
  return usages.length === 1 ? rows : [...rows, usageRow('all', '', usages, asksCost)]
}

const usageRow = (agent: string, model: string, usages: readonly ModelUsage[], asksCost: boolean): string[] => {
  const tokens = sumTokens(usages)
  const cost = costToShow(usages, asksCost)
  const cached = [tokens.cache_read, tokens.cache_creation].map((count) => (count === 0 ? '' : showCount(count)))
  return [
    agent,
    model,
    cost ? showCost(cost) : '',
    showCount(requestsOf(usages)),
    showCount(tokens.input),
    showCount(tokens.output),
    ...cached,
  ]
}

const requestsOf = (usages: readonly ModelUsage[]): number => sum(usages.map(({ calls }) => calls))

/** One line: `{"summary":{…}}`. */
export const summaryJson = ({ spec, binding, status, stoppedBy, ...state }: RunSummary): string =>
  JSON.stringify({ summary: { spec, binding, status, stopped_by: stoppedBy, ...progressFields(state) } })

type Counts = Pick<RunSummary, 'stats' | 'ms'>

/** One line: `{"progress":{…}}`. */
export const progressJson = ({ done, ...state }: Counts & { readonly done: number | undefined }): string =>
  JSON.stringify({ progress: { ...progressFields(state), ...(done === undefined ? {} : { done: Math.round(done * 1000) / 1000 }) } })

const progressFields = ({ stats, ms }: Counts): object => {
  const usages = allUsages(stats)
  return {
    ms: Math.round(ms),
    inputs: stats.inputs,
    outputs: stats.outputs,
    errors: sum([...stats.errors.values()]),
    by_code: Object.fromEntries(stats.errors),
    ...(stats.handled === 0 ? {} : { handled: stats.handled }),
    requests: requestsOf(usages),
    from_record: sum(stats.stages.map(({ fromRecord }) => fromRecord)),
    tool_calls: sum(stats.stages.map(({ toolCalls }) => toolCalls)),
    failed_calls: sum(stats.stages.map(({ failedCalls }) => failedCalls)),
    retries: sum(stats.stages.map(({ retries }) => retries)),
    ...tokenFields(sumTokens(usages)),
    ...costFields(usages),
    stages: stats.stages.map(({ name, inputs, outputs, fromRecord, toolCalls, failedCalls, retries, errors }) => ({
      ...{ stage: name, in: inputs, out: outputs, from_record: fromRecord },
      ...{ tool_calls: toolCalls, failed_calls: failedCalls, retries, errors },
    })),
    agents: usages.map((usage) => ({
      ...{ agent: usage.agent, model: usage.model, requests: usage.calls },
      ...tokenFields(usage.tokens),
      ...costFields([usage]),
    })),
  }
}

// As `usage` of plumb-agent(1) calls them.
const tokenFields = ({ input, output, cache_read, cache_creation }: StageTokens): object => ({
  input_tokens: input,
  output_tokens: output,
  cache_read_tokens: cache_read,
  cache_creation_tokens: cache_creation,
})

const costFields = (usages: readonly ModelUsage[]): object => {
  const cost = costOfUsages(usages)
  if (!cost) return {}
  return { cost: Number(cost.known.toPrecision(12)), ...(cost.unpriced.length > 0 ? { unpriced: cost.unpriced } : {}) }
}
