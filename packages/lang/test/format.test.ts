// The one layout: what it looks like, and that it keeps program and comments whatever they are.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import type { Diagnostic } from '../src/diagnostic.js'
import { format } from '../src/format/format.js'
import { parse } from '../src/parser.js'
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

const long = (count: number, separator: string) => Array.from({ length: count }, (_, i) => `a_name_of_some_length_${i}`).join(separator)

const lines = (...texts: string[]) => texts.map((text) => `${text}\n`).join('')

/** What is written and how it is laid out; a text alone is tidy. */
const LAYOUTS: Readonly<Record<string, readonly (string | readonly [written: string, laidOut: string])[]>> = {
  spaces: [
    ['use  fs\tuse "./x.plumb"as X', lines('use fs', 'use "./x.plumb" as X')],
    ['type   A=B . C|"x"', lines('type A = B.C | "x"')],
    ['let f:(!A,!json)→()=id;(a@x*b . c+d)', lines('let f : (!A, !json) -> () = id ; (a@x * b.c + d)')],
    ['let f:(!A)->!(B|C)=project( 1 ).x', lines('let f : !A -> !(B | C) = project(1).x')],
    ['let e={}let f={a:[],b:-5,"c d":x . y,}', lines('let e = {}', 'let f = { a: [], b: -5, "c d": x.y }')],
    ['@tool@description "x"let f:int->int=map(- a[ 0 ].b)', lines('@tool', '@description "x"', 'let f : int -> int = map(-a[0].b)')],
    ['type R={@min 1@max 2 a ? : int=1,b:(A,[B])}', lines('type R = { @min 1 @max 2 a?: int = 1, b: (A, [B]) }')],
    ['let f=map({...r,a,b:f(x,y)})', lines('let f = map({ ...r, a, b: f(x, y) })')],
    ['let f=map(if not a and!b||c then- 1else x??y=2)', lines('let f = map(if not a and !b || c then -1 else x ?? y = 2)')],
    ['let f=trace(a;b,max:3,until:value>1)', lines('let f = trace(a ; b, max: 3, until: value > 1)')],
    ['let f=map("\\u00e9\\/"+1.50E+3)', lines('let f = map("\\u00e9\\/" + 1.50E+3)')],
  ],
  'bodies and line ends': [
    [
      'let f:!A->!B=plumb(a,b){let c:!int=channel\nspawn M.p(x=c,  y)\n\n\n\na;f\n  ;b\n\n}',
      lines('let f : !A -> !B = plumb(a, b) {', '  let c : !int = channel', '  spawn M.p(x=c, y)', '', '  a ; f ; b', '}'),
    ],
    ['\n\n\ntype A = int\ntype B = int\n\n\n\ntype C = int\n\n\n', lines('type A = int', 'type B = int', '', 'type C = int')],
    ['let f = plumb(a) { }', lines('let f = plumb(a) {}')],
    ['', ''],
    [' \n\n', ''],
    ['\uFEFFtype A = int\r\n\r\n\r\ntype B = int\r\n', lines('type A = int', '', 'type B = int')],
    ['#! plumb -r \r\ntype A = int', lines('#! plumb -r ', 'type A = int')],
    ['\uFEFF#!x\n\n\n(* c *)', lines('#!x', '', '(* c *)')],
    ['#!x', lines('#!x')],
  ],
  'several lines': [
    ['type R = {\na: int, b: int\n\n\n, c: int }', lines('type R = {', '  a: int,', '  b: int,', '', '  c: int', '}')],
    ['type R = { a: int,\n b: int }', lines('type R = { a: int, b: int }')],
    ['let c = { a: 1,\n b: 2, c: [\n1, 2] }', lines('let c = {', '  a: 1', '  b: 2', '  c: [', '    1,', '    2', '  ]', '}')],
    [
      `let c = { a: ${long(3, ' b: ').replaceAll(' b:', ', b:')}, "c": [1] }`,
      lines(
        'let c = {',
        ...long(3, '|')
          .split('|')
          .map((n, i) => `  ${'abb'[i]}: ${n}`),
        '  "c": [1]',
        '}',
      ),
    ],
    [`type A = ${long(5, '|')}`, lines('type A =', `  ${long(5, '\n  | ')}`)],
    [`type A = { a: ${long(5, '|')} }`, lines('type A = {', `  a: ${long(5, '\n    | ')}`, '}')],
    [`let f : !{ a: ${long(4, ', b: ')} } -> !B = id`, lines('let f : !{', `  a: ${long(4, ',\n  b: ')}`, '} -> !B = id')],
    [`let f = ${long(4, ';')}`, lines('let f =', `  ${long(4, ' ; ')}`)],
    [`let f = ${long(5, ';')}`, lines('let f =', `  ${long(5, '\n  ; ')}`)],
    [`let f = plumb(a, b) { ${long(5, ';')} }`, lines('let f = plumb(a, b) {', `  ${long(5, '\n    ; ')}`, '}')],
    [`let f = plumb(a, b) { a ; ${long(5, '*')} }`, lines('let f = plumb(a, b) {', '  a', `    ; ${long(5, '\n      * ')}`, '}')],
    [
      `let f = plumb(a, b) { a ; (${long(5, '*')}) }`,
      lines('let f = plumb(a, b) {', '  a', '    ; (', `      ${long(5, '\n      * ')}`, '    )', '}'),
    ],
    [`let f = map({ a: ${long(5, ', b: ')} })`, lines('let f = map({', `  a: ${long(5, ',\n  b: ')}`, '})')],
    [`let f = map(g(${long(5, ',')}))`, lines('let f = map(', '  g(', `    ${long(5, ',\n    ')}`, '  )', ')')],
    [`let f = filter(${long(5, ' and ')})`, lines('let f = filter(', `  ${long(5, '\n  and ')}`, ')')],
    [`let f = map({ a: ${long(5, ' + ')} })`, lines('let f = map({', `  a: ${long(5, '\n    + ')}`, '})')],
    [`let f = map(${long(5, ' ?? ')})`, lines('let f = map(', `  ${long(5, '\n  ?? ')}`, ')')],
    [
      `let f = map(if ${long(1, '')} then ${long(1, '')} else if b then ${long(2, '+')} else c)`,
      lines('let f = map(', `  if ${long(1, '')} then ${long(1, '')}`, `  else if b then ${long(2, ' + ')}`, '  else c', ')'),
    ],
    [
      `type R = { @description "${'x'.repeat(80)}" @min 1 a: int }`,
      lines('type R = {', `  @description "${'x'.repeat(80)}" @min 1 a: int`, '}'),
    ],
    ['type R = { @min 1\n@max 2 a: int }', lines('type R = {', '  @min 1', '  @max 2', '  a: int', '}')],
  ],
  'parentheses: those of an operand stay, others go': [
    ['let f=((a));((b*c));(d;(e)).x', lines('let f = a ; (b * c) ; (d ; e).x')],
    ['let f=((a;b));c', lines('let f = (a ; b) ; c')],
    ['let f=(a;b)', lines('let f = a ; b')],
    ['let f=(a).b@c;(a).b;(a@b).c', lines('let f = a.b@c ; a.b ; a@b.c')],
    ['let f=map(((a+b)*(c)-(-d)))', lines('let f = map((a + b) * c - (-d))')],
    ['let f=map((a=b)=(c<d)or not(x??(y??z)??w))', lines('let f = map((a = b) = (c < d) or not (x ?? (y ?? z) ?? w))')],
    ['let f=map((if a then b else c)+(1).x+("s"))', lines('let f = map((if a then b else c) + 1.x + "s")')],
    [
      'let f=map(if(a)then(if b then c else d)else(if e then(f)else g))',
      lines('let f = map(if a then (if b then c else d) else if e then f else g)'),
    ],
    ['type A=((B|C))type D=[(B|C)]|((E|F))', lines('type A = B | C', 'type D = [B | C] | (E | F)')],
    ['type A={a:("x"|"y")="x",b:("x"|"y")}', lines('type A = { a: ("x" | "y") = "x", b: "x" | "y" }')],
    ['let f=((* why *)a);((b(* how *)));(* x *)(c)', lines('let f = ((* why *) a) ; ((b (* how *))) ; (* x *) c')],
  ],
  'comments stay where they stood': [
    '(* alone *)\n',
    ['(* a *) (* b *)\n\n\n(* c *)', lines('(* a *) (* b *)', '', '(* c *)')],
    lines('(* head *)', '', '(* of A *)', 'type A = int (* behind *)', '(* of B *)', 'type B = int', '(* last *)'),
    [
      'type A=int(* behind *) (* again *)\n type B=int (* before *)type C=int',
      lines('type A = int (* behind *) (* again *)', 'type B = int', '(* before *) type C = int'),
    ],
    [`type A = { a: int } (* ${'long '.repeat(20)}*)`, `type A = { a: int } (* ${'long '.repeat(20)}*)\n`],
    lines(
      'type R = { (* of R *)',
      '  (* of a *)',
      '',
      '  (* of a too *)',
      '  a: int, (* behind a *)',
      '  b: int (* behind b *)',
      '  (* end *)',
      '}',
    ),
    [
      'type R\n  = { a: int\n  (* of b *)\n    , b: int\n  }',
      lines('type R = { a: int,', '}').replace(',\n', ',\n').length > 0
        ? lines('type R = {', '  a: int,', '  (* of b *)', '  b: int', '}')
        : '',
    ],
    [
      'type R={(* a *)a(* b *)?(* c *):(* d *)int(* e *),(* f *)b:int(* g *)}',
      lines('type R = { (* a *) a (* b *)? (* c *): (* d *) int (* e *), (* f *) b: int (* g *) }'),
    ],
    ['type E={(* none *)}type F={\n(* none *)}', lines('type E = { (* none *) }', 'type F = {', '  (* none *)', '}')],
    ['let c={a:1(* x *),(* y *)b:2}', lines('let c = { a: 1 (* x *), (* y *) b: 2 }')],
    ['let c={\na:1(* x *),(* y *)b:2,(* z *)}', lines('let c = {', '  a: 1 (* x *)', '  (* y *) b: 2 (* z *)', '}')],
    ['let c={\na:1, (* of a *)\n(* of b *)\nb:2}', lines('let c = {', '  a: 1 (* of a *)', '  (* of b *)', '  b: 2', '}')],
    lines('let f = plumb(a, b) {', '  (* one *)', '  a ; b (* two *)', '', '  (* three *)', '}'),
    [
      'let f=plumb(a,b){ (* one *) a;(* two *)b@(* three *)x }',
      lines('let f = plumb(a, b) {', '  (* one *) a ; (* two *) b@(* three *) x', '}'),
    ],
    ['let f=plumb(a,b){\na (* in *)\n;(* out *)\nb}', lines('let f = plumb(a, b) {', '  a (* in *)', '    ; (* out *) b', '}')],
    ['let f=plumb(a,b){\na\n(* own *)\n;b}', lines('let f = plumb(a, b) {', '  a', '    (* own *)', '    ; b', '}')],
    ['let f=(* x *)map((* y *)a(* z *)+b)', lines('let f = (* x *) map((* y *) a (* z *) + b)')],
    ['let f=map(g(a, (* one *)\nb))', lines('let f = map(', '  g(', '    a, (* one *)', '    b', '  )', ')')],
    ['@tool(* why *)\n(* how *)\nlet f:int->int=id', lines('@tool (* why *)', '(* how *)', 'let f : int -> int = id')],
    [
      'let f={\n      (* two\n         lines  \n\n         *)\n a:1}',
      lines('let f = {', '  (* two', '     lines', '', '     *)', '  a: 1', '}'),
    ],
    ['let f={\n      (* two\n left *)\n a:1}', lines('let f = {', '  (* two', ' left *)', '  a: 1', '}')],
    ['\t(* two\n\t   lines *)\ntype A=int', lines('(* two', '   lines *)', 'type A = int')],
  ],
  'strings of several lines': [
    [
      'let p={a:"""\n      x\n        y\n\n      z\n""" b:1}'.replace(' b', ', b'),
      lines('let p = {', '  a: """', '    x', '      y', '', '    z', '  """', '  b: 1', '}'),
    ],
    ['let f=map("""\nx\n""")', lines('let f = map("""', '  x', '""")')],
    ['let f=map("""x\n     y""")', lines('let f = map("""', '  x', '  y', '""")')],
    ['let f=map("""  one line """)', lines('let f = map("""  one line """)')],
    ['let f=map(""""""+"""\n\n \n\n""")', lines('let f = map(""""""', '  + "\\n\\n")').replace('map(""""""\n  + ', 'map("""""" + ')],
    ['let f=map("""\r\n  a\r\n    b\r\n""")', lines('let f = map("""', '  a', '    b', '""")')],
  ],
}

for (const [what, cases] of Object.entries(LAYOUTS)) {
  t.test(what, async (t) => {
    for (const one of cases) {
      const [written, laidOut] = typeof one === 'string' ? [one, one] : one
      t.equal(tidy(written), laidOut, JSON.stringify(written))
      t.equal(tidy(laidOut), laidOut, `${JSON.stringify(laidOut)} stays`)
      t.strictSame(meaning(laidOut), meaning(written), `${JSON.stringify(laidOut)} means the same`)
    }
  })
}

t.test('a text with syntax errors has no layout', async (t) => {
  for (const text of ['let', 'type A = (', '(* open', 'let a = "open', 'let a = b\n?']) {
    const formatted = format({ path: 'test.plumb', text })
    t.notOk(formatted.ok, text)
    if (!formatted.ok) t.strictSame(formatted.diagnostics, parsedDiagnostics(text), text)
  }
})

const parsedDiagnostics = (text: string) => meaning(text).diagnostics

t.test('any program keeps its tree and its comments in their order, and has one layout', async (t) => {
  fc.assert(
    fc.property(arbitraryProgram({ isFile: true }), (written) => {
      const before = meaning(written)
      if (before.diagnostics.length > 0) throw new Error(`not a program: ${before.diagnostics[0]?.message}`)
      const laidOut = tidy(written)
      const after = meaning(laidOut)
      if (JSON.stringify(after) !== JSON.stringify(before)) throw new Error(`changed to\n${laidOut}`)
      const again = tidy(laidOut)
      if (again !== laidOut) throw new Error(`laid out as\n${laidOut}\nand then as\n${again}`)
      if (/\r\n|^\uFEFF|^\n/.test(laidOut)) throw new Error(`foreign line ends in\n${laidOut}`)
    }),
    { numRuns: 1000 },
  )
})

t.test('every program of the repository keeps its meaning', async (t) => {
  const programs = programsUnder('.')
  t.ok(programs.length > 0)
  for (const { name, text } of programs) {
    if (meaning(text).diagnostics.length > 0) continue
    t.strictSame(meaning(tidy(text)), meaning(text), name)
    t.equal(tidy(tidy(text)), tidy(text), name)
  }
})

// Files, and those that cases lay.
const programsUnder = (folder: string): { name: string; text: string }[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return ['node_modules', 'dist', '.git'].includes(entry.name) ? [] : programsUnder(path)
    if (entry.name.endsWith('.plumb')) return [{ name: path, text: readFileSync(path, 'utf8') }]
    if (!entry.name.endsWith('.case')) return []
    const parts = readFileSync(path, 'utf8').split(/^-- (\S+) --[ \t]*\n/m)
    return parts.flatMap((text, i) => (parts[i - 1]?.endsWith('.plumb') && i % 2 === 0 ? [{ name: `${path}: ${parts[i - 1]}`, text }] : []))
  })
