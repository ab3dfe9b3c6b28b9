// The statements of a worker, without one: what PostgreSQL does alone, on one connection, one statement after the other.

import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build as bundle } from 'esbuild'
import { ROOT } from '../command.mjs'

const NOTHING = { ords: [], events: [], again: [], back: [], parked: [], calls: [], answers: [], memory: undefined }

/** Takes and settles all messages of part 1 of a run in batches; resolves to messages a second. */
export const bareHops = async (directory, url, run, batch) => {
  const outfile = join(directory, 'engine.mjs')
  const contents = `export { connect } from './connection.js'\nexport { PostgresEngine } from './postgres.js'\n`
  const banner = { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)" }
  const resolveDir = `${ROOT}/packages/engine/src`
  const stdin = { contents, resolveDir, loader: 'ts' }
  await bundle({ stdin, outfile, banner, bundle: true, platform: 'node', format: 'esm', logLevel: 'error', external: ['pg-native'] })
  const { connect, PostgresEngine } = await import(pathToFileURL(outfile).href)
  const connection = await connect(url, false)
  if (!connection.ok) throw new Error(connection.error.detail)
  const engine = await PostgresEngine.open(connection.value, { host: 'bare', digest: '', runs: [], parts: [], labels: [] })
  const lease = '00000000-0000-4000-8000-000000000000'
  let done = 0
  const began = performance.now()
  for (;;) {
    const taken = await engine.take({ run, part: 1, lease, most: batch, isAlone: false, above: undefined })
    if (taken.length === 0) break
    const outputs = taken.map(({ ord, origin, value }) => ({ part: 0, port: 0, ord, origin, value }))
    const tally = { taken: taken.length, outputs: outputs.length, dropped: 0, failed: 0, usages: [], toolCalls: 0, retries: 0 }
    const settlement = { run, part: 1, lease, done: taken.map(({ id }) => id), outputs, letters: [], ...NOTHING, tally }
    if (!(await engine.settle(settlement))) throw new Error('the lease was lost')
    done += taken.length
  }
  const seconds = (performance.now() - began) / 1000
  await connection.value.close()
  return done / seconds
}
