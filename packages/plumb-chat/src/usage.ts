// Tokens so far, and what they cost, by agent and model.

import { costOfUsage, loadPrices, type Prices, type ReportedUsage } from '@plumb/ledger'
import { preview, toDollars } from '@plumb/wire'
import type { ProgramEvent } from './program/events.js'

type UsageEvent = Extract<ProgramEvent, { kind: 'usage' }>

export interface Usage {
  /** Resolves when prices are known, if any are. */
  ready(): Promise<void>
  add(event: UsageEvent): void
  /** What was asked since the last call, as `claude-sonnet-4-5, 3 calls, 932+120 tokens, $0.0046`; undefined: nothing. */
  takeTurn(): string | undefined
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
  let turn = emptySum()
  let models = new Set<string>()
  let prices: Prices | undefined
  let loading: Promise<void> | undefined
  return {
    ready: () => {
      loading ??= loadPrices().then((loaded) => {
        prices = loaded
      })
      return loading
    },
    takeTurn: () => {
      const [sum, names] = [turn, [...models]]
      turn = emptySum()
      models = new Set()
      if (sum.calls === 0) return undefined
      const { calls, input, read, created, output, reported } = sum
      const tokens = `${input + read + created}+${output} tokens`
      return `${names.join(' and ')}, ${calls} ${calls === 1 ? 'call' : 'calls'}, ${tokens}${paidText(reported, prices)}`
    },
    add: (event) => {
      models.add(preview(event.model))
      const name = `${event.agent} (${event.model})`
      const sum = sums.get(name) ?? emptySum()
      sums.set(name, sum)
      for (const part of [sum, all, turn]) {
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

/** Of a turn: nothing where nothing is to be paid. */
const paidText = (reported: readonly ReportedUsage[], prices: Prices | undefined): string => {
  const text = costText(reported, prices, 2)
  return text === ', $0' ? '' : text
}

/** `, $0.0021`; with a plus if some model has no price, empty if none has one. */
const costText = (reported: readonly ReportedUsage[], prices: Prices | undefined, digits = 6): string => {
  const costs = reported.map((usage) => costOfUsage(prices, usage))
  const known = costs.filter((cost) => cost !== undefined)
  if (known.length === 0) return ''
  const dollars = toDollars(known.reduce((sum, cost) => sum + cost, 0))
  return `, $${Number(dollars.toPrecision(digits))}${known.length < costs.length ? '+' : ''}`
}
