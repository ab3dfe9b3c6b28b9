// Questions that are with the model at the same time: many of one agent, and one message with four agents.

import { memoryAtWork, outputOf, timePipe, timeTrips } from '../measure.mjs'
import { canMeasureMemory } from '../memory.mjs'
import { openModel } from '../model.mjs'

const AT_ONCE = 100
const MODEL_MS = 50
const BY_HAND = 'fetch, as many at once'
const line = (i) => `"hello ${i}"\n`

const manyMessages = ({ writeFixture, peer, once }, { name, count, about, unit, rounds, measure, goals, isMeasured = true }) => {
  const data = writeFixture(`at-once-${count}.jsonl`, Array.from({ length: count }, (_, i) => line(i)).join(''))
  let model
  const spec = () =>
    `let main : !string -> !string = agent { provider: "anthropic", model: "stub", endpoint: "${model.url}", prompt: "Be brief.", amnesiac: true, concurrency: ${AT_ONCE} }`
  const program = (key, checkout, command) =>
    once(`${name}: ${checkout.label} ${key}`, () => {
      const env = { ...checkout.env, ANTHROPIC_API_KEY: 'none' }
      return {
        measure: () => measure(command(), { env, data }),
        answer: () => outputOf(command(), { env, input: [0, 1, 2].map(line).join('') }),
      }
    })
  const ours = (executable) => ({
    name: executable,
    ours: (checkout) => program(executable, checkout, () => [checkout.bin(executable), '-e', spec()]),
    peers: (checkout) => ({
      [BY_HAND]: program('fetch', checkout, () => [process.execPath, peer('fetch-loop.cjs'), model.url, '1', String(AT_ONCE)]),
    }),
    goals,
  })
  return {
    name,
    about: `${count} messages to an agent that forgets, ${AT_ONCE} at once, with a model that takes ${MODEL_MS} ms${about}`,
    unit,
    rounds,
    prepare: async () => {
      model = await openModel(MODEL_MS)
    },
    close: () => model.close(),
    cases: isMeasured ? [ours('plumb-agent'), ours('plumb')] : [],
  }
}

const MANY = 10_000

export const manyAtOnce = (fixtures) => {
  const count = fixtures.isQuick ? MANY / 10 : MANY
  const leastMs = (count / AT_ONCE) * MODEL_MS
  return manyMessages(fixtures, {
    name: 'at once',
    count,
    about: `: ${leastMs} ms if nothing else took time. Whole programs.`,
    unit: 'ms',
    rounds: fixtures.isQuick ? 1 : 3,
    measure: timePipe,
    // Of a few messages the start is a large part.
    goals: fixtures.isQuick ? [] : [{ under: 1.05 * leastMs }],
  })
}

/** A heap grows for a while, so a quick look has all messages too. */
export const memoryAtOnce = (fixtures) =>
  manyMessages(fixtures, {
    name: 'memory at once',
    count: MANY,
    about: ': the most that one process has in memory.',
    unit: 'MB',
    rounds: fixtures.isQuick ? 1 : 3,
    measure: memoryAtWork,
    goals: [{ under: 150 }],
    isMeasured: canMeasureMemory,
  })

const AGENTS = ['a', 'b', 'c', 'd']
const LOOP = 'bare fetch loop, four at once'

export const fanOut = ({ isQuick, peer, once }) => {
  const trips = isQuick ? 300 : 1500
  let model
  const spec = () =>
    `${AGENTS.map((name) => `let ${name} : !string -> !string = agent { provider: "anthropic", model: "stub", endpoint: "${model.url}", prompt: "Be brief.", amnesiac: true }`).join('\n')}
let main : !string -> !(string, string, string, string) = plumb(input, output) { input ; (${AGENTS.join(' * ')}) ; barrier ; output }`
  const program = (key, checkout, command) =>
    once(`fan-out: ${checkout.label} ${key}`, () => {
      const env = { ...checkout.env, ANTHROPIC_API_KEY: 'none' }
      return {
        measure: () => timeTrips(command(), { env, line, trips }),
        answer: () => outputOf(command(), { env, input: [0, 1, 2].map(line).join('') }),
      }
    })
  return {
    name: 'fan-out',
    about: `One message to four agents and back, one after the other, with a model that answers at once: the median of ${trips} round trips. Processor time is that of all processes, a message.`,
    unit: 'µs',
    rounds: isQuick ? 3 : 7,
    prepare: async () => {
      model = await openModel()
    },
    close: () => model.close(),
    cases: [
      {
        name: 'four agents',
        ours: (checkout) => program('plumb', checkout, () => [checkout.bin('plumb'), '-e', spec()]),
        peers: (checkout) => ({
          [LOOP]: program('fetch', checkout, () => [process.execPath, peer('fetch-loop.cjs'), model.url, String(AGENTS.length)]),
        }),
        goals: [{ to: LOOP, atMost: 1.3 }],
      },
    ],
  }
}
