import fc from 'fast-check'
import t from 'tap'
import { runs } from '../../wire/test/property.js'
import { bindingNamed } from '../src/compile.js'
import { hasErrors } from '../src/diagnostic/diagnostic.js'
import { planOf } from '../src/plan/root.js'
import { agentsOf } from '../src/program/agent-plan.js'
import { compileText, type ModuleTexts, reports } from './reports.js'

/** A name for the test, the program, all that is reported, and the modules it uses. */
type Row = readonly [string, string, readonly string[], ModuleTexts?]

const table = (name: string, rows: readonly Row[]): void => {
  t.test(name, async (t) => {
    for (const row of rows) reports(t, ...row)
  })
}

const lines = (...list: string[]): string => list.join('\n')
/** Lines of statements between the ports of `main`, from line 3. `f` and `g` are `!int -> !int`. */
const body = (...list: string[]): string =>
  lines(
    'let f : !int -> !int = id ; id',
    'let g : !int -> !int = plumb(from, to) { from ; to }',
    'let main : !int -> !json = plumb(input, output) {',
    ...list,
    '}',
  )

table('what other languages write', [
  [
    'an arrow of JavaScript',
    'let f : ![int] -> ![int] = map(sort(xs, x => -x))',
    ["1:43-45 syntax_error a function of an item is written 'x -> e' | write '->' for '=>'"],
  ],
  [
    'comments',
    '// a\nlet f : !int -> !int = id // b\n# c\nlet g : !int -> !int = nosuch',
    [
      "1:1-3 syntax_error unexpected '//' | comments are written (* … *)",
      "2:27-29 syntax_error unexpected '//'",
      "3:1-2 syntax_error unexpected '#' | comments are written (* … *)",
      "4:24-30 unknown_name no binding is named 'nosuch'",
    ],
  ],
  ['a first line without its mark', '#/usr/bin/env plumb\nlet f : !int -> !int = id', ["1:1-2 syntax_error | '#!/usr/bin/env plumb'"]],
  [
    'a first line that is none',
    ' #!/usr/bin/env plumb\nlet f : !int -> !int = id',
    ["1:2-4 syntax_error unexpected '#!' | the first of the file"],
  ],
  ['single quotes', "let f : !string -> !string = map('it\"s')", ['1:34-40 syntax_error double quotes | write "it\\"s"']],
  ['one quote', "let f : !string -> !string = map(it's)", ['1:36-37 syntax_error double quotes']],
  [
    'equality',
    'let f : !int -> !bool = map(value == 1)\nlet g : !int -> !bool = map(value == "x")',
    ["1:35-37 syntax_error equality is written '='", '2:29-41 type_mismatch', "2:35-37 syntax_error equality is written '='"],
  ],
  [
    'no let',
    'main : !int -> !int = id\nlet f : !int -> !int = nosuch',
    ["1:1-5 syntax_error | write 'let main …'", '2:24-30 unknown_name'],
  ],
  [
    'arrows and pipes',
    body('  input -> f -> output', '  input | f', '  input ; g | output', '  input ; nosuch'),
    [
      "4:9-11 syntax_error found '->' | wired with ';'",
      "5:9-10 syntax_error found '|' | wired with ';'",
      "6:13-14 syntax_error found '|' | wired with ';'",
    ],
  ],
  ['a pipe outside a body', 'let f : !int -> !int = id | id', ["1:27-28 syntax_error found '|' | wired with ';'"]],
  [
    'what is not closed',
    'let f : !int -> !int = map(value + 1\nlet g : !int -> !int = map([1, 2)\nlet h : [int\nlet i : !int -> !int = id',
    ["1:37-37 syntax_error expected ')' after the expression", "2:33-34 syntax_error expected ']'", "3:13-13 syntax_error expected ']'"],
  ],
  [
    'built-in tools by their own names',
    'let b : !string -> !string = agent { provider: "eliza", tools: [read_file, "apply_patch", nosuch] }',
    [
      "1:65-74 unknown_name no binding is named 'read_file' | write 'use fs' and name it 'Fs.read'",
      "1:76-89 unknown_name | 'use fs'",
      "1:91-97 unknown_name no binding is named 'nosuch'",
    ],
  ],
  [
    'functions that there are not',
    'let f : !string -> !string = map(uper(value))\nlet g : !string -> !string = map(foobar(value))',
    ["1:34-38 unknown_function | did you mean 'upper'?", '2:34-40 unknown_function | there are abs, all, any, ceil, contains'],
  ],
  [
    'values that are not a binding',
    'let a = ["x"]\nlet b = "x"\nlet c = -1\nlet d = true\nlet e = { list: ["x"] }',
    [
      "1:9-10 syntax_error config value { … }, not a list | 'let name = { key: … }'",
      '2:9-12 syntax_error not a string',
      '3:9-10 syntax_error not a number',
      "4:9-13 syntax_error not 'true'",
    ],
  ],
  [
    'records, field by field',
    lines(
      'type T = { a: int, b: string, c?: bool }',
      'let f : !int -> !T = map({ a: value, d: 1 })',
      'let g : !{ a: string, b?: string } -> !T = id',
      'let h : { a: string, b: string } -> T = id',
    ),
    [
      "2:22-45 type_mismatch 'map' gives | 'd' is unknown there; 'b' is missing",
      "3:44-46 type_mismatch | 'a' is 'string', wanted is 'int'; 'b' may be absent",
      "4:41-43 type_mismatch | 'a' is 'string', wanted is 'int'",
    ],
  ],
])

table('maps', [
  [
    'what fits',
    lines(
      'type T = { [string]: T }',
      'let a : !{ [string]: { @max 3 n?: int = 3 } } -> !{ [string]: json } = id',
      'let b : !{ a: int, b?: int } -> !{ [string]: number } = id',
      'let c : !({ [string]: int } | [int]) -> !json = id',
    ),
    [],
  ],
  [
    'what does not',
    lines(
      'let a : !{ [string]: int } -> !{ a?: int } = id',
      'let b : !{ a: int, b: string } -> !{ [string]: int } = id',
      'type A = { [string]: int } | { a: int }',
      'type B = { [string]: int } | { [string]: string }',
      'type C = { [string]: int } | { kind: "c" }',
    ),
    [
      "1:46-48 type_mismatch 'id' gives '{ [string]: int }', 'output' takes '{ a?: int }'",
      "2:56-58 type_mismatch | 'b' is 'string', wanted is 'int'",
      "3:30-40 overlapping_sum variants '{ [string]: int }' and '{ a: int }' overlap: both accept {\"a\":0}",
      '4:30-50 overlapping_sum both accept {}',
    ],
  ],
  [
    'how it is written',
    'type A = { [int]: string }\ntype B = { [string]: int, a: int }\ntype C = { [string] }',
    [
      "1:13-16 syntax_error expected 'string' between '[' and ']' of a map, found 'int'",
      "2:25-26 syntax_error a map has one type for all its values: '{ [string]: T }'",
      "3:21-22 syntax_error expected ':' after '[string]', found '}'",
    ],
  ],
])

const SOME = 'let some : !string -> !string = agent { command: ["./some"], answers: "some" }'
const UP = 'let up : !string -> !string = agent { command: ["./up"] }'

table('how foreign programs answer', [
  [
    'each, where nothing is said: anywhere',
    lines(
      UP,
      'let twice : !string -> !string = up ; up',
      'let pair : !string -> !(string, string) = (twice * id) ; barrier',
      'let a : !string -> !(string, string) = up ; (id * filter(true)) ; barrier',
      'let main : !string -> !((string, string), string) = plumb(i, o) {',
      '  i ; (pair * (id ; up)) ; barrier ; o',
      '}',
      'let b : (!string, !string) -> !(string, string) = (up * id) ; barrier',
    ),
    ["4:5-6 unused_binding 'a'", "8:5-6 unused_binding 'b'"],
  ],
  [
    'as it says',
    lines(
      'let up : !string -> !string = agent { command: ["./up"], answers: "each" }',
      'let some : !string -> !string = agent { command: ["./some"], answers: "some" }',
      'let a : !string -> !string = agent { provider: "eliza", answers: "each" }',
      'let b : !string -> !string = agent { command: ["x"], answers: "none" }',
    ),
    ["3:66-72 config_invalid 'answers' is for an agent with 'command'", "4:63-69 config_invalid 'answers' takes one of"],
  ],
  [
    'only some',
    lines(
      'let up : !string -> !string = agent { command: ["./up"], answers: "each" }',
      'let some : !string -> !string = agent { command: ["./some"], answers: "some" }',
      'let c : !string -> !(string, string) = (up * some) ; barrier',
      'let d : !string -> !string = (up * some) ; merge',
    ),
    ["3:46-50 origin_needed 'some' answers only some of its inputs, and in a branch of a barrier | numbered"],
  ],
  [
    'only some, where it must be known which',
    lines(
      SOME,
      'let a : !string -> !string = some + id',
      'let b : ![string] -> ![string] = each(some)',
      'let c : !string -> !string = plumb(i, o) {',
      '  i ; some',
      '  some ; filter(length(value) < 3) ; some',
      '  some ; filter(length(value) > 2) ; o',
      '}',
      'let main : !string -> (!string, !Failure) = plumb(i, o, failed) {',
      '  i ; some ; o',
      '  some@error ; failed',
      '}',
      'let d : !string -> !(string, string) = some ; (id * id) ; barrier',
    ),
    [
      "2:5-6 unused_binding 'a'",
      "2:30-34 origin_needed 'some' answers only some of its inputs, and in a '+'",
      "3:5-6 unused_binding 'b'",
      "3:39-43 origin_needed 'some' answers only some of its inputs, and in an each",
      "4:5-6 unused_binding 'c'",
      "5:7-11 origin_needed 'some' answers only some of its inputs, and in a loop",
      "10:7-11 origin_needed 'some' answers only some of its inputs, and where its port 'error' is wired",
      "13:5-6 unused_binding 'd'",
    ],
  ],
  [
    'only some, in nested plumbs that pass its answers on',
    lines(
      SOME,
      'let inner : !string -> !string = plumb(i, o) { i ; some ; o }',
      'let outer : !string -> !string = plumb(i, o) { i ; inner ; map(value) ; o }',
      'let aside : !string -> !string = plumb(i, o) { i ; o ; i ; some ; discard }',
      'let a : !string -> !string = outer + id',
      'let b : ![string] -> ![string] = each(id ; outer)',
      'let c : !string -> !string = aside + id',
      'let main : !string -> !(string, string) = plumb(i, o) { i ; (id * outer) ; barrier ; o }',
    ),
    [
      "4:5-10 unused_binding 'aside'",
      "5:5-6 unused_binding 'a'",
      "5:30-35 origin_needed 'outer' gives what 'some' answers, which answers only some of its inputs, and in a '+'",
      "6:5-6 unused_binding 'b'",
      "6:44-49 origin_needed 'outer' gives what 'some' answers, which answers only some of its inputs, and in an each",
      "7:5-6 unused_binding 'c'",
      "8:67-72 origin_needed 'outer' gives what 'some' answers, which answers only some of its inputs, and in a branch of a barrier",
    ],
  ],
])

table('a name that is all of a map or a filter', [
  [
    'neither a field nor a binding: the whole input',
    'let a : !int -> !int = map(score)\nlet b : !bool -> !bool = filter(ok)\nlet c : int -> int = map(score)\nlet d : !json -> !json = map(score) ; map(value)',
    [
      "1:28-33 lone_name 'score' names no field and no binding: it means the whole input | map(value)",
      '2:33-35 lone_name | filter(value)',
      '3:26-31 lone_name',
      '4:30-35 lone_name',
    ],
  ],
  ['part of more', 'let a : !int -> !int = map(score * 2)\nlet b : !int -> !int = filter(score > 2)', []],
  [
    'fields come first',
    'let n : int -> int = map(value + 1)\nlet a : !{ n: string } -> !string = map(n)\nlet m : { m: int } -> int = map(m)\nlet b : !({ n: int } | { n: string }) -> !(int | string) = map(n)',
    [],
  ],
  [
    'a bare binding is applied',
    lines(
      'let inc : int -> int = map(value + 1)',
      'let twice : int -> int = map(inc) ; inc',
      'let pair : int -> (int, int) = map(inc) * map(twice)',
      'let pairs : !int -> !(int, int) = id ; map(pair)',
      'let main : !int -> !int = plumb(i, o) {',
      '  i ; pairs ; map(value[0]) ; map(twice) ; o',
      '}',
    ),
    [],
  ],
  [
    'with its types',
    lines(
      'let inc : int -> int = map(value + 1)',
      'let a : !string -> !int = map(inc)',
      'let b : !int -> !string = map(inc)',
      'let c : string -> int = map(inc)',
      'let d : !json -> !int = map(inc)',
      'let e : !{ n: int } -> !int = map(inc)',
    ),
    [
      "2:27-35 type_mismatch 'input' gives 'string', 'inc' takes 'int' | map(round(number(value)))",
      "3:27-35 type_mismatch 'inc' gives 'int', 'output' takes 'string'",
      "4:29-32 type_mismatch 'inc' takes 'int', it is given 'string'",
      "6:31-39 type_mismatch 'input' gives '{ n: int }', 'inc' takes 'int' | take the field: '.n'",
    ],
  ],
  [
    'of a module',
    'use words\nlet a : !string -> !string = map(Words.shout)\nlet b : string -> string = map(Words.shout)\nlet c : !string -> !string = map(Words.shuot)\nlet d : !{ Words: { shout: int } } -> !int = map(Words.shout)',
    ["4:40-45 unknown_name no binding is named 'Words.shuot' | did you mean 'shout'?"],
    { 'words.plumb': 'let shout : string -> string = map(upper(value))' },
  ],
  [
    'what cannot be put on a stream so',
    lines(
      'let search : string -> json = tool { builtin: "find_resources" }',
      'let twice : string -> json = search ; map({ found: value })',
      'let thrice : string -> json = map(twice)',
      'let ask : !string -> !string = agent { provider: "eliza" }',
      'let conf = { a: 1 }',
      'let a : !string -> !json = map(search)',
      'let b : !string -> !json = map(thrice)',
      'let c : !string -> !string = map(ask)',
      'let d : !string -> !json = map(conf)',
      'let e : string -> string = map(ask)',
      'let f : !int -> !int = map(value + 1, parallel: 2)',
      'let g : !string -> !json = map(search, parallel: 0) ; map(value)',
    ),
    [
      "8:34-37 stream_in_base 'ask' is a process on streams, and map takes | '… ; ask ; …'",
      "9:32-36 not_a_process 'conf' is a config value",
      "10:32-35 stream_in_base 'ask' is not a bare morphism (base category) | tool { process: ask }",
      "11:49-50 type_mismatch 'parallel' says how many calls of a tool run at once, and this map calls none",
      "12:50-51 type_mismatch 'parallel' is a whole number from 1",
    ],
  ],
  [
    'numbers that are params: their types, their defaults, their names',
    lines(
      'param n : int = 3',
      'param seconds : number = 0.5',
      'param none : int = 0',
      'param many : int',
      'param word : string = "2"',
      'param late : number = -1',
      'param key : secret int = 2',
      'let search : string -> json = tool { builtin: "find_resources" }',
      'let a : !int -> ![int] = batch(n, within: seconds) ; each(id, parallel: many)',
      'let b : !string -> !json = map(search, parallel: n)',
      'let c : [string] -> [json] = each(search, parallel: many, on_error: "skip")',
      'let d : !int -> ![int] = batch(none, within: late)',
      'let e : !int -> ![int] = batch(word, within: word)',
      'let f : !int -> ![int] = batch(seconds, within: n)',
      'let g : !string -> !json = map(search, parallel: none)',
      'let h : [string] -> [json] = each(search, parallel: sum)',
      'let i : !int -> ![int] = batch(mani)',
      'let j : !int -> ![int] = batch(search, within: Other.n)',
      'let k : !int -> ![int] = batch(key)',
      'let l : !int -> ![int] = batch(n + 1)',
    ),
    [
      "12:32-36 type_mismatch 'batch' takes a whole number from 1: so many messages make a list; the param 'none' is 0",
      "12:46-50 type_mismatch 'within' is a number of seconds over 0, at most 2,000,000; the param 'late' is -1",
      "13:32-36 type_mismatch the param 'word' is 'string' | declare it as 'param word : int'",
      "13:46-50 type_mismatch the param 'word' is 'string' | declare it as 'param word : number'",
      "14:32-39 type_mismatch the param 'seconds' is 'number' | declare it as 'param seconds : int'",
      "15:50-54 type_mismatch 'parallel' is a whole number from 1; the param 'none' is 0",
      "16:53-56 unknown_name no param is named 'sum' | write a literal or a param",
      "17:32-36 unknown_name no param is named 'mani' | did you mean 'many'?",
      "18:32-38 unknown_name no param is named 'search' | write a literal or a param",
      "18:48-53 unknown_module no module is named 'Other'",
      "19:32-35 type_mismatch the param 'key' is labelled",
      '20:34-35 syntax_error',
    ],
  ],
  [
    'made of itself',
    'let f : int -> int = map(g)\nlet g : int -> int = id ; map(f)\nlet main : !int -> !int = map(f)',
    ["1:5-6 definition_cycle 'f' is made of itself: f -> g -> f"],
  ],
  [
    'used, and unused',
    'let f : int -> int = map(g)\nlet g : int -> int = id\nlet h : int -> int = id\nlet main : !int -> !int = map(f)',
    ["3:5-6 unused_binding 'h' is never used"],
  ],
  [
    'twice at each step',
    `let b0 : int -> int = id\n${Array.from({ length: 15 }, (_, i) => `let b${i + 1} : int -> int = b${i} ; map(b${i})`).join('\n')}`,
    ["14:5-8 too_large 'b13' is made of more than 10,000 parts"],
  ],
  [
    'a warning does not turn a tensor to the parts of a tuple',
    'let a : (int, int) -> ((int, int), int) = map(x) * map(value[0])',
    ['1:47-48 lone_name'],
  ],
])

table('types', [
  ['in any order, and of each other', 'type A = { b?: B, xs: [A] }\ntype B = A | int\nlet main : !A -> !B = id', []],
  [
    'a type contains itself',
    'type A = { a: A }',
    ["1:6-7 type_cycle type 'A' contains itself without end: A -> A | through an array, a map, an optional field or a sum"],
  ],
  ['in a tuple', 'type B = (B, int)', ['1:6-7 type_cycle B -> B']],
  ['as an alias', 'type C = C', ['1:6-7 type_cycle C -> C']],
  ['two aliases are one circle', 'type D = E\ntype E = D', ['1:6-7 type_cycle D -> E -> D']],
  ['a sum of itself', 'type F = F | int', ['1:6-7 type_cycle F -> F']],
  ['a circle of three', 'type J = { k: K }\ntype K = { l: L }\ntype L = { j: J }', ['1:6-7 type_cycle J -> K -> L -> J']],
  ['a sum without a way out', 'type A = { k: A | B }\ntype B = { b: A }', ['1:6-7 type_cycle A -> A']],
  ['ways out', 'type G = { a?: G }\ntype H = [H]\ntype I = { i: I | unit }\ntype K = { k: [K], l: K | "end" }', []],
  [
    'who mentions an infinite type is not reported',
    'type A = { a: A }\ntype B = { a: A }\ntype C = [B]\nlet m : !C -> !A = nosuch',
    ['1:6-7 type_cycle', '4:20-26 unknown_name'],
  ],
  [
    'two of one name',
    'type T = int\ntype T = string\nlet m : !T -> !int = id',
    ["2:6-7 duplicate_name type 'T' is declared twice; the first one is here at main.plumb:1:6 | rename"],
  ],
  ['a name of the language', 'type int = string', ["1:6-9 duplicate_name 'int' is a type of the language"]],
  [
    'two fields of one name',
    'type A = { a: int, b: int, a: string }',
    ["1:28-29 duplicate_name field 'a' is declared twice; the first one is here at main.plumb:1:12"],
  ],
  [
    'unknown names',
    'type A = { a: Foo, b: [Bar] }\nlet m : !Aa -> !intt = id',
    [
      "1:15-18 unknown_type no type is named 'Foo'",
      "1:24-27 unknown_type 'Bar'",
      "2:10-12 unknown_type 'Aa' | did you mean 'A'?",
      "2:17-21 unknown_type 'intt' | did you mean 'int'?",
    ],
  ],
  [
    'of modules',
    'use m\ntype X = M.T | string\nlet a : !M.Rov -> !N.T = id\ntype Y = m.T\ntype Z = Q.T',
    [
      "3:12-15 unknown_type no type is named 'M.Rov' | did you mean 'Row'?",
      "3:20-21 unknown_module no module is named 'N' | write 'use n' first",
      "4:10-11 unknown_module 'm' | did you mean 'M'?",
      "5:10-11 unknown_module 'Q' | write 'use q' first",
    ],
    { 'm.plumb': 'type T = int\ntype Row = { a: int }' },
  ],
  [
    'nothing overlaps',
    'type A = int | string | bool | unit | [int] | { a: int }\ntype B = (int | string) | bool\ntype C = { kind: "a" } | { kind: "b", x: int }',
    [],
  ],
  ['int and number', 'type A = int | number', ["1:16-22 overlapping_sum variants 'int' and 'number' overlap: both accept 0 | disjoint"]],
  ['one complaint a sum', 'type A = int | number | json | int', ['1:16-22 overlapping_sum']],
  ['inside a sum', 'type B = (int | string) | (int | bool)', ['1:28-38 overlapping_sum both accept 0']],
  ['inside a field, through a name', 'type D = { a: A | int }\ntype A = "x" | int', ["1:19-22 overlapping_sum variants 'A' and 'int'"]],
  ['in a signature', 'let m : !(int | number) -> !int = id', ['1:17-23 overlapping_sum']],
  ['with a module’s', 'use m\ntype X = M.T | int', ["2:16-19 overlapping_sum variants 'T' and 'int'"], { 'm.plumb': 'type T = int' }],
  [
    'defaults',
    'type A = { a: int = 3, b: "lo" | "hi" = "lo", c: unit = null, d?: number = -1.5, e: json = null, f: bool = true, g: A | int = 3 }',
    [],
  ],
  [
    'defaults that do not fit',
    'type A = { a: int = "x", b: string = 3, c: int = 1.5, d: "lo" | "hi" = "mid", f: [int] = null, h: B = 4 }\ntype B = { x: int }',
    [
      '1:21-24 type_mismatch the default of \'a\' does not fit its type: expected int, found "x"',
      '1:38-39 type_mismatch expected string',
      '1:50-53 type_mismatch expected int',
      '1:72-77 type_mismatch expected "lo"',
      '1:90-94 type_mismatch expected [int]',
      '1:103-104 type_mismatch expected B',
    ],
  ],
  [
    'annotations of fields',
    'type A = {\n@description "x" @min 1 @max 3.5 a: int,\n@descripton "y" b: int,\n@min "3" c: int,\n@tool d: int,\n@min 1 @min 2 e: int,\n@description f: int }',
    [
      "3:1-16 annotation_invalid a field has no annotation '@descripton' | did you mean '@description'?",
      "4:1-9 annotation_invalid '@min' takes a number",
      "5:1-6 annotation_invalid '@tool' | it may have @description, @min, @max",
      "6:8-14 annotation_invalid '@min' is given twice",
      "7:1-13 annotation_invalid '@description' takes a string",
    ],
  ],
  [
    'limits of fields',
    lines(
      'type A = { @min 1 a: bool, @max 3 b: json, @min 2 c: { x: int }, @max 2 d: "lo" | "hi" }',
      'type B = { @min 5 @max 4 a: int, @min 1 b: int = 0, @max 2 c: string = "äöü", @max 3 d: int | string = "four" }',
      'type C = { @min 1 @max 1 a: int | bool, @min 1 b?: [int], @max 3 c: string = "äöü", @min 0.5 d: number = 0.5 }',
      'let m : !C -> !{ a: int | bool, b?: [int], c: string, d: number } = id',
      'let n : !{ a: int | bool, b?: [int], c: string, d: number } -> !C = id',
      'let o : (!{ @max 1 a: int }, !{ @min 1 a: int }) -> !{ a: int } = merge',
    ),
    [
      "1:12-18 annotation_invalid '@min' says nothing of 'a', which is 'bool' | number, int, string or a list",
      "1:28-34 annotation_invalid '@max' says nothing of 'b', which is 'json'",
      "1:44-50 annotation_invalid '@min' says nothing of 'c'",
      "1:66-72 annotation_invalid '@max' says nothing of 'd'",
      "2:12-18 annotation_invalid '@min 5' is above '@max 4'",
      "2:50-51 type_mismatch the default of 'b' does not fit its type: 0 is less than '@min 1'",
      "2:72-77 type_mismatch the default of 'c' does not fit its type: \"äöü\" has 3 characters, more than '@max 2'",
      "2:104-110 type_mismatch the default of 'd' does not fit its type",
    ],
  ],
  [
    'a thousand types in a row',
    lines(
      'type T0 = int',
      ...Array.from({ length: 3000 }, (_, i) => `type T${i + 1} = { a: T${i}, b: [T${i}] }`).reverse(),
      'let m : !T3000 -> !T3000 = id',
    ),
    [],
  ],
])

table('signatures and bindings', [
  [
    'bare and stream mixed',
    'let a : !int -> int = id\nlet b : (!int, int) -> !int = merge\nlet c : int -> (!int, !int) = copy',
    ["1:17-20 spec_invalid bare types and streams are mixed | write '!' before each type", '2:16-19 spec_invalid', '3:9-12 spec_invalid'],
  ],
  [
    'no output',
    'let g : !int -> () = discard\nlet h : () -> int = map(3)',
    ["1:9-19 spec_invalid 'g' has no output", "2:9-18 spec_invalid 'h' takes no message"],
  ],
  ['no input', 'let d : () -> !int = empty\nlet e : () -> !int = plumb(o) { empty ; o }', []],
  [
    'no input for what needs one',
    'let d : () -> !int = id\nlet e : () -> !int = d ; id',
    ["1:22-24 unwired_input nothing is wired into this: 'd' has no input"],
  ],
  [
    'tuples and ports',
    'let a : (!int) -> (!int) = id\nlet b : !(int) -> !int = id\nlet c : (int, int) -> int = map(value[0])\nlet d : (int | string) -> json = id\nlet e : (!int, !(int, int)) -> !json = merge',
    [],
  ],
  [
    'the wrong kind of types',
    'let i : int -> int = plumb(a, b) { a ; b }\nlet j : int -> int = agent { provider: "eliza" }\nlet k : !int -> !int = tool { command: "x" }',
    [
      '1:9-12 spec_invalid a plumb has stream types',
      "2:9-12 spec_invalid an agent has stream types | 'tool { process: … }' makes a tool of it",
      '3:9-21 spec_invalid a tool has bare types (base category)',
    ],
  ],
  [
    'no signature',
    'let l = agent { provider: "eliza" }\nlet n = id\nlet m : !int -> !int = { a: 1 }\nlet o = { a: 1 }',
    [
      "1:5-6 spec_invalid 'l' has no signature | let l : !string -> !string",
      "2:5-6 spec_invalid 'n' has no signature",
      "3:5-6 spec_invalid 'm' is a config value and has no signature",
    ],
  ],
  [
    'two of one name',
    'let a : !int -> !int = id\nlet a : !string -> !string = id',
    ["2:5-6 duplicate_name binding 'a' is declared twice; the first one is here at main.plumb:1:5"],
  ],
  ['a type and a binding of one name', 'type Row = int\nlet row : !Row -> !Row = id', []],
  [
    'annotations',
    lines(
      '@description "x" @version "1.0" @tool',
      'let a : int -> int = id',
      '@tool "x"',
      'let b : int -> int = id',
      '@nosuch',
      'let c : int -> int = id',
      '@descripton "s"',
      'let d : int -> int = id',
      '@description 3',
      'let e : int -> int = id',
      '@tool',
      'let f : !int -> !int = id',
      '@tool true',
      'let g = { a: 1 }',
    ),
    [
      "3:1-10 annotation_invalid '@tool' takes true or false",
      "5:1-8 annotation_invalid a binding has no annotation '@nosuch' | it may have @description, @tool, @version",
      "7:1-16 annotation_invalid '@descripton' | did you mean '@description'?",
      "9:1-15 annotation_invalid '@description' takes a string",
      "11:1-6 annotation_invalid '@tool' belongs above a bare morphism | tool { process: f }",
      "13:1-11 annotation_invalid '@tool' belongs above a bare morphism",
    ],
  ],
  [
    'made of itself',
    'let a : !int -> !int = a\nlet b : !int -> !int = c ; id\nlet c : !int -> !int = plumb(i, o) { i ; b ; o }\nlet d : int -> int = d\nlet e : !int -> !int = b ; nosuch\nlet f : int -> int = tool { pool: [f] }',
    [
      "1:5-6 definition_cycle 'a' is made of itself: a -> a",
      "2:5-6 definition_cycle 'b' is made of itself: b -> c -> b",
      '4:5-6 definition_cycle d -> d',
      '5:28-34 unknown_name',
      '6:5-6 definition_cycle f -> f',
    ],
  ],
  [
    'a tool and the agent that calls it',
    'let ask : string -> string = tool { process: bot }\nlet bot : !string -> !string = agent { provider: "eliza", tools: [ask] }',
    [],
  ],
  [
    'doubling',
    lines('let b0 : !int -> !int = id', ...Array.from({ length: 40 }, (_, i) => `let b${i + 1} : !int -> !int = b${i} ; b${i}`)),
    ["14:5-8 too_large 'b13' is made of more than 10,000 parts"],
  ],
  [
    'warnings',
    'type foo = int\nuse m as mm\nlet Foo : !int -> !int = id\nlet g : !int -> !int = id\nlet h : !int -> !int = g\nlet v = { a: 1 }\nlet main : !int -> !int = Foo\n@tool true\nlet t : int -> int = id',
    [
      "1:6-9 odd_capital type 'foo' starts with a small letter | 'Foo' is the custom",
      "2:10-12 odd_capital module 'mm'",
      "3:5-8 odd_capital binding 'Foo' starts with a capital",
      "4:5-6 unused_binding 'g' is never used",
      '5:5-6 unused_binding',
      '6:5-6 unused_binding',
    ],
    { 'm.plumb': '' },
  ],
  ['no warning of unused names beside an error', 'let g : !int -> !int = id\nlet main : !int -> !int = nosuch', ['2:27-33 unknown_name']],
])

table('modules', [
  [
    'found',
    'use m\nuse "./lib/x.plumb" as X\nuse "./lib/y.plumb"\nlet main : !M.T -> !int = M.f ; X.f ; Y.f',
    [],
    {
      'm.plumb': 'type T = int\nlet f : !T -> !T = id',
      'lib/x.plumb': 'let f : !int -> !int = id',
      'lib/y.plumb': 'let f : !int -> !int = id',
    },
  ],
  ['in any place', 'let main : !int -> !int = M.f\nuse m', [], { 'm.plumb': 'let f : !int -> !int = id' }],
  [
    'missing, reported once',
    'use nosuch\nuse "./gone.plumb" as G\nlet main : !Nosuch.T -> !G.T = Nosuch.x ; G.y.z\nlet bot : !string -> !string = agent { tools: [Nosuch.a], request: G.x }\nlet h : int -> int = tool { process: G.f }',
    [
      "1:5-11 unknown_module cannot find module 'nosuch' | nosuch.plumb",
      "2:5-19 unknown_module cannot read module './gone.plumb': no such file",
    ],
  ],
  [
    'two of one name',
    'use a\nuse b as A',
    ["2:10-11 duplicate_name module 'A' is declared twice; the first one is here at main.plumb:1:5"],
    { 'a.plumb': '', 'b.plumb': '' },
  ],
  [
    'a cycle',
    'use a\nlet main : !int -> !int = A.x',
    ['b.plumb:1:5-6 module_cycle modules use each other in a circle: a -> b -> a'],
    { 'a.plumb': 'use b\nlet x : !int -> !int = B.x', 'b.plumb': 'use a\nlet x : !int -> !int = A.x' },
  ],
  ['itself', 'use m', ['m.plumb:1:5-6 module_cycle m -> m'], { 'm.plumb': 'use m' }],
  [
    'a diamond',
    'use a\nuse b\nlet main : !int -> !int = A.f ; B.f',
    [],
    {
      'a.plumb': 'use c\nlet f : !int -> !int = C.f',
      'b.plumb': 'use c as D\nlet f : !int -> !int = D.f',
      'c.plumb': 'let f : !int -> !int = id',
    },
  ],
  [
    'errors in all files, each once',
    'use a\nlet main : !int -> !int = A.x ; A.broken ; A.y ; nosuch',
    [
      "a.plumb:1:18-21 unknown_type 'Foo'",
      'a.plumb:2:22-23 syntax_error',
      'a.plumb:3:24-30 unknown_name',
      "a.plumb:4:27-29 type_mismatch 'id' gives 'string', 'output' takes 'int'",
      '2:50-56 unknown_name',
    ],
    { 'a.plumb': 'let x : !int -> !Foo = id\nlet broken : !int -> = id\nlet z : !int -> !int = nosuch\nlet y : !string -> !int = id' },
  ],
  [
    'names that a module has not',
    'use words\nlet a : !string -> !string = Words.shuot\nlet b : !string -> !string = words.shout\nlet c : !string -> !string = Wods.shout@input',
    [
      "2:36-41 unknown_name no binding is named 'Words.shuot' | did you mean 'shout'?",
      "3:30-35 unknown_name 'words' | did you mean 'Words'?",
      "4:30-34 unknown_module no module is named 'Wods' | did you mean 'Words'?",
    ],
    { 'words.plumb': 'let shout : !string -> !string = map(upper(value))' },
  ],
  ['a module is not a process', 'use m\nlet a : !int -> !int = M', ["2:24-25 unknown_name 'M'"], { 'm.plumb': '' }],
  [
    'ports of members',
    'use m\nlet main : !int -> !int = plumb(input, output) {\n  input ; M.sieve@from\n  M.sieve@small ; output\n  M.sieve@bigg ; discard\n}',
    ["5:11-15 undeclared_port 'M.sieve' has no port 'bigg' | did you mean 'big'?"],
    { 'm.plumb': 'let sieve : !int -> (!int, !int) = plumb(from, small, big) { from ; filter(value < 1) ; small }' },
  ],
])

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
      "2:30-31 bare_in_stream 's' has bare types (base category); only stream morphisms can be wired into pipelines | give it streams",
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
  ['too few', `${twoByTwo}spawn f(i)\n}`, []],
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
      "7:25-26 arity_mismatch 'bot' takes 4 arguments by place, this is number 5 | 'ctrl_out=t'",
    ],
  ],
  [
    'an agent without its input',
    'let bot : (!string, !json) -> !string = agent { provider: "eliza", model: "doctor" }\nlet main : !json -> !string = plumb(c, o) {\n  spawn bot(ctrl_in=c, output=o)\n}',
    ["3:9-12 unwired_input 'bot' is used but nothing is wired into its input 'input'"],
  ],
])

table('the base category', [
  [
    'forms',
    lines(
      'let a : int -> int = id ; id',
      'let b : int -> (int, int) = id * id',
      'let c : int -> (int, int) = copy',
      'let d : int -> unit = discard',
      'let e : int -> int | string = id + map("x")',
      'let f : int -> int = trace(map(value + 1), max: 5, until: value > 3)',
      'let g : (int, string) -> (int, string) = a * up',
      'let up : string -> string = map(upper(value))',
      'let h : (int, int) -> ((int, int), (int, int)) = id * id',
      'let i : int -> (int, int, int) = (a * a) * a',
      'let j : { a: int } -> int = id.a',
      'let k : int -> (int, int | string) = a * a + map("x")',
    ),
    [],
  ],
  [
    'signatures',
    'let a : int -> string = id\nlet b : string -> int = map("x") ; id',
    ["1:25-27 type_mismatch 'a' gives 'int', its signature says 'string' | map(text(value))", "2:36-38 type_mismatch 'b' gives"],
  ],
  [
    'what is not total',
    'let a : int -> int = filter(true)\nlet b : int -> int = id ; merge\nlet c : int -> int = empty * barrier\nlet d : (int, int) -> int = project(0)',
    [
      "1:22-34 stream_in_base 'filter' is for streams only (not total)",
      '2:27-32 stream_in_base',
      '3:22-27 stream_in_base',
      '3:30-37 stream_in_base',
      '4:29-39 stream_in_base',
    ],
  ],
  [
    'names',
    'let s : !int -> !int = id\nlet v = { a: 1 }\nlet a : int -> int = s\nlet b : int -> int = v\nlet c : int -> int = nosuch ; nosuch2\nlet d : int -> int = a@input',
    [
      "3:22-23 stream_in_base 's' is not a bare morphism (base category) | tool { process: s }",
      '4:22-23 stream_in_base',
      '5:22-28 unknown_name',
      '5:31-38 unknown_name',
      '6:24-29 stream_in_base a bare morphism has no ports',
    ],
  ],
  [
    'what does not fit',
    'let up : string -> string = map(upper(value))\nlet a : int -> string = up ; up\nlet b : (int, int) -> (string, int) = up * id\nlet c : int -> int = trace(map("x"))\nlet d : int -> int = trace(id, until: value, max: 0)\nlet e : int -> json = map(1) + map(1.5) + map({ a: [1] }) + map({ a: ["x"] })',
    [
      "2:25-27 type_mismatch 'up' takes 'string', it is given 'int' | map(text(value))",
      "3:39-41 type_mismatch 'up' takes 'string', it is given 'int'",
      "4:28-36 type_mismatch 'trace' feeds back '\"x\"', it takes 'int'",
      "5:39-44 type_mismatch 'until' needs a bool, this is 'int'",
      "5:51-52 type_mismatch 'max' is a whole number from 1",
    ],
  ],
  [
    'each of what is not a list, and its options',
    lines(
      'let up : string -> string = map(upper(value))',
      'let a : int -> [string] = each(up)',
      'let b : [int] -> [string] = each(up)',
      'let c : [string] -> string = each(up)',
      'let d : [string] -> [string] = each(up, parallel: 0)',
      'let e : [string] -> [string] = each(up, on_error: "drop")',
      'let f : { a: [int] } -> [int] = map(a) ; each(map(value + "x"))',
      'let g : ({ a: int }, { a: string }) -> [json] = each(map(a))',
      'let h : json -> [json] = each(map(value))',
    ),
    [
      "2:27-35 type_mismatch 'each' takes a list, it is given 'int'",
      "3:34-36 type_mismatch 'up' takes 'string', it is given 'int'",
      "4:30-38 type_mismatch 'c' gives '[string]', its signature says 'string'",
      "5:51-52 type_mismatch 'parallel' is a whole number from 1",
      `6:51-57 type_mismatch 'on_error' is "skip" or "fail"`,
      '7:51-56 type_mismatch',
    ],
  ],
  [
    'flatten of what is not a list',
    lines(
      'let a : int -> int = flatten',
      'let b : [int] -> [int] = flatten',
      'let c : [[int]] -> [string] = flatten',
      'let d : !int -> !int = flatten',
      'let e : ![int] -> ![int] = flatten',
      'let f : !json -> !json = flatten',
      'let h : ![int] -> !int = plumb(i, o) {',
      '  i ; flatten ; flatten ; o',
      '}',
      'let k : [int] -> int = tool { process: m }',
      'let m : ![int] -> !int = flatten',
    ),
    [
      "1:22-29 type_mismatch 'flatten' takes a list, it is given 'int'",
      "2:26-33 type_mismatch 'flatten' takes a list, it is given 'int'",
      "3:31-38 type_mismatch 'c' gives '[int]', its signature says '[string]'",
      "4:24-31 type_mismatch 'flatten' takes a list, it is given 'int'",
      "5:28-35 type_mismatch 'flatten' gives 'int', 'output' takes '[int]'",
      "8:17-24 type_mismatch 'flatten' takes a list, it is given 'int'",
      '10:40-41 lower_not_total cannot lower flatten to a tool (not total)',
    ],
  ],
  [
    'batch, its numbers and its place',
    lines(
      'let a : !int -> ![int] = batch(0)',
      'let b : !int -> ![int] = batch(1.5, within: 0)',
      'let c : !int -> ![int] = batch("2", within: 2000001)',
      'let d : !int -> ![int] = batch(2, within: 1, within: 2)',
      'let e : !int -> !int = batch(2)',
      'let f : int -> [int] = batch(2)',
      'let g : !int -> ![int] = batch(2, within: 0.5)',
      'let h : int -> [int] = tool { process: g }',
      'let k : !int -> ![int] = batch(n)',
      'let batch : !int -> !int = id',
    ),
    [
      "1:32-33 type_mismatch 'batch' takes a whole number from 1",
      "2:32-35 type_mismatch 'batch' takes a whole number from 1",
      "2:45-46 type_mismatch 'within' is a number of seconds over 0",
      "3:32-35 type_mismatch 'batch' takes a whole number from 1",
      "3:45-52 type_mismatch 'within' is a number of seconds over 0",
      "4:46-52 syntax_error 'batch' takes 'within', once",
      "5:24-32 type_mismatch 'batch' gives '[int]', 'output' takes 'int'",
      "6:24-32 stream_in_base 'batch' is for streams only (not total)",
      '8:40-41 lower_not_total cannot lower batch to a tool (not total)',
      "9:32-33 unknown_name no param is named 'n'",
      '10:5-10 syntax_error',
    ],
  ],
  [
    'fold, what it begins with and what it grows to',
    lines(
      'let a : !int -> !int = fold(state + value, from: n)',
      'let b : !int -> !int = fold(state + value, from: 1 / 0)',
      'let c : !int -> !int = fold(state + value, from: "0")',
      'let d : !int -> !json = fold([state], from: null)',
      'let e : !int -> !int = fold(state + value, from: 0.5)',
      'let f : !int -> !string = fold(if state = "b" then "c" else "d", from: "a")',
      'let g : !int -> !{ a: string } = fold({ a: state.b }, from: { a: "" })',
      'let h : !int -> !([int] | unit) = fold([value], from: null)',
      'let k : !int -> !({ a: int } | { a: string }) = fold({ a: if value > 0 then 1 else "x" }, from: { a: [1] })',
      'let l : int -> int = fold(state, from: 0)',
      'let m : !int -> !int = fold(state)',
      'let n : !int -> !int = fold(state, to: 0)',
      'let o : int -> int = tool { process: p }',
      'let p : !int -> !int = fold(state + value, from: 0)',
      'let q : !{ state: int } -> !int = fold(state + value.state, from: 0)',
      'let r : !int -> !int = fold(1, from: [x for x in [value]])',
    ),
    [
      "1:50-51 unknown_name 'from' is a constant, and 'n' is not known in it",
      '2:50-55 evaluation_failed',
      "3:37-42 type_mismatch '+' joins two strings or adds two numbers, but this is int",
      "4:30-37 type_mismatch the state begins as 'unit', and what the expression gives has another type each time, without end",
      "5:24-54 type_mismatch 'fold' gives 'number', 'output' takes 'int'",
      '7:50-51 unknown_field',
      '9:49-108 type_mismatch',
      "10:22-42 stream_in_base 'fold' is for streams only (not total)",
      '11:34-35 syntax_error',
      "12:36-38 syntax_error 'fold' takes what it begins with as 'from'",
      '13:38-39 lower_not_total cannot lower fold to a tool (not total)',
      "16:51-56 unknown_name 'from' is a constant, and 'value' is not known in it",
    ],
  ],
  [
    'each on streams: a list, a process of one input and one output, of its own, without a batch',
    lines(
      'let two : (!int, !int) -> !int = plumb(a, b, to) {',
      '  (a * b) ; merge ; to',
      '}',
      'let lists : !int -> ![int] = map(value + 1) ; batch(2)',
      'let body : !int -> ![int] = plumb(from, to) {',
      '  from ; lists ; to',
      '}',
      'let a : !int -> ![int] = each(map(value))',
      'let b : ![int] -> ![int] = each(copy)',
      'let c : ![int] -> ![int] = each(two)',
      'let d : ![int] -> ![int] = each(discard ; empty)',
      'let e : ![int] -> ![[int]] = each(body)',
      'let f : ![int] -> ![string] = each(map(value))',
      'let g : ![int] -> ![int] = plumb(from, to) {',
      '  let c : !int = channel',
      '  from ; each(c) ; to',
      '  each(map(value)) ; to',
      '}',
      'let h : ![int] -> !(int, int) = each((map(value) * map(-value)) ; barrier) ; flatten',
      'let i : !json -> ![int] = each(map(1))',
    ),
    [
      "8:26-42 type_mismatch 'each' takes a list, it is given 'int'",
      "9:33-37 arity_mismatch 'each' takes a process of one output, this has 2",
      "10:33-36 arity_mismatch 'each' takes a process of one input, this has 2",
      "11:43-48 arity_mismatch nothing can be wired into 'empty'",
      "12:35-39 spec_invalid a 'batch' cannot be in 'each'",
      "13:31-47 type_mismatch 'each' gives '[int]', 'output' takes '[string]'",
      "16:15-16 not_a_process 'c' is a channel, and what is in 'each' is a process of its own",
      "17:3-19 unwired_input nothing is wired into 'each' here",
    ],
  ],
  ['deep tensors', `let b : int -> json = ${'('.repeat(150)}id${' * id ; id)'.repeat(150)}`, []],
  [
    'deep tensors with an error',
    `let b : (int, int) -> json = ${'('.repeat(100)}nosuch${' * id ; id)'.repeat(100)}`,
    ['1:130-136 unknown_name'],
  ],
])

table('tools', [
  [
    'lowered',
    lines(
      'let f : !int -> !int = id',
      'let two : !int -> !int = f ; map(value + 1)',
      'let pl : !int -> !int = plumb(i, o) { i ; filter(value > 1) ; o }',
      'let bot : (!string, !json) -> (!string, !json) = agent { provider: "eliza", model: "doctor" }',
      'let dup : !int -> (!int, !int) = copy',
      'let a : int -> int = tool { process: f }',
      'let b : int -> int = tool { process: "two" }',
      'let c : int -> int = tool { process: pl }',
      'let d : string -> string = tool { process: bot }',
      'let e : int -> int = tool { process: id }',
      'let g : int -> (int, int) = tool { process: copy }',
      'let h : int -> (int, int) = tool { process: dup }',
      'let i : int -> unit = tool { process: "discard" }',
    ),
    [],
  ],
  [
    'not total',
    lines(
      'let fl : !int -> !int = filter(value > 1)',
      'let ch : !int -> !int = id ; fl',
      'let ch2 : !int -> !int = ch ; id',
      'let fld : !{ a: int } -> !int = filter(a > 1).a',
      'let ba : !int -> !(int, int) = copy ; barrier',
      'let a : int -> int = tool { process: filter }',
      'let b : int -> int = tool { process: "merge" }',
      'let c : int -> int = tool { process: ch2 }',
      'let d : { a: int } -> int = tool { process: fld }',
      'let e : int -> (int, int) = tool { process: ba }',
      'let g : int -> int = tool { process: empty }',
      'let h : int -> int = tool { process: project }',
    ),
    [
      '6:38-44 lower_not_total cannot lower filter to a tool (not total)',
      '7:38-45 lower_not_total cannot lower merge to a tool (not total)',
      '8:38-41 lower_not_total cannot lower filter',
      '9:45-48 lower_not_total cannot lower filter',
      '10:45-47 lower_not_total cannot lower barrier',
      '11:38-43 lower_not_total cannot lower empty',
      '12:38-45 lower_not_total cannot lower project',
    ],
  ],
  [
    'through modules',
    'use m\nlet via : !int -> !int = M.f ; M.g\nlet a : int -> int = tool { process: M.f }\nlet b : int -> int = tool { process: "M.g" }\nlet c : int -> int = tool { process: via }\nlet d : int -> int = tool { process: "M.h" }\nlet e : int -> int = tool { process: "N.h" }',
    [
      '4:38-43 lower_not_total cannot lower filter',
      '5:38-41 lower_not_total cannot lower filter',
      "6:38-43 unknown_name 'M.h'",
      "7:38-43 unknown_module 'N'",
    ],
    { 'm.plumb': 'let f : !int -> !int = id\nlet g : !int -> !int = filter(value > 1)' },
  ],
  [
    'types are equal',
    'let f : !int -> !int = id\nlet a : number -> int = tool { process: f }\nlet b : int -> number = tool { process: f }\nlet c : int -> int = tool { process: copy }\nlet d : int -> int = tool { process: discard }',
    [
      "2:41-42 type_mismatch the input of 'f' is 'int', that of tool 'a' is 'number': they must be equal",
      "3:41-42 type_mismatch the output of 'f'",
      "4:38-42 type_mismatch the output of 'copy' is '(int, int)'",
      "5:38-45 type_mismatch the output of 'discard' is 'unit'",
    ],
  ],
  [
    'what is not a process',
    lines(
      'let f : !int -> !int = id',
      'let cfg = { a: 1 }',
      'let two : (!int, !int) -> !int = plumb(a, b, c) { a ; c',
      ' b ; c }',
      'let a : int -> int = tool { process: nosuch }',
      'let b : int -> int = tool { process: "nosuch" }',
      'let c : int -> int = tool { process: 3 }',
      'let d : int -> int = tool { process: a }',
      'let e : int -> int = tool { process: cfg }',
      'let g : int -> int = tool { process: [f] }',
      'let h : int -> int = tool { process: "" }',
      'let i : int -> int = tool { process: "a.b.c" }',
      'let j : int -> int = tool { process: map }',
      'let k : int -> int = tool { process: two }',
    ),
    [
      '5:38-44 unknown_name',
      '6:38-46 unknown_name',
      "7:38-39 config_invalid 'process' takes a name",
      "8:38-39 not_a_process 'a' is not a stream process",
      '9:38-41 not_a_process',
      '10:38-41 config_invalid',
      '11:38-40 config_invalid',
      '12:38-45 config_invalid',
      "13:38-41 not_a_process 'map' needs its expression",
      "14:38-41 arity_mismatch 'two' has several ports",
    ],
  ],
  [
    'sources',
    'let f : !int -> !int = id\nlet a : int -> int = tool { process: f, command: "x" }\nlet b : int -> int = tool { }\nlet c : int -> int = tool { proces: f }\nlet d : int -> int = tool { process: f, process: f }\nlet e : int -> int = tool { mcp: "https://x.test" }',
    [
      "2:5-6 config_invalid tool 'a' has several sources: process, command | give it one of process, mcp",
      "3:5-6 config_invalid tool 'b' has no source",
      "4:29-35 unknown_option a tool has no key 'proces' | did you mean 'process'?",
      "5:41-48 duplicate_name key 'process' is declared twice; the first one is here at main.plumb:5:29",
      "6:27-52 config_invalid 'mcp' needs 'name'",
    ],
  ],
  [
    'keys',
    lines(
      'let f : !int -> !int = id',
      'let a : int -> int = tool { process: f, timeout: "x", retry: 0, breaker: 3, cache: -1, effects: ["x"], approval: "yes", sandbox: 1, max_output: 1.5, description: 3 }',
      'let b : int -> int = tool { mcp: 3, name: 4 }',
      'let c : int -> int = tool { failing: "unavail" }',
      'let d : int -> int = tool { flaky: a, rate: 2, seed: -1 }',
      'let e : int -> int = tool { handoff: [a], on: ["x"] }',
      'let g : int -> int = tool { handoff: [a, b], on: ["unavailable", "permission_denied"] }',
    ),
    [
      "2:50-53 config_invalid 'timeout' takes a number over 0",
      "2:62-63 config_invalid 'retry'",
      "2:74-75 config_invalid 'breaker'",
      "2:84-86 config_invalid 'cache'",
      "2:97-102 config_invalid 'effects' takes a list of fs.read",
      "2:114-119 config_invalid 'approval'",
      "2:130-131 config_invalid 'sandbox'",
      "2:145-148 config_invalid 'max_output'",
      "2:163-164 config_invalid 'description'",
      "3:34-35 config_invalid 'mcp' takes a URL or a config value",
      "3:43-44 config_invalid 'name'",
      "4:38-47 config_invalid 'failing' takes one of",
      "5:45-46 config_invalid 'rate' takes a number from 0 to 1",
      "5:54-56 config_invalid 'seed'",
      "6:47-52 config_invalid 'on' takes a list of error categories and codes",
    ],
  ],
  [
    'combined',
    lines(
      'let a : int -> int = map(value + 1)',
      'let s : !int -> !int = id',
      'let up : string -> string = id',
      'let b : int -> int = tool { pool: [a, nosuch, s, up], by: "roundrobin" }',
      'let c : int -> string = tool { spy: a }',
      'let d : int -> int = tool { mock: "no" }',
      'let e : { n: int } -> { n: int } = tool { mock: { n: 1 } }',
      'let g : int -> number = tool { pool: [a, "a"] }',
    ),
    [
      '4:39-45 unknown_name',
      "4:47-48 stream_in_base 's' is not a bare morphism | lower it",
      "4:50-52 type_mismatch 'b' takes 'int', 'up' takes 'string'",
      '4:59-71 config_invalid \'by\' takes one of "round-robin", "least-busy"; did you mean "round-robin"?',
      "5:37-38 type_mismatch 'a' gives 'int', 'c' gives 'string'",
      "6:35-39 type_mismatch the mock does not fit what 'd' gives: expected int",
    ],
  ],
])

table('agents', [
  [
    'templates of prompts',
    'let a : !string -> !string = agent { provider: "eliza", prompt: $"{1 + 1} words, {{json}}" }\nlet b : !string -> !string = agent { provider: "eliza", prompt: $"a {name}", model: $"m {1}" }\nlet c : !string -> !string = agent { provider: "eliza", prompt: $"a {1 / 0}" }\nlet d = { x: [$"a"] }\nlet e : !string -> !string = agent { provider: "eliza", prompt: $"a {b c} d", model: 3 }',
    [
      "2:70-74 unknown_field nothing is named 'name' here | for each message comes as the input",
      "2:85-93 config_invalid a template is allowed in expressions, and as an agent's prompt",
      "3:65-77 config_invalid the prompt has no text: division by zero in '1 / 0'",
      '4:15-19 config_invalid a template is allowed in expressions',
      "5:72-73 syntax_error expected '}', found 'c'",
    ],
  ],
  [
    'every key',
    'let server = { command: "x" }\nlet t : string -> int = tool { command: "x" }\nlet a : !string -> !string = agent { provider: "openai", model: "m", prompt: "p", prompts: ["a.md"], description: "d", tools: [t], mcp: [server, { url: "https://x.test" }], max_retries: 0, max_tokens: 200, compose: true, max_tool_calls: 0, max_messages: 1, thinking_budget: 100, amnesiac: true, concurrency: 2, runtime_context: true, stream: false, parallel_tool_calls: false, transport_retries: 0, endpoint: "http://localhost", request: { a: [1, { b: null }] }, grant: ["net"], grant_minutes: 60, env: ["X"], via: ["ssh", "h"] }\nlet b : !string -> !string = agent { command: ["./x", "y"], answers: "each", temperature: 0.5 }\nlet c : !string -> !string = agent { provider: "eliza", model: "doctor", script: "s" }',
    [],
  ],
  [
    'every key with a wrong value',
    'let a : !string -> !string = agent { provider: "elisa", model: 3, prompt: [], prompts: "x", description: 1, tools: "x", mcp: {}, max_retries: -1, max_tokens: 0, max_tool_calls: 1.5, max_messages: 0, thinking_budget: "x", temperature: 3, amnesiac: 1, concurrency: 0, runtime_context: "yes", stream: null, parallel_tool_calls: 0, transport_retries: true, endpoint: 3, request: [], grant: "x", grant_minutes: 61, env: [1], command: [], via: "ssh", script: 3 }',
    [
      '1:48-55 config_invalid \'provider\' takes one of "anthropic", "openai", "eliza", "ollama", "lmstudio", "llamacpp", "vllm", "openrouter", "groq", "mistral", "deepseek", "xai", "gemini", "together", "fireworks"; did you mean "eliza"?',
      "1:64-65 config_invalid 'model' takes a string",
      "1:75-77 config_invalid 'prompt' takes a string",
      "1:88-91 config_invalid 'prompts' takes a list of strings",
      "1:106-107 config_invalid 'description'",
      "1:116-119 config_invalid 'tools' takes a list of names",
      "1:126-128 config_invalid 'mcp' takes a list of config values",
      "1:143-145 config_invalid 'max_retries' takes a whole number from 0",
      "1:159-160 config_invalid 'max_tokens' takes a whole number from 1",
      "1:178-181 config_invalid 'max_tool_calls'",
      "1:197-198 config_invalid 'max_messages'",
      "1:217-220 config_invalid 'thinking_budget'",
      "1:235-236 config_invalid 'temperature' takes a number from 0 to 2",
      "1:248-249 config_invalid 'amnesiac' takes true or false",
      "1:264-265 config_invalid 'concurrency'",
      "1:284-289 config_invalid 'runtime_context'",
      "1:299-303 config_invalid 'stream'",
      "1:326-327 config_invalid 'parallel_tool_calls'",
      "1:348-352 config_invalid 'transport_retries'",
      "1:364-365 config_invalid 'endpoint'",
      "1:376-378 config_invalid 'request' takes an object",
      "1:387-390 config_invalid 'grant'",
      "1:407-409 config_invalid 'grant_minutes' takes a number from 1 to 60",
      "1:416-419 config_invalid 'env'",
      "1:430-432 config_invalid 'command' takes a list of strings, the program first",
      "1:439-444 config_invalid 'via'",
      "1:454-455 config_invalid 'script'",
    ],
  ],
  [
    'unknown keys',
    'let b : !string -> !string = agent { provder: "eliza", max_retry: 3, foo: 1, MODEL: "x", __proto__: 1, constructor: 2, "a b": 3 }',
    [
      "1:38-45 unknown_option an agent has no key 'provder' | did you mean 'provider'?",
      "1:56-65 unknown_option | did you mean 'max_retries'?",
      '1:70-73 unknown_option | it takes provider, wire, model',
      "1:78-83 unknown_option | did you mean 'model'?",
      "1:90-99 unknown_option '__proto__'",
      "1:104-115 unknown_option 'constructor'",
      "1:120-125 unknown_option 'a b'",
    ],
  ],
  [
    'keys together',
    lines(
      'let a : !string -> !string = agent { thinking_budget: 8192, concurrency: 2 }',
      'let b : !string -> !string = agent { command: ["./x"], provider: "eliza", model: "doctor" }',
      'let c : !string -> !string = agent { script: "x", provider: "openai" }',
      'let d : !string -> !string = agent { max_tokens: "x", thinking_budget: 10000 }',
      'let e : !string -> !string = agent { concurrency: 2, amnesiac: "x" }',
      'let f : !string -> !string = agent { thinking_budget: 100, max_tokens: 100 }',
    ),
    [
      "1:55-59 config_invalid 'thinking_budget' must be less than 'max_tokens' (8192)",
      "1:74-75 config_invalid 'concurrency' over 1 needs 'amnesiac: true'",
      "2:66-73 config_invalid 'provider' and 'command' exclude each other",
      "2:82-90 config_invalid 'model' and 'command'",
      "3:46-49 config_invalid 'script' is for provider",
      "4:50-53 config_invalid 'max_tokens'",
      "5:64-67 config_invalid 'amnesiac'",
      '6:55-58 config_invalid (100)',
    ],
  ],
  [
    'ports',
    'let a : () -> !string = agent { provider: "eliza" }\nlet b : (!string, !json, !json) -> !string = agent { provider: "eliza" }\nlet c : !string -> (!string, !json, !json) = agent { provider: "eliza" }\nlet d : !string -> (!string, !int) = agent { provider: "eliza" }\nlet e : (!string, !int) -> !string = agent { provider: "eliza" }',
    [
      "1:9-22 spec_invalid agent 'a' has too few ports | '!A -> !B'",
      "2:9-43 spec_invalid agent 'b' has too many ports",
      '3:9-43 spec_invalid',
      "4:30-34 type_mismatch telemetry: '!json', not '!int'",
    ],
  ],
  [
    'tools that are none',
    lines(
      'let search : unit -> int = tool { command: "x" }',
      'let bare : int -> int = map(value + 1)',
      '@tool false',
      'let off : int -> int = id',
      'let proc : !int -> !int = id',
      'let cfg = { a: 1 }',
      'let a : !string -> !string = agent { tools: [search, bare, off, proc, cfg, nosuch, "bare", 3, "serch", [search]] }',
      'let b : !string -> !string = agent { tools: search }',
      'let c : !string -> !string = agent { tools: [seach, "x y"] }',
    ),
    [
      "7:54-58 not_a_tool 'bare' is not a tool | '@tool true'",
      '7:60-63 not_a_tool',
      "7:65-69 not_a_tool 'proc' is not a tool | tool { process: proc }",
      "7:71-74 not_a_tool 'cfg'",
      '7:76-82 unknown_name',
      "7:84-90 duplicate_name 'bare' is in 'tools' twice; the first one is here at main.plumb:7:54",
      "7:92-93 config_invalid 'tools' takes a list of names",
      "7:95-102 unknown_name | did you mean 'search'?",
      '7:104-112 config_invalid',
      '8:45-51 config_invalid',
      "9:46-51 unknown_name | did you mean 'search'?",
      '9:53-58 config_invalid',
    ],
  ],
  [
    'tools of modules',
    'use m\nlet a : !string -> !string = agent { tools: [M.t, M.f, M.x, t] }',
    ["2:51-54 not_a_tool 'M.f' is not a tool", "2:58-59 unknown_name 'M.x'", "2:61-62 unknown_name 't'"],
    { 'm.plumb': 'let f : !int -> !int = id\nlet t : int -> int = tool { process: f }' },
  ],
])

table('config values', [
  [
    'nested, of each other, in any order',
    'let a = { x: b, y: [b, b], z: { w: c } }\nlet c = { k: b }\nlet b = { k: 1 }\nlet bot : !string -> !string = agent { request: a }',
    [],
  ],
  [
    'of modules',
    'use m\nlet bot : !string -> !string = agent { request: M.cfg, mcp: [M.srv] }',
    [],
    { 'm.plumb': 'let srv = { command: "x" }\nlet inner = { a: 1 }\nlet cfg = { b: inner }' },
  ],
  [
    'in circles',
    'let a = { r: b }\nlet b = { r: a }\nlet c = { r: [c] }\nlet bot : !string -> !string = agent { request: { x: [a, c] } }',
    ["1:5-6 definition_cycle 'a' is made of itself: a -> b -> a", '3:5-6 definition_cycle c -> c'],
  ],
  [
    'unknown, reported where they stand',
    'let bad = { r: nosuch, s: bed }\nlet one : !string -> !string = agent { request: bad }\nlet two : !string -> !string = agent { request: { q: bad } }',
    ['1:16-22 unknown_name', "1:27-30 unknown_name | did you mean 'bad'?"],
  ],
  [
    'what is not a value',
    'let f : !int -> !int = id\nlet a = { p: f, q: M.x }\nlet b : !string -> !string = agent { mcp: [f, nosuch] }',
    [
      "2:14-15 config_invalid 'f' is not a config value | literals and the names",
      '2:20-21 unknown_module',
      "3:44-45 config_invalid 'f' is not a config value",
      '3:47-53 unknown_name',
    ],
  ],
  [
    'the wrong value',
    'let v = { k: 1 }\nlet b : !string -> !string = agent { model: v }',
    ["2:45-46 config_invalid 'model' takes a string"],
  ],
  [
    'keys twice',
    'let dup = { a: 1, "a": 2, b: { c: 1, c: 2 } }',
    ["1:19-22 duplicate_name key 'a' is declared twice; the first one is here at main.plumb:1:13", "1:38-39 duplicate_name key 'c'"],
  ],
  ['keys of prototypes', 'let a = { __proto__: 1, constructor: 2, "toString": { __proto__: 3 } }', []],
  [
    'doubling',
    lines('let v0 = { a: "0123456789" }', ...Array.from({ length: 60 }, (_, i) => `let v${i + 1} = { l: v${i}, r: v${i} }`)),
    ['17:11-29 config_invalid this value is larger than 1,000,000 characters'],
  ],
  [
    'a long row',
    lines('let v0 = { a: 1 }', ...Array.from({ length: 1000 }, (_, i) => `let v${i + 1} = { l: v${i} }`)),
    ['201:12-23 config_invalid this value is nested more than 200 deep'],
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

t.test('what a program is, for those that run it', async (t) => {
  const { program, typeCount, bindingCount } = compileText(
    lines(
      'use m',
      'type T = int',
      'let inner = { DEEP: "true" }',
      'let server = { command: "x", env: inner }',
      'let find : string -> string = tool { command: "find" }',
      '@description "answers"',
      'let bot : (!T, !json) -> (!string, !json) = agent { provider: "eliza", tools: [find, "M.look"], mcp: [server], request: inner }',
    ),
    { 'm.plumb': 'let look : string -> string = tool { command: "look" }\nlet other : !string -> !string = agent { provider: "eliza" }' },
  )
  t.strictSame([typeCount, bindingCount], [1, 4])
  const [bot, other] = agentsOf(program)
  t.strictSame(
    [bot?.name, bot?.description, bot?.hasControl, bot?.hasTelemetry, other?.name, other?.specPath, other?.hasControl],
    ['bot', 'answers', true, true, 'M.other', 'm.plumb', false],
  )
  t.strictSame(JSON.parse(JSON.stringify(bot?.config)), {
    provider: 'eliza',
    tools: ['find', 'M.look'],
    mcp: [{ prefix: 'server', command: 'x', env: { DEEP: 'true' } }],
    request: { DEEP: 'true' },
  })
  t.equal(bindingNamed(program, 'M.look')?.name, 'look')
  t.equal(bindingNamed(program, 'M.gone'), undefined)
})

// --- random programs: few names and few types, so that much of it fits

const TYPES = ['int', 'string', 'number', 'json', '(int, int)', 'T', '{ a: int }', '"x" | int']
const { chain } = fc.letrec<{ chain: string; element: string }>((tie) => ({
  element: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'chain' },
    {
      weight: 6,
      arbitrary: fc.constantFrom(
        'f',
        'g',
        'h',
        'p',
        'bare',
        'c',
        'i',
        'o',
        'nosuch',
        'M.f',
        'M.bare',
        'v',
        'bot',
        'bot@ctrl_in',
        'g@output',
      ),
    },
    {
      weight: 4,
      arbitrary: fc.constantFrom(
        'id',
        'copy',
        'merge',
        'discard',
        'empty',
        'barrier',
        'project(0)',
        'map(value)',
        'map({ a: 1 })',
        'filter(true)',
      ),
    },
    { weight: 1, arbitrary: fc.constantFrom('trace(id)', 'f + g', 'id.a', 'f.a.b') },
    { weight: 2, arbitrary: tie('chain').map((inner) => `(${inner})`) },
  ),
  chain: fc
    .array(fc.tuple(tie('element'), fc.constantFrom(' ; ', ' ; ', ' * ', ' + ')), { minLength: 1, maxLength: 4 })
    .map((parts) => parts.map(([element, operator], i) => (i === 0 ? element : operator + element)).join('')),
}))
const port = fc.tuple(fc.constantFrom('!', '!', '!', ''), fc.constantFrom(...TYPES)).map((parts) => parts.join(''))
const severalPorts = fc.array(port, { maxLength: 3 }).map((list) => `(${list.join(', ')})`)
const inputs = fc.oneof(
  { weight: 4, arbitrary: fc.constant('!int') },
  { weight: 1, arbitrary: port },
  { weight: 1, arbitrary: severalPorts },
)
const outputs = fc.oneof(
  { weight: 4, arbitrary: fc.constant('!json') },
  { weight: 1, arbitrary: port },
  { weight: 1, arbitrary: severalPorts },
)
const statement = fc.oneof(
  chain.map((text) => `i ; ${text} ; o`),
  chain.map((text) => `${text} ; c`),
  fc.constantFrom('let c : !int = channel', 'spawn f(i, o)', 'spawn g(input=c, output=o)', 'spawn bot(i, c, o)', 'spawn M.f(i)'),
)
const binding = fc.tuple(
  fc.constantFrom('f', 'g', 'h', 'p', 'bare', 'main'),
  inputs,
  outputs,
  fc.oneof(
    chain,
    chain,
    fc.array(statement, { maxLength: 4 }).map((list) => `plumb(i, o) {\n${list.join('\n')}\n}`),
    fc.constantFrom('tool { process: f }', 'tool { pool: [bare] }', 'agent { provider: "eliza", tools: [bare] }'),
  ),
)
const programs = fc
  .tuple(fc.array(binding, { maxLength: 6 }), fc.constantFrom('type T = int', 'type T = { a: T }', 'type T = [T]', ''))
  .map(([list, type]) =>
    [
      'use m',
      type,
      'let v = { a: 1 }',
      'let bot : (!string, !json) -> !string = agent { provider: "eliza" }',
      ...list.map(([name, from, to, impl]) => `let ${name} : ${from} -> ${to} = ${impl}`),
    ].join('\n'),
  )

t.test('any program: no exception, nothing reported twice, and a plan where there is no error', async (t) => {
  let planned = 0
  fc.assert(
    fc.property(programs, (text) => {
      const { program, diagnostics } = compileText(text, { 'm.plumb': 'let f : !int -> !int = id ; id\nlet bare : int -> int = id' })
      const keys = diagnostics.map((d) => `${d.span.source.path} ${d.span.start} ${d.span.end} ${d.code} ${d.message}`)
      if (new Set(keys).size !== keys.length) return false
      if (hasErrors(diagnostics)) return true
      for (const bound of program.entry.bindings.values()) {
        if (bound.category !== 'stream') continue
        const { nodes, edges } = planOf(bound)
        planned++
        if (!nodes.every((n, i) => n.id === i)) return false
        if (!edges.every((e) => nodes[e.from.id] === e.from && nodes[e.to.id] === e.to && e.from.outputs[e.output] && e.to.inputs[e.input]))
          return false
      }
      return true
    }),
    { numRuns: runs(1000) },
  )
  t.ok(planned > runs(50), `${runs(1000)} runs, ${planned} plans`)
})
