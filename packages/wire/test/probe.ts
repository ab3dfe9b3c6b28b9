// Builds the fixture programs and runs shell scripts that use them.

import { join, resolve } from 'node:path'
import { buildSync } from 'esbuild'
import { bash, envIn, layFolder, type Ran } from './shell.js'

const FIXTURES = resolve('packages/wire/test/fixtures')

/** In the script `$probe` is a program for node, and `$launcher` starts it as an executable would. */
export const makeShell = () => {
  const folder = layFolder()
  const probe = join(folder, 'probe.cjs')
  buildSync({ entryPoints: [join(FIXTURES, 'probe.ts')], outfile: probe, bundle: true, platform: 'node', target: 'node20', format: 'cjs' })
  const env = { ...envIn(folder), probe, launcher: join(FIXTURES, 'launcher'), folder }
  const shell = (script: string, extra: NodeJS.ProcessEnv = {}): Promise<Ran> => bash(script, { folder, env: { ...env, ...extra } })
  return { shell, folder, probe }
}
