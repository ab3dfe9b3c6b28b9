// Tools: round trips of a call, one after the other, as an agent has them that waits for each answer.

import { outputOf, timeTrips } from '../measure.mjs'

const numbers = (name) => (i) => `{"id":"toolu_${i}","name":"${name}","input":{"n":${i}}}\n`
const texts = (name) => (i) => `{"id":"toolu_${i}","name":"${name}","input":{"text":"hello ${i}"}}\n`
const nothing = (name) => (i) => `{"id":"toolu_${i}","name":"${name}","input":{}}\n`

export const tools = ({ isQuick, writeFixture, peer, once }) => {
  const node = JSON.stringify(process.execPath)
  const spec = writeFixture(
    'tools.plumb',
    `type N = { n: int }
@tool true
let inline : N -> N = map({ n: n * 2 })
let function : N -> N = tool { function: "${peer('double.mjs')}#double" }
let command : { arguments?: [string] } -> json = tool { command: "${peer('answer')}" }
let free : { arguments?: [string] } -> json = tool { command: "${peer('answer')}", sandbox: false }
let child : !N -> !N = agent { command: [${node}, "${peer('double.cjs')}"] }
let process_of : N -> N = tool { process: child }
let server = { command: ${node}, args: ["${peer('mcp-server.cjs')}"] }
let echo : { text: string } -> string = tool { mcp: server, name: "echo" }`,
  )
  const program = (key, command, env, line, trips) =>
    once(`tools: ${key}`, () => ({
      measure: () => timeTrips(command, { env, line, trips }),
      answer: () => outputOf(command, { env, input: [0, 1, 2].map(line).join('') }),
    }))
  const call = (checkout, line, trips, words) =>
    program(`call ${words}`, [process.execPath, peer('call.cjs'), ...words], checkout.env, line, trips)
  const echo = (checkout, line, trips) => {
    const { measure } = program(`echo ${line(0)}`, [process.execPath, peer('echo.cjs')], checkout.env, line, trips)
    return once(`tools: only measured ${line(0)}`, () => ({ measure }))
  }
  const tool = (name, line, trips, peers, goals = []) => ({
    name,
    about: `${trips} calls`,
    ours: (checkout) => program(`${checkout.label} ${name}`, [checkout.bin('plumb-tool'), spec, 'serve'], checkout.env, line, trips),
    peers: (checkout) => peers(checkout, line, trips),
    goals,
    isUnordered: true,
  })
  // Past the first thousands, in which V8 still compiles on both sides.
  const often = 10_000
  const seldom = isQuick ? 10 : 25

  return {
    name: 'tools',
    about:
      'One call after the other through `plumb-tool serve`, and through a dispatcher written by hand that checks nothing: the median of the round trips. Processor time is that of all calls, starts included, a call.',
    unit: 'µs',
    rounds: isQuick ? 3 : 7,
    cases: [
      {
        name: 'noise',
        title: 'node, a line echoed',
        isNull: true,
        ours: (checkout) => echo(checkout, numbers('inline'), often),
        peers: (checkout) => ({ 'the same again': echo(checkout, numbers('again'), often) }),
      },
      tool(
        'inline',
        numbers('inline'),
        often,
        (checkout, line, trips) => ({
          'node, a line echoed': echo(checkout, line, trips),
          'node, by hand': call(checkout, line, trips, ['inline']),
        }),
        [{ to: 'node, a line echoed', atMost: 2 }],
      ),
      tool('function', numbers('function'), seldom, (checkout, line, trips) => ({
        'node, a child each': call(checkout, line, trips, ['spawn', process.execPath, peer('run-function.mjs')]),
        'node, in the dispatcher': call(checkout, line, trips, ['function', peer('double.mjs')]),
      })),
      tool('command', nothing('command'), seldom, (checkout, line, trips) => ({
        'node, a child each': call(checkout, line, trips, ['spawn', peer('answer')]),
      })),
      // The sandbox that a command has without being asked for one; the difference is to be 8 ms at most.
      tool('sandbox', nothing('command'), seldom, (checkout, _line, trips) => ({
        'sandbox: false': program(
          `${checkout.label} free`,
          [checkout.bin('plumb-tool'), spec, 'serve'],
          checkout.env,
          nothing('free'),
          trips,
        ),
      })),
      tool('process', numbers('process_of'), seldom, (checkout, line, trips) => ({
        'node, a child each': call(checkout, line, trips, ['spawn', process.execPath, peer('double.cjs')]),
      })),
      tool('MCP over stdio', texts('echo'), often / 10, (checkout, line, trips) => ({
        'bare SDK client': call(checkout, line, trips, ['mcp', peer('mcp-server.cjs')]),
      })),
    ],
  }
}
