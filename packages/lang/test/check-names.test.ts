// Names, and what is used instead of one: other languages, bindings, signatures, modules.

import { body, lines, table } from './reports.js'

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
  ['an expression alone', 'map(value.a)', ["1:1-4 syntax_error | a process has a name and a type: 'let main : !json -> !json = map(…)'"]],
  ['a filter of jq', '.a', ["1:1-2 syntax_error | 'let main : !json -> !json = map(…)'"]],
  ['an agent alone', 'agent { provider: "eliza" }', ["1:1-6 syntax_error | 'let main : !json -> !json = agent { … }'"]],
  [
    'an agent in a chain',
    'let f : !string -> !string = id ; agent { provider: "eliza", model: "doctor" }',
    [
      "1:35-40 syntax_error 'agent' makes a binding, and no part of a chain | give it a name, let p : !A -> !B = agent { … }, and write p here",
    ],
  ],
  [
    'a body in a statement',
    'let f : !int -> !int = plumb(i, o) {\n  i ; plumb(a, b) { a ; b } ; o\n}',
    ["2:7-12 syntax_error 'plumb' makes a binding | let p : !A -> !B = plumb(…) { … }"],
  ],
  [
    'what goes on behind an agent',
    'let f : !string -> !string = agent { provider: "eliza", model: "doctor" } ; map(value)',
    ['1:75-76 syntax_error | what is wired on has a name'],
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
    ["1:34-38 unknown_function | did you mean 'upper'?", '2:34-40 unknown_function | there are abs, all, any, base64, ceil, contains'],
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
      "5:1-8 annotation_invalid a binding has no annotation '@nosuch' | it may have @description, @serve, @shared, @tool, @version",
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
