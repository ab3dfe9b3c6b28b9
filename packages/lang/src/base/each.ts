// each(f), bare and on streams: its input type and its options. flatten reports its lists in the same way.

import { error, type Report } from '../diagnostic/diagnostic.js'
import type { Scope } from '../names/names.js'
import type { EachAtom, MapAtom, Node, Setting } from '../parse/ast.js'
import { joinAll } from '../types/join.js'
import { printType } from '../types/print.js'
import { INT, JSON_TYPE, type Type } from '../types/type.js'
import { variantsOf } from '../types/variants.js'
import { readSetting, type SettingRule } from './setting.js'

export interface EachSettings {
  /** Maximum elements in flight. Undefined: not given. */
  readonly parallel: number | undefined
  /** A failing element is left out; else it fails its list. */
  readonly skips: boolean
}

export const eachSettings = ({ parallel, onError }: EachAtom, scope: Scope, report: Report): EachSettings => {
  if (onError && onError.value !== 'skip' && onError.value !== 'fail') {
    report(error('type_mismatch', `'on_error' is "skip" or "fail"`, onError.span))
  }
  return { parallel: parallelOf(parallel, scope, report), skips: onError?.value === 'skip' }
}

/** The value of `parallel`. Undefined: not given, or wrong and reported. */
export const parallelOf = (parallel: Setting | undefined, scope: Scope, report: Report): number | undefined =>
  parallel && readSetting(parallel, PARALLEL, scope, report)

export const isPositiveInteger = (value: number): boolean => Number.isSafeInteger(value) && value >= 1

const PARALLEL: SettingRule = { type: INT, isRight: isPositiveInteger, message: "'parallel' is a whole number from 1" }

/** For a map whose expression is not the name of a binding. */
export const refuseParallel = ({ parallel }: MapAtom, report: Report): void => {
  const message = "'parallel' says how many calls of a tool run at once, and this map calls none"
  if (parallel) report(error('type_mismatch', message, parallel.span, "write the name of a tool: 'map(fetch, parallel: 8)'"))
}

const HELP = {
  each: 'it runs on every element of a list and gives a list back',
  flatten: 'on streams it sends each element of a list on its own; bare it joins the lists in a list',
}

/** The type of the elements. Undefined: not a list, which was reported. */
export const elementUnder = (list: Type, word: keyof typeof HELP, at: Node, report: Report): Type | undefined => {
  const element = elementOf(list)
  if (!element) report(error('type_mismatch', `'${word}' takes a list, it is given '${printType(list)}'`, at.span, HELP[word]))
  return element
}

// For an array, a tuple, or a sum of these; for json, which is checked at run time. Undefined: not a list, or its parts have no common
// type.
const elementOf = (list: Type): Type | undefined => {
  const elements: Type[] = []
  for (const variant of variantsOf(list)) {
    if (variant.kind === 'json') elements.push(JSON_TYPE)
    else if (variant.kind === 'array') elements.push(variant.item)
    else if (variant.kind === 'tuple') elements.push(...variant.items)
    else return undefined
  }
  return joinAll(elements)
}
