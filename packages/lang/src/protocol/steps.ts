// Walks over the steps of a protocol, as written.

import type { Steps } from '../parse/ast.js'

/** All lists of steps in it, the outermost first. */
export const stepsWithin = (steps: Steps): readonly Steps[] => {
  const found = [steps]
  // A list iterates over members that are added meanwhile.
  for (const { list } of found) {
    for (const step of list) {
      if (step.kind !== 'choice') continue
      for (const branch of step.branches) if (branch.kind === 'labelled') found.push(branch.steps)
    }
  }
  return found
}
