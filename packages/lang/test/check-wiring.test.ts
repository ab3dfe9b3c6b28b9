// Wires between streams, and the plans that are made of them.

import t from 'tap'
import { bindingNamed } from '../src/compile.js'
import { hasErrors } from '../src/diagnostic/diagnostic.js'
import { planOf } from '../src/plan/root.js'
import { body, compileText, lines, table } from './reports.js'

table('wiring', [
  [
    'unknown names',
    'let critic : !int -> !int = id\nlet m : !int -> !int = nosuch ; crtic ; nosuch',
    ["2:24-30 unknown_name no binding is named 'nosuch'", "2:33-38 unknown_name 'crtic' | did you mean 'critic'?", '2:41-47 unknown_name'],
  ],
  [
    'types',
    'let a : !int -> !string = id\nlet b : !string -> !int = id\nlet c : !number -> !int = id\nlet d : !{ x: int, y: bool } -> !bool = id\nlet e : !int -> ![int] = id\nlet f : !bool -> !int = id',
    [
      "1:27-29 type_mismatch 'id' gives 'int', 'output' takes 'string' | map(text(value))",
      '2:27-29 type_mismatch | map(round(number(value)))',
      '3:27-29 type_mismatch | map(round(value))',
      "4:41-43 type_mismatch | take the field: '.y'",
      '5:26-28 type_mismatch | map([value])',
      "6:25-27 type_mismatch 'bool'",
    ],
  ],
  [
    'every place, once',
    'let f : !int -> !string = map(text(value))\nlet g : !int -> !int = id\nlet h : !int -> !int = f ; g\nlet main : !int -> !int = h ; h ; f',
    ["3:28-29 type_mismatch 'f' gives 'string', 'g' takes 'int'", "4:35-36 type_mismatch 'f' gives 'string', 'output' takes 'int'"],
  ],
  [
    'bare names',
    'let s : string -> string = map(upper(value))\nlet m : !string -> !string = s ; id\nlet n : !string -> !string = plumb(input, output) {\n  spawn s(input, output)\n}\nlet v = { a: 1 }\nlet o : !int -> !int = v',
    [
      "2:30-31 bare_in_stream 's' has bare types (base category); only stream morphisms can be wired into pipelines | apply it to each message: map(s)",
      '4:9-10 bare_in_stream',
      "7:24-25 not_a_process 'v' is a config value, not a process",
    ],
  ],
  [
    'bare operators',
    'let a : !int -> !int = id + id\nlet b : !int -> !int = trace(id)',
    ["2:24-33 stream_in_base 'trace' is allowed in the base category only"],
  ],
  [
    'm branches to n',
    body(
      '  input ; (f * f) ; (g * g) ; output',
      '  input ; (f * f) ; g ; output',
      '  input ; f ; (f * g) ; barrier ; output',
      '  input ; (f * f) ; (f * f * g) ; barrier ; output',
      '  input ; (f * f * g) ; (f * g) ; barrier ; output',
    ),
    ['7:22-31 arity_mismatch 2 branches meet 3 | m and n are equal, or one of them is 1', '8:26-31 arity_mismatch 3 branches meet 2'],
  ],
  [
    'merge and barrier',
    body(
      '  input ; merge ; output',
      '  input ; f ; barrier ; output',
      '  input ; (f * f) ; (merge * id) ; output',
      '  input ; (f * f * f) ; (merge * f) ; output',
      '  input ; (f * f * f * f) ; (merge * barrier) ; output',
    ),
    [
      "4:11-16 arity_mismatch 'merge' needs two or more inputs | (a * b) ; merge",
      "5:15-22 arity_mismatch 'barrier' needs two or more inputs",
      "6:22-27 arity_mismatch 'merge' needs two or more inputs",
      '8:30-45 arity_mismatch it is not clear which branches belong to which',
    ],
  ],
  [
    'tensors are flat, and nest in chains',
    lines(
      'let f : !int -> !int = id',
      'let a : !int -> !(int, int, int) = (f * f) * f ; barrier',
      'let b : !int -> !(int, int, int) = f * (f * f) ; barrier',
      'let c : !int -> !((int, int), int) = ((f * f) ; barrier) * f ; barrier',
      'let d : !int -> !(int, int) = copy ; barrier',
      'let e : !int -> !(int, int, int) = copy ; (copy * id) ; barrier',
      'let g : !int -> !int = copy ; merge',
      'let h : !int -> (!int, !int) = copy',
      'let i : (!int, !int) -> !int = merge',
      'let j : (!int, !string) -> !(string, int) = (id * id) ; barrier ; map([value[1], value[0]])',
    ),
    [],
  ],
  [
    'outputs of a chain',
    'let a : !int -> (!int, !int, !int) = copy\nlet b : !int -> (!int, !int) = id',
    ["1:38-42 arity_mismatch 'a' has 3 outputs in its signature, 2 come out of its chain"],
  ],
  [
    'ports in a chain',
    lines(
      'let sieve : !int -> (!int, !int) = plumb(from, small, big) { from ; (small * big) }',
      'let a : !int -> !int = sieve@from',
      'let b : !int -> !int = sieve@small',
      'let c : !int -> !int = sieve ; merge',
      'let d : !int -> (!int, !int) = sieve',
    ),
    [
      "2:24-34 arity_mismatch 'a' has 1 output in its signature, none come out of its chain",
      "3:24-35 arity_mismatch nothing can be wired into 'sieve@small'",
    ],
  ],
  [
    'what is merged',
    body(
      '  input ; (map(1) * map("x")) ; merge ; output',
      '  input ; (map({ a: 1 }) * map({ a: 2, b: 3 })) ; map(value) ; output',
      '  input ; (f * g) ; merge ; output',
    ),
    [],
  ],
  [
    'what cannot be merged',
    'let a : (![int], ![string]) -> !json = merge\nlet b : (![int], ![string]) -> !json = (id * id) ; map(value)',
    [
      "1:40-45 type_mismatch cannot merge '[int]' and '[string]' | one type, or types that are disjoint",
      '2:52-62 type_mismatch cannot merge',
    ],
  ],
  [
    'fan-in of other types',
    'let a : !int -> !string = map(text(value))\nlet m : !int -> !string = plumb(i, o) {\n  i ; a ; o\n  i ; o\n}',
    ["4:7-8 type_mismatch 'i' gives 'int', 'o' takes 'string'"],
  ],
  [
    'an unwired input',
    body('  input ; discard', '  f ; output', '  g@to ; output'),
    [
      "5:3-4 unwired_input 'f' is used but nothing is wired into its input 'input' | input ; f",
      "6:3-4 unwired_input 'g' is used but nothing is wired into its input 'from'",
    ],
  ],
  [
    'no second error behind the first',
    body('  input ; nosuch ; f ; output', '  g ; output', '  input@x ; g', '  input ; map(value + "x") ; g ; output'),
    ['4:11-17 unknown_name', "6:9-10 undeclared_port 'input' is a parameter and has no ports of its own", '7:15-20 type_mismatch'],
  ],
  [
    'a head that needs an input',
    body('  map(1) ; output', '  (f * id) ; output', '  input ; f', '  empty ; output'),
    ["4:3-9 unwired_input nothing is wired into 'map' here | input ; …", "5:8-10 unwired_input nothing is wired into 'id' here"],
  ],
  [
    'the wrong way',
    body('  output ; f', '  input ; input', '  input ; empty ; output', '  input ; f@output', '  f@input ; output'),
    [
      "4:3-9 arity_mismatch nothing comes out of 'output' here",
      "5:11-16 arity_mismatch nothing can be wired into 'input'",
      "6:11-16 arity_mismatch nothing can be wired into 'empty'",
      "7:11-19 arity_mismatch nothing can be wired into 'f@output'",
      "8:3-10 arity_mismatch nothing comes out of 'f@input' here",
    ],
  ],
  [
    'unknown ports',
    body('  input ; f@inptu', '  g@nosuch ; output'),
    [
      "4:13-18 undeclared_port 'f' has no port 'inptu' | did you mean 'input'?",
      "5:5-11 undeclared_port 'g' has no port 'nosuch' | its ports are from, to",
    ],
  ],
  [
    'the wrong number of parameters',
    'let a : !int -> !int = plumb(input) { input ; id ; output }\nlet b : !int -> !int = plumb(input, output, more) { input ; output\n more ; id ; more }',
    [
      "1:30-35 arity_mismatch 'a' has 2 ports in its signature and 1 parameter | one parameter a port, inputs first",
      "2:30-49 arity_mismatch 'b' has 2 ports in its signature and 3 parameters",
    ],
  ],
  [
    'two of one name in a body',
    'let c : !int -> !int = plumb(x, x) { x ; x }\nlet d : !int -> !int = plumb(i, o) {\n  let i : !int = channel\n  let a : !int = channel\n  let a : !string = channel\n  i ; a ; o\n}',
    [
      "1:33-34 duplicate_name name 'x' is declared twice; the first one is here at main.plumb:1:30",
      "3:7-8 duplicate_name name 'i'",
      "5:7-8 duplicate_name name 'a'",
    ],
  ],
  [
    'channels',
    body(
      '  let a : !int = channel',
      '  let b : !string = channel',
      '  let c : int = channel',
      '  let d : !Foo = channel',
      '  input ; a',
      '  input ; b',
      '  a ; f ; output',
      '  a ; b',
      '  d ; b',
    ),
    [
      "6:11-14 spec_invalid a channel carries a stream | write '!'",
      "7:12-15 unknown_type 'Foo'",
      "9:11-12 type_mismatch 'input' gives 'int', 'b' takes 'string'",
      '11:7-8 type_mismatch',
    ],
  ],
  [
    'fields',
    'type R = { a: int, b?: int, c: { d: string } }\ntype S = { k: "x", n: int } | { k: "y", n: int }\nlet a : !R -> !int = id.a\nlet b : !R -> !string = id.c.d\nlet c : !S -> !int = filter(n > 1).n\nlet d : !json -> !json = id.z\nlet e : !R -> !(int, int) = copy.a ; barrier\nlet f : !R -> !int = id.z\nlet g : !int -> !int = id.a\nlet h : !R -> !int = id.b\nlet i : !R -> !int = (id * id).a ; merge',
    ["8:25-26 unknown_field R has no field 'z'", '9:27-28 type_mismatch has no fields', '10:22-26 type_mismatch may be absent | ??'],
  ],
  [
    'typed selectors',
    'type S = { k: "x" } | { k: "y" }\ntype X = { k: "x" }\nlet only : !X -> !X = filter(true)\nlet also : !X -> !string = only ; map(k)\nlet a : !S -> !X = only\nlet b : !S -> !string = id ; also\nlet c : !S -> !X = id ; id\nlet d : !X -> !X = id\nlet e : !S -> !X = d',
    ["7:25-27 type_mismatch 'id' gives 'S', 'output' takes 'X'", "9:20-21 type_mismatch 'input' gives 'S', 'd' takes 'X'"],
  ],
  [
    'expressions',
    'type R = { n: int }\nlet a : !R -> !R = filter(n)\nlet b : !R -> !int = map(m + k)\nlet c : !int -> !int = project(0)\nlet d : !(int, int) -> !int = project(2)\nlet e : !(int, string) -> !int = project(0)',
    [
      "2:27-28 type_mismatch filter needs a bool, this is 'int'",
      '3:26-27 unknown_field',
      '3:30-31 unknown_field',
      "4:24-34 type_mismatch project takes a tuple, this is 'int'",
      "5:31-41 type_mismatch project(2) is beyond the 2 parts of '(int, int)' | counted from 0",
    ],
  ],
])

const twoByTwo =
  'let f : (!int, !string) -> (!int, !string) = plumb(a, b, c, d) { a ; c\n b ; d }\nlet main : (!int, !string) -> (!int, !string) = plumb(i, j, k, l) {\n  '

table('spawn', [
  ['by place', `${twoByTwo}spawn f(i, j, k, l)\n}`, []],
  ['by name, in any order', `${twoByTwo}spawn f(d=l, b=j, c=k, a=i)\n}`, []],
  ['by place, then by name', `${twoByTwo}spawn f(i, j, d=l, c=k)\n}`, []],
  [
    'by name, then by place',
    `${twoByTwo}spawn f(a=i, j)\n}`,
    ['4:16-17 arity_mismatch an argument by position comes after one by name | port=channel'],
  ],
  ['too many', `${twoByTwo}spawn f(i, j, k, l, i)\n}`, ["4:23-24 arity_mismatch 'f' takes 4 arguments by place, this is number 5"]],
  ['too few', `${twoByTwo}spawn f(i)\n}`, ['3:58-59 dead_wire', '3:61-62 dead_wire', '3:64-65 dead_wire']],
  [
    'a port twice',
    `${twoByTwo}spawn f(i, j, a=i, c=k, c=k)\n}`,
    ["4:17-20 duplicate_name port 'a' is given twice; the first one is here at main.plumb:4:11", "4:27-30 duplicate_name port 'c'"],
  ],
  [
    'of other types',
    `${twoByTwo}spawn f(j, i, k, l)\n}`,
    ["4:11-12 type_mismatch 'j' gives 'string', 'f' takes 'int'", "4:14-15 type_mismatch 'i' gives 'int', 'f' takes 'string'"],
  ],
  [
    'the wrong way',
    `${twoByTwo}spawn f(k, b=l, c=i)\n}`,
    [
      "4:11-12 arity_mismatch nothing comes out of 'k' here: it is an output",
      "4:16-17 arity_mismatch nothing comes out of 'l'",
      "4:21-22 arity_mismatch nothing can be wired into 'i' here: it is an input",
    ],
  ],
  [
    'unknown names',
    `${twoByTwo}let ch : !int = channel\n  spawn f(hc, bb=j)\n  spawn g(i, x)\n  spawn M.f(i)\n  spawn f(nowhere)\n}`,
    [
      "5:11-13 unknown_name no channel or parameter is named 'hc' | did you mean 'ch'?",
      "5:15-17 undeclared_port 'f' has no port 'bb' | did you mean 'b'?",
      "6:9-10 unknown_name no binding is named 'g'",
      "6:14-15 unknown_name 'x'",
      "7:9-10 unknown_module no module is named 'M'",
      "8:11-18 unknown_name 'nowhere' | let nowhere : !… = channel",
    ],
  ],
  ['nothing', `${twoByTwo}spawn f()\n}`, ["4:9-10 unwired_input 'f' is used but nothing is wired into its inputs 'a', 'b'"]],
  ['no morphism', `${twoByTwo}spawn id(i, k)\n}`, ["4:9-11 syntax_error 'id' is a reserved word and cannot be the name of a process"]],
  [
    'control by name only',
    'let bot : (!string, !json) -> (!string, !json) = agent { provider: "eliza", model: "doctor" }\nlet main : (!string, !json) -> (!string, !json, !json) = plumb(i, c, o, t, r) {\n  spawn bot(i, c, o, t, ctrl_out=r)\n}',
    [],
  ],
  [
    'telemetry by place, where replies may be meant',
    'let bot : (!string, !json) -> (!string, !json) = agent { provider: "eliza", model: "doctor" }\nlet a : (!string, !json) -> (!string, !json, !json) = plumb(i, c, o, r, t) {\n  spawn bot(i, c, o, r)\n  bot@telemetry ; t\n}\nlet b : (!string, !json) -> (!string, !json, !json) = plumb(i, c, o, r, t) {\n  spawn bot(i, c, o, r, t)\n}\nlet d : (!string, !json) -> (!string, !json) = plumb(i, c, o, t) {\n  spawn bot(i, c, o, telemetry=t)\n}',
    [
      "3:22-23 odd_place argument 4 of 'bot' by place is telemetry | 'telemetry=r', or 'ctrl_out=r'",
      '7:22-23 odd_place',
      "7:25-26 arity_mismatch 'bot' takes 4 arguments by place, this is number 5 | 'ctrl_out=r, telemetry=t'",
    ],
  ],
  [
    'an agent without its input',
    'let bot : (!string, !json) -> !string = agent { provider: "eliza", model: "doctor" }\nlet main : !json -> !string = plumb(c, o) {\n  spawn bot(ctrl_in=c, output=o)\n}',
    ["3:9-12 unwired_input 'bot' is used but nothing is wired into its input 'input'"],
  ],
])

/** Each edge as `from.port > to.port`; `!` where the receiver checks. Nodes of one name are told apart by a number. */
const wires = (text: string, name = 'main'): string[] => {
  const { program, diagnostics } = compileText(text)
  const bound = bindingNamed(program, name)
  if (hasErrors(diagnostics) || !bound) return diagnostics.map((d) => d.message)
  const { nodes, edges } = planOf(bound)
  const label = (id: number) => {
    const same = nodes.filter((n) => n.name === nodes[id]?.name)
    return same.length > 1 ? `${nodes[id]?.name}#${same.findIndex((n) => n.id === id) + 1}` : `${nodes[id]?.name}`
  }
  return edges.map(
    (e) =>
      `${label(e.from.id)}.${e.from.outputs[e.output]?.name} > ${label(e.to.id)}.${e.to.inputs[e.input]?.name}${e.isChecked ? ' !' : ''}`,
  )
}

t.test('plans', async (t) => {
  const int = '!int -> !int'
  const rows: [string, string, string[]][] = [
    ['a single morphism', `let main : ${int} = map(value + 1)`, ['input.output > map.input', 'map.output > output.input']],
    [
      'a bound morphism is one node',
      `let f : ${int} = id\nlet main : ${int} = f ; f`,
      ['input.output > f#1.input', 'f#1.output > f#2.input', 'f#2.output > output.input'],
    ],
    [
      'a bound chain is laid open',
      `let f : ${int} = id ; id\nlet main : ${int} = f`,
      [
        'input.output > f#1.input',
        'f#2.output > output.input',
        'f#1.output > id#1.input',
        'id#1.output > id#2.input',
        'id#2.output > f#2.input',
      ],
    ],
    [
      'one instance a name in a body',
      `let f : ${int} = id\nlet main : ${int} = plumb(i, o) {\n i ; f ; o\n i ; f ; o\n f ; o\n}`,
      ['i.output > f.input', 'f.output > o.input'],
    ],
    [
      'an anonymous one at each place',
      `let main : ${int} = plumb(i, o) {\n i ; id ; o\n i ; id ; o\n}`,
      ['i.output > id#1.input', 'id#1.output > o.input', 'i.output > id#2.input', 'id#2.output > o.input'],
    ],
    [
      'fan-out and fan-in',
      `let f : ${int} = id\nlet g : ${int} = id\nlet main : ${int} = (f * g) ; id`,
      ['input.output > f.input', 'input.output > g.input', 'f.output > id.input', 'g.output > id.input', 'id.output > output.input'],
    ],
    [
      'pairs',
      `let f : ${int} = id\nlet g : ${int} = id\nlet main : (!int, !int) -> (!int, !int) = (f * g) ; (g * f)`,
      [
        'input.output > f#1.input',
        'input2.output > g#1.input',
        'f#1.output > g#2.input',
        'g#1.output > f#2.input',
        'g#2.output > output.input',
        'f#2.output > output2.input',
      ],
    ],
    [
      'merge takes the rest',
      `let main : (!int, !int, !int) -> !(int, int) = (merge * id) ; barrier`,
      [
        'input.output > merge.input',
        'input2.output > merge.input2',
        'input3.output > id.input',
        'merge.output > barrier.input',
        'id.output > barrier.input2',
        'barrier.output > output.input',
      ],
    ],
    [
      'barrier in tensor order',
      `let main : !int -> !(int, int) = plumb(i, o) {\n i ; copy ; (id * map(2)) ; barrier ; o\n}`,
      [
        'i.output > copy.input',
        'copy.output > id.input',
        'copy.output2 > map.input',
        'id.output > barrier.input',
        'map.output > barrier.input2',
        'barrier.output > o.input',
      ],
    ],
    [
      'a field is a node',
      `let main : !{ a: { b: int } } -> !int = id.a.b`,
      ['input.output > id.input', 'id.output > .a.input', '.a.output > .b.input', '.b.output > output.input'],
    ],
    [
      'a channel',
      `let main : ${int} = plumb(i, o) {\n let c : !int = channel\n c ; o\n i ; c\n i ; map(1) ; c\n}`,
      ['c.output > o.input', 'i.output > c.input', 'i.output > map.input', 'map.output > c.input'],
    ],
    [
      'control',
      'let bot : (!string, !json) -> (!string, !json) = agent { provider: "eliza", model: "doctor" }\nlet main : (!string, !json) -> (!string, !json, !json) = plumb(i, c, o, t, r) {\n spawn bot(i, c, o, t)\n bot@ctrl_out ; r\n}',
      ['i.output > bot.input', 'c.output > bot.ctrl_in', 'bot.output > o.input', 'bot.telemetry > t.input', 'bot.ctrl_out > r.input'],
    ],
    [
      'an agent as main',
      'let main : (!string, !json) -> !string = agent { provider: "eliza", model: "doctor" }',
      ['input.output > main.input', 'ctrl_in.output > main.ctrl_in', 'main.output > output.input', 'main.ctrl_out > ctrl_out.input'],
    ],
    [
      'json is checked by the receiver',
      'let f : !int -> !int = id\nlet main : !json -> !json = f',
      ['input.output > f.input !', 'f.output > output.input'],
    ],
    [
      'a selector checks',
      'let f : !"x" -> !"x" = filter(true)\nlet main : !("x" | int) -> !string = f',
      ['input.output > f.input !', 'f.output > output.input'],
    ],
    [
      'defaults are filled in',
      'let f : !{ a: int, b: int = 3 } -> !json = id\nlet main : !{ a: int } -> !json = f',
      ['input.output > f.input !', 'f.output > output.input'],
    ],
    ['empty', 'let main : () -> !int = empty', ['empty.output > output.input']],
  ]
  for (const [name, text, expected] of rows) t.strictSame(wires(text), expected, name)
})

t.test('large programs', async (t) => {
  const row = (kind: (i: number) => string, n: number) => Array.from({ length: n }, (_, i) => kind(i)).join('\n')
  const chains = compileText(`let b0 : !int -> !int = id\n${row((i) => `let b${i + 1} : !int -> !int = b${i} ; map(value + ${i})`, 3000)}`)
  t.strictSame(chains.diagnostics, [], 'chains of chains, 3000 deep')
  const last = bindingNamed(chains.program, 'b3000')
  t.equal(last && planOf(last).nodes.length, 9001, 'and their plan')
  const base = compileText(
    `let b0 : int -> int = id\n${row((i) => `let b${i + 1} : int -> int = b${i} ; map(value + ${i})`, 3000)}\nlet s : !int -> !int = b3000`,
  )
  t.equal(base.diagnostics.length, 1)
  const circle = compileText(row((i) => `let b${i} : !int -> !int = b${(i + 1) % 3000} ; id`, 3000))
  t.strictSame(
    circle.diagnostics.map((d) => d.code),
    ['definition_cycle'],
    'a circle of 3000',
  )
  const modules = Object.fromEntries(
    Array.from({ length: 3000 }, (_, i) => [
      `m${i}.plumb`,
      i === 0 ? 'let f : !int -> !int = id' : `use m${i - 1}\nlet f : !int -> !int = M${i - 1}.f`,
    ]),
  )
  t.strictSame(compileText('use m2999\nlet main : !int -> !int = M2999.f', modules).diagnostics, [], '3000 modules in a row')
  const wrong = compileText(row((i) => `let f${i} : !int -> !int = unknown${i} ; map(value + "x")`, 2000))
  t.equal(wrong.diagnostics.length, 201, 'an error in each of 2000 lines: the first 200 are reported')
  t.match(wrong.diagnostics.at(-1), { severity: 'error', code: 'too_large', message: /^and 1,800 more errors: / }, 'and how many more')
})
