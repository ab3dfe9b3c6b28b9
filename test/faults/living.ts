// The executables that live as long as their input is open: how each is started and asked for something, and by what it is known to answer.

export const LIVING_FILES = {
  'map.plumb': 'let main : !json -> !json = map([value])\n',
  'cat.plumb': 'let main : !json -> !json = agent { command: ["cat"] }\n',
  'bot.plumb': 'let bot : !json -> !json = agent { provider: "eliza", model: "doctor" }\n',
  'tools.plumb': '@tool true\nlet one : json -> json = id\n',
}

export interface Living {
  readonly command: readonly string[]
  /** A line that is answered with a line, as often as it is written. */
  readonly line: string
}

const ENVELOPE = '{"__port":"input","msg":1}\n'
const PING = '{"jsonrpc":"2.0","id":"1","method":"ping"}\n'

export const LIVING: Readonly<Record<string, Living>> = {
  plumb: { command: ['plumb', 'map.plumb'], line: '1\n' },
  'plumb with a child': { command: ['plumb', 'cat.plumb'], line: '1\n' },
  'plumb-agent': { command: ['plumb-agent', 'bot.plumb'], line: '1\n' },
  'plumb-mux': { command: ['plumb-mux', '--', 'cat'], line: ENVELOPE },
  'plumb-tool serve': { command: ['plumb-tool', 'tools.plumb', 'serve'], line: '{"id":"1","name":"one","input":1}\n' },
  'plumb-tool call': { command: ['plumb-tool', 'tools.plumb', 'call', 'one', '-'], line: '1\n' },
  'plumb-mcp': { command: ['plumb-mcp', 'tools.plumb'], line: PING },
  'plumb-mcp call': { command: ['plumb-mcp', 'call', 'one', '-', '--', 'plumb-mcp', 'tools.plumb'], line: '{}\n' },
}
