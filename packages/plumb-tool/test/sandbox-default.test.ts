// long
// The escapes against what has a sandbox without the key: commands, functions and servers of MCP, called by the real plumb-tool, and agents that are
// programs, as tools and run by the real plumb. The same table without a sandbox shows that one that gets out would be seen.

import { join } from 'node:path'
import type { SyncResult } from '@plumb/wire'
import t from 'tap'
import { type Bubblewrap, probeBubblewrap } from '../../sandbox/src/plan/probe.js'
import { ESCAPES } from '../../sandbox/src/self-test/escapes.js'
import { type EscapeFixture, withFixture } from '../../sandbox/src/self-test/fixture.js'
import { bash, makeTestDirectory, TEST_PATH } from '../../wire/test/shell.js'
import { KEPT_BY_SYSTEM } from './kept-by-system.js'

const box = probeBubblewrap()
/** What takes a plumb-tool of its own is tried in sandbox.test. */
const TRIED = ESCAPES.filter(({ isGivenDescriptors }) => !isGivenDescriptors)
const skip = box.ok ? false : `no sandbox can be had here: ${box.error.detail}`

/** Each `run` starts the command line that it is given, and answers what it printed and its status. */
const FILES = {
  'run.cjs': `const { spawnSync } = require('node:child_process')
module.exports = (words) => {
  const { status, stdout, stderr } = spawnSync(words[0], words.slice(1), { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  return { status, stdout, stderr }
}\n`,
  'command.cjs': `#!/usr/bin/env node\nprocess.stdout.write(JSON.stringify(require('./run.cjs')(process.argv.slice(2))))\n`,
  'agent.cjs': `#!/usr/bin/env node
const run = require('./run.cjs')
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => console.log(JSON.stringify(run(JSON.parse(line).arguments))))\n`,
  'function.mjs': `import run from './run.cjs'\nexport default ({ arguments: words }) => run(words)\n`,
  'server.cjs': `#!/usr/bin/env node
const run = require('./run.cjs')
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) return
  const result = method === 'initialize' ? { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } }
    : method === 'tools/list' ? { tools: [{ name: 'run', inputSchema: { type: 'object' } }] }
    : { content: [], structuredContent: run(params.arguments.arguments) }
  console.log(JSON.stringify({ jsonrpc: '2.0', id, result }))
})\n`,
}

// Without a sandbox one of them prints the environment of each process of the machine.
const MORE = 'max_output: 50000000'

/** `keys` stand beside the program: none, or `sandbox: false`. */
const KINDS: Readonly<Record<string, (keys: string) => string>> = {
  command: (keys) => `let run : { arguments: [string] } -> json = tool { command: "./command.cjs", ${MORE}${keys} }`,
  function: (keys) => `let run : { arguments: [string] } -> json = tool { function: "./function.mjs", ${MORE}${keys} }`,
  server: (keys) => `let s = { command: "./server.cjs"${keys} }
let run : { arguments: [string] } -> json = tool { mcp: s, name: "run", ${MORE} }`,
  'agent as a tool': (keys) => `let a : !{ arguments: [string] } -> !json = agent { command: ["./agent.cjs"]${keys} }
let run : { arguments: [string] } -> json = tool { process: a, ${MORE} }`,
  agent: (keys) => `let main : !{ arguments: [string] } -> !json = agent { command: ["./agent.cjs"]${keys} }`,
}

/** Servers of MCP and agents have the network unless they say otherwise. */
const NETWORK = ['reach a listener on the loopback']
const GRANTED: Readonly<Record<string, readonly string[]>> = { server: NETWORK, agent: NETWORK, 'agent as a tool': NETWORK }

/** The names of the escapes that were held. */
const tryAll = async (kind: string, keys: string, ground: EscapeFixture): Promise<readonly string[]> => {
  const commands = TRIED.map((escape) => ({ escape, command: escape.command(ground) })).filter(
    (each): each is typeof each & { command: readonly string[] } => !('cannot' in each.command),
  )
  const lines = commands.map(({ command }) => `${JSON.stringify({ arguments: command })}\n`)
  const directory = makeTestDirectory({ ...FILES, 'in.jsonl': lines.join(''), 's.plumb': KINDS[kind]?.(keys) ?? '' })
  const env = { PATH: TEST_PATH, HOME: ground.home, LANG: 'C.UTF-8' }
  const spec = join(directory, 's.plumb')
  const program = kind === 'agent' ? `plumb ${spec}` : `plumb-tool --envelope ${spec} call run -`
  const { out, err } = await bash(`${program} < ${join(directory, 'in.jsonl')}`, { directory: ground.docroot, env })
  if (err !== '') throw new Error(`${kind}: ${err}`)
  const results = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as SyncResult | { result: SyncResult })
    .map((answer) => ('result' in answer ? answer.result : answer))
  if (results.length !== commands.length) throw new Error(`${kind}: ${results.length} answers to ${commands.length} calls`)
  return commands.filter(({ escape }, i) => escape.isHeld(results[i] as SyncResult, ground)).map(({ escape }) => escape.name)
}

for (const kind of Object.keys(KINDS)) {
  t.test(`the ways out of a ${kind} without the key`, { skip }, async (t) => {
    const { value } = box as { value: Bubblewrap }
    const held = await withFixture(value, (ground) => tryAll(kind, '', ground))
    const all = await withFixture(value, (ground) => TRIED.filter((escape) => !('cannot' in escape.command(ground))))
    t.strictSame(
      all.map(({ name }) => name).filter((name) => !held.includes(name)),
      GRANTED[kind] ?? [],
      'not held',
    )
    const plain = await withFixture(value, (ground) => tryAll(kind, ', sandbox: false', ground))
    t.strictSame(
      plain.filter((name) => !KEPT_BY_SYSTEM.includes(name)),
      [],
      'held without a sandbox',
    )
  })
}
