// Where the name under a place is declared: bindings, types, channels, parameters, modules, and the fields of named types.

import type { Compiled } from '../compile.js'
import type { Span } from '../diagnostic/source.js'
import { bindingAround, expressionAt, isOnField } from './expression-at.js'
import { fieldDeclaration } from './field-declaration.js'
import { flowOf } from './flow.js'
import { fuzzyNameAt } from './fuzzy-name.js'
import { occurrenceAt } from './occurrences.js'
import { isOf, pathAt } from './path-at.js'
import { declarationOf } from './symbol.js'

/** The declared name itself; of a module the beginning of its file. */
export const definitionAt = ({ program }: Compiled, offset: number): Span | undefined => {
  const occurrence = occurrenceAt(program.entry, offset) ?? fuzzyNameAt(program.entry, offset)
  if (occurrence) return declarationOf(occurrence.meaning)
  const path = pathAt(program.entry.module.program, offset)
  const place = expressionAt(path, program)
  if (place) {
    const { part, input, known } = place
    if (isOnField(part, path)) {
      const of = known.facts.get(part.of)
      return of && fieldDeclaration(of.type, part.field.text, program)
    }
    const meaning = part.kind === 'name' ? known.meanings.get(part) : undefined
    if (meaning?.kind === 'local') return meaning.local.declared?.span
    return part.kind === 'name' && input ? fieldDeclaration(input, part.name, program) : undefined
  }
  // `.field` of a chain.
  const field = path.findLast(isOf('field'))
  const bound = bindingAround(path, program)
  if (!field || !bound || !('field' in field)) return undefined
  const name = field.field as { readonly text: string } & (typeof path)[number]
  const input = flowOf(bound).inputs.get(name)
  return path.at(-1) === name && input ? fieldDeclaration(input, name.text, program) : undefined
}
