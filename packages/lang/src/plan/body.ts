// The body of a plumb: one instance a name, channels, and the rule that a process that is used has an input.

import { declaredType } from '../declare/declare.js'
import { error, type Report } from '../diagnostic/diagnostic.js'
import type { Span } from '../diagnostic/source.js'
import { type Bound, reportDuplicate, shown } from '../names/names.js'
import type { Name, PlumbImplementation, Reference } from '../parse/ast.js'
import { type Builder, processOf } from './builder.js'
import type { GraphNode, Process } from './graph.js'
import { instantiate, streamNamed, withPort } from './instance.js'
import { spawn } from './spawn.js'
import { type Wiring, wire } from './wire.js'

interface Instance {
  readonly process: Process | undefined
  /** Where it is first named: that is where an unwired input is shown. */
  readonly span: Span
  readonly isAgent: boolean
}

/** Wires a body between the nodes of its parameters, in the order of the signature. */
export const wireBody = (bound: Bound, impl: PlumbImplementation, params: readonly GraphNode[], builder: Builder): void => {
  checkParameters(bound, impl, builder.report)
  const local = localNames(bound, impl, params, builder)
  const instances = new Map<string, Instance>()
  // A name that is missing because a parameter is: told by now.
  const isShort = impl.parameters.length < params.length
  const instanceOf = (reference: Reference): Process | undefined => {
    const key = shown(reference.name)
    const found = instances.get(key)
    if (found) return found.process
    const named =
      isShort && !reference.name.module && !bound.scope.bindings.has(key) ? undefined : streamNamed(reference, bound.scope, builder)
    const process = named && instantiate(named, key, reference.span, builder)
    instances.set(key, { process, span: reference.name.span, isAgent: named?.binding.impl.kind === 'agent' })
    return process
  }
  const placed = new Map<number, Process | undefined>()
  const place = (reference: Reference): Process | undefined => {
    const key = reference.span.start
    if (!placed.has(key)) placed.set(key, placeOnce(reference))
    return placed.get(key)
  }
  const placeOnce = (reference: Reference): Process | undefined => {
    const { name, port } = reference
    const own = name.module ? undefined : local.get(name.name.text)
    if (own && port) {
      builder.report(
        error('undeclared_port', `'${own.name}' is a ${own.what} and has no ports of its own`, port.span, `write '${own.name}'`),
      )
      return undefined
    }
    if (own) return own
    const process = instanceOf(reference)
    return process && withPort(process, reference, builder)
  }
  const w: Wiring = { builder, scope: bound.scope, place }
  for (const s of impl.statements) {
    if (s.kind === 'wire') wire(s.chain, 'head', w)
    if (s.kind === 'spawn') spawn(s, local, w)
  }
  for (const [name, instance] of instances) requireInput(name, instance, builder)
}

const checkParameters = ({ inputs, outputs, name }: Bound, { parameters }: PlumbImplementation, report: Report): void => {
  const [first] = parameters
  const last = parameters.at(-1)
  const wanted = inputs.length + outputs.length
  if (parameters.length === wanted || !first || !last) return
  const message = `'${name}' has ${wanted} ports in its signature and ${parameters.length} parameter${parameters.length === 1 ? '' : 's'}`
  report(error('arity_mismatch', message, { ...first.span, end: last.span.end }, 'one parameter a port, inputs first'))
}

/** A parameter or a channel. */
export interface Local extends Process {
  readonly what: 'parameter' | 'channel'
}

const localNames = (
  bound: Bound,
  impl: PlumbImplementation,
  params: readonly GraphNode[],
  builder: Builder,
): ReadonlyMap<string, Local> => {
  const local = new Map<string, Local>()
  const places = new Map<string, Span>()
  const declare = (name: Name, what: Local['what'], node: GraphNode) => {
    const { text, span } = name
    const first = places.get(text)
    if (first) reportDuplicate('name', text, first, span, builder.report)
    else places.set(text, span)
    // Which of two is meant is not known: it may be wired either way.
    const own = first ? channel(name, undefined, builder) : node
    const { inputs, outputs } = processOf(own)
    const { kind } = own.work
    // A parameter that gives takes nothing here, and one that takes gives nothing; a channel does both.
    local.set(text, { name: text, what, inputs: kind === 'input' ? [] : inputs, outputs: kind === 'output' ? [] : outputs })
  }
  // So may a parameter for which the signature has no port, told by now.
  for (const [i, name] of impl.parameters.entries()) declare(name, 'parameter', params[i] ?? channel(name, undefined, builder))
  for (const s of impl.statements) {
    if (s.kind !== 'channel') continue
    if (!s.port.isStream) builder.report(error('spec_invalid', 'a channel carries a stream', s.port.span, "write '!' before the type"))
    declare(s.name, 'channel', channel(s.name, declaredType(s.port.type, bound.scope, builder.report), builder))
  }
  return local
}

const channel = ({ text, span }: Name, type: Process['inputs'][number]['type'], builder: Builder): GraphNode =>
  builder.node(text, span, { kind: 'pass', as: 'channel', isSelector: false }, [{ name: 'input', type }], [{ name: 'output', type }])

const requireInput = (name: string, { process, span, isAgent }: Instance, builder: Builder): void => {
  if (!process || process.inputs.length === 0) return
  const data = process.inputs.filter((p) => !isAgent || p.name === 'input')
  if (data.some((p) => builder.isFed(p.node, p.input))) return
  const message = `'${name}' is used but nothing is wired into its input${data.length > 1 ? 's' : ''} ${data.map((p) => `'${p.name}'`).join(', ')}`
  builder.report(error('unwired_input', message, span, `write a chain that ends in it, as in 'input ; ${name}'`))
}
