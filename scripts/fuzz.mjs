// Tries the properties of the language and of running on ever new random programs: fuzz.mjs [MINUTES] [SEED]
//
// Every round has a seed of its own, which is printed: `fuzz.mjs 0 SEED` plays that one round again. Stops at the first failure.

import { availableParallelism } from 'node:os'
import { build, buildTests } from './build.mjs'
import { installDependencies } from './dependencies.mjs'
import { ROOT, run, runMain } from './step.mjs'

const FILES = [
  'lang/test/front',
  'lang/test/check',
  'lang/test/format',
  'lang/test/expression',
  'lang/test/types',
  'lang/test/service',
  'plumb/test/random',
  'plumb/test/render',
]
const LIMIT_MS = 300_000

await runMain(import.meta.url, async () => {
  const [minutes = '10', seed] = process.argv.slice(2)
  await installDependencies()
  await build()
  const files = (await buildTests()).filter((file) => FILES.some((name) => file.includes(`${name.replace('/test/', '/dist/test/')}.`)))
  const until = Date.now() + Number(minutes) * 60_000
  let rounds = 0
  let failed = false
  const work = async (worker) => {
    do {
      const round = seed === undefined ? (Date.now() + worker) % 2 ** 31 : Number(seed)
      for (const file of files) {
        const env = { ...process.env, PLUMB_SEED: String(round), TAP_TIMEOUT: String(LIMIT_MS / 1000) }
        const { status, output } = await run(
          process.execPath,
          ['--require', `${ROOT}/scripts/fuzz-seed.cjs`, '--enable-source-maps', file],
          { limitMs: LIMIT_MS, env },
        )
        if (status === 0) continue
        failed = true
        console.log(`seed ${round}: ${file} failed\n${output}`)
      }
      rounds++
      console.log(`seed ${round}: ${failed ? 'failed' : 'ok'}`)
    } while (!failed && Date.now() < until)
  }
  await Promise.all(Array.from({ length: Number(minutes) === 0 ? 1 : availableParallelism() }, (_, i) => work(i)))
  console.log(`${rounds} rounds of ${files.length} files, ${failed ? 'with' : 'without'} a failure`)
  return !failed
})
