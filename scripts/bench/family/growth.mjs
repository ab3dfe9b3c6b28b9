// How the cost grows with messages, stages, branches and agents.

import { EVENT, writeEvents } from '../events.mjs'
import { timePipe, timeStart } from '../measure.mjs'
import { manyAgents } from './agents.mjs'

const SIGNATURE = 'let main : !Event -> !Event ='
const ID = `${EVENT}\n${SIGNATURE} id`
const list = (n, one) => Array.from({ length: n }, (_, i) => one(i))
const CHAIN = (n) => `${EVENT}\n${SIGNATURE} ${list(n, (i) => `map({ ...value, amount: amount + ${i} })`).join(' ; ') || 'id'}`
const BRANCHES = (n) =>
  n === 0
    ? ID
    : `${EVENT}\n${SIGNATURE} plumb(input, output) {\n${list(n, (i) => `  input ; filter(seq % ${n} = ${i}) ; output`).join('\n')}\n}`
const ELIZA = 'let main : !string -> !string = agent { provider: "eliza", model: "doctor" }'
const LINE = '"I feel sad today"\n'

export const growth = ({ directory, isQuick, writeFixture, once }) => {
  const scale = isQuick ? 1 : 2
  const doubled = (n, times = 4) => list(isQuick ? 3 : times, (i) => n * 2 ** i)
  const few = scale * 10_000

  const pipe = (checkout, key, name, spec, file) =>
    once(`growth: ${checkout.label} ${key}`, () => {
      const command = () => [checkout.bin(name), writeFixture(`growth ${key}.plumb`, spec)]
      return { measure: () => timePipe(command(), { env: checkout.env, data: file() }) }
    })
  const lineFile = (n) => () => writeFixture(`growth-lines-${n}.jsonl`, LINE.repeat(n))
  const events = (n) => () =>
    once(`growth: events ${n}`, () => {
      const file = `${directory}/growth-events-${n}.jsonl`
      writeEvents(file, n)
      return file
    })
  const start = (checkout, n) =>
    once(`growth: ${checkout.label} agents ${n}`, () => {
      const command = [
        checkout.bin('plumb'),
        writeFixture(`growth-agents-${n}.plumb`, n === 0 ? 'let main : !string -> !string = id' : manyAgents(n)),
      ]
      return { measure: () => timeStart(command, { env: checkout.env, input: LINE, answers: Math.max(n, 1) }) }
    })

  const grows = (name, about, sizes, program) => ({
    name,
    about,
    sizes: (checkout) => [0, ...sizes].map((n) => ({ n, program: program(checkout, n) })),
    goals: [{ growsAtMost: 1.15 }],
  })
  return {
    name: 'growth',
    about: `The power of n is fitted to the processor time that n take beyond none. Chains and branches are fed ${few} events.`,
    unit: 'ms',
    rounds: isQuick ? 2 : 3,
    cases: [
      grows('messages', 'plumb, id', doubled(50_000 * (isQuick ? 1 : 2)), (checkout, n) =>
        pipe(checkout, `id ${n}`, 'plumb', ID, events(n)),
      ),
      grows('messages of an agent', 'plumb-agent, ELIZA, which remembers', doubled(scale * 1000), (checkout, n) =>
        pipe(checkout, `ELIZA ${n}`, 'plumb-agent', ELIZA, lineFile(n)),
      ),
      grows('messages of an agent in a pipeline', 'plumb, ELIZA', doubled(scale * 1000), (checkout, n) =>
        pipe(checkout, `plumb ELIZA ${n}`, 'plumb', ELIZA, lineFile(n)),
      ),
      grows('stages', 'maps in series', doubled(4), (checkout, n) => pipe(checkout, `chain ${n}`, 'plumb', CHAIN(n), events(few))),
      grows('branches', 'filters side by side', doubled(4), (checkout, n) =>
        pipe(checkout, `branches ${n}`, 'plumb', BRANCHES(n), events(few)),
      ),
      grows('agents', 'until all have answered one message', doubled(isQuick ? 4 : 8), start),
    ],
  }
}
