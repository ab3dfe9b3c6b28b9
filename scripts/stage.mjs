// Copies each executable with everything it needs to TO/NAME: stage.mjs TO

import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { build, executables } from './build.mjs'
import { ROOT, runMain } from './command.mjs'
import { installDependencies } from './dependencies.mjs'

/** Writes the directory `to`, and replaces an earlier one. The build has to be fresh. `fields` go into its package.json. */
export const stage = (name, to, fields = {}) => {
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
  for (const name of executables()) stage(name, resolve(process.argv[2], name))
})
