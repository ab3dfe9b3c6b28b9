// Memory under a reader that has stopped: what is not read must not pile up.

import { EVENT, writeEvents } from '../events.mjs'
import { memoryUnread } from '../measure.mjs'
import { canMeasureMemory } from '../memory.mjs'

const SPECS = {
  id: `${EVENT}\nlet main : !Event -> !Event = id`,
  map: `${EVENT}\nlet main : !Event -> !{ seq: int, user: string, total: number } = map({ seq, user, total: amount * 1.25 })`,
  eliza: 'let main : !string -> !string = agent { provider: "eliza", model: "doctor" }',
  tools: 'type N = { n: int }\n@tool true\nlet double : N -> N = map({ n: n * 2 })',
}
const BY_HAND = 'node, by hand'

export const unread = ({ directory, isQuick, writeFixture, peer, jq, once }) => {
  const n = isQuick ? 100_000 : 500_000
  const list = (one) => Array.from({ length: n / 5 }, (_, i) => one(i)).join('')
  const data = {
    events: `${directory}/unread-events.jsonl`,
    words: writeFixture(
      'unread-words.jsonl',
      list(() => '"I feel sad today, and so do all the others"\n'),
    ),
    calls: writeFixture(
      'unread-calls.jsonl',
      list((i) => `{"id":"c${i}","name":"double","input":{"n":${i}}}\n`),
    ),
    envelopes: writeFixture(
      'unread-envelopes.jsonl',
      list((i) => `{"__port":"input","msg":{"seq":${i},"note":"quiet näher river"}}\n`),
    ),
  }
  const [id, map, eliza, tools] = Object.entries(SPECS).map(([name, text]) => writeFixture(`unread-${name}.plumb`, text))
  const program = (key, command, checkout, input) =>
    once(`unread: ${key}`, () => ({ measure: () => memoryUnread(command, { env: checkout.env, data: data[input] }) }))
  const jobs = (name, executable, args, input, peers = () => ({})) => ({
    name,
    ours: (checkout) => program(`${checkout.label} ${name}`, [checkout.bin(executable), ...args], checkout, input),
    peers,
  })
  const byHand = (job) => (checkout) => ({
    [BY_HAND]: program(`by hand ${job}`, [process.execPath, peer('lines.cjs'), job], checkout, 'events'),
    ...(jq && job === 'id' ? { [jq]: program('jq', ['jq', '-c', '.'], checkout, 'events') } : {}),
  })
  return {
    name: 'unread',
    about: `Memory at most while the output is not read, of ${n} events or ${n / 5} smaller lines; the peak is that of the whole run, when all has been read in the end.`,
    unit: 'MB',
    rounds: isQuick ? 1 : 2,
    prepare: () => writeEvents(data.events, n),
    cases: canMeasureMemory
      ? [
          jobs('plumb, id', 'plumb', [id], 'events', byHand('id')),
          jobs('plumb, map', 'plumb', [map], 'events', byHand('map')),
          jobs('plumb-agent, ELIZA', 'plumb-agent', [eliza], 'words'),
          jobs('plumb, ELIZA', 'plumb', [eliza], 'words'),
          jobs('plumb-tool serve', 'plumb-tool', [tools, 'serve'], 'calls'),
          jobs('plumb-mux -- cat', 'plumb-mux', ['--', 'cat'], 'envelopes'),
        ]
      : [],
  }
}
