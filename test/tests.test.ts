// What runs the tests: a file that fails is run once more alone, and which files are long says their first line.

import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { scaled } from '../packages/wire/test/patience.js'

const directory = mkdtempSync(join(tmpdir(), 'plumb-tests-'))
t.teardown(() => rmSync(directory, { recursive: true }))

/** A program that writes what tap would; `fails` are the numbers of its runs that fail. */
const testFile = (name: string, fails: readonly number[], firstLine = '// a test'): string => {
  const file = join(directory, name)
  const program = `
    const { appendFileSync, readFileSync } = require('node:fs')
    appendFileSync('${file}.runs', 'x')
    const isWrong = ${JSON.stringify(fails)}.includes(readFileSync('${file}.runs').length)
    console.log(isWrong ? 'not ok 1 - it holds' : 'ok 1 - it holds\\nok 2 - another # SKIP no such thing')
    console.log(isWrong ? '# { total: 1, fail: 1 }' : '# { total: 2, pass: 1, skip: 1 }')
    process.exitCode = isWrong ? 1 : 0`
  writeFileSync(`${file}.cjs`, program)
  writeFileSync(`${file}.ts`, `${firstLine}\n`)
  return `${file}.cjs`
}

/** What `expression` gives with the exports of scripts/tests.mjs, and what is printed meanwhile. */
const evaluate = (expression: string) => {
  const script = `
    import { isLong, runAgain, runTests, skippedInWords } from '${pathToFileURL(resolve('scripts/tests.mjs'))}'
    console.log('\\n' + JSON.stringify(await (async () => (${expression}))()))`
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
    timeout: scaled(30_000),
  })
  return { result: JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? ''), said: stdout + stderr }
}

const run = (...files: string[]) =>
  evaluate(`runTests(${JSON.stringify(files)}).then(async ({ failures, ...first }) => ({ first, again: await runAgain(failures) }))`)

t.test('a file that fails runs once more alone', async (t) => {
  const { result, said } = run(testFile('right', []), testFile('flaky', [1]), testFile('wrong', [1, 2]))
  t.match(result.first, { passed: 1, failed: 0, skipped: [{ title: 'another', why: 'no such thing' }] })
  t.match(result.again, { passed: 1, failed: 1, flaky: [join(directory, 'flaky.ts')] })
  t.match(said, /flaky\.cjs failed:\nnot ok 1 - it holds\n/, 'why it failed is said')
  t.equal(said.match(/wrong\.cjs failed:/g)?.length, 2)
  const many = run(...['a', 'b', 'c', 'd', 'e', 'f'].map((name) => testFile(name, [1])))
  t.match(many.result.again, { passed: 0, failed: 6, flaky: [] }, 'of many that fail none')
})

t.test('a file that has its turn too late is skipped with a word', async (t) => {
  const { result } = evaluate(`runTests(${JSON.stringify([testFile('late', [1])])}, { untilS: 0 })`)
  const why = '0 minutes have passed on this machine'
  t.match(result, { passed: 0, failed: 0, failures: [], skipped: [{ title: join(directory, 'late.ts'), why }] })
})

t.test('the last line but one names what was skipped and what is flaky', async (t) => {
  const skipped = "[{ title: 'x', why: 'a' }, { title: 'y', why: 'a' }]"
  const { result } = evaluate(`[skippedInWords([]), skippedInWords(${skipped}), skippedInWords(${skipped}, ['test/a.test.ts'])]`)
  t.strictSame(result, ['0 skipped', '2 skipped: a (2)', '2 skipped: a (2); 1 flaky: test/a.test.ts'])
})

t.test('the first line of a file says that it is long', async (t) => {
  const files = [testFile('long', [], '// long'), testFile('longer', [], '// longer'), testFile('short', [])]
  t.strictSame(evaluate(`${JSON.stringify(files)}.map(isLong)`).result, [true, false, false])
})
