// Tokens so far, by agent and model.

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
}

const emptySum = (): Sum => ({ calls: 0, input: 0, output: 0, read: 0, created: 0, ms: 0 })

export const openUsage = (): Usage => {
  const sums = new Map<string, Sum>()
  const all = emptySum()
  return {
    add: (event) => {
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
      }
    },
    lines: () => {
      if (sums.size === 0) return ['nothing was asked of a model so far']
      const lines = [...sums].map(([name, sum]) => `${name}: ${formatSum(sum)}`)
      return sums.size === 1 ? lines : [...lines, `all: ${formatSum(all)}`]
    },
  }
}

const formatSum = ({ calls, input, output, read, created, ms }: Sum): string => {
  const cache = read + created > 0 ? ` (cache: ${read} read, ${created} create)` : ''
  return `${calls} ${calls === 1 ? 'call' : 'calls'}, ${input} in / ${output} out${cache}, ${(ms / 1000).toFixed(1)} s`
}
