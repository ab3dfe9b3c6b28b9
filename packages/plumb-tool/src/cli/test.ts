// plumb-tool test: the laws of composition on the spec's own tools, reported as TAP.

import { drawSeed, randomOf } from '@plumb/lang/random'
import { fault, preview } from '@plumb/wire'
import { LAWS } from '../laws/law.js'
import { type Trial, tryLaw } from '../laws/property-test.js'
import { trialTool, whyNotTried } from '../laws/tool.js'
import type { RunCommand } from './command.js'
import { writeLines } from './write-lines.js'

export const test: RunCommand = async (
  { registry, session },
  {
    options: {
      verb: { seed = drawSeed() },
    },
    reporter,
  },
) => {
  const candidates = registry.list().map((tool) => ({ tool, reason: whyNotTried(tool) }))
  const tools = candidates.filter(({ reason }) => reason === undefined).map(({ tool }) => trialTool(tool.plan))
  const random = randomOf(seed)
  const trials: Trial[] = []
  for (const law of LAWS) {
    trials.push(await tryLaw(law, { tools, random, session }))
  }
  const skipped = candidates.filter(({ reason }) => reason !== undefined)
  const lines = [
    'TAP version 14',
    `# seed ${seed}`,
    ...trials.flatMap((trial, i) => reportOf(trial, i + 1)),
    ...skipped.map(({ tool, reason }, i) => `ok ${trials.length + i + 1} - ${tool.plan.name} # SKIP ${reason}`),
    `1..${trials.length + skipped.length}`,
  ]
  await writeLines(lines, reporter)
  for (const { law, counterexample } of trials) {
    if (counterexample) reporter.report(fault('law_broken', `'${law.text}' does not hold for ${counterexample.tools.join(', ')}`, { seed }))
  }
  return undefined
}

const reportOf = ({ law, instances, inputs, counterexample }: Trial, number: number): string[] => {
  if (instances === 0) return [`ok ${number} - ${law.text} # SKIP no tools fit together so`]
  if (!counterexample) return [`ok ${number} - ${law.text} (${instances} ways, ${inputs} inputs)`]
  const { tools, input, left, right } = counterexample
  return [
    `not ok ${number} - ${law.text}`,
    `  # ${tools.map((name, i) => `${'fghk'[i]} = ${name}`).join(', ')}`,
    `  # input ${preview(input, 200)}`,
    `  # left  ${preview(left, 200)}`,
    `  # right ${preview(right, 200)}`,
  ]
}
