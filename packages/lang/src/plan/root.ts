// The whole graph of one stream binding, between its external ports.

import { callsTool } from '../base/lift.js'
import { type Diagnostic, ignore, type Report } from '../diagnostic/diagnostic.js'
import type { Bound } from '../names/names.js'
import type { Expression } from '../parse/ast.js'
import { heardPort } from '../protocol/end-point.js'
import { wireBody } from './body.js'
import { Builder, type BuilderOptions } from './builder.js'
import type { Graph, GraphNode, GraphPort, NodeWork } from './graph.js'
import { instantiate, portsOfInstance, wireBetween } from './instance.js'

/**
 * What its own text says: a bound chain in it is one node. What is wrong with the wiring is reported; parts with errors are missing. It is
 * wired once: checks, flows and editors look at the same.
 */
export const graphOf = (bound: Bound, report: Report): Graph => {
  const { graph, diagnostics } = wirings.get(bound) ?? wireOwn(bound)
  for (const d of diagnostics) report(d)
  return graph
}

const wireOwn = (bound: Bound): Wiring => {
  const diagnostics: Diagnostic[] = []
  const wiring = { graph: build(bound, { report: (d) => diagnostics.push(d), isExpanded: false }), diagnostics }
  wirings.set(bound, wiring)
  return wiring
}

interface Wiring {
  readonly graph: Graph
  readonly diagnostics: readonly Diagnostic[]
}

const wirings = new WeakMap<Bound, Wiring>()

/** The graph that runs: all bound chains are expanded. Only for a program without errors. */
export const planOf = (bound: Bound): Graph => build(bound, { report: ignore, isExpanded: true })

/** A bare binding on a stream: it is called for each message in turn. */
export const planOfCalls = (bound: Bound): Graph => {
  const builder = new Builder({ report: ignore, isExpanded: true })
  const { binding, scope, name } = bound
  const { span } = binding.name
  const [takes, gives] = [bound.inputs[0], bound.outputs[0]]
  const input = [{ name: 'input', type: takes }]
  const output = [{ name: 'output', type: gives }]
  const expression: Expression = { kind: 'name', name, span }
  const work: NodeWork = callsTool(bound)
    ? { kind: 'call', expression, bound, parallel: 1 }
    : { kind: 'map', expression, scope, lifted: bound }
  const inlet = builder.node('input', span, { kind: 'input', port: 0 }, input, input)
  const called = builder.node(name, span, work, input, output)
  const outlet = builder.node('output', span, { kind: 'output', port: 1 }, output, output)
  builder.connect({ node: inlet, output: 0, type: takes }, called, 0, span)
  builder.connect({ node: called, output: 0, type: gives }, outlet, 0, span)
  builder.finish()
  return { nodes: builder.nodes, edges: builder.edges }
}

const build = (bound: Bound, options: BuilderOptions): Graph => {
  const builder = new Builder(options)
  const { impl, name } = bound.binding
  const { inputs, outputs } = portsOfInstance(bound)
  const end = (kind: 'input' | 'output', port: number, { name: text, type }: GraphPort): GraphNode => {
    const at = impl.kind === 'plumb' ? (impl.parameters.find((p) => p.text === text || heardPort(p.text) === text) ?? name) : name
    const { span } = at
    return builder.node(text, span, { kind, port }, [{ name: 'input', type }], [{ name: 'output', type }])
  }
  const inlets = inputs.map((port, i) => end('input', i, port))
  const outlets = outputs.map((port, i) => end('output', inputs.length + i, port))
  if (impl.kind === 'plumb') wireBody(bound, impl, [...inlets, ...outlets], builder)
  else if (impl.kind === 'agent') wireAgent(bound, inlets, outlets, builder)
  else if (impl.kind !== 'tool' && impl.kind !== 'object') wireBetween(bound, impl, inlets, outlets, builder)
  builder.finish()
  return { nodes: builder.nodes, edges: builder.edges }
}

const wireAgent = (bound: Bound, inlets: readonly GraphNode[], outlets: readonly GraphNode[], builder: Builder): void => {
  const { span } = bound.binding.name
  const agent = instantiate(bound, bound.name, span, builder)
  for (const [i, inlet] of inlets.entries()) {
    const port = agent.inputs[i]
    if (port) builder.connect({ node: inlet, output: 0, type: inlet.outputs[0]?.type }, port.node, port.input, span)
  }
  for (const [i, outlet] of outlets.entries()) {
    const port = agent.outputs[i]
    if (port) builder.connect(port, outlet, 0, span)
  }
}
