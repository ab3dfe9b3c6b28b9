// Memory at rest: what stays resident while nothing happens.

import { EVENT, eventLines } from '../events.mjs'
import { memoryAtRest } from '../measure.mjs'
import { canMeasureMemory } from '../memory.mjs'
import { openModel } from '../model.mjs'

const BARE = 'node, nothing but alive'
const SPOKEN = 'node, a line echoed'
const SPECS = {
  id: `${EVENT}\nlet main : !Event -> !Event = id`,
  eliza: 'let main : !string -> !string = agent { provider: "eliza", model: "doctor" }',
  tools: 'type N = { n: int }\n@tool true\nlet double : N -> N = map({ n: n * 2 })',
}
const agent = (url) =>
  `let bot : !string -> !string = agent { provider: "anthropic", model: "stub", endpoint: "${url}", prompt: "Be brief." }`
const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}\n'

export const rest = ({ isQuick, frameworks, writeFixture, peer, once }) => {
  const [id, eliza, tools] = Object.entries(SPECS).map(([name, text]) => writeFixture(`rest-${name}.plumb`, text))
  const program = (key, command, env, input, isSilent) =>
    once(`rest: ${key}`, () => ({ measure: () => memoryAtRest(command, { env, input, isSilent }) }))
  let model
  const asking = (key, command) => (checkout) =>
    once(`rest: ${checkout.label} ${key}`, () => ({
      measure: () =>
        memoryAtRest(command(checkout, model.url), { env: { ...checkout.env, ANTHROPIC_API_KEY: 'none' }, input: '"hello"\n' }),
    }))
  const bare = (checkout, key = BARE) => program(key, [process.execPath, '-e', 'process.stdin.resume()'], checkout.env, '\n', true)
  const spoken = (checkout) => program(SPOKEN, [process.execPath, peer('echo.cjs')], checkout.env, '"hello"\n')
  const still = (name, executable, args, input, goals = []) => ({
    name,
    ours: (checkout) => program(`${checkout.label} ${name}`, [checkout.bin(executable), ...args], checkout.env, input),
    peers: (checkout) => ({ [BARE]: bare(checkout), [SPOKEN]: spoken(checkout) }),
    goals,
  })
  return {
    name: 'rest',
    about: 'Memory that is resident after one answer, when it has settled, and at most so far. That of children is not counted.',
    unit: 'MB',
    rounds: isQuick ? 1 : 3,
    prepare: async () => {
      model = await openModel()
    },
    close: () => model.close(),
    cases: canMeasureMemory
      ? [
          {
            name: 'noise',
            title: BARE,
            isNull: true,
            ours: (checkout) => bare(checkout),
            peers: (checkout) => ({ 'the same again': bare(checkout, 'again') }),
          },
          still('plumb-agent, ELIZA', 'plumb-agent', [eliza], '"hello"\n', [{ to: BARE, atMost: 1.3 }]),
          {
            name: 'plumb-agent, a model',
            ours: asking('agent', (checkout, url) => [checkout.bin('plumb-agent'), '-e', agent(url)]),
            peers: (checkout) => ({
              'bare fetch loop': asking('fetch loop', (_, url) => [process.execPath, peer('fetch-loop.cjs'), url])(checkout),
              ...Object.fromEntries(frameworks.map(({ name, command }) => [name, asking(name, (_, url) => command(url))(checkout)])),
            }),
          },
          still('plumb, id', 'plumb', [id], eventLines(1)),
          still('plumb, ELIZA', 'plumb', [eliza], '"hello"\n'),
          still('plumb-tool serve', 'plumb-tool', [tools, 'serve'], '{"id":"a","name":"double","input":{"n":1}}\n'),
          still('plumb-mux -- cat', 'plumb-mux', ['--', 'cat'], '{"__port":"input","msg":1}\n'),
          still('plumb-mcp', 'plumb-mcp', [eliza], PING),
        ]
      : [],
  }
}
