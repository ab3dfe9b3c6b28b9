// Runs for minutes what npm test runs for seconds: soak.mjs [MINUTES] [SEED] [--filter TEXT] [--load]
//
// Rounds of all tests that draw from a seed or have a budget, and of all that npm test leaves out as too long: fuzzers, random programs, kill
// loops, races, cuts, failing calls, the ledger. Each round has its own seed, which is printed with the number of inputs. The first failure ends it, and a command to repeat it is printed: MINUTES 0
// with a SEED is that one round. --filter takes only the test files whose path contains TEXT. --load runs scripts/load.mjs instead.

import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { build, buildTests } from './build.mjs'
import { passes, ROOT, run, runMain } from './command.mjs'
import { installDependencies } from './dependencies.mjs'
import { measureSlowness } from './slowness.mjs'
import { withSourcePositions } from './source-positions.mjs'
import { isLong, sourceOf } from './tests.mjs'

/** The budgets of a round; those of npm test are a fraction. The environment overrides them. */
const BUDGETS = {
  PLUMB_RUNS: '1',
  PLUMB_TIMES: '20',
  PLUMB_KILLS: '20',
  PLUMB_WALK: '20',
  PLUMB_SWAPS: '20000',
  PLUMB_TRIALS: '100',
  PLUMB_NTH: 'all',
  PLUMB_CUTS: 'all',
  PLUMB_LEDGER: '200',
  PLUMB_LINES: '10000',
  PLUMB_PROGRAMS: '300',
  PLUMB_DAMAGED: '20000',
  PLUMB_SECONDS: '120',
}
const FILE_TIMEOUT_MS = 3_600_000

/** True for a test file with a budget, or with properties that draw from the seed. */
const hasBudget = (file) => {
  const text = readFileSync(`${ROOT}/${file}`, 'utf8')
  return ['require("fast-check")', 'PLUMB_SEED', ...Object.keys(BUDGETS)].some((word) => text.includes(word))
}

const soak = async (minutes, seed, filter) => {
  const files = (await buildTests()).filter((file) => sourceOf(file).includes(filter) && (hasBudget(file) || isLong(file)))
  if (files.length === 0) throw new Error(`no test file with a budget has '${filter}' in its path`)
  const began = Date.now()
  const total = { rounds: 0, assertions: 0, inputs: 0, kills: 0 }
  do {
    const round = seed ?? Math.floor(Math.random() * 2 ** 31)
    console.log(`seed ${round}`)
    for (const file of files) {
      const { status, output } = await runFile(file, round)
      const count = countIn(output)
      console.log(`  ${sourceOf(file)}: ${inWords(count)}`)
      for (const key of Object.keys(count)) total[key] += count[key]
      if (status === 0) continue
      console.log(
        `${withSourcePositions(output)}\n${sourceOf(file)} failed; 'npm run soak -- 0 ${round} --filter ${sourceOf(file)}' plays it again`,
      )
      return false
    }
    total.rounds++
  } while (seed === undefined && Date.now() - began < minutes * 60_000)
  const { rounds, ...count } = total
  console.log(
    `${rounds} rounds of ${files.length} files in ${Math.round((Date.now() - began) / 60_000)} minutes: ${inWords(count)}, no failure`,
  )
  return true
}

const runFile = (file, round) => {
  const PLUMB_SLOWNESS = String(measureSlowness())
  const env = { ...BUDGETS, ...process.env, PLUMB_SLOWNESS, PLUMB_SEED: String(round), TAP_TIMEOUT: String(FILE_TIMEOUT_MS / 1000) }
  const args = ['-n', '19', process.execPath, '--require', `${ROOT}/scripts/soak-seed.cjs`, file]
  return run('nice', args, { limitMs: FILE_TIMEOUT_MS, env })
}

const countIn = (output) => {
  const sum = (pattern) => [...output.matchAll(pattern)].reduce((all, [, count]) => all + Number(count), 0)
  return {
    assertions: Number(/^# \{ .*\bpass: (\d+)/m.exec(output)?.[1] ?? 0),
    inputs: sum(/^ +ok \d+ - (\d+) inputs$/gm),
    kills: sum(/^ +ok \d+ - (\d+) kills\b/gm),
  }
}

const inWords = (count) =>
  Object.entries(count)
    .filter(([, many]) => many > 0)
    .map(([what, many]) => `${many} ${what}`)
    .join(', ')

await runMain(import.meta.url, async () => {
  const options = { filter: { type: 'string', default: '' }, load: { type: 'boolean', default: false } }
  const { values, positionals } = parseArgs({ options, allowPositionals: true })
  const [minutes = '15', seed] = positionals.map(Number)
  await installDependencies()
  await build()
  if (values.load) return passes('load', process.execPath, [`${ROOT}/scripts/load.mjs`, '--filter', values.filter])
  return soak(Number(minutes), seed, values.filter)
})
