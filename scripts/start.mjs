// Installs and builds what is missing, then runs the demo: start.mjs

import { spawnSync } from 'node:child_process'
import { build } from './build.mjs'
import { ROOT, runMain } from './command.mjs'
import { installDependencies } from './dependencies.mjs'

await runMain(import.meta.url, async () => {
  await installDependencies()
  console.log('building the executables: a minute the first time, then a moment')
  await build()
  return spawnSync(`${ROOT}/scripts/demo`, { stdio: ['ignore', 'inherit', 'inherit'] }).status === 0
})
