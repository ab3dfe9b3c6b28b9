// A name in a declaration that could not be parsed: known by its spelling alone, as far as the file declares it.

import type { Scope } from '../names/names.js'
import { tokenize } from '../parse/lexer.js'
import { bindingSymbol, moduleSymbol, type Occurrence, typeSymbol } from './occurrences.js'

export const fuzzyNameAt = (scope: Scope, offset: number): Occurrence | undefined => {
  const { items, span } = scope.module.program
  const holds = (place: { start: number; end: number }) => place.start <= offset && offset <= place.end
  if (items.some((item) => holds(item.span))) return undefined
  const { tokens } = tokenize(span.source, () => {})
  const at = tokens.findIndex((token) => token.kind === 'identifier' && holds(token.span))
  const name = tokens[at]
  if (!name) return undefined
  const isMember = tokens[at - 1]?.text === '.'
  const home = isMember ? scope.modules.get(tokens[at - 2]?.text ?? '') : scope
  const meaning = bindingSymbol(name.text, home) ?? typeSymbol(name.text, home) ?? (isMember ? undefined : moduleSymbol(name.text, scope))
  return meaning && { span: name.span, meaning }
}
