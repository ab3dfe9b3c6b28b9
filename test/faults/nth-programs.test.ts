// long
// Each step of a program that touches files or starts others fails in turn (the method of SQLite and curl): whatever it is, the program ends,
// says what was wrong in the way plumb-wire(5) has it, is not 0 if something was lost, and leaves files that are whole, and nothing else.
// PLUMB_NTH=all for all of them.

import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t, { type Test } from 'tap'
import { writeMemory } from '../../packages/plumb-chat/src/memory-file.js'
import type { Ran } from '../../packages/wire/test/shell.js'
import { badErrorLines, filesBelow, runningIn } from './leftovers.js'
import { MACHINE } from './machine.js'
import { openScene, type Scene, until } from './scene.js'
import {
  CHILD_CALLS,
  chosenOf,
  DATA_CALLS,
  FILE_CALLS,
  failing,
  nameOf,
  type Step,
  stepsIn,
  wantedOf,
  wasHit,
  whileTraced,
} from './system-calls.js'

const FILES = {
  'untidy.plumb': 'let   main : !int->!int =   id\n',
  'other.plumb': 'let  main:!int->!int=id\n',
  'program.plumb': `let parrot : !int -> !int = agent { command: ["./parrot"] }\nlet main : !int -> !int = parrot ; map(value + 1)\n`,
  parrot: '#!/bin/sh\nexec cat\n',
  'agent.plumb': `@tool true\nlet double : int -> int = map(score * 2)\nlet main : !string -> !string = agent { provider: "eliza", model: "doctor", tools: [double] }\n`,
  'divide.plumb': 'let main : !int -> !int = map(12 % n)\n',
}

const mcp = (id: number, method: string, params: object) => `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`

interface Scenario {
  readonly run: string
  readonly in?: string
  /** Run before. */
  readonly after?: { readonly run: string; readonly in: string }
  /** Files that are as they were or as they should be. */
  readonly whole?: readonly string[]
  /** Files that differ from run to run. */
  readonly varies?: RegExp
  /** What it says of a failure on stdout. */
  readonly reports?: RegExp
}

const TALK = '"call double {\\"input\\":2}"\n"I am sad"\n'
const RECORD = /^rec\/(run\.json|events\.jsonl|trace\.json|answers\.jsonl)$/

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'fmt in place': { run: 'plumb fmt untidy.plumb other.plumb', whole: ['untidy.plumb', 'other.plumb'] },
  render: { run: 'plumb render -o picture.svg divide.plumb', whole: ['picture.svg'] },
  'a program as an agent': { run: 'plumb program.plumb', in: '1\n2\n' },
  'an agent and a tool': { run: 'plumb agent.plumb', in: TALK },
  'an agent alone': { run: 'plumb-agent agent.plumb', in: TALK },
  '--record': { run: 'plumb --record rec program.plumb', in: '1\n2\n', varies: RECORD },
  '--resume': {
    after: { run: 'plumb --record rec agent.plumb', in: '"I am sad"\n' },
    run: 'plumb --resume rec agent.plumb',
    in: '"I am sad"\n"hello"\n',
    varies: RECORD,
  },
  '--max-calls': { run: 'plumb --max-calls 5 agent.plumb', in: '"I am sad"\n' },
  '--trace and --rejects': {
    run: 'plumb --trace trace.json --rejects bad.jsonl divide.plumb',
    in: '1\n0\nx\n5\n',
    varies: /^trace\.json$/,
  },
  '--tee': { run: 'plumb-mux --tee tee.jsonl -- cat', in: '{"__port":"input","msg":1}\n', varies: /^tee\.jsonl$/ },
  'a server that checks and calls': {
    run: 'plumb-mcp',
    in: [
      mcp(1, 'initialize', { protocolVersion: '2025-03-26', capabilities: {}, clientInfo: { name: 'test', version: '1' } }),
      '{"jsonrpc":"2.0","method":"notifications/initialized"}\n',
      mcp(2, 'tools/call', { name: 'check', arguments: { source: 'let main : !int -> !int = id' } }),
      mcp(3, 'tools/call', { name: 'call', arguments: { source: 'let main : !int -> !int = map(value + 1)', input: 1 } }),
    ].join(''),
    reports: /"isError":true/,
  },
}

const layAnew = (work: string): void => {
  for (const name of readdirSync(work)) rmSync(join(work, name), { recursive: true })
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(work, path)), { recursive: true })
    writeFileSync(join(work, path), text)
    if (text.startsWith('#!')) chmodSync(join(work, path), 0o755)
  }
}

type Contents = Readonly<Record<string, string>>

const contents = (work: string): Contents => {
  // Of a link that leads nowhere, as the lock of a record is one, nothing is read: the next run takes over the lock of a process that is gone.
  const paths = filesBelow(work)
    .filter((path) => statSync(path, { throwIfNoEntry: false }))
    .sort()
  const stores = [...new Set(paths.flatMap((path) => STORE.exec(path)?.[1] ?? []))]
  // Stores have names that are never used twice, in the order in which they were begun.
  const nameOf = (path: string): string =>
    path.slice(work.length + 1).replace(STORE, (_, name: string) => `kept-answers/${stores.indexOf(name) + 1}.`)
  return Object.fromEntries(paths.map((path) => [nameOf(path), readFileSync(path, 'utf8')]))
}

const STORE = /kept-answers\/([^/.]+)\./

interface Course {
  readonly scenario: Scenario
  readonly before: Contents
  readonly after: Contents
  readonly good: Ran
}

const prepare = async ({ work, bash }: Scene, { after }: Scenario): Promise<void> => {
  layAnew(work)
  if (after) await bash(after.run, after.in)
}

const courseOf = async (scene: Scene, scenario: Scenario): Promise<Course> => {
  await prepare(scene, scenario)
  const before = contents(scene.work)
  const good = await scene.bash(scenario.run, scenario.in)
  return { scenario, before, after: contents(scene.work), good }
}

const isTemporary = (path: string): boolean => /(^|\/)\.plumb-|\.(new|tmp)$/.test(path)
const isTorn = (text: string): boolean => text !== '' && !text.endsWith('\n')

const flawsOf = async ({ directory, work }: Scene, { scenario, before, after, good }: Course, ran: Ran): Promise<string[]> => {
  const flaws: string[] = []
  const now = contents(work)
  if (ran.status === undefined) flaws.push('it does not end')
  else if (ran.status === null || ran.status > 2) flaws.push(`status ${ran.status}`)
  flaws.push(...badErrorLines(ran.err).map((line) => `no error object: ${line}`))
  if (/"error":"internal"|node:internal/.test(ran.err)) flaws.push(`a bug: ${ran.err}`)
  const differs = (path: string) => !scenario.varies?.test(path) && now[path] !== after[path]
  const lost = ran.out !== good.out || [...Object.keys(after), ...Object.keys(now)].some(differs)
  if (lost && ran.status === 0 && !scenario.reports?.test(ran.out)) flaws.push(`0, but ${ran.out} and ${Object.keys(now).filter(differs)}`)
  for (const path of scenario.whole ?? []) if (now[path] !== before[path] && now[path] !== after[path]) flaws.push(`${path} is torn`)
  for (const [path, text] of Object.entries(now))
    if (path.endsWith('.jsonl') && isTorn(text)) flaws.push(`the last line of ${path} is torn`)
  flaws.push(...[...filesBelow(work).filter(isTemporary), ...filesBelow(join(directory, 'tmp'))].map((path) => `left: ${path}`))
  await until(() => runningIn(directory).length === 0)
  return [...flaws, ...runningIn(directory).map(({ command }) => `still runs: ${command}`)]
}

// A path that is relative is one of the scene, and so is one below it.
const isOurs = (work: string, text: string): boolean => {
  const rest = text.replace(/AT_FDCWD<[^>]*>/g, '')
  return rest.includes(work) || /^(, )?"(?!\/)[^"]/.test(rest)
}

/** From the first that is about the scene when our program is there: before it Node starts, of which nothing may fail. */
const stepsOf = (log: string, work: string): Step[] => {
  let [isThere, hasBegun] = [false, false]
  return stepsIn(log, (call, text) => {
    isThere ||= /\/packages\/[^"]*\.cjs"/.test(text)
    hasBegun ||= isThere && isOurs(work, text)
    if (!hasBegun) return false
    if (CHILD_CALLS.includes(call)) return !text.includes('CLONE_THREAD')
    // What is named for its process has another name next time.
    return isOurs(work, text) && !(DATA_CALLS.includes(call) && /\.plumb-\d+/.test(text))
  })
}

let logs = 0

/** Only its first thread, and none of its children. */
const traced = async (scene: Scene, { run, in: input }: Scenario, options: readonly string[]): Promise<{ ran: Ran; log: string }> => {
  const log = join(scene.directory, `log-${++logs}`)
  const ran = await scene.bash(`strace -o ${log} -y -s 200 ${options.map((word) => `'${word}'`).join(' ')} ${run}`, input)
  const text = readFileSync(log, 'utf8')
  rmSync(log)
  return { ran, log: text }
}

const failInTurn = async (t: Test, name: string, scenario: Scenario): Promise<{ steps: number; injected: number }> => {
  const scene = openScene(FILES)
  const course = await courseOf(scene, scenario)
  await prepare(scene, scenario)
  const counted = await traced(scene, scenario, ['-e', `trace=${[...FILE_CALLS, ...DATA_CALLS, ...CHILD_CALLS].join(',')}`])
  const steps = stepsOf(counted.log, scene.work)
  t.ok(steps.length > 3, `${name}: ${steps.length} steps`)
  let injected = 0
  for (const step of chosenOf(steps, name, 2)) {
    await prepare(scene, scenario)
    const { ran, log } = await traced(scene, scenario, failing(step))
    if (!wasHit(log)) continue
    injected++
    t.strictSame(await flawsOf(scene, course, ran), [], `${name}: ${nameOf(step)}`)
  }
  layAnew(scene.work)
  t.strictSame(await scene.leftovers(), [], `${name}: nothing is left`)
  return { steps: steps.length, injected }
}

t.test('faults 50, 51, 83, 84: each step of a program fails in turn', { skip: MACHINE.traces, jobs: 1 }, async (t) => {
  const figures = { steps: 0, injected: 0 }
  for (const [name, scenario] of wantedOf(SCENARIOS)) {
    const { steps, injected } = await failInTurn(t, name, scenario)
    figures.steps += steps
    figures.injected += injected
  }
  t.comment(`${wantedOf(SCENARIOS).length} scenarios, ${figures.steps} failures counted, ${figures.injected} made`)
})

t.test('fault 84: a saved conversation is whole, whatever fails', { skip: MACHINE.traces }, async (t) => {
  const scene = openScene({})
  const path = join(scene.work, 'talk.json')
  const [old, next] = [[{ role: 'user', content: 'old' }], [{ role: 'user', content: 'new' }]]
  const save = async () => writeMemory(path, next)
  const prepared = () => writeMemory(path, old)
  prepared()
  const before = readFileSync(path, 'utf8')
  const counted = await whileTraced(process.pid, ['-e', `trace=${FILE_CALLS.join(',')}`], scene.directory, save)
  if (!counted) return t.pass('nothing', { skip: 'strace may not attach to a process' })
  const after = readFileSync(path, 'utf8')
  const steps = stepsIn(counted.log, (_call, text) => text.includes(path))
  t.ok(steps.length > 3, `${steps.length} steps`)
  for (const step of steps) {
    prepared()
    const ran = await whileTraced(process.pid, failing(step), scene.directory, save)
    if (!ran || !wasHit(ran.log)) continue
    t.equal(readFileSync(path, 'utf8'), ran.value ? before : after, nameOf(step))
    if (ran.value) t.match(ran.value, { error: /^(write_failed|file_exists)$/ })
    t.strictSame(readdirSync(scene.work), ['talk.json'])
  }
  return t.strictSame(await scene.leftovers(), [])
})
