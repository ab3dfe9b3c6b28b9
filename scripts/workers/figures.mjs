// The figures, each a function of a stage that resolves to { said, goal, wrong }; `wrong` is false where the goal is met.

import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { ROOT } from '../command.mjs'
import { bareHops } from './bare.mjs'
import { killing } from './killing.mjs'

const ELIZA = (name, more) => `let ${name} : !string -> !string = agent { provider: "eliza", model: "doctor"${more} }\n`

const example = (name) => readFileSync(`${ROOT}/packages/plumb/examples/${name}`, 'utf8')
/** The examples whose outputs depend on their inputs alone. */
const EXAMPLES = ['eliza', 'orders', 'review']

export const SPECS = {
  'hop.plumb': 'let main : !int -> !int = map(value + 1)\n',
  'wait.plumb': `let slow : !int -> !int = agent { command: ["node", "slow.mjs"], amnesiac: true, answers: "each", sandbox: false }
let main : !int -> !int = slow\n`,
  'slow.mjs': `import { createInterface } from 'node:readline'
for await (const line of createInterface({ input: process.stdin })) {
  await new Promise((done) => setTimeout(done, 50))
  process.stdout.write(line + '\\n')
}\n`,
  'talk.plumb': `${ELIZA('bot', '')}
let main : !int -> !string = plumb(input, output) { input ; map("I remember cat \${value}") ; bot ; filter(length(value) > 20) ; output }\n`,
  'count.plumb': `${ELIZA('free', ', amnesiac: true')}
let main : !int -> !int = plumb(input, output) {
  input ; map("I am \${value}") ; free ; fold(state + 1, from: 0) ; filter(value % 10 = 0) ; output
}\n`,
  ...Object.fromEntries(EXAMPLES.map((name) => [`${name}.plumb`, example(`${name}.plumb`)])),
}

const numbers = (count) => Array.from({ length: count }, (_, i) => `${i + 1}\n`).join('')

/** All submitted, and nothing fetched; resolves to the id of the run. */
const fill = async ({ submit, cluster }, name, spec, count) => {
  const { child, ended } = submit('--detach', '--run', name, spec)
  child.stdin.end(numbers(count))
  if ((await ended) !== 0) throw new Error(`${name} was not submitted`)
  return cluster.ask(`SELECT id FROM plumb.run WHERE name = '${name}'`).trim()
}

/** Messages a second that part 1 of a run settles, from the first settlement that is seen to the last. */
const rateOf = async ({ cluster }, run, count) => {
  let first
  for (;;) {
    const asked = `SELECT extract(epoch FROM clock_timestamp()), coalesce(sum(taken), 0) FROM plumb.tally WHERE run = ${run} AND part = 1`
    const [time, done] = cluster.ask(asked).trim().split('|').map(Number)
    if (done > 0) first ??= { time, done }
    if (done >= count) return (done - first.done) / (time - first.time)
    await sleep(50)
  }
}

const KEPT = `SELECT (SELECT sum(json_array_length(line::json->'messages')) FROM plumb.memory), (SELECT count(*) FROM plumb.letter)`

export const FIGURES = {
  async hops(stage, { share }) {
    const count = Math.ceil(9000 / share)
    const bare = await bareHops(stage.directory, stage.cluster.url, await fill(stage, 'bare', 'hop.plumb', count), 100)
    const run = await fill(stage, 'worker', 'hop.plumb', count)
    const worker = stage.serve('hop.plumb')
    const rate = await rateOf(stage, run, count)
    await stage.end([worker])
    const part = rate / bare
    const said = `${Math.round(rate)} hops a second, the same SQL alone in batches of 100 ${Math.round(bare)}: ${Math.round(part * 100)} %`
    return { said, goal: '50 %', wrong: part < 0.5 && 'too slow' }
  },

  async alone(stage) {
    const worker = stage.serve('hop.plumb')
    const submitter = stage.submit('hop.plumb')
    const taken = []
    for (let i = 0; i < 102; i++) {
      const began = performance.now()
      const answered = new Promise((resolve) => {
        submitter.onLines = resolve
      })
      submitter.child.stdin.write('1\n')
      await answered
      taken.push(performance.now() - began)
      // A worker wakes the others at most every 50 ms.
      await sleep(100)
    }
    submitter.child.stdin.end()
    await submitter.ended
    await stage.end([worker])
    // The first two begin processes.
    const sorted = taken.slice(2).sort((a, b) => a - b)
    const p50 = sorted[50]
    return { said: `p50 ${p50.toFixed(1)} ms, p90 ${sorted[90].toFixed(1)}`, goal: '20 ms', wrong: p50 > 20 && 'too slow' }
  },

  async stages(stage, { share }) {
    const rates = []
    for (const [i, workers] of [1, 2, 4].entries()) {
      const count = Math.ceil((200 * workers) / share)
      const run = await fill(stage, `wait${i}`, 'wait.plumb', count)
      // Each has one message in hand and one ready.
      const serving = Array.from({ length: workers }, () => stage.serve('--run', `wait${i}`, '--slots', '2', 'wait.plumb'))
      rates.push(await rateOf(stage, run, count))
      await stage.end(serving)
    }
    const said = `a stage of 50 ms with 1, 2, 4 workers: ${rates.map((rate) => rate.toFixed(1)).join(', ')} a second`
    return { said, goal: '15, 30, 60', wrong: rates.some((rate, i) => rate < [15, 30, 60][i]) && 'too slow' }
  },

  async memories(stage, { seed, share }) {
    const input = numbers(Math.ceil(20_000 / share))
    const embedded = await stage.embedded('talk.plumb', input)
    const kills = Math.ceil(20 / share)
    const { killed, took, text } = await killing(stage, { spec: 'talk.plumb', input, workers: 3, kills, seed })
    const [remembered, letters] = stage.cluster.ask(KEPT).trim().split('|')
    const said = `${input.split('\n').length - 1} inputs, map ; eliza with memory ; filter, 3 workers, ${killed} kill -9: ${took.toFixed(1)} s, ${remembered} messages remembered, ${letters} letters`
    const wrong = text !== embedded.text ? 'not the bytes of the embedded run' : took > 60 / share && 'too slow'
    return { said, goal: '20 kills, 60 s, the bytes of the embedded run', wrong }
  },

  async counter(stage, { seed, share }) {
    const count = Math.ceil(100_000 / share)
    const kills = Math.ceil(80 / share)
    const { killed, took, text } = await killing(stage, { spec: 'count.plumb', input: numbers(count), workers: 3, kills, seed })
    const expected = Array.from({ length: Math.floor(count / 10) }, (_, i) => `${10 * (i + 1)}\n`).join('')
    const said = `${count} inputs, free ; counter ; filter, 3 workers, ${killed} kill -9: ${took.toFixed(1)} s`
    return { said, goal: '80 kills, exact', wrong: text !== expected && 'not what one process counts' }
  },

  async server(stage, { seed, share }) {
    const count = Math.ceil(60_000 / share)
    const { took, text, crashed } = await killing(stage, {
      spec: 'count.plumb',
      input: numbers(count),
      workers: 2,
      kills: 0,
      crashes: 3,
      seed,
    })
    const expected = Array.from({ length: Math.floor(count / 10) }, (_, i) => `${10 * (i + 1)}\n`).join('')
    const said = `${count} inputs, the server killed ${crashed} times: ${took.toFixed(1)} s`
    return { said, goal: '3 times, exact', wrong: (text !== expected || crashed < 3) && 'not what one process counts' }
  },

  async ordered(stage) {
    const wrong = []
    for (const name of EXAMPLES) {
      const input =
        name === 'orders' ? example('orders.jsonl') : '"Men are all alike."\n"They bug us"\n"My cat remembers you"\n7\n'.repeat(20)
      const embedded = await stage.embedded(`${name}.plumb`, input)
      for (const count of [1, 2, 4]) {
        const workers = Array.from({ length: count }, () => stage.serve(`${name}.plumb`))
        const { child, ended, text } = stage.submit('--ordered', '--run', `${name}-${count}`, `${name}.plumb`)
        child.stdin.end(input)
        const status = await ended
        await stage.end(workers)
        if (text() !== embedded.text || status !== embedded.status) wrong.push(`${name} with ${count} workers`)
      }
    }
    const said = `${EXAMPLES.join(', ')} with 1, 2, 4 workers, in order`
    return { said, goal: 'the bytes and the status of the embedded run', wrong: wrong.length > 0 && wrong.join(', ') }
  },
}
