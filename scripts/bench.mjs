// Measures speed and memory: bench.mjs [--rounds N] [--lines N] [--filter TEXT]
//
// plumb against jq on the same lines, first outputs against `node -e 0`, all in turn within a round. Prints Markdown tables.

import { spawn, spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual, parseArgs } from 'node:util'
import { build } from './build.mjs'
import { installDependencies } from './dependencies.mjs'
import { ROOT, runMain } from './step.mjs'

const PLUMB = `${ROOT}/packages/plumb/bin/plumb`
const AGENT = `${ROOT}/packages/plumb-agent/bin/plumb-agent`
const TOOL = `${ROOT}/packages/plumb-tool/bin/plumb-tool`
const SEED = 20_240_229
const STARTS = 15

const EVENT = 'type Event = { seq: int, user: string, kind: "view" | "click" | "order", amount: number, note: string }\n'
const SPECS = {
  id: `${EVENT}let main : !Event -> !Event = id\n`,
  filter: `${EVENT}let main : !Event -> !Event = filter(kind = "order" and amount > 500)\n`,
  map: `${EVENT}let main : !Event -> !{ seq: int, user: string, total: number } = map({ seq: seq, user: user, total: amount * 1.25 })\n`,
  tools: 'type N = { n: int }\n@tool true\nlet double : N -> N = map({ n: n * 2 })\n',
  eliza: 'let main : !string -> !string = agent { provider: "eliza", model: "doctor" }\n',
}
const JQ = {
  id: '.',
  filter: 'select(.kind == "order" and .amount > 500)',
  map: '{seq, user, total: (.amount * 1.25)}',
}

// Node 20 reads the certificates that this names at every start, which would hide what is measured.
const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env

const benchAll = async (folder, { rounds, lines, filter }) => {
  for (const [name, text] of Object.entries(SPECS)) writeFileSync(join(folder, `${name}.plumb`), text)
  const isWanted = (name) => name.includes(filter)
  const throughput = Object.keys(JQ).filter(isWanted)
  console.log(`Node.js ${process.version}, ${process.platform} ${process.arch}, ${rounds} rounds, seed ${SEED}\n`)
  if (throughput.length > 0 || isWanted('memory')) {
    const data = join(folder, 'data.jsonl')
    writeData(data, lines)
    if (throughput.length > 0) await benchThroughput(throughput, folder, data, rounds, lines)
    if (isWanted('memory')) await benchMemory(folder, data)
  }
  if (isWanted('start')) await benchStart(folder)
  if (isWanted('tools')) await benchTools(folder, rounds)
}

const benchThroughput = async (names, folder, data, rounds, lines) => {
  const jq = spawnSync('jq', ['--version'], { encoding: 'utf8' }).stdout?.trim()
  const programs = names.flatMap((name) => [
    { name, by: 'plumb', command: [PLUMB, join(folder, `${name}.plumb`)] },
    ...(jq ? [{ name, by: 'jq', command: ['jq', '-c', JQ[name]] }] : []),
  ])
  if (jq) for (const name of names) compare(name, programs, data)
  const megabytes = statSync(data).size / 1e6
  console.log(
    `${lines} lines, ${megabytes.toFixed(1)} MB, cat | X | cat >/dev/null; ${jq ? `against ${jq} -c` : 'without jq, which is not here'}\n`,
  )
  const times = await inTurn(programs, rounds, ({ command }) => timePipe(command, data))
  const rows = programs.map((program) => {
    const { median, least } = times.get(program)
    const rival = times.get(programs.find(({ name, by }) => name === program.name && by !== program.by))
    const ratio = program.by === 'plumb' && rival ? `${(rival.median / median).toFixed(2)} × jq` : ''
    return [`${program.by} ${program.name}`, seconds(median), seconds(least), (megabytes / (median / 1000)).toFixed(0), ratio]
  })
  table(['program', 'median s', 'min s', 'MB/s', 'speed'], rows)
}

// What is measured does the same work: the first lines give the same values.
const compare = (name, programs, data) => {
  const input = readFileSync(data, 'utf8')
    .split(/(?<=\n)/, 1000)
    .join('')
  const [ours, theirs] = programs
    .filter((program) => program.name === name)
    .map(({ command: [file, ...args] }) => spawnSync(file, args, { input, env, encoding: 'utf8' }))
    .map(({ stdout, stderr }) => ({
      stderr,
      values: stdout
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
    }))
  if (!isDeepStrictEqual(ours.values, theirs.values)) throw new Error(`plumb and jq do not answer '${name}' alike\n${ours.stderr}`)
}

const timePipe = (command, data) =>
  new Promise((resolve, reject) => {
    const started = performance.now()
    const child = spawn('sh', ['-c', 'data=$1; shift; cat "$data" | "$@" | cat >/dev/null', 'sh', data, ...command], {
      env,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    child.on('error', reject)
    child.on('close', () => resolve(performance.now() - started))
  })

const benchStart = async (folder) => {
  const line = Buffer.from('"I feel sad today"\n')
  const programs = [
    { name: 'node -e 0', command: [process.execPath, '-e', '0'] },
    { name: 'plumb --version', command: [PLUMB, '--version'] },
    { name: 'plumb, first output', command: [PLUMB, join(folder, 'id.plumb')], input: Buffer.from(`${eventLine(0, random(SEED))}\n`) },
    { name: 'plumb-agent (ELIZA), first output', command: [AGENT, join(folder, 'eliza.plumb')], input: line },
  ]
  console.log(`Start, ${STARTS} rounds; to the end of \`node -e 0\`, to the first output of the others\n`)
  const times = await inTurn(programs, STARTS, ({ command, input }) => timeFirstOutput(command, input))
  const base = times.get(programs[0])
  const rows = programs.map((program) => {
    const { median, least } = times.get(program)
    return [program.name, median.toFixed(1), least.toFixed(1), (median / base.median).toFixed(2), (least / base.least).toFixed(2)]
  })
  table(['command', 'median ms', 'min ms', 'median ratio', 'min ratio'], rows)
}

const timeFirstOutput = ([file, ...args], input) =>
  new Promise((resolve, reject) => {
    const started = performance.now()
    const child = spawn(file, args, { env, stdio: [input ? 'pipe' : 'ignore', 'pipe', 'inherit'] })
    let first
    child.stdout.on('data', () => {
      first ??= performance.now() - started
    })
    child.on('error', reject)
    child.on('close', (status) =>
      status === 0 ? resolve(first ?? performance.now() - started) : reject(new Error(`'${file}' ends with ${status}`)),
    )
    child.stdin?.end(input)
  })

const CALLS = 10_000
const ECHO = 'process.stdin.on("data", (chunk) => process.stdout.write(chunk))'

// One call after the other, each answered before the next, as an agent has it with one tool at a time.
const benchTools = async (folder, rounds) => {
  const request = (i) => `{"id":"toolu_${i}","name":"double","input":{"n":${i}}}\n`
  const programs = [
    { name: 'node, a line echoed', command: [process.execPath, '-e', ECHO], fds: [0, 1], line: request },
    {
      name: 'plumb-tool serve, an inline call',
      command: [TOOL, join(folder, 'tools.plumb'), 'serve', '--fds', '4,5'],
      fds: [4, 5],
      line: request,
    },
  ]
  console.log(`Tools, ${CALLS} round trips one after the other, ${rounds} rounds\n`)
  const times = await inTurn(programs, rounds, timeTrips)
  const base = times.get(programs[0])
  const rows = programs.map((program) => {
    const { median, least } = times.get(program)
    return [
      program.name,
      (median * 1000).toFixed(0),
      (least * 1000).toFixed(0),
      (median / base.median).toFixed(2),
      (least / base.least).toFixed(2),
    ]
  })
  table(['what', 'median µs', 'min µs', 'median ratio', 'min ratio'], rows)
}

/** Resolves to the median of the round trips. */
const timeTrips = ({ command: [file, ...args], fds: [to, from], line }) =>
  new Promise((resolve, reject) => {
    const stdio = Array.from({ length: 6 }, (_, fd) => (fd === to || fd === from ? 'pipe' : fd === 2 ? 'inherit' : 'ignore'))
    const child = spawn(file, args, { env, stdio })
    const trips = []
    let started = 0
    const send = () => {
      started = performance.now()
      child.stdio[to].write(line(trips.length))
    }
    child.stdio[from].on('data', (chunk) => {
      if (chunk[chunk.length - 1] !== 10) return
      trips.push(performance.now() - started)
      if (trips.length < CALLS) send()
      else child.stdio[to].end()
    })
    child.stdio[to].on('error', () => {})
    child.on('error', reject)
    child.on('close', (status) => (status === 0 ? resolve(medianOf(trips)) : reject(new Error(`'${file}' ends with ${status}`))))
    send()
  })

// A pipe that nobody reads for a while, then reads to the end: what is not read must not pile up in memory.
const benchMemory = async (folder, data) => {
  if (process.platform !== 'linux') return console.log('Memory: skipped, it is read from /proc\n')
  const input = openSync(data)
  const child = spawn(PLUMB, [join(folder, 'id.plumb')], { env, stdio: [input, 'pipe', 'inherit'] })
  closeSync(input)
  await sleep(3000)
  const held = peakMemory(child.pid)
  let last = held
  const ended = new Promise((resolve) => child.on('close', resolve))
  for await (const _chunk of child.stdout) last = peakMemory(child.pid) ?? last
  await ended
  console.log('Peak memory of plumb id (VmHWM)\n')
  const rows = [
    ['after 3 s without a reader', held],
    ['at the end', last],
  ]
  table(['when', 'MB'], rows)
}

const peakMemory = (pid) => {
  try {
    const [, kilobytes] = /^VmHWM:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return kilobytes && (Number(kilobytes) / 1000).toFixed(1)
  } catch {
    return undefined
  }
}

/** Runs each program once a round; resolves to a map from program to { median, least } in milliseconds. */
const inTurn = async (programs, rounds, measure) => {
  const times = new Map(programs.map((program) => [program, []]))
  for (let round = 0; round < rounds; round++) {
    for (const program of programs) times.get(program).push(await measure(program))
  }
  return new Map([...times].map(([program, all]) => [program, { median: medianOf(all), least: Math.min(...all) }]))
}

const medianOf = (numbers) => {
  const sorted = [...numbers].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

const writeData = (file, lines) => {
  const next = random(SEED)
  const output = openSync(file, 'w')
  for (let seq = 0; seq < lines; ) {
    let text = ''
    for (const end = Math.min(seq + 5000, lines); seq < end; seq++) text += `${eventLine(seq, next)}\n`
    writeSync(output, text)
  }
  closeSync(output)
}

const WORDS = ['quiet', 'harbour', 'lantern', 'meadow', 'copper', 'thistle', 'orchard', 'pebble', 'näher', 'river']

const eventLine = (seq, next) => {
  const pick = (list) => list[Math.floor(next() * list.length)]
  const user = `u${Math.floor(next() * 100_000)}`
  const amount = Math.floor(next() * 100_000) / 100
  return JSON.stringify({ seq, user, kind: pick(['view', 'click', 'order']), amount, note: [1, 2, 3, 4].map(() => pick(WORDS)).join(' ') })
}

/** Numbers from 0 to 1, the same for the same seed (a linear congruential generator with the constants of Numerical Recipes). */
const random = (seed) => {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

const seconds = (ms) => (ms / 1000).toFixed(2)

const table = (head, rows) => {
  for (const row of [head, head.map(() => '---'), ...rows]) console.log(`| ${row.join(' | ')} |`)
  console.log()
}

await runMain(import.meta.url, async () => {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '5' },
      lines: { type: 'string', default: '1000000' },
      filter: { type: 'string', default: '' },
    },
  })
  await installDependencies()
  await build()
  const folder = mkdtempSync(join(tmpdir(), 'plumb-bench-'))
  try {
    await benchAll(folder, { rounds: Number(values.rounds), lines: Number(values.lines), filter: values.filter })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
