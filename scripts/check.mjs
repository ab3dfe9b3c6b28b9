// Types, lint and layout, dead exports, and the rules of the house: check.mjs

import { buildTests } from './build.mjs'
import { passes, ROOT, runMain, tool } from './command.mjs'
import { installDependencies } from './dependencies.mjs'
import { runTests } from './tests.mjs'

/** The checks that run none of our own code. Resolves to { passed, failed }. */
export const checkSources = async () => {
  const results = await Promise.all([
    passes('types', tool('tsc'), ['-b', `${ROOT}/test`]),
    passes('lint and format (npm run format)', tool('biome'), ['check', '--colors=off', '--error-on-warnings', '--max-diagnostics=50']),
    passes('dead exports', tool('knip'), ['--no-progress', '--no-config-hints']),
  ])
  const passed = results.filter(Boolean).length
  return { passed, failed: results.length - passed }
}

await runMain(import.meta.url, async () => {
  await installDependencies()
  const sources = await checkSources()
  const rules = await runTests(await buildTests('test/house.test.ts'))
  return sources.failed + rules.failures.length === 0
})
