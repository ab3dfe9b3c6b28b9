// The tree-sitter grammar and the parser say the same of a text: that it can be read, or that it cannot.

import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { parse } from '../packages/lang/src/parse/parser.js'
import { arbitraryMistakeIn } from '../packages/lang/test/arbitrary-mistake.js'
import { arbitraryProgram } from '../packages/lang/test/arbitrary-program.js'
import { scaled } from '../packages/wire/test/patience.js'

// Tests run in the root.
const GRAMMAR = 'scripts/editors/tree-sitter'
const SEED = Number(process.env.PLUMB_SEED ?? (Math.random() * 2 ** 31) | 0)
const PROGRAMS = 2000
const MISTAKES = 500

const python = join(process.env.PLUMB_OTHERS ?? '', 'tree-sitter/bin/python')
const skip = existsSync(python)
  ? spawnSync('cc', ['--version']).error
    ? 'no compiler of C is installed'
    : false
  : 'tree-sitter is not here'

const directory = mkdtempSync(join(tmpdir(), 'plumb-tree-sitter-'))
t.teardown(() => rmSync(directory, { recursive: true, force: true }))

const filesUnder = (path: string): string[] =>
  readdirSync(path, { withFileTypes: true }).flatMap((entry) => {
    if (['node_modules', 'dist'].includes(entry.name)) return []
    return entry.isDirectory() ? filesUnder(join(path, entry.name)) : [join(path, entry.name)]
  })

const caseFiles = ['test/cases', 'test/long-cases'].flatMap((directory) => readdirSync(directory).map((name) => join(directory, name)))
const inCases = caseFiles.flatMap((file) =>
  [...readFileSync(file, 'utf8').matchAll(/^-- \S+\.plumb --\n([\s\S]*?)(?=^-- |$(?![\s\S]))/gm)].map(([, text = '']) => text),
)
const specs = [
  ...['packages', 'scripts', 'test']
    .flatMap((directory) => filesUnder(directory).filter((file) => file.endsWith('.plumb')))
    .map((file) => readFileSync(file, 'utf8')),
  ...inCases,
]

/** What our parser says that no grammar can, or need: limits, options given twice, reasons that are blank, words as names. */
const BEYOND_GRAMMAR =
  /^nested more than|operators in a row$|once( each)?; found|says why|is a reserved word|is a word of|stands in white space/

/** Ours: the first thing that is wrong with a text as such. */
const parsed = (text: string): string | undefined => {
  const wrong: string[] = []
  parse({ path: 'a.plumb', text }, ({ code, message }) => {
    if (code === 'syntax_error' && !BEYOND_GRAMMAR.test(message)) wrong.push(message)
  })
  return wrong[0]
}

/** True, or where it is wrong. */
const treeSitter = (texts: readonly string[], queries: readonly string[] = []): readonly (true | string)[] => {
  const library = join(directory, 'plumb.so')
  if (!existsSync(library)) {
    const sources = ['parser.c', 'scanner.c'].map((file) => `${GRAMMAR}/src/${file}`)
    const built = spawnSync('cc', ['-shared', '-fPIC', '-O1', '-Wall', '-Werror', `-I${GRAMMAR}/src`, '-o', library, ...sources], {
      encoding: 'utf8',
    })
    if (built.status !== 0) throw new Error(built.stderr)
  }
  const input = texts.map((text) => `${JSON.stringify(text)}\n`).join('')
  const { stdout, stderr } = spawnSync(python, ['test/tree-sitter.py', library, ...queries], {
    input,
    encoding: 'utf8',
    timeout: scaled(120_000),
  })
  if (stderr !== '') throw new Error(stderr)
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

/** Texts of which the two say something else. */
const differing = (texts: readonly string[]): readonly string[] => {
  const verdicts = treeSitter(texts)
  return texts.flatMap((text, i) => {
    const ours = parsed(text)
    if ((ours === undefined) === (verdicts[i] === true)) return []
    const row = typeof verdicts[i] === 'string' ? Number.parseInt(String(verdicts[i]), 10) : 1
    const near = text
      .split('\n')
      .slice(Math.max(0, row - 8), row + 4)
      .join('\n')
    return [`ours: ${ours ?? 'right'}; tree-sitter: ${verdicts[i]}; ${JSON.stringify(near)}`]
  })
}

t.test('every spec of the repository', { skip }, async (t) => {
  t.ok(specs.length > 100, `${specs.length} specs`)
  t.strictSame(differing(specs), [])
})

t.test('queries fit the grammar, and find something', { skip }, async (t) => {
  const text = `type A = { n: int }
(* what it does *)
let f : !A -> !A = plumb(a, b) {
  let c : !A = channel
  a ; map([x for x in [n]]) ; (id * id) ; b
}`
  const queries = readdirSync(`${GRAMMAR}/queries`).map((name) => `${GRAMMAR}/queries/${name}`)
  t.ok(queries.length >= 4)
  t.strictSame(treeSitter([text], queries), [true])
})

t.test(`${PROGRAMS} random programs (seed ${SEED})`, { skip }, async (t) => {
  t.strictSame(differing(fc.sample(arbitraryProgram({ isFile: true }), { numRuns: PROGRAMS, seed: SEED })).slice(0, 3), [])
})

t.test(`${MISTAKES} programs with a mistake (seed ${SEED})`, { skip }, async (t) => {
  const right = specs.filter((text) => parsed(text) === undefined)
  const wrong = fc
    .sample(arbitraryMistakeIn(right), { numRuns: 4 * MISTAKES, seed: SEED })
    .map(({ text }) => text)
    .filter((text) => parsed(text) !== undefined)
    .slice(0, MISTAKES)
  t.equal(wrong.length, MISTAKES)
  const other = differing(wrong)
  for (const one of other.slice(0, 3)) t.comment(one)
  t.ok(other.length <= MISTAKES / 50, `${other.length} of ${MISTAKES} have another verdict`)
})
