// Installs and builds what is not, then shows the executables at work: start.mjs

import { spawnSync } from 'node:child_process'
import { build } from './build.mjs'
import { installDependencies } from './dependencies.mjs'
import { ROOT, runMain } from './step.mjs'

await runMain(import.meta.url, async () => {
  await installDependencies()
  await build()
  return spawnSync(`${ROOT}/scripts/demo`, { stdio: ['ignore', 'inherit', 'inherit'] }).status === 0
})
