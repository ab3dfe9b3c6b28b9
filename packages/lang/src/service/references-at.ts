// Every place where the name under a place means the same, in all programs that are open.

import type { Compiled } from '../compile.js'
import type { Span } from '../diagnostic/source.js'
import { type Occurrence, occurrenceAt, occurrencesIn } from './occurrences.js'
import { declarationOf } from './symbol.js'

export interface NameReference {
  readonly span: Span
  /** It is the name in the declaration itself. */
  readonly isDeclaration: boolean
}

/** `others` are the other open programs. Undefined: no name of a declaration is here. */
export const referencesAt = (compiled: Compiled, others: readonly Compiled[], offset: number): readonly NameReference[] | undefined => {
  const occurrence = occurrenceAt(compiled.program.entry, offset)
  const declaration = occurrence && declarationOf(occurrence.meaning)
  if (!occurrence || !declaration) return undefined
  return sameMeaning([compiled, ...others], occurrence).map(({ span }) => ({ span, isDeclaration: spanKey(span) === spanKey(declaration) }))
}

/** Each place once, in the order of the programs. */
export const sameMeaning = (programs: readonly Compiled[], occurrence: Occurrence): readonly Occurrence[] => {
  const id = idOf(occurrence)
  return [...new Map(everyOccurrence(programs).flatMap((o) => (idOf(o) === id ? [[spanKey(o.span), o] as const] : []))).values()]
}

export const everyOccurrence = (programs: readonly Compiled[]): Occurrence[] =>
  programs.flatMap(({ program }) => program.scopes.flatMap(occurrencesIn))

export const spanKey = ({ source, start }: Span): string => `${source.path}\u0000${start}`

const idOf = ({ meaning }: Occurrence): string | undefined => {
  const declaration = declarationOf(meaning)
  return declaration && meaning.kind !== 'port' ? `${meaning.kind}\u0000${spanKey(declaration)}` : undefined
}
