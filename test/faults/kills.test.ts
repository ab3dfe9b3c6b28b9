// long
// kill -9, at any moment, of each process that a run consists of: what is left ends soon and says what has died, files are whole, and who is
// started again goes on without doing twice what was written down. Faults 39, 44, 109. PLUMB_KILLS is how often each, PLUMB_SEED repeats the moments.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { scaled } from '../../packages/wire/test/patience.js'
import { makeRandom, type Random } from '../fuzz/random.js'
import { filesBelow, runningIn } from './leftovers.js'
import { openScene, type Scene, type Started, until } from './scene.js'

const KILLS = Number(process.env.PLUMB_KILLS ?? 1)
const SEED = Number(process.env.PLUMB_SEED ?? Math.floor(Math.random() * 2 ** 31))
t.comment(`seed ${SEED}`)

const COUNT = 12

const SERVER = `
const { createInterface } = require('node:readline')
const say = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n')
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (method === 'initialize') say(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } })
  else if (method === 'tools/list') say(id, { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] })
  else if (method === 'tools/call') setTimeout(() => say(id, { content: [{ type: 'text', text: 'echo ' + params.arguments.n }] }), 10)
})
`

const INPUT = Array.from({ length: COUNT }, (_, i) => {
  if (i % 3 === 0) return `call shout ${JSON.stringify({ arguments: [String(i)] })}`
  return i % 3 === 1 ? `call ink:echo ${JSON.stringify({ n: i })}` : `My cat ${i} remembers you.`
})
  .map((text) => `${JSON.stringify(text)}\n`)
  .join('')

const FILES = {
  shout: '#!/bin/bash\necho "$1" >> effects\nsleep 0.05\necho "heard $1"\n',
  'server.cjs': SERVER,
  'in.jsonl': INPUT,
  'a.plumb': `
    let shout : { arguments?: [string] } -> string = tool { command: "./shout", sandbox: { write: ["."] } }
    let bot : !string -> !string = agent {
      provider: "eliza", model: "doctor", tools: [shout], max_tool_calls: 3,
      mcp: [{ command: "${process.execPath}", args: ["server.cjs"], prefix: "ink", cache_ttl: 0 }]
    }
    let second : !string -> !string = agent { provider: "eliza", model: "doctor", amnesiac: true, concurrency: 3 }
    let main : !string -> !string = plumb(input, output) { input ; bot ; second ; output }`,
}

const RUN = ['plumb', '--record', 'rec', 'a.plumb']
const MOST_MS = 500
/** What the issue allows, and more where the machine is busy. */
const PATIENCE_MS = scaled(20_000)

const linesIn = (text: string): string[] => text.split('\n').filter((line) => line !== '')

const fileIn = (scene: Scene, name: string): string => {
  const path = join(scene.work, name)
  return existsSync(path) ? readFileSync(path, 'utf8') : ''
}

const begin = (scene: Scene, command: readonly string[] = RUN): Started => {
  const started = scene.start(command)
  started.child.stdin?.end(INPUT)
  return started
}

/** After some time, some answers, or some effects. */
const momentOf = (random: Random, scene: Scene, { reported }: Started): (() => boolean) => {
  const [kind, count, at] = [random.below(3), random.below(COUNT), performance.now() + random.below(MOST_MS)]
  if (kind === 0) return () => performance.now() >= at
  if (kind === 1) return () => linesIn(reported()).length >= count
  return () => linesIn(fileIn(scene, 'effects')).length >= count % (COUNT / 3)
}

/** How a process of ours looks, by its launcher or without. */
const run = (program: string, words = ''): RegExp => new RegExp(`/${program}(/dist/main\\.cjs)? ${words}`)

/** Kills one process of the scene whose command matches, at that moment or as soon as there is one. False: all was over before. */
const strike = async (scene: Scene, started: Started, victim: RegExp, isTime: () => boolean): Promise<boolean> => {
  let isOver = false
  void started.ended.then(() => {
    isOver = true
  })
  await until(() => isOver || isTime(), PATIENCE_MS)
  let pid: number | undefined
  await until(() => {
    pid = runningIn(scene.directory).find(({ command }) => victim.test(command) && !command.includes('lifeline'))?.pid
    return isOver || pid !== undefined
  }, PATIENCE_MS)
  if (pid === undefined) return false
  try {
    process.kill(pid, 'SIGKILL')
    return true
  } catch {
    return false
  }
}

let slowest = 0

const isQuiet = async (t: Test, scene: Scene): Promise<void> => {
  const began = performance.now()
  t.ok(
    await until(() => runningIn(scene.directory).length === 0, PATIENCE_MS),
    `nothing is left running: ${JSON.stringify(runningIn(scene.directory))}`,
  )
  slowest = Math.max(slowest, performance.now() - began)
}

/** Every line of a record but a last one that was cut is whole, and so is run.json. */
const isWhole = (t: Test, scene: Scene): void => {
  // The lock of a run that was killed is a link that leads nowhere.
  for (const path of filesOfRecord(scene).filter((path) => !path.endsWith('/lock'))) {
    const text = readFileSync(path, 'utf8')
    if (path.endsWith('/run.json')) t.equal(JSON.parse(text).format, 1)
    if (!path.endsWith('.jsonl')) continue
    for (const line of text.slice(0, text.lastIndexOf('\n') + 1).split('\n')) if (line !== '') JSON.parse(line)
  }
}

const filesOfRecord = (scene: Scene): string[] => {
  const directory = join(scene.work, 'rec')
  if (!existsSync(directory)) return []
  return readdirSync(directory, { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [] : [join(entry.parentPath ?? entry.path, entry.name)],
  )
}

/** Numbers of the calls whose results are kept: those of which the index of a file in kept-answers says where they stand. */
const sealedIn = (scene: Scene): string[] =>
  filesOfRecord(scene)
    .filter((path) => path.includes('/kept-answers/') && path.endsWith('.index'))
    .flatMap((path) => {
      const answers = readFileSync(path.replace(/index$/, 'jsonl'))
      const index = readFileSync(path, 'utf8')
      return linesIn(index.slice(0, index.lastIndexOf('\n') + 1)).flatMap((line) => {
        const [, , start, length] = line.split(' ').map(Number)
        const { answer } = JSON.parse(answers.toString('utf8', start, (start as number) + (length as number))) as Kept
        return answer.type === 'tool_result' ? (/heard (\d+)/.exec(String(answer.content))?.[1] ?? []) : []
      })
    })

interface Kept {
  readonly answer: { readonly type?: string; readonly content?: unknown }
}

let known: Promise<string> | undefined

/** What a run without a fault comes to. */
const reference = (t: Test): Promise<string> => {
  known ??= expected(t)
  return known
}

const expected = async (t: Test): Promise<string> => {
  const scene = openScene(FILES)
  const { out, status, err } = await scene.bash('plumb a.plumb < in.jsonl')
  t.equal(status, 0, err)
  t.equal(linesIn(out).length, COUNT)
  return out
}

/** Goes on with the record, if there is one, and comes to what a run without a fault comes to. */
const goesOn = async (t: Test, scene: Scene, whole: string): Promise<void> => {
  const sealed = sealedIn(scene)
  const before = linesIn(fileIn(scene, 'effects'))
  const isResumable = existsSync(join(scene.work, 'rec/run.json'))
  const { out, err, status } = await scene.bash(`plumb ${isResumable ? '--resume' : '--record'} rec a.plumb < in.jsonl`)
  t.equal(status, 0, err)
  t.equal(out, whole, 'all answers, as if nothing had been')
  const after = linesIn(fileIn(scene, 'effects')).slice(before.length)
  t.strictSame(
    after.filter((one) => sealed.includes(one)),
    [],
    'what was written down is not done again',
  )
  t.equal(new Set(after).size, after.length, 'nothing is done twice')
  t.equal(new Set(before).size, before.length, 'nothing was done twice')
  t.strictSame(filesBelow(scene.env.TMPDIR as string), [], 'and nothing of before is left over')
}

const errorsOf = ({ reported }: Started): { readonly error: string; readonly detail: string }[] =>
  linesIn(reported(2)).map((line) => JSON.parse(line))

/** Of a process that was killed, until the next one looks. */
const TOOL_LISTS = /\/plumb-mcp-[^/]+\/tools\.json(\.new)?$/

/** So often, each in a scene of its own, at a moment of its own. */
const killed = (victim: string, act: (t: Test, random: Random, scene: Scene) => Promise<boolean>): void =>
  void t.test(
    `seed ${SEED}: ${victim} is killed ${KILLS} times`,
    { skip: process.platform !== 'linux' && 'there is no /proc' },
    async (t) => {
      let kills = 0
      for (let i = 0; kills < KILLS && i < 2 * KILLS + 5; i++) {
        const scene = openScene(FILES, { mayLeave: TOOL_LISTS })
        if (await act(t, makeRandom(SEED, victim, i), scene)) kills++
        t.strictSame(await scene.leftovers(), [], `nothing is left of ${i}`)
      }
      t.equal(kills, KILLS, `${kills} kills; the slowest end took ${Math.round(slowest)} ms`)
    },
  )

killed('plumb', async (t, random, scene) => {
  const whole = await reference(t)
  const started = begin(scene)
  const isKilled = await strike(scene, started, /plumb --record/, momentOf(random, scene, started))
  await started.ended
  await isQuiet(t, scene)
  isWhole(t, scene)
  t.ok(whole.startsWith(started.reported()) || isKilled, 'what came out is the beginning of what should')
  await goesOn(t, scene, whole)
  return isKilled
})

killed('an agent', async (t, random, scene) => {
  const agent = random.pick(['bot', 'second'])
  const whole = await reference(t)
  const started = begin(scene)
  const isKilled = await strike(scene, started, run('plumb-agent', `.*--agent ${agent}`), momentOf(random, scene, started))
  const { status } = await started.ended
  await isQuiet(t, scene)
  isWhole(t, scene)
  if (linesIn(started.reported()).length < COUNT) {
    t.equal(status, 1)
    t.ok(
      errorsOf(started).some(({ error, detail }) => error === 'child_failed' && detail.includes(agent) && detail.includes('SIGKILL')),
      started.reported(2),
    )
  }
  t.ok(whole.startsWith(started.reported()), 'what came out is right as far as it goes')
  await goesOn(t, scene, whole)
  return isKilled
})

// What died is named where the answer to the call should have been, or on stderr where nothing could be asked yet.
for (const [victim, pattern] of [
  ['a tool', /shout \d/],
  ['an MCP server', /server\.cjs/],
] as const) {
  killed(victim, async (t, random, scene) => {
    const started = begin(scene)
    const isKilled = await strike(scene, started, pattern, momentOf(random, scene, started))
    const { status } = await started.ended
    await isQuiet(t, scene)
    isWhole(t, scene)
    const said = fileIn(scene, 'rec/02-bot-second.jsonl')
    if (status === 0) t.equal(linesIn(started.reported()).length, COUNT, 'every message has its answer')
    if (isKilled) t.ok(isUnharmed(said) || /SIGKILL/.test(said + started.reported(2)), `${said}${started.reported(2)}`)
    return isKilled
  })
}

/** All calls have the answers that they should have: the kill came when there was nothing left to do. */
const isUnharmed = (said: string): boolean =>
  linesIn(said).filter((line) => /^"(heard|echo) \d+\\?n?/.test(line)).length === (COUNT * 2) / 3

for (const [victim, pattern] of [
  ['an agent by itself', run('plumb-agent', '--agent bot')],
  ['the dispatcher of an agent', run('plumb-tool')],
] as const) {
  killed(victim, async (t, random, scene) => {
    const started = begin(scene, ['plumb-agent', '--agent', 'bot', 'a.plumb'])
    const isKilled = await strike(scene, started, pattern, momentOf(random, scene, started))
    const { status } = await started.ended
    await isQuiet(t, scene)
    const out = started.reported()
    if (status === 0) t.equal(linesIn(out).length, COUNT, 'every message has its answer')
    if (isKilled && status !== null)
      t.ok(isUnharmed(out) || /plumb-tool|SIGKILL/.test(out + started.reported(2)), `${out}${started.reported(2)}`)
    return isKilled
  })
}

const REQUESTS = [
  { id: 0, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } } },
  { method: 'notifications/initialized' },
  ...linesIn(INPUT).map((line, i) => ({
    id: i + 1,
    method: 'tools/call',
    params: { name: 'bot', arguments: { input: JSON.parse(line) } },
  })),
]
  .map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  .join('')

for (const [victim, pattern] of [
  ['plumb-mcp', run('plumb-mcp')],
  ['an agent of plumb-mcp', run('plumb-agent')],
] as const) {
  killed(victim, async (t, random, scene) => {
    const started = scene.start(['plumb-mcp', '--grant', 'exec,model', '--max-requests', '4', 'a.plumb'])
    started.write(REQUESTS)
    const isKilled = await strike(scene, started, pattern, momentOf(random, scene, started))
    const isServer = victim === 'plumb-mcp'
    if (!isServer || !isKilled) {
      t.ok(await until(() => answersOf(started).length === COUNT + 1), `every request has its answer: ${started.reported()}`)
      started.write(`${JSON.stringify({ jsonrpc: '2.0', id: 'last', method: 'ping' })}\n`)
      t.ok(await started.reports(/"id":"last"/), 'it still serves')
      started.child.stdin?.end()
    }
    await started.ended
    await isQuiet(t, scene)
    const ids = answersOf(started).map(({ id }) => id)
    t.equal(new Set(ids).size, ids.length, 'no request has two answers')
    return isKilled
  })
}

const answersOf = ({ reported }: Started): { readonly id: unknown }[] => {
  const text = reported()
  return linesIn(text.slice(0, text.lastIndexOf('\n') + 1))
    .map((line) => JSON.parse(line) as { id?: unknown; method?: string })
    .filter((message): message is { id: unknown } => message.method === undefined && message.id !== undefined)
}
