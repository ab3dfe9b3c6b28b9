// Programs that their sandbox lets reach something.

import type { Row, Rows } from './row.js'

export const NETWORK: Rows = {
  'programs with a network': [
    ...[
      ['net: true', '{ net: true }'],
      ['hosts', '{ net: ["evil.example"] }'],
      ['sockets', '{ sockets: ["/run/x.sock"] }'],
      ['no sandbox', 'false'],
    ].flatMap(([name = '', sandbox = '']): Row[] => [
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
      'a secret to an agent, by a tool with a network behind one without',
      'secret',
      `let count : !string -> !string = agent { command: ["wc"], sandbox: { net: false } }
let counts : string -> string = tool { process: count, sandbox: { write: [] } }
let sends : string -> string = tool { process: count, sandbox: { write: [] }, effects: ["net"] }
let main : !{ path: string } -> !untrusted secret string = map(vault) ; map(text(value)) ; map(counts) ; map(sends)`,
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
      `let other : !string -> !string = agent { command: ["./other"], sandbox: { net: true } }
let main : !string -> !string = other ; map({ arguments: [value] }) ; map(run)`,
    ],
    [
      'an agent that is a program, and asks a model of its own',
      '',
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
}
