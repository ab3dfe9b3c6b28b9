// A binding → a process in a graph: one node for an agent, a plumb or a single morphism; a bound chain is laid open in place.

import type { Chain, PlumbImplementation, Reference } from '../ast.js'
import { type Bound, findBinding, type Scope, shown } from '../names.js'
import type { Span } from '../source.js'
import { isWirable } from '../types/wirable.js'
import { arityOf, makeAtom, type Morphism, portName } from './atom.js'
import { type Builder, processOf } from './builder.js'
import type { GraphNode, GraphPort, Process, Source, Work } from './graph.js'
import { arity as arityWith, match, type Wiring, wire } from './wire.js'

/** The stream binding a reference names, or undefined with the error told. */
export const streamNamed = (reference: Reference, scope: Scope, builder: Builder): Bound | undefined => {
  const bound = findBinding(reference.name, scope, builder.report, (b) => b.category === 'stream')
  if (bound === 'unknown' || bound.category === 'unknown') return undefined
  if (bound.category === 'stream') return bound
  const name = shown(reference.name)
  const { span } = reference
  if (bound.category === 'base') {
    const message = `'${name}' has bare types (base category); only stream morphisms can be wired into pipelines`
    const help = bound.binding.impl.kind === 'tool' ? "agents call tools: name it in an agent's 'tools'" : `give it streams, as in 'let ${bound.name} : !… -> !… = …'`
    builder.report({ severity: 'error', code: 'bare_in_stream', message, span, help })
  } else builder.report({ severity: 'error', code: 'not_a_process', message: `'${name}' is a config value, no process`, span })
  return undefined
}

export const instantiate = (bound: Bound, name: string, span: Span, builder: Builder): Process => {
  const { impl } = bound.binding
  if (impl.kind === 'agent' || impl.kind === 'plumb') {
    const { inputs, outputs } = portsOf(bound)
    return processOf(builder.node(name, span, { kind: impl.kind, bound }, inputs, outputs))
  }
  const chain = impl as Chain
  return singleNode(bound, chain, name, builder) ?? layOpen(bound, chain, name, span, builder)
}

/** The ports that those who wire a binding may name, in the order of its signature. */
export const portsOf = (bound: Bound): { inputs: GraphPort[]; outputs: GraphPort[] } => {
  const { impl } = bound.binding
  const ports = (types: readonly (GraphPort['type'])[], nameOf: (i: number) => string) => types.map((type, i) => ({ name: nameOf(i), type }))
  if (impl.kind === 'plumb') {
    const names = parameterNames(impl)
    const inputs = ports(bound.inputs, (i) => names[i] ?? portName('input', i))
    return { inputs, outputs: ports(bound.outputs, (i) => names[i + bound.inputs.length] ?? portName('output', i)) }
  }
  if (impl.kind !== 'agent') return { inputs: ports(bound.inputs, (i) => portName('input', i)), outputs: ports(bound.outputs, (i) => portName('output', i)) }
  const outputs = ports(bound.outputs, (i) => (i === 0 ? 'output' : 'telemetry'))
  // A second input brings the port for its replies.
  if (bound.inputs.length > 1) outputs.splice(1, 0, { name: 'ctrl_out', type: { kind: 'json' } })
  return { inputs: ports(bound.inputs, (i) => (i === 0 ? 'input' : 'ctrl_in')), outputs }
}

const parameterNames = (impl: PlumbImplementation): string[] => impl.parameters.map((p) => p.text)

// `let inc : !int -> !int = map(value + 1)` is that one node, unless its result has yet to be looked at.
const singleNode = (bound: Bound, chain: Chain, name: string, builder: Builder): Process | undefined => {
  const atom = morphismOf(chain)
  if (!atom) return undefined
  const arity = arityOf(atom)
  const outputs = atom.kind === 'copy' ? 2 : 1
  if (bound.outputs.length !== outputs) return undefined
  if (arity === 'many' ? bound.inputs.length < 2 : bound.inputs.length !== arity) return undefined
  const before = builder.nodes.length
  const node = makeAtom(atom, bound.inputs, name, builder)
  const fits = node.outputs.every((port, i) => {
    const declared = bound.outputs[i]
    return !port.type || !declared || isWirable(port.type, declared) === 'static'
  })
  if (!fits) {
    builder.nodes.length = before
    return undefined
  }
  const typed: GraphNode = { ...node, outputs: node.outputs.map((p, i) => ({ ...p, type: bound.outputs[i] ?? p.type })) }
  builder.nodes[before] = typed
  return processOf(typed)
}

const morphismOf = (chain: Chain): Morphism | undefined => {
  switch (chain.kind) {
    case 'sequence':
    case 'tensor':
    case 'choice':
    case 'field':
    case 'reference':
    case 'trace':
      return undefined
    default:
      return chain
  }
}

const layOpen = (bound: Bound, chain: Chain, name: string, span: Span, builder: Builder): Process => {
  const { inputs, outputs } = portsOf(bound)
  const first = chain.kind === 'sequence' ? chain.items[0] : chain
  const isSelector = first?.kind === 'filter' || (first?.kind === 'field' && first.of.kind === 'filter')
  const end = (port: GraphPort, work: Work) => builder.node(name, span, work, [{ ...port, name: 'input' }], [{ ...port, name: 'output' }])
  const outer = builder.within
  builder.within = { name, ...(outer ? { within: outer } : {}) }
  const inlets = inputs.map((port) => end(port, { kind: 'pass', as: 'inlet', isSelector }))
  const outlets = outputs.map((port) => end(port, { kind: 'pass', as: 'outlet', isSelector: false }))
  wireBetween(bound, chain, inlets, outlets, builder)
  builder.within = outer
  return {
    name,
    inputs: inputs.map((port, i) => ({ ...port, node: inlets[i] as GraphNode, input: 0 })),
    outputs: outputs.map((port, i) => ({ ...port, node: outlets[i] as GraphNode, output: 0 })),
  }
}

/** Wires a bound chain between the nodes of its ports. In a bare chain every occurrence is an instance of its own. */
export const wireBetween = (bound: Bound, chain: Chain, inlets: readonly GraphNode[], outlets: readonly GraphNode[], builder: Builder): void => {
  const placed = new Map<number, Process | undefined>()
  const w: Wiring = {
    builder,
    scope: bound.scope,
    place: (reference) => {
      const key = reference.span.start
      if (!placed.has(key)) placed.set(key, placeAnew(reference, bound.scope, builder))
      return placed.get(key)
    },
  }
  const sources: Source[] = inlets.map((node) => ({ node, output: 0, type: node.outputs[0]?.type }))
  const feeds = sources.length === 0 ? [] : feedsFor(chain, sources, w)
  const outs = feeds === 'error' ? 'error' : wire(chain, feeds, w)
  if (outs === 'error') return
  const ends = match(outs, outlets.length, bound.binding.signature ?? chain, w)
  if (ends === 'error') return
  for (const [i, feed] of ends.entries()) {
    const outlet = outlets[i]
    for (const source of feed) if (outlet) builder.connect(source, outlet, 0, chain.span)
  }
}

const feedsFor = (chain: Chain, sources: readonly Source[], w: Wiring) => {
  const n = arityWith(chain, sources.length, w)
  return n === 'error' ? n : match(sources, n, chain, w)
}

const placeAnew = (reference: Reference, scope: Scope, builder: Builder): Process | undefined => {
  const bound = streamNamed(reference, scope, builder)
  if (!bound) return undefined
  const process = instantiate(bound, shown(reference.name), reference.span, builder)
  return reference.port ? withPort(process, reference, builder) : process
}

/** The process, if it has the port that is named behind `@`. */
export const withPort = (process: Process, reference: Reference, builder: Builder): Process | undefined => {
  const { port } = reference
  if (!port) return process
  const names = [...process.inputs, ...process.outputs].map((p) => p.name)
  if (names.includes(port.text)) return process
  const help = `its ports are ${names.join(', ')}`
  builder.report({ severity: 'error', code: 'undeclared_port', message: `'${process.name}' has no port '${port.text}'`, span: port.span, help })
  return undefined
}
