// plumb types: what is written in each language, and that compilers take it.

import { spawnSync } from 'node:child_process'
import { cpSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { makeTestDirectory, TEST_PATH } from '../../wire/test/shell.js'

const ROOT = process.cwd()

const SPEC = `use "./other.plumb"
type Level = "low" | "high"
type Ticket = { @description "The number */ of it" id: int, text: untrusted string, level?: Level, tags: [string] = [] }
type Odd = { class: string, "odd name"?: { a: int }, __x: (int, string | unit) }
type Tree = string | [Tree]
type Map = { [string]: Map }
type Open = { id: int, b?: secret string, ... }
type any = { next?: any, level: Level, o: Odd, m: Map, e: {}, all: { ... }, f?: Failure }
type Client = number
type Promise = bool
type list = [list]
let delete : !Other.Mail -> !Other.Deep = map({ mail: value, n: 1 })
@description "Sorts a ticket"
let main : !Ticket -> !{ ticket: Ticket, tree: Tree, x: [any | Level], c: Client, p: Promise, l: list, o: Open, mail: Other.Mail } = map(fail("x"))
`
const OTHER = 'type Mail = { to: string, of: Level }\ntype Level = int\ntype Deep = { mail: Mail, n: int }\n'

const plumb = (cwd: string, ...args: string[]) => {
  const { status, stdout, stderr } = spawnSync('plumb', args, { cwd, encoding: 'utf8', env: { ...process.env, PATH: TEST_PATH } })
  return { status, stdout, stderr }
}

t.test('what is written', async (t) => {
  const at = makeTestDirectory({
    's.plumb': SPEC,
    'other.plumb': OTHER,
    'deep/s.plumb': SPEC,
    'deep/other.plumb': OTHER,
    'bad.plumb': 'let x',
  })
  for (const to of ['typescript', 'python', 'json-schema']) {
    const written = plumb(at, 'types', '--to', to, 's.plumb')
    t.match(written, { status: 0, stderr: '' }, to)
    t.equal(plumb(at, 'types', '--to', to, 'deep/s.plumb').stdout, written.stdout, `${to}: the same wherever it lies`)
  }
  const { stdout: typescript } = plumb(at, 'types', 's.plumb')
  for (const piece of [
    '  /** The number * / of it */\n  id: number\n  text: $Untrusted<string>\n  level?: Level\n  tags?: string[]\n',
    '  "odd name"?: {\n    a: number\n  }\n  __x: [number, string | null]\n',
    'export type Tree = string | Tree[]\n',
    'export type any_ = {\n',
    'export type Client_ = number\n',
    'export type Other_Mail = {\n  to: string\n  of: Other_Level\n}\n',
    '  b?: $Secret<string>\n  [key: string]: unknown\n',
    '  /** Sorts a ticket */\n  main: $Method<Ticket, {\n',
  ])
    t.ok(typescript.includes(piece), piece)
  t.notMatch(typescript, /Other_Deep/, 'of a module, what is used alone')
  const { $defs, 'x-plumb-bindings': bindings } = JSON.parse(plumb(at, 'types', '--to', 'json-schema', 's.plumb').stdout)
  t.match($defs.Ticket.properties.text, { type: 'string', 'x-plumb-label': 'untrusted' })
  t.match($defs.Tree, { anyOf: [{ type: 'string' }, { items: { $ref: '#/$defs/Tree' } }] })
  t.match(bindings, { main: { input: { $ref: '#/$defs/Ticket' }, answers: 'one', keeps: false }, delete: { answers: 'one' } })
  t.match(plumb(at, 'types', 'bad.plumb'), { status: 2, stdout: '' })
  t.match(plumb(at, 'types', '--to', 'cobol', 's.plumb'), { status: 2, stdout: '', stderr: /typescript, python/ })
  t.match(plumb(at, 'types', '-e', 'type A = int'), { status: 0, stdout: /export type A = number/ })
  t.match(plumb(at, 'types', '-e', 'let f : int -> int = id'), { status: 0, stdout: /export \{\}/ })
})

t.test('the compiler of TypeScript takes it', async (t) => {
  const at = makeTestDirectory({
    's.plumb': SPEC.replace('main', 'other').replace('delete', 'main'),
    'other.plumb': OTHER,
    't.plumb': SPEC,
  })
  const library = join(at, 'node_modules/@plumb-lang/client')
  cpSync(join(ROOT, 'packages/client/src'), join(library, 'src'), { recursive: true })
  writeFileSync(join(library, 'package.json'), '{"type":"module","exports":"./src/index.ts"}')
  symlinkSync(join(ROOT, 'node_modules/@types'), join(at, 'node_modules/@types'))
  writeFileSync(join(at, 'package.json'), '{"type":"module"}')
  for (const name of ['s', 't']) t.match(plumb(at, 'types', '-o', `${name}.ts`, `${name}.plumb`), { status: 0 })
  writeFileSync(
    join(at, 'use.ts'),
    `import { open, reveal, untrusted } from '@plumb-lang/client'
import { client, type Ticket } from './t.js'
const c = client(await open({ spec: 't.plumb' }))
const ticket: Ticket = { id: 1, text: untrusted('x') }
const got = await c.main(ticket)
export const text: string = reveal(got.ticket.text)
// @ts-expect-error: what is untrusted is no string
export const bare: string = got.ticket.text
// @ts-expect-error: nor is a string untrusted
await c.main({ id: 1, text: 'x' })
// @ts-expect-error: a record has no other fields
await c.main({ id: 1, text: untrusted('x'), more: 1 })
for await (const { seq, value, error } of c.main.stream([ticket])) console.log(seq, value?.ticket.id, error?.category)
`,
  )
  // As tsc --init has them, but for what the sources of the library themselves are not held to.
  const options = ['--strict', '--noUncheckedIndexedAccess', '--exactOptionalPropertyTypes', '--verbatimModuleSyntax', '--isolatedModules']
  const how = ['--module', 'nodenext', '--target', 'es2022', '--noEmit', '--skipLibCheck', '--allowImportingTsExtensions']
  const { status, stdout } = spawnSync(join(ROOT, 'node_modules/.bin/tsc'), [...options, ...how, 's.ts', 't.ts', 'use.ts'], {
    cwd: at,
    encoding: 'utf8',
  })
  t.strictSame([status, stdout], [0, ''])
})
