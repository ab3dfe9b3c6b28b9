// What each executable loads for a start that is common: an import that would load more is noticed here, where no clock is asked. What loads
// less may be taken out of the lists; what loads more costs every start.

import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Worker } from 'node:worker_threads'
import t from 'tap'
import { isTried } from '../packages/wire/src/fd/node-internals.js'
import { scaled } from '../packages/wire/test/patience.js'

const directory = mkdtempSync(join(tmpdir(), 'plumb-start-'))
t.teardown(() => rmSync(directory, { recursive: true, force: true }))

// Each costs what can be felt; the rest Node loads by itself, or it is small.
const COSTLY = [
  ...['child_process', 'crypto', 'dns', 'fs/promises', 'http', 'http2', 'https', 'net', 'os', 'readline', 'stream', 'stream/web'],
  ...['timers/promises', 'tty', 'v8', 'worker_threads', 'zlib'],
]

const watcher = join(directory, 'watch.cjs')
writeFileSync(
  watcher,
  `const before = new Set(process.moduleLoadList)
const { writeFileSync } = require('node:fs')
process.on('exit', () => {
  const node = process.moduleLoadList.filter((name) => !before.has(name)).map((name) => name.replace('NativeModule ', ''))
  const main = Object.values(require.cache).find(({ filename }) => filename.includes('/bin/plumb'))
  const uncached = [...main.exports].filter(([, { script }]) => script.cachedDataRejected !== false).map(([name]) => name)
  writeFileSync(${JSON.stringify(join(directory, 'loaded.json'))}, JSON.stringify({ node, bundles: [...main.exports.keys()], uncached }))
})
`,
)

// In a thread of its own, for this one waits for what it starts.
const MODEL = `const { openModel } = require(${JSON.stringify(resolve('scripts/stub-model.cjs'))})
const { parentPort } = require('node:worker_threads')
parentPort.on('message', () => {})
openModel().then(({ url }) => parentPort.postMessage(url))`
let model = ''
t.before(async () => {
  const thread = new Worker(MODEL, { eval: true })
  t.teardown(() => thread.terminate())
  ;[model] = (await once(thread, 'message')) as [string]
})

// Telemetry is 3, and what a parent hands over 9, as plumb has them; 0 and 1 are pipes or files.
const start = (name: string, args: readonly string[], input: string, handed: string | undefined, through: 'pipes' | 'files') => {
  const env = { PATH: process.env.PATH ?? '', NODE_OPTIONS: `--require ${watcher}`, ANTHROPIC_API_KEY: 'none' }
  const [stdin, stdout] = [join(directory, 'stdin'), join(directory, 'stdout')]
  const opened: number[] = []
  const open = (path: string, flags: string): number => {
    const fd = openSync(path, flags)
    opened.push(fd)
    return fd
  }
  writeFileSync(stdin, input)
  writeFileSync(join(directory, 'sources'), handed ?? '')
  const stdio: (number | 'pipe' | 'ignore')[] = through === 'pipes' ? ['pipe', 'pipe'] : [open(stdin, 'r'), open(stdout, 'w')]
  stdio.push('pipe')
  if (handed !== undefined) stdio.push('pipe', ...new Array(5).fill('ignore'), open(join(directory, 'sources'), 'r'))
  const options = { env, input, stdio, encoding: 'utf8', timeout: scaled(60_000) } as const
  const asked = args.map((arg) => arg.replace('MODEL', model))
  const ran = spawnSync(`packages/${name}/bin/${name}`, asked, options)
  for (const fd of opened) closeSync(fd)
  const { node, bundles, uncached } = JSON.parse(readFileSync(join(directory, 'loaded.json'), 'utf8')) as Readonly<Record<string, string[]>>
  const said = through === 'pipes' ? ran.stdout : readFileSync(stdout, 'utf8')
  return {
    status: ran.status,
    stdout: said,
    stderr: ran.stderr,
    node: COSTLY.filter((module) => node?.includes(module)),
    bundles,
    uncached,
  }
}

const ELIZA = 'let bot : !string -> !string = agent { provider: "eliza", model: "doctor" }'
const agent = join(directory, 'bot.plumb')
writeFileSync(agent, ELIZA)
const INITIALIZE = {
  ...{ jsonrpc: '2.0', id: 0, method: 'initialize' },
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '0' } },
}
const agentOf = (more: string) => `let bot : !string -> !string = agent { provider: "anthropic", model: "stub", endpoint: "MODEL"${more} }`
const DOUBLE = '@tool true let double : { n: int } -> { n: int } = map({ n: n * 2 })'
const TOOL = '@tool true let inc : int -> int = map(value + 1)'
const SERVER = JSON.stringify({ command: process.execPath, args: [resolve('packages/plumb-mcp/dist/main.cjs'), agent], sandbox: false })
const WITH_SERVER = `let bot : !string -> !string = agent { provider: "eliza", model: "doctor", mcp: [${SERVER}] }`
const PIPES = ['net', 'stream']
// A Node in which the bare ones were not tried does it by way of streams.
const PIPED = isTried('pipe_wrap', process.versions.node) ? [] : PIPES
const CHILD = ['child_process', ...PIPES]

interface Start {
  /** MODEL stands for the address of a model. */
  readonly args: readonly string[]
  readonly input?: string
  /** On fd 9. */
  readonly handed?: string
  readonly node: readonly string[]
  /** Besides `main`. */
  readonly bundles?: readonly string[]
  /** Those of them that are too rare for a cache. */
  readonly uncached?: readonly string[]
}

/** ELIZA, checked by its parent. */
const BOT = {
  version: 2,
  types: [{ kind: 'string' }],
  agent: {
    ...{ name: 'bot', binding: 'bot', specPath: 'a.plumb', input: 0, output: 0, hasTelemetry: false },
    ...{ config: { provider: 'eliza', model: 'doctor' }, tools: [], serverVariables: [] },
  },
}

const STARTS: Readonly<Record<string, readonly Start[]>> = {
  plumb: [
    { args: ['-e', 'let main : !int -> !int = id'], input: '1\n', node: PIPED },
    { args: ['check', '-e', 'let main : !int -> !int = id'], node: [], bundles: ['command-check'] },
    {
      args: ['check', '--flows', '-e', 'let main : !int -> !int = id'],
      node: [],
      bundles: ['command-check', 'shared', 'shared-N'],
    },
    {
      args: ['--record', join(directory, 'record'), '-e', 'let main : !int -> !int = id'],
      input: '1\n',
      node: ['crypto', 'net', 'os', 'stream', 'tty'],
      bundles: [
        ...['runtime-display-run-display', 'shared-N', 'shared-N', 'shared', 'shared-N'],
        ...['runtime-record-instrumentation', 'ledger-price-prices', 'ledger-kept', 'runtime-run-begin'],
      ],
    },
  ],
  'plumb-agent': [
    { args: ['-e', ELIZA], input: '"Men are all alike."\n', node: PIPED, bundles: ['config-compile-agent'] },
    {
      args: ['-e', agentOf('')],
      input: '"Men are all alike."\n',
      node: ['http', 'net', 'stream', 'v8'],
      bundles: ['config-compile-agent', 'provider-chats', 'shared/undici-lib-dispatcher-agent.js'],
    },
    {
      args: ['-e', `${DOUBLE} ${agentOf(', tools: ["double"]')}`],
      input: '"Twice 21?"\n',
      node: ['child_process', 'http', 'net', 'stream', 'v8'],
      bundles: [
        'config-compile-agent',
        'tool-agent-tools',
        'shared',
        'shared/split2',
        'provider-chats',
        'shared/undici-lib-dispatcher-agent.js',
      ],
    },
    {
      args: ['--agent', 'bot', '--telemetry', '--fds', '3', '--sources-fd', '9', '--', 'a.plumb'],
      handed: `${JSON.stringify({ entry: 'a.plumb', files: { 'a.plumb': ELIZA }, modules: {} })}\n`,
      input: '"Men are all alike."\n',
      node: PIPED,
      bundles: ['config-compile-agent'],
    },
    {
      args: ['--agent', 'bot', '--telemetry', '--fds', '3', '--sources-fd', '9', '--', 'a.plumb'],
      handed: `${JSON.stringify({ entry: 'a.plumb', files: {}, modules: {}, agent: BOT })}\n`,
      input: '"Men are all alike."\n',
      node: PIPED,
    },
    { args: ['--help'], node: PIPES, bundles: ['shared/commander'] },
  ],
  'plumb-chat': [{ args: ['--help'], node: PIPES }],
  'plumb-mcp': [{ args: [agent], input: `${JSON.stringify(INITIALIZE)}\n`, node: PIPED }],
  'plumb-serve': [{ args: ['--help'], node: PIPES, bundles: ['shared/commander'] }],
  'plumb-mux': [{ args: ['--', 'cat'], input: '{"__port":"input","msg":1}\n', node: CHILD }],
  'plumb-tool': [
    { args: ['-e', TOOL, 'call', 'inc', '1'], node: [] },
    { args: ['-e', TOOL, 'serve'], input: '{"id":"a","name":"inc","input":1}\n', node: PIPED },
    {
      args: ['-e', WITH_SERVER, '--agent', 'bot', 'serve', '--offers'],
      input: '',
      node: ['child_process', 'crypto', 'net', 'stream'],
      bundles: ['source-mcp-agent-servers', 'mcp-client-connect', 'shared/mcp-client'],
    },
    { args: ['--help'], node: PIPES, bundles: ['shared/commander'] },
  ],
}

for (const [name, starts] of Object.entries(STARTS))
  t.test(name, async (t) => {
    const version: Start = { args: ['--version'], node: [] }
    for (const { args, input, handed, node, bundles = [], uncached = [] } of [version, ...starts]) {
      for (const through of input === undefined ? (['pipes'] as const) : (['pipes', 'files'] as const)) {
        const found = start(name, args, input ?? '', handed, through)
        t.match(found, { status: 0, stdout: /./, stderr: '' }, args.join(' '))
        t.strictSame(
          // Versions of Node differ in what else they load for it.
          found.node.filter((module) => !node.includes(module)),
          [],
          `no other module of Node for ${args.join(' ')}, through ${through}`,
        )
        // When others are added, the build gives them other numbers, and the order is another.
        const loaded = found.bundles?.map((bundle) => bundle.replace(/^shared-\d+$/, 'shared-N')).sort()
        t.strictSame(loaded, ['main', ...bundles].sort(), `bundles for ${args.join(' ')}`)
        t.strictSame(found.uncached, uncached, `caches that are there, and that Node takes, for ${args.join(' ')}`)
      }
    }
  })

t.test('the client of PostgreSQL is in the bundle of runs by workers alone', async (t) => {
  const holding = (dist: string) =>
    readdirSync(dist).filter((file) => file.endsWith('.cjs') && readFileSync(join(dist, file), 'utf8').includes('pg-protocol'))
  t.strictSame(holding('packages/plumb/dist'), ['engine.bundle.cjs'])
  const [served = '', ...others] = holding('packages/plumb-serve/dist')
  t.match([served, others], [/^(engine|shared-\d+)\.bundle\.cjs$/, []], 'nor in what each server begins with')
})
