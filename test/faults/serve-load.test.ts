// long
// plumb-serve under load while things break: its children are killed, its disk is full, its database is away, clients are slow, cut their bodies,
// leave, and do not read. Each request has its own answer or an error of what was broken, each kept run its result, and memory stays.
//
// PLUMB_SECONDS: for how long, default 15. PLUMB_CLIENTS: how many that behave, default 6. PLUMB_PAUSE_MS: between two requests of a client,
// on average. PLUMB_SEED: other moments; it is printed.

import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import t, { type Test } from 'tap'
import { processes, until } from '../../packages/wire/test/processes.js'
import { makeFractions } from '../fuzz/random.js'
import { type Serving, serve } from '../serving.js'
import { noPostgres, openCluster } from './postgres.js'
import { openScene } from './scene.js'
import * as clients from './serve-clients.js'
import { noSmallDisk, openSmallDirectory } from './small-disk.js'

const SECONDS = Number(process.env.PLUMB_SECONDS ?? 15)
const CLIENTS = Number(process.env.PLUMB_CLIENTS ?? 6)
const PAUSE_MS = Number(process.env.PLUMB_PAUSE_MS ?? 200)
const SEED = Number(process.env.PLUMB_SEED ?? Date.now() % 2 ** 31)
/** Between two faults of a kind, on average. */
const FAULT_MS = Math.min(20_000, (SECONDS * 1000) / 4)
/** Of the server and its children: garbage that is not collected yet, not a leak. */
const MAX_GROWTH_MB = 96

const stub: {
  openServer(answer: (request: unknown, response: { end(text: string): void }) => void): Promise<{ url: string; close(): void }>
  bodyOf(request: unknown): Promise<string>
  textAnswer(...pieces: string[]): string
} = createRequire(resolve('package.json'))('./scripts/stub-model.cjs')

/** Answers with the last text, and how many texts it saw and whose. */
const openModel = async (random: () => number, asked: Map<string, number>): Promise<{ url: string; close(): void }> =>
  stub.openServer(async (request, response) => {
    const { messages } = JSON.parse(await stub.bodyOf(request)) as { messages: { role: string; content: string | { text: string }[] }[] }
    const said = messages
      .filter(({ role }) => role === 'user')
      .map(({ content }) => (typeof content === 'string' ? content : (content[0]?.text ?? '')))
    const last = said.at(-1) ?? ''
    asked.set(last, (asked.get(last) ?? 0) + 1)
    const answer = stub.textAnswer(`re ${last}, `, `${said.length} of ${[...new Set(said)].join()}`)
    setTimeout(() => response.end(answer), random() < 0.02 ? 2000 : random() * 150)
  })

const specOf = (url: string): string => `
let model : !string -> !string = agent { provider: "anthropic", model: "claude-x", endpoint: "${url}", amnesiac: true }
@serve let bot : !string -> !string = model
@serve let up : !string -> !string = map($"{value} up")
@serve let program : !string -> !string = agent { command: ["sh", "program.sh"], amnesiac: true }
@serve let talk : !string -> !string = agent { provider: "anthropic", model: "claude-x", endpoint: "${url}" }
`
const PROGRAM = `while read -r line; do echo "\\"program \${line#?}"; done`

/** Megabytes of a process and of all that it started. */
const memoryOf = (pid: number): { own: number; all: number } => {
  const running = processes()
  const family = new Set([pid])
  for (let size = 0; size !== family.size; ) {
    size = family.size
    for (const { pid: one, parent } of running) if (family.has(parent)) family.add(one)
  }
  const residentOf = (one: number): number => {
    try {
      return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${one}/status`, 'utf8'))?.[1] ?? 0) / 1024
    } catch {
      return 0
    }
  }
  return { own: residentOf(pid), all: [...family].reduce((sum, one) => sum + residentOf(one), 0) }
}

const median = (numbers: readonly number[]): number => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0
const wait = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms))

interface Breakage {
  readonly name: string
  readonly breaks: () => void | Promise<void>
  readonly mends: () => void | Promise<void>
}

/** Loads a server with `args`, and breaks what `breakages` say. */
const underLoad = async (t: Test, args: readonly string[], breakages: readonly Breakage[], directory: string): Promise<void> => {
  t.comment(`${SECONDS} seconds, PLUMB_SEED=${SEED}`)
  const random = makeFractions(SEED)
  const asked = new Map<string, number>()
  const model = await openModel(random, asked)
  t.teardown(() => model.close())
  const server: Serving = await serve(
    { 'a.plumb': specOf(model.url), 'program.sh': PROGRAM },
    { args, env: { ANTHROPIC_API_KEY: 'k-0123456789' }, directory },
  )
  t.teardown(() => server.stop('SIGKILL'))
  const outcomes = new clients.Outcomes()
  let next = 0
  const client: clients.Client = { server: () => server, outcomes, random, text: () => `t${++next}` }
  const end = Date.now() + SECONDS * 1000
  const repeat = async (work: () => unknown, ms: number): Promise<void> => {
    while (Date.now() < end && server.child.exitCode === null && server.child.signalCode === null) {
      await work()
      await wait(random() * 2 * ms)
    }
  }
  const memory: { own: number; all: number }[] = []
  const kill = (): void => {
    const children = processes().filter(({ parent, args }) => parent === server.child.pid && /plumb-agent|program\.sh/.test(args))
    const child = children[Math.floor(random() * children.length)]
    if (child === undefined) return
    outcomes.breaks('children killed')
    process.kill(child.pid, 'SIGKILL')
  }
  await Promise.all([
    ...Array.from({ length: CLIENTS }, (_, i) => {
      const all = [clients.plain, clients.program, clients.conversation, clients.lines, (one: clients.Client) => clients.kept(one, asked)]
      return repeat(() => all[i % all.length]?.(client), PAUSE_MS)
    }),
    ...[clients.slow, clients.cut, clients.gone].map((work) => repeat(() => work(client), 2 * PAUSE_MS)),
    repeat(() => clients.unread(client), 20 * PAUSE_MS),
    repeat(kill, FAULT_MS / 4),
    ...breakages.map(({ name, breaks, mends }) =>
      repeat(async () => {
        await wait(FAULT_MS * random())
        outcomes.breaks(name)
        await breaks()
        await wait(500 + random() * 1500)
        await mends()
        outcomes.breaks(`${name}, mended`)
      }, FAULT_MS),
    ),
    repeat(() => void memory.push(memoryOf(server.child.pid ?? 0)), Math.min(5000, SECONDS * 10)),
  ])
  const quarter = Math.ceil(memory.length / 4)
  const quarters = (of: 'own' | 'all'): number[] =>
    [0, 1, 2, 3].map((i) => Math.round(median(memory.slice(i * quarter, (i + 1) * quarter).map((one) => one[of]))))
  t.comment(
    `${next} texts; ${[...outcomes.counts]
      .map(([what, n]) => `${what} ${n}`)
      .sort()
      .join(', ')}`,
  )
  t.comment(`MB by quarter: server ${quarters('own').join(' ')}, with its children ${quarters('all').join(' ')}`)
  t.strictSame(outcomes.wrong, [])
  t.strictSame([server.child.exitCode, server.child.signalCode], [null, null], 'the server lives')
  if (!t.passing()) t.comment(server.err().slice(-3000))

  t.ok((outcomes.counts.get('plain: right') ?? 0) > 0, 'answers were right')
  const [first = 0, , , last = 0] = quarters('own')
  if (SECONDS >= 300) t.ok(last - first < MAX_GROWTH_MB, `memory from ${first} to ${last} MB`)
  const { pid } = server.child
  const began = Date.now()
  t.equal(await server.stop(), 'SIGTERM')
  t.comment(`ended after ${Date.now() - began} ms`)
  t.ok(
    await until(() => !processes().some(({ args }) => args.includes(directory)) && !processes().some(({ pid: one }) => one === pid)),
    'no process is left',
  )
}

t.test('with --record on a disk that is full now and then', { skip: noSmallDisk, timeout: (SECONDS + 120) * 1000 }, async (t) => {
  // Runs with a key are kept for a day: more than there are in hours.
  const disk = openSmallDirectory(512)
  t.teardown(() => disk.remove())
  const directory = mkdtempSync(join(tmpdir(), 'plumb-load-'))
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  mkdirSync(join(disk.directory, 'runs'))
  const full: Breakage = { name: 'disk full', breaks: disk.fill, mends: disk.free }
  await underLoad(t, ['--record', join(disk.directory, 'runs'), '--keep-results', '10', '--grace', '5'], [full], directory)
})

t.test('with --on, and a database that is away now and then', { skip: noPostgres, timeout: (SECONDS + 120) * 1000 }, async (t) => {
  const cluster = await openCluster()
  t.teardown(() => cluster.remove())
  const scene = openScene({}, { env: { PLUMB_ON: cluster.url }, mayLeave: /plumb-/ })
  await scene.bash('plumb engine --init')
  const away: Breakage = { name: 'database away', breaks: cluster.crash, mends: cluster.start }
  await underLoad(t, ['--on', cluster.url, '--keep-results', '10', '--grace', '5'], [away], scene.directory)
})
