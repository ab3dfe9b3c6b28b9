// The examples, the standard library, and the programs of README, the tutorial and the cookbook hold where data may go, as `--flows` asks.

import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import t from 'tap'
import type { Example } from './example.js'
import { manExamples } from './man-page.js'
import { readMarkdown } from './readme.js'

const plumbFiles = (names: readonly string[]): string[] => names.filter((name) => name.endsWith('.plumb'))

/** What keeps them from loading, by file. */
const refused = (directory: string, files: readonly string[]): readonly string[] => {
  const args = ['check', '--flows', '--json', ...files]
  const { stdout } = spawnSync(resolve('packages/plumb/bin/plumb'), args, { cwd: directory, encoding: 'utf8' })
  const lines = stdout.trim().split('\n')
  const found = lines.map((line) => JSON.parse(line) as { readonly file?: string; readonly severity?: string; readonly message?: string })
  t.ok(lines.length >= files.length, `all of ${directory} were looked at`)
  return found.flatMap(({ file, severity, message }) => (severity === 'error' ? [`${file}: ${message}`] : []))
}

const PAGES = {
  'README.md': readMarkdown,
  'man/plumb-cookbook.7': manExamples,
  'man/plumb.7': manExamples,
}

for (const [page, examplesOf] of Object.entries(PAGES)) {
  t.test(`the programs of ${page}`, async (t) => {
    const files = examplesOf(readFileSync(page, 'utf8')).filter((one): one is Example & { kind: 'file' } => one.kind === 'file')
    const directory = mkdtempSync(join(tmpdir(), 'plumb-flows-'))
    t.teardown(() => rmSync(directory, { recursive: true, force: true }))
    for (const { name, text } of files) {
      mkdirSync(dirname(join(directory, name)), { recursive: true })
      // The commands of the page make programs executable.
      writeFileSync(join(directory, name), text, { mode: text.startsWith('#!') ? 0o755 : 0o644 })
    }
    const names = plumbFiles(files.map(({ name }) => name))
    t.ok(names.length > 0)
    t.strictSame(refused(directory, [...new Set(names)]), [])
  })
}

t.test('the examples, and the modules of the standard library', async (t) => {
  for (const directory of ['packages/plumb/examples', 'packages/lang/src/stdlib']) {
    const names = plumbFiles(readdirSync(directory))
    t.ok(names.length > 5, directory)
    t.strictSame(refused(directory, names), [], directory)
  }
})
