// Calls of tools that a model makes: the first of a program, whose process for tools is not there yet, and each one after it.

import { outputOf, timeTrips } from '../measure.mjs'
import { openModel } from '../model.mjs'

const MODEL = 'tool-model.cjs'
const MODEL_MS = 300
const BY_HAND = 'bare fetch loop, with a function'
const line = (i) => `"double ${i}"\n`

const specOf = (url) => `type N = { n: int }
@tool true
let double : N -> N = map({ n: n * 2 })
let main : !string -> !string = agent { provider: "anthropic", model: "stub", endpoint: "${url}", prompt: "Be brief.", amnesiac: true, tools: [double] }`

export const firstToolCall = ({ isQuick, peer, once }) => {
  const models = new Map()
  const program = (key, checkout, ms, command) =>
    once(`first tool call: ${checkout.label} ${key} ${ms}`, () => ({
      measure: async () => {
        const env = { ...checkout.env, ANTHROPIC_API_KEY: 'none' }
        return { value: Number(JSON.parse(await outputOf(command(models.get(ms).url), { env, input: line(0) }))) }
      },
    }))
  const first = (executable, ms, under) => ({
    name: `${executable}, a model of ${ms} ms`,
    ours: (checkout) => program(executable, checkout, ms, (url) => [checkout.bin(executable), '-e', specOf(url)]),
    peers: (checkout) => ({ [BY_HAND]: program('by hand', checkout, ms, (url) => [process.execPath, peer('tool-loop.cjs'), url]) }),
    goals: [{ under }],
  })
  return {
    name: 'first tool call',
    about:
      'From the end of the answer of a model that calls a tool to its next request, with the result, in a program that was just started.',
    unit: 'ms',
    rounds: isQuick ? 5 : 15,
    prepare: async () => {
      for (const ms of [MODEL_MS, 0]) models.set(ms, await openModel(ms, MODEL))
    },
    close: () => Promise.all([...models.values()].map((model) => model.close())),
    cases: [first('plumb-agent', MODEL_MS, 60), first('plumb', MODEL_MS, 60), first('plumb-agent', 0, 120), first('plumb', 0, 120)],
  }
}

export const toolCalls = ({ isQuick, peer, once }) => {
  const trips = isQuick ? 300 : 1500
  let model
  const program = (key, checkout, command) =>
    once(`tool calls: ${checkout.label} ${key}`, () => ({
      measure: () => timeTrips(command(), { env: { ...checkout.env, ANTHROPIC_API_KEY: 'none' }, line, trips }),
    }))
  const ours = (executable) => ({
    name: executable,
    ours: (checkout) => program(executable, checkout, () => [checkout.bin(executable), '-e', specOf(model.url)]),
    peers: (checkout) => ({ [BY_HAND]: program('by hand', checkout, () => [process.execPath, peer('tool-loop.cjs'), model.url]) }),
    goals: [{ to: BY_HAND, atMost: 1.3 }],
  })
  return {
    name: 'tool calls',
    about: `A message to an agent, whose model calls a tool and then answers, both at once: the median of ${trips} round trips, one after the other. Processor time is that of all processes, a message.`,
    unit: 'µs',
    rounds: isQuick ? 3 : 7,
    prepare: async () => {
      model = await openModel(0, MODEL)
    },
    close: () => model.close(),
    cases: [ours('plumb-agent'), ours('plumb')],
  }
}
