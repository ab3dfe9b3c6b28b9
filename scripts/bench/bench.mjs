// Measures speed and memory: bench.mjs [--quick] [--filter TEXT,...] [--rounds N] [--lines N] [--against DIR] [--peers DIR] [--json FILE] [--report FILE]
//
// Prints the report. doc/performance.md explains how to read it.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { build } from '../build.mjs'
import { ROOT, runMain } from '../command.mjs'
import { installDependencies } from '../dependencies.mjs'
import { openCheckout } from './checkout.mjs'
import { FAMILIES } from './families.mjs'
import { measureFamily } from './family.mjs'
import { openFixtures } from './fixtures.mjs'
import { calibrate, processorName } from './noise.mjs'
import { report } from './report.mjs'

const OPTIONS = {
  quick: { type: 'boolean', default: false },
  filter: { type: 'string', default: '' },
  rounds: { type: 'string' },
  lines: { type: 'string' },
  against: { type: 'string' },
  peers: { type: 'string' },
  json: { type: 'string' },
  report: { type: 'string' },
}

const measureAll = async (directory, { quick, filter, rounds, lines, against, peers }) => {
  const checkouts = [openCheckout('plumb', ROOT), ...(against ? [openCheckout('before', resolve(against))] : [])]
  const fixtures = openFixtures(directory, { quick, lines, peers: peers && resolve(peers) })
  const families = wanted(
    FAMILIES.map((make) => make(fixtures)),
    filter.split(','),
  )
  if (families.length === 0) throw new Error(`no case has '${filter}' in its name`)
  const calibrations = quick ? 3 : 9
  const started = new Date()
  const before = await calibrate(calibrations, checkouts[0].env)
  const results = []
  for (const family of families) {
    process.stderr.write(`${family.name}, ${family.cases.length} cases, ${rounds ?? family.rounds} rounds:`)
    const from = Date.now()
    results.push(...(await measureFamily(family, checkouts, rounds)))
    process.stderr.write(` ${((Date.now() - from) / 1000).toFixed(0)} s\n`)
  }
  const after = await calibrate(calibrations, checkouts[0].env)
  const seconds = (Date.now() - started) / 1000
  return {
    run: {
      ...machine(),
      jq: fixtures.jq,
      jaq: fixtures.jaq,
      frameworks: fixtures.frameworks.map(({ name }) => name),
      isQuick: quick,
      against,
      started,
      seconds,
      calibration: { before, after },
    },
    families: families.map(({ name, about, unit, rounds: usual }) => ({ name, about, unit, rounds: rounds ?? usual })),
    results,
  }
}

const wanted = (families, words) =>
  families
    .map((family) => ({
      ...family,
      cases: family.cases.filter(({ name }) => words.some((word) => `${family.name}/${name}`.includes(word))),
    }))
    .filter(({ cases }) => cases.length > 0)

const machine = () => ({
  node: process.version,
  platform: `${process.platform} ${process.arch}`,
  processor: processorName(),
  processors: availableParallelism(),
})

const count = (name, text) => {
  if (text === undefined) return undefined
  if (!/^[1-9]\d*$/.test(text)) throw new Error(`'--${name}' takes a count, not '${text}'`)
  return Number(text)
}

await runMain(import.meta.url, async () => {
  const { values } = parseArgs({ options: OPTIONS })
  const options = { ...values, rounds: count('rounds', values.rounds), lines: count('lines', values.lines) }
  await installDependencies()
  await build()
  const directory = mkdtempSync(join(tmpdir(), 'plumb-bench-'))
  const clean = () => rmSync(directory, { recursive: true, force: true })
  for (const [signal, status] of Object.entries({ SIGINT: 130, SIGTERM: 143 }))
    process.once(signal, () => {
      clean()
      process.exit(status)
    })
  try {
    const measured = await measureAll(directory, options)
    const text = report(measured)
    if (options.json) writeFileSync(options.json, [measured.run, ...measured.results].map((one) => `${JSON.stringify(one)}\n`).join(''))
    if (options.report) writeFileSync(options.report, text)
    process.stdout.write(text)
    return measured.results.every(({ programs }) => programs.every(({ error }) => error === undefined))
  } finally {
    clean()
  }
})
