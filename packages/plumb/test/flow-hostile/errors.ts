// What an agent reads when a tool fails, and what it makes of results in a chain of its own.

import type { Rows } from './row.js'

export const ERRORS: Rows = {
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
}
