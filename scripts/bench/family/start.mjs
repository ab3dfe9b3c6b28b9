// Start: what a shell waits for, against the start of node alone.

import { EVENT, eventLines } from '../events.mjs'
import { timePipe, timeStart } from '../measure.mjs'
import { openModel } from '../model.mjs'

const NODE = 'node -e 0'
const SPECS = {
  id: `${EVENT}\nlet main : !Event -> !Event = id`,
  eliza: 'let main : !string -> !string = agent { provider: "eliza", model: "doctor" }',
  tools: 'type N = { n: int }\n@tool true\nlet double : N -> N = map({ n: n * 2 })',
}
const agent = (url) =>
  `let bot : !string -> !string = agent { provider: "anthropic", model: "stub", endpoint: "${url}", prompt: "Be brief." }`
const INITIALIZE = `${JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } },
})}\n`

const LONG_CHARACTERS = 10_000

export const start = ({ isQuick, frameworks, writeFixture, peer, once }) => {
  const [id, eliza, tools] = Object.entries(SPECS).map(([name, text]) => writeFixture(`start-${name}.plumb`, text))
  const question = writeFixture('start-question.jsonl', '"hello"\n')
  let model
  let longModel
  const program = (key, command, env, input) => once(`start: ${key}`, () => ({ measure: () => timeStart(command, { env, input }) }))
  const node = (checkout, key = NODE) => program(key, [process.execPath, '-e', '0'], checkout.env)

  // To the first output; where nothing is written, to the end.
  const first = (name, executable, args, { input, atMost, others = () => ({}), goals = [] } = {}) => ({
    name,
    ours: (checkout) => program(`${checkout.label} ${name}`, [checkout.bin(executable), ...args], checkout.env, input),
    peers: (checkout) => ({ [NODE]: node(checkout), ...others(checkout) }),
    goals: [...(atMost ? [{ to: NODE, atMost }] : []), ...goals],
  })
  const version = (executable, atMost) => first(`${executable} --version`, executable, ['--version'], { atMost })
  const asking = (key, command, waitFor) => (checkout) =>
    once(`start: ${checkout.label} ${key}`, () => {
      const options = { env: { ...checkout.env, ANTHROPIC_API_KEY: 'none' }, input: '"hello"\n', waitFor }
      return { measure: () => timeStart(command(checkout, model.url), options) }
    })
  const ending = (key, command) => (checkout) =>
    once(`start: ${checkout.label} ${key}`, () => {
      const options = { env: { ...checkout.env, ANTHROPIC_API_KEY: 'none' }, data: question }
      return { measure: () => timePipe(command(checkout, longModel.url), options) }
    })
  const bareServer = (checkout) => program('bare server', [process.execPath, peer('mcp-server.cjs')], checkout.env, INITIALIZE)

  return {
    name: 'start',
    about: 'To the first output, or to the end where there is none. Processor time is that of a second start, to its end.',
    unit: 'ms',
    rounds: isQuick ? 5 : 25,
    prepare: async () => {
      model = await openModel()
      longModel = await openModel(0, 'long-model.cjs', String(LONG_CHARACTERS))
    },
    close: () => Promise.all([model.close(), longModel.close()]),
    cases: [
      {
        name: 'noise',
        title: NODE,
        isNull: true,
        ours: (checkout) => node(checkout),
        peers: (checkout) => ({ 'the same again': node(checkout, 'again') }),
      },
      version('plumb', 1.5),
      first('plumb, id', 'plumb', [id], { input: eventLines(1), atMost: 1.5 }),
      version('plumb-mux', 1.5),
      first('plumb-mux -- cat', 'plumb-mux', ['--', 'cat'], { input: '{"__port":"input","msg":1}\n', atMost: 1.5 }),
      version('plumb-tool', 1.5),
      first('plumb-tool call', 'plumb-tool', [tools, 'call', 'double', '{"n":1}'], { atMost: 1.5 }),
      version('plumb-agent'),
      first('plumb-agent, ELIZA', 'plumb-agent', [eliza], { input: '"I feel sad today"\n', atMost: 1.8 }),
      first('plumb, ELIZA', 'plumb', [eliza], { input: '"I feel sad today"\n' }),
      {
        name: 'plumb-agent, first token',
        about: 'of a model on loopback',
        goals: [{ to: 'bare fetch', atMost: 1.3 }],
        ours: asking('agent', (checkout, url) => [checkout.bin('plumb-agent'), '--telemetry', '-e', agent(url)], {
          fd: 3,
          text: '"delta":"first"',
        }),
        peers: (checkout) => ({
          [NODE]: node(checkout),
          'bare fetch': asking('fetch', (_, url) => [process.execPath, peer('first-token.cjs'), url], { fd: 1, text: 'first' })(checkout),
        }),
      },
      {
        name: 'plumb-agent, first answer',
        about: 'of the same, whole',
        ours: asking('answer', (checkout, url) => [checkout.bin('plumb-agent'), '-e', agent(url)]),
        peers: (checkout) => ({
          'bare fetch loop': asking('fetch loop', (_, url) => [process.execPath, peer('fetch-loop.cjs'), url])(checkout),
          ...Object.fromEntries(frameworks.map(({ name, command }) => [name, asking(name, (_, url) => command(url))(checkout)])),
        }),
      },
      {
        name: 'plumb-agent, long answer',
        about: 'of 10 kB, to the end of the program',
        goals: [{ to: 'bare fetch loop', atMost: 1 }],
        ours: ending('long answer', (checkout, url) => [checkout.bin('plumb-agent'), '-e', agent(url)]),
        peers: (checkout) => ({
          'bare fetch loop': ending('fetch loop, long answer', (_, url) => [process.execPath, peer('fetch-loop.cjs'), url])(checkout),
        }),
      },
      version('plumb-mcp'),
      first('plumb-mcp, first answer', 'plumb-mcp', [eliza], {
        input: INITIALIZE,
        others: (checkout) => ({ 'bare SDK': bareServer(checkout) }),
        goals: [{ to: 'bare SDK', atMost: 0.5 }],
      }),
      version('plumb-chat'),
    ],
  }
}
