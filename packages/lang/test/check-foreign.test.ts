// A mistake names what was meant: what readers of other languages write first, and what leads on.

import t from 'tap'
import { reports } from './reports.js'

const TABLE: readonly (readonly [string, readonly (readonly [string, readonly string[]])[]])[] = [
  [
    'a method is a function in front',
    [
      [
        'let main : !string -> !string = map(value.upper())',
        ["1:37-48 unknown_function 'value' is a value, and has no function of its own | write upper(value)"],
      ],
      [
        'let main : !string -> !string = map(value.toUpperCase())',
        ["1:37-54 unknown_function 'value' is a value, and has no function of its own | write upper(value)"],
      ],
      [
        'type T = {tags:[string]}\nlet main : !T -> !string = map(tags.join(","))',
        ['2:32-41 unknown_function \'tags\' is a value, and has no function of its own | write join(tags, ",")'],
      ],
      [
        'type T = {tags:[string]}\nlet main : !T -> ![string] = map(tags.map(x -> upper(x)))',
        ["2:34-42 unknown_function 'tags' is a value, and has no function of its own | write [upper(x) for x in tags]"],
      ],
      [
        'type T = {tags:[string]}\nlet main : !T -> ![string] = map(tags.filter(x -> x = "a"))',
        ['2:34-45 unknown_function \'tags\' is a value, and has no function of its own | write [x for x in tags if x = "a"]'],
      ],
      [
        'type T = {a:{tags:[string]}}\nlet main : !T -> !string = map(a.tags.join(","))',
        ["2:39-43 syntax_error 'join' is called on a value | write join(a.tags, …)"],
      ],
      [
        'type T = {items:[{price:number}]}\nlet main : !T -> !number = map(sum(items.price))',
        ["2:42-47 type_mismatch 'items' is [{ price: number }] and has no fields | write [x.price for x in items]"],
      ],
      [
        'type T = {ticket:string}\nlet main : !T -> !int = map(ticket.length)',
        ["2:36-42 type_mismatch 'ticket' is string and has no fields | write length(ticket)"],
      ],
    ],
  ],
  [
    'a lambda',
    [
      [
        'let main : ![int] -> ![int] = map(x -> x + 1)',
        [
          "1:35-36 syntax_error 'map' takes an expression over the message, not a function | the message is 'value', and its fields are names; for the it",
        ],
      ],
      [
        'let main : !int -> !int = filter(x -> x > 1)',
        [
          "1:34-35 syntax_error 'filter' takes an expression over the message, not a function | the message is 'value', and its fields are names; for the it",
        ],
      ],
      [
        'let main : ![int] -> ![int] = map(map(value, x -> x + 1))',
        ["1:35-38 unknown_function unknown function 'map' | write [x + 1 for x in value]"],
      ],
      [
        'let main : ![int] -> ![int] = map(filter(value, x -> x > 1))',
        ["1:35-41 unknown_function unknown function 'filter' | write [x for x in value if x > 1]"],
      ],
    ],
  ],
  [
    'a barrier is missing',
    [
      [
        'type T={a:string}\nlet x : !T -> !string = map(a)\nlet main : !T -> !string = plumb(i,o) { i ; (id * x) ; map(value[1]) ; o }',
        ['3:60-65 type_mismatch only a list has an index'],
      ],
      [
        'type T={a:string}\nlet x : !T -> !string = map(a)\nlet pair : !(T,string) -> !string = map(value[1])\nlet main : !T -> !string = plumb(i,o) { i ; x ; pair ; o }',
        ["4:49-53 type_mismatch 'x' gives 'string', 'pair' takes '(T, string)' | '(a * b) ; barrier' joins what belongs together"],
      ],
      [
        'type T={a:string}\nlet x : !T -> !string = map(a)\nlet pair : !(T,string) -> !string = map(value[1])\nlet main : !T -> !string = plumb(i,o) { i ; (id * x) ; pair ; o }',
        ["4:56-60 type_mismatch 'id' gives 'T', 'pair' takes '(T, string)' | '(a * b) ; barrier' joins what belongs together"],
      ],
    ],
  ],
  [
    'types of other languages',
    [
      [
        'let main : !string[] -> !string = map(value[0])',
        ["1:13-21 syntax_error the type of a list has its brackets around it | write '[string]' for 'string[]'"],
      ],
      [
        'type T = { a: Array<string> }\nlet main : !T -> !string = map(a[0])',
        ["1:20-21 syntax_error 'Array' takes no types | a list is written [T]"],
      ],
      [
        'type T = { a: Optional[string] }\nlet main : !T -> !string = map(a)',
        ["1:23-24 syntax_error 'Optional' takes no types | an optional field is a?: T, and what may be null T | unit"],
      ],
      [
        'type T={a:float}\nlet main : !T -> !float = map(a)',
        [
          "1:11-16 unknown_type no type is named 'float' | did you mean 'number'?",
          "2:19-24 unknown_type no type is named 'float' | did you mean 'number'?",
        ],
      ],
      [
        'type T={a:boolean, b: str, c: integer, d: any, e: object, f: double, g: String, h: void, j: dict}\nlet main : !T -> !T = id',
        [
          "1:11-18 unknown_type no type is named 'boolean' | did you mean 'bool'?",
          "1:23-26 unknown_type no type is named 'str' | did you mean 'string'?",
          "1:31-38 unknown_type no type is named 'integer' | did you mean 'int'?",
          "1:43-46 unknown_type no type is named 'any' | did you mean 'json'?",
          "1:51-57 unknown_type no type is named 'object' | did you mean 'json'?",
          "1:62-68 unknown_type no type is named 'double' | did you mean 'number'?",
          "1:73-79 unknown_type no type is named 'String' | did you mean 'string'?",
          "1:84-88 unknown_type no type is named 'void' | did you mean 'unit'?",
          "1:93-97 unknown_type no type is named 'dict' | did you mean 'json'?",
        ],
      ],
    ],
  ],
  [
    'templates of other languages',
    [
      [
        'type T={n:int}\nlet main : !T -> !string = map(f"a {n}")',
        ['2:32-33 syntax_error a text with expressions in it begins with $ | write $"…{e}…"'],
      ],
      [
        // biome-ignore lint/suspicious/noTemplateCurlyInString: a template of another language
        'type T={n:int}\nlet main : !T -> !string = map(`a ${n}`)',
        ['2:32-40 syntax_error a text with expressions in it begins with $ | write $"…{e}…"'],
      ],
      [
        'type T={n:int}\nlet main : !T -> !string = map("a \\(n)")',
        ['2:35-37 syntax_error \'\\(\' is not an escape | a text with expressions in it is written $"…{e}…"'],
      ],
    ],
  ],
  [
    'choices of other languages',
    [
      [
        'type T={n:int}\nlet main : !T -> !int = map(n > 0 ? n : 0)',
        ["2:35-36 syntax_error there is no '? :' in an expression | write 'if c then a else b'"],
      ],
      [
        'type T={n:int}\nlet main : !T -> !int = map(n == null ? 0 : n)',
        [
          "2:31-33 syntax_error equality is written '=' | write '=' for '=='",
          "2:39-40 syntax_error there is no '? :' in an expression | write 'if c then a else b'",
        ],
      ],
      [
        'type T={n:int}\nlet main : !T -> !int = map(if n > 0 { n } else { 0 })',
        ["2:38-39 syntax_error expected 'then' after the condition of 'if', found '{' | write 'if c then a else b'"],
      ],
      [
        'let a : !string -> !string = id\nlet b : !string -> !string = id\nlet main : !string -> !string = plumb(i,o) { i ; if value = "x" then a else b ; o }',
        [
          '3:50-52 syntax_error \'if\' stands in expressions only | messages are routed by filters, one before each process: filter(team = "x") ; a',
        ],
      ],
      [
        'type T={tags:[string]}\nlet main : !T -> ![string] = map([t for t of tags])',
        ["2:43-45 syntax_error expected 'in' after 'for t', found 'of' | write 'for t in …'"],
      ],
      [
        'type T={n:"a"|"b"}\nlet main : !T -> !int = map(match n { "a" -> 1, "b" -> 2 })',
        ['2:39-42 syntax_error an arm has a name and a type | write x : "a" -> …'],
      ],
      [
        'type T = {a?:{b:int}}\nlet main : !T -> !int = map(a?.b ?? 0)',
        ["2:30-31 syntax_error '?' reads no field | what may be absent has a stand-in: a.b ?? 0"],
      ],
      ['let main : !int -> !bool = map(value <> 1)', ["1:38-40 syntax_error what is not equal is written '!=' | write '!=' for '<>'"]],
      ['let main : !int -> !bool = map(value === 1)', ["1:38-41 syntax_error equality is written '=' | write '=' for '=='"]],
    ],
  ],
  [
    'functions of other languages',
    [
      [
        'type T={n:string}\nlet main : !T -> !json = map([tonumber(n), tostring(n), parseInt(n), toUpperCase(n), uppercase(n), lowercase(n), substr(n,0,1), substring(n,0,1), startswith(n,"a"), strip(n), size(n), count(n), concat(n,n), json(n), error("x"), isEmpty(n), exists(n), avg([1]), average([1]), format(n), sqrt(2), ceiling(2), now(), map_values(n), select(n), to_entries(value), from_entries([]), unique_by([1]), group_by([1]), sort_by([1]), sprintf("%d", 1), test(n,"a"), ltrimstr(n,"a")])',
        [
          "2:31-39 unknown_function unknown function 'tonumber' | did you mean 'number'?",
          "2:44-52 unknown_function unknown function 'tostring' | did you mean 'text'?",
          "2:57-65 unknown_function unknown function 'parseInt' | did you mean 'number'?",
          "2:70-81 unknown_function unknown function 'toUpperCase' | did you mean 'upper'?",
          "2:86-95 unknown_function unknown function 'uppercase' | did you mean 'upper'?",
          "2:100-109 unknown_function unknown function 'lowercase' | did you mean 'lower'?",
          "2:114-120 unknown_function unknown function 'substr' | did you mean 'slice'?",
          "2:129-138 unknown_function unknown function 'substring' | did you mean 'slice'?",
          "2:147-157 unknown_function unknown function 'startswith' | did you mean 'starts_with'?",
          "2:166-171 unknown_function unknown function 'strip' | did you mean 'trim'?",
          "2:176-180 unknown_function unknown function 'size' | did you mean 'length'?",
          "2:185-190 unknown_function unknown function 'count' | did you mean 'length'?",
          '2:195-201 unknown_function unknown function \'concat\' | strings and lists are joined by +, and the strings of a list by join(xs, "")',
          "2:208-212 unknown_function unknown function 'json' | parse(s) reads JSON, text(x) writes it",
          "2:217-222 unknown_function unknown function 'error' | did you mean 'fail'?",
          "2:229-236 unknown_function unknown function 'isEmpty' | write length(x) = 0",
          "2:241-247 unknown_function unknown function 'exists' | did you mean 'has'?",
          "2:252-255 unknown_function unknown function 'avg' | write sum(xs) / length(xs)",
          "2:262-269 unknown_function unknown function 'average' | write sum(xs) / length(xs)",
          '2:276-282 unknown_function unknown function \'format\' | write $"…{e}…", and fixed(n, places) for a number',
          "2:296-303 unknown_function unknown function 'ceiling' | did you mean 'ceil'?",
          "2:308-311 unknown_function unknown function 'now' | an expression has no clock: it gives the same for the same message",
          "2:315-325 unknown_function unknown function 'map_values' | write map_of([{ key: e.key, value: … } for e in entries(m)])",
          "2:330-336 unknown_function unknown function 'select' | write [x for x in xs if c]",
          "2:341-351 unknown_function unknown function 'to_entries' | did you mean 'entries'?",
          "2:360-372 unknown_function unknown function 'from_entries' | did you mean 'map_of'?",
          "2:378-387 unknown_function unknown function 'unique_by' | did you mean 'unique'?",
          "2:394-402 unknown_function unknown function 'group_by' | did you mean 'group'?",
          "2:409-416 unknown_function unknown function 'sort_by' | did you mean 'sort'?",
          '2:423-430 unknown_function unknown function \'sprintf\' | write $"…{e}…", and fixed(n, places) for a number',
          "2:441-445 unknown_function unknown function 'test' | did you mean 'matches'?",
          "2:454-462 unknown_function unknown function 'ltrimstr' | there are abs, all, any, base64, ceil, contains, csv, div, e",
        ],
      ],
    ],
  ],
  [
    'names that are meant',
    [
      [
        'let f : int -> int = map(value + 1)\nlet main : !int -> !int = plumb(i,o) { i ; f ; o }',
        [
          "2:44-45 bare_in_stream 'f' has bare types (base category); only stream morphisms can be wired into pipelines | apply it to each message: map(f)",
        ],
      ],
      [
        'let main : !string -> !string = upper',
        ["1:33-38 unknown_name no binding is named 'upper' | 'upper' is a function of expressions: write map(upper(value))"],
      ],
      [
        'let main : !int -> !int = plumb(input, output) { input ; outpt }',
        ["1:58-63 unknown_name no binding is named 'outpt' | did you mean 'output'?"],
      ],
      [
        'let main : !int -> !int = plumb(input, output) { let chan : !int = channel\n input ; chn\n chan ; output }',
        ["2:10-13 unknown_name no binding is named 'chn' | did you mean 'chan'?"],
      ],
      [
        'param limit : int = 3\nlet main : !{n:int} -> !{n:int} = filter(n < limt)',
        ["2:46-50 unknown_field the input { n: int } has no field 'limt' | did you mean 'limit'?"],
      ],
      [
        'type T={t:int}\nlet main : !T -> !json = map({ t: input, tr: value })',
        [
          "2:35-40 unknown_field the input T has no field 'input' | did you mean 'value'? It is what comes in here; an earlier message comes along by '(a * b) ; barrier'",
        ],
      ],
      [
        'type T = {a:int | unit}\nlet main : !T -> !bool = map(a = None)',
        ["2:34-38 unknown_field the input T has no field 'None' | did you mean 'null'?"],
      ],
      [
        'type T = {a?:int}\nlet main : !T -> !bool = map(a = undefined)',
        [
          "2:30-31 type_mismatch 'a' may be absent | give what stands in for it, as in a ?? …, or ask first: if has(a) then … else …",
          "2:34-43 unknown_field the input T has no field 'undefined' | did you mean 'null'?",
        ],
      ],
      [
        'type T={a:int}\nlet main : !T -> !int = map(.a)',
        ["2:29-30 syntax_error expected an expression, found '.' | a field is a name, or value.name"],
      ],
      [
        'let main : !string -> !string = agent { provider: "eliza", model: "doctor", system: "x", retries: 3, maxTokens: 3, system_prompt: "x", api_key: "x", base_url: "x", messages: [], timeout: 3 }',
        [
          "1:77-83 unknown_option an agent has no key 'system' | did you mean 'prompt'?",
          "1:90-97 unknown_option an agent has no key 'retries' | did you mean 'max_retries'?",
          "1:102-111 unknown_option an agent has no key 'maxTokens' | did you mean 'max_tokens'?",
          "1:116-129 unknown_option an agent has no key 'system_prompt' | did you mean 'prompt'?",
          "1:136-143 unknown_option an agent has no key 'api_key' | a key is in the environment",
          "1:150-158 unknown_option an agent has no key 'base_url' | did you mean 'endpoint'?",
          "1:165-173 unknown_option an agent has no key 'messages' | did you mean 'history'?",
          "1:179-186 unknown_option an agent has no key 'timeout' | it takes provider, wire, model, prompt, prompt_file, templat",
        ],
      ],
    ],
  ],
  [
    'one cause is one error',
    [
      [
        'let a : !int -> !int = id\nlet a : !int -> !int = id ; b\nlet main : !int -> !int = a',
        ["2:5-6 duplicate_name binding 'a' is declared twice | rename or delete one of them"],
      ],
      [
        'let a : !int -> !int = id\nlet main : !int -> !int = plumb(input, output) { input ; a ; output ; input ; output }',
        ["2:62-68 arity_mismatch nothing comes out of 'output' here | a wire ends there: begin the next one on a line of its own"],
      ],
    ],
  ],
  [
    'types as they are written',
    [
      ['let main : !int -> !bool = map([value] = 1)', ["1:32-43 type_mismatch '=' compares [int] with int, which are never equal"]],
      [
        'type T = {v:[int]}\nlet main : !int -> !T = map({ v: [[value]] })',
        ["2:25-46 type_mismatch 'map' gives '{ v: [[int]] }', 'output' takes 'T' | 'v' is '[[int]]', wanted is '[int]'"],
      ],
      ['let main : !int -> !bool = map([] = 1)', ["1:32-38 type_mismatch '=' compares [] with int, which are never equal"]],
      ['let main : !int -> !int = map(map_of([]))', ["1:27-42 type_mismatch 'map' gives '{}', 'output' takes 'int'"]],
    ],
  ],
  [
    'a command in another form',
    [
      [
        'let t : string -> string = tool { command: ["date"] }\nlet main : !string -> !string = map(t)',
        ['1:44-52 config_invalid \'command\' takes a string that is not empty | write "date"'],
      ],
      [
        'let main : !string -> !string = agent { command: "date" }',
        ['1:50-56 config_invalid \'command\' takes a list of strings, the program first | write ["date"]'],
      ],
    ],
  ],
]

for (const [name, rows] of TABLE)
  t.test(name, async (t) => {
    for (const [text, expected] of rows) reports(t, text, text, expected)
  })
