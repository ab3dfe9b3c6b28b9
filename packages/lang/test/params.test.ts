// Params: what they may be declared as, where their names count, and what values from outside do.

import t from 'tap'
import { readGivenValues } from '../../wire/src/spec/given-values.js'
import { bindingNamed, compile } from '../src/compile.js'
import { Sink } from '../src/expression/run/sink.js'
import type { ScannedStage } from '../src/expression/stage/scanned-stage.js'
import { compileMap } from '../src/expression/stage/stage.js'
import { format } from '../src/format/format.js'
import { environmentOf } from '../src/plan/graph.js'
import { planOf } from '../src/plan/root.js'
import { filesOf, type ModuleTexts, reports } from './reports.js'

const MODULES: ModuleTexts = { 'tax.plumb': 'param rate : number = 0.1\nlet with : number -> number = map(value + value * rate)\n' }

t.test('declarations', async (t) => {
  reports(
    t,
    'what is right',
    'param a : int = 1\nparam b : [string]\nparam c : { [string]: int }\nlet f : !int -> !int = map(value + a)',
    [],
  )
  reports(t, 'a default of another type', 'param a : int = "three"\nparam b : "x" | "y" = "z"', [
    "1:17-24 type_mismatch the default of 'a' does not fit its type: expected int",
    '2:23-26 type_mismatch',
  ])
  reports(t, 'a default that is no constant', 'param a : [int] = [b]', ['1:20-21 syntax_error a default is a string'])
  reports(
    t,
    'a list and a record',
    'param a : [int] = [1]\nparam b : { x: int } = { x: 1 }\nlet f : !int -> !int = map(value + a[0] + b.x)',
    [],
  )
  reports(t, 'no type', 'param a = 1', ["1:1-6 syntax_error a param has a type: 'param name : type'"])
  reports(t, 'an unknown type', 'param a : Ratio\nlet f : !int -> !int = map(value * a)', ["1:11-16 unknown_type no type is named 'Ratio'"])
  reports(t, 'two of a name', 'param a : int = 1\nparam a : int = 2\nlet a : !int -> !int = id', [
    "2:7-8 duplicate_name param 'a' is declared twice",
    "3:5-6 duplicate_name binding 'a' is declared twice",
  ])
  reports(t, 'the word is free elsewhere', 'let param : !{ param: int } -> !int = map(param)\nparam p : int = 1', [])
  reports(t, 'a param is not a process', 'param a : int = 1\nlet f : !int -> !int = id ; a', ["2:29-30 not_a_process 'a' is a param"])
})

t.test('names', async (t) => {
  reports(
    t,
    'fields come first',
    'param n : string = "x"\nlet f : !{ n: int } -> !int = map(n + 1)\nlet g : !{ m: int } -> !string = map(n)',
    [],
  )
  reports(t, 'names of for come first', 'param n : string = "x"\nlet f : ![int] -> ![int] = map([n + 1 for n in value])', [])
  reports(
    t,
    'before the one free name, alone too',
    'param n : int = 2\nlet f : !int -> !int = map(n)\nlet g : !int -> !int = map(x + n)',
    [],
  )
  reports(t, 'a misspelt one', 'param rate : int = 2\nlet f : !{ m: int } -> !int = map(m * rat)', [
    "2:39-42 unknown_field | did you mean 'rate'?",
  ])
  reports(t, 'its type counts', 'param w : string = "x"\nlet f : !int -> !int = map(value + w)', ['2:28-33 type_mismatch'])
  reports(
    t,
    'in config values',
    'param m : string\nparam k : int = 0\nlet c = { model: m }\nlet b : !string -> !string = agent { provider: "eliza", model: m, max_tokens: k }',
    ["4:79-80 config_invalid 'max_tokens' takes a whole number from 1"],
  )
})

t.test('what may be absent, beside a ?? that is looser', async (t) => {
  reports(t, 'and', 'let f : !{ n?: int } -> !bool = map(has(n) and n ?? 0 > 0)', [
    "1:48-49 type_mismatch 'and' needs a bool, but this is int",
  ])
  reports(t, '+', 'let f : !{ n?: int } -> !int = map(1 + n ?? 0)', ["1:40-41 type_mismatch 'n' may be absent | write (n ?? …)"])
})

t.test('words of the language that were names', async (t) => {
  reports(t, 'where a binding of the name is used', 'let batch : !int -> !int = id\nlet main : !int -> !int = batch ; id', [
    "1:5-10 syntax_error 'batch' is a word of the language; rename the binding",
    "2:33-34 syntax_error expected '(' after 'batch' | 'batch' is a word of the language, as in batch(20)",
  ])
  const field = (text: string) => `let main : !{ for: int, in: int } -> !json = map(${text})`
  for (const [text, at, word] of [
    ['for + 1', '1:50-53', 'for'],
    ['in > 3', '1:50-52', 'in'],
    ['{ x: -in }', '1:56-58', 'in'],
  ] as const)
    reports(t, text, field(text), [`${at} syntax_error '${word}' is a word of the language; write value.${word} for the field`])
  reports(t, 'a list', field('[for x in [1]]'), ["1:51-54 syntax_error expected an expression, found 'for'"])
  reports(t, 'a binding', 'let each : !int -> !int = id', ["1:5-9 syntax_error 'each' is a word of the language; rename the binding"])
  reports(t, 'a channel', 'let main : !int -> !int = plumb(i, o) {\n  let flatten : !int = channel\n  i ; o\n}', [
    "2:7-14 syntax_error 'flatten' is a word of the language; rename the channel",
  ])
  reports(t, 'an old word', 'let map : !int -> !int = id', ["1:5-8 syntax_error 'map' is a reserved word"])
  reports(t, 'fields', 'type T = { each: int, for: int }\nlet f : !T -> !int = map(each + value.for)', [])
})

const SPEC = `use tax
param n : int
param s : string = "d"
param level : "low" | "high" = "low"
param conf : { a: int, b?: int = 2 }
param any : json = null
let f : !int -> !json = map({ n: n * 2, s, level, conf, a: conf.a + 1, any, all: [n + value, s + "!"] })
let g : !int -> !json = map({ x: n, y: s }) ; map({ x: x + 1, y })
`
const given = (set: readonly string[], env: NodeJS.ProcessEnv = {}) => {
  const values = readGivenValues({ set }, undefined, env)
  if (!values.ok) throw new Error(values.error.detail)
  return compile({ path: 'main.plumb', text: SPEC, files: filesOf(MODULES), given: values.value })
}

t.test('values', async (t) => {
  const { params, faults, program } = given(['n=3', 's=0.5', 'level=high', 'conf={"a":10}', 'Tax.rate=0.25'], {
    PLUMB_SET_any: '{"deep":[1.50]}',
  })
  t.strictSame(faults, [])
  t.strictSame(
    params.map(({ name, param, isGiven }) => [name, param.text, isGiven]),
    [
      ['Tax.rate', '0.25', true],
      ['n', '3', true],
      ['s', '"0.5"', true],
      ['level', '"high"', true],
      ['conf', '{"a":10,"b":2}', true],
      ['any', '{"deep":[1.50]}', true],
    ],
  )
  const expected = '{"n":6,"s":"0.5","level":"high","conf":{"a":10,"b":2},"a":11,"any":{"deep":[1.50]},"all":[7,"0.5!"]}'
  const node = planOf(bindingNamed({ ...program }, 'f') as Parameters<typeof planOf>[0]).nodes.find(({ work }) => work.kind === 'map')
  if (node?.work.kind !== 'map') throw new Error('no map')
  const stage = compileMap(node.work.expression, environmentOf(node)) as ScannedStage
  const buf = Buffer.from('4\n')
  const out = new Sink()
  // The first by the interpreter, the later ones by generated code.
  for (let i = 0; i < 5000; i++) {
    stage.run(buf, 0, 1, out)
    const text = out.buf.toString('utf8', out.start, out.end)
    if (text !== expected) t.equal(text, expected, `run ${i}`)
  }
  const slow = new Sink()
  stage.runSlowly(buf, 0, 1, slow)
  t.equal(slow.buf.toString('utf8', slow.start, slow.end), expected, 'interpreted')
})

t.test('values that are not right', async (t) => {
  const faultsOf = (set: readonly string[], env?: NodeJS.ProcessEnv) =>
    given(set, env).faults.map(({ error, detail }) => `${error} ${detail}`)
  t.match(faultsOf([]), [/^missing_option no value for params 'n' \(int\), 'conf' \(.*\): give --set n=VALUE --set conf=VALUE/])
  t.match(faultsOf(['n=1', 'conf={"a":1}', 'level=medium']), [
    /^config_invalid the value of param 'level', from --set, does not fit .*, found "medium"/,
  ])
  t.match(faultsOf(['n=x', 'conf={"a":"y"}', 'Tax.rat=1', 'zzz=1']), [
    /^config_invalid the value of param 'n', from --set, is not a JSON value/,
    /^config_invalid the value of param 'conf', from --set, does not fit .* at .a: expected int, found "y"/,
    /^usage .* no param 'Tax.rat' \(--set\): did you mean 'Tax.rate'\?/,
    /^usage .* no param 'zzz' \(--set\): it has Tax.rate, n, s, level, conf, any/,
  ])
  t.match(faultsOf(['n=1', 'conf={"a":1}'], { PLUMB_SET_n: '2', PLUMB_SET_Tax_rate: 'much' }), [
    /^config_invalid the value of param 'Tax.rate', from PLUMB_SET_Tax_rate/,
  ])
  t.strictSame(compile({ path: 'main.plumb', text: SPEC, files: filesOf(MODULES) }).faults, [], 'a check needs none')
  for (const set of ['n', '=1', 'a b=1', '-n=1']) t.match(readGivenValues({ set: [set] }), { ok: false, error: { error: 'usage' } })
})

t.test('layout', async (t) => {
  const wide = `param   long :
   { ${Array.from({ length: 12 }, (_, i) => `field_${i}: string`).join(', ')} }\nparam n:int=1 (* why *)\nlet f : !int -> !int = id\n`
  const laidOut = format({ path: 'a.plumb', text: wide })
  const tidy = laidOut.ok ? laidOut.text : ''
  t.match(tidy, /^param long : \{\n {2}field_0: string,\n/)
  t.match(tidy, /\nparam n : int = 1 \(\* why \*\)\n/)
})
