// Operators: arithmetic, comparison, logic. A json operand is always allowed and checked at run time.

import { unreachable } from '../../diagnostic/unreachable.js'
import type { BinaryExpression, BinaryOperator, Expression, UnaryExpression } from '../../parse/ast.js'
import { findShared } from '../../types/disjoint.js'
import { isBool, isInt, isJson, isNever, isNumber, isString, isUnit, listsOf, mapsOf } from '../../types/kind.js'
import { BOOL, INT, JSON_TYPE, NUMBER, STRING, type Type } from '../../types/type.js'
import { variantsOf } from '../../types/variants.js'
import { itemTypeOf } from '../run/list-function.js'
import { type Context, show, sourceOf } from './context.js'
import { fieldsOf } from './fields.js'
import { joinOrComplain } from './join.js'
import { where } from './narrow.js'

export const inferUnary = (e: UnaryExpression, context: Context): Type | undefined => {
  const type = context.infer(e.operand)
  if (!type) return undefined
  if (e.operator === 'not') return requireBool(e.operand, type, `'not'`, context) ? BOOL : undefined
  if (!requireNumber(e.operand, type, `'-'`, context)) return undefined
  return isInt(type) ? INT : NUMBER
}

export const inferBinary = (e: BinaryExpression, operator: Exclude<BinaryOperator, '??'>, context: Context): Type | undefined => {
  if (operator === '-' && refuseDash(e, context)) return undefined
  const left = context.infer(e.left)
  const right =
    operator === 'and' || operator === 'or'
      ? where(e.left, operator === 'and', context, () => context.infer(e.right))
      : context.infer(e.right)
  if (!left || !right) return undefined
  switch (operator) {
    case 'and':
    case 'or': {
      const isLeft = requireBool(e.left, left, `'${operator}'`, context)
      const standIn = operator === 'or' ? `for what is absent or null write ${sourceOf(e.left)} ?? ${sourceOf(e.right)}` : undefined
      return requireBool(e.right, right, `'${operator}'`, context, standIn) && isLeft ? BOOL : undefined
    }
    case '=':
    case '!=':
      return compare(e, left, right, context)
    case '<':
    case '<=':
    case '>':
    case '>=':
      return order(e, left, right, context)
    case '+':
      return add(e, left, right, context)
    case '-':
    case '*':
    case '/':
    case '%': {
      if (operator === '%' && e.left.kind === 'literal' && isString(left)) {
        return context.complain('type_mismatch', e.span, "'%' is a remainder, and no text is put in by it", { help: 'write $"…{e}…"' })
      }
      const isLeft = requireNumber(e.left, left, `'${operator}'`, context)
      if (!requireNumber(e.right, right, `'${operator}'`, context) || !isLeft) return undefined
      return operator !== '/' && isInt(left) && isInt(right) ? INT : NUMBER
    }
    default:
      return unreachable(operator)
  }
}

/** `content-type`, where a field of that name is declared, and none of the name before the sign. */
const refuseDash = ({ left, right, span }: BinaryExpression, context: Context): boolean => {
  if (right.kind !== 'name' || (left.kind !== 'name' && (left.kind !== 'field' || left.of.kind !== 'name'))) return false
  const [first, of] = left.kind === 'name' ? [left.name, undefined] : [left.field.text, left.of]
  const type = of ? context.infer(of) : context.environment.input
  const fields = type && fieldsOf(type)
  const name = `${first}-${right.name}`
  if (!fields?.has(name) || fields.has(first)) return false
  const help = `a name without quotes has no '-': write ${of ? sourceOf(of) : 'value'}.${JSON.stringify(name)}`
  context.complain('unknown_field', span, `'${first}' is not a field: '${name}' is one`, { help })
  return true
}

const add = (e: BinaryExpression, left: Type, right: Type, context: Context): Type | undefined => {
  const isText = (type: Type) => isString(type) && !isNever(type)
  if ((isText(left) && !isJson(right)) || (isText(right) && !isJson(left))) {
    if (isString(left) && isString(right)) return STRING
    const [other, type] = isString(left) ? [e.right, right] : [e.left, left]
    return context.complain('type_mismatch', other.span, `'+' joins two strings or adds two numbers, but this is ${show(type)}`, {
      help: `text(${sourceOf(other)}) makes it a string`,
    })
  }
  if (isText(left) || isText(right)) return STRING
  if (isJson(left) && isJson(right)) return JSON_TYPE
  if ([left, right].some((type) => !isNever(type) && listsOf(type))) return addLists(e, left, right, context)
  if ([left, right].every((type) => !isNever(type) && (fieldsOf(type) || mapsOf(type)))) {
    return context.complain('type_mismatch', e.span, "'+' joins no records", { help: `write { ${spread(e.left)}, ${spread(e.right)} }` })
  }
  const isLeft = requireNumber(e.left, left, `'+'`, context)
  if (!requireNumber(e.right, right, `'+'`, context) || !isLeft) return undefined
  return isInt(left) && isInt(right) ? INT : NUMBER
}

const spread = (e: Expression): string => (e.kind === 'record' ? sourceOf(e).slice(1, -1).trim() : `...${sourceOf(e)}`)

const addLists = (e: BinaryExpression, left: Type, right: Type, context: Context): Type | undefined => {
  const wrong = listsOf(left) || isJson(left) ? (listsOf(right) || isJson(right) ? undefined : e.right) : e.left
  if (!wrong) {
    const item = joinOrComplain(e, itemTypeOf(left), itemTypeOf(right), 'the items of the two lists', context)
    return item && { kind: 'array', item }
  }
  return context.complain('type_mismatch', wrong.span, `'+' joins two lists, but this is ${show(wrong === e.left ? left : right)}`, {
    help: `[${sourceOf(wrong)}] makes a list of it`,
  })
}

const compare = (e: BinaryExpression, left: Type, right: Type, context: Context): Type | undefined => {
  if (findShared(left, right) !== undefined || isNever(left) || isNever(right)) return BOOL
  const help = isUnit(left) || isUnit(right) ? 'it is never null; an optional field is asked for by has(value.a)' : undefined
  return context.complain('type_mismatch', e.span, `'${e.operator}' compares ${show(left)} with ${show(right)}, which are never equal`, {
    help: help ?? conversion(e, left, right),
  })
}

const order = (e: BinaryExpression, left: Type, right: Type, context: Context): Type | undefined => {
  const isOrdered = (type: Type) => isJson(type) || isNumber(type) || isString(type)
  const areAlike = isJson(left) || isJson(right) || isNumber(left) === isNumber(right)
  if (isOrdered(left) && isOrdered(right) && areAlike) return BOOL
  const wrong = isOrdered(left) ? (isOrdered(right) ? e : e.right) : e.left
  const what = wrong === e ? `${show(left)} and ${show(right)}` : show(wrong === e.left ? left : right)
  return context.complain('type_mismatch', wrong.span, `'${e.operator}' orders two numbers or two strings, not ${what}`, {
    help: conversion(e, left, right),
  })
}

// A number and a string: one of them has to be converted.
const conversion = (e: BinaryExpression, left: Type, right: Type): string | undefined => {
  if (isNumber(left) && isString(right)) return `number(${sourceOf(e.right)}) reads a number, text(${sourceOf(e.left)}) makes a string`
  if (isString(left) && isNumber(right)) return `number(${sourceOf(e.left)}) reads a number, text(${sourceOf(e.right)}) makes a string`
  return undefined
}

const mayBeNull = (type: Type): boolean => variantsOf(type).length > 1 && variantsOf(type).some(({ kind }) => kind === 'unit')

const forNull = (e: Expression, type: Type): string | undefined => (mayBeNull(type) ? `${sourceOf(e)} ?? … stands in for null` : undefined)

/** Of several variants of which one is a number. */
const forVariant = (e: Expression, type: Type): string | undefined => {
  const variant = variantsOf(type).find(isNumber)
  return variant && `match tells them apart: match ${sourceOf(e)} { x : ${show(variant)} -> …, _ -> … }`
}

export const requireNumber = (e: Expression, type: Type, who: string, context: Context): boolean => {
  if (isJson(type) || isNumber(type)) return true
  const help = isString(type) ? `number(${sourceOf(e)}) reads a number from a string` : (forNull(e, type) ?? forVariant(e, type))
  context.complain('type_mismatch', e.span, `${who} needs a number, but this is ${show(type)}`, { help })
  return false
}

export const requireString = (e: Expression, type: Type, who: string, context: Context): boolean => {
  if (isJson(type) || isString(type)) return true
  context.complain('type_mismatch', e.span, `${who} needs a string, but this is ${show(type)}`, {
    help: forNull(e, type) ?? `text(${sourceOf(e)}) makes it a string`,
  })
  return false
}

export const requireBool = (e: Expression, type: Type, who: string, context: Context, standIn?: string): boolean => {
  if (isJson(type) || isBool(type)) return true
  const help = standIn ?? asCondition(sourceOf(e), type)
  context.complain('type_mismatch', e.span, `${who} needs a bool, but this is ${show(type)}`, { help })
  return false
}

/** How a value of the type is made a condition. */
export const asCondition = (what: string, type: Type): string | undefined => {
  if (isNumber(type)) return `compare it, as in ${what} != 0`
  if (isString(type)) return `compare it, as in ${what} != ""`
  if (mayBeNull(type)) return `ask whether it is there: ${what} != null`
  return listsOf(type) ? `ask whether it is empty: length(${what}) > 0` : undefined
}
