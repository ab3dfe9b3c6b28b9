// Programs of many parts, which are to be followed in a time that grows with their length.

import type { Rows } from './row.js'

const numbers = (n: number): readonly number[] => [...Array(n).keys()]

/** A tool that runs a process twice, which runs a tool that runs a process twice … */
const doubled = (n: number, first: string): string =>
  `let f0 : string -> string = ${first}\n${numbers(n)
    .map(
      (i) => `let s${i + 1} : !string -> !string = map(f${i}) ; map(f${i})\nlet f${i + 1} : string -> string = tool { process: s${i + 1} }`,
    )
    .join('\n')}\nlet main : !string -> !string = map(f${n})`

/** Agents each of which may call all others. */
const talking = (n: number, last: string): string =>
  `${numbers(n)
    .map((i) => {
      const others = numbers(n).flatMap((k) => (k === i ? [] : [`t${k}`]))
      return `let a${i} : !string -> !string = agent { provider: "anthropic", model: "m", tools: [${[...others, ...(i === n - 1 ? [last] : [])].join(', ')}] }
let t${i} : string -> string = tool { process: a${i} }`
    })
    .join('\n')}\nlet main : !string -> !untrusted string = a0`

export const MANY: Rows = {
  'programs of many parts': [
    ['forty tools, each twice in the next', '', doubled(40, 'map(value)')],
    [
      'forty tools, each twice in the next, and a shell in the last',
      'untrusted',
      `let get : string -> untrusted string = map({ url: value }) ; page
${doubled(40, 'map({ arguments: [value] }) ; run').replace('map(f40)', 'map(get) ; map(f40)')}`,
    ],
    ['sixteen agents that call each other', '', talking(16, 'run')],
    ['sixteen agents that call each other, and one has pages and a shell', 'untrusted', talking(16, 'page, run')],
  ],
}
