// Installs and builds what is missing, then runs all checks, tests and cases: test.mjs [--all]
//
// With --all the long tests and cases too, which the soak runs for longer, and some tests on the other Node.js that users run. A test file that
// fails is run once more alone. The last line says "N passed, N failed", the one before what was skipped, and why, and which files are flaky.

import { existsSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { build, buildTests } from './build.mjs'
import { checkSources } from './check.mjs'
import { ROOT, run, runMain, withoutCertificates } from './command.mjs'
import { installDependencies } from './dependencies.mjs'
import { havePassed, isLong, runAgain, runTests, skippedInWords, slowestInWords } from './tests.mjs'

const SHARED_CASES = `${ROOT}/../shared/cases/run`
const SHARED_LIST = `${ROOT}/test/shared-cases.txt`

/** What users run; the tests are run on the one that runs this. */
const NODES = ['20', '22', '24'].filter((version) => version !== process.versions.node.split('.')[0])
/** Starts, descriptors, pipes, children and the sandbox: what depends on Node's own modules, in a minute. */
const ON_OTHER_NODES = [
  ...['packages/wire/test/fd', 'packages/wire/test/child', 'packages/wire/test/lines', 'packages/plumb/test/run.test'],
  ...['packages/plumb-tool/test/sandbox.test', 'packages/plumb-agent/test/eliza', 'packages/plumb-mux/test/mux'],
]

/** All of it has 20 minutes: from then on no long file is begun, and no other Node.js, which takes one or two. A file left out comes first next time. */
const LAST_BEGIN_S = { file: 16.5 * 60, node: 17 * 60 }

const isWhole = process.argv.includes('--all')
const failures = []

// Those of one sequence run one after the other, the sequences side by side: a step alone leaves a part of two cores idle.
// Each step resolves to { passed, failed, skipped }, or to the reason why there is nothing to run.
const SEQUENCES = [
  { tests: () => runFiles((file) => !isLong(file)) },
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
  'long tests': () => (isWhole ? runFiles(isLong, { untilS: LAST_BEGIN_S.file }) : NOT_ALL),
  ...Object.fromEntries(NODES.map((version) => [`Node.js ${version}`, () => (isWhole ? runOn(version) : NOT_ALL)])),
  'files that failed, alone': () => (failures.length > 0 ? runAgain(failures) : 'none'),
}

const runFiles = async (isWanted, limits) => {
  const total = await runTests((await buildTests()).filter(isWanted), { jobs: availableParallelism() + 2, ...limits })
  console.log(slowestInWords(total))
  failures.push(...total.failures)
  return total
}

/** On the Node that built them the executables start from code caches; on another one they do without, as where a release is installed. */
const runOn = async (version) => {
  if (process.uptime() > LAST_BEGIN_S.node)
    return { passed: 0, failed: 0, skipped: [{ title: `Node.js ${version}`, why: havePassed(LAST_BEGIN_S.node) }] }
  const { status, output } = await run(`${ROOT}/scripts/test-on`, [version, ...ON_OTHER_NODES])
  if (status === UNAVAILABLE) return { passed: 0, failed: 0, skipped: [{ title: version, why: output.trim() }] }
  if (status !== 0) process.stdout.write(output)
  return countsIn(output, status)
}

/** sysexits(3), from scripts/test-on. */
const UNAVAILABLE = 69

const runCases = async (runner, args) => {
  const { status, output } = await run(process.execPath, [runner, ...args], { env: withoutCertificates() })
  const skipped = [...output.matchAll(/^passed over (.*): (.*)$/gm)].map(([, title, why]) => ({ title, why }))
  if (status !== 0) process.stdout.write(output)
  return { ...countsIn(output, status), skipped }
}

const countsIn = (output, status) => {
  const [, passed, failed] = /^(\d+) passed, (\d+) failed$/m.exec(output) ?? [0, 0, 1]
  return { passed: Number(passed), failed: Math.max(Number(failed), status === 0 ? 0 : 1) }
}

const testAll = async () => {
  await installDependencies()
  await build()
  const total = { passed: 0, failed: 0, skipped: [], flaky: [] }
  const runSteps = async (steps) => {
    for (const [title, step] of Object.entries(steps)) {
      const began = performance.now()
      const counts = await step()
      console.log(`${title}: ${typeof counts === 'string' ? counts : `${inWords(counts)}, ${secondsSince(began)} s`}`)
      total.passed += counts.passed ?? 0
      total.failed += counts.failed ?? 0
      total.skipped.push(...(counts.skipped ?? []))
      total.flaky.push(...(counts.flaky ?? []))
    }
  }
  await Promise.all(SEQUENCES.map(runSteps))
  await runSteps(LAST)
  return total
}

const secondsSince = (began) => Math.round((performance.now() - began) / 1000)

const inWords = ({ passed, failed, failures = [] }) =>
  `${passed} passed, ${failed} failed${failures.length === 0 ? '' : `, ${failures.length} files to run again`}`

await runMain(import.meta.url, async () => {
  const began = performance.now()
  const total = await testAll().catch((error) => {
    console.log(error.message)
    return { passed: 0, failed: 1, skipped: [], flaky: [] }
  })
  console.log(`npm test: ${secondsSince(began)} s on ${availableParallelism()} cores`)
  console.log(skippedInWords(total.skipped, total.flaky))
  console.log(inWords(total))
  return total.failed === 0 && total.passed > 0
})
