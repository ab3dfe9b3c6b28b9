// Builds the fixture programs and runs shell scripts that use them.

import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { buildSync } from 'esbuild'
import t from 'tap'

const FIXTURES = resolve(__dirname, '../../test/fixtures')

interface Ran {
  out: string
  err: string
  status: number | null
  signal: string | null
}

/** In the script `$probe` is a program for node, and `$launcher` starts it as an executable would. */
export const makeShell = () => {
  const folder = mkdtempSync(join(tmpdir(), 'wire-test-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const probe = join(folder, 'probe.cjs')
  buildSync({ entryPoints: [join(FIXTURES, 'probe.ts')], outfile: probe, bundle: true, platform: 'node', target: 'node20', format: 'cjs' })
  const env = { ...process.env, probe, launcher: join(FIXTURES, 'launcher'), folder, NODE_EXTRA_CA_CERTS: undefined }
  const shell = (script: string, extra: NodeJS.ProcessEnv = {}): Promise<Ran> =>
    new Promise((done) => {
      const child = spawn('bash', ['-c', script], { env: { ...env, ...extra }, cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
      const ran = { out: '', err: '' }
      child.stdout.setEncoding('utf8').on('data', (text) => {
        ran.out += text
      })
      child.stderr.setEncoding('utf8').on('data', (text) => {
        ran.err += text
      })
      child.on('close', (status, signal) => done({ ...ran, status, signal }))
    })
  return { shell, folder, probe }
}
