// Figures of runs by workers, on a PostgreSQL of its own with fsync: workers.mjs [FIGURE...] [--seed N] [--share N]
//
// A figure is one of workers/figures.mjs, such as hops; without a name, all. --share N takes an Nth of inputs and kills. Prints a line a figure
// with its goal, and the load of the machine; the status is 1 when a goal is missed or a message lost, doubled or changed.

import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { build } from './build.mjs'
import { runMain } from './command.mjs'
import { installDependencies } from './dependencies.mjs'
import { FIGURES, SPECS } from './workers/figures.mjs'
import { withStage } from './workers/stage.mjs'

await runMain(import.meta.url, async () => {
  const { positionals, values } = parseArgs({ allowPositionals: true, options: { seed: { type: 'string' }, share: { type: 'string' } } })
  const unknown = positionals.find((name) => !(name in FIGURES))
  if (unknown !== undefined) throw new Error(`no figure '${unknown}'; there are ${Object.keys(FIGURES).join(', ')}`)
  await installDependencies()
  await build()
  const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31))
  console.log(`seed ${seed}`)
  let isMet = true
  for (const name of positionals.length > 0 ? positionals : Object.keys(FIGURES)) {
    const { said, wrong, goal } = await withStage(SPECS, (stage) => FIGURES[name](stage, { seed, share: Number(values.share ?? 1) }))
    const load = loadavg()[0].toFixed(1)
    console.log(`${name}: ${said}; goal: ${goal}; load ${load}${wrong ? `\n  WRONG: ${wrong}` : ''}`)
    isMet &&= !wrong
  }
  return isMet
})
