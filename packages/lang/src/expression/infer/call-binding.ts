// f(x) for a bare binding f: its signature determines the types.

import { type Bound, findBinding, printName } from '../../names/names.js'
import type { CallExpression } from '../../parse/ast.js'
import { conversion } from '../../types/conversion.js'
import { JSON_TYPE, type Type } from '../../types/type.js'
import { isWirable } from '../../types/wirable.js'
import { type Context, show } from './context.js'

/** `callee`: undefined if a module has none of that name. */
export const inferCallee = (e: CallExpression, callee: Bound | undefined, context: Context): Type | undefined => {
  const { scope, isConstant } = context.environment
  const { module, function: name } = e
  const written = { ...(module ? { module } : {}), name, span: module ? { ...module.span, end: name.span.end } : name.span }
  const types = e.arguments.map(context.infer)
  const bound = callee ?? (scope ? findBinding(written, scope, context.report, (b) => b.category === 'base') : 'unknown')
  if (bound === 'unknown' || bound.category === 'unknown') return undefined
  const text = printName(written)
  if (isConstant) {
    const help = 'what is here is known before anything runs: functions of the language and params only'
    return context.complain('unknown_function', written.span, `'${text}' is a binding, and none is called here`, { help })
  }
  if (bound.category !== 'base') {
    const what = bound.category === 'stream' ? 'a process on streams' : 'a config value'
    const help = 'an expression calls functions of the language and bare bindings, as let f : A -> B = …'
    return context.complain('stream_in_base', written.span, `'${text}' is ${what}, and cannot be called`, { help })
  }
  if (e.key) return context.complain('arity_mismatch', e.key.span, `'${text}' takes no function`, { help: `write ${text}(x)` })
  const [argument, another] = e.arguments
  if (!argument || another) {
    const parts = e.arguments.length > 1 && takesTuple(bound) ? `${text}([…, …]), one tuple` : `${text}(x)`
    return refuseCount(e, [1], `write ${parts}`, context)
  }
  const [type] = types
  const [takes] = bound.inputs
  if (type && takes && isWirable(type, takes) === 'no') {
    const help = conversion(type, takes)
    return context.complain('type_mismatch', argument.span, `'${text}' takes ${show(takes)}, but this is ${show(type)}`, { help })
  }
  context.callees.set(e, bound)
  return type && takes && bound.outputs[0]
}

const takesTuple = ({ inputs }: Bound): boolean => (inputs[0] ?? JSON_TYPE).kind === 'tuple'

export const refuseCount = (e: CallExpression, counts: readonly number[], help: string, context: Context): undefined => {
  const given = e.arguments.length
  const takes = `${counts.join(' or ')} argument${counts.join() === '1' ? '' : 's'}`
  const message = `'${e.function.text}' takes ${takes}, but ${given} ${given === 1 ? 'is' : 'are'} given`
  return context.complain('arity_mismatch', e.span, message, { help })
}
