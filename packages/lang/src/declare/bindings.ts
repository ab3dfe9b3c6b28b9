// Bindings by name, each with the types of its signature and its category.

import type { Code } from '@plumb/wire/error'
import { error, type Report, reportDuplicate } from '../diagnostic/diagnostic.js'
import type { Span } from '../diagnostic/source.js'
import type { EndPoint } from '../names/names.js'
import { type Bound, findProtocol, resolveProtocol, resolveType, type Scope } from '../names/names.js'
import type { Binding, Port, QualifiedName } from '../parse/ast.js'
import { heardBy, saidBy } from '../protocol/end-point.js'
import { type AnnotationTable, readAnnotations } from './annotations.js'
import { declaredType } from './declare.js'

export const declareBindings = (scope: Scope, report: Report): void => {
  for (const item of scope.module.program.items) {
    if (item.kind !== 'binding') continue
    const first = scope.bindings.get(item.name.text)?.binding ?? scope.params.get(item.name.text)?.declaration
    if (first) reportDuplicate('binding', item.name.text, first.name.span, item.name.span, report)
    else scope.bindings.set(item.name.text, declare(item, scope, report))
  }
}

const ANNOTATIONS: AnnotationTable = { description: 'string', serve: 'path', shared: 'boolean', tool: 'boolean', version: 'string' }

const declare = (binding: Binding, scope: Scope, report: Report): Bound => {
  const { name, signature, impl } = binding
  const annotations = readAnnotations(binding.annotations, ANNOTATIONS, 'a binding', report)
  const description = annotations.get('description')
  const version = annotations.get('version')
  const ends = endsOf(binding, scope, report)
  const category = categoryOf(binding, ends, scope, report)
  if (annotations.has('tool') && (category === 'stream' || category === 'value')) {
    const span = binding.annotations.find((a) => a.name.text === 'tool')?.span ?? name.span
    const help = category === 'stream' ? `lower it: 'let … = tool { process: ${name.text} }'` : undefined
    report(error('annotation_invalid', "'@tool' belongs above a bare morphism (base category)", span, help))
  }
  if (annotations.has('serve') && category !== 'stream' && category !== 'unknown') {
    const span = binding.annotations.find((a) => a.name.text === 'serve')?.span ?? name.span
    const help = "plumb-serve serves a tool under '@tool true' with --tools"
    report(error('annotation_invalid', "'@serve' belongs above a binding of streams", span, help))
  }
  const shared = binding.annotations.find((a) => a.name.text === 'shared')
  if (shared && category !== 'stream' && category !== 'unknown')
    report(error('annotation_invalid', "'@shared' belongs above a binding of streams", shared.span))
  const served = annotations.get('serve')
  return {
    name: name.text,
    binding,
    scope,
    category,
    inputs: (signature?.inputs ?? []).map((port, i) => typeOfPort(port, ends.get(i), scope, report)),
    outputs: [
      ...(signature?.outputs ?? []).map((port) => typeOfPort(port, undefined, scope, report)),
      ...(impl.kind === 'agent' ? [] : [...ends.values()].map(saidBy)),
    ],
    ends,
    isTool: category === 'base' && (impl.kind === 'tool' || annotations.get('tool') === true),
    ...(typeof description === 'string' ? { description } : {}),
    ...(typeof version === 'string' ? { version } : {}),
    ...(annotations.get('shared') === true ? { isShared: true } : {}),
    ...(served === undefined ? {} : { served: typeof served === 'string' ? served : `/${name.text}` }),
  }
}

/** Of an end point what comes to it. */
const typeOfPort = (port: Port, end: EndPoint | undefined, scope: Scope, report: Report): Bound['inputs'][number] => {
  if (end) return heardBy(end)
  return port.isDual ? undefined : declaredType(port.type, scope, report)
}

/** The end points of a signature stand among its inputs. */
const endsOf = ({ signature }: Binding, scope: Scope, report: Report): Bound['ends'] => {
  const ends = new Map<number, EndPoint>()
  for (const [i, port] of (signature?.inputs ?? []).entries()) {
    const end = endPointOf(port, scope, report)
    if (end) ends.set(i, end)
  }
  for (const port of signature?.outputs ?? []) {
    if (!port.isDual) continue
    const help = 'what it says leaves by the same end point as what comes'
    report(error('protocol_invalid', 'an end of a conversation stands among the inputs', port.span, help))
  }
  return ends
}

/** Undefined: it is a stream or a bare type, or has an error, already reported. */
export const endPointOf = ({ isStream, isDual = false, type, span }: Port, scope: Scope, report: Report): EndPoint | undefined => {
  if (isStream || type.kind !== 'named') return undefined
  const protocol = isDual ? findProtocol(type.name, scope, report) : resolveProtocol(type.name, scope)
  if (!protocol || protocol === 'unknown') return undefined
  if (protocol.use === 'tools') {
    const help = "an agent holds to it with 'protocol: NAME'; between processes messages are sent and received"
    report(error('protocol_invalid', `'${protocol.name}' is a protocol for tools, not for a conversation`, span, help))
  }
  return { protocol, isDual, span }
}

/** It has a syntax error, which is told there. */
export const isBrokenProtocol = ({ module, name }: QualifiedName, scope: Scope): boolean =>
  (module ? scope.modules.get(module.text) : scope)?.module.program.broken.get(name.text)?.kind === 'protocol'

const categoryOf = ({ name, signature, impl }: Binding, ends: Bound['ends'], scope: Scope, report: Report): Bound['category'] => {
  const fail = (message: string, span: Span, help?: string, code: Code = 'spec_invalid'): 'unknown' => {
    report(error(code, message, span, help))
    return 'unknown'
  }
  if (impl.kind === 'object') {
    if (!signature) return 'value'
    return fail(
      `'${name.text}' is a config value and has no signature`,
      name.span,
      "write 'agent { … }' or 'tool { … }', or drop the signature",
    )
  }
  if (!signature)
    return fail(`'${name.text}' has no signature`, name.span, `write its ports, as in 'let ${name.text} : !string -> !string = …'`)
  const { inputs, outputs, span } = signature
  // What is wrong with an end has been told.
  if (inputs.some(({ isDual }, i) => isDual && !ends.has(i)) || outputs.some(({ isDual }) => isDual)) return 'unknown'
  const ports = [...inputs.filter((_, i) => !ends.has(i)), ...outputs]
  if (ports.some(({ type }) => type.kind === 'named' && (resolveProtocol(type.name, scope) || isBrokenProtocol(type.name, scope)))) {
    return 'unknown'
  }
  // What has no such name may be meant as a protocol.
  if (ports.some(({ type, isStream }) => !isStream && type.kind === 'named' && !resolveType(type.name, scope))) return 'unknown'
  if (ends.size > 0 && impl.kind !== 'agent' && impl.kind !== 'plumb') {
    const message = `'${name.text}' is ${impl.kind === 'tool' ? 'a tool' : 'a chain'}, which holds no conversation`
    return fail(message, [...ends.values()][0]?.span ?? span, 'ends of conversations are given to agents and plumbs', 'protocol_invalid')
  }
  const bare = ports.find((p) => !p.isStream)
  if (bare && ports.some((p) => p.isStream)) {
    return fail('bare types and streams are mixed in one signature', bare.span, "write '!' before each type, or before none")
  }
  if (outputs.length === 0 && ends.size === 0) return fail(`'${name.text}' has no output`, span)
  if (!bare) {
    if (impl.kind === 'tool')
      return fail('a tool has bare types (base category)', span, "drop the '!': a tool takes one message and gives one result")
    return 'stream'
  }
  if (impl.kind === 'agent' || impl.kind === 'plumb') {
    return fail(
      `${impl.kind === 'agent' ? 'an agent' : 'a plumb'} has stream types`,
      bare.span,
      `write '!' before each type; 'tool { process: … }' makes a tool of it`,
    )
  }
  if (inputs.length === 0) return fail(`'${name.text}' takes no message`, span, 'a bare morphism takes one message and gives one result')
  return 'base'
}
