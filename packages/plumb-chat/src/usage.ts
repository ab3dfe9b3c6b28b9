// Tokens so far, and what they cost, by agent and model.

import { costOfUsage, loadPrices, type Prices, type ReportedUsage } from '@plumb/ledger'
import { toDollars } from '@plumb/wire'
import type { ProgramEvent } from './program/events.js'

type UsageEvent = Extract<ProgramEvent, { kind: 'usage' }>

export interface Usage {
  add(event: UsageEvent): void
  /** A line for each agent and model, and one for all when there are several. */
  lines(): string[]
}

interface Sum {
  calls: number
  input: number
  output: number
  read: number
  created: number
  ms: number
  /** Each with its price. */
  readonly reported: ReportedUsage[]
}

const emptySum = (): Sum => ({ calls: 0, input: 0, output: 0, read: 0, created: 0, ms: 0, reported: [] })

export const openUsage = (): Usage => {
  const sums = new Map<string, Sum>()
  const all = emptySum()
  let prices: Prices | undefined
  let isAsked = false
  return {
    add: (event) => {
      if (!isAsked) void loadPrices().then((loaded) => (prices = loaded))
      isAsked = true
      const name = `${event.agent} (${event.model})`
      const sum = sums.get(name) ?? emptySum()
      sums.set(name, sum)
      for (const part of [sum, all]) {
        part.calls++
        part.input += event.input_tokens
        part.output += event.output_tokens
        part.read += event.cache_read_tokens
        part.created += event.cache_creation_tokens
        part.ms += event.ms
        part.reported.push(event)
      }
    },
    lines: () => {
      if (sums.size === 0) return ['nothing was asked of a model so far']
      const lines = [...sums].map(([name, sum]) => `${name}: ${formatSum(sum, prices)}`)
      return sums.size === 1 ? lines : [...lines, `all: ${formatSum(all, prices)}`]
    },
  }
}

const formatSum = ({ calls, input, output, read, created, ms, reported }: Sum, prices: Prices | undefined): string => {
  const cache = read + created > 0 ? ` (cache: ${read} read, ${created} create)` : ''
  return (
    `${calls} ${calls === 1 ? 'call' : 'calls'}, ${input} in / ${output} ` +
    `out${cache}, ${(ms / 1000).toFixed(1)} s${costText(reported, prices)}`
  )
}

/** `, $0.0021`; with a plus if some model has no price, empty if none has one. */
const costText = (reported: readonly ReportedUsage[], prices: Prices | undefined): string => {
  const costs = reported.map((usage) => costOfUsage(prices, usage))
  const known = costs.filter((cost) => cost !== undefined)
  if (known.length === 0) return ''
  const dollars = toDollars(known.reduce((sum, cost) => sum + cost, 0))
  return `, $${Number(dollars.toPrecision(6))}${known.length < costs.length ? '+' : ''}`
}
