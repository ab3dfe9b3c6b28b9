// The names of a body: the parameters of its plumb, and its channels.

import { endPointOf, isBrokenProtocol } from '../declare/bindings.js'
import { declaredType } from '../declare/declare.js'
import { error, type Report, reportDuplicate } from '../diagnostic/diagnostic.js'
import type { Span } from '../diagnostic/source.js'
import type { Bound } from '../names/names.js'
import type { Name, PlumbImplementation, Port } from '../parse/ast.js'
import { heardPort } from '../protocol/end-point.js'
import { type Builder, processOf } from './builder.js'
import type { GraphNode, Process } from './graph.js'
import type { Talk, Talks } from './talks.js'

/** A parameter or a channel. */
export interface LocalStream extends Process {
  readonly what: 'parameter' | 'channel'
  /** It is an end of a conversation, or one way of such a parameter, which is named after it. */
  readonly talk?: Talk
}

/** `params`: the nodes of the parameters, in the order of the signature. */
export const localNames = (
  bound: Bound,
  impl: PlumbImplementation,
  params: readonly GraphNode[],
  builder: Builder,
  talks: Talks,
): ReadonlyMap<string, LocalStream> => {
  checkParameters(bound, impl, builder.report)
  const local = new Map<string, LocalStream>()
  const places = new Map<string, Span>()
  const note = ({ text, span }: Name): Span | undefined => {
    const first = places.get(text)
    if (first) reportDuplicate('name', text, first, span, builder.report)
    else places.set(text, span)
    return first
  }
  const declare = (name: Name, what: LocalStream['what'], node: GraphNode, talk?: Talk) => {
    const { text } = name
    const first = note(name)
    if (first && talk) talk.isWrong = true
    // Ambiguous: it may be wired either way.
    const own = first ? channel(name, undefined, builder) : node
    const { inputs, outputs } = processOf(own)
    const { kind } = own.work
    // An output parameter accepts nothing here, and an input parameter emits nothing; a channel does both.
    const ends = { inputs: kind === 'input' ? [] : inputs, outputs: kind === 'output' ? [] : outputs }
    local.set(text, { name: text, what, ...ends, ...(talk ? { talk } : {}) })
  }
  // Also a parameter for which the signature has no port, already reported.
  const said = params.slice(params.length - bound.ends.size)
  for (const [i, name] of impl.parameters.entries()) {
    const node = params[i] ?? channel(name, undefined, builder)
    const end = bound.ends.get(i)
    const says = end && said.shift()
    if (!end || !says) {
      declare(name, 'parameter', node)
      continue
    }
    const talk = talks.parameter(name, end, node, says)
    declare(name, 'parameter', says, talk)
    declare({ ...name, text: heardPort(name.text) }, 'parameter', node, talk)
  }
  for (const s of impl.statements) {
    if (s.kind !== 'channel') continue
    const end = endPointOf(s.port, bound.scope, builder.report)
    if (end) {
      note(s.name)
      local.set(s.name.text, { name: s.name.text, what: 'channel', inputs: [], outputs: [], talk: talks.channel(s.name, end) })
      continue
    }
    const isBroken = s.port.type.kind === 'named' && isBrokenProtocol(s.port.type.name, bound.scope)
    if (!s.port.isStream && !isBroken)
      builder.report(error('spec_invalid', 'a channel carries a stream', s.port.span, "write '!' before the type"))
    declare(s.name, 'channel', channel(s.name, declaredType(s.port.type, bound.scope, builder.report), builder, s.port))
  }
  return local
}

const channel = ({ text, span }: Name, type: Process['inputs'][number]['type'], builder: Builder, port?: Port): GraphNode =>
  builder.node(
    text,
    span,
    { kind: 'pass', as: 'channel', isSelector: false, ...(port ? { port } : {}) },
    [{ name: 'input', type }],
    [{ name: 'output', type }],
  )

const checkParameters = ({ inputs, outputs, ends, name }: Bound, { parameters }: PlumbImplementation, report: Report): void => {
  const [first] = parameters
  const last = parameters.at(-1)
  const wanted = inputs.length + outputs.length - ends.size
  if (parameters.length === wanted || !first || !last) return
  const message = `'${name}' has ${wanted} ports in its signature and ${parameters.length} parameter${parameters.length === 1 ? '' : 's'}`
  report(error('arity_mismatch', message, { ...first.span, end: last.span.end }, 'one parameter a port, inputs first'))
}
