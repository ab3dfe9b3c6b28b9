// Runs the test files whose path contains one of the TEXTs (all of them without): tests.mjs [--as-built] [TEXT...]
//
// With a TEXT the seeds and figures of tests that pass are told too.
// With --as-built the executables are tested as they are, such as on another Node.js than the one that built them.
// Each compiled file is a tap program and runs in a Node process of its own. The tap command would run the same with four module
// loaders in every process, which costs half a second a file and leaks NODE_OPTIONS into the executables under test.

import { existsSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { writeOutput } from './build/stamp.mjs'
import { build, buildTests } from './build.mjs'
import { ROOT, run, runMain, withoutCertificates } from './command.mjs'
import { installDependencies } from './dependencies.mjs'
import { measureSlowness } from './slowness.mjs'
import { withSourcePositions } from './source-positions.mjs'

const AS_BUILT = '--as-built'
const FILE_TIMEOUT_MS = 180_000

/** A file whose first line is this runs in the soak and in CI alone: kills, broken networks, random programs, engines of others. */
const LONG = '// long'

/** More files than these that fail have a cause in common. */
const MAX_RETRIED = 5

/** In seconds, more than any file takes. */
const NEW = 1e6

/** How many seconds each file took when it last ran: beside programs of others it lasts from one clone to the next, as in CI. */
const TIMES = `${process.env.PLUMB_OTHERS ?? `${ROOT}/node_modules/.cache/plumb`}/test-seconds.json`

/** Whether a test file, as `buildTests` names it, is too long for npm test. */
export const isLong = (file) => textOf(file).startsWith(`${LONG}\n`)

const textOf = (file) => readFileSync(resolve(ROOT, sourceOf(file)), 'utf8')

/** The longest of the last run first, since one that started last would run alone on one core; before them those that are new, by their size. */
const longestFirst = (files) => {
  const seconds = readTimes()
  const rank = new Map(files.map((file) => [file, seconds[sourceOf(file)] ?? NEW + textOf(file).length]))
  return [...files].sort((one, other) => rank.get(other) - rank.get(one))
}

/** Why what had its turn late is skipped. */
export const havePassed = (seconds) => `${Math.round(seconds / 60)} minutes have passed on this machine`

// They only decide the order: what cannot be read or kept is left.
const readTimes = () => {
  try {
    return JSON.parse(readFileSync(TIMES, 'utf8'))
  } catch {
    return {}
  }
}

/** Adds to the times that are kept, and forgets files that are gone, and those that were left out: as new ones they come first next time. */
const keepTimes = (seconds, left) => {
  const all = [...Object.entries(readTimes()), ...[...seconds].map(([file, taken]) => [file, Math.round(taken * 10) / 10])]
  const present = all.filter(([file]) => existsSync(resolve(ROOT, file)) && !left.includes(file))
  try {
    writeOutput({ outputFiles: [{ path: TIMES, contents: `${JSON.stringify(Object.fromEntries(present), null, 1)}\n` }] })
  } catch {}
}

/** The source of a test file that `buildTests` has made. */
export const sourceOf = (file) => file.replace('/dist/', '/').replace(/\.cjs$/, '.ts')

/**
 * Runs the files, `jobs` of them at once, and begins none once this process is older than `untilS` seconds. Resolves to
 * { passed, failed, skipped, failures, seconds }, counted in assertions: `failures` are the files that failed, which `runAgain` counts;
 * `seconds` by file. With `tells` it prints what the tests say of their seeds and figures. Prints the output of files that failed, and each skipped test with its reason.
 */
export const runTests = async (files, { jobs = availableParallelism() + 1, untilS = Number.POSITIVE_INFINITY, tells = false } = {}) => {
  const queue = longestFirst(files)
  const total = { passed: 0, failed: 0, skipped: [], failures: [], seconds: new Map() }
  const work = async () => {
    for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
      if (process.uptime() > untilS) {
        total.skipped.push({ title: sourceOf(file), why: havePassed(untilS) })
        continue
      }
      const began = performance.now()
      const counts = await runFile(file, tells)
      if (counts.failed > 0) total.failures.push({ file, counts })
      else addCounts(total, counts)
      total.seconds.set(sourceOf(file), (performance.now() - began) / 1000)
    }
  }
  // Tests wait for children and timers more than they compute.
  await Promise.all(Array.from({ length: jobs }, work))
  keepTimes(
    total.seconds,
    total.skipped.map(({ title }) => title),
  )
  return total
}

/**
 * Runs files that failed once more, each alone. Resolves to { passed, failed, skipped, flaky }: what passes now is counted as passed, and `flaky`
 * names it: it is to be mended, but hides nothing else. Of many, none is run again.
 */
export const runAgain = async (failures) => {
  const total = { passed: 0, failed: 0, skipped: [], flaky: [] }
  for (const { file, counts } of failures) {
    const again = failures.length > MAX_RETRIED ? counts : await runFile(file)
    addCounts(total, again)
    if (again.failed === 0) total.flaky.push(sourceOf(file))
  }
  return total
}

const addCounts = (total, { passed, failed, skipped }) => {
  total.passed += passed
  total.failed += failed
  total.skipped.push(...skipped)
}

/** `slowest: test/a.test.ts 12 s, test/b.test.ts 8 s`. */
export const slowestInWords = ({ seconds }) =>
  `slowest: ${[...seconds]
    .sort(([, one], [, other]) => other - one)
    .slice(0, 5)
    .map(([file, taken]) => `${file} ${Math.round(taken)} s`)
    .join(', ')}`

const runFile = async (file, tells = false) => {
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
  if (tells && failed === 0) for (const words of toldIn(output)) console.log(`${sourceOf(file)}: ${words}`)
  return { passed, failed, skipped }
}

/** Comments of the tests, and what a property says of its seed. */
const toldIn = (output) =>
  [...output.matchAll(/^ *(?:# (?!Subtest:|time=|\{ total)|ok \d+ - (?=\d+ inputs of seed ))(.*?)(?: # time=.*)?$/gm)].map(
    ([, words]) => words,
  )

/** The titles of tests that passed without an assertion, such as a loop over an empty list. */
const emptyTests = (output) => [...output.matchAll(/^( *)# Subtest: (.*)\n\1 {4}1\.\.0\n/gm)].map(([, , title]) => title)

/** `2 skipped: 'fish' is not installed (2)`, and `; 1 flaky: test/a.test.ts` behind it where a file passed only when it ran again. */
export const skippedInWords = (skipped, flaky = []) => {
  const counts = new Map()
  for (const { why } of skipped) counts.set(why, (counts.get(why) ?? 0) + 1)
  const list = [...counts].map(([why, count]) => `${why} (${count})`).join('; ')
  return `${skipped.length} skipped${list === '' ? '' : `: ${list}`}${flaky.length === 0 ? '' : `; ${flaky.length} flaky: ${flaky.join(', ')}`}`
}

const withoutPasses = (output) =>
  output
    .split('\n')
    .filter((line) => !/^\s*(ok \d|\d+\.\.\d|# Subtest:|# time=|$|.*\/node_modules\/tap\/)/.test(line))
    .join('\n')

await runMain(import.meta.url, async () => {
  const isAsBuilt = process.argv[2] === AS_BUILT
  const wanted = process.argv.slice(isAsBuilt ? 3 : 2)
  await installDependencies()
  if (!isAsBuilt) await build()
  const files = await buildTests(...wanted)
  const unknown = wanted.find((text) => !files.some((file) => sourceOf(file).includes(text)))
  if (unknown !== undefined) throw new Error(`no test file has '${unknown}' in its path`)
  const total = await runTests(files, { tells: wanted.length > 0 })
  const again = await runAgain(total.failures)
  addCounts(total, again)
  console.log(skippedInWords(total.skipped, again.flaky))
  console.log(`${total.passed} passed, ${total.failed} failed`)
  return total.failed === 0
})
