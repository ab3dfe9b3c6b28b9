// Runs the test files whose path contains one of the TEXTs (all of them without): tests.mjs [TEXT...]
//
// Each compiled file is a tap program and runs in a Node process of its own. The tap command would run the same with four module
// loaders in every process, which costs half a second a file and leaks NODE_OPTIONS into the executables under test.

import { availableParallelism } from 'node:os'
import { build, buildTests } from './build.mjs'
import { run, runMain, withoutCertificates } from './command.mjs'
import { installDependencies } from './dependencies.mjs'
import { measureSlowness } from './slowness.mjs'
import { withSourcePositions } from './source-positions.mjs'

const FILE_TIMEOUT_MS = 180_000

// Files that only the soak and CI run: kills, failing calls, broken networks, random programs, fuzzers, and engines of others, such as
// servers, shells, sandboxes, models and package managers.
const LONG = [
  ...['test/faults/', 'test/fuzz/', 'test/bounds', 'test/pack', 'test/launcher', 'test/release', 'test/bench', 'test/completion'],
  ...['test/real-server', 'test/acp-others', 'test/editors-others'],
  ...['packages/lang/test/repairs', 'packages/lang/test/calls-random'],
  ...['packages/plumb/test/flow-', 'packages/plumb/test/origins', 'packages/plumb/test/random'],
  ...['packages/plumb/test/forms.test', 'packages/plumb/test/forms-children', 'packages/plumb/test/forms-features'],
  ...['packages/plumb/test/compact', 'packages/plumb/test/park', 'packages/plumb/test/money', 'packages/plumb/test/resume'],
  ...['packages/plumb/test/budget', 'packages/plumb-agent/test/batch', 'packages/plumb-tool/test/mcp-connection'],
  ...['packages/plumb-tool/test/mcp-tools', 'packages/plumb-tool/test/sandbox', 'packages/plumb-tool/test/compose'],
  ...[
    'packages/plumb-tool/test/builtin-search',
    'packages/plumb-tool/test/builtin-web-large',
    'packages/plumb-tool/test/builtin-patch-killed',
  ],
  ...['packages/plumb/test/render-random', 'packages/plumb/test/view-browser', 'packages/plumb/test/cycle', 'packages/plumb/test/mcp'],
  ...['packages/plumb/test/child-memory'],
  ...['packages/plumb-mcp/test/python-client', 'packages/plumb-mcp/test/source-policy', 'packages/plumb-mcp/test/inspect'],
]

// Those that take longest, in that order. They start first: one that started last would run alone on one core.
const LONGEST = [
  ...['test/faults/host', 'packages/plumb/test/origins', 'test/faults/batches', 'packages/plumb-tool/test/sandbox-programs'],
  ...['test/docs', 'test/chat', 'packages/plumb-tool/test/sandbox-default', 'packages/plumb-tool/test/mcp-connection'],
  ...['packages/plumb-tool/test/builtin-web-large', 'packages/plumb-tool/test/sandbox.', 'packages/plumb/test/child', 'test/launcher'],
  ...[
    'packages/plumb/test/resume',
    'packages/plumb/test/budget',
    'packages/plumb/test/forms-features',
    'packages/plumb-mcp/test/source-policy',
  ],
  ...['packages/plumb/test/cycle', 'packages/plumb/test/lines', 'packages/lang/test/expression', 'test/bench'],
]

/** The files in the order in which they start. */
const longestFirst = (files) => {
  const rank = (file) => LONGEST.findIndex((start) => sourceOf(file).startsWith(start)) + 1 || LONGEST.length + 1
  return [...files].sort((one, other) => rank(one) - rank(other))
}

/** Whether a test file, as `buildTests` names it, is too long for npm test. */
export const isLong = (file) => LONG.some((start) => sourceOf(file).startsWith(start))

/** The source of a test file that `buildTests` has made. */
export const sourceOf = (file) => file.replace('/dist/', '/').replace(/\.cjs$/, '.ts')

/**
 * Resolves to { passed, failed, skipped, seconds }, counted in assertions; `seconds` by file. Prints the output of files that failed, and each
 * skipped test with its reason. `jobs` of them run at once.
 */
export const runTests = async (files, jobs = availableParallelism() + 1) => {
  const queue = longestFirst(files)
  const total = { passed: 0, failed: 0, skipped: [], seconds: new Map() }
  const work = async () => {
    for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
      const began = performance.now()
      const { passed, failed, skipped } = await runFile(file)
      total.passed += passed
      total.failed += failed
      total.skipped.push(...skipped)
      total.seconds.set(sourceOf(file), (performance.now() - began) / 1000)
    }
  }
  // Tests wait for children and timers more than they compute.
  await Promise.all(Array.from({ length: jobs }, work))
  return total
}

/** `slowest: test/a.test.ts 12 s, test/b.test.ts 8 s`. */
export const slowestInWords = ({ seconds }) =>
  `slowest: ${[...seconds]
    .sort(([, one], [, other]) => other - one)
    .slice(0, 5)
    .map(([file, taken]) => `${file} ${Math.round(taken)} s`)
    .join(', ')}`

const runFile = async (file) => {
  // Measured again and again: the load may have changed.
  const slowness = measureSlowness()
  const limitMs = Math.round(FILE_TIMEOUT_MS * slowness)
  // tap's own limit is 30 s.
  const env = { ...withoutCertificates(), PLUMB_SLOWNESS: String(slowness), TAP_TIMEOUT: String(limitMs / 1000) }
  const { status, output } = await run(process.execPath, [file], { limitMs, env })
  const summary = [...output.matchAll(/^# \{ (total: .*) \}$/gm)].at(-1)?.[1] ?? ''
  const count = (name) => Number(new RegExp(`\\b${name}: (\\d+)`).exec(summary)?.[1] ?? 0)
  const passed = count('pass')
  const empty = emptyTests(output)
  const isTried = passed + count('skip') > 0
  const failed = Math.max(count('total') - passed - count('skip'), status === 0 && isTried ? 0 : 1) + empty.length
  for (const title of empty)
    console.log(`${sourceOf(file)}: '${title}' asserts nothing: a test without its program is skipped, with a reason`)
  if (failed > empty.length) process.stdout.write(`${file} failed:\n${withSourcePositions(withoutPasses(output))}\n`)
  const skipped = [...output.matchAll(/^ *ok \d+ - (.*) # SKIP (.*)$/gm)].map(([, title, why]) => ({ title, why }))
  for (const { title, why } of skipped) console.log(`skipped, ${why}: ${title}`)
  return { passed, failed, skipped }
}

/** The titles of tests that passed without an assertion, such as a loop over an empty list. */
const emptyTests = (output) => [...output.matchAll(/^( *)# Subtest: (.*)\n\1 {4}1\.\.0\n/gm)].map(([, , title]) => title)

/** `2 skipped: 'fish' is not installed (2)`. */
export const skippedInWords = (skipped) => {
  const counts = new Map()
  for (const { why } of skipped) counts.set(why, (counts.get(why) ?? 0) + 1)
  const list = [...counts].map(([why, count]) => `${why} (${count})`).join('; ')
  return `${skipped.length} skipped${list === '' ? '' : `: ${list}`}`
}

const withoutPasses = (output) =>
  output
    .split('\n')
    .filter((line) => !/^\s*(ok \d|\d+\.\.\d|# Subtest:|# time=|$|.*\/node_modules\/tap\/)/.test(line))
    .join('\n')

await runMain(import.meta.url, async () => {
  const wanted = process.argv.slice(2)
  await installDependencies()
  await build()
  const files = await buildTests(...wanted)
  const unknown = wanted.find((text) => !files.some((file) => sourceOf(file).includes(text)))
  if (unknown !== undefined) throw new Error(`no test file has '${unknown}' in its path`)
  const { passed, failed, skipped } = await runTests(files)
  console.log(skippedInWords(skipped))
  console.log(`${passed} passed, ${failed} failed`)
  return failed === 0
})
