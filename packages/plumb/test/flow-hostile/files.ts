// What is written to files, and read from them elsewhere.

import type { Row, Rows } from './row.js'

export const FILES: Rows = {
  files: [
    [
      'a secret written, and read below the same root',
      'secret',
      `let write : { path: string, content: string } -> json = tool { builtin: "write_file", roots: { o: "out" } }
let read : { path: string } -> json = tool { builtin: "read_file", roots: { o: "out/today" } }
let keep : !{ path: string } -> !secret json = map(vault) ; map({ path: "today/a", content: text(value) }) ; map(write)
let main : !{ path: string } -> !json = map(read)`,
    ],
    [
      'a secret written, and read below another',
      '',
      `let write : { path: string, content: string } -> json = tool { builtin: "write_file", roots: { o: "out" } }
let read : { path: string } -> json = tool { builtin: "read_file", roots: { o: "in" } }
let keep : !{ path: string } -> !secret json = map(vault) ; map({ path: "a", content: text(value) }) ; map(write)
let main : !{ path: string } -> !json = map(read)`,
    ],
    ...(
      [
        ['out', '/srv/app/out/today'],
        ['/srv/app/out', 'out'],
        ['.', '/srv/app/out'],
        ['out', '../app/out'],
        ['.', '../app/out'],
        ['..', 'out'],
      ] as const
    ).map(
      ([to, from]): Row => [
        `a secret written below ${to}, and read below ${from}, which may be the same`,
        'secret',
        `let write : { path: string, content: string } -> json = tool { builtin: "write_file", roots: { o: "${to}" } }
let read : { path: string } -> json = tool { builtin: "read_file", roots: { o: "${from}" } }
let keep : !{ path: string } -> !secret json = map(value) ; mark ; map({ path: "a", content: text(value) }) ; map(write)
let mark : !{ path: string } -> !secret { path: string } = map(value)
let main : !{ path: string } -> !json = map(read)`,
      ],
    ),
    ...(
      [
        ['/srv/contracts', 'out'],
        ['../contracts', 'out/today'],
        ['/srv/contracts', '/srv/app'],
        ['../contracts', '../app'],
      ] as const
    ).map(
      ([to, from]): Row => [
        `a secret written below ${to}, and read below ${from}`,
        '',
        `let write : { path: string, content: string } -> json = tool { builtin: "write_file", roots: { o: "${to}" } }
let read : { path: string } -> json = tool { builtin: "read_file", roots: { o: "${from}" } }
let keep : !{ path: string } -> !secret json = map(value) ; mark ; map({ path: "a", content: text(value) }) ; map(write)
let mark : !{ path: string } -> !secret { path: string } = map(value)
let main : !{ path: string } -> !json = map(read)`,
      ],
    ),
    [
      'what a spy records of strangers, read by an agent with a shell',
      'untrusted',
      `let act : { q: string } -> string = map(value.q)
let seen : { q: string } -> string = tool { spy: act, record: "log/calls.jsonl" }
let read : { path: string } -> json = tool { builtin: "read_file", roots: { o: "log" } }
let keep : !untrusted string -> !untrusted string = map({ q: value }) ; map(seen)
let main : !string -> !string = agent { provider: "anthropic", model: "m", tools: [read, run] }`,
    ],
    [
      'what a spy records of a result, read by an agent with a shell',
      'untrusted',
      `let seen : untrusted { url: string } -> untrusted string = tool { spy: page, record: "log/calls.jsonl" }
let read : { path: string } -> json = tool { builtin: "read_file", roots: { o: "log" } }
let keep : !{ url: string } -> !untrusted string = map(seen)
let main : !string -> !string = agent { provider: "anthropic", model: "m", tools: [read, run] }`,
    ],
    [
      'what a spy records of a secret, read',
      'secret',
      `let act : { q: string } -> string = map(value.q)
let seen : { q: string } -> string = tool { spy: act, record: "log/calls.jsonl" }
let read : { path: string } -> json = tool { builtin: "read_file", roots: { o: "log" } }
let keep : !secret string -> !secret string = map({ q: value }) ; map(seen)
let main : !{ path: string } -> !json = map(read)`,
    ],
    [
      'what a spy records, read elsewhere',
      '',
      `let act : { q: string } -> string = map(value.q)
let seen : { q: string } -> string = tool { spy: act, record: "log/calls.jsonl" }
let read : { path: string } -> json = tool { builtin: "read_file", roots: { o: "in" } }
let keep : !secret string -> !secret string = map({ q: value }) ; map(seen)
let main : !{ path: string } -> !json = map(read)`,
    ],
    [
      'a secret root, read by another tool',
      'secret',
      `let read : { path: string } -> json = tool { builtin: "read_file" }
let main : !{ path: string } -> !json = map(read)`,
    ],
    [
      "a stranger's text written, and read by an agent with a shell",
      'untrusted',
      `let note : { path: string, content: untrusted string } -> json = tool { builtin: "append_to_file", roots: { o: "notes" } }
let read : { path: string } -> json = tool { builtin: "read_file", roots: { o: "notes" } }
let keep : !untrusted string -> !untrusted json = map({ path: "a", content: value }) ; map(note)
let main : !string -> !string = agent { provider: "anthropic", model: "m", tools: [read, run] }`,
    ],
    [
      'a secret that a program writes',
      'secret',
      `let save : { arguments?: [string] } -> string = tool { command: "save", sandbox: { write: ["out"] } }
let read : { path: string } -> json = tool { builtin: "read_file", roots: { o: "out" } }
let keep : !{ path: string } -> !secret string = map(vault) ; map({ arguments: [text(value)] }) ; map(save)
let main : !{ path: string } -> !json = map(read)`,
    ],
  ],
}
