// The code caches: each executable runs on small jobs, and what Node compiled for them is kept beside its bundles.

import { execFileSync } from 'node:child_process'
import { closeSync, existsSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { ROOT } from '../command.mjs'

/** To be called before the bundles change: of the source of a cache, Node compares only the length. */
export const removeCodeCaches = (directory, beginning = '') => {
  if (!existsSync(directory)) return
  const caches = readdirSync(directory).filter((name) => name.startsWith(beginning) && name.endsWith('.cache'))
  for (const file of caches) rmSync(`${directory}/${file}`, { force: true })
}

/** To be called when all executables have been built: some jobs start others. */
export const makeCodeCache = (name, dist) => {
  const kept = `${dist}/kept.new`
  rmSync(kept, { recursive: true, force: true })
  for (const { args, input, handed, fails } of [{ args: ['--version'], input: '' }, ...(JOBS[name] ?? [{ args: ['--help'], input: '' }])]) {
    // What the launcher would set, and nothing from the caller that could interfere.
    const env = { PATH: process.env.PATH, PLUMB_FDS: handed ? '3' : '', ANTHROPIC_API_KEY: 'none' }
    const command = [`${ROOT}/scripts/build/make-cache.cjs`, dist, ...args.map((arg) => (arg === KEPT ? kept : arg))]
    const stdio = ['pipe', 'pipe', 'pipe']
    if (!handed) {
      try {
        execFileSync(process.execPath, command, { input, env, stdio })
      } catch (error) {
        if (error.status !== fails) throw error
      }
      continue
    }
    const file = `${dist}/handed.new`
    writeFileSync(file, handed)
    const fd = openSync(file)
    // Telemetry is descriptor 3, the sources are 9.
    execFileSync(process.execPath, command, { input, env, stdio: [...stdio, 'pipe', ...new Array(5).fill('ignore'), fd] })
    closeSync(fd)
    rmSync(file)
  }
  rmSync(kept, { recursive: true, force: true })
}

const EXAMPLES = `${ROOT}/packages/plumb/examples`
const ID = 'type Event = { at: int, kind: "view" | "click" } let main : !Event -> !Event = id'
const TOOLS = '@tool true let inc : int -> int = map(value + 1) @tool true let twice : int -> int = inc ; inc'
const DOUBLE = 'type N = { n: int } @tool true let double : N -> N = map({ n: n * 2 })'
const CAT = 'let main : !string -> !string = bot let bot : !string -> !string = agent { command: ["cat"], tools: ["inc"] }'
const MCP_REQUESTS = [
  { id: 0, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'build', version: '0' } } },
  { method: 'notifications/initialized' },
  { id: 1, method: 'tools/list' },
  { id: 2, method: 'tools/call', params: { name: 'check', arguments: { source: 'let main : !int -> !int = id' } } },
]
  .map((request) => `${JSON.stringify({ jsonrpc: '2.0', ...request })}\n`)
  .join('')
const agentOf = (config) => `let bot : !string -> !string = agent { ${config} }`
const MODEL = 'provider: "anthropic", model: "stub", endpoint: "MODEL"'
const MODEL_AGENT = agentOf(MODEL)
const MCP_SERVER = JSON.stringify({
  command: process.execPath,
  args: [`${ROOT}/packages/plumb-mcp/dist/main.cjs`, `${EXAMPLES}/orders.plumb`],
  sandbox: false,
})
const MAIN = 'let main : !string -> !string = bot'
const ELIZA = agentOf('provider: "eliza", model: "doctor"')
// The same, as its parent hands it over (packages/lang/src/program/agent-json.ts).
const HANDED = {
  version: 2,
  types: [{ kind: 'string' }],
  agent: {
    name: 'bot',
    binding: 'bot',
    specPath: '<eval>',
    input: 0,
    output: 0,
    hasTelemetry: false,
    config: { provider: 'eliza', model: 'doctor' },
    tools: [],
    serverVariables: [],
  },
}
const KEPT = 'KEPT'
// In order. MODEL stands for the address of a model on loopback, KEPT for a directory that lasts for the jobs of one executable.
const JOBS = {
  plumb: [
    // Enough lines to compile the code for many lines, too.
    { args: [`${EXAMPLES}/orders.plumb`], input: readFileSync(`${EXAMPLES}/orders.jsonl`, 'utf8').repeat(4) },
    { args: ['-e', ID], input: '{"at":1,"kind":"view"}\n' },
    { args: ['check', `${EXAMPLES}/orders.plumb`], input: '' },
    { args: ['-e', `${TOOLS} ${CAT}`], input: '"hi"\n' },
    { args: ['--help'], input: '' },
    { args: ['fmt', '--check', `${EXAMPLES}/orders.plumb`], input: '' },
    { args: ['explain', 'usage'], input: '' },
    { args: ['--record', KEPT, '-e', `${MAIN} ${MODEL_AGENT}`], input: '"Men are all alike."\n' },
    { args: ['--resume', KEPT, '-e', `${MAIN} ${MODEL_AGENT}`], input: '"Men are all alike."\n"In what way?"\n' },
  ],
  'plumb-agent': [
    { args: ['-e', ELIZA], input: '"Men are all alike."\n' },
    { args: ['--help'], input: '' },
    { args: ['-e', MODEL_AGENT], input: '"Men are all alike."\n' },
    { args: ['--cache', KEPT, '-e', MODEL_AGENT], input: '"Men are all alike."\n"In what way?"\n' },
    { args: ['-e', `${DOUBLE} ${agentOf(`${MODEL}, tools: ["double"]`)}`], input: '"Twice 21?"\n' },
    { args: ['-e', agentOf(`${MODEL}, mcp: [${MCP_SERVER}]`)], input: '"Men are all alike."\n' },
    // As plumb starts an agent.
    {
      args: [
        '--agent',
        'bot',
        '--telemetry',
        '--no-envelopes',
        '--fds',
        '3',
        '--max-line',
        '16777472',
        '--sources-fd',
        '9',
        '--',
        '<eval>',
      ],
      input: '"Men are all alike."\n',
      handed: `${JSON.stringify({ entry: '<eval>', files: { '<eval>': ELIZA }, modules: {}, agent: HANDED })}\n`,
    },
  ],
  'plumb-mcp': [{ args: [`${EXAMPLES}/orders.plumb`], input: MCP_REQUESTS }],
  'plumb-serve': [
    { args: ['--help'], input: '' },
    // Checked and opened: it would serve if its runs could be kept there.
    { args: ['--record', '/dev/null/runs', `${EXAMPLES}/orders.plumb`], input: '', fails: 2 },
  ],
  'plumb-mux': [
    { args: ['--', 'cat'], input: '{"__port":"input","msg":1}\n' },
    { args: ['--fds', 'none', '--', 'cat'], input: '{"__port":"input","msg":1}\n' },
  ],
  'plumb-tool': [
    { args: ['call', '-R', 'read_file', 'package.json'], input: '' },
    { args: ['--help'], input: '' },
    { args: ['-e', DOUBLE, 'call', 'double', '{"n":1}'], input: '' },
    ...[
      ['list', ''],
      ['call twice -', '1\n'],
      ['serve', '{"id":"a","name":"twice","input":1}\n'],
    ].map(([words, input]) => ({ args: ['-e', TOOLS, ...words.split(' ')], input })),
    {
      args: ['-e', agentOf(`provider: "eliza", model: "doctor", mcp: [${MCP_SERVER}]`), '--agent', 'bot', 'serve', '--offers'],
      input: '{"id":"a","name":"check","input":{"source":"let main : !int -> !int = id"}}\n',
    },
  ],
}
