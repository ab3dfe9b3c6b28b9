// Builds the fixture programs and runs shell scripts that use them.

import { join, resolve } from 'node:path'
import { buildSync } from 'esbuild'
import { bash, envIn, makeTestDirectory, type Ran } from './shell.js'

const FIXTURES = resolve('packages/wire/test/fixtures')

/** In the script `$probe` is a program for node, and `$launcher` starts it as an executable would. */
export const makeShell = () => {
  const directory = makeTestDirectory()
  const probe = join(directory, 'probe.cjs')
  buildSync({ entryPoints: [join(FIXTURES, 'probe.ts')], outfile: probe, bundle: true, platform: 'node', target: 'node20', format: 'cjs' })
  const env = { ...envIn(directory), probe, launcher: join(FIXTURES, 'launcher'), directory }
  const shell = (script: string, extra: NodeJS.ProcessEnv = {}): Promise<Ran> => bash(script, { directory, env: { ...env, ...extra } })
  return { shell, directory, probe }
}
