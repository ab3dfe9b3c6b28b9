// The functions of lists.

import { unite } from '../../types/join.js'
import { isInt, isJson, listsOf } from '../../types/kind.js'
import { BOOL, INT, JSON_TYPE, NUMBER, type Type } from '../../types/type.js'
import type { Function } from './function.js'
import * as list from './list.js'

/** The properties of a function; it returns a value if `result` is left out. */
export type FunctionRow = Omit<Function, 'name' | 'gives' | 'result' | 'id'> & {
  readonly gives: Type | Function['gives']
  readonly result?: Function['result']
}

/** Of a list, or of a value that may turn out to be one. */
export const itemTypeOf = (type: Type | undefined): Type => {
  if (!type || isJson(type)) return JSON_TYPE
  return unite((listsOf(type) ?? []).flatMap((l) => (l.kind === 'array' ? [l.item] : l.items)))
}

const arrayOf = (item: Type): Type => ({ kind: 'array', item })
const itemOf: Function['gives'] = ([type]) => itemTypeOf(type)
const sameItems: Function['gives'] = ([type]) => arrayOf(itemTypeOf(type))
const isListOfInts = ([type]: readonly Type[]): boolean => type !== undefined && !isJson(type) && isInt(itemTypeOf(type))

const groups: Function['gives'] = ([type], key) =>
  arrayOf({
    kind: 'record',
    fields: [
      { name: 'key', type: key ?? JSON_TYPE, isOptional: false },
      { name: 'items', type: arrayOf(itemTypeOf(type)), isOptional: false },
    ],
  })

// biome-ignore format: a table
export const listFunctions = (): readonly FunctionRow[] => [
  { usage: 'first(xs)', text: 'The first item; fails for an empty list.', takes: ['list'], gives: itemOf, run: list.first, result: 'moved' },
  { usage: 'last(xs)', text: 'The last item; fails for an empty list.', takes: ['list'], gives: itemOf, run: list.last, result: 'moved' },
  { usage: 'reverse(xs)', text: 'The items from the last to the first.', takes: ['list'], gives: sameItems, run: list.reverse, result: 'moved' },
  { usage: 'flatten(xss)', text: 'The items of all lists of a list, one behind the other.', takes: ['lists'], gives: ([type]) => arrayOf(itemTypeOf(itemTypeOf(type))), run: list.flatten, result: 'moved' },
  { usage: 'unique(xs, x -> key)', text: 'The items without those equal to an earlier one, or with an equal key.', takes: ['list'], key: 'may', gives: sameItems, run: list.unique, result: 'moved' },
  { usage: 'sort(xs, x -> key)', text: 'The items in the order of numbers or strings, or of their keys; stable.', takes: ['ordered'], key: 'may', gives: sameItems, run: list.sort, result: 'moved' },
  { usage: 'group(xs, x -> key)', text: 'The items by their keys: { key, items } for each, in order of first appearance.', takes: ['list'], key: 'must', gives: groups, run: list.groupItems, result: 'moved' },
  { usage: 'sum(xs)', text: 'The sum of the numbers; 0 for none.', takes: ['ints'], only: isListOfInts, gives: INT, run: list.sumInts, reduction: { start: 0, step: list.addInt } },
  { usage: 'sum(xs)', text: 'The sum of the numbers; 0 for none.', takes: ['numbers'], gives: NUMBER, run: list.sumNumbers, reduction: { start: 0, step: list.addNumber } },
  { usage: 'min(xs, x -> key)', text: 'The least item, or that with the least key; fails for an empty list.', takes: ['ordered'], key: 'may', gives: itemOf, run: list.least, result: 'moved' },
  { usage: 'max(xs, x -> key)', text: 'The greatest item, or that with the greatest key; fails for an empty list.', takes: ['ordered'], key: 'may', gives: itemOf, run: list.greatest, result: 'moved' },
  { usage: 'any(xs)', text: 'Is one of the bools true?', takes: ['bools'], gives: BOOL, run: list.any, reduction: { start: false, step: list.isEither } },
  { usage: 'all(xs)', text: 'Are all the bools true?', takes: ['bools'], gives: BOOL, run: list.all, reduction: { start: true, step: list.areBoth } },
  { usage: 'range(n)', text: 'The ints from 0 to n - 1.', takes: ['int'], gives: arrayOf(INT), run: list.range, result: 'moved' },
  { usage: 'zip(xs, ys)', text: 'Pairs of the items of two lists, as many as the shorter has.', takes: ['list', 'list'], gives: ([a, b]) => arrayOf({ kind: 'tuple', items: [itemTypeOf(a), itemTypeOf(b)] }), run: list.zip, result: 'moved' },
  { usage: 'contains(xs, x)', text: 'Is it an item of the list?', takes: ['list', 'item'], only: ([type]) => type !== undefined && !isJson(type) && listsOf(type) !== undefined, gives: BOOL, run: (xs: Parameters<typeof list.indexIn>[0], x: Parameters<typeof list.indexIn>[1]) => list.indexIn(xs, x) >= 0 },
  { usage: 'index(xs, x)', text: 'Where it is in the list, from 0; -1 if it does not.', takes: ['list', 'item'], gives: INT, run: list.indexIn },
]
