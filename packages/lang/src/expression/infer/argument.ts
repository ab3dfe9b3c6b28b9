// Whether an argument suits its parameter. A json always does.

import { compilePattern } from '@plumb/wire/pattern'
import { preview } from '@plumb/wire/preview'
import type { Span } from '../../diagnostic/source.js'
import { unreachable } from '../../diagnostic/unreachable.js'
import type { Expression } from '../../parse/ast.js'
import { findShared } from '../../types/disjoint.js'
import { isBool, isInt, isJson, isNumber, isString, listsOf, mapsOf, objectsOf } from '../../types/kind.js'
import { STRING, type Type } from '../../types/type.js'
import { variantsOf } from '../../types/variants.js'
import type { Function, Parameter } from '../run/function.js'
import { itemTypeOf } from '../run/list-function.js'
import { type Context, show, sourceOf } from './context.js'
import { fieldsOf } from './fields.js'
import { requireNumber, requireString } from './operator.js'

/** A list whose items are, or could be, of a kind. */
const isListOf = (type: Type, kind: (item: Type) => boolean): boolean => {
  const item = itemTypeOf(type)
  return listsOf(type) !== undefined && (isJson(item) || kind(item))
}

/** A record that has both fields, always; also an item of an empty list. */
const isEntry = (type: Type): boolean => {
  if (variantsOf(type).length === 0) return true
  const fields = fieldsOf(type)
  const key = fields?.get('key')
  return key?.absence === 'never' && (isJson(key.type) || isString(key.type)) && fields?.get('value')?.absence === 'never'
}

const isOrdered = (type: Type): boolean => isJson(type) || isNumber(type) || isString(type)

const isParameter = (parameter: Parameter, type: Type, first: Type, hasKey: boolean): boolean => {
  if (isJson(type)) return true
  switch (parameter) {
    case 'any':
      return true
    case 'string':
    case 'pattern':
      return isString(type)
    case 'number':
    case 'numeric':
    case 'real':
      return isNumber(type)
    case 'int':
      return isInt(type)
    case 'sized':
      return isString(type) || listsOf(type) !== undefined
    case 'list':
      return listsOf(type) !== undefined
    case 'ints':
      return isListOf(type, isInt)
    case 'numbers':
      return isListOf(type, isNumber)
    case 'bools':
      return isListOf(type, isBool)
    case 'strings':
      return isListOf(type, isString)
    case 'lists':
      return isListOf(type, (item) => listsOf(item) !== undefined)
    case 'ordered':
      return hasKey ? listsOf(type) !== undefined : isListOf(type, isOrdered)
    case 'object':
      return objectsOf(type) !== undefined
    case 'map':
      return mapsOf(type) !== undefined
    case 'rows':
      return isListOf(type, (item) => isListOf(item, isString))
    case 'entries':
      return isListOf(type, isEntry)
    case 'item': {
      const item = itemTypeOf(first)
      return variantsOf(item).length === 0 || findShared(item, type) !== undefined
    }
    default:
      return unreachable(parameter)
  }
}

export const fits = (types: readonly Type[], i: number, { takes }: Function, hasKey: boolean): boolean =>
  isParameter(takes[i] ?? 'any', types[i] ?? STRING, types[0] ?? STRING, hasKey)

/** As fits, with a message about the mismatch. */
export const accepts = (e: Expression, types: readonly Type[], i: number, called: Function, hasKey: boolean, context: Context): boolean => {
  const type = types[i] ?? STRING
  const parameter = called.takes[i] ?? 'any'
  const { name } = called
  if (fits(types, i, called, hasKey)) return parameter !== 'pattern' || checkPattern(e, context)
  if (parameter === 'string' || parameter === 'pattern') return requireString(e, type, `'${name}'`, context)
  if (parameter === 'number' || parameter === 'numeric' || parameter === 'real') return requireNumber(e, type, `'${name}'`, context)
  if (parameter === 'item') {
    const message = `'${name}' looks for ${show(type)} among ${show(itemTypeOf(types[0]))}, which are never equal`
    context.complain('type_mismatch', e.span, message)
    return false
  }
  const help =
    parameter === 'ordered' && listsOf(type)
      ? keyHelp(e, itemTypeOf(type), name)
      : parameter === 'map' && fieldsOf(type)
        ? `of a record, omit(${sourceOf(e)}, "field") leaves a field out`
        : undefined
  context.complain('type_mismatch', e.span, `'${name}' needs ${NEEDED[parameter]}, but this is ${show(type)}`, { help })
  return false
}

const NEEDED: Readonly<Record<Parameter, string>> = {
  string: 'a string',
  pattern: 'a string',
  number: 'a number',
  numeric: 'a number',
  real: 'a number',
  int: 'an int',
  sized: 'a string or a list',
  list: 'a list',
  ints: 'a list of ints',
  numbers: 'a list of numbers',
  bools: 'a list of bools',
  strings: 'a list of strings',
  lists: 'a list of lists',
  ordered: 'a list of numbers or of strings',
  object: 'a map or a record',
  map: 'a map',
  rows: 'a list of lists of strings',
  entries: 'a list of { key: string, value: … }',
  item: 'an item',
  any: 'a value',
}

const keyHelp = (e: Expression, item: Type, name: string): string => {
  const field = [...(fieldsOf(item) ?? [])].find(([, { type, absence }]) => absence === 'never' && isOrdered(type))?.[0]
  return `give a key, as in ${name}(${sourceOf(e)}, x -> ${field === undefined ? '…' : `x.${field}`})`
}

/** Whether it is a key to order by. */
export const orders = (e: Expression, type: Type, who: string, context: Context): boolean => {
  if (isOrdered(type)) return true
  context.complain('type_mismatch', e.span, `${who} is a number or a string, but this is ${show(type)}`)
  return false
}

// A literal regular expression is compiled when it is checked, and its error is underlined in place.
const checkPattern = (e: Expression, context: Context): boolean => {
  if (e.kind !== 'literal' || typeof e.value !== 'string') return true
  const compiled = compilePattern(e.value)
  if ('pattern' in compiled) return true
  const { message, start, end } = compiled.fault
  const part = preview(e.value.slice(start, end))
  const isRefused = /Perl|escape/.test(message)
  context.complain('type_mismatch', partOf(e.span, e.value, start, end), `not a pattern of RE2: ${message}: '${part}'`, {
    help: isRefused ? 'RE2 is linear in the text: it has neither look-around nor back-references' : undefined,
  })
  return false
}

// The position of a part of a literal's value in the source; the whole literal if that is unknown.
const partOf = (span: Span, value: string, start: number, end: number): Span => {
  const written = span.source.text.slice(span.start, span.end)
  if (written.startsWith('"""')) {
    const at = written.indexOf(value, 3)
    return at < 0 ? span : { ...span, start: span.start + at + start, end: span.start + at + end }
  }
  const places = [1]
  for (let at = 1; at < written.length - 1; places.push(at)) at += written[at] !== '\\' ? 1 : written[at + 1] === 'u' ? 6 : 2
  return { ...span, start: span.start + (places[start] ?? 0), end: span.start + (places[end] ?? written.length) }
}
