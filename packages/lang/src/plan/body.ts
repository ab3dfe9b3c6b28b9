// The body of a plumb: one instance for each name, channels, and the rule that a used process has an input.

import { error } from '../diagnostic/diagnostic.js'
import type { Span } from '../diagnostic/source.js'
import { type Bound, printName } from '../names/names.js'
import type { PlumbImplementation, Reference } from '../parse/ast.js'
import { heardPort } from '../protocol/end-point.js'
import type { Builder } from './builder.js'
import type { GraphNode, Process } from './graph.js'
import { instantiate, newInstance, streamNamed, withEnds, withPort } from './instance.js'
import { type LocalStream, localNames } from './local.js'
import { spawn } from './spawn.js'
import { Talks } from './talks.js'
import { type WireContext, wire } from './wire.js'

interface Instance {
  readonly process: Process | undefined
  /** Where it is first named, for reports of an unwired input. */
  readonly span: Span
  readonly isAgent: boolean
}

/** Wires a body between the nodes of its parameters, in the order of the signature. */
export const wireBody = (bound: Bound, impl: PlumbImplementation, params: readonly GraphNode[], builder: Builder): void => {
  const talks = new Talks(builder)
  const local = localNames(bound, impl, params, builder, talks)
  const controlled = controlledIn(impl)
  const instances = new Map<string, Instance>()
  // A missing parameter was already reported.
  const isShort = impl.parameters.length < params.length
  const instanceOf = (reference: Reference): Process | undefined => {
    const key = printName(reference.name)
    const found = instances.get(key)
    if (found) return found.process
    const named =
      isShort && !reference.name.module && !bound.scope.bindings.has(key)
        ? undefined
        : streamNamed(reference, bound.scope, builder, () => local.keys())
    const process = named && withEnds(named, instantiate(named, key, reference.span, builder, controlled.has(key)))
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
    if (own && port?.text === 'error' && own.outputs[0]?.node.work.kind === 'input') return own
    if (own && port) {
      builder.report(
        error('undeclared_port', `'${own.name}' is a ${own.what} and has no ports of its own`, port.span, `write '${own.name}'`),
      )
      return undefined
    }
    if (own?.talk && !talks.speak(own.talk, own.name, reference.span)) return undefined
    if (own) return own
    const heard = name.module ? undefined : channelHeard(name.name.text, local)
    if (heard?.talk && !talks.speak(heard.talk, heard.name, reference.span)) return undefined
    const process = instanceOf(reference)
    return process && withPort(process, reference, builder)
  }
  const placeAlone = (reference: Reference, where: string): Process | undefined => {
    const key = reference.span.start
    const { name } = reference
    const own = name.module ? undefined : local.get(name.name.text)
    if (own && !placed.has(key)) {
      const message = `'${own.name}' is a ${own.what}, and what is in '${where}' is a process of its own`
      builder.report(error('not_a_process', message, name.span, `name a binding there, and wire '${own.name}' outside of it`))
    }
    if (!placed.has(key)) placed.set(key, own ? undefined : newInstance(reference, bound.scope, builder))
    return placed.get(key)
  }
  const w: WireContext = { builder, scope: bound.scope, place, placeAlone }
  for (const s of impl.statements) {
    if (s.kind === 'wire') wire(s.chain, 'head', w)
    if (s.kind === 'spawn') spawn(s, { local, talks }, w)
  }
  talks.finish([...instances.values()].flatMap(({ process, span }) => (process ? [[process, span] as const] : [])))
  for (const [name, instance] of instances) requireInput(name, instance, builder)
}

/** `s_in` of a channel s, as of a parameter. */
const channelHeard = (text: string, local: ReadonlyMap<string, LocalStream>): LocalStream | undefined =>
  [...local.values()].find(({ name, talk }) => talk && !talk.own && heardPort(name) === text)

/** The agents that are given an end for their control, whatever their signature. */
const controlledIn = ({ statements }: PlumbImplementation): ReadonlySet<string> =>
  new Set(
    statements.flatMap((s) => (s.kind === 'spawn' && s.arguments.some(({ port }) => port?.text === 'ctrl') ? [printName(s.process)] : [])),
  )

const requireInput = (name: string, { process, span, isAgent }: Instance, builder: Builder): void => {
  if (!process || process.inputs.length === 0) return
  const data = process.inputs.filter((p) => !isAgent || p.name === 'input')
  if (data.some((p) => builder.isFed(p.node, p.input))) return
  const message = `'${name}' is used but nothing is wired into its input${data.length > 1 ? 's' : ''} ${data.map((p) => `'${p.name}'`).join(', ')}`
  builder.report(error('unwired_input', message, span, `write a chain that ends in it, as in 'input ; ${name}'`))
}
