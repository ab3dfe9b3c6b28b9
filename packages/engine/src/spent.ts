// The requests, tool calls and retries of the processes of a part, from the telemetry of their agents.

import { costOfUsage, type Prices } from '@plumb/ledger'
import { addTokens, type ModelUsage, sum, sumTokens } from '@plumb/runtime/display'
import { readUsage, type Telemetry } from '@plumb/wire'

export interface AgentSpending {
  /** Requests to models, by agent and model. */
  readonly usages: readonly Readonly<ModelUsage>[]
  readonly toolCalls: number
  /** Those whose result was an error. */
  readonly failedCalls: number
  /** Attempts after the first. */
  readonly retries: number
}

export const NOTHING: AgentSpending = { usages: [], toolCalls: 0, failedCalls: 0, retries: 0 }

export const addSpent = (a: AgentSpending, b: AgentSpending): AgentSpending => ({
  usages: addUsages(a.usages, b.usages),
  toolCalls: a.toolCalls + b.toolCalls,
  failedCalls: a.failedCalls + b.failedCalls,
  retries: a.retries + b.retries,
})

const addUsages = (a: AgentSpending['usages'], b: AgentSpending['usages']): AgentSpending['usages'] => {
  const isSame = (one: Readonly<ModelUsage>, other: Readonly<ModelUsage>) => one.agent === other.agent && one.model === other.model
  const both = a.map((one) => {
    const more = b.find((other) => isSame(one, other))
    if (!more) return one
    const { calls, tokens, cost, unpriced } = more
    const tokensOfBoth = addTokens(one.tokens, tokens)
    return { ...one, calls: one.calls + calls, tokens: tokensOfBoth, cost: one.cost + cost, unpriced: one.unpriced + unpriced }
  })
  return [...both, ...b.filter((one) => !a.some((other) => isSame(one, other)))]
}

/** Requests, tokens read and written, and nanodollars of those that have a price. */
export const totalsOf = ({ usages }: AgentSpending): { readonly calls: number; readonly tokens: number; readonly cost: number } => {
  const { input, output, cache_read, cache_creation } = sumTokens([...usages])
  return {
    calls: sum(usages.map(({ calls }) => calls)),
    tokens: input + output + cache_read + cache_creation,
    cost: sum(usages.map(({ cost }) => cost)),
  }
}

/** A kept answer counts nothing: no request was made. */
export const spentIn = (reported: Telemetry & { readonly agent?: string }, prices: Prices | undefined): AgentSpending => {
  if (reported.kind === 'tool_result') {
    return (reported.depth ?? 0) > 0 ? NOTHING : { ...NOTHING, toolCalls: 1, failedCalls: reported.is_error === true ? 1 : 0 }
  }
  if (reported.kind === 'retry') return { ...NOTHING, retries: 1 }
  if (reported.kind !== 'usage' || reported.kept !== undefined) return NOTHING
  const { usage } = readUsage(reported)
  const cost = costOfUsage(prices, usage)
  const { input_tokens: input, output_tokens: output, cache_read_tokens: cache_read, cache_creation_tokens: cache_creation } = usage
  const tokens = { input, output, cache_read, cache_creation }
  const named = { agent: nameIn(reported.agent ?? ''), model: nameIn(usage.model ?? 'unknown') }
  const one = { ...named, calls: 1, tokens, cost: cost ?? 0, unpriced: cost === undefined ? 1 : 0 }
  return { ...NOTHING, usages: [one] }
}

const MAX_NAME = 200

/** Makes a name storable in a table: a foreign program may report anything. */
const nameIn = (said: unknown): string => String(said).replaceAll('\0', '').slice(0, MAX_NAME)
