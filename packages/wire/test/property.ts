// Properties over random inputs as assertions: a test that draws none fails, and the soak counts them.

import fc from 'fast-check'
import type { Test } from 'tap'

/** So many of the runs that a property is worth: a quarter of them, all of them in the soak. */
export const runs = (count: number): number => Math.ceil(count * Number(process.env.PLUMB_RUNS ?? 0.25))

/**
 * Asserts that the property holds for all inputs drawn, at least one; else fails with the smallest input that it does not hold for.
 * PLUMB_SEED draws the same again; the seed stands in the assertion.
 */
export const holds = async <Inputs>(t: Test, property: fc.IRawProperty<Inputs>, options?: fc.Parameters<Inputs>): Promise<void> => {
  const { PLUMB_SEED } = process.env
  const details = await fc.check(property, { ...(PLUMB_SEED ? { seed: Number(PLUMB_SEED) } : {}), ...options })
  const failure = await fc.asyncDefaultReportMessage(details)
  if (failure === undefined) t.ok(details.numRuns > 0, `${details.numRuns} inputs of seed ${details.seed}`)
  else t.fail(failure)
}
