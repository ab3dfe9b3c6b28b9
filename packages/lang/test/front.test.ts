import fc from 'fast-check'
import t from 'tap'
import { runs } from '../../wire/test/property.js'
import { declaredType, declareTypes } from '../src/declare/declare.js'
import { type Diagnostic, diagnosticToJson } from '../src/diagnostic/diagnostic.js'
import { toText } from '../src/diagnostic/show.js'
import type { Source } from '../src/diagnostic/source.js'
import type { Text } from '../src/names/names.js'
import type { Chain, Expression, RecordPart, Setting, SyntaxTree } from '../src/parse/ast.js'
import { tokenize } from '../src/parse/lexer.js'
import { parse, parseExpressionText, parseTypeText } from '../src/parse/parser.js'
import { printType } from '../src/types/print.js'
import type { NamedType, Type } from '../src/types/type.js'
import { arbitraryType } from './arbitrary-type.js'
import { compileText, reports } from './reports.js'

const parsed = (text: string): { program: SyntaxTree; diagnostics: Diagnostic[] } => {
  const diagnostics: Diagnostic[] = []
  return { program: parse({ path: 'p', text }, (d) => diagnostics.push(d)), diagnostics }
}

const chain = (c: Chain): string => {
  switch (c.kind) {
    case 'sequence':
      return `(${c.items.map(chain).join(' ; ')})`
    case 'tensor':
      return `(${c.items.map(chain).join(' * ')})`
    case 'choice':
      return `(${c.items.map(chain).join(' + ')})`
    case 'field':
      return `${chain(c.of)}.${c.field.text}`
    case 'reference':
      return `${c.name.module ? `${c.name.module.text}:` : ''}${c.name.name.text}${c.port ? `@${c.port.text}` : ''}`
    case 'map':
    case 'filter':
      return `${c.kind}(${expression(c.expression)})`
    case 'project':
      return `project(${c.index})`
    case 'fold':
      return `fold(${expression(c.expression)}, ${expression(c.from)}${c.by ? `, by ${expression(c.by)}` : ''}${c.emit ? ', end' : ''})`
    case 'batch':
      return `batch(${c.size ? setting(c.size) : ''}${c.within ? `, ${setting(c.within)}` : ''})`
    case 'each':
      return `each(${chain(c.chain)}${c.parallel ? `, ${setting(c.parallel)}` : ''}${c.onError ? `, ${c.onError.text}` : ''})`
    case 'trace':
      return `trace(${chain(c.chain)}${c.max ? `, ${c.max.text}` : ''}${c.until ? `, ${expression(c.until)}` : ''})`
    default:
      return c.kind
  }
}

const setting = (s: Setting): string =>
  s.kind === 'value' ? s.text : `${s.name.module ? `${s.name.module.text}:` : ''}${s.name.name.text}`

const expression = (e: Expression): string => {
  switch (e.kind) {
    case 'literal':
      return e.text
    case 'name':
      return e.name
    case 'unary':
      return `(${e.operator} ${expression(e.operand)})`
    case 'binary':
      return `(${expression(e.left)} ${e.operator} ${expression(e.right)})`
    case 'if':
      return `(if ${[e.condition, e.then, e.else].map(expression).join(' ')})`
    case 'let':
      return `(let ${e.name.text} = ${expression(e.value)} in ${expression(e.body)})`
    case 'match':
      return `match ${expression(e.of)} {${e.arms.map((arm) => `${arm.pattern?.name.text ?? '_'} -> ${expression(arm.body)}`).join(', ')}}`
    case 'call': {
      const key = e.key ? [`${e.key.parameter.text} -> ${expression(e.key.body)}`] : []
      return `${e.function.text}(${[...e.arguments.map(expression), ...key].join(', ')})`
    }
    case 'field':
      return `${expression(e.of)}.${e.field.text}`
    case 'index':
      return `${expression(e.of)}[${expression(e.index)}]`
    case 'slice':
      return `${expression(e.of)}[${e.from ? expression(e.from) : ''}:${e.to ? expression(e.to) : ''}]`
    case 'comprehension':
      return `[${expression(e.item)}${e.loops
        .map((l) => ` for ${l.name.text} in ${expression(l.list)}${l.condition ? ` if ${expression(l.condition)}` : ''}`)
        .join('')}]`
    case 'template':
      return e.texts
        .map(({ text }, i) => (i === 0 ? JSON.stringify(text) : `{${expression(e.holes[i - 1] as Expression)}}${JSON.stringify(text)}`))
        .join('')
    case 'list':
      return `[${e.items.map(expression).join(', ')}]`
    case 'record':
      return `{${e.parts.map(recordPart).join(', ')}}`
  }
}

const recordPart = (part: RecordPart): string => {
  if (part.kind === 'spread') return `...${expression(part.of)}`
  const key = part.kind === 'field' ? part.name.text : `[${expression(part.key)}]`
  return `${key}: ${expression(part.value)}`
}

/** The statements of a body, or the chain of a binding. */
const shape = (text: string): string => {
  const { program, diagnostics } = parsed(text)
  if (diagnostics.length > 0) return diagnostics.map((d) => d.message).join('\n')
  return program.items
    .flatMap((item) => {
      if (item.kind !== 'binding') return []
      const { impl } = item
      if (impl.kind === 'agent' || impl.kind === 'tool' || impl.kind === 'object') return [impl.kind]
      if (impl.kind !== 'plumb') return [chain(impl)]
      return impl.statements.map((s) =>
        s.kind === 'wire' ? chain(s.chain) : s.kind === 'spawn' ? `spawn ${s.process.name.text}` : `channel ${s.name.text}`,
      )
    })
    .join('\n')
}

t.test('chains bind as the grammar says', async (t) => {
  const rows: [string, string][] = [
    ['a ; b * c ; d', '(a ; (b * c) ; d)'],
    ['a * b + c * d', '(a * (b + c) * d)'],
    ['a + b.x + c', '(a + b.x + c)'],
    ['(a ; b) * c', '((a ; b) * c)'],
    ['((a))', 'a'],
    ['(a * b) * c', '((a * b) * c)'],
    ['filter(x).a.b', 'filter(x).a.b'],
    ['(a ; b).c', '(a ; b).c'],
    ['a.b', 'a.b'],
    ['M.f@out', 'M:f@out'],
    ['M.f@out.x', 'M:f@out.x'],
    ['f@out.x.y', 'f@out.x.y'],
    ['a.b.c', 'a.b.c'],
    ['f(* *).x', 'f.x'],
    ['f\n  .x', 'f.x'],
    ['project( 0 )', 'project(0)'],
    ['trace(a ; b, max: 5, until: x > 1)', 'trace((a ; b), 5, (x > 1))'],
    ['trace(a, until: true, max: 2)', 'trace(a, 2, true)'],
    ['copy;merge*barrier;discard', '(copy ; (merge * barrier) ; discard)'],
    ['a\n;\n\nb\n*\nc', '(a ; (b * c))'],
    ['a;b', '(a ; b)'],
  ]
  for (const [text, expected] of rows) t.equal(shape(`let x : !int -> !int = ${text}`), expected, text)
})

t.test('a statement ends with its line', async (t) => {
  const rows: [string, string][] = [
    ['a ; b\nc ; d', '(a ; b)\n(c ; d)'],
    ['a ;\nb', '(a ; b)'],
    ['a\n; b', '(a ; b)'],
    ['a\n\n\n; b ; \n\nc', '(a ; b ; c)'],
    ['a ; b\n* c', '(a ; (b * c))'],
    ['a ; b *\nc\nd ; e', '(a ; (b * c))\n(d ; e)'],
    ['a ; b\n+ c', '(a ; (b + c))'],
    ['a ; (b\nc)', "expected ')' after the chain"],
    ['a ; (b\n; c\n)\nd ; e', '(a ; (b ; c))\n(d ; e)'],
    ['a ; (* x *) b (* y\n z *) c ; d', '(a ; b)\n(c ; d)'],
    ['a ; b (* one line *)\n(* alone *)\n(* before *) ; c', '(a ; b ; c)'],
    ['a ; map(x\n+ 1)\nb ; c', '(a ; map((x + 1)))\n(b ; c)'],
    ['a ; b\r\nc ; d\r\n', '(a ; b)\n(c ; d)'],
    ['a ;\r\n b\r\n ; c', '(a ; b ; c)'],
    ['let c : !int = channel\nspawn f(a, b)\na ; c', 'channel c\nspawn f\n(a ; c)'],
    ['let c : !{\n a: int } =\n channel\na\n ; c', 'channel c\n(a ; c)'],
    ['spawn f(\n a,\n x=b)\nspawn M.g()', 'spawn f\nspawn g'],
    ['a ; f@x\ng@y ; b', '(a ; f@x)\n(g@y ; b)'],
    ['', ''],
    ['a ; b c', "expected ';' or a new line, found 'c'"],
    ['a b ; c', "expected ';' or a new line, found 'b'"],
    ['a ; b\n.c', "expected a process, found '.'"],
    ['a\nb ; c', 'a chain in a body has at least two elements'],
    ['a * b', 'a chain in a body has at least two elements'],
    ['a ; f @x', "'@' follows the name without white space"],
    ['a ; f(* *)@x', "'@' follows the name without white space"],
  ]
  for (const [body, expected] of rows) {
    t.equal(shape(`let m : !int -> !int = plumb(i, o) {\n${body}\n}`), expected, JSON.stringify(body))
    t.equal(shape(`let m : !int -> !int = plumb(i, o) { ${body} }`), expected, `on one line with the braces: ${JSON.stringify(body)}`)
  }
})

t.test('expressions bind as the grammar says', async (t) => {
  const rows: [string, string][] = [
    ['a + b * c - d', '((a + (b * c)) - d)'],
    ['a - b - c', '((a - b) - c)'],
    ['a * b / c % d', '(((a * b) / c) % d)'],
    ['-a.b[0] * - -c', '((- a.b[0]) * (- (- c)))'],
    ['x -1', '(x - 1)'],
    ['-1', '(- 1)'],
    ['not a = b and c or d', '(((not (a = b)) and c) or d)'],
    ['!a && b || c', '(((not a) and b) or c)'],
    ['a or b and c', '(a or (b and c))'],
    ['a ?? b ?? c', '(a ?? (b ?? c))'],
    ['a ?? b or c', '(a ?? (b or c))'],
    ['if a then b else c + 1', '(if a b (c + 1))'],
    ['if a then if b then c else d else e', '(if a (if b c d) e)'],
    ['(if a then b else c) + 1', '((if a b c) + 1)'],
    ['f(if a then b else c, d)', 'f((if a b c), d)'],
    ['a < b and b <= c', '((a < b) and (b <= c))'],
    ['a + 1 >= b != c', 'comparisons do not chain'],
    ['a = if b then c else d', "an 'if' inside another expression needs parentheses"],
    ['{ a, b: c + 1, ...r, ...s }', '{a: a, b: (c + 1), ...r, ...s}'],
    ['{}', '{}'],
    ['[]', '[]'],
    ['[a, [b], {}]', '[a, [b], {}]'],
    ['xs[i + 1][0].y', 'xs[(i + 1)][0].y'],
    ['type + fold + map', '((type + fold) + map)'],
    ['value.let + value.match', '(value.let + value.match)'],
    ['match', "'match' is a word of the language; write value.match for the field"],
    ['let x = a in x + 1', '(let x = a in (x + 1))'],
    ['if a then b else let x = a in let y = x in y', '(if a b (let x = a in (let y = x in y)))'],
    ['match a ?? b { x : int -> x, _ -> 0 } + 1', '(match (a ?? b) {x -> x, _ -> 0} + 1)'],
    ['{ "x-y": a."b c", [k]: 1 }', '{x-y: a.b c, [k]: 1}'],
    ['{ "x" }', "expected ':' after the field 'x', found '}'"],
    ['1 + let x = a in x', "a 'let' inside another expression needs parentheses"],
    ['r.if.then.true', 'r.if.then.true'],
    ['{ if: 1, true: 2 }', '{if: 1, true: 2}'],
    ['{ a, true }', "expected ':' after the field 'true', found '}'"],
    ['true', 'true'],
    ['if', 'expected an expression, found the end of the file'],
    ['and', "expected an expression, found 'and'"],
    ['a +', 'expected an expression, found the end of the file'],
    ['a b', "expected the end, found 'b'"],
    ['f(a,)', "expected an expression, found ')'"],
    ['[a,]', "expected an expression, found ']'"],
    ['1.5e-3 + 0', '(1.5e-3 + 0)'],
    ['"a\\n" + "b"', '("a\\n" + "b")'],
  ]
  for (const [text, expected] of rows) {
    const messages: string[] = []
    const e = parseExpressionText({ path: 'e', text }, (d) => messages.push(d.message))
    t.equal(e ? expression(e) : messages.join('\n'), expected, text)
  }
})

t.test('words that are reserved', async (t) => {
  const words = (
    'type let use protocol agent tool plumb map filter project id copy merge discard empty barrier trace spawn channel true ' +
    'false null if then else and or not'
  ).split(' ')
  const bare = new Set('let true false null if then else and or not'.split(' '))
  for (const word of words) {
    const ofField = `type R = { ${word}: int }\nlet m : !R -> !int = map(value.${word})\nlet n : !R -> !R = map({ ${word}: value.${word} })`
    reports(t, `'${word}' is a field`, ofField, [])
    if (!bare.has(word))
      reports(
        t,
        `'${word}' stands for its field`,
        `type R = { ${word}: int }\nlet m : !R -> !int = map(${word} + 1)\nlet n : !R -> !R = map({ ${word} })`,
        [],
      )
    reports(t, `'${word}' is a key`, `let v = { ${word}: 1 }`, [])
    const message = `'${word}' is a reserved word and cannot be the name of`
    reports(t, `'${word}' is not a binding`, `let ${word} : !int -> !int = id`, [
      `1:5-${5 + word.length} syntax_error ${message} a binding`,
    ])
    reports(t, `'${word}' is not a type`, `type ${word} = int`, [`1:6-${6 + word.length} syntax_error ${message} a type`])
    reports(t, `'${word}' is not a module`, `use ${word}`, [`1:5-${5 + word.length} syntax_error ${message} a module`])
    reports(t, `'${word}' is not an alias`, `use "./x.plumb" as ${word}`, [`1:20-${20 + word.length} syntax_error ${message} a module`])
    const parameter = `let x : !int -> !int = plumb(${word}, o) { ${word} ; o }`
    reports(t, `'${word}' is not a parameter`, parameter, [`1:30-${30 + word.length} syntax_error ${message} a port`])
    const channel = `let x : !int -> !int = plumb(i, o) {\nlet ${word} : !int = channel\ni ; o }`
    reports(t, `'${word}' is not a channel`, channel, [`2:5-${5 + word.length} syntax_error ${message} a channel`])
  }
  reports(t, "a plumb's port may have the name of a type", 'let x : !int -> !int = plumb(string, int) { string ; int }', [])
})

t.test('literals', async (t) => {
  const value = (text: string): unknown => {
    const messages: string[] = []
    const [token] = tokenize({ path: 's', text }, (d) => messages.push(d.message)).tokens
    return messages.length > 0 ? { error: messages } : token?.text
  }
  const refused = (...error: string[]) => ({ error })
  const rows: [string, unknown][] = [
    ['"\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\uD83D\\uDE00"', '"\\/\b\f\n\r\té😀'],
    ['""', ''],
    ['"(* no comment *)"', '(* no comment *)'],
    ['"é😀→"', 'é😀→'],
    ['"a\\x"', refused("'\\x' is not an escape")],
    ['"\\u12g4"', refused("'\\u12' is not an escape")],
    ['"\\u"', refused("'\\u' is not an escape")],
    ['"\\😀"', refused("'\\😀' is not an escape")],
    ['"a\tb"', refused("'\\t' must be escaped in a string")],
    ['"a\u0000b"', refused("'\\u0000' must be escaped in a string")],
    ['"open', refused('this string is never closed')],
    ['"open\\', refused('this string is never closed')],
    ['"open\\"', refused('this string is never closed')],
    ['"""a"""', 'a'],
    ['""""""', ''],
    ['"""\n"""', ''],
    ['"""\n\n"""', ''],
    ['"""\n\n\n"""', '\n'],
    ['"""\na\n"""', 'a'],
    ['"""\r\n  a\r\n    b\r\n  """', 'a\n  b'],
    ['"""\n    a\n\n   \n      b\n    """', 'a\n\n\n  b'],
    ['"""\n\ta\n\t\tb\n"""', 'a\n\tb'],
    ['"""\n\ta\n  b\n"""', '\ta\n  b'],
    ['"""  a"""', '  a'],
    ['"""You are\n   kind\n     and fair."""', 'You are\nkind\n  and fair.'],
    ['"""\n  say "hi" and ""\n  """', 'say "hi" and ""'],
    ['"""\n  a\\n  b\\u0041\n"""', 'a\n  bA'],
    ['"""a\\""""', 'a"'],
    ['"""\n  a\\qb\n"""', refused("'\\q' is not an escape")],
    ['"""a\u0001"""', refused("'\\u0001' must be escaped in a string")],
    ['"""open', refused('this string is never closed')],
    ['"""open""', refused('this string is never closed')],
    ['0', '0'],
    ['0.5', '0.5'],
    ['10.50e+3', '10.50e+3'],
    ['123456789012345678901234567890', '123456789012345678901234567890'],
    ['01', refused("'01' is not a number")],
    ['1e', refused("'1e' is not a number")],
    ['0x1f', refused("'0x1f' is not a number")],
    ['1_000', refused("'1_000' is not a number")],
    ['1e999', refused("'1e999' is beyond all numbers")],
    ['→', '->'],
    ['$§', refused("unexpected characters '$§'")],
    ['&', refused("unexpected character '&'")],
    ['\u00a0', refused("unexpected character '\u00a0'")],
    ['\u0000\u0001', refused("unexpected characters '\\u0000\\u0001'")],
    ['(* a (* "b *) c *) x', 'x'],
    ['(**)x', 'x'],
    ['(* a (* b *)', refused('this comment is never closed')],
    ['(*)', refused('this comment is never closed')],
  ]
  for (const [text, expected] of rows) t.strictSame(value(text), expected, JSON.stringify(text))
})

t.test('syntax errors: each once, and what follows goes on', async (t) => {
  const rows: [string, string, string[], Record<string, string>?][] = [
    ['nothing', '', []],
    ['white space', ' \t\r\n\n', []],
    ['comments only', '(* a *) (* b\n(* c *) *)', []],
    ['a byte-order mark', '\uFEFFlet m : !int -> !int = nosuch', ['1:24-30 unknown_name']],
    ['#!', '#!/usr/bin/env plumb\nlet m : !int -> !int = nosuch', ['2:24-30 unknown_name']],
    ['a byte-order mark, #! and CRLF', '\uFEFF#!plumb\r\nlet m : !int -> !int = nosuch\r\n', ['2:24-30 unknown_name']],
    ['#! in the second line', '\n#!x', ["2:1-3 syntax_error unexpected '#!' | first of the file"]],
    ['no arrow', 'let m : !int = id', ["1:14-15 syntax_error expected '->' between input and output, found '='"]],
    ['no output', 'let m : !int -> = id', ["1:17-18 syntax_error expected a type, found '='"]],
    ['the end in the middle', 'let m : !int -> !int = id ;', ['1:28-28 syntax_error expected a process, found the end of the file']],
    ['the end on a line of its own', 'let m : !int -> !int = id ;\n', ['2:1-1 syntax_error expected a process, found the end of the file']],
    [
      'a parenthesis that is not closed',
      'let m : !int -> !int = (id ; id\nlet n : !int -> !int = nosuch',
      ["1:32-32 syntax_error expected ')' after the chain", '2:24-30 unknown_name'],
    ],
    [
      'uses of what is broken are not reported of',
      'let f : !int -> = id\ntype T = {\nlet m : !T -> !int = f ; nosuch ; f',
      ['1:17-18 syntax_error', "3:1-4 syntax_error expected a field or '}', found 'let'", '3:26-32 unknown_name'],
    ],
    [
      'three errors',
      'let a = \ntype B = [int\nlet c : !int -> !int = id ;;',
      [
        "2:1-5 syntax_error expected the name of a process, found 'type'",
        "2:14-14 syntax_error expected ']'",
        "3:28-29 syntax_error expected a process, found ';'",
      ],
    ],
    ['in one line', 'let a : int = id let b : !int -> !int = nosuch', ["1:13-14 syntax_error expected '->'", '1:41-47 unknown_name']],
    [
      'an unclosed string is one error',
      'let a = { x: "open }\nlet b : !int -> !int = nosuch',
      ['1:14-21 syntax_error this string is never closed', '2:24-30 unknown_name'],
    ],
    [
      'an unclosed block is one error',
      'let a = { x: """open }\nlet b : !int -> !int = nosuch',
      ['1:14-17 syntax_error this string is never closed | """'],
    ],
    [
      'an unclosed comment is one error',
      'let a : !int -> (* open\nlet b : !int -> !int = nosuch',
      ["1:17-19 syntax_error this comment is never closed | each '(*'"],
    ],
    ['a control character', 'let a = { x: "\u0007" }', ["1:15-16 syntax_error '\\u0007' must be escaped"]],
    [
      'an escape, shown where it is',
      'let a = { x: "😀\\q", y: """\n  a\n  b\\z\n""" }',
      ["1:16-18 syntax_error '\\q' is not an escape | those of JSON", "3:4-6 syntax_error '\\z' is not an escape"],
    ],
    [
      'a body without its end',
      'let a : !int -> !int = plumb(i, o) {\n  i ; o\nlet b : !int -> !int = nosuch',
      ["3:1-4 syntax_error expected '}' at the end of the body, found 'let'", '3:24-30 unknown_name'],
    ],
    [
      'a body without its end, at the end',
      'let a : !int -> !int = plumb(i, o) {\n  i ; o\n',
      ["3:1-1 syntax_error expected '}' at the end of the body, found the end of the file"],
    ],
    [
      'every statement with an error',
      'let a : !int -> !int = plumb(i, o) {\n  i ;; o\n  i\n  let c : !int = chanel\n  spawn\n  i ; o\n  spawn f(\n}\nlet b : !int -> !int = nosuch',
      [
        "2:6-7 syntax_error expected a process, found ';'",
        '3:3-4 syntax_error at least two elements',
        "4:18-24 syntax_error expected 'channel'",
        "6:5-6 syntax_error expected '(' after the process, found ';'",
        '8:1-2 syntax_error expected a channel or a port',
        '9:24-30 unknown_name',
      ],
    ],
    ['channels in the first column', 'let a : !int -> !int = plumb(i, o) {\nlet c : !int = channel\ni ; c\nc ; o\n}', []],
    [
      'an object without its end',
      'let a = {\n  x: 1\nlet b : !int -> !int = nosuch',
      ["3:1-4 syntax_error expected ',' or '}', found 'let'", '3:24-30 unknown_name'],
    ],
    ['a config key may be let', 'let a = {\nlet: 1\ntype: 2\n}', []],
    [
      'commas between entries',
      'let a = { x: 1 y: 2 }\nlet b = { x: 1\ny: 2, "z z": 3, }\nlet c = { , }\nlet d = { x: [1, ] }\nlet e = { x: 1,, y: 2 }',
      [
        "1:16-17 syntax_error expected ',' or '}', found 'y'",
        "4:11-12 syntax_error expected a key or '}', found ','",
        "5:18-19 syntax_error expected a value, found ']'",
        "6:16-17 syntax_error expected a key or '}', found ','",
      ],
    ],
    [
      'values',
      'let a = { x: -1, y: - 2, z: -x }\nlet b = { v: let }\nlet c = { v: M.let }',
      [
        "1:29-30 syntax_error expected a value, found '-'",
        "2:14-17 syntax_error 'let' is a reserved word",
        "3:16-19 syntax_error 'let' is a reserved word",
      ],
    ],
    [
      'streams inside types',
      'type T = !int\nlet f : ![!int] -> !int = id',
      ["1:10-11 syntax_error a stream '!T' is allowed only in a signature or a channel", "2:11-12 syntax_error a stream '!T'"],
    ],
    [
      'type forms',
      'type A = [int, int]\ntype B = ()\ntype C = { a int }\ntype D = { a: int, }\ntype E = | int\ntype F = { a: int = -x }\ntype G = { a: int = [] }',
      [
        "1:14-15 syntax_error expected ']'",
        "2:11-12 syntax_error expected a type, found ')'",
        "3:14-17 syntax_error expected ':' after the field 'a'",
        "4:20-21 syntax_error expected the name of a field, found '}'",
        "5:10-11 syntax_error expected a type, found '|'",
        '6:21-22 syntax_error a default is a string, a number, true, false, null, or a list or a record of such',
        "7:21-23 type_mismatch the default of 'a' does not fit its type: expected int, found []",
      ],
    ],
    [
      'morphism forms',
      'let a : !int -> !int = project(-1)\nlet b : !int -> !int = project(1.5)\nlet c : !int -> !int = map()\nlet d : !int -> !int = filter\nlet e : int -> int = trace(id, max: 3, max: 4)\nlet f : int -> int = trace(id, foo: 3)\nlet g : int -> int = trace(id, max: x)\nlet h : !int -> !int = id(3)',
      [
        "1:32-33 syntax_error 'project' takes the number of a tuple's part, counted from 0",
        "2:32-35 syntax_error 'project' takes",
        "3:28-29 syntax_error expected an expression, found ')'",
        "5:1-4 syntax_error expected '(' after 'filter'",
        "5:40-43 syntax_error 'trace' takes 'max' and 'until', once each; found 'max'",
        "6:32-35 syntax_error 'trace' takes",
        "7:37-38 syntax_error 'max' is a whole number",
        "8:26-27 syntax_error expected ';' or a new line, found '('",
      ],
    ],
    [
      'uses',
      'use\nuse 3\nuse a b\nuse "./a.plumb" as',
      [
        "2:1-4 syntax_error expected the name of a module, found 'use'",
        '2:5-6 syntax_error',
        "3:7-8 syntax_error expected 'use', 'type', 'param', 'protocol', 'let', 'test' or an annotation, found 'b'",
        '4:19-19 syntax_error expected the name of a module, found the end of the file',
      ],
      { 'a.plumb': '' },
    ],
    [
      'annotations',
      '@\nlet a : !int -> !int = id\n@description\n"two lines" let b : !int -> !int = id\n@description "x"\ntype T = int',
      ["2:5-6 syntax_error expected 'let' after the annotation", "6:1-5 syntax_error expected 'let' after the annotation, found 'type'"],
    ],
    [
      'garbage',
      '%%% let $ = }{ §§§ "',
      [
        "1:1-2 syntax_error found '%'",
        "1:9-10 syntax_error unexpected character '$'",
        "1:16-19 syntax_error unexpected characters '§§§'",
        '1:20-21 syntax_error this string is never closed',
      ],
    ],
    ['spans go over lines', 'let m : !int -> !string = id ; map(\n  value\n  + 1\n)', ['1:32-4:2 type_mismatch']],
    [
      'columns are code points',
      'let s : !string -> !int = map("😀é" + value.x) (* 😀😀 *) let u : !int -> !int = nosuch',
      ["1:44-45 type_mismatch 'value' is string and has no fields", '1:79-85 unknown_name'],
    ],
  ]
  for (const [name, text, expected, modules] of rows) reports(t, name, text, expected, modules)
})

t.test('nothing is too deep or too large', async (t) => {
  const long = 'let m : !int -> !int = '
  const deep: [string, string, string][] = [
    ['parentheses', `${long}${'('.repeat(100_000)}`, 'nested more than 200 deep'],
    ['parentheses that close', `${long}${'('.repeat(1000)}id${')'.repeat(1000)}`, 'nested more than 200 deep'],
    ['types', `type T = ${'['.repeat(100_000)}`, 'nested more than 200 deep'],
    ['values', `let v = ${'{ a: '.repeat(50_000)}`, 'nested more than 200 deep'],
    ['lists', `let v = { a: ${'['.repeat(50_000)}`, 'nested more than 200 deep'],
    ['expressions', `${long}map(${'(['.repeat(50_000)}`, 'nested more than 200 deep'],
    ['minus', `${long}map(${'-'.repeat(100_000)}1)`, 'nested more than 200 deep'],
    ['not', `${long}filter(${'!'.repeat(100_000)}true)`, 'nested more than 200 deep'],
    ['??', `${long}map(${'value ?? '.repeat(50_000)}1)`, 'nested more than 200 deep'],
    ['if', `${long}map(${'if true then '.repeat(50_000)}1)`, 'nested more than 200 deep'],
    ['sums of terms', `${long}map(${'value + '.repeat(50_000)}1)`, 'more than 300 operators in a row'],
    ['indices', `${long}map(value${'[0]'.repeat(50_000)})`, 'more than 300 operators in a row'],
    ['fields', `${long}id${'.a'.repeat(50_000)}`, 'more than 300 operators in a row'],
    ['comments', '(*'.repeat(500_000), 'this comment is never closed'],
    ['bytes that are not text', '\u0000\u0001\u007f'.repeat(300_000), 'unexpected characters'],
    ['brackets', '}])'.repeat(150_000), "found '}'"],
    ['more brackets', '}])'.repeat(300_000), 'a file holds at most 500,000 words, signs and comments'],
    ['words', 'let '.repeat(600_000), 'a file holds at most 500,000 words, signs and comments'],
    ['a chain', `${long}${Array.from({ length: 20_000 }, () => 'id').join(' ; ')}`, 'a binding has at most 10,000 parts'],
    [
      'tuples of tuples',
      `let m : !int -> !json = ${Array.from({ length: 600 }, () => 'map([value])').join(' ; ')}`,
      'nested more than 512 deep',
    ],
  ]
  for (const [name, text, message] of deep) {
    const { diagnostics } = compileText(text)
    t.equal(diagnostics.length, 1, `${name}: one error`)
    t.match(diagnostics[0]?.message, message, name)
  }
  const fine: [string, string][] = [
    ['a wide sum', `${long}map(${Array.from({ length: 300 }, () => 'value * 2').join(' + ')})`],
    [
      'many terms side by side',
      `let m : !int -> !json = map({ ${Array.from({ length: 2000 }, (_, i) => `f${i}: value + ${i} * 2`).join(', ')} })`,
    ],
    ['a long chain', `${long}${Array.from({ length: 5000 }, () => 'id').join(' ; ')}`],
    ['a long body', `let m : !int -> !int = plumb(i, o) {\n${'i ; o\n'.repeat(5000)}}`],
    ['150 parentheses', `${long}${'('.repeat(150)}id${')'.repeat(150)}`],
    ['nested comments', `${'(*'.repeat(50_000)}${'*)'.repeat(50_000)}`],
  ]
  for (const [name, text] of fine) reports(t, name, text, [])
  const line = `let m : !int -> !int = ${'§ '.repeat(100_000)}`
  const texts = compileText(line).diagnostics.map(toText)
  t.ok(texts.length === 201 && texts.every((text) => text.length < 1000), 'a long line with an error in every word')
})

t.test('diagnostics as text', async (t) => {
  const text = (program: string): string => compileText(program).diagnostics.map(toText).join('\n')
  t.equal(
    text('let critic : !string -> !string = id\nlet main : !string -> !string = id ; crtic'),
    "main.plumb:2:38: error: no binding is named 'crtic'\n" +
      `  let main : !string -> !string = id ; crtic\n  ${' '.repeat(37)}^^^^^\nhelp: did you mean 'critic'?`,
  )
  t.equal(
    text('type T = int\r\ntype T = string\r\n'),
    "main.plumb:2:6: error: type 'T' is declared twice\n  type T = string\n       ^" +
      '\nmain.plumb:1:6: note: the first one is here\n  type T = int\n       ^\nhelp: rename or delete one of them',
  )
  t.match(text('let m : !int -> !int =\tnosuch'), '  let m : !int -> !int =\tnosuch\n                        \t^^^^^^', 'tabs stay')
  t.match(text('let m : !string -> !int = map("😀" + x.y)'), `\n  ${' '.repeat(38)}^`, 'a caret a code point')
  t.match(text('let m : !int -> !string = map(\n  1)'), `map(\n  ${' '.repeat(26)}^^^^\n`, 'to the end of the line')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  t.notMatch(text('let m = { a: "\u001b[31m\u0007", b: nosuch }'), /[\u0000-\u0009\u000b-\u001f]/, 'nothing that a terminal would obey')
  t.match(text('let m : !int -> !int = id ;'), `\n  ${' '.repeat(27)}^`, 'the end of the file')
  t.match(
    text(`let m : !int -> !int = ${'id ; '.repeat(1000)}nosuch${' ; id'.repeat(1000)}`),
    /^ {2}….{0,240}nosuch.{0,240}…$/m,
    'a part of a long line',
  )
})

t.test('diagnostics as JSON', async (t) => {
  const json = (program: string) => compileText(program).diagnostics.map(diagnosticToJson)
  t.strictSame(json('let é = 1'), [
    {
      file: 'main.plumb',
      line: 1,
      column: 5,
      end_line: 1,
      end_column: 6,
      severity: 'error',
      code: 'syntax_error',
      message: "unexpected character 'é'",
    },
  ])
  t.strictSame(json('let a : !int -> !int = id ; aa\nlet aaa : !int -> !int = id')[0], {
    file: 'main.plumb',
    line: 1,
    column: 29,
    end_line: 1,
    end_column: 31,
    severity: 'error',
    code: 'unknown_name',
    message: "no binding is named 'aa'",
    help: "did you mean 'a'?",
  })
  t.strictSame(json('type t = int'), [
    {
      file: 'main.plumb',
      line: 1,
      column: 6,
      end_line: 1,
      end_column: 7,
      severity: 'warning',
      code: 'odd_capital',
      message: "type 't' starts with a small letter",
      help: "'T' is the custom",
    },
  ])
})

// --- properties

const WORDS = [
  ...'let type use as agent tool plumb map filter project id copy merge discard empty barrier trace spawn channel true null if then else and or not'.split(
    ' ',
  ),
  ...'; * + . @ ( ) { } [ ] , : = | ? ! < > - / % -> → ?? && || != <= >= ... " """ (* *) \\'.split(' '),
  ...['a', 'b', 'main', 'input', 'output', 'T', 'M', 'int', 'string', 'json', '0', '1', '1.5', '"x"', '$', '\u0000', '😀', 'value'],
]
const soup = fc
  .array(fc.tuple(fc.constantFrom(...WORDS), fc.constantFrom(' ', ' ', '', '\n', '\r\n', '\t')), { maxLength: 80 })
  .map((parts) => parts.map((p) => p.join('')).join(''))

const VALID = `#!/usr/bin/env plumb
use m
type Row = { @min 0 n: int = 3, name?: string }
type Tree = { kids: [Tree], level: "low" | "high" }
let server = { command: "x", args: ["a", "b"], nested: { deep: true } }
let bot : (!string, !json) -> (!string, !json) = agent { provider: "eliza", model: "doctor", mcp: [server] }
let inc : !int -> !int = map(value + 1) ; filter(value > 3 and not (value = 5))
@tool true @description "doubles"
let double : int -> int = map(value * 2) + trace(id, max: 3, until: value > 2)
let pair : !int -> !(int, int) = (inc * inc) ; barrier
let main : !int -> !int = plumb(input, output) {
  let c : !int = channel
  input ; inc ; c (* a comment *)
  c ; (inc * inc)
    ; merge ; output
  spawn inc(input=c, output=output)
  input ; copy ; pair@input
  pair.a ; discard
}
`

const mutated = fc
  .tuple(fc.nat(VALID.length), fc.nat(40), fc.oneof(fc.constantFrom(...WORDS), fc.constant('')), fc.nat(VALID.length))
  .map(([at, length, word, cut]) => (VALID.slice(0, at) + word + VALID.slice(at + length)).slice(0, cut % 3 === 0 ? cut : undefined))

const isInside = ({ span }: { span: Diagnostic['span'] }): boolean =>
  span.start >= 0 && span.start <= span.end && span.end <= span.source.text.length

t.test('any text: no exception, and every diagnostic has its place in it', async (t) => {
  for (const [name, texts] of Object.entries({ soup, mutated, characters: fc.string({ unit: 'binary', maxLength: 60 }) })) {
    fc.assert(
      fc.property(texts, (text) => {
        const { diagnostics } = compileText(text, { 'm.plumb': 'let f : !int -> !int = id' })
        for (const d of diagnostics) {
          toText(d)
          const { line, column, end_line, end_column } = diagnosticToJson(d)
          if (!isInside(d) || !(d.related ?? []).every(isInside)) return false
          if (line < 1 || column < 1 || end_line < line || (end_line === line && end_column < column)) return false
        }
        const keys = diagnostics.map((d) => `${d.span.source.path} ${d.span.start} ${d.span.end} ${d.code} ${d.message}`)
        return new Set(keys).size === keys.length
      }),
      { numRuns: runs(400) },
    )
    t.pass(`400 runs of ${name}`)
  }
})

const textOfProgram = (type: Type): string => {
  const names = new Map<string, NamedType>()
  const find = (t: Type): void => {
    if (t.kind === 'named' && !names.has(t.name)) {
      names.set(t.name, t)
      find(t.target)
    } else if (t.kind === 'array') find(t.item)
    else if (t.kind === 'tuple') t.items.forEach(find)
    else if (t.kind === 'sum') t.variants.forEach(find)
    else if (t.kind === 'record') for (const f of t.fields) find(f.type)
  }
  find(type)
  return [...names.values()].map((n) => `type ${n.name} = ${printType(n.target)}`).join('\n')
}

t.test('printType gives what the parser reads', async (t) => {
  fc.assert(
    fc.property(arbitraryType({ withDefaults: true }), (type) => {
      const refuse = (d: Diagnostic) => {
        throw new Error(d.message)
      }
      const source: Source = { path: 't', text: textOfProgram(type) }
      const module = { path: 't', program: parse(source, refuse), uses: new Map(), missing: new Set<string>() }
      const scope = {
        module,
        types: new Map(),
        brokenTypes: new Set<NamedType>(),
        protocols: new Map(),
        params: new Map(),
        bindings: new Map(),
        values: new Map(),
        modules: new Map(),
        open: () => ({ apply: (message: Text) => message, steps: undefined }),
      }
      declareTypes(scope, () => {})
      const e = parseTypeText({ path: 't', text: printType(type) }, refuse)
      const again = e && declaredType(e, scope, () => {})
      // Types that are refused, as having no value or overlapping variants, have no second form.
      return again === undefined || printType(again) === printType(type)
    }),
    { numRuns: runs(300) },
  )
  t.pass('300 runs')
})
