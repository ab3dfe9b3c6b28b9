// The whole graph of one stream binding, between the ports it has towards the outside.

import type { Report } from '../diagnostic.js'
import type { Bound } from '../names.js'
import { wireBody } from './body.js'
import { Builder } from './builder.js'
import type { Graph, GraphNode } from './graph.js'
import { instantiate, portsOf, wireBetween } from './instance.js'

/** What is wrong with the wiring is reported; the graph is whole only if nothing was. */
export const graphOf = (bound: Bound, report: Report): Graph => {
  const builder = new Builder(report)
  const { impl, name } = bound.binding
  const { inputs, outputs } = portsOf(bound)
  const end = (kind: 'input' | 'output', port: number, { name: text, type }: (typeof inputs)[number], i: number): GraphNode => {
    const span = impl.kind === 'plumb' ? (impl.parameters[port]?.span ?? name.span) : name.span
    return builder.node(text, span, { kind, port: i }, [{ name: 'input', type }], [{ name: 'output', type }])
  }
  const inlets = inputs.map((port, i) => end('input', i, port, i))
  const outlets = outputs.map((port, i) => end('output', inputs.length + i, port, i))
  if (impl.kind === 'plumb') {
    checkParameters(bound, report)
    wireBody(bound, impl, [...inlets, ...outlets], builder)
  } else if (impl.kind === 'agent') {
    const agent = instantiate(bound, bound.name, name.span, builder)
    for (const [i, port] of agent.inputs.entries()) {
      const inlet = inlets[i]
      if (inlet) builder.connect({ node: inlet, output: 0, type: inlet.outputs[0]?.type }, port.node, port.input, name.span)
    }
    for (const [i, port] of agent.outputs.entries()) {
      const outlet = outlets[i]
      if (outlet) builder.connect(port, outlet, 0, name.span)
    }
  } else if (impl.kind !== 'tool' && impl.kind !== 'object') wireBetween(bound, impl, inlets, outlets, builder)
  return { nodes: builder.nodes, edges: builder.edges }
}

const checkParameters = ({ binding, inputs, outputs, name }: Bound, report: Report): void => {
  const { impl } = binding
  if (impl.kind !== 'plumb') return
  const wanted = inputs.length + outputs.length
  if (impl.parameters.length === wanted) return
  const [first] = impl.parameters
  const message = `'${name}' has ${wanted} ports in its signature and ${impl.parameters.length} parameters`
  const help = 'one parameter a port, inputs first'
  report({ severity: 'error', code: 'arity_mismatch', message, span: first ? { ...first.span, end: impl.parameters.at(-1)?.span.end ?? first.span.end } : binding.name.span, help })
}
