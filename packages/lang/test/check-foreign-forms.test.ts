// More of what readers of other languages write first: one error each, and what is written here.

import t from 'tap'
import { reports } from './reports.js'

const json = (e: string): string => `let main : !json -> !json = map(${e})`
const on = (fields: string, e: string): string => `let main : !{ ${fields} } -> !json = map(${e})`

const TABLE: readonly (readonly [string, readonly (readonly [string, readonly string[]])[]])[] = [
  [
    'values by their names elsewhere, of a json too',
    [
      [
        json('None'),
        [
          "1:33-37 lone_name 'None' is nothing that is declared here, and the fields of a json are not known: write value.None for the field | did you mean 'null'? value.None is the field 'None'",
        ],
      ],
      [
        json('[this.a, True]'),
        [
          "1:34-38 lone_name 'this' is nothing | did you mean 'value'?".replace(
            ' is nothing |',
            ' is nothing that is declared here, and the fields of a json are not known: write value.this for the field |',
          ),
          "1:42-46 lone_name 'True' is nothing that is declared here, and the fields of a json are not known: write value.True for the field | did you mean 'true'?",
        ],
      ],
    ],
  ],
  [
    'texts with holes',
    [
      [
        'let main : !{ name: string } -> !string = map("Dear {{ name }}")',
        ['1:47-64 odd_template \'{{ name }}\' is text here: a string has no holes | write $"Dear {name}"'],
      ],
      [
        'let main : !{ name: string } -> !string = map("Dear #{name}")',
        ['1:47-61 odd_template \'#{name}\' is text here: a string has no holes | write $"Dear {name}"'],
      ],
      [
        json('length'),
        [
          "1:33-39 lone_name 'length' is nothing that is declared here, and the fields of a json are not known: write value.length for the field | 'length' is a function: call it, as in length(value); value.length is the field",
        ],
      ],
      [
        'let even : int -> bool = map(value % 2 = 0)\nlet main : !int -> !int = filter(even)',
        ["2:34-38 type_mismatch filter needs a bool, this is 'int' | write filter(even(value))"],
      ],
      [
        'let main : !int -> !int = filter(value % 2)',
        ["1:34-43 type_mismatch filter needs a bool, this is 'int' | compare it, as in value % 2 != 0"],
      ],
      [
        'let inc : int -> int = map(value + 1)\nlet main : !int -> !json = map({ x: inc })',
        [
          "1:5-8 unused_binding 'inc' is never used",
          "2:37-40 lone_name 'inc' is a binding that is not called here: it means the whole input | write inc(value) to call it",
        ],
      ],
      [
        'let inc : json -> json = map(value)\nlet main : !json -> !json = map({ x: inc })',
        ["2:38-41 lone_name 'inc' is a binding that is not called here | write inc(value) to call it"],
      ],
      [
        'let up : string -> string = map(upper(value))\nlet main : ![string] -> !json = map(each(up))',
        ["2:37-41 unknown_function unknown function 'each' | 'each' is a process, and goes outside the parentheses: each(…) ; map(…)"],
      ],
      [
        'let main : !{ "a-b": int } -> !int = map(value.a-b)',
        ["1:42-51 unknown_field 'a' is not a field: 'a-b' is one | write value.\"a-b\""],
      ],
      ['let main : !{ "a-b": int } -> !int = map(a-b)', ["1:42-45 unknown_field 'a' is not a field: 'a-b' is one | write value.\"a-b\""]],
      [
        'let main : !{ "a-b": int } -> !int = id."a-b"',
        ['1:41-46 syntax_error expected the name of a field, found a string | write map(value."a-b")'],
      ],
      [
        'let main : !int -> !int = fold(acc + value, from: 0)',
        ["1:32-35 lone_name 'acc' is neither a field nor a binding: it means the whole input | did you mean 'state'?"],
      ],
      [
        'let main : !{ n: int } -> !int = fold(acc + n, from: 0)',
        ["1:39-42 unknown_field the input { n: int } has no field 'acc' | did you mean 'state'?"],
      ],
      [
        'let main : !json -> !json = fold(prev + 1, from: 0)',
        ["1:34-38 lone_name 'prev' is nothing that is declared here | did you mean 'state'?"],
      ],
      [
        'let main : !int -> !int = reduce(state + value, from: 0)',
        ["1:27-33 syntax_error 'reduce' is called here, where processes are wired | write fold(e, from: x), a process over the messages"],
      ],
      [on('xs: [{ n: int }]', 'xs.n'), ["1:52-53 type_mismatch 'xs' is [{ n: int }] and has no fields | write [x.n for x in xs]"]],
      [
        on('xs: [{ n: int }]', 'sort(xs, "n")'),
        ["1:49-62 arity_mismatch 'sort' takes 1 argument, but 2 are given | write sort(xs, x -> x.n)"],
      ],
      [
        'let main : ![{ n: int }] -> !json = map([n for x in value])',
        ["1:42-43 lone_name 'n' is neither a field nor a binding: it means the whole input | did you mean 'x.n'?"],
      ],
      [
        on('xs: [{ n: int }]', '[n for x in xs]'),
        ["1:50-51 unknown_field the input { xs: [{ n: int }] } has no field 'n' | did you mean 'x.n'?"],
      ],
      [
        'let main : ![int] -> !json = map(sum(value[*]))',
        ['1:43-45 syntax_error an index is missing | write [e for x in xs] to go through a list'],
      ],
      [
        'let main : ![int] -> !json = map([x for x in value if x > 1 else 0])',
        ["1:61-65 syntax_error expected ']' after the list, found 'else' | what is kept is said behind the loop, and a choice before it"],
      ],
      [
        'let main : ![int] -> !json = map([x for x, i in value])',
        ["1:42-43 syntax_error expected 'in' after 'for x', found ',' | it takes one name"],
      ],
      [
        'let main : ![int] -> !json = map([x for (x, i) in value])',
        ["1:41-42 syntax_error expected the name of an item, found '(' | it takes one name"],
      ],
      ['let main : ![int] -> !json = map(value[::2])', ["1:41-42 syntax_error expected an expression, found ':' | a slice has no step"]],
      [
        'let main : !string -> !json = map(value[0])',
        ['1:35-40 type_mismatch only a list has an index, but this is string | value[0:1] is a part of a string; two branches that meet'],
      ],
      [json('env("HOME")'), ["1:33-36 unknown_function unknown function 'env' | what comes from outside is a param"]],
      [json('fetch("https://a")'), ["1:33-38 unknown_function unknown function 'fetch' | an expression reaches nothing outside"]],
      [json('fail "no"'), ['1:33-37 syntax_error \'fail\' is not a word of expressions | write fail("…")']],
      [
        json('{ value.a: 1 }'),
        [
          "1:40-41 syntax_error expected '}' after the field (or ',' and another field), found '.' | a field is written name: e, as in { a: value.a }",
        ],
      ],
      [
        json('let a = value.a; let b = value.b; a + b'),
        ["1:48-49 syntax_error expected 'in' after the value of 'a', found ';' | write let x = e in e2"],
      ],
      [
        on('n: number', '$"{n:.2f} {n}"'),
        ["1:46-50 syntax_error expected '}', found ':' | a number in decimals is fixed(n, 2), a text of a width pad(s, 8)"],
      ],
      [
        on('s: string', '$"{s:>8}"'),
        ["1:46-49 syntax_error expected '}', found ':' | a number in decimals is fixed(n, 2), a text of a width pad(s, 8)"],
      ],
      [on('a: int', '$"Dear {a + }"'), ["1:51-53 syntax_error expected an expression, found '}'"]],
      [on('xs: [int]', '$"{xs[0:1]} {text({ a:xs })}"'), []],
      [on('s: string', '"%s" % s'), ['1:42-50 type_mismatch \'%\' is a remainder, and no text is put in by it | write $"…{e}…"']],
    ],
  ],
  [
    'lists',
    [
      [
        json('value.items[]'),
        ['1:44-46 syntax_error an index is missing | write [e for x in xs] to go through a list, xs[0] for its first item'],
      ],
      [on('xs: [int]', 'all(xs, x -> x > 1)'), ["1:50-60 arity_mismatch 'all' takes no function | write all([x > 1 for x in xs])"]],
      [on('xs: [{ n: int }]', 'sum(xs, x -> x.n)'), ["1:57-65 arity_mismatch 'sum' takes no function | write sum([x.n for x in xs])"]],
      [
        on('xs: [int]', 'first(xs, x -> x > 1)'),
        ["1:52-62 arity_mismatch 'first' takes no function | write first([x for x in xs if x > 1])"],
      ],
      [
        on('xs: [int]', 'length(xs, x -> x > 1)'),
        ["1:53-63 arity_mismatch 'length' takes no function | write length([x for x in xs if x > 1])"],
      ],
      [
        on('xs: [int]', 'find(xs, x -> x > 1)'),
        ["1:51-61 arity_mismatch 'find' takes no function | write first([x for x in xs if x > 1])"],
      ],
      [
        on('xs: [int]', 'contains(xs, x -> x > 1)'),
        ["1:55-65 arity_mismatch 'contains' takes no function | write any([x > 1 for x in xs])"],
      ],
      [
        on('xs: [int]', '[x for x in xs where x > 1]'),
        ["1:57-62 syntax_error expected ']' after the list, found 'where' | write [e for x in xs if c]"],
      ],
      [
        on('xs: [int]', '{x: x * 2 for x in xs}'),
        [
          "1:52-55 syntax_error expected '}' after the field (or ',' and another field), found 'for' | write map_of([{ key: k, value: e } for x in xs])",
        ],
      ],
      [on('xs: [int]', '[*xs, 4]'), ["1:43-44 syntax_error expected an expression, found '*' | lists are joined by +"]],
      [
        'let main : ![int] -> ![int] = filter(value, x -> x > 2)',
        ["1:45-55 syntax_error 'filter' takes an expression over the message, not a function | write map([x for x in value if x > 2])"],
      ],
      [
        'let main : ![int] -> ![int] = map(value, x => x * 2)',
        ["1:42-52 syntax_error 'map' takes an expression over the message, not a function | write map([x * 2 for x in value])"],
      ],
      [
        'let main : ![int] -> ![int] = map(value.map(x => x * 2))',
        ["1:35-44 unknown_function 'value' is a value, and has no function of its own | write [x * 2 for x in value]"],
      ],
    ],
  ],
  [
    'records',
    [
      [on('a: int', 'value + { a: 3 }'), ["1:39-55 type_mismatch '+' joins no records | write { ...value, a: 3 }"]],
      [on('a: int, b: { [string]: int }', 'value + b'), ["1:61-70 type_mismatch '+' joins no records | write { ...value, ...b }"]],
      [
        on('n: int', '{ (text(n)): n }'),
        ["1:41-42 syntax_error expected the name of a field, found '(' | a key that is computed is written [k]: e"],
      ],
      [
        on('n: int', '{ text(n): n }'),
        [
          "1:45-46 syntax_error expected '}' after the field (or ',' and another field), found '(' | a key that is computed is written [k]: e",
        ],
      ],
      [
        on('n: int', '{ $"k{n}": n }'),
        ['1:41-45 syntax_error expected the name of a field, found a template | a key that is computed is written [k]: e'],
      ],
      [on('a: int, ...', 'has(b)'), ["1:48-49 unknown_field the input { a: int, ... } has no field 'b' | what '...' holds has no names"]],
      [on('a: int, ...', 'b'), ["1:44-45 unknown_field the input { a: int, ... } has no field 'b' | what '...' holds has no names"]],
      [on('a: int, ...', 'pick(value, "zz")'), ["1:56-60 unknown_field { a: int, ... } has no field 'zz' | what '...' holds has no names"]],
      [
        on('m: { [string]: int }, k: string', 'if has(m[k]) then m[k] else 0'),
        ["1:82-86 type_mismatch 'm[k]' may be absent | a key may always be missing: write m[k] ?? …"],
      ],
      [
        'type O = { a: { b: int } = { b: 1, "b": 2 } }\nlet main : !O -> !O = id',
        ["1:36-39 syntax_error the field 'b' is given twice | give it once"],
      ],
      [
        'type O = { a: int = 1 + 1 }\nlet main : !O -> !O = id',
        ["1:23-24 syntax_error expected '}' after the field (or ',' and another field), found '+' | a default is a constant"],
      ],
    ],
  ],
  [
    'what is absent, and conditions',
    [
      [json('value.a || 0'), ["1:44-45 type_mismatch 'or' needs a bool, but this is int | for what is absent or null write value.a ?? 0"]],
      [on('s: string | unit', 'if s then s else "x"'), ["1:52-53 type_mismatch 'if' needs a bool | ask whether it is there: s != null"]],
      [
        on('xs: [int]', 'if xs then 1 else 2'),
        ["1:45-47 type_mismatch 'if' needs a bool, but this is [int] | ask whether it is empty: length(xs) > 0"],
      ],
      [on('s: string', 's = null'), ["1:42-50 type_mismatch '=' compares string with unit, which are never equal | it is never null"]],
      [
        on('n: int | string', 'n + 1'),
        ["1:48-49 type_mismatch '+' needs a number | match tells them apart: match n { x : int -> …, _ -> … }"],
      ],
    ],
  ],
  [
    'modules and methods',
    [
      [
        on('s: string', 're.sub("a", "b", s)'),
        ['1:42-44 unknown_module no module is named \'re\' | functions are in no module: write replace_all(s, "re", t)'],
      ],
      [on('s: string', 'json.loads(s)'), ["1:42-46 unknown_module no module is named 'json' | functions are in no module: write parse(s)"]],
      [
        on('s: string', 'JSON.stringify(s)'),
        ["1:42-46 unknown_module no module is named 'JSON' | functions are in no module: write text(x)"],
      ],
      [on('n: number', 'math.floor(n)'), ["1:42-46 unknown_module no module is named 'math' | functions are in no module: write floor(x)"]],
      [on('s: string', 's.trim().toLowerCase()'), ["1:51-62 syntax_error 'toLowerCase' is called on a value | write lower(trim(s))"]],
      [on('s: string', 's.split(",").join("-")'), ['1:55-59 syntax_error \'join\' is called on a value | write join(split(s, ","), …)']],
    ],
  ],
  [
    'signs',
    [
      [on('n: int', 'n >> 1'), ["1:42-43 syntax_error expected an expression, found '>' | there are no operators on bits"]],
      [on('n: int', '~n'), ["1:39-40 syntax_error expected an expression, found '~' | there are no operators on bits"]],
      [
        on('s: string', '/a/.test(s)'),
        ['1:42-43 syntax_error expected an expression, found \'/\' | a pattern is a string, as in matches(s, "re")'],
      ],
      [
        json('match value { n : int => 1, _ => 2 }'),
        [
          "1:55-57 syntax_error an arm is written x : T -> e | write '->' for '=>'",
          "1:63-65 syntax_error an arm is written x : T -> e | write '->' for '=>'",
        ],
      ],
      ['/* a\n   b */\nlet main : !int -> !int = id', ["1:1-3 syntax_error unexpected '/*' | comments are written (* … *)"]],
      [
        '-- a\nlet main : !int -> !int = id',
        [
          "1:1-2 syntax_error expected 'use', 'type', 'param', 'protocol', 'let', 'test' or an annotation, found '-' | comments are written (* … *)",
        ],
      ],
      [
        'let main : !(1 | 2) -> !int = id',
        ["1:14-15 syntax_error expected a type, found '1' | a number is not a type: write int, with '@min 1 @max 9' before the field"],
      ],
    ],
  ],
  [
    'wires, declarations and types',
    [
      [
        'let main : !int -> !int = input ; map(value + 1) ; output',
        ["1:27-32 unknown_name no binding is named 'input' | the ends of a chain have no names"],
      ],
      [
        'let main : !int -> !int = plumb(i, o) {\n  let x = map(value + 1)\n  i ; x ; o\n}',
        [
          "2:9-10 syntax_error expected ':' after 'let x': a body declares channels, as in 'let x : !int = channel', found '=' | a process is declared outside of the body: 'let x : !A -> !B = …'",
        ],
      ],
      [
        'let main : !int -> !int = plumb(i, o) {\n  let c : channel !int\n  i ; c ; o\n}',
        ["2:11-18 syntax_error a channel has a type | write 'let c : !int = channel'"],
      ],
      [
        'let main : !int -> !int = plumb(i, o) {\n  o = a(i)\n}',
        ["2:5-6 syntax_error expected ';' or a new line, found '=' | processes are wired with ';'"],
      ],
      [
        'let main : !int = id',
        ["1:17-18 syntax_error expected '->' between input and output, found '=' | a process has an input and an output: '!A -> !B'"],
      ],
      [
        'let x : int = 3',
        ["1:13-14 syntax_error expected '->' between input and output, found '=' | a constant is a param: 'param name : type = constant'"],
      ],
      [
        'let x = 3',
        [
          "1:9-10 syntax_error a binding is an agent, a tool, a plumb, a chain or a config value { … }, not a number | a constant is 'param name : type = constant'",
        ],
      ],
      [
        'let main (x : int) : int = x + 1',
        [
          "1:10-11 syntax_error expected '=' after 'let main', found '(' | a function has no list of parameters: write 'let main : A -> B = map(e)'",
        ],
      ],
      [
        'let main : !string -> !string = agent(provider: "eliza", model: "doctor")',
        ["1:38-39 syntax_error expected '{' after 'agent', found '(' | write 'agent { key: value, … }'"],
      ],
      [
        'let t : string -> string = tool { cmd: "date" }\nlet main : !string -> !string = map(t)',
        ["1:35-38 unknown_option a tool has no key 'cmd' | did you mean 'command'?"],
      ],
      [
        'let main : !string -> !string = agent { provider: "eliza", model: "doctor", tools: "a" }',
        ["1:84-87 config_invalid 'tools' takes a list of names | write [a]"],
      ],
      ['type T = { a int }', ["1:14-17 syntax_error expected ':' after the field 'a', found 'int' | a field is written name: T"]],
      [
        'type T = a | b',
        [
          "1:10-11 unknown_type no type is named 'a' | a text is a type in quotes",
          "1:14-15 unknown_type no type is named 'b' | a text is a type in quotes",
        ],
      ],
      ['type T = { a: true }', ["1:15-19 syntax_error 'true' is a value, and no type | its type is bool"]],
      ['type T = ()', ["1:11-12 syntax_error expected a type, found ')' | nothing is unit, the type of null"]],
      [
        'type T = { ...A, b: int }\ntype A = { a: int }',
        ["1:15-16 syntax_error expected '}' after '...', found 'A' | a record type has all its fields: none is taken over from another"],
      ],
      [
        'use fs.read\nlet main : !int -> !int = id',
        ["1:7-8 syntax_error a module is used whole: expected a new line, found '.' | write 'use fs', and then Fs.read"],
      ],
      [
        'let main : ![int] -> ![int] = each(batch(2))',
        ["1:36-44 spec_invalid a 'batch' cannot be in 'each' | what it gives stems from several elements"],
      ],
    ],
  ],
]

for (const [name, rows] of TABLE)
  t.test(name, async (t) => {
    for (const [text, expected] of rows) reports(t, text, text, expected)
  })
