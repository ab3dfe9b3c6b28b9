// Where figures of runs by workers are taken: a PostgreSQL of its own, a directory with specs, and programs that are started and killed there.

import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build as bundle } from 'esbuild'
import { executables } from '../build.mjs'
import { ROOT } from '../command.mjs'

/** The cluster of the tests. */
const openCluster = async (directory) => {
  const outfile = join(directory, 'postgres.mjs')
  await bundle({
    entryPoints: [`${ROOT}/test/faults/postgres.ts`],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  })
  const { noPostgres, openCluster: open } = await import(pathToFileURL(outfile).href)
  if (noPostgres) throw new Error(noPostgres)
  return open()
}

/** Does `act` with a stage, and clears it away, with all that was started on it. */
export const withStage = async (specs, act) => {
  const directory = mkdtempSync(join(tmpdir(), 'plumb-workers-'))
  const work = join(directory, 'work')
  mkdirSync(work)
  for (const [name, text] of Object.entries(specs)) writeFileSync(join(work, name), text)
  const cluster = await openCluster(directory)
  const PATH = [...executables().map((name) => `${ROOT}/packages/${name}/bin`), process.env.PATH].join(':')
  const env = { PATH, HOME: directory, TMPDIR: directory, LANG: 'C.UTF-8', PLUMB_ERRORS: 'json', PLUMB_ON: cluster.url }
  const living = new Set()
  const start = (...words) => {
    const child = spawn('plumb', words, { cwd: work, env, stdio: ['pipe', 'pipe', 'pipe'], detached: true })
    const chunks = []
    const started = { child, lines: 0, errors: '', onLines: () => {}, text: () => Buffer.concat(chunks).toString() }
    child.stdin.on('error', () => {})
    child.stdout.on('data', (chunk) => {
      chunks.push(chunk)
      for (let i = chunk.indexOf(10); i >= 0; i = chunk.indexOf(10, i + 1)) started.lines++
      started.onLines()
    })
    child.stderr.on('data', (text) => {
      started.errors += text
    })
    started.ended = new Promise((resolve) => {
      child.on('close', (status, signal) => {
        living.delete(child)
        started.hasEnded = true
        resolve(status ?? signal)
      })
    })
    living.add(child)
    return started
  }
  const stage = {
    directory,
    cluster,
    start,
    serve: (...words) => start('work', ...words),
    submit: (...words) => start('run', '--on', cluster.url, ...words),
    embedded: async (spec, input) => {
      const run = start(spec)
      run.child.stdin.end(input)
      const status = await run.ended
      return { status, text: run.text() }
    },
    /** Asks workers to end, and waits until they have. */
    end: async (workers) => {
      for (const { child } of workers) child.kill('SIGTERM')
      await Promise.all(workers.map(({ ended }) => ended))
    },
  }
  try {
    const made = start('engine', '--init')
    if ((await made.ended) !== 0) throw new Error(`plumb engine --init: ${made.errors}`)
    return await act(stage)
  } finally {
    for (const child of living) process.kill(-child.pid, 'SIGKILL')
    await cluster.remove()
    rmSync(directory, { recursive: true, force: true })
  }
}
