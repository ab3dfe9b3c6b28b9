// Instantiates a binding in a graph: one node for an agent, a plumb or a single morphism; a bound chain is expanded in place.

import { nearest } from '@plumb/wire/nearest'
import { error } from '../diagnostic/diagnostic.js'
import type { Span } from '../diagnostic/source.js'
import { isFunction } from '../expression/run/function-table.js'
import { memberOf } from '../names/member.js'
import { type Bound, findBinding, printName, resolveName, type Scope } from '../names/names.js'
import type { AgentImplementation, Chain, Name, PlumbImplementation, Reference } from '../parse/ast.js'
import { firstOf, lastOf } from '../parse/chain-parts.js'
import { isMorphism, MORPHISM_PORTS } from '../parse/morphism.js'
import { heardPort, printEndPoint } from '../protocol/end-point.js'
import type { Type } from '../types/type.js'
import { isWirable } from '../types/wirable.js'
import { arityOf, makeAtom, portName } from './atom.js'
import { type Builder, processOf } from './builder.js'
import type { GraphNode, GraphPort, NodeOutput, NodeWork, Process, ProcessEnd } from './graph.js'
import { feed, type WireContext, wire } from './wire.js'

/** The stream binding that a reference names. Undefined: an error was reported. `others`: names that may be meant too. */
export const streamNamed = (reference: Reference, scope: Scope, builder: Builder, others?: () => Iterable<string>): Bound | undefined => {
  const { text } = reference.name.name
  const isOfLanguage = !reference.name.module && isFunction(text)
  const isEnd = !others && /^(?:input|output|in|out|stdin|stdout)$/.test(text) && !resolveName(reference.name, scope)
  if (isEnd && builder.hasToldOfEnds) return undefined
  builder.hasToldOfEnds ||= isEnd
  const otherwise = isOfLanguage
    ? `'${text}' is a function of expressions: write map(${text}(value))`
    : isEnd
      ? "the ends of a chain have no names: leave this out, or write a body, 'plumb(input, output) { … }'"
      : undefined
  const bound = findBinding(reference.name, scope, builder.report, (b) => b.category === 'stream', {
    ...(others ? { others } : {}),
    otherwise,
  })
  if (bound === 'unknown' || bound.category === 'unknown') return undefined
  if (bound.category === 'stream') return bound
  const name = printName(reference.name)
  const { span } = reference
  if (bound.category === 'base') {
    const message = `'${name}' has bare types (base category); only stream morphisms can be wired into pipelines`
    const help =
      bound.binding.impl.kind === 'tool'
        ? `call it for each message: map(${name}); or name it in an agent's 'tools'`
        : `apply it to each message: map(${name})`
    builder.report(error('bare_in_stream', message, span, help))
  } else builder.report(error('not_a_process', `'${name}' is a config value, not a process`, span))
  return undefined
}

export const instantiate = (bound: Bound, name: string, span: Span, builder: Builder, isControlled = false): Process => {
  const { impl } = bound.binding
  const { inputs, outputs } = portsOfInstance(bound, isControlled && impl.kind === 'agent')
  if (impl.kind === 'agent' || impl.kind === 'plumb')
    return processOf(builder.node(name, span, { kind: impl.kind, bound }, inputs, outputs))
  const inlet = { kind: 'pass', as: 'inlet', isSelector: isSelector(bound) } as const
  if (!builder.isOpen) return processOf(builder.node(name, span, { ...inlet, chain: bound }, inputs, outputs))
  const chain = impl as Chain
  return singleNode(bound, chain, name, builder) ?? expand(bound, chain, name, span, inlet, builder)
}

/** The same process, but for the ports of its ends of conversations, which are wired whole. */
export const withEnds = (bound: Bound, process: Process): Process => {
  const ends = endsOfProcess(bound, process)
  const owed = ends.filter(({ speaks }) => speaks !== 'control')
  const isOwed = (node: GraphNode, at: { readonly input: number } | { readonly output: number }) =>
    owed.some(({ hears, says }) =>
      'input' in at ? hears.node === node && hears.input === at.input : says.node === node && says.output === at.output,
    )
  return {
    name: process.name,
    inputs: process.inputs.filter((port) => !isOwed(port.node, port)),
    outputs: process.outputs.filter((port) => !isOwed(port.node, port)),
    ends,
  }
}

const endsOfProcess = (bound: Bound, { inputs, outputs }: Process): readonly ProcessEnd[] => {
  const {
    ends,
    binding: { impl },
  } = bound
  if (impl.kind !== 'agent' && impl.kind !== 'plumb') return []
  const hearsChoices = impl.kind === 'plumb' || isProgram(impl)
  const made = (name: string, heard: string, said: string, place: number | undefined, speaks: ProcessEnd['speaks']): ProcessEnd[] => {
    const [hears, says] = [inputs.find((port) => port.name === heard), outputs.find((port) => port.name === said)]
    return hears && says ? [{ name, speaks, place, hearsChoices, isForeign: isForeignAt(bound, name), hears, says }] : []
  }
  if (impl.kind === 'agent') {
    const [declared] = ends
    return made('ctrl', 'ctrl_in', 'ctrl_out', declared?.[0], declared?.[1] ?? 'control')
  }
  const names = parameterNames(impl)
  return [...ends].flatMap(([i, end]) => made(names[i] ?? '', heardPort(names[i] ?? ''), names[i] ?? '', i, end))
}

const isProgram = ({ config }: AgentImplementation): boolean => config.entries.some(({ key }) => key.text === 'command')

/** Whether a program of others speaks at this end, itself or where a body hands it on. */
const isForeignAt = (bound: Bound, end: string): boolean => {
  const rest: (readonly [Bound, string])[] = [[bound, end]]
  const seen = new Set<Bound>()
  for (const [{ binding, scope }, name] of rest) {
    const { impl } = binding
    if (impl.kind === 'agent' && isProgram(impl)) return true
    if (impl.kind !== 'plumb') continue
    for (const s of impl.statements) {
      const at = s.kind === 'spawn' ? s.arguments.findIndex(({ channel }) => channel.text === name) : -1
      if (s.kind !== 'spawn' || at < 0) continue
      const process = resolveName(s.process, scope)
      if (!process || seen.has(process)) continue
      seen.add(process)
      const inner = process.binding.impl
      rest.push([process, s.arguments[at]?.port?.text ?? (inner.kind === 'plumb' ? (inner.parameters[at]?.text ?? '') : 'ctrl')])
    }
  }
  return false
}

/** The named ports of a binding, in the order of its signature. `isControlled`: an agent is, whatever its signature. */
export const portsOfInstance = (bound: Bound, isControlled = false): { inputs: GraphPort[]; outputs: GraphPort[] } => {
  const { impl } = bound.binding
  const ports = (types: readonly GraphPort['type'][], nameOf: (i: number) => string) => types.map((type, i) => ({ name: nameOf(i), type }))
  if (impl.kind === 'plumb') {
    const names = parameterNames(impl)
    const nameOf = (i: number) => names[i] ?? portName('input', i)
    const inputs = ports(bound.inputs, (i) => (bound.ends.has(i) ? heardPort(nameOf(i)) : nameOf(i)))
    const plain = bound.outputs.length - bound.ends.size
    const ends = [...bound.ends.keys()].map(nameOf)
    const outputs = ports(bound.outputs, (i) => ends[i - plain] ?? names[i + bound.inputs.length] ?? portName('output', i))
    return { inputs, outputs }
  }
  if (impl.kind !== 'agent')
    return { inputs: ports(bound.inputs, (i) => portName('input', i)), outputs: ports(bound.outputs, (i) => portName('output', i)) }
  const outputs = ports(bound.outputs, (i) => (i === 0 ? 'output' : 'telemetry'))
  // A second input implies the port for its replies.
  if (bound.inputs.length > 1 || isControlled) outputs.splice(1, 0, { name: 'ctrl_out', type: { kind: 'json' } })
  const inputs = ports(bound.inputs, (i) => (i === 0 ? 'input' : 'ctrl_in'))
  return { inputs: isControlled && inputs.length === 1 ? [...inputs, { name: 'ctrl_in', type: { kind: 'json' } }] : inputs, outputs }
}

const parameterNames = (impl: PlumbImplementation): string[] => impl.parameters.map((p) => p.text)

/** A chain that begins with a filter selects by type as the filter does, also under another name. */
export const isSelector = (bound: Bound): boolean => {
  const names = new Set<Bound>()
  let next: Bound | boolean = bound
  while (typeof next !== 'boolean') {
    // Names that begin with each other begin with no filter.
    const known: boolean | undefined = names.has(next) ? false : selectors.get(next)
    names.add(next)
    next = known ?? firstStep(next)
  }
  for (const name of names) selectors.set(name, next)
  return next
}

// Bindings may begin with each other, in chains of thousands.
const selectors = new WeakMap<Bound, boolean>()

/** Whether its chain begins with a filter, directly or through a named binding. */
const firstStep = ({ scope, binding: { impl } }: Bound): boolean | Bound => {
  if (impl.kind === 'agent' || impl.kind === 'tool' || impl.kind === 'plumb' || impl.kind === 'object') return false
  let first = firstOf(impl)
  while (first.kind === 'field') first = firstOf(memberOf(first, scope) ?? first.of)
  return first.kind === 'reference' ? (resolveName(first.name, scope) ?? false) : first.kind === 'filter'
}

// `let inc : !int -> !int = map(value + 1)` is that one node, unless its result still needs a check.
const singleNode = (bound: Bound, chain: Chain, name: string, builder: Builder): Process | undefined => {
  if (!isMorphism(chain)) return undefined
  const arity = arityOf(chain)
  if (bound.outputs.length !== MORPHISM_PORTS[chain.kind].outputs) return undefined
  if (arity === 'many' ? bound.inputs.length < 2 : bound.inputs.length !== arity) return undefined
  const before = builder.nodes.length
  const node = makeAtom(chain, bound.inputs, name, bound.scope, builder)
  const fits =
    node.inputs.every((port, i) => isSame(port.type, bound.inputs[i])) &&
    node.outputs.every((port, i) => {
      const declared = bound.outputs[i]
      return !port.type || !declared || isWirable(port.type, declared) === 'static'
    })
  if (!fits) {
    builder.nodes.length = before
    return undefined
  }
  const typed: GraphNode = { ...node, signed: { bound }, outputs: node.outputs.map((p, i) => ({ ...p, type: bound.outputs[i] ?? p.type })) }
  builder.nodes[before] = typed
  return processOf(typed)
}

// The node checks its own type, and others see the type of the signature.
const isSame = (a: Type | undefined, b: Type | undefined): boolean =>
  a === b || (a !== undefined && b !== undefined && isWirable(a, b) === 'static' && isWirable(b, a) === 'static')

const expand = (bound: Bound, chain: Chain, name: string, span: Span, inlet: NodeWork, builder: Builder): Process => {
  const { inputs, outputs } = portsOfInstance(bound)
  const end = (port: GraphPort, work: NodeWork, i: number) => {
    const side = work.kind === 'pass' && work.as === 'outlet' ? 'outlet' : 'inlet'
    const node = builder.node(name, span, work, [{ ...port, name: 'input' }], [{ ...port, name: 'output' }])
    const signed: GraphNode = { ...node, signed: { bound, end: { side, port: i } } }
    builder.nodes[node.id] = signed
    return signed
  }
  const { inlets, outlets } = builder.expand(
    { name, ...(bound.isShared ? { isShared: true } : {}) },
    () => ({
      inlets: inputs.map((port, i) => end(port, inlet, i)),
      outlets: outputs.map((port, i) => end(port, { kind: 'pass', as: 'outlet', isSelector: false }, i)),
    }),
    ({ inlets, outlets }) => wireBetween(bound, chain, inlets, outlets, builder),
  )
  return {
    name,
    inputs: inputs.map((port, i) => ({ ...port, node: inlets[i] as GraphNode, input: 0 })),
    outputs: outputs.map((port, i) => ({ ...port, node: outlets[i] as GraphNode, output: 0 })),
  }
}

/** Wires a bound chain between the nodes of its ports. In a bare chain every occurrence is an instance of its own. */
export const wireBetween = (
  bound: Bound,
  chain: Chain,
  inlets: readonly GraphNode[],
  outlets: readonly GraphNode[],
  builder: Builder,
): void => {
  const placed = new Map<number, Process | undefined>()
  const place = (reference: Reference): Process | undefined => {
    const key = reference.span.start
    if (!placed.has(key)) placed.set(key, newInstance(reference, bound.scope, builder))
    return placed.get(key)
  }
  const w: WireContext = { builder, scope: bound.scope, place, placeAlone: place }
  const sources: NodeOutput[] = inlets.map((node) => ({ node, output: 0, type: node.outputs[0]?.type }))
  const outs = wire(chain, feed(sources, chain, bound.name, w), w)
  if (outs === 'error') return
  const last = lastOf(chain)
  if (outs.length === 0 || (outs.length !== outlets.length && outs.length !== 1 && outlets.length !== 1)) {
    const message = `'${bound.name}' has ${counted(outlets.length, 'output')} in its signature, ${outs.length || 'none'} come out of its chain`
    builder.report(error('arity_mismatch', message, last.span))
    return
  }
  for (const [i, outlet] of outlets.entries()) {
    const ends = outs.length === outlets.length ? outs.slice(i, i + 1) : outs
    for (const source of ends) builder.connect(source, outlet, 0, last.span)
  }
}

const counted = (n: number, what: string): string => `${n} ${what}${n === 1 ? '' : 's'}`

/** An instance of its own. */
export const newInstance = (reference: Reference, scope: Scope, builder: Builder): Process | undefined => {
  const bound = streamNamed(reference, scope, builder)
  const [end] = bound?.ends.values() ?? []
  if (bound && end) {
    const message = `the end '${printEndPoint(end)}' of '${printName(reference.name)}' is left over here`
    const left = error('protocol_invalid', message, reference.name.span, "name it in a body, and give it an end there: 'spawn f(s=s)'")
    builder.report({ ...left, related: [{ message: 'it is declared here', span: end.span }] })
  }
  return bound && withPort(instantiate(bound, printName(reference.name), reference.span, builder), reference, builder)
}

/** The process, if it has the port named after `@`, or no port is named. */
export const withPort = (process: Process, { port }: Reference, builder: Builder): Process | undefined => {
  if (!port || port.text === 'error' || [...process.inputs, ...process.outputs].some((p) => p.name === port.text)) return process
  reportNoPort(process, port, builder)
  return undefined
}

export const reportNoPort = (process: Process, { text, span }: Name, builder: Builder): void => {
  const { inputs, outputs, ends = [] } = process
  const names = [...new Set([...inputs, ...ends, ...outputs].map((p) => p.name)), 'error']
  const near = nearest(text, names)
  const help = near ? `did you mean '${near}'?` : `its ports are ${names.join(', ')}`
  builder.report(error('undeclared_port', `'${process.name}' has no port '${text}'`, span, help))
  // Any of them may have been meant.
  for (const { node, input } of process.inputs) builder.markFed(node, input)
}
