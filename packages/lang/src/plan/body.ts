// The body of a plumb: one instance a name, channels, spawns, and the rule that a process that is used has an input.

import { nearest } from '@plumb/wire/nearest'
import type { Name, PlumbImplementation, Reference, SpawnStatement } from '../ast.js'
import { type Bound, reportDuplicate, shown } from '../names.js'
import type { Span } from '../source.js'
import { declaredType } from '../types/declare.js'
import { type Builder, processOf } from './builder.js'
import type { GraphNode, Process } from './graph.js'
import { instantiate, streamNamed, withPort } from './instance.js'
import { type Wiring, wire } from './wire.js'

interface Instance {
  readonly process: Process | undefined
  /** Where it is first named: that is where an unwired input is shown. */
  readonly span: Span
  readonly bound?: Bound
}

/** Wires a body between the nodes of its parameters, in the order of the signature. */
export const wireBody = (bound: Bound, impl: PlumbImplementation, params: readonly GraphNode[], builder: Builder): void => {
  const local = new Map<string, Process>()
  const declared = new Map<string, Span>()
  const declare = ({ text, span }: Name, node: GraphNode) => {
    const first = declared.get(text)
    if (first) reportDuplicate('name', text, first, span, builder.report)
    else {
      declared.set(text, span)
      local.set(text, localProcess(node))
    }
  }
  for (const [i, name] of impl.parameters.entries()) {
    const node = params[i]
    if (node) declare(name, node)
  }
  for (const s of impl.statements) if (s.kind === 'channel') declare(s.name, channel(s, bound, builder))

  const instances = new Map<string, Instance>()
  const instanceOf = (reference: Reference): Process | undefined => {
    const key = shown(reference.name)
    const found = instances.get(key)
    if (found) return found.process
    const named = streamNamed(reference, bound.scope, builder)
    const process = named && instantiate(named, key, reference.span, builder)
    instances.set(key, { process, span: reference.span, ...(named ? { bound: named } : {}) })
    return process
  }
  const badPorts = new Set<number>()
  const place = (reference: Reference): Process | undefined => {
    const own = reference.name.module ? undefined : local.get(reference.name.name.text)
    const process = own ?? instanceOf(reference)
    if (!process || badPorts.has(reference.span.start)) return undefined
    const withIt = withPort(process, reference, builder)
    if (!withIt) badPorts.add(reference.span.start)
    return withIt
  }
  const w: Wiring = { builder, scope: bound.scope, place }

  for (const s of impl.statements) {
    if (s.kind === 'wire') wire(s.chain, undefined, w)
    if (s.kind === 'spawn') spawn(s, local, w)
  }
  for (const [name, instance] of instances) requireInput(name, instance, builder)
}

// A parameter that gives has no input of its own here, one that takes no output; a channel has both.
const localProcess = (node: GraphNode): Process => {
  const { name, inputs, outputs } = processOf(node)
  if (node.work.kind === 'input') return { name, inputs: [], outputs }
  return { name, inputs, outputs: node.work.kind === 'output' ? [] : outputs }
}

const channel = (s: PlumbImplementation['statements'][number] & { kind: 'channel' }, bound: Bound, builder: Builder): GraphNode => {
  if (!s.port.isStream) builder.report({ severity: 'error', code: 'spec_invalid', message: 'a channel carries a stream', span: s.port.span, help: "write '!' before the type" })
  const type = declaredType(s.port.type, bound.scope, builder.report)
  return builder.node(s.name.text, s.name.span, { kind: 'pass', as: 'channel', isSelector: false }, [{ name: 'input', type }], [{ name: 'output', type }])
}

const spawn = (s: SpawnStatement, local: ReadonlyMap<string, Process>, w: Wiring): void => {
  const process = w.place({ kind: 'reference', name: s.process, span: s.process.span })
  const fail = (message: string, span: Span, help?: string, code: 'arity_mismatch' | 'undeclared_port' | 'unknown_name' | 'duplicate_name' = 'arity_mismatch') =>
    w.builder.report({ severity: 'error', code, message, span, ...(help === undefined ? {} : { help }) })
  if (!process) return
  // By position inputs come first; replies to control are wired by name only.
  const ports = [...process.inputs, ...process.outputs]
  const places = ports.filter((p) => p.name !== 'ctrl_out')
  const used = new Set<string>()
  let isNamed = false
  for (const [i, { port: label, channel: name, span }] of s.arguments.entries()) {
    if (label) isNamed = true
    else if (isNamed) {
      fail('an argument by place stands after one by name', span)
      return
    }
    const port = label ? ports.find((p) => p.name === label.text) : places[i]
    if (!port) {
      if (label) fail(`'${process.name}' has no port '${label.text}'`, label.span, `its ports are ${ports.map((p) => p.name).join(', ')}`, 'undeclared_port')
      else fail(`'${process.name}' has ${places.length} ports, this is argument ${i + 1}`, span)
      continue
    }
    if (used.has(port.name)) fail(`port '${port.name}' is given twice`, span, undefined, 'duplicate_name')
    used.add(port.name)
    const wireTo = local.get(name.text)
    if (!wireTo) {
      const near = nearest(name.text, local.keys())
      fail(`no channel or port is named '${name.text}'`, name.span, near ? `did you mean '${near}'?` : `declare it: 'let ${name.text} : !… = channel'`, 'unknown_name')
      continue
    }
    const [into] = wireTo.inputs
    const [from] = wireTo.outputs
    if ('input' in port) {
      if (from) w.builder.connect(from, port.node, port.input, span)
      else fail(`'${name.text}' is an output: nothing comes out of it here`, name.span)
    } else if (into) w.builder.connect(port, into.node, into.input, span)
    else fail(`'${name.text}' is an input: nothing can be wired into it`, name.span)
  }
}

const requireInput = (name: string, { process, span, bound }: Instance, builder: Builder): void => {
  if (!process || process.inputs.length === 0) return
  const isAgent = bound?.binding.impl.kind === 'agent'
  const data = process.inputs.filter((p) => !isAgent || p.name === 'input')
  const isWired = data.some((p) => builder.edges.some((e) => e.to.id === p.node.id && e.input === p.input) || builder.wasRefused(p.node, p.input))
  if (isWired) return
  const message = `'${name}' is used but nothing is wired into its input${data.length > 1 ? 's' : ''} ${data.map((p) => `'${p.name}'`).join(', ')}`
  builder.report({ severity: 'error', code: 'unwired_input', message, span, help: `write a chain that ends in it, as in 'input ; ${name}'` })
}
