// Copies each executable to TO/NAME, and what they share beside them: stage.mjs TO

import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { SHARED_DIRECTORY, SHARED_NAME, sharedFilesOf } from './build/shared.mjs'
import { build, executables } from './build.mjs'
import { ROOT, runMain } from './command.mjs'
import { installDependencies } from './dependencies.mjs'

/** Writes all executables, each into a directory of its name in `to`, and what they share into another. The build has to be fresh. */
export const stageAll = (to) => {
  rmSync(join(to, SHARED_DIRECTORY), { recursive: true, force: true })
  for (const name of executables()) {
    stage(name, join(to, name))
    copyShared(name, join(to, SHARED_DIRECTORY))
  }
}

/** Writes one with all that it runs on. `fields` go into its package.json. */
export const stageAlone = (name, to, fields) => {
  stage(name, to, fields)
  copyShared(name, join(to, 'dist', SHARED_NAME))
}

const copyShared = (name, to) => {
  mkdirSync(to, { recursive: true })
  for (const file of sharedFilesOf(name)) copyFileSync(`${ROOT}/packages/${SHARED_DIRECTORY}/${file}`, join(to, file))
}

// Replaces an earlier one.
const stage = (name, to, fields = {}) => {
  const from = `${ROOT}/packages/${name}`
  rmSync(to, { recursive: true, force: true })
  for (const directory of ['bin', 'dist']) mkdirSync(`${to}/${directory}`, { recursive: true })
  copyFileSync(`${from}/bin/${name}`, `${to}/bin/${name}`)
  chmodSync(`${to}/bin/${name}`, 0o755)
  for (const file of readdirSync(`${from}/dist`).filter((file) => /\.(cjs|cache)$/.test(file)))
    copyFileSync(`${from}/dist/${file}`, `${to}/dist/${file}`)
  copyFileSync(`${from}/dist/THIRD-PARTY-NOTICES`, `${to}/THIRD-PARTY-NOTICES`)
  copyFileSync(`${ROOT}/LICENSE`, `${to}/LICENSE`)
  writeFileSync(`${to}/package.json`, `${JSON.stringify({ ...manifest(name), ...fields }, null, 2)}\n`)
}

// The bundle contains everything, so there are no dependencies. `type` is set, so that a package.json above has no influence.
const manifest = (name) => {
  const { version, description, license, engines, bin } = JSON.parse(readFileSync(`${ROOT}/packages/${name}/package.json`, 'utf8'))
  return { name, version, description, license, type: 'commonjs', engines, bin }
}

await runMain(import.meta.url, async () => {
  if (!process.argv[2]) throw new Error('usage: scripts/stage.mjs TO')
  await installDependencies()
  await build()
  stageAll(resolve(process.argv[2]))
})
