// What each name of a file stands for, so that an editor can colour it by its meaning and not by its spelling.

import type { Compiled } from '../compile.js'
import type { Span } from '../diagnostic/source.js'
import { unreachable } from '../diagnostic/unreachable.js'
import { occurrencesIn } from './occurrences.js'
import { declarationOf, type SymbolInfo } from './symbol.js'

export const TOKEN_KINDS = ['namespace', 'type', 'function', 'method', 'variable', 'parameter', 'property'] as const

export interface NameToken {
  readonly span: Span
  readonly kind: (typeof TOKEN_KINDS)[number]
  readonly isDeclaration: boolean
}

/** In their order in the text; none overlaps another. */
export const tokensIn = ({ program }: Compiled): readonly NameToken[] => {
  const { entry } = program
  const tokens = occurrencesIn(entry)
    .filter(({ span }) => span.source.path === entry.module.path)
    .map(({ span, meaning }): NameToken => ({ span, kind: kindOf(meaning), isDeclaration: isSame(declarationOf(meaning), span) }))
    .sort((a, b) => a.span.start - b.span.start)
  return tokens.filter(({ span }, i) => i === 0 || span.start >= (tokens[i - 1]?.span.end ?? 0))
}

const isSame = (declaration: Span | undefined, span: Span): boolean =>
  declaration?.start === span.start && declaration.source.path === span.source.path

const kindOf = (meaning: SymbolInfo): NameToken['kind'] => {
  switch (meaning.kind) {
    case 'module':
      return 'namespace'
    case 'type':
    case 'protocol':
      return 'type'
    case 'binding':
      return meaning.bound.category === 'stream' ? 'function' : meaning.bound.category === 'base' ? 'method' : 'variable'
    case 'param':
    case 'channel':
      return 'variable'
    case 'parameter':
    case 'local':
      return 'parameter'
    case 'port':
      return 'property'
    default:
      return unreachable(meaning)
  }
}
