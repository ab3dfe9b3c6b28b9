// plumb-mux: envelopes a second, and how soon control is answered while data passes.

import { closeSync, openSync, writeSync } from 'node:fs'
import { outputOf, timePipe } from '../measure.mjs'

const envelope = (n) =>
  `{"__port":"input","msg":{"seq":${n},"user":"u${(n * 7919) % 100_000}","amount":${n % 1000}.25,"note":"quiet näher river"}}\n`
const envelopes = (from, n) => Array.from({ length: n }, (_, i) => envelope(from + i)).join('')

// What comes in again, as an envelope that says it goes out.
const JQ = '{__port: "output", msg}'

export const mux = ({ directory, isQuick, lines: wanted, jq, once }) => {
  const n = wanted ?? (isQuick ? 100_000 : 500_000)
  const data = `${directory}/envelopes.jsonl`
  let megabytes = 0
  const program = (key, command, env) =>
    once(`mux: ${key}`, () => ({
      measure: () => timePipe(command, { env, data }),
      answer: () => outputOf(command, { env, input: envelopes(0, 1000) }),
    }))
  const silent = (key, command, env) => {
    const { measure } = program(key, command, env)
    return once(`mux: only measured ${key}`, () => ({ measure }))
  }
  const peers = (checkout) => ({
    ...(jq ? { [jq]: program('jq', ['jq', '-c', JQ], checkout.env) } : {}),
    cat: silent('cat', ['cat'], checkout.env),
  })
  return {
    name: 'mux',
    about: `${n} envelopes through plumb-mux.`,
    unit: 'ms',
    rounds: isQuick ? 3 : 7,
    prepare: () => {
      const file = openSync(data, 'w')
      for (let at = 0; at < n; at += 10_000) megabytes += writeSync(file, envelopes(at, Math.min(10_000, n - at))) / 1e6
      closeSync(file)
    },
    cases: [
      {
        name: 'inward',
        about: 'to a command that says nothing',
        ours: (checkout) =>
          silent(`${checkout.label} inward`, [checkout.bin('plumb-mux'), '--', 'sh', '-c', 'cat >/dev/null'], checkout.env),
        peers,
        megabytes: () => megabytes,
      },
      {
        name: 'there and back',
        about: 'through cat',
        ours: (checkout) => program(`${checkout.label} both`, [checkout.bin('plumb-mux'), '--', 'cat'], checkout.env),
        peers,
        megabytes: () => megabytes,
      },
    ],
  }
}
