// Operations on values whose kind is only known at run time.

import { expectIndex, expectList, expectNumber, expectString, kindOfValue, stringOfValue } from './coerce.js'
import { failEvaluation, type Site } from './failure.js'
import { concat, indexIn, sliceList } from './list.js'
import { add as addNumbers } from './number.js'
import { describe, type FieldKey, fieldIn, itemIn, keyOf, peekItem, type RuntimeValue, type Slice } from './slice.js'
import { sliceText } from './text.js'

/** `+` of two strings, two lists or two numbers. */
export const add = (a: RuntimeValue, b: RuntimeValue, site: Site): RuntimeValue => {
  const kind = kindOfValue(a)
  if (kind === 'string') return stringOfValue(a) + expectString(b, site)
  if (kind === 'list') return concat(a as Slice, expectList(b, site))
  return addNumbers(expectNumber(a, site), expectNumber(b, site), site)
}

/** `x[from:to]` of a string or a list. */
export const sliceAny = (value: RuntimeValue, from: number | undefined, to: number | undefined, site: Site): RuntimeValue => {
  const kind = kindOfValue(value)
  if (kind === 'string') return sliceText(stringOfValue(value), from, to)
  return kind === 'list' ? sliceList(value as Slice, from, to) : failEvaluation(site, `${describe(value)} is neither a string nor a list`)
}

/** `x[at]`: the field of that name, or the item. */
export const partIn = (value: RuntimeValue, at: RuntimeValue, site: Site, siteOfAt: Site): Slice =>
  kindOfValue(at) === 'string' ? fieldIn(value, keyOf(stringOfValue(at)), site) : itemIn(value, expectIndex(at, siteOfAt), site)

/** The same for what may be absent; `peek` finds the field. */
export const peekPart = <Found>(
  value: RuntimeValue | undefined,
  at: RuntimeValue,
  site: Site,
  siteOfAt: Site,
  peek: (value: RuntimeValue | undefined, key: FieldKey, site: Site) => Found | undefined,
): Found | Slice | undefined =>
  kindOfValue(at) === 'string' ? peek(value, keyOf(stringOfValue(at)), site) : peekItem(value, expectIndex(at, siteOfAt), site)

/** Whether the second contains the first, as a part of a string or an item of a list. */
export const containsAny = (value: RuntimeValue, part: RuntimeValue, site: Site): boolean =>
  kindOfValue(value) === 'string' ? stringOfValue(value).includes(expectString(part, site)) : indexIn(expectList(value, site), part) >= 0
