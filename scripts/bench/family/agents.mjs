// Many agents in one pipeline, against as many bare processes.

import { timeStart } from '../measure.mjs'

const CHILDREN = 'node, so many children'
const LINE = '"I feel sad today"\n'

/** A spec in which each message goes to n agents. */
export const manyAgents = (n) => {
  const names = Array.from({ length: n }, (_, i) => `a${i}`)
  return `${names.map((name) => `let ${name} : !string -> !string = agent { provider: "eliza", model: "doctor" }`).join('\n')}
let main : !string -> !string = plumb(input, output) {\n  ${names.map((name) => `input ; ${name} ; output`).join('\n  ')}\n}`
}

export const agents = ({ isQuick, writeFixture, peer, once }) => {
  const program = (key, command, checkout, answers) =>
    once(`agents: ${checkout.label} ${key}`, () => ({ measure: () => timeStart(command, { env: checkout.env, input: LINE, answers }) }))
  const many = (n, goals = []) => ({
    name: `${n} ${n === 1 ? 'agent' : 'agents'}`,
    ours: (checkout) => program(`plumb ${n}`, [checkout.bin('plumb'), writeFixture(`agents-${n}.plumb`, manyAgents(n))], checkout, n),
    peers: (checkout) => ({ [CHILDREN]: program(`many ${n}`, [process.execPath, peer('many.cjs'), String(n)], checkout, n) }),
    goals,
  })
  return {
    name: 'agents',
    about:
      'From the start of plumb until each agent (ELIZA) has answered the first message; of a program that starts as many bare processes, until each has echoed it.',
    unit: 'ms',
    rounds: isQuick ? 1 : 5,
    cases: [many(1), many(8), many(64, [{ to: CHILDREN, atMost: 1.4 }])],
  }
}
