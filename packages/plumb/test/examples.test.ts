// The examples carry tests, which pass and reach all of them; what they leave unnoticed is little.

import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import t from 'tap'

const DIRECTORY = 'packages/plumb/examples'

const examples = readdirSync(DIRECTORY).filter((name) => name.endsWith('.plumb'))

const runTests = (...args: string[]): { readonly status: number | null; readonly stdout: string } =>
  spawnSync('../bin/plumb', ['test', ...args, ...examples], { cwd: DIRECTORY, encoding: 'utf8' })

t.test('they pass, and all is reached', async (t) => {
  const { status, stdout } = runTests('--coverage', '--reporter', 'json')
  t.equal(status, 0, stdout)
  const lines = stdout.trim().split('\n')
  const tested = new Set(lines.map((line) => JSON.parse(line).file as string | undefined))
  for (const name of examples) t.ok(tested.has(name), name)
  t.strictSame(
    lines.filter((line) => !line.startsWith('{"kind":')),
    [],
    'nothing is missed',
  )
})

t.test('most changes are noticed', async (t) => {
  const { stdout } = runTests('--mutate')
  const [, noticed = '0', of = '0'] = /^(\d+) of (\d+) noticed$/m.exec(stdout) ?? []
  t.ok(Number(of) > 50, stdout)
  t.ok(Number(noticed) >= 0.85 * Number(of), stdout)
})
