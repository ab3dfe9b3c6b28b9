// Puts a day's load through the executables in minutes: load.mjs [--filter TEXT] [--part N]
//
// Counts and sums inputs and outputs, and samples the memory of the processes meanwhile. --part N takes an Nth of everything. Prints a Markdown
// table, and fails when a message was lost or memory grows.

import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import { build } from './build.mjs'
import { runMain } from './command.mjs'
import { installDependencies } from './dependencies.mjs'
import { LOADS } from './load/loads.mjs'
import { quarters, sample } from './load/memory.mjs'
import { SPECS } from './load/specs.mjs'

const MIB = 2 ** 20
/** Allowed growth from the first quarter to the last, of all processes together: garbage that is not collected yet, not a leak. */
const MAX_GROWTH = 96 * MIB

const load = async (directory, { command: [file, ...args], count, run }, part) => {
  const env = { PATH: process.env.PATH, HOME: directory, TMPDIR: directory, LANG: 'C.UTF-8', PLUMB_ERRORS: 'json' }
  const began = performance.now()
  const child = spawn(file, args, { cwd: directory, env, stdio: ['pipe', 'pipe', 'pipe'] })
  const ended = new Promise((resolve) => child.on('close', (status, signal) => resolve(status ?? signal)))
  let stderr = ''
  child.stderr.on('data', (text) => {
    stderr += text
  })
  const stop = sample(child)
  const { messages, wrong } = await run(child, Math.ceil(count / part))
  const taken = stop()
  const status = await ended
  const seconds = (performance.now() - began) / 1000
  const rss = quarters(taken)
  const growth = (rss[3] - rss[0]) * MIB
  const flaws = [
    ...(wrong === undefined ? [] : [wrong]),
    ...(status === 0 || status === 'SIGTERM' ? [] : [`it ended with ${status}: ${stderr.slice(0, 300)}`]),
    ...(growth > MAX_GROWTH ? [`memory grew by ${Math.round(growth / MIB)} MiB`] : []),
  ]
  return { messages, seconds, rss, peak: Math.max(0, ...taken) / MIB, flaws }
}

await runMain(import.meta.url, async () => {
  const { values } = parseArgs({ options: { filter: { type: 'string', default: '' }, part: { type: 'string', default: '1' } } })
  await installDependencies()
  await build()
  const directory = mkdtempSync(join(tmpdir(), 'plumb-load-'))
  for (const [name, text] of Object.entries(SPECS)) writeFileSync(join(directory, name), text)
  let isWell = true
  console.log('| load | messages | s | RSS by quarter, MiB | peak, MiB | lost or wrong |\n|---|--:|--:|---|--:|---|')
  try {
    for (const [title, one] of Object.entries(LOADS).filter(([title]) => title.includes(values.filter))) {
      const { messages, seconds, rss, peak, flaws } = await load(directory, one, Number(values.part))
      const cells = [title, messages, seconds.toFixed(1), rss.map(Math.round).join(' '), Math.round(peak), flaws.join('; ') || 'nothing']
      console.log(`| ${cells.join(' | ')} |`)
      isWell &&= flaws.length === 0
    }
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
  return isWell
})
