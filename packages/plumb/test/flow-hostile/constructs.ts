// Each construct of the language between a stranger's text and a shell, or a secret and the way out.

import type { Row, Rows } from './row.js'

const RUN = 'map({ arguments: [text(value)] }) ; map(run)'

/** `let main : !untrusted M -> !string = STAGES ; RUN`, with declarations before it. */
const straight = (name: string, refused: Row[1], stages: string, declared = ''): Row => [
  name,
  refused,
  `type M = { s: string, l: [string], n: int, o?: string, m: { [string]: string } }
${declared}
let main : !untrusted M -> !string = ${stages} ; ${RUN}`,
]

const body = (name: string, refused: Row[1], statements: string, declared = ''): Row => [
  name,
  refused,
  `type M = { s: string, l: [string], n: int }
${declared}
let main : !untrusted M -> !string = plumb(input, output) {
  ${statements.split('\n').join('\n  ')}
}`,
]

const READER = 'let reader : !M -> !string = agent { provider: "anthropic", model: "m" }'
const CONTROLLED = 'let agent1 : (!string, !json) -> (!string, !json) = agent { provider: "anthropic", model: "m" }'

export const CONSTRUCTS: Rows = {
  expressions: [
    straight('a constant', '', 'map("date")'),
    straight('a field', 'untrusted', 'map(s)'),
    straight('a template', 'untrusted', 'map($"echo {s}")'),
    straight('a default', 'untrusted', 'map(o ?? "date")'),
    straight('what is chosen by it', 'untrusted', 'map(if s = "x" then "date" else "ls")'),
    straight('whether it is there', 'untrusted', 'map(has(o))'),
    straight('an index by it', 'untrusted', 'map(["date", "ls"][n])'),
    straight('a slice by it', 'untrusted', 'map("date"[0:n])'),
    straight('a slice of a json', 'untrusted', 'map(["date", s]) ; map(second)', 'let second : json -> json = map(value[1:][0])'),
    straight('the last of a json', 'untrusted', 'map(["date", s]) ; map(end)', 'let end : json -> json = map(value[-1:][0])'),
    straight('a map made of it', 'untrusted', 'map(map_of([{ key: x, value: "date" } for x in l]))'),
    straight('the keys of a map', 'untrusted', 'map(keys(m))'),
    straight('the keys of its entries', 'untrusted', 'map([e.key for e in entries(m)])'),
    straight('how often it loops', 'untrusted', 'map(["date" for x in l])'),
    straight('what it filters in a loop', 'untrusted', 'map([x for x in ["date", "ls"] if x = s])'),
    straight('what it sorts by', 'untrusted', 'map(sort(["date", "ls"], x -> if contains(s, x) then 1 else 2))'),
    straight('what it groups by', 'untrusted', 'map([g.key for g in group(["date"], x -> s)])'),
    straight('a pair of it and ours', 'untrusted', 'map(zip(["date"], l))'),
    straight('our half of such a pair', '', 'map({ a: "date", b: s }) ; map(value.a)'),
    straight('a record that spreads it', 'untrusted', 'map({ a: "date", ...value }) ; map(text(value))'),
    straight('a json, parsed', 'untrusted', 'map(parse(s))'),
    straight('what a pattern finds', 'untrusted', 'map(find(s, "[a-z]+"))'),
    straight('a name for a function of it', 'untrusted', 'map(shout(s))', 'let shout : string -> string = map(upper(value))'),
  ],
  'chains and wires': [
    straight('a filter passes it on', 'untrusted', 'filter(n > 0) ; map(s)'),
    straight('a filter lets ours through', '', 'filter(contains(s, "x")) ; map("date")'),
    straight('fold with what came', 'untrusted', 'fold({ a: state.b, b: s }, from: { a: "date", b: "ls" }) ; map(value.a)'),
    straight('fold by what came', 'untrusted', 'fold(if n > 3 then "ls" else state, from: "date")'),
    straight('batch', 'untrusted', 'batch(2) ; map([x.s for x in value])'),
    straight('each', 'untrusted', 'map(l) ; each(map(upper(value)))'),
    straight('each, to a constant', 'untrusted', 'map(l) ; each(map("date"))'),
    straight('flatten', 'untrusted', 'map(l) ; flatten'),
    straight(
      'an alternative',
      'untrusted',
      'map(s) ; a + b',
      'let a : !string -> !string = filter(value != "")\nlet b : !string -> !string = map("date")',
    ),
    straight('an alternative taken by it', '', 'a + b', 'let a : !M -> !string = map("date")\nlet b : !M -> !string = map("ls")'),
    straight(
      'copy',
      'untrusted',
      'map(s) ; both',
      'let both : !string -> !json = plumb(i, o) {\n  i ; copy ; (map(value) * map("date")) ; merge ; o\n}',
    ),
    straight('a pair of copies', 'untrusted', '(map(s) * map("date")) ; barrier ; map(value[0])'),
    straight('our half of a barrier', '', '(map(s) * map("date")) ; barrier ; map(value[1])'),
    straight('project', 'untrusted', 'map([s, "date"]) ; project(0)'),
    straight(
      'trace',
      'untrusted',
      'map(s) ; map(again)',
      'let longer : string -> string = map(value + "x")\nlet again : string -> string = trace(longer, max: 3, until: length(value) > 9)',
    ),
    straight(
      'what ends a trace',
      'untrusted',
      'map(again({ s: "a", n: n }))',
      'type T = { s: string, n: int }\nlet longer : T -> T = map({ s: value.s + "x", n: value.n })\nlet again : T -> T = trace(longer, max: 3, until: length(value.s) > value.n)',
    ),
    [
      'what ends a trace, read by an agent with a shell',
      'untrusted',
      `type U = { s: string, u: untrusted string }
type T = { s: string, u: string }
let next : T -> T = map({ s: if value.s = "a" then "b" else "c", u: value.u })
let again : T -> T = trace(next, max: 9, until: value.s = value.u)
let main : !U -> !string = map(again) ; map(value.s) ; doer
let doer : !string -> !string = agent { provider: "anthropic", model: "m", tools: [run] }`,
    ],
    body('a channel', 'untrusted', `let c : !string = channel\ninput ; map(s) ; c\nc ; ${RUN} ; output`),
    body(
      'a channel that says it has none',
      'untrusted',
      `let c : !{ a: string, b: untrusted string } = channel\ninput ; map({ a: s, b: s }) ; c\nc ; map(value.a) ; ${RUN} ; output`,
    ),
    body(
      'a channel that says which',
      '',
      `let c : !{ a: string, b: untrusted string } = channel\ninput ; map({ a: "date", b: s }) ; c\nc ; map(value.a) ; ${RUN} ; output`,
    ),
    body(
      'a wire that joins it with ours',
      'untrusted',
      `let c : !string = channel\ninput ; map(s) ; c\ninput ; map("date") ; c\nc ; ${RUN} ; output`,
    ),
    body(
      'a loop',
      'untrusted',
      `let c : !string = channel\ninput ; map("date") ; c\ninput ; map(s) ; filter(value = "") ; c\nc ; filter(length(value) < 9) ; map(value + "x") ; c\nc ; filter(length(value) >= 9) ; ${RUN} ; output`,
    ),
    body('a process that is spawned', 'untrusted', `let c : !string = channel\nspawn reader(input, c)\nc ; ${RUN} ; output`, READER),
    body('a body in a body', 'untrusted', `input ; inner ; ${RUN} ; output`, 'let inner : !M -> !string = plumb(i, o) { i ; map(s) ; o }'),
    body(
      'a tool that is a body',
      'untrusted',
      `input ; map(inner) ; ${RUN} ; output`,
      'let stream : !M -> !string = plumb(i, o) { i ; map(s) ; o }\nlet inner : M -> string = tool { process: stream }',
    ),
    body(
      'a handoff',
      'untrusted',
      `input ; map(s) ; map(either) ; ${RUN} ; output`,
      'let a : string -> string = map(value)\nlet either : string -> string = tool { handoff: [a] }',
    ),
    ...(['[0].a', '[1].a'] as const).map((part) =>
      body(
        `a tool that copies: ${part}`,
        'untrusted',
        `input ; map({ a: s, b: "date" }) ; map(two) ; map(value${part}) ; ${RUN} ; output`,
        'let two : { a: string, b: string } -> ({ a: string, b: string }, { a: string, b: string }) = tool { process: copy }',
      ),
    ),
    body(
      'a tool that copies: our part',
      '',
      `input ; map({ a: s, b: "date" }) ; map(two) ; map(value[1].b) ; ${RUN} ; output`,
      'let two : { a: string, b: string } -> ({ a: string, b: string }, { a: string, b: string }) = tool { process: copy }',
    ),
    body('a tool that discards', '', `input ; map(gone) ; ${RUN} ; output`, 'let gone : M -> unit = tool { process: discard }'),
    body(
      'a spy',
      'untrusted',
      `input ; map(s) ; map(seen) ; ${RUN} ; output`,
      'let a : string -> string = map(value)\nlet seen : string -> string = tool { spy: a }',
    ),
  ],
  ports: [
    body(
      'what a process fails on',
      'untrusted',
      `input ; map(s) ; p ; output\np@error ; map(detail) ; ${RUN} ; output`,
      'let p : !string -> !string = map(text(number(value)))',
    ),
    body(
      'the input of what failed',
      'untrusted',
      `input ; map(s) ; p ; output\np@error ; map(text(input ?? 1)) ; ${RUN} ; output`,
      'let p : !string -> !string = map(text(number(value)))',
    ),
    body(
      'its code',
      '',
      `input ; map(s) ; p ; discard\np@error ; map(category) ; ${RUN} ; output`,
      'let p : !string -> !string = map(text(number(value)))',
    ),
    body(
      'what a filter fails on',
      'untrusted',
      `input ; p ; map(value.s) ; discard\np@error ; map(detail) ; ${RUN} ; output`,
      'let p : !M -> !M = filter(number(s) > 1)',
    ),
    body(
      'the process that a program says has failed',
      'untrusted',
      `input ; map(n) ; p ; discard\np@error ; map(process ?? "") ; ${RUN} ; output`,
      'let p : !int -> !string = agent { command: ["./p"], sandbox: { net: true } }',
    ),
    ...(
      [
        ['map', 'map({ a: text(value), b: number(theirs) }.a)'],
        ['fold', 'fold({ a: text(value), b: number(theirs) }.a, from: "")'],
        ['call', 'map(f(text(value)))'],
        ['bare chain', 'map(g)'],
        ['loop', 'map(text(length([1 for x in [number(theirs)]])))'],
      ] as const
    ).map(
      ([where, stage]): Row => [
        `what was computed for nothing: ${where}`,
        'untrusted',
        `param theirs : untrusted string = "x"
let f : string -> string = map({ a: value, b: number(theirs) }.a)
let g : int -> string = map(text(value)) ; f
let p : !int -> !string = ${stage}
let main : !int -> !string = plumb(input, output) {
  input ; p ; discard
  p@error ; map(detail) ; ${RUN} ; output
}`,
      ],
    ),
    body('what does not fit main', 'untrusted', `input ; map("date") ; ${RUN} ; output\ninput@error ; map(detail) ; ${RUN} ; output`),
    body(
      'telemetry',
      'untrusted',
      `let t : !json = channel\ninput ; map(n) ; text1 ; agent1 ; discard\nagent1@telemetry ; ${RUN} ; output`,
      `let text1 : !int -> !string = map(text(value))\nlet agent1 : !string -> (!string, !json) = agent { provider: "anthropic", model: "m" }`,
    ),
    body(
      'the memory that it asks for',
      'untrusted',
      `input ; map(n) ; asked ; discard\ninput ; map({ get_memory: true }) ; asked@ctrl_in\nasked@ctrl_out ; ${RUN} ; output`,
      'let asked : (!int, !json) -> (!bool, !json) = agent { provider: "anthropic", model: "m" }',
    ),
    body(
      'the memory that is set',
      'untrusted',
      `input ; map("date") ; agent1 ; ${RUN} ; output\ninput ; map({ set_memory: [{ role: "user", content: s }] }) ; agent1@ctrl_in`,
      CONTROLLED,
    ),
    body(
      'an answer from a memory',
      'untrusted',
      `input ; map(s) ; agent1 ; discard\ninput ; map("date") ; agent1 ; ${RUN} ; output`,
      'let agent1 : !string -> !string = agent { provider: "anthropic", model: "m" }',
    ),
    body(
      'two agents are two memories',
      '',
      `input ; map(s) ; agent1 ; discard\ninput ; map("date") ; agent2 ; ${RUN} ; output`,
      'let agent1 : !string -> !string = agent { provider: "anthropic", model: "m" }\nlet agent2 : !string -> !string = agent { provider: "anthropic", model: "m" }',
    ),
  ],
  agents: [
    body(
      'a closed verdict',
      '',
      'input ; judge ; map(if value = "good" then "date" else "ls") ; filter(value = "date") ; doer ; output',
      'let judge : !M -> !("good" | "bad") = agent { provider: "anthropic", model: "m" }\nlet doer : !string -> !string = agent { provider: "anthropic", model: "m" }',
    ),
    body(
      'closed data, read by an agent with a shell',
      '',
      'input ; map(n) ; doer ; output',
      'let doer : !int -> !string = agent { provider: "anthropic", model: "m", tools: [run] }',
    ),
    body('closed data as an argument', 'untrusted', `input ; map(n) ; ${RUN} ; output`),
    body(
      'closed data made text, read by an agent with a shell',
      'untrusted',
      'input ; map(text(n)) ; doer ; output',
      'let doer : !string -> !string = agent { provider: "anthropic", model: "m", tools: [run] }',
    ),
    body('text, endorsed', '', `input ; map(s) ; endorse("read by us") ; ${RUN} ; output`),
    body('text, declassified', 'untrusted', `input ; map(s) ; declassify("read by us") ; ${RUN} ; output`),
  ],
  secrets: [
    ['a secret out of main', 'secret', 'let main : !secret string -> !string = id'],
    ['its length', 'secret', 'let main : !secret string -> !int = map(length(value))'],
    ['declassified', '', 'let main : !secret string -> !int = map(length(value)) ; declassify("a number")'],
    ['to a provider', 'secret', 'let main : !secret string -> !secret string = agent { provider: "anthropic", model: "m" }'],
    ['to ELIZA here', '', 'let main : !secret string -> !secret string = agent { provider: "eliza" }'],
    ['to a server', 'secret', 'let main : !secret string -> !untrusted secret unit = map({ text: value }) ; map(post)'],
    ['the telemetry of an agent', 'secret', 'let main : !secret string -> (!secret string, !json) = agent { provider: "eliza" }'],
    [
      'the telemetry of an agent that may tell it',
      '',
      'let main : !secret string -> (!secret string, !secret json) = agent { provider: "eliza" }',
    ],
    [
      'the memory of an agent, asked for from outside',
      'secret',
      'let main : (!secret string, !json) -> (!secret string, !secret json) = agent { provider: "eliza" }',
    ],
    [
      'a param, in the error of what was computed for nothing',
      'secret',
      `param key : secret string = "x"
let p : !string -> !string = map({ a: value, b: number(key) }.a)
let main : !string -> !string = plumb(i, o) {
  i ; p ; o
  p@error ; map(detail) ; o
}`,
    ],
    [
      'a fold that keeps it',
      'secret',
      'let main : !secret string -> !string = fold(if length(value) > 3 then "long" else state, from: "")',
    ],
    [
      'in a port error',
      'secret',
      'let p : !string -> !string = map(text(number(value)))\nlet main : !secret string -> !string = plumb(i, o) {\n  i ; p ; discard\n  p@error ; map(detail) ; o\n}',
    ],
  ],
}
