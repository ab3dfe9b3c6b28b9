// Agent messages: round trips of one, against what it costs to ask the model alone.

import { outputOf, timeTrips } from '../measure.mjs'
import { openModel } from '../model.mjs'

const line = (i) => `"hello ${i}"\n`

export const messages = ({ isQuick, frameworks, peer, once }) => {
  let model
  const many = isQuick ? 1000 : 5000
  const some = isQuick ? 300 : 1500
  const agent = (config) => `let main : !string -> !string = agent { ${config} }`
  const eliza = agent('provider: "eliza", model: "doctor"')
  const asking = () => agent(`provider: "anthropic", model: "stub", endpoint: "${model.url}", prompt: "Be brief.", amnesiac: true`)

  const program = (key, checkout, trips, command) =>
    once(`messages: ${checkout.label} ${key}`, () => {
      const env = { ...checkout.env, ANTHROPIC_API_KEY: 'none' }
      return {
        measure: () => timeTrips(command(), { env, line, trips }),
        answer: () => outputOf(command(), { env, input: [0, 1, 2].map(line).join('') }),
      }
    })
  const echo = (checkout) => program('echo', checkout, many, () => [process.execPath, peer('echo.cjs')])
  const fetchLoop = (checkout, key) => program(key, checkout, some, () => [process.execPath, peer('fetch-loop.cjs'), model.url])
  const others = (checkout) =>
    Object.fromEntries(frameworks.map(({ name, command }) => [name, program(name, checkout, some, () => command(model.url))]))
  const ours = (executable, spec, trips) => (checkout) =>
    program(`${executable} ${trips}`, checkout, trips, () => [checkout.bin(executable), '-e', spec()])

  return {
    name: 'messages',
    about: `One message after the other, the median of the round trips: ${many} with ELIZA, ${some} with a model on loopback that is asked anew each time. Processor time is that of all, starts included, a message.`,
    unit: 'µs',
    rounds: isQuick ? 3 : 7,
    prepare: async () => {
      model = await openModel()
    },
    close: () => model.close(),
    cases: [
      {
        name: 'noise',
        title: 'bare fetch loop',
        isNull: true,
        ours: (checkout) => fetchLoop(checkout, 'fetch'),
        peers: (checkout) => ({ 'the same again': fetchLoop(checkout, 'fetch again') }),
      },
      {
        name: 'plumb-agent, ELIZA',
        ours: ours('plumb-agent', () => eliza, many),
        peers: () => ({}),
        yardsticks: (checkout) => ({ 'node, a line echoed': echo(checkout) }),
      },
      {
        name: 'plumb, ELIZA',
        ours: ours('plumb', () => eliza, many),
        peers: () => ({}),
        yardsticks: (checkout) => ({
          'node, a line echoed': echo(checkout),
          'plumb-agent, ELIZA': ours('plumb-agent', () => eliza, many)(checkout),
        }),
      },
      {
        name: 'plumb-agent, a model',
        ours: ours('plumb-agent', asking, some),
        peers: (checkout) => ({ 'bare fetch loop': fetchLoop(checkout, 'fetch'), ...others(checkout) }),
        goals: [{ to: 'bare fetch loop', atMostMore: 150 }],
      },
      {
        name: 'plumb, a model',
        ours: ours('plumb', asking, some),
        peers: (checkout) => ({ 'bare fetch loop': fetchLoop(checkout, 'fetch') }),
      },
    ],
  }
}
