// Declarations as one line, as a user would write them.

import type { Span } from '../diagnostic/source.js'
import type { Bound, EndPoint, Protocol } from '../names/names.js'
import { writesLabel } from '../parse/visit.js'
import { printEndPoint } from '../protocol/end-point.js'
import { printType } from '../types/print.js'
import type { Type } from '../types/type.js'
import type { SymbolInfo } from './symbol.js'

export const signatureOf = (meaning: SymbolInfo): string => {
  switch (meaning.kind) {
    case 'binding':
      return `let ${meaning.bound.name}${writtenSignature(meaning.bound)} = ${implementation(meaning.bound)}`
    case 'param':
      return sliceOf(meaning.param.declaration.span)
    case 'type':
      return sliceOf(meaning.declaration.span)
    case 'protocol':
      return [sliceOf(meaning.protocol.declaration.span), ...statesOf(meaning.protocol)].join('\n')
    case 'module':
      return sliceOf(meaning.use.span)
    case 'parameter': {
      const end = endOf(meaning.bound, meaning.name.text)
      if (end) return `${meaning.name.text} : ${printEndPoint(end)}  (* end of ${meaning.bound.name} *)`
      const direction = isInput(meaning.bound, meaning.name.text) ? 'input' : 'output'
      return `${meaning.name.text} : !${printPortType(meaning.port?.type)}  (* ${direction} of ${meaning.bound.name} *)`
    }
    case 'channel':
      if (!meaning.statement.port.isStream) return sliceOf(meaning.statement.span)
      return `let ${meaning.statement.name.text} : !${printPortType(meaning.type)} = channel`
    case 'local':
      return `${meaning.name.text} : ${printPortType(meaning.type)}`
    case 'port':
      return `${meaning.of}@${meaning.port.name} : !${printPortType(meaning.port.type)}`
  }
}

/** A comment a state: what may come there, and to which state it leads. */
const statesOf = ({ automaton }: Protocol): readonly string[] =>
  (automaton?.states ?? []).map(({ edges, mayEnd }, state) => {
    const ways = edges.map(({ kind, label, to }) => `${kind === 'call' || kind === 'choose' ? label : `${kind} ${label}`} -> ${to}`)
    return `(* ${state}: ${[...ways, ...(mayEnd ? ['end'] : [])].join(', ')} *)`
  })

/** As `printSignature`, with the labels that are written: types have none. */
export const writtenSignature = (bound: Bound): string => {
  const { signature } = bound.binding
  if (!signature || !writesLabel(signature)) return printSignature(bound)
  return ` : ${sliceOf(signature.span).replace(/\s+/g, ' ')}`
}

/** `: !string -> !Review`, or nothing for a config value. */
export const printSignature = ({ category, inputs, outputs, ends, binding }: Bound): string => {
  if (ends.size > 0 && binding.signature) return ` : ${sliceOf(binding.signature.span).replace(/\s+/g, ' ')}`
  if (category === 'value' || outputs.length === 0) return ''
  const mark = category === 'stream' ? '!' : ''
  const side = (types: Bound['inputs']) => {
    const ports = types.map((type) => mark + printPortType(type))
    return ports.length === 1 ? ports[0] : `(${ports.join(', ')})`
  }
  return ` : ${side(inputs)} -> ${side(outputs)}`
}

export const printPortType = (type: Type | undefined): string => (type ? printType(type) : '?')

const implementation = ({ binding: { impl } }: Bound): string => {
  if (impl.kind === 'agent' || impl.kind === 'tool') return `${impl.kind} { … }`
  if (impl.kind === 'plumb') return `plumb(${impl.parameters.map((p) => p.text).join(', ')}) { … }`
  return impl.kind === 'object' ? '{ … }' : sliceOf(impl.span)
}

const endOf = ({ binding: { impl }, ends }: Bound, name: string): EndPoint | undefined =>
  impl.kind === 'plumb' ? ends.get(impl.parameters.findIndex((p) => p.text === name)) : undefined

const isInput = ({ binding: { impl }, inputs }: Bound, name: string): boolean =>
  impl.kind === 'plumb' && impl.parameters.findIndex((p) => p.text === name) < inputs.length

const sliceOf = ({ source, start, end }: Span): string => source.text.slice(start, end)
