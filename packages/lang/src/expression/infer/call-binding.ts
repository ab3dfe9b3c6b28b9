// f(x) for a bare binding f: its signature determines the types.

import { nearest } from '@plumb/wire/nearest'
import { type Bound, findBinding, printName } from '../../names/names.js'
import type { CallExpression, Name } from '../../parse/ast.js'
import { isForeignHome, ownFunction, ownWay } from '../../parse/foreign.js'
import { conversion } from '../../types/conversion.js'
import { JSON_TYPE, type Type } from '../../types/type.js'
import { isWirable } from '../../types/wirable.js'
import { functionNames, functionsNamed, isFunction } from '../run/function-table.js'
import { type Context, show, sourceOf } from './context.js'
import { localNamed } from './environment.js'
import { fieldsOf } from './fields.js'

/** `callee`: undefined if a module has none of that name. */
export const inferCallee = (e: CallExpression, callee: Bound | undefined, context: Context): Type | undefined => {
  const { scope, isConstant } = context.environment
  const { module, function: name } = e
  const method = module && refuseMethod(e, module, context)
  if (method) return method.none
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

/** `x.f(y)`, as in other languages, where x is no module. Undefined: it is one, or may be meant as one. */
const refuseMethod = (e: CallExpression, { text: of, span }: Name, context: Context): { readonly none: undefined } | undefined => {
  const { scope, input } = context.environment
  const isValue = of === 'value' || localNamed(of, context.locals) || fieldsOf(input)?.has(of) || scope?.params.has(of)
  const isModule = scope?.modules.has(of) || scope?.module.missing.has(of)
  if (!isValue && !isModule && isForeignHome(of)) return refuseHome(e, span, of, context)
  if (!isValue && (isModule || /^[A-Z]/.test(of))) return undefined
  const { function: name, arguments: given, key } = e
  const help = helpForMethod(name.text, of, given.map(sourceOf), key && { ...key, source: sourceOf(key.body) })
  context.complain('unknown_function', { ...span, end: name.span.end }, `'${of}' is a value, and has no function of its own`, { help })
  return { none: undefined }
}

/** `re.sub(…)`, `JSON.parse(…)` */
const refuseHome = ({ function: { text: name } }: CallExpression, span: Name['span'], of: string, context: Context) => {
  const own = ownFunction(name) ?? (isFunction(name) ? name : undefined)
  const usage = own === undefined ? `${name}(…)` : (functionsNamed(own)[0]?.usage ?? `${own}(…)`)
  const way = own === undefined ? ownWay(name) : undefined
  context.complain('unknown_module', span, `no module is named '${of}'`, { help: way ?? `functions are in no module: write ${usage}` })
  return { none: undefined }
}

/** `key`: of `x -> e`. */
export const helpForMethod = (
  name: string,
  of: string,
  given: readonly string[],
  key?: { readonly parameter: Name; readonly source: string },
): string => {
  const item = key?.parameter.text
  if (key && name === 'map') return `write [${key.source} for ${item} in ${of}]`
  if (key && name === 'filter') return `write [${item} for ${item} in ${of} if ${key.source}]`
  const own = name === 'has' || isFunction(name) ? name : (ownFunction(name) ?? nearest(name, functionNames()))
  if (own === undefined) return `functions stand in front of what they take, as in upper(${of}); there are ${functionNames().join(', ')}`
  return `write ${own}(${[of, ...given, ...(key ? [`${item} -> ${key.source}`] : [])].join(', ')})`
}

const takesTuple = ({ inputs }: Bound): boolean => (inputs[0] ?? JSON_TYPE).kind === 'tuple'

export const refuseCount = (e: CallExpression, counts: readonly number[], help: string, context: Context): undefined => {
  const given = e.arguments.length
  const takes = `${counts.join(' or ')} argument${counts.join() === '1' ? '' : 's'}`
  const message = `'${e.function.text}' takes ${takes}, but ${given} ${given === 1 ? 'is' : 'are'} given`
  return context.complain('arity_mismatch', e.span, message, { help })
}
