// Tokens so far, by agent and model.

import type { Told } from './session.js'

type UsageTold = Extract<Told, { kind: 'usage' }>

export interface Usage {
  add(told: UsageTold): void
  /** A line for each agent and model, and one for all where there are several. */
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

const nothing = (): Sum => ({ calls: 0, input: 0, output: 0, read: 0, created: 0, ms: 0 })

export const openUsage = (): Usage => {
  const sums = new Map<string, Sum>()
  const all = nothing()
  return {
    add: (told) => {
      const name = `${told.agent} (${told.model})`
      const sum = sums.get(name) ?? nothing()
      sums.set(name, sum)
      for (const part of [sum, all]) {
        part.calls++
        part.input += told.input_tokens
        part.output += told.output_tokens
        part.read += told.cache_read_tokens
        part.created += told.cache_creation_tokens
        part.ms += told.ms
      }
    },
    lines: () => {
      if (sums.size === 0) return ['nothing was asked of a model so far']
      const lines = [...sums].map(([name, sum]) => `${name}: ${words(sum)}`)
      return sums.size === 1 ? lines : [...lines, `all: ${words(all)}`]
    },
  }
}

const words = ({ calls, input, output, read, created, ms }: Sum): string => {
  const cache = read + created > 0 ? ` (cache: ${read} read, ${created} create)` : ''
  return `${calls} ${calls === 1 ? 'call' : 'calls'}, ${input} in / ${output} out${cache}, ${(ms / 1000).toFixed(1)} s`
}
