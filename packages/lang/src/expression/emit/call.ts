// Generates JavaScript for calls of the language's functions and of bare bindings.

import { compilePattern } from '@plumb/wire/pattern'
import { unreachable } from '../../diagnostic/unreachable.js'
import type { CallExpression, Comprehension, Expression } from '../../parse/ast.js'
import { isJson, isStringList } from '../../types/kind.js'
import type { Function, Parameter } from '../run/function.js'
import { emitHas } from './absent.js'
import type { Generator } from './generator.js'
import { inlined, inSequence } from './inline.js'
import { isComputed, plain } from './input-of.js'
import { emitKey, emitList, emitLoops } from './loop.js'
import { emitBool, emitInt, emitNumber, emitString } from './operand.js'

export const emitCall = (e: CallExpression, g: Generator): string => {
  const [first] = e.arguments
  const callee = g.checked.callee(e)
  if (callee && first) return emitInlined(e, g) ?? `R.applyTo(${g.constant(callee.apply)}, ${g.boxed(first)})`
  if (g.checked.isHas(e) && first) return emitHas(first, g)
  const called = g.checked.called(e)
  if (called.reduction && first?.kind === 'comprehension') return emitReduction(e, called, first, g)
  return `R.${called.id}(${emitArguments(e, called, g)})`
}

const emitArguments = (e: CallExpression, called: Function, g: Generator): string => {
  const values = e.arguments.map((argument, i) => emitArgument(argument, called.takes[i] ?? 'any', g))
  if (called.key) values.push(e.key ? emitKey(e.key, g) : 'undefined')
  return [...values, g.site(e)].join(', ')
}

/** The arguments of a call of `sort`; undefined of any other, and of a binding of that name. */
export const emitSorting = (e: CallExpression, g: Generator): string | undefined => {
  if (e.function.text !== 'sort' || g.checked.callee(e)) return undefined
  return emitArguments(e, g.checked.called(e), g)
}

/** A call of a binding in the form of its type, if the binding is inlined here and has that form. */
export const emitInlinedValue = (e: CallExpression, g: Generator): string | undefined => {
  const form = g.form(e)
  const call = inlined(e, g, (body, inner) => {
    const own = inner.form(body)
    if (own !== form && !(own === 'int' && form === 'number')) return undefined
    return isComputed(body, inner) ? plain(inner.value(body), form) : inner.value(body)
  })
  return call && inSequence(call)
}

// The same as a `RuntimeValue`.
const emitInlined = (e: CallExpression, g: Generator): string | undefined => {
  const call = inlined(e, g, (body, inner) => (inner.place(body) ? inner.boxed(body) : plain(inner.boxed(body), 'boxed')))
  return call && inSequence(call)
}

const emitArgument = (e: Expression, parameter: Parameter, g: Generator): string => {
  switch (parameter) {
    case 'string':
      return emitString(e, g)
    case 'number':
      return emitNumber(e, g)
    case 'real':
      return `R.expectReal(${g.boxed(e)}, ${g.site(e)})`
    case 'numeric':
      return isJson(g.fact(e).type) ? `R.expectNumeric(${g.boxed(e)}, ${g.site(e)})` : g.boxed(e)
    case 'int':
      return emitInt(e, g)
    case 'pattern':
      return emitPattern(e, g)
    case 'strings':
      if (e.kind === 'call' && g.checked.resultOf(e) === 'strings') return emitCall(e, g)
      return isStringList(g.fact(e).type) ? `R.stringsOf(${g.boxed(e)})` : `R.expectStrings(${g.boxed(e)}, ${g.site(e)})`
    case 'list':
    case 'ints':
    case 'numbers':
    case 'bools':
    case 'lists':
    case 'ordered':
    case 'entries':
    case 'rows':
      return emitList(e, g)
    case 'object':
    case 'map':
      return isJson(g.fact(e).type) ? `R.expectObject(${g.boxed(e)}, ${g.site(e)})` : g.boxed(e)
    case 'sized':
      return g.form(e) === 'string' ? g.value(e) : g.boxed(e)
    case 'item':
    case 'any':
      return g.boxed(e)
    default:
      return unreachable(parameter)
  }
}

// A literal pattern was compiled when it was checked.
const emitPattern = (e: Expression, g: Generator): string => {
  const compiled = e.kind === 'literal' && typeof e.value === 'string' ? compilePattern(e.value) : undefined
  return compiled && 'pattern' in compiled ? g.constant(compiled.pattern) : `R.patternOf(${emitString(e, g)}, ${g.site(e)})`
}

// A function that takes the items of a comprehension one by one needs no list of them.
const emitReduction = (e: CallExpression, called: Function, list: Comprehension, g: Generator): string => {
  const reduced = (start: string, step: () => string) => `(() => {\nlet r = ${start}\n${emitLoops(list, g, step)}\nreturn r\n})()`
  switch (called.name) {
    case 'sum':
      return g.form(e) === 'int'
        ? reduced('0', () => `r = R.addInts(r, ${emitNumber(list.item, g)}, ${g.site(e)})`)
        : reduced('0', () => `r = R.addNumbers(r, ${emitNumber(list.item, g)}, ${g.site(e)})`)
    case 'any':
      return reduced('false', () => `if (${emitBool(list.item, g)}) r = true`)
    case 'all':
      return reduced('true', () => `if (!${emitBool(list.item, g)}) r = false`)
    default:
      throw new TypeError(`no reduction: ${called.name}`)
  }
}
