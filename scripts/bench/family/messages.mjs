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

  const program = (key, place, trips, command) =>
    once(`messages: ${place.label} ${key}`, () => {
      const env = { ...place.env, ANTHROPIC_API_KEY: 'none' }
      return {
        measure: () => timeTrips(command(), { env, line, trips }),
        answer: () => outputOf(command(), { env, input: [0, 1, 2].map(line).join('') }),
      }
    })
  const echo = (place) => program('echo', place, many, () => [process.execPath, peer('echo.cjs')])
  const fetchLoop = (place, key) => program(key, place, some, () => [process.execPath, peer('fetch-loop.cjs'), model.url])
  const others = (place) =>
    Object.fromEntries(frameworks.map(({ name, command }) => [name, program(name, place, some, () => command(model.url))]))
  const ours = (executable, spec, trips) => (place) =>
    program(`${executable} ${trips}`, place, trips, () => [place.bin(executable), '-e', spec()])

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
        ours: (place) => fetchLoop(place, 'fetch'),
        peers: (place) => ({ 'the same again': fetchLoop(place, 'fetch again') }),
      },
      {
        name: 'plumb-agent, ELIZA',
        ours: ours('plumb-agent', () => eliza, many),
        peers: () => ({}),
        yardsticks: (place) => ({ 'node, a line echoed': echo(place) }),
      },
      {
        name: 'plumb, ELIZA',
        ours: ours('plumb', () => eliza, many),
        peers: () => ({}),
        yardsticks: (place) => ({
          'node, a line echoed': echo(place),
          'plumb-agent, ELIZA': ours('plumb-agent', () => eliza, many)(place),
        }),
      },
      {
        name: 'plumb-agent, a model',
        ours: ours('plumb-agent', asking, some),
        peers: (place) => ({ 'bare fetch loop': fetchLoop(place, 'fetch'), ...others(place) }),
        goals: [{ to: 'bare fetch loop', atMostMore: 150 }],
      },
      {
        name: 'plumb, a model',
        ours: ours('plumb', asking, some),
        peers: (place) => ({ 'bare fetch loop': fetchLoop(place, 'fetch') }),
      },
    ],
  }
}
