// The interface of a function of the language. The rows are in function-table.ts and list-function.ts.

import type { Type } from '../../types/type.js'
import type { Site } from './failure.js'
import type { RuntimeValue } from './slice.js'

/**
 * What an argument has to be. A json is taken everywhere and looked at when it is there.
 *
 *   sized     a string or a list                   ints, numbers, bools, strings, lists    a list of such
 *   pattern   a string: a regular expression       ordered   a list of numbers or of strings; with a key, any list
 *   item      what an item of the first can equal     object    a map or a record
 *   entries   a list of { key, value }                map       a map, or json
 *   numeric   a number as it is written               real      a number of any size, as a double that is near
 *   rows      a list of lists of strings
 */
export type Parameter =
  | 'string'
  | 'number'
  | 'numeric'
  | 'real'
  | 'int'
  | 'sized'
  | 'pattern'
  | 'list'
  | 'ints'
  | 'numbers'
  | 'bools'
  | 'strings'
  | 'lists'
  | 'ordered'
  | 'item'
  | 'object'
  | 'map'
  | 'rows'
  | 'entries'
  | 'any'

export interface Reduction {
  readonly start: number | boolean
  readonly step: (result: never, item: RuntimeValue, site: Site) => number | boolean
}

export interface Function {
  readonly name: string
  /** As a help line shows it. */
  readonly usage: string
  /** The result, in a line. */
  readonly text: string
  readonly takes: readonly Parameter[]
  /** A function `x -> e` of an item after the arguments: optional, or required. */
  readonly key?: 'may' | 'must'
  /** Of several functions of one name the first that accepts the arguments is called; this one only for these types. */
  readonly only?: (types: readonly Type[]) => boolean
  readonly gives: (types: readonly Type[], key: Type | undefined) => Type
  /**
   * Arguments as `takes` says: strings, numbers and patterns as JavaScript's own, `strings` as an array of them, all others as
   * `RuntimeValue`; then the key, if it can have one; then the site.
   */
  readonly run: (...args: never[]) => unknown
  /** 'strings': an array of them. 'moved': a `RuntimeValue` that keeps its text. */
  readonly result: 'value' | 'strings' | 'moved'
  /** Takes the items one by one: a comprehension makes no list. */
  readonly reduction?: Reduction
  /** Its name in generated code. */
  readonly id: string
}
