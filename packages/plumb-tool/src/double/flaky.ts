// flaky: the tool itself, but for calls that fail by chance; which ones is a function of the seed and the number of the call.

import { fail } from '@plumb/wire'
import type { Run } from '../combine/run.js'
import type { Tool } from '../tool.js'
import { drawSeed, randomAt } from './random.js'

export interface FlakyOptions {
  /** Part of the calls that fail, from 0 to 1. */
  readonly rate: number
  /** Drawn when left out; an error tells it, so that the run can be repeated. */
  readonly seed?: number
}

export const DEFAULT_RATE = 0.1

/** Call number n, from 1 and with retries counted, fails when the n-th number of the seed is below the rate. */
export const flakyOf = (tool: Pick<Tool, 'run'>, { rate, seed = drawSeed() }: FlakyOptions): Run => {
  let count = 0
  return async (input, call) => {
    const number = ++count
    if (randomAt(seed, number) >= rate) return tool.run(input, call)
    return fail('overloaded', `call ${number} of a flaky tool fails by chance (seed ${seed}, rate ${rate})`, { seed, call: number })
  }
}
