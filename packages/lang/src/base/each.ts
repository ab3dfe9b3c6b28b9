// each(f), bare and on streams: what it takes, and what its options say. The lists of flatten are told in the same way.

import { error, type Report } from '../diagnostic/diagnostic.js'
import type { EachAtom, Literal, Node } from '../parse/ast.js'
import { elementOf } from '../types/element.js'
import { printType } from '../types/print.js'
import type { Type } from '../types/type.js'

export interface EachSettings {
  /** Elements in hand at once; undefined: it does not say. */
  readonly parallel: number | undefined
  /** An element that fails is left out; else it fails its list. */
  readonly skips: boolean
}

export const eachSettings = ({ parallel, onError }: EachAtom, report: Report): EachSettings => {
  const refuse = (message: string, { span }: Literal) => report(error('type_mismatch', message, span))
  const count = parallel?.value
  const isCount = typeof count === 'number' && Number.isSafeInteger(count) && count >= 1
  if (parallel && !isCount) refuse("'parallel' is a whole number from 1", parallel)
  if (onError && onError.value !== 'skip' && onError.value !== 'fail') refuse(`'on_error' is "skip" or "fail"`, onError)
  return { parallel: isCount ? count : undefined, skips: onError?.value === 'skip' }
}

const HELP = {
  each: 'it runs on every element of a list and gives a list back',
  flatten: 'on streams it sends each element of a list on its own; bare it joins the lists in a list',
}

/** The type of the elements; undefined where there are none, then reported. */
export const elementUnder = (list: Type, word: keyof typeof HELP, at: Node, report: Report): Type | undefined => {
  const element = elementOf(list)
  if (!element) report(error('type_mismatch', `'${word}' takes a list, it is given '${printType(list)}'`, at.span, HELP[word]))
  return element
}
