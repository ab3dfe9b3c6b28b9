// Tickets into records, by plumb-agent, pydantic-ai and LangGraph on one server with a small model: real-tickets.mjs [ROUNDS]
//
// Each is asked for the same records of the same tickets, as many at once as the server has slots, with a program start each, and each round
// begins with another. An answer counts where it fits the record. Beside the time that passes, which is that of the whole machine, stands what
// the server took of the processor. A peer that gives up a ticket is done earlier, so each is also compared with plumb in what both did: how long
// after its start it had as many answers as the one that has fewer, and how long the tickets took that both answered. The peers are installed
// from PyPI by scripts/real/install, below the cache directory.

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

const isTicket = (value) =>
  typeof value?.summary === 'string' &&
  ['low', 'normal', 'high'].includes(value.urgency) &&
  ['billing', 'support', 'sales'].includes(value.team)

/** Of each ticket that was answered, its place, and when it was sent and answered, in ms of the epoch. */
const answersOf = {
  // Telemetry, in which an output may have waited for its turn.
  plumb: (lines) =>
    lines.flatMap(({ kind, seq, value, ms, held_ms = 0, time }) => {
      const ended = Date.parse(time) - held_ms
      return kind === 'output' && isTicket(value) ? [{ ticket: seq - 1, began: ended - ms, ended }] : []
    }),
  peer: (lines) =>
    lines.flatMap(({ began, ended, answer }, ticket) => (isTicket(answer) ? [{ ticket, began: began * 1000, ended: ended * 1000 }] : [])),
}

/** Resolves to the lines that it writes to the descriptor, 1 or 3. */
const give = (file, { command: [program, ...args], descriptor }, env) =>
  new Promise((resolve) => {
    const input = openSync(file)
    const stdio = [input, 'ignore', 'ignore', 'ignore']
    stdio[descriptor] = 'pipe'
    const child = spawn(program, args, { env, stdio, timeout: LIMIT_MS, killSignal: 'SIGKILL' })
    closeSync(input)
    let output = ''
    child.stdio[descriptor].setEncoding('utf8').on('data', (text) => {
      output += text
    })
    child.on('close', () => resolve(output.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []))))
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

const measure = async (program, { file, url, pid }) => {
  const [started, began, before] = [Date.now(), performance.now(), processorTime(pid)]
  const lines = await give(file, program, { ...process.env, PLUMB_ENDPOINT: url })
  const [seconds, processor] = [(performance.now() - began) / 1000, processorTime(pid) - before]
  const answers = program.read(lines)
  return { started, answers, answered: answers.length, seconds, processor }
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

/** How long after its start a run had so many answers. */
const secondsTo = ({ started, answers }, count) =>
  ((answers.map(({ ended }) => ended).sort((a, b) => a - b)[count - 1] ?? Number.NaN) - started) / 1000

/** Of the tickets of a run that are also in the other, from sending to answer, on average. */
const secondsEach = ({ answers }, other) => {
  const both = answers.filter(({ ticket }) => other.answers.some((one) => one.ticket === ticket))
  return both.reduce((sum, { began, ended }) => sum + ended - began, 0) / both.length / 1000
}

const printPair = (name, ours, theirs) => {
  const pairs = ours.map((our, i) => [our, theirs[i]])
  const counts = pairs.map(([our, their]) => Math.min(our.answered, their.answered))
  const of = (seconds, digits) => {
    const [our, their] = [0, 1].map((side) => median(pairs.map((pair, i) => seconds(pair[side], pair[1 - side], counts[i]))))
    return `plumb ${our.toFixed(digits)} s, ${name} ${their.toFixed(digits)}`
  }
  console.log(
    `to ${median(counts)} answers: ${of((run, _, count) => secondsTo(run, count), 1)}; a ticket that both answered: ${of(secondsEach, 2)}`,
  )
}

const median = (numbers) => {
  const sorted = [...numbers].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

const compare = async (directory, { url, pid }, python) => {
  const [spec, file] = [join(directory, 'tickets.plumb'), join(directory, 'tickets.txt')]
  writeFileSync(spec, SPEC)
  writeFileSync(file, TICKETS.map((ticket) => `${ticket}\n`).join(''))
  const peer = (name) => {
    const command = [python, `${ROOT}/scripts/real/${name}_tickets.py`, SYSTEM, url, String(SLOTS), String(MAX_TOKENS)]
    return { command, descriptor: 1, read: answersOf.peer }
  }
  const agent = [`${ROOT}/packages/plumb-agent/bin/plumb-agent`, '--telemetry', '-R', spec]
  const programs = [
    ['plumb', { command: agent, descriptor: 3, read: answersOf.plumb }],
    ['pydantic-ai', peer('pydantic_ai')],
    ['LangGraph', peer('langgraph')],
  ]
  const runs = new Map(programs.map(([name]) => [name, []]))
  for (let round = 0; round < ROUNDS; round++) {
    for (let i = 0; i < programs.length; i++) {
      const [name, program] = programs[(round + i) % programs.length]
      const run = await measure(program, { file, url, pid })
      runs.get(name).push(run)
      print(`round ${round + 1}: ${name.padEnd(11)}`, [run])
    }
  }
  console.log(`medians of ${ROUNDS} rounds, of ${TICKETS.length} tickets:`)
  for (const [name, of] of runs) print(name, of)
  const [[, ours], ...others] = runs
  for (const [name, theirs] of others) printPair(name, ours, theirs)
}

await runMain(import.meta.url, async () => {
  const python = install('peers')
  const server = await startServer(install('server'))
  const directory = mkdtempSync(join(tmpdir(), 'plumb-real-'))
  try {
    await compare(directory, server, python)
  } finally {
    server.stop()
    rmSync(directory, { recursive: true, force: true })
  }
})
