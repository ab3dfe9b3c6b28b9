// Protocols and conversations as others would write them, and declarations with syntax errors: one cause is one error.

import t from 'tap'
import { reports } from './reports.js'

const talk = (rest: string): string => `protocol Ask = { more: send int . recv string . loop, end }\n${rest}`

const TABLE: readonly (readonly [string, readonly (readonly [string, readonly string[]])[]])[] = [
  [
    'protocols',
    [
      [
        'protocol P = call a -> call b -> end',
        [
          "1:21-23 syntax_error expected ' . ' and another step, found '->' | steps are joined by a '.' in white space: call a . call b . end",
        ],
      ],
      [
        'protocol P = call a; end',
        [
          "1:20-21 syntax_error expected ' . ' and another step, found ';' | steps are joined by a '.' in white space: call a . call b . end",
        ],
      ],
      [
        'protocol P = call a, end',
        [
          "1:20-21 syntax_error expected ' . ' and another step, found ',' | steps are joined by a '.' in white space: call a . call b . end",
        ],
      ],
      [
        'protocol P = a . b . end',
        [
          "1:18-19 protocol_invalid nothing comes after the name of a protocol: this step is unreachable | a call of a tool is written 'call a'",
        ],
      ],
      [
        'protocol P = { a | b: end }',
        ["1:18-19 syntax_error expected ':' after 'a', the label of a branch, found '|' | each has a branch of its own: a: end, b: end"],
      ],
      [
        'protocol P = { call a . end, end }',
        ["1:16-20 syntax_error 'call' is a word of protocols | in a choice the label is the call: a: …"],
      ],
      ['protocol P = call a . end\nlet main : !int -> !int = id ; P', ["2:32-33 not_a_process 'P' is a protocol, and no process"]],
      ['type T = int\nlet main : !int -> !int = id ; T', ["2:32-33 not_a_process 'T' is a type, and no process"]],
    ],
  ],
  [
    'what uses a declaration with a syntax error is not wrong too',
    [
      [
        'type T =  k: "x", n?: int }\nlet main : !T -> !int = map(1)',
        ["1:12-13 syntax_error expected the end of the type, found ':' | a record type is written in braces"],
      ],
      [
        'type U = { k: "a", n: int }  { k: "b", s: string }\nlet main : !U -> !json = map(s)',
        ["1:30-31 syntax_error expected the end of the type, found '{' | a choice is written A | B"],
      ],
      ['let main : !int -> !int = mapt)', ["1:31-32 syntax_error expected ';' or a new line, found ')'"]],
      [
        'type S = int | string bool\nlet main : !S -> !json = map(value + 1)',
        ["1:23-27 syntax_error expected the end of the type, found 'bool'"],
      ],
      [
        'param p : pstring] = []\nlet main : !string -> !bool = map(contains(p, value))',
        ["1:18-19 syntax_error expected '=' and a default, or a new line, found ']'"],
      ],
      ['var R = { a: int }\nlet main : !R -> !R = id', ["1:1-4 syntax_error expected 'use'"]],
      [
        'let a : !int -> !int = plumb(i j, o) {\n  let c : !int = channel\n  i ; c ; o\n}',
        ["1:32-33 syntax_error expected ')' after the ports, found 'j'"],
      ],
      [' L = "a" | "b"\nlet main : !L -> !int = map(1)', ["1:2-3 syntax_error expected 'use'"]],
      ['let f :  -> int = map(value)\nlet main : !int -> !int = map(f(value) + 1)', ['1:10-12 syntax_error expected a type']],
      ['let f : int -> int = id id\nlet main : !{ a: int } -> !json = map(f)', ["1:25-27 syntax_error expected ';', found 'id'"]],
      [
        'let main : !int -> !int = map(let x  value + 1 in let y = x * 2 in x + y)',
        ["1:38-43 syntax_error expected '=' after 'let x', found 'value'"],
      ],
      [
        'protocol P = { more: send int . . recv int . loop, end }\nlet a : (!int, P) -> !int = plumb(i, s, o) { i ; s\n  s_in ; o }\nlet main : !int -> !int = plumb(i, o) {\n  let s : P = channel\n  spawn a(i, s, o)\n}',
        ['1:33-34 syntax_error expected a step'],
      ],
      [
        talk(
          'let a : (!int, Ask) -> !string = plumb(i, s, o) { i ; s\n  s_in ; o }\nlet b : (~Ask) -> () = plumb(s) { s_in ; ; s }\nlet main : !int -> !string = plumb(i, o) {\n  let s : Ask = channel\n  spawn a(i, s, o)\n  spawn b(s=s)\n}',
        ),
        ['4:42-43 syntax_error expected a process'],
      ],
    ],
  ],
  [
    'conversations: one cause is one error',
    [
      [
        talk('let a : (!int, Aks) -> !string = plumb(i, s, o) { i ; s\n  s_in ; o }'),
        ["2:16-19 unknown_type no type is named 'Aks' | did you mean 'Ask'?"],
      ],
      [
        talk('let a : (!int, !Ask) -> !string = plumb(i, s, o) { i ; s\n  s_in ; o }'),
        ["2:17-20 protocol_invalid 'Ask' is a protocol, and no type of messages"],
      ],
      [
        talk('let a : !int -> (!string, Ask) = plumb(i, o, s) { i ; s\n  s_in ; o }'),
        ["2:27-30 protocol_invalid 'Ask' is a protocol, and no type of messages"],
      ],
      [
        talk(
          'let b : (~Ask) -> () = plumb(s) { s_in ; map(text(value)) ; s }\nlet main : !int -> !string = plumb(i, o) {\n  let s : Ask = channel\n  i ; s\n  s_in ; o\n  spawn b(s=s)\n}',
        ),
        ["5:7-8 protocol_invalid 's' is a conversation, which is wired whole: no part of a chain takes, copies, merges or filters it"],
      ],
      [
        talk(
          'let bot : (!int, ~Ask) -> !int = agent { command: ["cat"] }\nlet a : (!int, Ask) -> !string = plumb(i, s, o) { i ; s\n  s_in ; o }\nlet main : (!int, !int) -> (!string, !int) = plumb(i, j, o, p) {\n  let s : Ask = channel\n  spawn a(i, s, o)\n  spawn bot(input=j, s=s, output=p)\n}',
        ),
        ["8:22-23 undeclared_port 'bot' has no port 's'"],
      ],
      [
        talk(
          'let a : (!int, Ask) -> !string = plumb(i, s, o) { i ; s\n  s_in ; o }\nlet main : !int -> (!string, !string) = plumb(i, o, p) {\n  let s : Ask = channel\n  spawn a(i, s, o)\n  spawn a(i, s, p)\n}',
        ),
        ["7:14-15 protocol_invalid 'a@s' is used a second time"],
      ],
    ],
  ],
]

for (const [name, rows] of TABLE)
  t.test(name, async (t) => {
    for (const [text, expected] of rows) reports(t, text, text, expected)
  })
