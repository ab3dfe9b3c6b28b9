// Installs the dependencies when what is installed is not what the lock file says: dependencies.mjs

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { ROOT, run, runMain } from './command.mjs'

const PNPM = 'pnpm@10.34.9'

/** Does nothing, and needs no network, when everything is installed. Throws the output of pnpm when it fails. */
export const installDependencies = async () => {
  if (isInstalled()) return
  console.log(`installing dependencies with ${PNPM}: a minute, without a word`)
  const env = { ...process.env, CI: 'true', npm_config_loglevel: 'error' }
  const args = ['--yes', '--prefer-offline', PNPM, 'install', '--frozen-lockfile', '--prefer-offline']
  const { status, output } = await run('npx', args, { env })
  if (status !== 0) throw new Error(`'npx ${args.join(' ')}' failed:\n${output.trimEnd()}`)
}

// As its last step, pnpm copies the lock file into node_modules.
const isInstalled = () => {
  const installed = `${ROOT}/node_modules/.pnpm/lock.yaml`
  if (!existsSync(installed) || !existsSync(`${ROOT}/node_modules/.modules.yaml`)) return false
  if (!readFileSync(installed).equals(readFileSync(`${ROOT}/pnpm-lock.yaml`))) return false
  return readdirSync(`${ROOT}/packages`).every((name) => {
    const manifest = `${ROOT}/packages/${name}/package.json`
    if (!existsSync(manifest)) return true
    return Object.keys(JSON.parse(readFileSync(manifest, 'utf8')).dependencies ?? {}).every((dependency) =>
      existsSync(`${ROOT}/packages/${name}/node_modules/${dependency}`),
    )
  })
}

await runMain(import.meta.url, installDependencies)
