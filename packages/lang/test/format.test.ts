// The one layout: what it looks like, and that it keeps program and comments whatever they are.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { holds, runs } from '../../wire/test/property.js'
import type { Diagnostic } from '../src/diagnostic/diagnostic.js'
import { format } from '../src/format/format.js'
import { parse } from '../src/parse/parser.js'
import { arbitraryProgram } from './arbitrary-program.js'

const tidy = (text: string): string => {
  const formatted = format({ path: 'test.plumb', text })
  if (!formatted.ok) throw new Error(`${formatted.diagnostics[0]?.message} in\n${text}`)
  return formatted.text
}

/** The tree without places, and the comments without what stands at the ends of their lines. */
const meaning = (text: string) => {
  const diagnostics: Diagnostic[] = []
  const { comments, ...tree } = parse({ path: 'test.plumb', text }, (d) => diagnostics.push(d))
  const lines = (comment: string) => comment.split('\n').map((line) => line.trim())
  return { diagnostics, tree: withoutSpans(tree), comments: comments.map((c) => lines(c.text)) }
}

const withoutSpans = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutSpans)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).flatMap(([key, part]) => (key === 'span' ? [] : [[key, withoutSpans(part)]])))
}

type Layout = readonly [written: string, laidOut: string]

/** What cannot be seen in a file. */
const INVISIBLE: readonly Layout[] = [
  ['', ''],
  [' \n\n', ''],
  ['use  fs\tuse "./x.plumb"as X', 'use fs\nuse "./x.plumb" as X\n'],
  ['\uFEFFtype A = int\r\n\r\n\r\ntype B = int\r\n', 'type A = int\n\ntype B = int\n'],
  ['#! plumb -r \r\ntype A = int', '#! plumb -r \ntype A = int\n'],
  ['\uFEFF#!x\n\n\n(* c *)', '#!x\n\n(* c *)\n'],
  ['\t(* two\r\n\t   lines *)\ntype A=int', '(* two\n   lines *)\ntype A = int\n'],
  ['let f=map("""\r\n  a\r\n    b\r\n""")', 'let f = map("""\n  a\n    b\n""")\n'],
  ['let f=map(("""\n"""))', 'let f = map("""\n\n""")\n'],
  ['let f=map((("""\n a\n  """)))', 'let f = map("""\n  a\n""")\n'],
  ['let f=map(({\na}))', 'let f = map({\n  a\n})\n'],
  ['let f=map(("""\n""" (* why *) ))', 'let f = map(\n  (\n    """\n\n    """ (* why *)\n  )\n)\n'],
  ['let f=map("""\n  \n"""(* why\n*))', 'let f = map(\n  "  " (* why\n*)\n)\n'],
  ['let f=map("""a\r\r\n""")', 'let f = map("""\n  a\\r\n""")\n'],
]

/** Groups `==== title` of cases between `----`: what is written, `=>`, how it is laid out; without the arrow it is tidy. */
const layouts = (file: string): { title: string; cases: Layout[] }[] =>
  readFileSync(file, 'utf8')
    .split(/^==== /m)
    .slice(1)
    .map((group) => {
      const [title = ''] = group.split('\n', 1)
      const cases = group.slice(title.length + 1).split(/^----\n/m)
      return { title, cases: cases.map((text): Layout => [text.split(/^=>\n/m)[0] ?? '', text.split(/^=>\n/m).at(-1) ?? '']) }
    })

for (const { title, cases } of [
  { title: 'line ends, tabs, marks', cases: INVISIBLE },
  ...layouts('packages/lang/test/fixtures/layouts.txt'),
]) {
  t.test(title, async (t) => {
    for (const [written, laidOut] of cases) {
      t.equal(tidy(written), laidOut, JSON.stringify(written))
      t.equal(tidy(laidOut), laidOut, `${JSON.stringify(laidOut)} stays`)
      t.strictSame(meaning(laidOut), meaning(written), `${JSON.stringify(laidOut)} means the same`)
    }
  })
}

t.test('a text with syntax errors has no layout', async (t) => {
  for (const text of ['let', 'type A = (', '(* open', 'let a = "open', 'let a = b\n?']) {
    const formatted = format({ path: 'test.plumb', text })
    const found = formatted.ok ? [] : formatted.diagnostics
    t.ok(found.length > 0, text)
    t.strictSame(found, meaning(text).diagnostics, text)
  }
})

t.test('any program keeps its tree and its comments in their order, and has one layout', async (t) => {
  const lawful = fc.property(arbitraryProgram({ isFile: true }), (written) => {
    const before = meaning(written)
    if (before.diagnostics.length > 0) throw new Error(`not a program: ${before.diagnostics[0]?.message}`)
    const laidOut = tidy(written)
    if (JSON.stringify(meaning(laidOut)) !== JSON.stringify(before)) throw new Error(`changed to\n${laidOut}`)
    const again = tidy(laidOut)
    if (again !== laidOut) throw new Error(`laid out as\n${laidOut}\nand then as\n${again}`)
    if (/\r\n|^\uFEFF|^\n/.test(laidOut)) throw new Error(`foreign line ends in\n${laidOut}`)
  })
  await holds(t, lawful, { numRuns: runs(1000) })
})

t.test('every program of the repository keeps its meaning', async (t) => {
  const programs = programsUnder('.').filter(({ text }) => meaning(text).diagnostics.length === 0)
  t.ok(programs.length > 0)
  for (const { name, text } of programs) {
    t.strictSame(meaning(tidy(text)), meaning(text), name)
    t.equal(tidy(tidy(text)), tidy(text), name)
  }
})

/** Files, and those that cases lay. */
const programsUnder = (directory: string): { name: string; text: string }[] =>
  readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name)
    if (entry.isDirectory()) return ['node_modules', 'dist', '.git'].includes(entry.name) ? [] : programsUnder(path)
    if (entry.name.endsWith('.plumb')) return [{ name: path, text: readFileSync(path, 'utf8') }]
    if (!entry.name.endsWith('.case')) return []
    const parts = readFileSync(path, 'utf8').split(/^-- (\S+) --[ \t]*\n/m)
    return parts.flatMap((name, i) =>
      i % 2 === 1 && name.endsWith('.plumb') ? [{ name: `${path}: ${name}`, text: parts[i + 1] ?? '' }] : [],
    )
  })
