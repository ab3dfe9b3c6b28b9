import { readdirSync, readFileSync } from 'node:fs'
import t from 'tap'
import { bindingNamed, planOf } from '../src/index.js'
import { type Part, partOf, partsOf } from '../src/part/parts.js'
import type { Graph } from '../src/plan/graph.js'
import { compileText } from './reports.js'

const AGENTS = `
let a : !int -> !int = agent { provider: "eliza", model: "doctor", amnesiac: true }
let b : !int -> !int = agent { provider: "eliza", model: "doctor", amnesiac: true }
let bot : !int -> !int = agent { provider: "eliza", model: "doctor" }
let inner : !int -> !int = plumb(input, output) { input ; bot ; output }
let up : !int -> !int = map(value + 1)
`

const graphOf = (text: string): Graph => {
  const bound = bindingNamed(compileText(text).program, 'main')
  if (!bound) throw new Error(`no main: ${text}`)
  return planOf(bound)
}

const nodesIn = (part: Part): string => part.nodes.flatMap(({ name, work }) => (work.kind === 'pass' ? [] : [name])).join(' ')

/** Each part as `KIND: NODES`, without those that only pass messages on. */
const CASES: Readonly<Record<string, readonly [body: string, ...parts: string[]]>> = {
  'expressions alone are one part': ['input ; up ; filter(value > 1) ; map(value) ; output', 'free: up filter map'],
  'they stand with the process before them, the first with the one behind': [
    'input ; up ; a ; map(value) ; bot ; filter(value > 1) ; output',
    'free: up a map',
    'owned: bot filter',
  ],
  'a fold and a batch are parts of their own': [
    'input ; a ; fold(state + value, from: 0) ; batch(2) ; flatten ; output',
    'free: a',
    'owned: fold',
    'owned: batch flatten',
  ],
  'a barrier has its branches': ['input ; (a * b) ; barrier ; map(value[0]) ; bot ; output', 'free: a b barrier map', 'owned: bot'],
  'an each is whole': ['input ; map([value]) ; each(a) ; flatten ; b ; output', 'free: map each a gather flatten', 'free: b'],
  'and p + q': ['input ; a + b ; b ; output', 'free: + a b +', 'free: b'],
  'a cycle is whole, and owned': ['input ; up\n up ; a ; filter(value > 9) ; up\n up ; b ; output', 'owned: up a filter', 'free: b'],
  'a failure is heard where it happens': ['input ; a ; output\n a@error ; map(0) ; output', 'free: a a@error map'],
  'what two parts give is a part behind both': ['input ; a ; up ; output\n input ; b ; up', 'free: a', 'free: up', 'free: b'],
  'a nested plumb remembers what is in it': ['input ; inner ; output', 'owned one by one: inner'],
}

t.test('the parts of a graph', async (t) => {
  for (const [name, [body, ...expected]] of Object.entries(CASES)) {
    const graph = graphOf(`${AGENTS}let main : !int -> !int = plumb(input, output) { ${body} }`)
    const parts = partsOf(graph)
    const shown = parts.map((part) => `${part.kind}${part.isOneByOne && part.name === 'inner' ? ' one by one' : ''}: ${nodesIn(part)}`)
    t.strictSame(shown, expected, name)
  }
})

// The laws, on the examples: each node is in one part, no message comes back to a part, and what one gives another takes.
t.test('parts are a division without circles', async (t) => {
  for (const file of readdirSync('packages/plumb/examples').filter((name) => name.endsWith('.plumb'))) {
    const text = readFileSync(`packages/plumb/examples/${file}`, 'utf8')
    const bound = bindingNamed(compileText(text).program, 'main')
    if (bound?.category !== 'stream') continue
    const graph = planOf(bound)
    const parts = partsOf(graph)
    const inner = graph.nodes.filter(({ work }) => work.kind !== 'input' && work.kind !== 'output')
    t.strictSame(
      parts.flatMap(({ nodes }) => nodes).sort((a, b) => a.id - b.id),
      inner,
      `${file}: each node once`,
    )
    const of = new Map(parts.flatMap((part) => part.nodes.map((node) => [node, part] as const)))
    const left = new Set(parts)
    for (let isMoving = true; isMoving; ) {
      const free = [...left].filter(({ inputs }) => inputs.every(({ node }) => !left.has(of.get(node) as Part)))
      for (const part of free) left.delete(part)
      isMoving = free.length > 0
    }
    t.equal(left.size, 0, `${file}: no circle`)
    for (const part of parts) {
      const { nodes } = partOf(graph, part)
      const ends = nodes.filter(({ work }) => work.kind === 'input' || work.kind === 'output')
      t.equal(ends.length, part.inputs.length + part.outputs.length, `${file}: ends of part ${part.id}`)
      t.equal(new Set(ends.map(({ name }) => name)).size, ends.length, `${file}: their names differ`)
    }
  }
})
