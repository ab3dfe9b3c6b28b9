// The tools of random programs, as the test stands in for them.

import { SANDBOXES } from './flow-configured.js'

/** In all that a stranger wrote. No function of the language takes it apart. */
export const MARK = 'q7strangerq7'
/** In all that must not leave. */
export const SECRET = 'z9secretz9'

/** A tool of the program, as the test stands in for it. */
interface MarkedTool {
  readonly name: string
  /** As JSON text. */
  readonly result: string
  /** What the errors say that it gives by itself. */
  readonly error: string
  /** Its arguments by name; those that ask for trust. */
  readonly arguments: readonly string[]
  readonly trusted: readonly string[]
  /** What it is given leaves the machine. */
  readonly sends?: true
}

export const TOOLS = {
  page: {
    text: 'let page : untrusted { url: string } -> untrusted string = tool { builtin: "webpage_to_markdown" }',
    result: JSON.stringify(MARK),
    error: MARK,
    arguments: ['url'],
    trusted: [],
    sends: true,
  },
  fetch: {
    text: 'let fetch : { url: string } -> string = tool { builtin: "webpage_to_markdown" }',
    result: JSON.stringify(MARK),
    error: MARK,
    arguments: ['url'],
    trusted: ['url'],
    sends: true,
  },
  rank: {
    text: 'let rank : untrusted { url: string } -> untrusted ("x" | "y") = tool { mcp: "http://127.0.0.1:9/mcp", name: "rank" }',
    result: '"x"',
    error: MARK,
    arguments: ['url'],
    trusted: [],
    sends: true,
  },
  note: {
    text: 'let note : N -> json = tool { builtin: "write_file" }',
    result: '"ok"',
    error: 'failed',
    arguments: ['path', 'content'],
    trusted: ['path', 'content'],
  },
  post: {
    text: 'let post : P -> untrusted json = tool { mcp: "http://127.0.0.1:9/mcp", name: "post" }',
    result: JSON.stringify(MARK),
    error: MARK,
    arguments: ['path', 'content'],
    trusted: ['path'],
    sends: true,
  },
  vault: {
    text: 'let vault : untrusted { path: string } -> secret json = tool { builtin: "read_file", roots: { v: { path: "v", secret: true } } }',
    result: JSON.stringify(SECRET),
    error: SECRET,
    arguments: ['path'],
    trusted: [],
  },
  list: {
    text: 'let list : { name?: string } -> string = tool { function: "./list.js#list" }',
    result: '"ok"',
    error: 'failed',
    arguments: ['name'],
    trusted: ['name'],
  },
  ping: {
    text: 'let ping : untrusted { url: string } -> unit = tool { mcp: "http://127.0.0.1:9/mcp", name: "ping" }',
    result: 'null',
    error: MARK,
    arguments: ['url'],
    trusted: [],
    sends: true,
  },
  count: {
    text: `let count : untrusted { name?: string } -> int = tool { function: "./count.js#count", sandbox: ${SANDBOXES.closed.text} }`,
    result: '3',
    error: 'failed',
    arguments: ['name'],
    trusted: [],
  },
  curl: {
    text: `let curl : { name?: string } -> untrusted ("x" | "y") = tool { function: "./get.js#get", sandbox: ${SANDBOXES.open.text} }`,
    result: '"y"',
    error: MARK,
    arguments: ['name'],
    trusted: ['name'],
    sends: true,
  },
  lookup: {
    text: `let lookup : untrusted { name?: string } -> untrusted string = tool { function: "./get.js#get", sandbox: ${SANDBOXES.hosts.text} }`,
    result: JSON.stringify(MARK),
    error: MARK,
    arguments: ['name'],
    trusted: [],
    sends: true,
  },
  tell: {
    text: `let tell : untrusted { name?: string } -> int = tool { function: "./tell.js#tell", sandbox: ${SANDBOXES.sockets.text} }`,
    result: '3',
    error: 'failed',
    arguments: ['name'],
    trusted: [],
    sends: true,
  },
  size: {
    text: '@tool true\nlet size : untrusted { url: string } -> untrusted int = page ; map(length(value))',
    result: '3',
    error: MARK,
    arguments: ['url'],
    trusted: [],
    sends: true,
  },
  look: {
    text: '@tool true\nlet look : untrusted { url: string } -> untrusted string = page ; map(upper(value))',
    result: JSON.stringify(MARK),
    error: MARK,
    arguments: ['url'],
    trusted: [],
    sends: true,
  },
} as const

export type ToolName = keyof typeof TOOLS

export const toolNamed = (name: ToolName): MarkedTool => ({ name, ...TOOLS[name] })
