// Labelled params in each key of a configuration.

import type { Row, Rows } from './row.js'

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

export const PARAMS: Rows = {
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
