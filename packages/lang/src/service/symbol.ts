// What a name in a program can mean.

import type { Span } from '../diagnostic/source.js'
import type { Bound, Param, Protocol, Scope } from '../names/names.js'
import type { ChannelStatement, Name, TypeDeclaration, Use } from '../parse/ast.js'
import type { GraphPort } from '../plan/graph.js'
import { portsOfInstance } from '../plan/instance.js'
import { ERROR_PORT } from '../types/failure.js'
import type { Type } from '../types/type.js'

export type SymbolInfo =
  | { readonly kind: 'binding'; readonly bound: Bound }
  | { readonly kind: 'param'; readonly param: Param }
  | { readonly kind: 'type'; readonly declaration: TypeDeclaration; readonly scope: Scope }
  | { readonly kind: 'protocol'; readonly protocol: Protocol }
  /** `scope` is undefined where the module did not load. */
  | { readonly kind: 'module'; readonly use: Use; readonly scope: Scope | undefined }
  | { readonly kind: 'parameter'; readonly bound: Bound; readonly name: Name; readonly port: GraphPort | undefined }
  | { readonly kind: 'channel'; readonly bound: Bound; readonly statement: ChannelStatement; readonly type: Type | undefined }
  /** A name of `for` or of `->`. */
  | { readonly kind: 'local'; readonly name: Name; readonly type: Type }
  /** A port that the language names: of an agent, a chain or a channel. */
  | { readonly kind: 'port'; readonly of: string; readonly port: GraphPort; readonly bound: Bound | undefined }

/** Where it gets its name; a port of the language's naming has that of its process. */
export const declarationOf = (meaning: SymbolInfo): Span | undefined => {
  switch (meaning.kind) {
    case 'binding':
      return meaning.bound.binding.name.span
    case 'param':
      return meaning.param.declaration.name.span
    case 'type':
      return meaning.declaration.name.span
    case 'protocol':
      return meaning.protocol.declaration.name.span
    case 'module':
      return meaning.scope && { ...meaning.scope.module.program.span, end: 0 }
    case 'parameter':
    case 'local':
      return meaning.name.span
    case 'channel':
      return meaning.statement.name.span
    case 'port':
      return meaning.bound?.binding.name.span
  }
}

/** The ports of a stream binding by name: inputs, then outputs. */
export const portsNamed = (bound: Bound): GraphPort[] => {
  if (bound.category !== 'stream') return []
  const { inputs, outputs } = portsOfInstance(bound)
  return [...inputs, ...outputs]
}

/** And the one that every process has, unless it names another one so. */
export const portsWithError = (bound: Bound): GraphPort[] => {
  const ports = portsNamed(bound)
  return bound.category !== 'stream' || ports.some(({ name }) => name === ERROR_PORT.name) ? ports : [...ports, ERROR_PORT]
}

/** One of them: those of a plumb are its parameters. */
export const portOf = (bound: Bound, name: string): SymbolInfo | undefined => {
  const port = portsWithError(bound).find((p) => p.name === name)
  if (!port) return undefined
  const { impl } = bound.binding
  const parameter = impl.kind === 'plumb' ? impl.parameters.find((p) => p.text === name) : undefined
  return parameter ? { kind: 'parameter', bound, name: parameter, port } : { kind: 'port', of: bound.name, port, bound }
}
