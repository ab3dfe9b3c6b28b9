// Type checking: what an editor or a build waits for, at sizes that double.

import { timeRun } from '../measure.mjs'

const list = (n, one) => Array.from({ length: n }, (_, i) => one(i))

// The smallest size, and the spec of a size.
const SPECS = {
  bindings: [
    100,
    (n) =>
      list(
        n,
        (i) => `type T${i} = { a: int, b: string, c?: number, d: "x" | "y" }
let f${i} : !T${i} -> !{ a: int, e: string } = filter(a > ${i} and d = "x") ; map({ a: a * 2 + ${i}, e: upper(b) })
let g${i} : !T${i} -> !{ a: int, e: string } = plumb(input, output) { input ; f${i} ; filter(a > 0) ; output }
`,
      ).join(''),
  ],
  'fields of a record': [
    250,
    (n) =>
      `type T = { ${list(n, (i) => `f${i}: int`).join(', ')} }\nlet f : !T -> !T = map({ ${list(n, (i) => `f${i}: f${i} + 1`).join(', ')} })\n`,
  ],
  'variants of a sum': [
    250,
    (n) => `type T = ${list(n, (i) => `{ kind: "k${i}", a${i}: int }`).join(' | ')}\nlet f : !T -> !string = map(kind)\n`,
  ],
  'processes of a body': [
    100,
    (n) =>
      `type T = { a: int }\n${list(n, (i) => `let f${i} : !T -> !T = map({ a: a + ${i} })\n`).join('')}
let f : !T -> !T = plumb(input, output) {\n${list(n, (i) => `  input ; f${i} ; output\n`).join('')}}\n`,
  ],
}

export const check = ({ isQuick, writeFixture, once }) => {
  const times = isQuick ? [1, 2, 4] : [2, 4, 8, 16]
  const program = (checkout, key, spec) =>
    once(`check: ${checkout.label} ${key}`, () => ({
      measure: () => timeRun([checkout.bin('plumb'), 'check', spec], { env: checkout.env }),
    }))
  const empty = (checkout) => program(checkout, 'nothing', writeFixture('check-0.plumb', SPECS.bindings[1](1)))
  return {
    name: 'check',
    about: '`plumb check` on specs of growing size; the power of n is fitted to the processor time that they take beyond the smallest.',
    unit: 'ms',
    rounds: isQuick ? 2 : 5,
    cases: Object.entries(SPECS).map(([name, [unit, spec]]) => ({
      name,
      sizes: (checkout) => [
        { n: 0, program: empty(checkout) },
        ...times
          .map((time) => time * unit)
          .map((n) => ({ n, program: program(checkout, `${name} ${n}`, writeFixture(`check-${name}-${n}.plumb`, spec(n))) })),
      ],
      goals: [{ growsAtMost: 1.15 }],
    })),
  }
}
