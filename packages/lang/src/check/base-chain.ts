// Bare morphisms: what a chain of the base category gives for what it takes (tools.md, How tools combine).

import type { Chain, Expression, Node } from '../ast.js'
import type { Report } from '../diagnostic.js'
import { checkExpression } from '../expression/check.js'
import { type Bound, findBinding, type Scope, shown } from '../names.js'
import { joined } from '../plan/atom.js'
import { printType } from '../types/print.js'
import { BOOL, resolve, type Type, UNIT } from '../types/type.js'
import { isSubtype } from '../types/subtype.js'
import { isWirable } from '../types/wirable.js'
import { memberOf } from './member.js'

/** Told of each expression with the type that it is applied to. */
export type Look = (expression: Expression, input: Type) => void

export const checkBaseChain = (bound: Bound, chain: Chain, report: Report, look: Look = () => {}): void => {
  const [input] = bound.inputs
  const [output] = bound.outputs
  if (!input) return
  const result = baseType(chain, input, bound.scope, report, look)
  if (result && output) wirable(bound.name, result, 'its signature', output, chain, report)
}

const baseType = (chain: Chain, input: Type, scope: Scope, report: Report, look: Look): Type | undefined => {
  const check = (expression: Expression, of: Type): Type | undefined => {
    look(expression, of)
    return checkExpression(expression, of, report)
  }
  const fail = (message: string, at: Node, help?: string, code: 'stream_in_base' | 'type_mismatch' = 'stream_in_base'): undefined => {
    report({ severity: 'error', code, message, span: at.span, ...(help === undefined ? {} : { help }) })
  }
  switch (chain.kind) {
    case 'id':
      return input
    case 'copy':
      return { kind: 'tuple', items: [input, input] }
    case 'discard':
      return UNIT
    case 'map':
      return check(chain.expression, input)
    case 'merge':
    case 'barrier':
    case 'filter':
    case 'project':
    case 'empty':
      return fail(`'${chain.kind}' stands on streams only (not total)`, chain, 'a bare morphism gives exactly one result for each input')
    case 'sequence': {
      let type: Type | undefined = input
      for (const item of chain.items) type = type && baseType(item, type, scope, report, look)
      return type
    }
    case 'tensor': {
      // Each on its part, where the whole does not fit and the input is a tuple of as many parts.
      const whole = chain.items.map((item) => quietly(item, input, scope))
      const tuple = resolve(input)
      const parts = tuple.kind === 'tuple' && tuple.items.length === chain.items.length && whole.includes(undefined) ? tuple.items : undefined
      const items = chain.items.map((item, i) => baseType(item, parts?.[i] ?? input, scope, report, look))
      return items.every((t) => t !== undefined) ? { kind: 'tuple', items } : undefined
    }
    case 'choice': {
      const types = chain.items.map((item) => baseType(item, input, scope, report, look))
      return types.every((t) => t !== undefined) ? joined(types, chain, report) : undefined
    }
    case 'trace': {
      const type = baseType(chain.chain, input, scope, report, look)
      if (type && !wirable('trace', type, 'its own input', input, chain.chain, report)) return undefined
      const until = type && chain.until && check(chain.until, type)
      if (until && chain.until && !isSubtype(until, BOOL) && resolve(until).kind !== 'json') fail(`'until' needs a bool, this is '${printType(until)}'`, chain.until, undefined, 'type_mismatch')
      const max = chain.max?.value
      if (chain.max && !(Number.isSafeInteger(max) && Number(max) >= 1)) fail("'max' is a whole number from 1", chain.max, undefined, 'type_mismatch')
      return type
    }
    case 'field': {
      const member = memberOf(chain, scope)
      if (member) return baseType(member, input, scope, report, look)
      const of = baseType(chain.of, input, scope, report, look)
      return of && check({ kind: 'field', of: { kind: 'name', name: 'value', span: chain.of.span }, field: chain.field, span: chain.span }, of)
    }
    case 'reference': {
      const bound = findBinding(chain.name, scope, report, (b) => b.category === 'base')
      if (bound === 'unknown' || bound.category === 'unknown') return undefined
      const name = shown(chain.name)
      if (chain.port) return fail('a bare morphism has no ports to name', chain.port)
      if (bound.category !== 'base') {
        return fail(`'${name}' is no bare morphism (base category)`, chain, bound.category === 'stream' ? `lower it: 'tool { process: ${name} }'` : undefined)
      }
      const [takes] = bound.inputs
      if (takes && !wirable('what comes before', input, `'${name}'`, takes, chain, report)) return undefined
      return bound.outputs[0]
    }
  }
}

/** Its type without a word where it has errors: a look at whether it fits. */
const quietly = (chain: Chain, input: Type, scope: Scope): Type | undefined => {
  let failed = false
  const fail = () => {
    failed = true
  }
  const type = baseType(chain, input, scope, fail, () => {})
  return failed ? undefined : type
}

const wirable = (from: string, source: Type, to: string, target: Type, at: Node, report: Report): boolean => {
  if (isWirable(source, target) !== 'no') return true
  const message = `'${from}' gives '${printType(source)}', ${to} takes '${printType(target)}'`
  report({ severity: 'error', code: 'type_mismatch', message: message.replace("'what comes before'", 'what comes before'), span: at.span })
  return false
}
