// The loads: the input of each program, and the output that it must give.

import { ROOT } from '../command.mjs'
import { runClient } from './mcp-client.mjs'
import { AGENTS, SENTENCES } from './specs.mjs'
import { eachLine, eachNumber, feed, waitForUrl } from './streams.mjs'

const bin = (name) => `${ROOT}/packages/${name}/bin/${name}`

const numbered = (count, lineOf) =>
  function* () {
    for (let n = 0; n < count; n++) yield lineOf(n)
  }

const pipeline = async (child, count) => {
  let [seen, total] = [0, 0]
  await Promise.all([
    feed(
      child,
      numbered(count, (n) => `{"n":${n},"left":${n % 3}}\n`),
    ),
    eachNumber(child, (n) => {
      seen++
      total += n
    }),
  ])
  const tens = Math.ceil(count / 10)
  const wanted = [count + 2 * tens, (3 * count * (count - 1)) / 2 + 10 * tens * (tens - 1)]
  return { messages: count, wrong: compare([seen, total], wanted) }
}

const mux = async (child, count) => {
  let [seen, total] = [0, 0]
  await Promise.all([
    feed(
      child,
      numbered(count, (n) => `{"__port":"input","msg":${n}}\n`),
    ),
    eachLine(child, (line) => {
      seen++
      total += JSON.parse(line).msg
    }),
  ])
  return { messages: count, wrong: compare([seen, total], [count, (count * (count - 1)) / 2]) }
}

// The same sentence has the same answer each time, since the agent has no memory.
const agent = async (child, count) => {
  const answers = new Map()
  let [seen, odd] = [0, 0]
  await Promise.all([
    feed(
      child,
      numbered(count, (n) => `${JSON.stringify(SENTENCES[n % SENTENCES.length])}\n`),
    ),
    eachLine(child, (line) => {
      const asked = seen++ % SENTENCES.length
      if (!answers.has(asked)) answers.set(asked, line)
      else if (answers.get(asked) !== line) odd++
    }),
  ])
  return { messages: count, wrong: compare([seen, odd], [count, 0]) }
}

const agents = async (child, count) => {
  let seen = 0
  await Promise.all([
    feed(
      child,
      numbered(count, (n) => `${JSON.stringify(SENTENCES[n % SENTENCES.length])}\n`),
    ),
    eachLine(child, () => seen++),
  ])
  return { messages: count * AGENTS, wrong: compare([seen], [count * AGENTS]) }
}

/** Reads slowly for a third of the time, not at all for another third, and then the rest. */
const readSlowly = (lineOf, numberIn) => async (child, count) => {
  const text = 'x'.repeat(60)
  let [seen, disordered] = [0, 0]
  const fed = feed(
    child,
    numbered(count, (n) => lineOf(n, text)),
  )
  const read = eachLine(
    child,
    (line) => {
      if (numberIn(line) !== seen++) disordered++
    },
    SLOWLY,
  )
  await Promise.all([fed, read])
  return { messages: count, wrong: compare([seen, disordered], [count, 0]) }
}
const SLOWLY = { trickleMs: 10_000, stopMs: 10_000, pauseMs: 20 }

const CLIENTS = 100
const clients = async (child, count) => {
  const url = await waitForUrl(child)
  const each = Math.ceil(count / CLIENTS)
  const wrong = (await Promise.all(Array.from({ length: CLIENTS }, (_, i) => runClient(url, i, each)))).flat()
  child.kill('SIGTERM')
  return { messages: each * CLIENTS, wrong: wrong.length === 0 ? undefined : `${wrong.length} answers are wrong: ${wrong[0]}` }
}

/** By title; `run` resolves to { messages, wrong }, where `wrong` is undefined if nothing is. */
export const LOADS = {
  'pipeline with a loop': { command: [bin('plumb'), 'pipeline.plumb'], count: 10_000_000, run: pipeline },
  'plumb-mux': { command: [bin('plumb-mux'), '--', 'cat'], count: 1_000_000, run: mux },
  'ELIZA agent': { command: [bin('plumb-agent'), 'agent.plumb'], count: 100_000, run: agent },
  '100 MCP clients': { command: [bin('plumb-mcp'), '--http', '0', '--no-token', 'tools.plumb'], count: 10_000, run: clients },
  '64 agents': { command: [bin('plumb'), 'agents.plumb'], count: 5000, run: agents },
  'slow and stopped reader of plumb': {
    command: [bin('plumb'), 'id.plumb'],
    count: 2_000_000,
    run: readSlowly(
      (n, text) => `{"n":${n},"text":"${text}"}\n`,
      (line) => JSON.parse(line).n,
    ),
  },
  'slow and stopped reader of plumb-mux': {
    command: [bin('plumb-mux'), '--', 'cat'],
    count: 1_000_000,
    run: readSlowly(
      (n, text) => `{"__port":"input","msg":{"n":${n},"text":"${text}"}}\n`,
      (line) => JSON.parse(line).msg.n,
    ),
  },
}

const compare = (found, wanted) => (found.join() === wanted.join() ? undefined : `${found.join()} instead of ${wanted.join()}`)
