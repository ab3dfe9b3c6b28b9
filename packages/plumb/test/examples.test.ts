// The examples carry tests, which pass and reach all of them; what they leave unnoticed is little.

import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import t from 'tap'

const DIRECTORY = 'packages/plumb/examples'

const examples = readdirSync(DIRECTORY).filter((name) => name.endsWith('.plumb'))
/** Uses, each in a directory of its own: NAME/NAME.plumb. */
const uses = readdirSync(DIRECTORY).filter((name) => existsSync(`${DIRECTORY}/${name}/${name}.plumb`))

const runTests = (args: readonly string[], specs: readonly string[]): { readonly status: number | null; readonly stdout: string } =>
  spawnSync('../bin/plumb', ['test', ...args, ...specs], { cwd: DIRECTORY, encoding: 'utf8' })

t.test('they pass, and all is reached', async (t) => {
  const all = [...examples, ...uses.map((name) => `${name}/${name}.plumb`)]
  t.equal(uses.length, 6)
  const { status, stdout } = runTests(['--coverage', '--reporter', 'json'], all)
  t.equal(status, 0, stdout)
  const lines = stdout.trim().split('\n')
  const tested = new Set(lines.map((line) => JSON.parse(line).file as string | undefined))
  for (const name of all) t.ok(tested.has(name), name)
  t.strictSame(
    lines.filter((line) => !line.startsWith('{"kind":')),
    [],
    'nothing is missed',
  )
})

t.test('most changes are noticed', async (t) => {
  const { stdout } = runTests(['--mutate'], examples)
  const [, noticed = '0', of = '0'] = /^(\d+) of (\d+) noticed$/m.exec(stdout) ?? []
  t.ok(Number(of) > 50, stdout)
  t.ok(Number(noticed) >= 0.85 * Number(of), stdout)
})

t.test('their pictures are drawn from them', async (t) => {
  for (const name of uses) {
    const { stdout } = spawnSync('../bin/plumb', ['render', `${name}/${name}.plumb`], { cwd: DIRECTORY, encoding: 'utf8' })
    t.equal(stdout, readFileSync(`${DIRECTORY}/${name}/${name}.svg`, 'utf8'), name)
  }
})
