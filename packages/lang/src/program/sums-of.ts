// The sums that are written in a file, in its types and signatures, with the place of each variant.

import type { Span } from '../diagnostic/source.js'
import type { Scope } from '../names/names.js'
import type { TypeExpression } from '../parse/ast.js'
import type { SumType, Type } from '../types/type.js'

export interface WrittenSum {
  readonly sum: SumType
  /** The type or the binding that it is in. */
  readonly of: string
  /** Of its variants; of the whole where a variant is a sum itself. */
  readonly spans: readonly Span[]
}

export const sumsOf = ({ module, types, bindings }: Scope): readonly WrittenSum[] => {
  const found: WrittenSum[] = []
  for (const item of module.program.items) {
    if (item.kind === 'type') {
      const type = types.get(item.name.text)
      if (type) pair(item.name.text, type.target, item.type, found)
    }
    const bound = item.kind === 'binding' ? bindings.get(item.name.text) : undefined
    if (item.kind !== 'binding' || !bound || !item.signature) continue
    for (const [i, port] of item.signature.inputs.entries()) pair(bound.name, bound.inputs[i], port.type, found)
    for (const [i, port] of item.signature.outputs.entries()) pair(bound.name, bound.outputs[i], port.type, found)
  }
  return found
}

const pair = (of: string, type: Type | undefined, e: TypeExpression, found: WrittenSum[]): void => {
  if (type?.kind === 'sum' && e.kind === 'sum') {
    const isEach = type.variants.length === e.variants.length
    found.push({ sum: type, of, spans: isEach ? e.variants.map(({ span }) => span) : [e.span] })
    if (isEach) for (const [i, variant] of e.variants.entries()) pair(of, type.variants[i], variant, found)
  } else if (type?.kind === 'record' && e.kind === 'record') {
    for (const field of e.fields) pair(of, type.fields.find(({ name }) => name === field.name.text)?.type, field.type, found)
  } else if ((type?.kind === 'array' && e.kind === 'array') || (type?.kind === 'map' && e.kind === 'map'))
    pair(of, type.item, e.item, found)
  else if (type?.kind === 'tuple' && e.kind === 'tuple') for (const [i, item] of e.items.entries()) pair(of, type.items[i], item, found)
}
