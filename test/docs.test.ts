// README and the manual pages say what is so: every example does what it shows.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { findBrokenCitations, readComments, readHeadings } from './citations.js'
import { isShown, runExamples } from './example.js'
import { documentedCommands, documentedOptions, exitStatuses, manExamples, misplaced } from './man-page.js'
import { readMarkdown } from './readme.js'

const pages = readdirSync('man').filter((file) => /\.[1-8]$/.test(file))
const filesUnder = (directory: string): string[] =>
  readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    if (['node_modules', 'dist'].includes(entry.name)) return []
    return entry.isDirectory() ? filesUnder(`${directory}/${entry.name}`) : [`${directory}/${entry.name}`]
  })

const documents = [...readdirSync('.'), ...filesUnder('doc'), ...filesUnder('.github')].filter((file) => file.endsWith('.md'))

t.test('README does what it shows', async (t) => {
  const examples = readMarkdown(readFileSync('README.md', 'utf8'))
  t.ok(
    examples.some(({ kind }) => kind === 'run'),
    'something is run',
  )
  t.strictSame(await runExamples(examples), [])
})

t.test('the first spec of README is that of the example', (t) => {
  const [, shown = ''] = /^```plumb\n([\s\S]*?)^```$/m.exec(readFileSync('README.md', 'utf8')) ?? []
  t.ok(shown.includes('let main'))
  t.ok(readFileSync('packages/plumb/examples/desk/desk.plumb', 'utf8').includes(`\n${shown}`))
  t.end()
})

t.test('the README of the examples, too', async (t) => {
  t.strictSame(await runExamples(readMarkdown(readFileSync('packages/plumb/examples/README.md', 'utf8'))), [])
})

t.test('what is to be installed has the version of this tree', async (t) => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
  for (const file of ['README.md', 'scripts/editors/vscode/README.md']) {
    const named = [...readFileSync(file, 'utf8').matchAll(/\bplumb[a-z-]*-(\d+\.\d+\.\d+)\.(?:tgz|tar\.gz|vsix)/g)].map(
      ([, found]) => found,
    )
    t.strictSame([...new Set(named)], [version], file)
  }
})

t.test('manual pages do what they show', async (t) => {
  // Many examples wait, for a time limit or a model; each page has a directory of its own.
  const rest = [...pages]
  const work = async (): Promise<void> => {
    for (let file = rest.shift(); file; file = rest.shift())
      t.strictSame(await runExamples(manExamples(readFileSync(`man/${file}`, 'utf8'))), [], file)
  }
  await Promise.all(Array.from({ length: availableParallelism() + 2 }, work))
})

t.test('manual pages have their sections in order', async (t) => {
  for (const file of pages) t.strictSame(misplaced(readFileSync(`man/${file}`, 'utf8')), [], file)
})

t.test('what is cited is there: pages, and their sections', async (t) => {
  const headings = new Map(
    pages.map((file) => [file.replace(/\.(\d)$/, '($1)'), readHeadings(readFileSync(`man/${file}`, 'utf8'))] as const),
  )
  const programs = ['packages', 'test', 'scripts']
    .flatMap((directory) => filesUnder(directory))
    .filter((file) => /\.(ts|mjs|cjs)$/.test(file))
  const texts = [
    ...documents.map((file) => [file, readFileSync(file, 'utf8')] as const),
    ...programs.map((file) => [file, readComments(readFileSync(file, 'utf8'))] as const),
  ]
  t.strictSame(
    texts.flatMap(([file, text]) => findBrokenCitations(text, headings).map((citation) => `${file}: ${citation}`)),
    [],
  )
  const referred = pages.flatMap((file) =>
    [
      ...readFileSync(`man/${file}`, 'utf8')
        .replaceAll('\\-', '-')
        .matchAll(/\bXr (plumb[a-z-]*) (\d)|\b(plumb[a-z-]*)\((\d)\)/g),
    ].map(([, marked, section, name = marked, number = section]) => [file, `${name}(${number})`] as const),
  )
  t.ok(referred.length > 50)
  t.strictSame(
    referred.filter(([, page]) => !headings.has(page)),
    [],
    'See also',
  )
  const wrong = 'by plumb-tools(9), plumb-wire(5), Lines and plumb-wire(5), Nothing; plumb-wire(5), as wire.md'
  t.strictSame(findBrokenCitations(wrong, headings), ['wire.md', 'plumb-tools(9)', 'plumb-wire(5), Nothing'])
})

t.test('what documents name is there: files of ours, and what they link to', async (t) => {
  const named = documents.flatMap((file) => {
    const text = readFileSync(file, 'utf8')
    const paths = [...text.matchAll(/`((?:packages|test|scripts|man|doc)\/[\w./-]+)`/g)].map(([, path = '']) => path)
    const ours = paths.filter((path) => !/[A-Z]{2}|\/dist\b/.test(path))
    const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, path = '']) => join(file, '..', path))
    return [...ours, ...links].map((path) => [file, path] as const)
  })
  t.ok(named.length > 60)
  t.strictSame(
    named.filter(([, path]) => !existsSync(path)),
    [],
  )
})

t.test('examples of Markdown', async (t) => {
  const fence = '```'
  const text = `${fence}plumb a/b.plumb\nmain = id\n${fence}\n\n${fence}sh\ncat a/b.plumb; echo two >&2\n${fence}\n${fence}text\nmain …\ntwo\n${fence}\n`
  t.match(readMarkdown(text), [
    { kind: 'file', line: 1, name: 'a/b.plumb', text: 'main = id\n' },
    { kind: 'run', line: 5, output: 'main …\ntwo\n' },
  ])
  t.strictSame(await runExamples(readMarkdown(text)), [])
  t.match(await runExamples(readMarkdown(text.replace('\ntwo\n', '\nthree\n'))), [
    /^line 5: cat .*\nprints\nmain = id\ntwo\n\nnot\nmain …\nthree\n$/s,
  ])
  t.match(await runExamples(readMarkdown(`${fence}sh\nfalse\n${fence}\n`)), [/^line 1: false\nends with status 1/])
  t.match(await runExamples(readMarkdown(`${fence}sh no-run\nfalse\n${fence}\n`)), ["line 1: 'sh no-run' needs a reason"])
  t.strictSame(readMarkdown(`${fence}sh no-run takes an hour\nfalse\n${fence}\n`), [])
  t.match(readMarkdown(`${fence}console\n$ cat <<END\n> a\n> END\na\n$ true\n${fence}\n`), [
    { kind: 'run', line: 1, script: 'cat <<END\na\nEND\n', output: 'a\n' },
    { kind: 'run', script: 'true\n' },
  ])
  t.strictSame(readMarkdown(`${fence}text\nprose\n${fence}\n`), [])
})

t.test('what is shown', async (t) => {
  t.ok(isShown('a\n…\nd', 'a\nb\nc\nd\n'))
  t.ok(isShown('a\n...\nd\n', 'a\nd\n'))
  t.notOk(isShown('a\n…\nd', 'a\nb\n'))
  t.ok(isShown('v…, (1)', 'v1.2, (1)'))
  t.notOk(isShown('a.c', 'abc'))
})

t.test('manual pages', async (t) => {
  const page = `.Dd January 1, 2026
.Dt X 1
.Os
.Sh NAME
.Nm x
.Nd does it
.Sh SYNOPSIS
.Nm
.Op Fl q
.Sh DESCRIPTION
.Bl -tag -width Ds
.It Fl R , Fl -raw-input
Lines.
.It Fl e Ar text , Fl Fl eval Ns = Ns Ar text
.It Fl h , -help
.It Cm check
.El
.Sh EXIT STATUS
.Bl -tag
.It 0
.It Li 1
.El
.Sh EXAMPLES
.\\" file in.txt
.Bd -literal
\\&.a\\e
.Ed
.\\" run
.Bd -literal -offset indent
$ cat in.txt |
>   cat
\\&.a\\e
$ true
.Ed
.\\" no-run needs a network
.Bd -literal
$ false
.Ed
.Sh SEE ALSO
.Xr y 1
`
  t.strictSame(misplaced(page), [])
  t.strictSame(misplaced(page.replace('.Sh SEE ALSO', '.Sh FILES')), ['section FILES comes too late'])
  t.strictSame(misplaced(page.replace('.Os\n', '').replace('.Sh DESCRIPTION', '.Sh TEXT')), [
    '.Os is missing',
    'section DESCRIPTION is missing',
  ])
  t.strictSame([...documentedOptions(page)], ['-R', '--raw-input', '-e', '--eval', '-h', '--help'])
  t.strictSame([...documentedCommands(page)], ['check'])
  t.strictSame(exitStatuses(page), ['0', '1'])
  t.match(manExamples(page), [
    { kind: 'file', name: 'in.txt', text: '.a\\\n' },
    { kind: 'run', script: 'cat in.txt |\n  cat\n', output: '.a\\\n' },
    { kind: 'run', script: 'true\n' },
  ])
  t.strictSame(await runExamples(manExamples(page)), [])
  t.match(await runExamples(manExamples(page.replace('.\\" run\n', ''))), [/^line \d+: a literal block of EXAMPLES needs a comment/])
})
