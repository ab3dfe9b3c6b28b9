// `plumb test`: what a case costs with agents that are scripted.

import { timeRun } from '../measure.mjs'

const SPEC = (n) => `let judge : !string -> !{ good: bool, why: string } = agent { provider: "anthropic", model: "m" }
let main : !string -> !string = plumb(input, output) { input ; judge ; filter(good) ; map(why) ; output }
${Array.from(
  { length: n },
  (_, i) => `test "case ${i}" of main {
  given: ["a", "b"]
  models: { judge: [{ good: true, why: "w${i}" }, { good: false, why: "" }] }
  expect: ["w${i}"]
  calls: { judge: 2 }
}
`,
).join('')}`

export const tests = ({ isQuick, writeFixture, once }) => {
  const count = isQuick ? 200 : 1000
  const spec = writeFixture('tests.plumb', SPEC(count))
  return {
    name: 'test',
    about: `\`plumb test\` on ${count} cases of two messages each, with an agent that is scripted, the start included; 2 ms are 500 cases a second.`,
    unit: 'ms a case',
    rounds: isQuick ? 2 : 5,
    cases: [
      {
        name: 'cases',
        ours: (checkout) =>
          once(`test: ${checkout.label}`, () => ({
            measure: async () => {
              const { value, cpu } = await timeRun([checkout.bin('plumb'), 'test', spec], { env: checkout.env })
              return { value: value / count, cpu: cpu / count }
            },
          })),
        peers: () => ({}),
        goals: [{ under: 2 }],
      },
    ],
  }
}
