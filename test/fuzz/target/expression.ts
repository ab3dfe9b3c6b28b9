// Expressions: a type, an expression over it, and messages, one a line. What is checked is compiled, and gives what its type says or fails in
// words; the way over the scanned bytes and the slow one over the parsed tree come to the same.

import { checkExpression } from '../../../packages/lang/src/expression/infer/check.js'
import { Sink } from '../../../packages/lang/src/expression/run/sink.js'
import type { ScannedStage } from '../../../packages/lang/src/expression/stage/scanned-stage.js'
import {
  compile,
  compileFilter,
  compileMap,
  printType,
  STANDARD_LIBRARY,
  type Stage,
  typeOf,
  Verdict,
} from '../../../packages/lang/src/index.js'
import { parseExpressionText } from '../../../packages/lang/src/parse/parser.js'
import { checkTree } from '../../../packages/lang/src/validate/check-tree.js'
import { bundledFiles, isCode } from '../../../packages/wire/src/index.js'
import { parseTree } from '../../../packages/wire/src/json/index.js'
import { must, type Target } from '../target.js'

const TYPES = 'type Tree = { left?: Tree, value: number } | string\ntype Row = { a: int, b?: string, c: [int], kind: "x" | "y" }\n'
const files = bundledFiles({ entry: '', files: {}, modules: STANDARD_LIBRARY })
const { program } = compile({ path: 'types.plumb', text: TYPES, files })

const show = (stage: Stage, out: Sink, verdict: Verdict): string => {
  if (verdict === Verdict.PASS) return 'PASS'
  if (verdict === Verdict.DROP) return 'DROP'
  if (verdict !== Verdict.WROTE) {
    must(stage.fault && isCode(stage.fault.error), 'it fails without a code of the table')
    return `${stage.fault?.error}: ${stage.fault?.detail}`
  }
  must(out.buf[out.end] === 10, 'there is no line end behind the result')
  return out.buf.toString('utf8', out.start, out.end)
}

const run = (stage: Stage, message: Buffer): string => {
  const out = new Sink()
  // Among other messages, as in a chunk.
  const chunk = Buffer.concat([Buffer.from('{"x":1}\n'), message, Buffer.from('\n["y"]\n')])
  const fast = show(stage, out, stage.run(chunk, 8, 8 + message.length, out))
  const last = show(stage, out, stage.run(message, 0, message.length, out))
  const slow = show(stage, out, (stage as ScannedStage).runSlowly(chunk, 8, 8 + message.length, out))
  must(fast === slow && last === slow, `fast ${fast}, last ${last}, slow ${slow}`)
  return slow
}

export const expression: Target = {
  name: 'expression',
  seeds: [
    '{ a: int, b?: string, c: [int], kind: "x" | "y" }\n{ n: a + 1, s: upper(b ?? "none"), ...value, k: kind }\n{"a":1,"b":"q","c":[1,2],"kind":"x"}\n{"kind":"y","c":[],"a":-7}',
    'json\nif has(value.a) then value.a.b[0] ?? value.c else [value, 1, "x"]\n{"a":{"b":[1]}}\n{"c":null}\n[1]\n"a"',
    'Tree\nvalue\n{"value":1,"left":{"value":2,"left":"x"}}\n"y"\n{"value":"x"}',
    '{ n: int = 3, s: string = "x" }\nn * 2 - length(s) % 3 / 2\n{}\n{"n":9007199254740991}\n{"s":"é😀","n":1e2}',
    '[int]\nvalue[0] < value[1] and not (value[2] = 3) or contains(text(value), "1")\n[1,2,3]\n[]\n[3,2,1]',
    '(int, string)\n{ a: value[0], b: split(value[1], ","), c: join(split(value[1], ","), "-"), d: parse(value[1]) }\n[1,"a,b"]\n[2,"{\\"x\\":1}"]',
    '{ a: number, b: number }\n[min(a, b), max(a, b), round(a), floor(b), abs(-a), number("1.5"), a / b, text(a), lower("X"), trim(" x ")]\n{"a":1.5,"b":-0.0}\n{"b":1e300,"a":1e10}',
    'Row\nfilter(value.kind = "x" and length(c) > 1)\n{"a":1,"c":[1,2],"kind":"x"}',
    '{ xs: [int], rs: [{ k: string, n: number }], s: string }\n{ a: [x * 2 for x in xs if x > 1], b: sort(rs, r -> -r.n)[:1], c: group(rs, r -> r.k), d: sum([r.n for r in rs for x in xs]), t: $"{s} {{{xs}}}", f: find(s, "(a)|b+") }\n{"xs":[1,2.0],"rs":[{"k":"a","n":1.50},{"n":-0,"k":"b"}],"s":"ab"}',
    'json\n[max(value), unique(value, x -> x.a ?? x), value[1:] + value, any([x = 1 for x in value]), matches(text(value), "[")]\n[1,2]\n["a",{"a":1}]',
    '{ constructor: int, toString: string }\nvalue.constructor + length(toString)\n{"constructor":1,"toString":"x","__proto__":2}',
  ],
  words: [
    ...[
      'value',
      'if',
      'then',
      'else',
      'and',
      'or',
      'not',
      'has(',
      'null',
      'true',
      'false',
      '...value',
      'for x in',
      'x ->',
      '[1:]',
      '$"{',
      '}"',
      'sum(',
      'sort(',
      'group(',
      'find(',
      '??',
      '+',
      '-',
      '*',
      '/',
      '%',
      '=',
      '!=',
      '<=',
    ],
    ...[
      'text(',
      'length(',
      'upper(',
      'lower(',
      'round(',
      'floor(',
      'abs(',
      'parse(',
      'number(',
      'split(',
      'contains(',
      'min(',
      'max(',
      'join(',
    ],
    ...[
      'trim(',
      'a',
      'b',
      'c',
      'kind',
      '[0]',
      '.a',
      '{ a: ',
      '}',
      ')',
      ',',
      'int',
      'number',
      'string',
      'json',
      'bool',
      'Tree',
      'Row',
      '?',
      '= 3',
    ],
    ...['"x"', '1.50', '12345678901234567890', '{"a":1}', '[1]', '\n'],
  ],
  cases: 1500,
  maxBytes: 2000,
  judge: (input) => {
    const [typeText = '', code = '', ...messages] = input.toString('utf8').split('\n')
    const of = typeOf(typeText, program, () => {})
    const parsed = of && parseExpressionText({ path: 'expression', text: code.replace(/^filter\((.*)\)$/, '$1') }, () => {})
    if (!of || !parsed) return
    // That there is no such module is reported where names are looked up, before types are.
    if (/\w\s*\.\s*\w+\s*\(/.test(code)) return
    let reports = 0
    const result = checkExpression(parsed, { input: of }, ({ severity }) => {
      if (severity === 'error') reports++
    })
    must((result === undefined) === reports > 0, `${reports} errors, and ${result ? 'a' : 'no'} type`)
    if (!result) return
    const stage = compileMap(parsed, { input: of })
    const filter = printType(result) === 'bool' ? compileFilter(parsed, { input: of }) : undefined
    for (const message of messages.map((text) => Buffer.from(text))) {
      if (filter) run(filter, message)
      const given = run(stage, message)
      if (/^[a-z_]+: /.test(given)) continue
      const output = given === 'PASS' ? message : Buffer.from(given)
      const tree = parseTree(output, 0, output.length)
      must(tree.kind !== 'fault', `${given} is not JSON`)
      must(tree.kind === 'fault' || !checkTree(result, output, tree), `${given} is not a ${printType(result)}`)
    }
  },
}
