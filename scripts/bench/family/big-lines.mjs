// Big lines: three of 64 MiB.

import { closeSync, openSync, writeSync } from 'node:fs'
import { outputOf, timePipe } from '../measure.mjs'

const SPEC = 'let main : !{ seq: int, text: string } -> !{ seq: int, text: string } = id'
const WORDS = 'quiet harbour, lantern, meadow; a "näher" river. '
const BY_HAND = 'node, by hand'

export const bigLines = ({ directory, isQuick, writeFixture, jq, peer, once }) => {
  const mebibytes = isQuick ? 8 : 64
  const bytes = mebibytes * 2 ** 20
  const maxLine = String(bytes + 2 ** 20)
  const data = `${directory}/big.jsonl`
  const line = (seq, size) => {
    const part = JSON.stringify(WORDS).slice(1, -1)
    return `{"seq":${seq},"text":"${part.repeat(Math.floor(size / Buffer.byteLength(part)))}"}\n`
  }
  const three = (size) => [0, 1, 2].map((seq) => line(seq, size)).join('')
  let megabytes = 0
  const program = (key, command, env) =>
    once(`big lines: ${key}`, () => ({
      measure: () => timePipe(command, { env, data }),
      answer: () => outputOf(command, { env, input: three(100_000) }),
    }))
  return {
    name: 'big lines',
    about: `Three lines of ${mebibytes} MiB, one string each.`,
    unit: 'ms',
    rounds: isQuick ? 2 : 3,
    prepare: () => {
      const file = openSync(data, 'w')
      for (const seq of [0, 1, 2]) megabytes += writeSync(file, line(seq, bytes)) / 1e6
      closeSync(file)
    },
    cases: [
      {
        name: 'id',
        ours: (checkout) => {
          const spec = writeFixture('big.plumb', SPEC)
          return program(checkout.label, [checkout.bin('plumb'), '--max-line', maxLine, spec], checkout.env)
        },
        peers: (checkout) => ({
          ...(jq ? { [jq]: program('jq', ['jq', '-c', '.'], checkout.env) } : {}),
          [BY_HAND]: program('by hand', [process.execPath, peer('lines.cjs'), 'big', maxLine], checkout.env),
          cat: program('cat', ['cat'], checkout.env),
        }),
        goals: [...(jq ? [{ to: jq, atLeast: 1 }] : []), { to: BY_HAND, atMost: 1.3 }],
        megabytes: () => megabytes,
      },
    ],
  }
}
