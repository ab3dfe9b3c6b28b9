// The table of `flow-hostile.test.ts`: by construct, what it is, the labels that are refused ('' for none), and the program.

/** A shell, a source of untrusted text, a secret, and a way out. */
export const PRELUDE = `let srv = { url: "http://127.0.0.1:9/mcp" }
let run : { arguments?: [string] } -> string = tool { command: "/bin/sh -c" }
let page : untrusted { url: string } -> untrusted string = tool { builtin: "webpage_to_markdown" }
let vault : { path: string } -> secret json = tool { builtin: "read_file", roots: { v: { path: "v", secret: true } } }
let post : { text: untrusted string } -> untrusted unit = tool { mcp: srv, name: "post" }
`

export type Row = readonly [name: string, refused: '' | 'untrusted' | 'secret' | 'secret untrusted', text: string]

const RUN_NEXT = 'map({ arguments: [text(value.next ?? { u: "" })] }) ; map(run)'

/** Configurations with `param p : P`. */
const KEYS: readonly (readonly [name: string, text: string, secret?: '' | 'secret'])[] = [
  ...[
    ['prompt', 'provider: "anthropic", model: "m", prompt: p'],
    ['a prompt that is a template', 'provider: "anthropic", model: "m", prompt: $"Be {p}."'],
    ['history', 'provider: "anthropic", model: "m", history: [{ role: "user", content: p }]'],
    ['prompt_file', 'provider: "anthropic", model: "m", prompt_file: p'],
    ['prompts', 'provider: "anthropic", model: "m", prompts: [p]'],
    ['template', 'provider: "anthropic", model: "m", prompt_file: "a.md", template: true'],
    ['description', 'provider: "anthropic", model: "m", description: p'],
    ['model', 'provider: "anthropic", model: p'],
    ['endpoint', 'provider: "openai", model: "m", endpoint: p'],
    ['request', 'provider: "openai", model: "m", request: { metadata: { a: [p] } }'],
    ['via', 'provider: "openai", model: "m", via: ["ssh", p]'],
  ].map(([name = '', config]): [string, string] => [
    `${name} of an agent`,
    `param p : P = "x"\nlet main : !string -> !string = agent { ${config} }`,
  ]),
  ['the command of an agent', 'param p : P = "x"\nlet main : !string -> !untrusted string = agent { command: ["sh", "-c", p] }'],
  ...[
    ['command', '{ command: p, sandbox: { net: true } }'],
    ['function', '{ function: p, sandbox: false }'],
    ['roots of one that reaches the network', '{ builtin: "webpage_to_markdown", roots: { x: p } }'],
    ['description', '{ command: "ls", description: p }'],
    ['agent', '{ agent: p }'],
    ['the server', '{ mcp: p, name: "a" }'],
    ['the URL of a server', '{ mcp: { url: p }, name: "a" }'],
    ['a config value', '{ mcp: named, name: "a" }'],
    ['name', '{ mcp: srv, name: p }'],
    ['the command of a server', '{ mcp: { command: p }, name: "a" }'],
    ['the arguments of a server', '{ mcp: { command: "sh", args: ["-c", p] }, name: "a" }'],
  ].map(([name = '', config]): [string, string] => [
    `${name} of a tool`,
    `param p : P = "http://127.0.0.1:9/mcp"
let named = { command: "sh", args: ["-c", p] }
let act : string -> untrusted string = tool ${config}
let main : !string -> !untrusted string = map(act)`,
  ]),
  [
    'the prefix of a server',
    `param p : P = "x"
let act : string -> untrusted string = tool { mcp: { url: "http://127.0.0.1:9/mcp", prefix: p }, name: "a" }
let main : !string -> !untrusted string = map(act)`,
  ],
  [
    'the environment of a server',
    `param p : P = "x"
let vars = { NODE_OPTIONS: p }
let act : {} -> untrusted unit = tool { mcp: { command: "server", env: vars }, name: "act" }
let main : !{} -> !untrusted unit = map(act)`,
    '',
  ],
  [
    'a token',
    `param p : P = "x"
let act : {} -> untrusted unit = tool { mcp: { url: "http://127.0.0.1:9/mcp", token: p }, name: "act" }
let main : !{} -> !untrusted unit = map(act)`,
    '',
  ],
  [
    'a host that a sandbox lets it reach',
    `param p : P = "a.example"
let act : { arguments?: [string] } -> untrusted string = tool { command: "curl", sandbox: { net: [p] } }
let main : !{ arguments?: [string] } -> !untrusted string = map(act)`,
    '',
  ],
  [
    'a root',
    `param p : P = "x"
let act : { path: string } -> secret json = tool { builtin: "read_file", roots: { x: { path: p } } }
let main : !{ path: string } -> !secret json = map(act)`,
    '',
  ],
]

export const HOSTILE: Readonly<Record<string, readonly Row[]>> = {
  'types that hold themselves': [
    [
      'a field of one variant is another type in the other',
      'untrusted',
      `type U = { u: string }
type T = { k: "a", a: untrusted string, next?: T } | { k: "b", next?: U }
let main : !T -> !string = filter(has(value.next)) ; ${RUN_NEXT}`,
    ],
    [
      'the same, without a label',
      '',
      `type U = { u: string }
type T = { k: "a", a: string, next?: T } | { k: "b", next?: U }
let main : !T -> !string = filter(has(value.next)) ; ${RUN_NEXT}`,
    ],
    [
      'two types that hold each other, in sums',
      'untrusted',
      `type A = { k: "a", x?: untrusted A, y?: B } | { k: "b", x?: B }
type B = { k: "a", x?: untrusted B, y?: A } | { k: "b", x?: A }
let main : !A -> !string = map({ arguments: [text(value)] }) ; map(run)`,
    ],
    [
      'two types that hold each other, passed on whole',
      '',
      `type A = { k: "a", x?: untrusted A, y?: B } | { k: "b", x?: B }
type B = { k: "a", x?: untrusted B, y?: A } | { k: "b", x?: A }
let main : !A -> !untrusted json = map(value)`,
    ],
    [
      'a label three names away',
      'untrusted',
      `type A = { b?: B, n: int }
type B = { cs: [C] }
type C = { m: { [string]: D } }
type D = { a?: A, s: untrusted string }
let main : !A -> !string = map({ arguments: [text(value.b ?? { cs: [] })] }) ; map(run)`,
    ],
    [
      'the parts beside the label stay as they are',
      '',
      `type A = { b?: B, s: string }
type B = { cs: [C] }
type C = { a?: A, u: untrusted string, t: string }
let main : !A -> !string = map({ arguments: [s, text([c.t for c in (value.b ?? { cs: [] }).cs])] }) ; map(run)`,
    ],
    [
      'a comment with replies, given to an agent with a shell',
      'untrusted',
      `type Comment = { by: string, text: untrusted string, replies: [Comment] } | { deleted: bool, replies: [Comment] }
let reader : !Comment -> !string = agent { provider: "anthropic", model: "m", tools: [run] }
let main : !Comment -> !string = map(value.replies) ; flatten ; reader`,
    ],
    [
      'a map that holds itself',
      'untrusted',
      `type T = { [string]: T } | untrusted string
let main : !T -> !string = map({ arguments: [text(value)] }) ; map(run)`,
    ],
    [
      'a field that may be that of a map',
      'untrusted',
      `type T = { items: [{ [string]: untrusted string }] | { s: string } }
let main : !T -> !string = map({ arguments: [text(value.items)] }) ; map(run)`,
    ],
    [
      'lists and tuples of themselves',
      'untrusted',
      `type T = [T] | { s: untrusted string }
type P = { t: T, p?: P, l: [P] }
let main : !P -> !string = map({ arguments: [text(first(value.l).t)] }) ; map(run)`,
    ],
    [
      'a tool that takes a recursive type with one untrusted part',
      'untrusted',
      `type T = { s: untrusted string, next?: T }
type N = { s: untrusted string, at: string, next?: N }
let act : N -> untrusted unit = tool { mcp: srv, name: "act" }
let main : !T -> !untrusted unit = map({ s: s, at: (value.next ?? { s: "" }).s, next: { s: s, at: "b" } }) ; map(act)`,
    ],
    [
      'the same with our own in its place',
      '',
      `type T = { s: untrusted string, next?: T }
type N = { s: untrusted string, at: string, next?: N }
let act : N -> untrusted unit = tool { mcp: srv, name: "act" }
let main : !T -> !untrusted unit = map({ s: s, at: "a", next: { s: s, at: "b", next: { s: s, at: "c" } } }) ; map(act)`,
    ],
    [
      'a record within itself, made round after round',
      'untrusted',
      `type T = { s: string, in?: T }
let around : T -> T = map({ s: "x", in: value })
let again : T -> T = trace(around, max: 5)
let main : !untrusted string -> !string = map({ s: value }) ; map(again) ; map({ arguments: [text(value.in ?? { s: "" })] }) ; map(run)`,
    ],
    [
      'a secret below itself',
      'secret',
      `type T = { a: secret string, next?: T } | { b: string, next?: [T] }
let main : !T -> !string = map(text(value))`,
    ],
    [
      'a tool that runs the process in which it is called, with more around it each time',
      'untrusted',
      `type T = { s: string, in?: T }
let deeper : T -> T = tool { process: deep }
let deep : !T -> !T = plumb(from, to) {
  from ; filter(length(text(value)) < 99) ; map({ s: "x", in: value }) ; map(deeper) ; to
  from ; filter(length(text(value)) >= 99) ; to
}
let main : !untrusted T -> !string = map(deeper) ; map({ arguments: [text(value)] }) ; map(run)`,
    ],
  ],
  'errors of tools that an agent reads': [
    [
      'of a server, behind an int',
      'untrusted',
      `let ping : untrusted {} -> untrusted int = tool { mcp: srv, name: "ping" }
let main : !string -> !string = agent { provider: "anthropic", model: "m", prompt: "x", tools: [ping, run] }`,
    ],
    [
      'of a server that is trusted',
      '',
      `let ping : untrusted {} -> int = tool { mcp: { url: "http://127.0.0.1:9/mcp", trusted: true }, name: "ping" }
let main : !string -> !string = agent { provider: "anthropic", model: "m", prompt: "x", tools: [ping, run] }`,
    ],
    [
      'of a server, behind unit',
      'untrusted',
      `let ping : untrusted {} -> unit = tool { mcp: srv, name: "ping" }
let main : !string -> !string = agent { provider: "anthropic", model: "m", tools: [ping, run] }`,
    ],
    [
      'of a command with the network, behind a bool',
      'untrusted',
      `let ask : { arguments?: untrusted [string] } -> untrusted bool = tool { command: "curl -s", effects: ["net"] }
let main : !string -> !string = agent { provider: "anthropic", model: "m", tools: [ask, run] }`,
    ],
    [
      'of a page, behind a chain that makes a number of it',
      'untrusted',
      `@tool true
let size : untrusted { url: string } -> untrusted int = page ; map(length(value))
let main : !string -> !string = agent { provider: "anthropic", model: "m", tools: [size, run] }`,
    ],
    [
      'of a page, behind each, trace and an alternative',
      'untrusted',
      `let get : untrusted string -> untrusted string = map({ url: value }) ; page
let same : untrusted int -> untrusted int = map(value)
@tool true
let sizes : untrusted [string] -> untrusted [int] = each(get ; map(length(value)) ; trace(same, max: 3)) + map([0])
let main : !string -> !string = agent { provider: "anthropic", model: "m", tools: [sizes, run] }`,
    ],
    [
      'of a page, behind a process',
      'untrusted',
      `let sizes : !untrusted { url: string } -> !untrusted int = map(page) ; map(length(value))
let size : untrusted { url: string } -> untrusted int = tool { process: sizes }
let main : !string -> !string = agent { provider: "anthropic", model: "m", tools: [size, run] }`,
    ],
    [
      'of a page, behind a pool',
      'untrusted',
      `let ping : untrusted {} -> untrusted int = tool { mcp: srv, name: "ping" }
let pong : untrusted {} -> untrusted int = tool { mcp: srv, name: "pong" }
let any : untrusted {} -> untrusted int = tool { pool: [ping, pong] }
let main : !string -> !string = agent { provider: "anthropic", model: "m", tools: [any, run] }`,
    ],
    [
      'of a judge that reads pages, behind its verdict',
      'untrusted',
      `let verdict : !untrusted { url: string } -> !untrusted ("good" | "bad") = agent { provider: "anthropic", model: "m", tools: [page] }
let judge : untrusted { url: string } -> untrusted ("good" | "bad") = tool { process: verdict }
let main : !string -> !string = agent { provider: "anthropic", model: "m", tools: [judge, run] }`,
    ],
    [
      'of a file below an untrusted root, behind unit',
      'untrusted',
      `let touch : untrusted { path: string } -> untrusted int = tool { builtin: "read_file", roots: { d: { path: "d", untrusted: true } } }
let main : !string -> !string = agent { provider: "anthropic", model: "m", tools: [touch, run] }`,
    ],
    [
      'of a secret file, to a provider',
      'secret',
      `@tool true
let size : { path: string } -> secret int = vault ; map(length(text(value)))
let main : !string -> !secret string = agent { provider: "anthropic", model: "m", tools: [size] }`,
    ],
    [
      'of a tool of our own',
      '',
      `let date : { arguments?: [string] } -> int = tool { command: "date +%s" }
let main : !string -> !string = agent { provider: "anthropic", model: "m", tools: [date, run] }`,
    ],
    [
      'with approval of what it may do',
      '',
      `let ping : untrusted {} -> untrusted int = tool { mcp: srv, name: "ping" }
let asked : { arguments?: [string] } -> string = tool { command: "/bin/sh -c", approval: "ask" }
let main : !string -> !untrusted string = agent { provider: "anthropic", model: "m", tools: [ping, asked] }`,
    ],
    [
      'on a wire: a port error of a call that gives unit',
      'untrusted',
      `let ping : untrusted {} -> unit = tool { mcp: srv, name: "ping" }
let pings : !{} -> !unit = map(ping)
let main : !{} -> !string = plumb(from, to) {
  from ; pings ; discard
  pings@error ; map({ arguments: [detail] }) ; map(run) ; to
}`,
    ],
    [
      'on a wire: a closed result made text',
      'untrusted',
      `let ping : untrusted {} -> untrusted int = tool { mcp: srv, name: "ping" }
let main : !{} -> !string = map(ping) ; map({ arguments: [text(value)] }) ; map(run)`,
    ],
    [
      'on a wire: a filter that quotes a secret',
      'secret',
      `param key : secret string = "7"
let long : !string -> !string = filter(length(value) > (if key = "7" then 1 else 2))
let main : !string -> !string = plumb(from, to) {
  from ; long ; to
  long@error ; map(detail) ; to
}`,
    ],
  ],
  'chains that a model writes': [
    [
      'closed literals, joined to text',
      'untrusted',
      `let chars : untrusted {} -> [("e" | "v" | "i" | "l" | " ")] = tool { mcp: srv, name: "chars" }
let main : !string -> !string = agent { provider: "anthropic", model: "m", tools: [chars, run], compose: true }`,
    ],
    [
      'numbers of a chain of ours that endorses errors too late',
      'untrusted',
      `type Letter = "e" | "v" | "i" | "l"
let main : !untrusted [Letter] -> !string = reader
let spell : [Letter] -> [Letter] = tool { process: speller }
let speller : !untrusted [Letter] -> !untrusted [Letter] = id
let reader : !untrusted [Letter] -> !string = agent { provider: "anthropic", model: "m", tools: [spell, run], compose: { max_output: 100 } }`,
    ],
    [
      'with tools of our own alone',
      '',
      `let date : { arguments?: [string] } -> int = tool { command: "date +%s" }
let main : !string -> !string = agent { provider: "anthropic", model: "m", tools: [date, run], compose: true }`,
    ],
  ],
  'programs with a network': [
    ...[
      ['net: true', '{ net: true }'],
      ['hosts', '{ net: ["evil.example"] }'],
      ['sockets', '{ sockets: ["/run/x.sock"] }'],
      ['no sandbox', 'false'],
    ].flatMap(([name, sandbox]): Row[] => [
      [
        `a secret to a command: ${name}`,
        'secret',
        `let send : { arguments?: [string] } -> untrusted secret string = tool { command: "curl -d", sandbox: ${sandbox} }
let main : !{ path: string } -> !bool = map(vault) ; map({ arguments: [text(value)] }) ; map(send) ; map(true)`,
      ],
      [
        `a secret to a function: ${name}`,
        'secret',
        `let send : { a: string } -> untrusted secret string = tool { function: "./f.js#f", sandbox: ${sandbox} }
let main : !{ path: string } -> !bool = map(vault) ; map({ a: text(value) }) ; map(send) ; map(true)`,
      ],
      [
        `a secret to an agent that is a program: ${name}`,
        'secret',
        `let send : !secret string -> !untrusted secret string = agent { command: ["curl"], sandbox: ${sandbox.replace('sockets', 'net: false, sockets')} }
let main : !{ path: string } -> !untrusted secret string = map(vault) ; map(text(value)) ; send`,
      ],
    ]),
    [
      'a secret to a command without one',
      '',
      `let count : { arguments?: [string] } -> string = tool { command: "wc", sandbox: { net: false } }
let main : !{ path: string } -> !secret string = map(vault) ; map({ arguments: [text(value)] }) ; map(count)`,
    ],
    [
      'a secret to an agent that is a program without one',
      '',
      `let count : !secret string -> !secret string = agent { command: ["wc"], sandbox: { net: false } }
let main : !{ path: string } -> !secret string = map(vault) ; map(text(value)) ; count`,
    ],
    [
      'a secret to an agent without one, that a tool with one runs',
      'secret untrusted',
      `let count : !secret string -> !secret string = agent { command: ["wc"], sandbox: { net: false } }
let counts : secret string -> secret string = tool { process: count, sandbox: { net: true } }
let main : !{ path: string } -> !secret string = map(vault) ; map(text(value)) ; map(counts)`,
    ],
    [
      'a secret to ELIZA on another machine',
      'secret',
      `let eliza : !secret string -> !secret string = agent { provider: "eliza", via: ["ssh", "there"] }
let main : !{ path: string } -> !secret string = map(vault) ; map(text(value)) ; eliza`,
    ],
    [
      'what a command fetches, to a shell',
      'untrusted',
      `let get : { arguments?: [string] } -> string = tool { command: "curl -s", sandbox: { net: true } }
let both : !string -> !untrusted string = map({ arguments: [value] }) ; map(get) ; map({ arguments: [value] }) ; map(run)
let main : !string -> !untrusted string = both`,
    ],
    [
      'what a command fetches from a host, and says it does not',
      'untrusted',
      `let get : { arguments?: [string] } -> string = tool { command: "curl -s", sandbox: { net: ["a.example"] } }
let main : !string -> !untrusted string = agent { provider: "anthropic", model: "m", tools: [get, run] }`,
    ],
    [
      'what a function without a sandbox fetches',
      'untrusted',
      `let get : { a: string } -> string = tool { function: "./f.js#f", sandbox: false }
let main : !string -> !untrusted string = map({ a: value }) ; map(get) ; map({ arguments: [value] }) ; map(run)`,
    ],
    [
      'what an agent fetches that is a program',
      'untrusted',
      `let other : !string -> !string = agent { command: ["./other"] }
let main : !string -> !string = other ; map({ arguments: [value] }) ; map(run)`,
    ],
    [
      'an agent that is a program without a network',
      '',
      `let other : !string -> !string = agent { command: ["./other"], sandbox: { net: false } }
let main : !string -> !string = other ; map({ arguments: [value] }) ; map(run)`,
    ],
  ],
  'params in configurations': [
    ...KEYS.flatMap(([name, text, secret = 'secret']): Row[] => [
      [`untrusted: ${name}`, 'untrusted', text.replace('P ', 'untrusted string ')],
      [`secret: ${name}`, secret, text.replace('P ', 'secret string ')],
      [`plain: ${name}`, '', text.replace('P ', 'string ')],
    ]),
    [
      'a number that only bounds',
      '',
      `param p : untrusted int = 3
let slow : { arguments?: [string] } -> string = tool { command: "ls", timeout: p, retry: p }
let main : !string -> !string = agent { provider: "anthropic", model: "m", max_tokens: p, max_retries: p, tools: [slow] }`,
    ],
    [
      'a secret prompt for a model that may be shown secrets',
      '',
      `param p : secret string = "x"
let main : !string -> !secret string = agent { provider: "anthropic", model: "m", prompt: p, sees_secrets: true }`,
    ],
    [
      'a key as the token of a server, and nowhere else',
      '',
      `param p : secret string = "x"
let main : !string -> !untrusted string = agent { provider: "anthropic", model: "m", mcp: [{ url: "http://127.0.0.1:9/mcp", trusted: true, token: p }] }`,
    ],
    [
      'a key as a token, and in the arguments of a server',
      'secret',
      `param p : string = "x"
let keys = { KEY: p }
let act : {} -> untrusted unit = tool { mcp: { command: "server", env: keys, args: [p] }, name: "act" }
let main : !{} -> !untrusted unit = map(act)`,
    ],
    [
      'what a mock gives',
      'untrusted',
      `param p : untrusted string = "x"
let fake : {} -> string = tool { mock: p }
let main : !{} -> !string = map(fake) ; map({ arguments: [value] }) ; map(run)`,
    ],
    [
      'a path below an untrusted root',
      'untrusted',
      `let read : untrusted { path: string } -> untrusted json = tool { builtin: "read_file", roots: { d: { path: "drop", untrusted: true } } }
let main : !string -> !string = tool_of
let tool_of : !string -> !string = map({ arguments: [value] }) ; map(theirs)
let theirs : { arguments?: [string] } -> string = tool { command: "./drop/run.sh" }
let other : !untrusted { path: string } -> !untrusted json = map(read)`,
    ],
  ],
}
