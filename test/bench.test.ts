// long
// The benchmarks run and report what they measure; how fast anything is is not a matter here.

import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { scaled } from '../packages/wire/test/patience.js'

const directory = mkdtempSync(join(tmpdir(), 'plumb-test-'))
t.teardown(() => rmSync(directory, { recursive: true, force: true }))

const bench = (...args: string[]): Promise<{ status: number | null; out: string; err: string }> =>
  new Promise((done, fail) => {
    const child = spawn(process.execPath, ['scripts/bench/bench.mjs', ...args], { timeout: scaled(150_000) })
    const ran = { out: '', err: '' }
    child.stdout.setEncoding('utf8').on('data', (text) => {
      ran.out += text
    })
    child.stderr.setEncoding('utf8').on('data', (text) => {
      ran.err += text
    })
    child.on('error', fail)
    child.on('close', (status) => done({ status, ...ran }))
  })

interface Sample {
  readonly value: number
  readonly cpu: number
}

interface Program {
  readonly name: string
  readonly role: string
  readonly samples: readonly Sample[]
  readonly value: { readonly median: number; readonly least: number; readonly count: number }
  readonly ratio?: { readonly median: number }
}

interface Result {
  readonly family: string
  readonly case: string
  readonly programs: readonly Program[]
  readonly goals: readonly {
    readonly to: string
    readonly wanted: number
    readonly is: { readonly median: number }
    readonly isMet: boolean
  }[]
}

t.test('a run reports each sample, and what they come to', async (t) => {
  const [json, report] = [join(directory, 'bench.jsonl'), join(directory, 'bench.md')]
  const filter = 'start/plumb-mux --version,lines/filter'
  const { status, out, err } = await bench(
    '--quick',
    '--rounds',
    '2',
    '--lines',
    '2000',
    '--filter',
    filter,
    '--json',
    json,
    '--report',
    report,
  )
  t.equal(status, 0, err)
  t.equal(readFileSync(report, 'utf8'), out)
  for (const part of ['## Goals', '## Noise', '## Start', '## Lines', '| start: plumb-mux --version | ≤ 1.5 × node -e 0 |'])
    t.match(out, part)

  const [run, ...results] = readFileSync(json, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  t.match(run, { node: process.version, isQuick: true, calibration: { before: { jobs: { 'node -e 0': { value: { count: 3 } } } } } })
  t.strictSame(
    (results as Result[]).map((result) => `${result.family}/${result.case}`),
    ['start/plumb-mux --version', 'lines/filter'],
  )
  for (const { programs, goals } of results as Result[]) {
    const [ours, ...others] = programs
    t.equal(ours?.role, 'ours')
    for (const { name, samples, value, ratio } of programs) {
      t.equal(samples.length, 2, `${name} is measured in each round`)
      t.ok(
        samples.every(({ value, cpu }) => value > 0 && cpu > 0),
        `${name} takes time`,
      )
      const [a, b] = samples.map((sample) => sample.value) as [number, number]
      t.equal(value.median, Math.min(a, b) + (Math.max(a, b) - Math.min(a, b)) / 2)
      t.equal(value.least, Math.min(a, b))
      if (ratio) t.equal(ratio.median, (ours?.value.median ?? 0) / value.median)
    }
    for (const { to, is, wanted, isMet } of goals) {
      t.ok(others.some(({ name }) => name === to))
      t.equal(isMet, /^ja?q/.test(to) ? is.median >= wanted : is.median <= wanted)
    }
  }
})

t.test('what cannot be measured is reported', async (t) => {
  const { status, err } = await bench('--filter', 'nothing of the kind')
  t.equal(status, 1)
  t.match(err, "no case has 'nothing of the kind' in its name")

  const against = await bench('--against', directory)
  t.equal(against.status, 1)
  t.match(against.err, `'${directory}' is not a built checkout, it has no plumb: run 'npm run build' there`)

  const rounds = await bench('--rounds', 'many')
  t.match(rounds.err, "'--rounds' takes a count, not 'many'")
})
