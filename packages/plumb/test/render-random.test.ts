// long
// Random graphs, with names, types and expressions that are hard to quote: each gives sound DOT, SVG, Mermaid and JSON.

import { readFileSync } from 'node:fs'
import type { Edge, Expansion, Graph, GraphNode, GraphPort, NodeWork, Type } from '@plumb/lang'
import fc from 'fast-check'
import t from 'tap'
import { toDot } from '../../runtime/src/draw/dot.js'
import { toJson } from '../../runtime/src/draw/json.js'
import { toMermaid } from '../../runtime/src/draw/mermaid.js'
import { pictureOf } from '../../runtime/src/draw/picture.js'
import { toSvg } from '../../runtime/src/draw/svg.js'
import { runs } from '../../wire/test/property.js'

const TEXTS = [
  '"',
  '\\',
  '\\n',
  '<b>',
  '&amp;',
  ']]>',
  '#quot;',
  '%%{x}%%',
  '`x`',
  ' ',
  '\u0000\u001b',
  '\u202e',
  '\ud800',
  '\uffff',
  '日本',
  'end',
  'style a:#b;',
]
const someText = fc.oneof(
  fc.constantFrom(...TEXTS),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }),
  fc.tuple(fc.constantFrom(...TEXTS), fc.string()).map((p) => p.join('')),
)
const someType: fc.Arbitrary<Type | undefined> = fc.oneof(
  fc.constant(undefined),
  fc.constant<Type>({ kind: 'int' }),
  someText.map((value): Type => ({ kind: 'literal', value })),
  someText.map((name): Type => ({ kind: 'record', fields: [{ name, type: { kind: 'json' }, isOptional: false }] })),
)
const somePorts = fc.array(fc.record({ name: someText, type: someType }), { minLength: 1, maxLength: 3 }) as fc.Arbitrary<GraphPort[]>

// No name of an expression is asked for.
const NO_SCOPE = {} as Extract<NodeWork, { kind: 'filter' }>['scope']

const workOf = (kind: string, text: string): NodeWork => {
  const span = { source: { path: 'x', text }, start: 0, end: text.length }
  if (kind === 'map' || kind === 'filter') return { kind, expression: { kind: 'literal', value: null, text, span }, scope: NO_SCOPE }
  if (kind === 'fold') {
    const expression = { kind: 'literal', value: null, text, span } as const
    return {
      kind,
      expression,
      from: expression,
      by: undefined,
      atEnd: false,
      scope: NO_SCOPE,
      state: { name: 'state', type: { kind: 'json' } },
    }
  }
  if (kind === 'batch') return { kind, size: 2, withinMs: undefined }
  if (kind === 'discard' || kind === 'empty' || kind === 'barrier' || kind === 'flatten') return { kind }
  if (kind === 'input' || kind === 'output') return { kind, port: 0 }
  // Of a nested plumb nothing but its description is asked.
  if (kind === 'plumb') return { kind, bound: { description: text } } as NodeWork
  return { kind: 'pass', as: kind as 'id', isSelector: false }
}

const KINDS = [
  'map',
  'filter',
  'discard',
  'empty',
  'barrier',
  'flatten',
  'batch',
  'fold',
  'input',
  'output',
  'plumb',
  'id',
  'copy',
  'merge',
  'channel',
  'inlet',
  'outlet',
]

const someGraph: fc.Arbitrary<Graph> = fc
  .record({
    nodes: fc.array(fc.tuple(fc.constantFrom(...KINDS), someText, someText, somePorts, somePorts, fc.nat(3)), {
      minLength: 1,
      maxLength: 9,
    }),
    edges: fc.array(fc.tuple(fc.nat(), fc.nat(), fc.nat(), fc.nat(), fc.boolean()), { maxLength: 16 }),
    frame: someText,
  })
  .map(({ nodes, edges, frame }) => {
    const outer: Expansion = { name: frame }
    const frames = [undefined, undefined, outer, { name: 'inner', within: outer }]
    const all = nodes.map(([kind, name, text, inputs, outputs, depth], id): GraphNode => {
      const within = frames[depth]
      return {
        id,
        name,
        span: { source: { path: 'x', text }, start: 0, end: 0 },
        work: workOf(kind, text),
        inputs,
        outputs,
        ...(within ? { within } : {}),
      }
    })
    const wires = edges.map(([a, output, b, input, isChecked]): Edge => {
      const [from, to] = [all[a % all.length] as GraphNode, all[b % all.length] as GraphNode]
      return { from, output: output % from.outputs.length, to, input: input % to.inputs.length, isChecked }
    })
    return { nodes: all, edges: wires }
  })

t.test('every graph gives a text that Graphviz takes, and SVG that is sound XML', async (t) => {
  const property = fc.asyncProperty(someText, someGraph, async (name, graph) => {
    const dot = toDot(pictureOf(name, graph))
    const svg = await toSvg(dot)
    return svg === (await toSvg(dot)) && svg.includes('</svg>') && isSoundXml(svg)
  })
  await fc.assert(property, { numRuns: runs(50) })
  t.pass()
})

// XML 1.0: characters that may not stand there, and an ampersand that begins no entity.
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it forbids
const FORBIDDEN_IN_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Cs}|&(?!(amp|lt|gt|quot|#\d+|#x[\da-f]+);)/iu
const TAG = /<(\/?)([\w:]+)(?:\s+[\w:-]+="[^"<]*")*\s*(\/?)>/g

/** Allowed characters, known entities, and tags that close in order. */
const isSoundXml = (xml: string): boolean => {
  if (FORBIDDEN_IN_XML.test(xml)) return false
  const elements = xml.replace(/<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^>]*>/gs, '')
  const open: (string | undefined)[] = []
  for (const [, end, name, single] of elements.matchAll(TAG)) {
    if (end !== '' && open.pop() !== name) return false
    if (end === '' && single === '') open.push(name)
  }
  return open.length === 0 && !elements.replace(TAG, '').includes('<')
}

t.test('a graph with which Graphviz ends by an error of its own is drawn', async (t) => {
  const svg = await toSvg(readFileSync('packages/plumb/test/fixtures/out-of-bounds.dot', 'utf8'))
  t.match(svg, /<\/svg>/)
  t.ok(isSoundXml(svg))
  await t.rejects(toSvg('digraph {'), 'an error in the text is none of these')
})

t.test('every graph gives Mermaid in which nothing of the program is taken for grammar', async (t) => {
  const label = '"(?:[^"#$%&*;<>@\\\\`|~]|#\\d+;|<br/>)+"'
  const lines = [
    'flowchart TB',
    `n\\d+(?:\\(|\\[|\\[\\[|\\(\\[|\\(\\(|\\[\\\\)${label}(?:\\)|\\]|\\]\\]|\\]\\)|\\)\\)|/\\]):::\\w+Box`,
    `n\\d+ (?:-->|-\\.->)(?:\\|${label}\\|)? n\\d+`,
    `subgraph n\\d+f\\d\\[${label}\\]`,
    'end',
    'classDef \\w+Box fill:#\\w{6},stroke:#\\w{6},color:#\\w{6}',
  ]
  const line = new RegExp(`^ *(?:${lines.join('|')})$`)
  const property = fc.property(someText, someGraph, (name, graph) => {
    const wrong = toMermaid(pictureOf(name, graph))
      .trimEnd()
      .split('\n')
      .filter((text) => !line.test(text))
    if (wrong.length > 0) throw new Error(wrong.join('\n'))
  })
  fc.assert(property, { numRuns: 300 })
  t.pass()
})

t.test('every graph gives JSON with the same wires', async (t) => {
  const property = fc.property(someText, someGraph, (name, graph) => {
    const { binding, nodes, edges } = JSON.parse(toJson(name, graph))
    return binding === name && nodes.length === graph.nodes.length && edges.length === graph.edges.length
  })
  fc.assert(property)
  t.pass()
})
