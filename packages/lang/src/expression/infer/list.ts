// Lists: `[e, …]`, `[e for x in xs if c]`, `xs[a:b]`; and templates, which are texts of any values.

import type { Comprehension, ComprehensionLoop, Expression, ListExpression, SliceExpression, Template } from '../../parse/ast.js'
import { isInt, isJson, isString, listsOf } from '../../types/kind.js'
import { JSON_TYPE, STRING, type Type } from '../../types/type.js'
import { itemTypeOf } from '../run/list-function.js'
import { type Context, show, sourceOf } from './context.js'
import { where } from './narrow.js'
import { requireBool } from './operator.js'

export const inferList = (e: ListExpression, context: Context): Type | undefined => {
  const items = e.items.map(context.infer)
  const known = items.flatMap((item) => item ?? [])
  return known.length === items.length ? { kind: 'tuple', items: known } : undefined
}

export const inferComprehension = (e: Comprehension, context: Context): Type | undefined => inferLoops(e, 0, context)

const inferLoops = (e: Comprehension, at: number, context: Context): Type | undefined => {
  const loop = e.loops[at]
  if (!loop) {
    const item = context.infer(e.item)
    return item && { kind: 'array', item }
  }
  const item = inferLoop(loop, context)
  if (!item) return undefined
  return context.within(context.declare(loop.name, item), () => {
    const condition = loop.condition && context.infer(loop.condition)
    const isRight = !loop.condition || (condition && requireBool(loop.condition, condition, `'if'`, context))
    const rest = () => inferLoops(e, at + 1, context)
    const type = loop.condition ? where(loop.condition, true, context, rest) : rest()
    return isRight ? type : undefined
  })
}

/** The type of an item. */
const inferLoop = ({ list }: ComprehensionLoop, context: Context): Type | undefined => {
  const type = context.infer(list)
  if (!type) return undefined
  if (isJson(type) || listsOf(type)) return itemTypeOf(type)
  const help = isInt(type) ? `range(${sourceOf(list)}) counts from 0` : undefined
  return context.complain('type_mismatch', list.span, `'for' goes through a list, but this is ${show(type)}`, { help })
}

export const inferSlice = (e: SliceExpression, context: Context): Type | undefined => {
  const type = context.infer(e.of)
  const isFrom = inferBound(e.from, context)
  const isTo = inferBound(e.to, context)
  if (!type || !isFrom || !isTo) return undefined
  if (isJson(type)) return JSON_TYPE
  if (isString(type)) return STRING
  if (listsOf(type)) return { kind: 'array', item: itemTypeOf(type) }
  return context.complain('type_mismatch', e.of.span, `only a list or a string has slices, but this is ${show(type)}`)
}

const inferBound = (e: Expression | undefined, context: Context): boolean => {
  if (!e) return true
  const type = context.infer(e)
  if (!type) return false
  if (isJson(type) || isInt(type)) return true
  context.complain('type_mismatch', e.span, `the end of a slice is an int, but this is ${show(type)}`)
  return false
}

export const inferTemplate = (e: Template, context: Context): Type | undefined =>
  e.holes.map(context.infer).every((type) => type !== undefined) ? STRING : undefined
