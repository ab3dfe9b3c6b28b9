// Conversations between the processes of a body: what is refused, each with both places, and what is right.

import t from 'tap'
import { diagnosticToJson } from '../src/diagnostic/diagnostic.js'
import { compileText, lines, reports } from './reports.js'

const HEAD = [
  'protocol P = { go: send int . recv string . loop, end }',
  'protocol Q = send bool . end',
  'let left : (!int, P) -> !json = plumb(input, s, output) { input ; s',
  's_in ; output }',
  'let right : (!int, ~P) -> !json = plumb(input, s, output) { input ; discard ; output',
  's_in ; map("x") ; s }',
  'let other : (!int, ~Q) -> !json = plumb(input, q, output) { input ; output',
  'q_in ; discard ; output }',
  'let both : (!int, P, ~P) -> !json = plumb(input, a, b, output) { input ; a',
  'a_in ; output',
  'b_in ; map("y") ; b }',
  'let more : (!int, P, ~P) -> !json = plumb(input, a, b, output) { input ; a',
  'a_in ; output',
  'b_in ; map("y") ; b }',
  'let bot : !string -> !string = agent { provider: "eliza" }',
]

/** Statements of a body between `input` and `output`, from line 17. */
const body = (...list: string[]): string => lines(...HEAD, 'let main : !int -> !json = plumb(input, output) {', ...list, '}')

const GOOD = ['spawn left(input=input, s=s, output=output)', 'spawn right(input=input, s=s, output=output)']

/** Each error with the line of the other place that it shows. */
const ROWS: readonly (readonly [name: string, body: readonly string[], expected: readonly string[], related: readonly number[]])[] = [
  [
    'a copy in a chain',
    ['let s : P = channel', ...GOOD, 's ; discard ; output'],
    ["20:1-2 protocol_invalid 's' is a conversation, which is wired whole"],
    [17],
  ],
  ['a filter', ['let s : P = channel', ...GOOD, 'input ; filter(true) ; s'], ["20:24-25 protocol_invalid 's' is a conversation"], [17]],
  [
    'a third end',
    ['let s : P = channel', ...GOOD, 'spawn other(input=input, q=s, output=output)'],
    ["20:28-29 protocol_invalid 's' is used a second time"],
    [19],
  ],
  [
    'one end is left over',
    ['let s : P = channel', 'spawn left(input=input, s=s, output=output)'],
    ["17:5-6 protocol_invalid one end of 's' is left over"],
    [18],
  ],
  ['both are left over', ['let s : P = channel', 'input ; output'], ["17:5-6 protocol_invalid both ends of 's' are left over"], [17]],
  [
    'the end of a process is left over',
    ['spawn left(input=input, output=output)'],
    ["17:7-11 protocol_invalid the end 's' of 'left' is left over"],
    [3],
  ],
  ['it is left over in a chain', ['input ; left ; output'], ["17:9-13 protocol_invalid the end 's' of 'left' is left over"], [3]],
  [
    'both on one side',
    [
      'let s : P = channel',
      'spawn left(input=input, s=s, output=output)',
      'let again : P = channel',
      'spawn both(input=input, a=s, b=again, output=output)',
    ],
    [
      "19:5-10 protocol_invalid one end of 'again' is left over",
      "20:27-28 protocol_invalid both ends of 's' are 'P': one side has to be '~P'",
    ],
    [20, 18],
  ],
  [
    'another protocol',
    ['let s : P = channel', 'spawn left(input=input, s=s, output=output)', 'spawn other(input=input, q=s, output=output)'],
    ["19:28-29 protocol_invalid 'other' speaks '~Q' at its end 'q', and 's' is of 'P'"],
    [17],
  ],
  [
    'two between the same two',
    [
      'let s : P = channel',
      'let u : P = channel',
      'spawn both(input=input, a=s, b=u, output=output)',
      'spawn more(input=input, a=u, b=s, output=output)',
    ],
    ['18:5-6 protocol_invalid conversations go in a circle, in which each may wait for the next: both - u - more - s - both'],
    [17],
  ],
  [
    'a process with itself',
    ['let s : P = channel', 'spawn both(input=input, a=s, b=s, output=output)'],
    ['17:5-6 protocol_invalid conversations go in a circle, in which each may wait for the next: both - s - both'],
    [],
  ],
  [
    'a stream for an end',
    ['let k : !json = channel', 'input ; k', 'spawn left(input=input, s=k, output=output)'],
    ["19:27-28 protocol_invalid 's' of 'left' is an end of a conversation, and 'k' is a channel of a stream | let s : P = channel"],
    [],
  ],
  [
    'an end for a stream',
    ['let s : P = channel', ...GOOD, 'spawn bot(input=s, output=output)'],
    ["20:17-18 protocol_invalid 's' is a conversation"],
    [17],
  ],
  [
    'control of another protocol',
    [
      'let s : P = channel',
      'spawn left(input=input, s=s, output=output)',
      'spawn bot(input=texts, output=output, ctrl=s)',
      'let texts : !string = channel',
      'input ; map("x") ; texts',
    ],
    ["19:44-45 protocol_invalid 'bot' speaks '~Mem.Control' at its end 'ctrl', and 's' is of 'P' | (!A, ~P) -> !B"],
    [17],
  ],
]

t.test('what is refused, with both places', async (t) => {
  for (const [name, statements, expected, related] of ROWS) {
    const text = body(...statements)
    reports(t, name, text, expected)
    const found = compileText(text).diagnostics.flatMap((d) => (d.related ?? []).map(({ span }) => diagnosticToJson({ ...d, span }).line))
    t.strictSame(found, related, `${name}: the other place`)
  }
})

const signature = (text: string): string =>
  lines('protocol P = { go: send int . recv string . loop, end }', 'protocol T = call a . end', text)

t.test('signatures and what a body does with its own end', async (t) => {
  const rows: readonly (readonly [string, string, readonly string[]])[] = [
    [
      'a protocol for tools',
      signature('let f : (!int, T) -> !json = plumb(a, s, b) { a ; b }'),
      ["3:16-17 protocol_invalid 'T' is a protocol for tools"],
    ],
    [
      'among the outputs',
      signature('let f : !int -> (!json, ~P) = plumb(a, b, s) { a ; b }'),
      ['3:25-27 protocol_invalid an end of a conversation stands among the inputs'],
    ],
    ['of a chain', signature('let f : (!int, P) -> !int = id'), ["3:16-17 protocol_invalid 'f' is a chain, which holds no conversation"]],
    [
      'no protocol at all',
      signature('let f : (!int, ~R) -> !int = plumb(a, s, b) { a ; b }'),
      ["3:17-18 unknown_name no protocol is named 'R'"],
    ],
    [
      'left over',
      signature('let f : (!int, P) -> !json = plumb(a, s, b) { a ; b }'),
      ["3:39-40 protocol_invalid the end 's' is left over"],
    ],
    [
      'only heard',
      signature('let f : (!int, P) -> !json = plumb(a, s, b) { a ; b\ns_in ; b }'),
      ["4:1-5 protocol_invalid 's', one way of the end 's', is left over"],
    ],
    [
      'said twice',
      signature('let f : (!int, P) -> !json = plumb(a, s, b) { a ; s\na ; s\ns_in ; b }'),
      ["4:5-6 protocol_invalid 's' is used a second time"],
    ],
    [
      'heard twice',
      signature('let f : (!int, P) -> !json = plumb(a, s, b) { a ; s\ns_in ; b\ns_in ; discard ; b }'),
      ["5:1-5 protocol_invalid 's_in' is used a second time"],
    ],
    [
      'spoken and handed on',
      signature(
        'let g : (!int, P) -> !json = plumb(a, s, b) { a ; s\ns_in ; b }\nlet f : (!int, P) -> !json = plumb(a, s, b) { spawn g(a, s, b)\na ; s }',
      ),
      ["6:5-6 protocol_invalid 's' is used a second time"],
    ],
    [
      'the wrong side is handed on',
      signature(
        'let g : (!int, P) -> !json = plumb(a, s, b) { a ; s\ns_in ; b }\nlet f : (!int, ~P) -> !json = plumb(a, s, b) { spawn g(a, s, b) }',
      ),
      ["5:59-60 protocol_invalid 'g' speaks 'P' at its end 's', and 's' is of '~P'"],
    ],
    [
      'a name that is taken',
      signature('let f : (!int, P) -> !json = plumb(s_in, s, b) { s_in ; s\ns_in ; b }'),
      ["3:42-43 duplicate_name name 's_in' is declared twice"],
    ],
    [
      'a message of another type',
      signature('let f : (!string, P) -> !json = plumb(a, s, b) { a ; s\ns_in ; b }'),
      ["3:54-55 type_mismatch 'a' gives 'string', 's' takes 'int"],
    ],
    ['one that only hears', signature('protocol H = send int . end\nlet f : (!int, ~H) -> !json = plumb(a, s, b) { a ; b\ns_in ; b }'), []],
    ['ends alone', signature('let f : (P, ~P) -> !json = plumb(s, u, b) { u_in ; map(1) ; s\ns_in ; map("x") ; u\nempty ; b }'), []],
    ['no output', signature('let f : (~P) -> () = plumb(s) { s_in ; map("x") ; s }'), []],
    [
      'a broken protocol is told once',
      'protocol P = send int . loop\nlet f : (!int, P) -> !json = plumb(a, s, b) { a ; s\ns_in ; b }',
      ["1:14-22 protocol_invalid no way leads from here to 'end'"],
    ],
  ]
  for (const [name, text, expected] of rows) reports(t, name, text, expected)
})
