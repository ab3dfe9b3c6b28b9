// What the tables of hostile programs have in common.

/** A shell, a source of untrusted text, a secret, and a way out. */
export const PRELUDE = `let srv = { url: "http://127.0.0.1:9/mcp" }
let run : { arguments?: [string] } -> string = tool { command: "/bin/sh -c" }
let page : untrusted { url: string } -> untrusted string = tool { builtin: "webpage_to_markdown" }
let vault : { path: string } -> secret json = tool { builtin: "read_file", roots: { v: { path: "v", secret: true } } }
let post : { text: untrusted string } -> untrusted unit = tool { mcp: srv, name: "post" }
`

/** What it is, the labels that are refused ('' for none), and the program. */
export type Row = readonly [name: string, refused: '' | 'untrusted' | 'secret' | 'secret untrusted', text: string]

/** By construct. */
export type Rows = Readonly<Record<string, readonly Row[]>>
