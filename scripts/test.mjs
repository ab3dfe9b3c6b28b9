// Installs and builds what is missing, then runs all checks, tests and cases: test.mjs [--all]
//
// With --all the long tests and cases too, which the soak runs for longer, and twice as many random inputs.
// The last line says "N passed, N failed", the one before how many were skipped, and why.

import { existsSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { build, buildTests } from './build.mjs'
import { checkSources } from './check.mjs'
import { ROOT, run, runMain, withoutCertificates } from './command.mjs'
import { installDependencies } from './dependencies.mjs'
import { isLong, runTests, skippedInWords, slowestInWords } from './tests.mjs'

const SHARED_CASES = `${ROOT}/../shared/cases/run`
const SHARED_LIST = `${ROOT}/test/shared-cases.txt`

const isWhole = process.argv.includes('--all')

// Those of one sequence run one after the other, the sequences side by side: a step alone leaves a part of two cores idle.
// Each step resolves to { passed, failed, skipped }, or to the reason why there is nothing to run.
const SEQUENCES = [
  { tests: () => runFiles((file) => !isLong(file), availableParallelism() + 2) },
  {
    'types, lint, dead exports': () => checkSources(),
    cases: () => runCases(`${ROOT}/test/run-cases.mjs`, [`${ROOT}/test/cases`]),
    'shared cases': () => {
      if (!existsSync(SHARED_CASES)) return "skipped, '../shared/cases' is not here"
      if (readFileSync(SHARED_LIST, 'utf8').trim() === '') return "none, 'test/shared-cases.txt' is empty"
      return runCases(SHARED_CASES, ['--list', SHARED_LIST])
    },
  },
]
// Then alone: beside the others their deadlines would have to be longer. They wait more than they compute.
const NOT_ALL = "not without '--all'"
const LAST = {
  'long cases': () => (isWhole ? runCases(`${ROOT}/test/run-cases.mjs`, [`${ROOT}/test/long-cases`]) : NOT_ALL),
  'long tests': () => (isWhole ? runFiles(isLong, availableParallelism() + 2) : NOT_ALL),
}

const runFiles = async (isWanted, jobs) => {
  const total = await runTests((await buildTests()).filter(isWanted), jobs)
  console.log(slowestInWords(total))
  return total
}

const runCases = async (runner, args) => {
  const { status, output } = await run(process.execPath, [runner, ...args], { env: withoutCertificates() })
  const [, passed, failed] = /^(\d+) passed, (\d+) failed$/m.exec(output) ?? [0, 0, 1]
  const skipped = [...output.matchAll(/^passed over (.*): (.*)$/gm)].map(([, title, why]) => ({ title, why }))
  if (status !== 0) process.stdout.write(output)
  return { passed: Number(passed), failed: Math.max(Number(failed), status === 0 ? 0 : 1), skipped }
}

const testAll = async () => {
  await installDependencies()
  await build()
  if (isWhole) process.env.PLUMB_RUNS ??= '0.5'
  const total = { passed: 0, failed: 0, skipped: [] }
  const runSteps = async (steps) => {
    for (const [title, step] of Object.entries(steps)) {
      const began = performance.now()
      const counts = await step()
      console.log(`${title}: ${typeof counts === 'string' ? counts : `${inWords(counts)}, ${secondsSince(began)} s`}`)
      total.passed += counts.passed ?? 0
      total.failed += counts.failed ?? 0
      total.skipped.push(...(counts.skipped ?? []))
    }
  }
  await Promise.all(SEQUENCES.map(runSteps))
  await runSteps(LAST)
  return total
}

const secondsSince = (began) => Math.round((performance.now() - began) / 1000)

const inWords = ({ passed, failed }) => `${passed} passed, ${failed} failed`

await runMain(import.meta.url, async () => {
  const total = await testAll().catch((error) => {
    console.log(error.message)
    return { passed: 0, failed: 1, skipped: [] }
  })
  console.log(skippedInWords(total.skipped))
  console.log(inWords(total))
  return total.failed === 0 && total.passed > 0
})
