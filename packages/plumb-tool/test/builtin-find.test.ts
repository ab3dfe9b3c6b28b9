// grep, glob and import_image: what they find, what ignore files keep from them, and that no pattern takes them long.

import { spawnSync } from 'node:child_process'
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { growth } from '../../wire/test/patience.js'
import { runs } from '../../wire/test/property.js'
import { withTimeout } from '../src/call/timeout.js'
import { glob as globTool } from '../src/source/builtin/file/glob.js'
import { readGlob } from '../src/source/builtin/file/glob-pattern.js'
import { grep as grepTool } from '../src/source/builtin/file/grep.js'
import { makeBuiltins } from './builtin-directory.js'
import { openCall, openSession, STRING } from './call-session.js'

const lines = (value: unknown): string[] => String(value).split('\n')

t.test('grep: what is found and how it is shown', async (t) => {
  const { directory, call, code } = makeBuiltins({
    a: 'one\nTwo\n\nthree one\n',
    crlf: 'one\r\ntwo\r\n',
    'd/e/f.ts': 'const one = 1\nlast one',
    'd/g.js': 'one',
    'd/\u001b[31mh': 'one',
    wide: `${'x'.repeat(2000)}one`,
    empty: '',
  })
  writeFileSync(join(directory, 'picture'), Buffer.from([0x6f, 0x6e, 0x65, 0]))
  writeFileSync(join(directory, 'latin'), Buffer.from([0x6f, 0x6e, 0x65, 0xe9]))
  const grep = async (input: object) => lines((await call('grep', input)).value)
  t.strictSame(await grep({ pattern: '\\bone$' }), [
    ...['a:1:one', 'a:4:three one', 'crlf:1:one', 'd/\\u001b[31mh:1:one', 'd/e/f.ts:2:last one', 'd/g.js:1:one'],
    '[skipped: 2 binary, unreadable or very large files]',
  ])
  t.strictSame(await grep({ pattern: 'TWO', ignore_case: true, glob: 'a' }), ['a:2:Two'])
  t.strictSame(await grep({ pattern: 'one', glob: '*.{ts,js}' }), ['d/e/f.ts:1:const one = 1', 'd/e/f.ts:2:last one', 'd/g.js:1:one'])
  t.strictSame(await grep({ pattern: 'one', path: 'd/e' }), ['d/e/f.ts:1:const one = 1', 'd/e/f.ts:2:last one'])
  t.strictSame(await grep({ pattern: 'one', path: 'd/g.js' }), ['d/g.js:1:one'])
  t.strictSame(await grep({ pattern: '^$', path: 'a' }), ['a:3:'])
  t.strictSame(await grep({ pattern: '.', path: 'empty' }), [''])
  t.strictSame(await grep({ pattern: '\\Aone\\z', path: 'a' }), ['a:1:one'], 'a line is a text of its own')
  t.strictSame(await grep({ pattern: 'Two\\s+three', path: 'a' }), [''], 'and nothing goes over its end')
  t.match((await grep({ pattern: 'one', path: 'wide' }))[0], /^wide:1:…x{497}one$/, 'what is around the match')
  writeFileSync(join(directory, 'wider'), `${'x'.repeat(2000)}one${'y'.repeat(2000)}`)
  t.match((await grep({ pattern: 'one', path: 'wider' }))[0], /^wider:1:…x{100}oney{397}…$/)
  writeFileSync(join(directory, 'pairs'), `${'😀'.repeat(2000)}one${'😀'.repeat(2000)}`)
  t.match((await grep({ pattern: 'one', path: 'pairs' }))[0], /^pairs:1:…(😀)+one(😀)+…$/u, 'and no half of a character')
  writeFileSync(join(directory, 'marked'), '\ufeffone\nat \ufeffone\n')
  t.strictSame(await grep({ pattern: '^one', path: 'marked' }), ['marked:1:one'], 'a byte-order mark is not part of the first line')
  t.strictSame(await grep({ pattern: 'const', glob: '!*.js', path: 'd' }), ['d/e/f.ts:1:const one = 1'], 'all but')
  t.strictSame(await grep({ pattern: 'one', glob: '!*.{ts,js}', path: 'd' }), ['d/\\u001b[31mh:1:one'])
  t.equal(await code('grep', { pattern: 'one', path: 'none' }), 'no_such_file')
  for (const pattern of ['(', 'a{2', '(?=a)', '(a)\\1', '(a{1000}){1000}', 'x'.repeat(10_001)]) {
    t.equal(await code('grep', { pattern }), pattern === 'a{2' ? 'ok' : 'input_type_mismatch', pattern.slice(0, 20))
  }
  t.match((await call('grep', { pattern: '(?=a)' })).error, { detail: /expected one without look-around/ })
  for (const pattern of ['one\ntwo', 'one\\ntwo', 'one\\x0atwo', 'a|\\n', '[a\n]', '\\\\\\n', 'one\\x{0A}'])
    t.match((await call('grep', { pattern })).error, { error: 'input_type_mismatch', detail: /searched one by one/ }, pattern)
  for (const pattern of ['[^\n]', '[^a\\n]+', '\\\\n', '\\s', '.']) t.equal(await code('grep', { pattern }), 'ok', pattern)

  writeFileSync(join(directory, 'many'), 'one\n'.repeat(1500))
  const many = await grep({ pattern: 'one', path: 'many' })
  t.strictSame([many.length, many[999], many[1000]], [1001, 'many:1000:one', '[truncated: 500 more lines]'])
  writeFileSync(join(directory, 'big'), '')
  for (let i = 0; i < 5; i++) appendFileSync(join(directory, 'big'), `${'-'.repeat(79)}\n`.repeat(50_000))
  appendFileSync(join(directory, 'big'), 'needle')
  t.strictSame(await grep({ pattern: 'needle', path: 'big' }), ['big:250001:needle'])
})

// What a quick search for a text that each match holds could get wrong.
const LITERALS = ['ab', 'abc?', 'abc*d', 'aab+', 'ab{0}', 'ab{1,2}c', 'a\\.b', 'ab$', '\\bab\\b', 'éa', 'AB', 'ba.+ab', 'a\\{b', 'a{,2}b']

t.test('grep is what a naive one is', async (t) => {
  const { directory, call } = makeBuiltins({ f: '' })
  const pattern = fc.constantFrom(
    'a',
    '^a',
    'a$',
    '^$',
    'b+',
    '[^a]',
    'a.b',
    '(a|b)c',
    '\\s',
    '.',
    'A',
    '\\bb',
    'a|^b$',
    '\\Ab',
    'c\\z',
    ...LITERALS,
  )
  const text = fc.array(fc.constantFrom('a', 'b', 'c', ' ', '\n', '\r\n', 'é'), { maxLength: 30 }).map((parts) => parts.join(''))
  await fc.assert(
    fc.asyncProperty(text, pattern, fc.boolean(), async (text, pattern, ignore_case) => {
      writeFileSync(join(directory, 'f'), text)
      const expression = new RegExp(pattern.replace('\\A', '^').replace('\\z', '$'), ignore_case ? 'i' : '')
      const all = text.split('\n')
      if (all.at(-1) === '') all.pop()
      const expected = all.flatMap((line, i) => (expression.test(line.replace(/\r$/, '')) ? [`f:${i + 1}:${line.trimEnd()}`] : []))
      const { value } = await call('grep', { pattern, path: 'f', ignore_case })
      return value === expected.join('\n')
    }),
    { numRuns: runs(600) },
  )
  t.pass('it is')
})

// PLUMB_NAMES=100000 for a directory as large as they come.
const MANY = Number(process.env.PLUMB_NAMES ?? 3000)

t.test('many files: all are searched, and what was found until the time was up is given', async (t) => {
  const files = Object.fromEntries(
    Array.from({ length: MANY }, (_, i) => [`d/${String(i).padStart(6, '0')}`, i % 1000 === 7 ? 'needle\n' : 'hay\n']),
  )
  const { directory, call } = makeBuiltins({ ...files, empty: '', 'e/f': 'needle' })
  const started = process.cpuUsage()
  const found = lines((await call('grep', { pattern: 'need+le' })).value)
  const { user, system } = process.cpuUsage(started)
  t.equal(found.length, Math.ceil((MANY - 7) / 1000) + 1)
  t.comment(`${MANY} files in ${Math.round((user + system) / 1000)} ms of the processor`)
  const late = new AbortController()
  const session = openSession({ docroot: directory })
  const context = (signal: AbortSignal) => ({
    call: openCall(session, { signal }),
    tool: 'probe',
    roots: new Map([['docroot', directory]]),
    mayReachPrivateNet: false,
  })
  const soon = context(late.signal)
  setImmediate(() => late.abort())
  const partial = await grepTool.run({ pattern: '^' }, soon)
  t.match(partial, { ok: true, value: /\[stopped: the time was up when \d+ of its files were searched; name a directory/ })
  t.equal(soon.call.record.isPartial, true)
  const gone = context(AbortSignal.abort())
  t.match(await globTool.run({ pattern: '*' }, gone), {
    ok: true,
    value: '[stopped: the time was up when 0 of its files were looked at; name a directory below it, or less, for the others]',
  })
  const ready = withTimeout({ timeoutMs: 1 })({
    name: 'probe',
    input: STRING,
    output: STRING,
    run: async (_input, call) => {
      const result = await grepTool.run({ pattern: '^' }, { ...context(call.signal), call })
      return result.ok ? { ok: true, value: JSON.stringify(result.value) } : result
    },
  })
  const given = await ready.run('null', openCall(session))
  t.match(given, { ok: true }, 'in place of an error')
})

const IGNORING = {
  '.gitignore': 'build/\n*.log\n!keep.log\n/only-here\n# comment\n\\#odd\nd/inner.txt\n',
  'a.txt': '',
  'x.log': '',
  'keep.log': '',
  'only-here': '',
  'd/only-here': '',
  '#odd': '',
  'build/x': '',
  'd/build/x': '',
  'build.txt': '',
  'd/.gitignore': '!y.log\nlocal\n',
  'd/y.log': '',
  'd/local': '',
  local: '',
  'd/inner.txt': '',
  'd/d/inner.txt': '',
  'd/z.log': '',
  '.ignore': '!vendor/\nsecret\n',
  'vendor/.gitignore': 'skip\n',
  'vendor/lib': '',
  'vendor/skip': '',
  secret: '',
  '.hidden': '',
  '.github/w.yml': '',
  '.git/config': '',
  'd/.git/x': '',
}

t.test('ignore files', async (t) => {
  const { call } = makeBuiltins({ ...IGNORING, '.gitignore': `${IGNORING['.gitignore']}vendor/\n` })
  const glob = async (input: object) => lines((await call('glob', input)).value)
  const seen = ['a.txt', 'build.txt', 'd/d/inner.txt', 'd/only-here', 'd/y.log', 'keep.log', 'local', 'vendor/lib']
  t.strictSame((await glob({ pattern: '**' })).sort(), seen)
  t.strictSame(
    await glob({ pattern: '**/*', path: 'd' }),
    ['d/d/inner.txt', 'd/only-here', 'd/y.log'],
    'those of directories above count too',
  )
  t.strictSame(await glob({ pattern: '*', path: 'build' }), ['build/x'], 'but for the directory that is asked for')
  t.strictSame(await glob({ pattern: '*', path: 'd/build' }), ['d/build/x'])
  t.strictSame(await glob({ pattern: '.github/**' }), ['.github/w.yml'], 'hidden ones where they are meant')
  t.strictSame(await glob({ pattern: '**/.*' }), ['.gitignore', '.hidden', '.ignore', 'd/.gitignore', 'vendor/.gitignore'])
  t.strictSame(await glob({ pattern: '*', path: '.github' }), ['.github/w.yml'])
  t.strictSame(await glob({ pattern: '.git/**' }), [''])
  const names = (await call('grep', { pattern: '^' })).value
  t.equal(names, '')
})

const hasGit = spawnSync('git', ['--version']).status === 0

t.test('ignore files are read as git reads them', { skip: hasGit ? false : 'git is not installed' }, async (t) => {
  // What git would add, without the directory of its own that stands in the way, and as if it had no .ignore.
  const files = Object.fromEntries(Object.entries(IGNORING).filter(([path]) => !/(^|\/)\.(git\/|ignore)/.test(path)))
  const { directory, call } = makeBuiltins(files)
  spawnSync('git', ['init', '-q'], { cwd: directory })
  const listed = spawnSync('git', ['ls-files', '-oc', '--exclude-standard'], { cwd: directory, encoding: 'utf8' }).stdout
  const visible = lines(listed.trim()).filter((path) => !/(^|\/)\./.test(path))
  t.strictSame(lines((await call('glob', { pattern: '**' })).value).sort(), visible.sort())
})

t.test('glob', async (t) => {
  const cases: readonly [string, string[], string[]][] = [
    ['*.ts', ['a.ts', 'd/b.ts', 'x.ts'], ['a.tsx', 'a.ts/x', '.a.ts', 'd/.b.ts', '.d/b.ts']],
    ['src/*.ts', ['src/a.ts'], ['a.ts', 'src/d/a.ts', 'x/src/a.ts']],
    ['/src/a', ['src/a'], ['a', 'x/src/a']],
    ['./src/a', ['src/a'], []],
    ['src/**', ['src/a', 'src/b/c'], ['src', 'a/src/b', 'src/.b', 'src/.c/d']],
    ['src/**/a', ['src/a', 'src/b/a', 'src/b/c/a'], ['a', 'src/ba', 'src/.b/a']],
    ['**/a/**/b', ['a/b', 'x/a/y/z/b'], ['a', 'b/a']],
    ['**', ['a', 'a/b'], ['.a', 'a/.b']],
    ['a?c', ['abc', 'd/aéc'], ['ac', 'a/c', 'abbc']],
    ['a[bc]d', ['abd', 'acd'], ['aed', 'a[bc]d']],
    ['a[!b]d', ['acd'], ['abd', 'a/d']],
    ['a[^b-d]', ['ae'], ['ab', 'ac', 'ad']],
    ['[]a]', [']', 'a'], ['b']],
    ['[a-', [], []],
    ['a{b,c/d,}e', ['abe', 'ac/de', 'ae'], ['ade', 'x/abe']],
    ['{a,{b,c}}d', ['ad', 'bd', 'cd'], ['d']],
    ['a\\*b', ['a*b'], ['aab']],
    ['a\\{b', ['a{b'], ['ab']],
    ['a.b+c(d)$', ['a.b+c(d)$'], ['aab+c(d)$']],
    ['.*', ['.a', 'd/.b'], ['a']],
    ['{.a,b}/*', ['.a/x', 'b/x'], ['.a/.x']],
    ['d/*b*', ['d/b', 'd/abc', 'd/a\nb'], ['d/.b']],
    ['a,b', ['a,b'], ['a']],
    ['a}', ['a}'], []],
    ['***/a', ['x/a'], ['x/y/a']],
  ]
  for (const [pattern, yes, no] of cases) {
    const read = await readGlob(pattern)
    if (pattern === '[a-') {
      t.match(read, { ok: false, error: { detail: /not closed/ } })
      continue
    }
    if (!read.ok) throw new Error(read.error.detail)
    t.strictSame(
      yes.filter((path) => !read.value.fits(path)),
      [],
      `${pattern} fits`,
    )
    t.strictSame(
      no.filter((path) => read.value.fits(path)),
      [],
      `${pattern} does not fit`,
    )
  }
  const { code } = makeBuiltins({ f: '' })
  for (const pattern of ['', '{a', 'x'.repeat(1001), '[z-a]'])
    t.equal(await code('glob', { pattern }), 'input_type_mismatch', pattern.slice(0, 9))
  t.equal(await code('glob', { pattern: '*', path: 'f' }), 'no_such_file')
})

// A matcher that backtracks takes time exponential in the length of the name, and quadratic or worse in that of the line.
t.test('patterns take linear time', async (t) => {
  const [small, large] = [20_000, 80_000]
  const { directory, call } = makeBuiltins({
    ['a'.repeat(200)]: '',
    [`line${small}`]: `${'a'.repeat(small)}b\n`,
    [`line${large}`]: `${'a'.repeat(large)}b\n`,
  })
  mkdirSync(join(directory, 'd'))
  for (const pattern of ['*a*a*a*a*a*a*a*a*b', `${'*a'.repeat(400)}b`, `${'{a,aa}'.repeat(60)}b`, `${'**/'.repeat(100)}b`]) {
    t.equal((await call('glob', { pattern })).value, '')
  }
  const ratio = await growth(small, large, async (size) => {
    for (const pattern of ['(a|a)*$', '(a*)*c', '(a+a+)+c', '(.*)(.*)(.*)(.*)[^ab]'])
      t.equal((await call('grep', { pattern, path: `line${size}` })).error, undefined)
  })
  t.ok(ratio < 10, `${ratio.toFixed(1)} times the time for 4 times the text`)
})

t.test('import_image', async (t) => {
  const { directory, call, code } = makeBuiltins()
  const images: readonly [string, Buffer][] = [
    ['image/png', Buffer.from('\x89PNG\r\n\x1a\nrest', 'latin1')],
    ['image/jpeg', Buffer.from([0xff, 0xd8, 0xff, 0xe0])],
    ['image/gif', Buffer.from('GIF89a...')],
    ['image/gif', Buffer.from('GIF87a...')],
    ['image/webp', Buffer.from('RIFF....WEBPVP8 ')],
  ]
  for (const [media_type, bytes] of images) {
    writeFileSync(join(directory, 'x.txt'), bytes)
    t.strictSame((await call('import_image', { path: 'x.txt' })).value, { type: 'image', media_type, data: bytes.toString('base64') })
  }
  for (const text of ['', 'GIF', 'RIFF....WAVE', '<svg/>', 'BM....', '\x89PNG\n']) {
    writeFileSync(join(directory, 'x.png'), text)
    t.equal(await code('import_image', { path: 'x.png' }), 'input_type_mismatch', text)
  }
  writeFileSync(join(directory, 'big.gif'), Buffer.concat([Buffer.from('GIF89a'), Buffer.alloc(4_000_000)]))
  t.match((await call('import_image', { path: 'big.gif' })).error, { error: 'input_type_mismatch', detail: /make it smaller/ })
})
