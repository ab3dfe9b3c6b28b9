// Runs the test files whose path contains TEXT (all of them without): tests.mjs [TEXT]
//
// Each compiled file is a tap program and runs in a Node process of its own. The tap command would run the same with four module
// loaders in every process, which costs half a second a file and leaks NODE_OPTIONS into the executables under test.

import { availableParallelism } from 'node:os'
import { build, buildTests } from './build.mjs'
import { installDependencies } from './dependencies.mjs'
import { run, runMain } from './step.mjs'

const LIMIT_MS = 180_000
// tap has a limit of its own, 30 s, which a busy machine exceeds.
process.env.TAP_TIMEOUT = String(LIMIT_MS / 1000)

/** Resolves to { passed, failed }, counted in assertions; prints what failed, and what this machine has no program for. */
export const runTests = async (files) => {
  const queue = [...files]
  const total = { passed: 0, failed: 0 }
  const work = async () => {
    for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
      const { passed, failed } = await runFile(file)
      total.passed += passed
      total.failed += failed
    }
  }
  await Promise.all(Array.from({ length: Math.max(2, availableParallelism()) }, work))
  return total
}

const runFile = async (file) => {
  const { status, output } = await run(process.execPath, ['--enable-source-maps', file], { limitMs: LIMIT_MS })
  const summary = [...output.matchAll(/^# \{ (total: .*) \}$/gm)].at(-1)?.[1] ?? ''
  const count = (name) => Number(new RegExp(`\\b${name}: (\\d+)`).exec(summary)?.[1] ?? 0)
  const passed = count('pass')
  const failed = Math.max(count('total') - passed - count('skip'), status === 0 && passed > 0 ? 0 : 1)
  if (failed > 0) process.stdout.write(`${file} failed:\n${withoutPasses(output)}\n`)
  for (const [, title, why] of output.matchAll(/^ *ok \d+ - (.*) # SKIP (.*)$/gm)) console.log(`skipped, ${why}: ${title}`)
  return { passed, failed }
}

const withoutPasses = (output) =>
  output
    .split('\n')
    .filter((line) => !/^\s*(ok \d|\d+\.\.\d|# Subtest:|# time=|$)/.test(line))
    .join('\n')

await runMain(import.meta.url, async () => {
  const wanted = process.argv[2] ?? ''
  await installDependencies()
  await build()
  const files = await buildTests(wanted)
  if (files.length === 0) throw new Error(`no test file has '${wanted}' in its path`)
  const { passed, failed } = await runTests(files)
  console.log(`${passed} passed, ${failed} failed`)
  return failed === 0
})
