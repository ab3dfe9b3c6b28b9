// Runs measures alternately, so that other work on the machine affects all of them alike.

import { random, shuffle } from './random.mjs'

const SEED = 20_240_229

/**
 * Each measure once a round, in random order. Resolves to a map from measure to its samples, { value, cpu }, or to { error } when it
 * failed once: then it is left out of the rounds that follow.
 */
export const runRounds = async (measures, rounds) => {
  const next = random(SEED)
  const results = new Map(measures.map((measure) => [measure, []]))
  for (let round = 0; round < rounds; round++) {
    for (const measure of shuffle(measures, next)) {
      const samples = results.get(measure)
      if (samples.error) continue
      try {
        samples.push(await measure())
      } catch (error) {
        results.set(measure, { error })
      }
    }
  }
  return results
}
