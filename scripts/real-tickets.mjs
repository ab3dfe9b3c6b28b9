// Tickets into records, by plumb-agent, pydantic-ai and LangGraph on one server with a small model: real-tickets.mjs [ROUNDS]
//
// Each is asked for the same records of the same tickets, as many at once as the server has slots, with a program start each, and each round
// begins with another. An answer counts where it fits the record. Beside the time that passes, which is that of the whole machine, stands what
// the server took of the processor. The peers are installed from PyPI by scripts/real/install, below the cache folder.

import { execFileSync, spawn } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT, runMain } from './command.mjs'

const ROUNDS = Number(process.argv[2] ?? 5)
const SLOTS = 4
const MAX_TOKENS = 120
const SYSTEM = 'Sort the ticket of a customer: how urgent it is, which team is to answer it, and a summary of a few words.'

const WHAT = [
  'My invoice of March is wrong',
  'The app crashes when I log in',
  'I want to buy forty licences',
  'My parcel has not come',
  'How do I change my address',
]
const HOW = ['and I need an answer today.', 'but there is no hurry.', 'please call me back.', 'for the third time!']
const TICKETS = WHAT.flatMap((what) => HOW.map((how) => `${what}, ${how}`))

const SPEC = `type Ticket = { urgency: "low" | "normal" | "high", team: "billing" | "support" | "sales", summary: string }
let main : !string -> !Ticket = agent { provider: "llamacpp", model: "smollm2", prompt: ${JSON.stringify(SYSTEM)}, temperature: 0, max_tokens: ${MAX_TOKENS}, amnesiac: true, concurrency: ${SLOTS} }`

const install = (what) => execFileSync('bash', [`${ROOT}/scripts/real/install`, what], { encoding: 'utf8' }).trim()

const startServer = async (python) => {
  const child = spawn(python, [`${ROOT}/scripts/real/server.py`, '0'], { stdio: ['pipe', 'pipe', 'ignore'] })
  const port = await new Promise((resolve, reject) => {
    child.stdout.once('data', (line) => resolve(Number(line)))
    child.once('exit', () => reject(new Error('the server ended')))
  })
  return { url: `http://127.0.0.1:${port}/v1`, pid: child.pid, stop: () => child.kill('SIGKILL') }
}

const isTicket = (line) => {
  const value = JSON.parse(line)
  if (typeof value.summary !== 'string') return false
  return ['low', 'normal', 'high'].includes(value.urgency) && ['billing', 'support', 'sales'].includes(value.team)
}

/** Resolves to its standard output. */
const give = (file, [program, ...args], env) =>
  new Promise((resolve) => {
    const input = openSync(file)
    const child = spawn(program, args, { env, stdio: [input, 'pipe', 'ignore'], timeout: LIMIT_MS, killSignal: 'SIGKILL' })
    closeSync(input)
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (text) => {
      output += text
    })
    child.on('close', () => resolve(output))
  })

const LIMIT_MS = 900_000

/** Of a process, in seconds; NaN where the system does not say it in /proc. */
const processorTime = (pid) => {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' ')
    return (Number(fields[11]) + Number(fields[12])) / TICKS
  } catch {
    return Number.NaN
  }
}

const TICKS = 100

const measure = async (command, { file, url, pid }) => {
  const [began, before] = [performance.now(), processorTime(pid)]
  const output = await give(file, command, { ...process.env, PLUMB_ENDPOINT: url })
  const [seconds, processor] = [(performance.now() - began) / 1000, processorTime(pid) - before]
  const answered = output.split('\n').filter((line) => line.startsWith('{') && isTicket(line)).length
  return { answered, seconds, processor }
}

const COLUMNS = [
  ['answered', ({ answered }) => answered, 0],
  ['s', ({ seconds }) => seconds, 1],
  ['s of the server', ({ processor }) => processor, 1],
  ['s an answer', ({ answered, seconds }) => seconds / answered, 2],
  ['s of the server an answer', ({ answered, processor }) => processor / answered, 2],
]

const print = (name, runs) => {
  const columns = COLUMNS.map(([what, of, digits]) => `${median(runs.map(of)).toFixed(digits)} ${what}`)
  console.log(`${name.padEnd(11)} ${columns.join(', ')}, load ${loadavg()[0].toFixed(1)}`)
}

const median = (numbers) => {
  const sorted = [...numbers].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

const compare = async (folder, { url, pid }, python) => {
  const [spec, file] = [join(folder, 'tickets.plumb'), join(folder, 'tickets.txt')]
  writeFileSync(spec, SPEC)
  writeFileSync(file, TICKETS.map((ticket) => `${ticket}\n`).join(''))
  const peer = (name) => [python, `${ROOT}/scripts/real/${name}_tickets.py`, SYSTEM, url, String(SLOTS), String(MAX_TOKENS)]
  const commands = [
    ['plumb', [`${ROOT}/packages/plumb-agent/bin/plumb-agent`, '-R', spec]],
    ['pydantic-ai', peer('pydantic_ai')],
    ['LangGraph', peer('langgraph')],
  ]
  const runs = new Map(commands.map(([name]) => [name, []]))
  for (let round = 0; round < ROUNDS; round++) {
    for (let i = 0; i < commands.length; i++) {
      const [name, command] = commands[(round + i) % commands.length]
      const run = await measure(command, { file, url, pid })
      runs.get(name).push(run)
      print(`round ${round + 1}: ${name.padEnd(11)}`, [run])
    }
  }
  console.log(`medians of ${ROUNDS} rounds, of ${TICKETS.length} tickets:`)
  for (const [name, of] of runs) print(name, of)
}

await runMain(import.meta.url, async () => {
  const python = install('peers')
  const server = await startServer(install('server'))
  const folder = mkdtempSync(join(tmpdir(), 'plumb-real-'))
  try {
    await compare(folder, server, python)
  } finally {
    server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
})
