// Names: locals, `value`, the fields of the input, params, or the one free name of an input that is not a record, in this order.

import { isOneOff, nearest } from '@plumb/wire/nearest'
import { type Diagnostic, warning } from '../../diagnostic/diagnostic.js'
import type { NameExpression } from '../../parse/ast.js'
import { isState, ownValue } from '../../parse/foreign.js'
import { isJson } from '../../types/kind.js'
import { isFunction } from '../run/function-table.js'
import { type Context, type Fact, show } from './context.js'
import { FIELD_OF_INPUT, type Local, localNamed, type Meaning, WHOLE_INPUT } from './environment.js'
import { fieldsOf, helpForOpen, helpForVariant, someFieldsOf } from './fields.js'
import { narrowedFact, narrowedInput } from './narrow.js'

export const inferName = (e: NameExpression, context: Context): Fact | undefined => {
  const { name, span } = e
  const { scope } = context.environment
  const input = narrowedInput(context)
  const means = (meaning: Meaning, fact: Fact): Fact => {
    context.meanings.set(e, meaning)
    return meaning.kind === 'whole' ? fact : narrowedFact(e, fact, context)
  }
  context.scopes.set(e, context.locals)
  if (context.narrowed) context.inputs.set(e, input)
  const whole: Fact = { type: input, absence: 'never' }
  const local = localNamed(name, context.locals)
  if (local) return means({ kind: 'local', local }, { type: local.type, absence: 'never' })
  // `value` means the whole input even if the input has a field of that name: that one is value.value.
  if (name === 'value') return means(WHOLE_INPUT, whole)
  const fields = e === context.asked ? someFieldsOf(input) : fieldsOf(input)
  const field = fields?.get(name)
  if (field) return means(FIELD_OF_INPUT, field)
  const param = scope?.params.get(name)
  if (param) return param.type && means({ kind: 'param', param }, { type: param.type, absence: 'never' })
  const broken = scope?.module.program.broken.get(name)
  if (broken && (broken.kind === 'param' || !context.environment.isConstant)) return undefined
  if (!fields) {
    if (isJson(input) && !context.environment.isConstant) {
      const message = `'${name}' is nothing that is declared here, and the fields of a json are not known: write value.${name} for the field`
      const meant = ownValue(name) ?? stateMeantBy(name, context)
      const field = `value.${name} is the field '${name}', value is the whole input`
      if (isBase(name, scope)) {
        const message = `'${name}' is a binding that is not called here, and the fields of a json are not known: write value.${name} for the field`
        return context.complain('lone_name', span, message, { help: `write ${name}(value) to call it; ${field}` })
      }
      const both = isFunction(name) ? `'${name}' is a function: call it, as in ${name}(value); ${field}` : field
      return context.complain('lone_name', span, message, { help: meant ? `did you mean '${meant}'? ${both}` : both })
    }
    if (context.freeName === undefined && (isBase(name, scope) || meantBy(name, context) || nearNames(name, context).length > 0)) {
      context.report(loneName(name, span, context))
    }
    context.freeName ??= name
    if (context.freeName === name) return means(WHOLE_INPUT, whole)
    return context.complain('unknown_name', span, `unknown name '${name}': '${context.freeName}' already stands for the whole input`, {
      help: `the input is ${show(input)}, no record, so an expression has one free name`,
    })
  }
  // In a test the input is what was given.
  const own = name === 'input' && fields.has('given') ? 'given' : ownValue(name)
  const near =
    own ?? meantBy(name, context) ?? nearest(name, [...namesOf(context.locals), ...fields.keys(), ...(scope?.params.keys() ?? []), 'value'])
  const other = near ? `did you mean '${near}'?` : isFunction(name) ? `'${name}' is a function: call it, as in ${name}(…)` : undefined
  const earlier = own !== 'value' ? '' : " It is what comes in here; an earlier message comes along by '(a * b) ; barrier'"
  const help = helpForVariant(name, input) ?? (other && `${other}${earlier}`) ?? helpForOpen(name, input)
  return context.complain('unknown_field', span, `the input ${show(input)} has no field '${name}'`, { help })
}

/** Names of the place that are one letter away. */
const nearNames = (name: string, context: Context): string[] => {
  const { scope } = context.environment
  const all = ['value', ...namesOf(context.locals), ...(scope?.params.keys() ?? []), ...(scope?.bindings.keys() ?? [])]
  return all.filter((known) => isOneOff(name, known))
}

/** What may be meant: the field of an item, as in `[n for x in xs]`, or the state of a fold under a name of others. */
const meantBy = (name: string, context: Context): string | undefined => {
  for (let local = context.locals; local; local = local.outer) {
    if (local.declared && fieldsOf(local.type)?.has(name)) return `${local.name}.${name}`
  }
  return stateMeantBy(name, context)
}

/** In a fold, whose state the language names. */
const stateMeantBy = (name: string, { locals }: Context): string | undefined => {
  const state = localNamed('state', locals)
  return state && !state.declared && isState(name) ? state.name : undefined
}

/** A function of the program, which is called. */
const isBase = (name: string, scope: Context['environment']['scope']): boolean => scope?.bindings.get(name)?.category === 'base'

const loneName = (name: string, span: NameExpression['span'], context: Context): Diagnostic => {
  if (isBase(name, context.environment.scope)) {
    const message = `'${name}' is a binding that is not called here: it means the whole input`
    return warning('lone_name', message, span, `write ${name}(value) to call it, 'value' for the whole input`)
  }
  const message = `'${name}' is neither a field nor a binding: it means the whole input`
  const near = meantBy(name, context) ?? nearNames(name, context)[0]
  return warning('lone_name', message, span, `did you mean '${near}'? Write 'value' for the whole input`)
}

/** Whether a name of the whole input is told of here, wherever it is. */
export const isNearName = (e: NameExpression, scope: Context['environment']['scope']): boolean =>
  isBase(e.name, scope) ||
  [...['value'], ...(scope?.params.keys() ?? []), ...(scope?.bindings.keys() ?? [])].some((known) => isOneOff(e.name, known))

const namesOf = (scope: Local | undefined): string[] => {
  const names: string[] = []
  for (let local = scope; local; local = local.outer) names.push(local.name)
  return names
}
