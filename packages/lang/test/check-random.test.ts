// Random programs: few names and few types, so that much of it fits.

import fc from 'fast-check'
import t from 'tap'
import { runs } from '../../wire/test/property.js'
import { hasErrors } from '../src/diagnostic/diagnostic.js'
import { planOf } from '../src/plan/root.js'
import { compileText } from './reports.js'

const TYPES = ['int', 'string', 'number', 'json', '(int, int)', 'T', '{ a: int }', '"x" | int']
const { chain } = fc.letrec<{ chain: string; element: string }>((tie) => ({
  element: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'chain' },
    {
      weight: 6,
      arbitrary: fc.constantFrom(
        'f',
        'g',
        'h',
        'p',
        'bare',
        'c',
        'i',
        'o',
        'nosuch',
        'M.f',
        'M.bare',
        'v',
        'bot',
        'bot@ctrl_in',
        'g@output',
      ),
    },
    {
      weight: 4,
      arbitrary: fc.constantFrom(
        'id',
        'copy',
        'merge',
        'discard',
        'empty',
        'barrier',
        'project(0)',
        'map(value)',
        'map({ a: 1 })',
        'filter(true)',
      ),
    },
    { weight: 1, arbitrary: fc.constantFrom('trace(id)', 'f + g', 'id.a', 'f.a.b') },
    { weight: 2, arbitrary: tie('chain').map((inner) => `(${inner})`) },
  ),
  chain: fc
    .array(fc.tuple(tie('element'), fc.constantFrom(' ; ', ' ; ', ' * ', ' + ')), { minLength: 1, maxLength: 4 })
    .map((parts) => parts.map(([element, operator], i) => (i === 0 ? element : operator + element)).join('')),
}))
const port = fc.tuple(fc.constantFrom('!', '!', '!', ''), fc.constantFrom(...TYPES)).map((parts) => parts.join(''))
const severalPorts = fc.array(port, { maxLength: 3 }).map((list) => `(${list.join(', ')})`)
const inputs = fc.oneof(
  { weight: 4, arbitrary: fc.constant('!int') },
  { weight: 1, arbitrary: port },
  { weight: 1, arbitrary: severalPorts },
)
const outputs = fc.oneof(
  { weight: 4, arbitrary: fc.constant('!json') },
  { weight: 1, arbitrary: port },
  { weight: 1, arbitrary: severalPorts },
)
const statement = fc.oneof(
  chain.map((text) => `i ; ${text} ; o`),
  chain.map((text) => `${text} ; c`),
  fc.constantFrom('let c : !int = channel', 'spawn f(i, o)', 'spawn g(input=c, output=o)', 'spawn bot(i, c, o)', 'spawn M.f(i)'),
)
const binding = fc.tuple(
  fc.constantFrom('f', 'g', 'h', 'p', 'bare', 'main'),
  inputs,
  outputs,
  fc.oneof(
    chain,
    chain,
    fc.array(statement, { maxLength: 4 }).map((list) => `plumb(i, o) {\n${list.join('\n')}\n}`),
    fc.constantFrom('tool { process: f }', 'tool { pool: [bare] }', 'agent { provider: "eliza", tools: [bare] }'),
  ),
)
const programs = fc
  .tuple(fc.array(binding, { maxLength: 6 }), fc.constantFrom('type T = int', 'type T = { a: T }', 'type T = [T]', ''))
  .map(([list, type]) =>
    [
      'use m',
      type,
      'let v = { a: 1 }',
      'let bot : (!string, !json) -> !string = agent { provider: "eliza" }',
      ...list.map(([name, from, to, impl]) => `let ${name} : ${from} -> ${to} = ${impl}`),
    ].join('\n'),
  )

t.test('any program: no exception, nothing reported twice, and a plan where there is no error', async (t) => {
  let planned = 0
  fc.assert(
    fc.property(programs, (text) => {
      const { program, diagnostics } = compileText(text, { 'm.plumb': 'let f : !int -> !int = id ; id\nlet bare : int -> int = id' })
      const keys = diagnostics.map((d) => `${d.span.source.path} ${d.span.start} ${d.span.end} ${d.code} ${d.message}`)
      if (new Set(keys).size !== keys.length) return false
      if (hasErrors(diagnostics)) return true
      for (const bound of program.entry.bindings.values()) {
        if (bound.category !== 'stream') continue
        const { nodes, edges } = planOf(bound)
        planned++
        if (!nodes.every((n, i) => n.id === i)) return false
        if (!edges.every((e) => nodes[e.from.id] === e.from && nodes[e.to.id] === e.to && e.from.outputs[e.output] && e.to.inputs[e.input]))
          return false
      }
      return true
    }),
    { numRuns: runs(1000) },
  )
  t.ok(planned > runs(50), `${runs(1000)} runs, ${planned} plans`)
})
