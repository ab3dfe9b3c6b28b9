// --summary: what a run was, at its end; for people, or as one object.

import type { Prices, Tokens } from './prices.js'
import { progressLine } from './progress-table.js'
import { showCost, showCount } from './show-number.js'
import { allUses, type StageTally, spentOn, sum, type Tally, tokensOf, type Use } from './stats.js'
import { textTable } from './text-table.js'

export interface RunSummary {
  readonly spec: string
  readonly binding: string
  readonly ms: number
  readonly status: 0 | 1 | 2
  readonly stoppedBy: string | null
  readonly tally: Tally
  readonly prices: Prices | undefined
}

/** Several lines. */
export const summaryText = (run: RunSummary): string[] => {
  const { tally, prices, stoppedBy } = run
  const uses = allUses(tally)
  const errors = [...tally.errors].sort(([, a], [, b]) => b - a).map(([code, count]) => `${count} ${code}`)
  const unpriced = spentOn(uses, prices)?.unpriced ?? []
  return [
    `${run.spec === '' ? '' : `${run.spec} `}${run.binding}: ${progressLine({ ...run, done: undefined })}${stoppedBy === null ? '' : `, stopped by ${stoppedBy}`}`,
    ...(errors.length === 0 ? [] : [`errors: ${errors.join(', ')}`]),
    ...(tally.stages.length === 0 ? [] : textTable([STAGE_TITLES, ...tally.stages.map(stageRow)])),
    ...(uses.length === 0 ? [] : textTable([USE_TITLES, ...usesByAgent(uses, prices)], { names: 2 })),
    ...(unpriced.length === 0 ? [] : [`no price is given for ${unpriced.join(', ')}`]),
  ]
}

const STAGE_TITLES = ['stage', 'in', 'out', 'from record', 'requests', 'tool calls', 'retries', 'errors']

const stageRow = ({ name, taken, given, replayed, uses, toolCalls, retries, errors }: StageTally): string[] => {
  const rest = [replayed, requestsOf(uses), toolCalls, retries, errors].map((count) => (count === 0 ? '' : showCount(count)))
  return [name, showCount(taken), showCount(given), ...rest]
}

const USE_TITLES = ['agent', 'model', 'requests', 'input', 'cache read', 'cache written', 'output', 'cost']

const usesByAgent = (uses: readonly Use[], prices: Prices | undefined): string[][] => {
  const rows = uses.map((use) => useRow(use.agent, use.model, [use], prices))
  return uses.length === 1 ? rows : [...rows, useRow('all', '', uses, prices)]
}

const useRow = (agent: string, model: string, uses: readonly Use[], prices: Prices | undefined): string[] => {
  const tokens = tokensOf(uses)
  const cost = spentOn(uses, prices)
  const cached = [tokens.cache_read, tokens.cache_creation].map((count) => (count === 0 ? '' : showCount(count)))
  return [
    agent,
    model,
    showCount(requestsOf(uses)),
    showCount(tokens.input),
    ...cached,
    showCount(tokens.output),
    cost ? showCost(cost) : '',
  ]
}

const requestsOf = (uses: readonly Use[]): number => sum(uses.map(({ calls }) => calls))

/** One line: `{"summary":{…}}`. */
export const summaryJson = ({ spec, binding, status, stoppedBy, ...state }: RunSummary): string =>
  JSON.stringify({ summary: { spec, binding, status, stopped_by: stoppedBy, ...progressFields(state) } })

type Counted = Pick<RunSummary, 'tally' | 'ms' | 'prices'>

/** One line: `{"progress":{…}}`. */
export const progressJson = ({ done, ...state }: Counted & { readonly done: number | undefined }): string =>
  JSON.stringify({ progress: { ...progressFields(state), ...(done === undefined ? {} : { done: Math.round(done * 1000) / 1000 }) } })

const progressFields = ({ tally, ms, prices }: Counted): object => {
  const uses = allUses(tally)
  return {
    ms: Math.round(ms),
    inputs: tally.taken,
    outputs: tally.given,
    errors: sum([...tally.errors.values()]),
    by_code: Object.fromEntries(tally.errors),
    requests: requestsOf(uses),
    from_record: sum(tally.stages.map(({ replayed }) => replayed)),
    tool_calls: sum(tally.stages.map(({ toolCalls }) => toolCalls)),
    retries: sum(tally.stages.map(({ retries }) => retries)),
    ...tokenFields(tokensOf(uses)),
    ...costFields(uses, prices),
    stages: tally.stages.map(({ name, taken, given, replayed, toolCalls, retries, errors }) => ({
      ...{ stage: name, in: taken, out: given, from_record: replayed },
      ...{ tool_calls: toolCalls, retries, errors },
    })),
    agents: uses.map((use) => ({
      ...{ agent: use.agent, model: use.model, requests: use.calls },
      ...tokenFields(use.tokens),
      ...costFields([use], prices),
    })),
  }
}

// As `usage` of plumb-agent(1) calls them.
const tokenFields = ({ input, output, cache_read, cache_creation }: Tokens): object => ({
  input_tokens: input,
  output_tokens: output,
  cache_read_tokens: cache_read,
  cache_creation_tokens: cache_creation,
})

const costFields = (uses: readonly Use[], prices: Prices | undefined): object => {
  const cost = spentOn(uses, prices)
  if (!cost) return {}
  return { cost: Number(cost.known.toPrecision(12)), ...(cost.unpriced.length > 0 ? { unpriced: cost.unpriced } : {}) }
}
