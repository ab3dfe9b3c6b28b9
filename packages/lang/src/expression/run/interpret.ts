// The interpreter: the value of an expression for one message, with one case for each form of the syntax. It is the reference
// implementation. It evaluates messages that the scanner refuses, and all messages if no code may be generated. Generated code (emit/)
// gives the same bytes, the same errors, and has the same order of evaluation.

import { unreachable } from '../../diagnostic/unreachable.js'
import type {
  BinaryExpression,
  CallExpression,
  Comprehension,
  Expression,
  IfExpression,
  IndexExpression,
  KeyFunction,
  MatchArm,
  MatchExpression,
  NameExpression,
  RecordExpression,
  Template,
} from '../../parse/ast.js'
import { isJson, isStringList } from '../../types/kind.js'
import { resolve } from '../../types/type.js'
import { isMerged, numeralOf } from '../infer/checked.js'
import type { Local } from '../infer/environment.js'
import { applyTo } from './apply.js'
import { add, partIn, peekPart, sliceAny } from './by-kind.js'
import {
  boolOf,
  expectBool,
  expectIndex,
  expectInt,
  expectList,
  expectNumber,
  expectNumeric,
  expectObject,
  expectReal,
  expectString,
  expectStrings,
  intOf,
  numberOf,
  order,
  stringOfValue,
} from './coerce.js'
import { equal } from './equal.js'
import type { Site } from './failure.js'
import type { Frame, LocalValue } from './frame.js'
import type { Parameter, Reduction } from './function.js'
import { eachOf, type ItemKey } from './list.js'
import { addInts, add as addNumbers, divide, multiply, multiplyInts, remainder, subtract, subtractInts } from './number.js'
import { observer } from './observe.js'
import { patternOf } from './pattern.js'
import {
  type FieldKey,
  fieldIn,
  itemIn,
  keyOf,
  membersOf,
  peek,
  peekIn,
  peekItem,
  present,
  type RuntimeValue,
  Slice,
  sliceOf,
  valueOfText,
} from './slice.js'
import { stringsOf, textOf } from './text.js'
import { listFrom, listOf, merge, type Put, writeRecord } from './write.js'

/** Moved values stay text. Throws a Failure if the expression has no value. */
export const evaluate = (e: Expression, frame: Frame): RuntimeValue => {
  switch (e.kind) {
    case 'name':
      return nameOf(e, frame) as RuntimeValue
    case 'literal':
      return typeof e.value === 'number' ? sliceOf(e.text) : e.value
    case 'unary': {
      if (e.operator === 'not') return !holds(e.operand, frame)
      const literal = numeralOf(e)
      return literal === undefined ? -number(e.operand, frame) : sliceOf(literal)
    }
    case 'binary':
      return evaluateBinary(e, frame)
    case 'if':
      return evaluate(branchOf(e, frame), frame)
    case 'let':
      return evaluate(e.body, withLocal(frame, frame.checked.local(e.name), evaluate(e.value, frame)))
    case 'match':
      return evaluateMatch(e, frame, evaluate)
    case 'call':
      return evaluateCall(e, frame)
    case 'field': {
      const constant = frame.checked.constant(e)
      if (constant !== undefined) return valueOfText(constant)
      return fieldIn(evaluate(e.of, frame), keyOf(e.field.text), frame.checked.site(e))
    }
    case 'index':
      return evaluateIndex(e, frame)
    case 'slice': {
      const of = evaluate(e.of, frame)
      return sliceAny(of, e.from && int(e.from, frame), e.to && int(e.to, frame), frame.checked.site(e))
    }
    case 'list':
      return listOf(e.items.map((item) => evaluate(item, frame)))
    case 'comprehension':
      return listFrom((put) => evaluateLoops(e, 0, frame, put))
    case 'template':
      return evaluateTemplate(e, frame)
    case 'record':
      return evaluateRecord(e, frame)
    default:
      return unreachable(e)
  }
}

const evaluateIndex = (e: IndexExpression, frame: Frame): RuntimeValue => {
  const { checked } = frame
  const of = evaluate(e.of, frame)
  if (checked.isKeyed(e)) return fieldIn(of, keyOf(string(e.index, frame)), checked.site(e))
  if (checked.isOfEither(e)) return partIn(of, evaluate(e.index, frame), checked.site(e), checked.site(e.index))
  return itemIn(of, index(e.index, frame), checked.site(e))
}

const branchOf = (e: IfExpression, frame: Frame): Expression => {
  const isThen = holds(e.condition, frame)
  observer()?.decided(e, isThen)
  return isThen ? e.then : e.else
}

/** The field of a value that may be absent, or hold none. */
type Step = (value: RuntimeValue | undefined, key: FieldKey, site: Site) => RuntimeValue | undefined

/** As evaluate, for what may be absent: undefined then. */
const evaluateMaybe = (e: Expression, frame: Frame, step: Step = peek): RuntimeValue | undefined => {
  if (e.kind === 'name') return nameOf(e, frame)
  if (e.kind === 'field' && frame.checked.constant(e) === undefined) {
    return step(evaluateMaybe(e.of, frame, step), keyOf(e.field.text), frame.checked.site(e))
  }
  if (e.kind !== 'index') return evaluate(e, frame)
  const of = evaluateMaybe(e.of, frame, step)
  if (frame.checked.isKeyed(e)) return step(of, keyOf(string(e.index, frame)), frame.checked.site(e))
  if (frame.checked.isOfEither(e)) {
    return peekPart(of, evaluate(e.index, frame), frame.checked.site(e), frame.checked.site(e.index), step)
  }
  return peekItem(of, index(e.index, frame), frame.checked.site(e))
}

/** The left side of `??`: undefined where it is absent or null. */
const evaluateLeft = (e: Expression, frame: Frame): RuntimeValue | undefined => present(evaluateMaybe(e, frame, peekIn))

const nameOf = (e: NameExpression, { checked, value, lookUp, locals }: Frame): RuntimeValue | undefined => {
  const meaning = checked.meaning(e)
  switch (meaning.kind) {
    case 'whole':
      return value
    case 'field':
      return lookUp(e.name)
    case 'local':
      return valueOfLocal(meaning.local, locals)
    case 'param':
      return valueOfText(checked.constant(e) ?? 'null')
    default:
      return unreachable(meaning)
  }
}

const valueOfLocal = (local: Local, values: LocalValue | undefined): RuntimeValue => {
  for (let known = values; known; known = known.outer) if (known.local === local) return known.value
  throw new TypeError(`not bound: ${local.name}`)
}

const evaluateBinary = (e: BinaryExpression, frame: Frame): RuntimeValue => {
  const { operator, left, right } = e
  const site = frame.checked.site(e)
  switch (operator) {
    case '??': {
      const there = evaluateLeft(left, frame)
      return there === undefined ? evaluate(right, frame) : there
    }
    case 'and':
      return holds(left, frame) && holds(right, frame)
    case 'or':
      return holds(left, frame) || holds(right, frame)
    case '=':
      return equal(evaluate(left, frame), evaluate(right, frame))
    case '!=':
      return !equal(evaluate(left, frame), evaluate(right, frame))
    case '<':
      return order(evaluate(left, frame), evaluate(right, frame), site) < 0
    case '<=':
      return order(evaluate(left, frame), evaluate(right, frame), site) <= 0
    case '>':
      return order(evaluate(left, frame), evaluate(right, frame), site) > 0
    case '>=':
      return order(evaluate(left, frame), evaluate(right, frame), site) >= 0
    case '+': {
      const form = frame.checked.form(e)
      if (form === 'boxed') return add(evaluate(left, frame), evaluate(right, frame), site)
      return form === 'string' ? string(left, frame) + string(right, frame) : compute(addInts, addNumbers, e, frame)
    }
    case '-':
      return compute(subtractInts, subtract, e, frame)
    case '*':
      return compute(multiplyInts, multiply, e, frame)
    case '/':
      return divide(number(left, frame), number(right, frame), site)
    case '%':
      return remainder(number(left, frame), number(right, frame), site)
    default:
      return unreachable(operator)
  }
}

type Operation = (a: number, b: number, site: Site) => number

const compute = (ints: Operation, numbers: Operation, e: BinaryExpression, frame: Frame): number => {
  const [a, b] = [number(e.left, frame), number(e.right, frame)]
  const site = frame.checked.site(e)
  return (frame.checked.form(e) === 'int' ? ints : numbers)(a, b, site)
}

const evaluateCall = (e: CallExpression, frame: Frame): RuntimeValue => {
  const [first] = e.arguments
  const callee = frame.checked.callee(e)
  if (callee && first) return applyTo(callee.apply, evaluate(first, frame))
  if (frame.checked.isHas(e) && first) return evaluateMaybe(first, frame) !== undefined
  const called = frame.checked.called(e)
  if (called.reduction && first?.kind === 'comprehension') return evaluateReduction(called.reduction, first, frame, frame.checked.site(e))
  const values: unknown[] = e.arguments.map((argument, i) => evaluateArgument(argument, called.takes[i] ?? 'any', frame))
  if (called.key) values.push(e.key && keyOfItems(e.key, frame))
  const run = called.run as (...values: unknown[]) => unknown
  const result = run(...values, frame.checked.site(e))
  return called.result === 'strings' ? listOf(result as string[]) : (result as RuntimeValue)
}

const evaluateReduction = ({ start, step }: Reduction, list: Comprehension, frame: Frame, site: Site): RuntimeValue => {
  let result = start
  evaluateLoops(list, 0, frame, (item) => {
    result = (step as (result: number | boolean, item: RuntimeValue, site: Site) => number | boolean)(result, item, site)
  })
  return result
}

const withLocal = (frame: Frame, local: Local, value: RuntimeValue): Frame => ({ ...frame, locals: { local, value, outer: frame.locals } })

const evaluateMatch = (e: MatchExpression, frame: Frame, evaluateArm: typeof evaluate): RuntimeValue => {
  const picker = frame.checked.picker(e)
  const arm = e.arms[picker.pick(evaluate(e.of, frame))] as MatchArm
  observer()?.taken?.(e, arm)
  return evaluateArm(arm.body, arm.pattern ? withLocal(frame, frame.checked.local(arm.pattern.name), picker.value) : frame)
}

const keyOfItems = ({ parameter, body }: KeyFunction, frame: Frame): ItemKey => {
  const local = frame.checked.local(parameter)
  return (item) => evaluate(body, withLocal(frame, local, item))
}

const evaluateLoops = (e: Comprehension, at: number, frame: Frame, put: Put): void => {
  const loop = e.loops[at]
  if (!loop) {
    put(evaluate(e.item, frame))
    return
  }
  const local = frame.checked.local(loop.name)
  eachOf(expectList(evaluate(loop.list, frame), frame.checked.site(loop.list)), (item) => {
    const inner = withLocal(frame, local, item)
    if (!loop.condition || holds(loop.condition, inner)) evaluateLoops(e, at + 1, inner, put)
  })
}

const evaluateTemplate = ({ texts, holes }: Template, frame: Frame): string =>
  texts.reduce((all, { text }, i) => (i === 0 ? text : all + textOf(evaluate(holes[i - 1] as Expression, frame)) + text), '')

const evaluateArgument = (e: Expression, parameter: Parameter, frame: Frame): unknown => {
  switch (parameter) {
    case 'string':
      return string(e, frame)
    case 'number':
      return number(e, frame)
    case 'real':
      return expectReal(evaluate(e, frame), frame.checked.site(e))
    case 'numeric':
      return expectNumeric(evaluate(e, frame), frame.checked.site(e))
    case 'int':
      return int(e, frame)
    case 'pattern':
      return patternOf(string(e, frame), frame.checked.site(e))
    case 'list':
    case 'ints':
    case 'numbers':
    case 'bools':
    case 'lists':
    case 'ordered':
    case 'entries':
    case 'rows':
      return expectList(evaluate(e, frame), frame.checked.site(e))
    case 'object':
    case 'map':
      return expectObject(evaluate(e, frame), frame.checked.site(e))
    case 'strings': {
      const list = evaluate(e, frame)
      return isStringList(frame.checked.fact(e).type) ? stringsOf(list as Slice) : expectStrings(list, frame.checked.site(e))
    }
    case 'sized':
    case 'item':
    case 'any':
      return evaluate(e, frame)
    default:
      return unreachable(parameter)
  }
}

// A field that a later part also gives is not evaluated, and has the position of its first occurrence. If the type of a spread is unknown,
// all parts are evaluated in their order.
const evaluateRecord = (e: RecordExpression, frame: Frame): RuntimeValue => {
  const { checked } = frame
  if (isMerged(e, checked)) {
    return merge(
      ...e.parts.map((part) => {
        if (part.kind === 'spread') return expectObject(evaluate(part.of, frame), checked.site(part.of))
        const key = part.kind === 'field' ? part.name.text : string(part.key, frame)
        return [keyOf(key), evaluate(part.value, frame)] as const
      }),
    )
  }
  const fields = new Map<string, Expression | RuntimeValue | undefined>()
  for (const part of e.parts) {
    if (part.kind === 'field') {
      fields.set(part.name.text, part.value)
      continue
    }
    if (part.kind === 'computed') continue
    const type = resolve(checked.fact(part.of).type)
    const members = membersOf(evaluate(part.of, frame) as Slice)
    for (const { name } of type.kind === 'record' ? type.fields : []) {
      fields.set(name, members.get(name) ?? fields.get(name))
    }
  }
  for (const [name, field] of fields) {
    if (field === undefined) fields.delete(name)
    else if (!(field instanceof Slice)) fields.set(name, evaluate(field as Expression, frame))
  }
  return writeRecord(fields as ReadonlyMap<string, RuntimeValue>)
}

// An operand in the form that the operator needs. A json is checked; for a typed value its text is read.
const operand =
  <T>(look: (value: RuntimeValue, site: Site) => T) =>
  (e: Expression, frame: Frame): T =>
    isJson(frame.checked.fact(e).type) ? look(evaluate(e, frame), frame.checked.site(e)) : (read(e, frame) as T)

/** An expression of type bool. */
export const holds = operand(expectBool)
const number = operand(expectNumber)
const string = operand(expectString)
const index = operand(expectIndex)
const int = operand(expectInt)

// The JavaScript value. A moved int may have any size; here it is computed with.
const read = (e: Expression, frame: Frame): RuntimeValue => {
  if (e.kind === 'if') return read(branchOf(e, frame), frame)
  if (e.kind === 'let') return read(e.body, withLocal(frame, frame.checked.local(e.name), evaluate(e.value, frame)))
  if (e.kind === 'match') return evaluateMatch(e, frame, read)
  if (e.kind === 'binary' && e.operator === '??') {
    const left = evaluateLeft(e.left, frame)
    return left === undefined ? read(e.right, frame) : decode(left, e.left, frame)
  }
  if (e.kind === 'unary' && e.operator === '-') return -number(e.operand, frame)
  if (e.kind === 'literal' && typeof e.value === 'number' && Math.abs(e.value) < 2 ** 53) return e.value
  return decode(evaluate(e, frame), e, frame)
}

const decode = (value: RuntimeValue, e: Expression, { checked }: Frame): RuntimeValue => {
  const form = checked.form(e)
  switch (form) {
    case 'string':
      return stringOfValue(value)
    case 'int':
      return intOf(value, checked.site(e))
    case 'number':
      return numberOf(value, checked.site(e))
    case 'bool':
      return boolOf(value)
    case 'unit':
      return null
    case 'boxed':
      return value
    default:
      return unreachable(form)
  }
}
