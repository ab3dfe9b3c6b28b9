// long
// apply_patch killed in the middle of patches of three files: they are changed together or not at all. Fault 83.

import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { builtinsIn } from './builtin-directory.js'
import { contents, patchOf } from './patch.js'
import { makeTestDirectory } from './source-directory.js'

// PLUMB_KILLS=200 for more.
const KILLS = Number(process.env.PLUMB_KILLS ?? 20)

t.test(`fault 83: killed ${KILLS} times in the middle of patches of three files`, async (t) => {
  const directory = makeTestDirectory({})
  const versions: Record<string, number> = { between: 0 }
  const versionIn = (): string[] => [
    ...new Set(Object.values(contents(directory)).map((text) => /^version \d+\n$/.exec(text)?.[0] ?? 'torn')),
  ]
  const patchTo = (i: number): string =>
    JSON.stringify({
      patch: patchOf(
        ...['*** Update File: a', '@@', `-version ${i}`, `+version ${i + 1}`],
        ...[`*** Update File: ${i % 2 ? 'd/y' : 'x'}`, `*** Move to: ${i % 2 ? 'x' : 'd/y'}`, '@@', `-version ${i}`, `+version ${i + 1}`],
        ...[`*** Delete File: c${i}`, `*** Add File: c${i + 1}`, `+version ${i + 1}`],
      ),
    })
  for (let kill = 0; kill < KILLS; kill++) {
    rmSync(directory, { recursive: true, force: true })
    mkdirSync(directory)
    for (const name of ['a', 'x', 'c0']) writeFileSync(join(directory, name), 'version 0\n')
    const child = spawn('plumb-tool', ['call', 'apply_patch', '-'], { cwd: directory, stdio: ['pipe', 'pipe', 'ignore'] })
    child.stdin.on('error', () => {})
    child.stdin.end(Array.from({ length: 2000 }, (_, i) => `${patchTo(i)}\n`).join(''))
    // The first is done; from now on it is in the middle of one at most times.
    await new Promise((done) => child.stdout.once('data', done))
    child.stdout.resume()
    await new Promise((done) => setTimeout(done, Math.random() * 60))
    child.kill('SIGKILL')
    await new Promise((done) => child.on('close', done))
    const isMixed = versionIn().length > 1 || readdirSync(directory).some((name) => name.startsWith('.plumb-'))
    if (isMixed) versions.between = (versions.between ?? 0) + 1
    if (versionIn().includes('torn') && !readdirSync(directory, { recursive: true }).some((name) => String(name).includes('.plumb-')))
      t.fail('a file is torn')
    await builtinsIn(directory).code('delete_file', { path: 'none' })
    const now = versionIn()
    t.equal(now.length, 1, `all of one version: ${now.join()}`)
    const left = readdirSync(directory, { recursive: true }).map(String)
    t.equal(left.filter((name) => !/^(d|c\d+)$/.test(name)).length, 2, `and nothing else: ${left.join(' ')}`)
  }
  t.comment(`${versions.between} of ${KILLS} were in the middle`)
})
