// The bare binding that a call in an expression refers to, determined by names alone: no type can change it.

import { type Diagnostic, error } from '../../diagnostic/diagnostic.js'
import type { Span } from '../../diagnostic/source.js'
import { memberOf } from '../../names/member.js'
import { type Bound, resolveName, type Scope } from '../../names/names.js'
import type { CallExpression, Chain, Expression, Implementation } from '../../parse/ast.js'
import { chainsOf } from '../../parse/chain-parts.js'
import { callsIn, expressionsOf } from '../../parse/expression-parts.js'
import { isFunction } from '../run/function-table.js'

/**
 * Undefined: a function of the language, or nothing. A binding shadows a function of its name, except in itself, where it could not be
 * called, and where it is a tool.
 */
export const calleeOf = ({ module, function: name }: CallExpression, scope: Scope | undefined): Bound | undefined => {
  const bound = scope && resolveName({ ...(module ? { module } : {}), name, span: name.span }, scope)
  if (!bound || module || !isFunction(name.text)) return bound
  return bound.category === 'base' && !isWithin(name.span, bound.binding.span) && !mayCallTool(bound) ? bound : undefined
}

const isWithin = (part: Span, whole: Span): boolean => part.source === whole.source && whole.start <= part.start && part.end <= whole.end

/** The bindings that the expressions of a morphism call, with the calls. */
export const calledIn = (chain: Chain, scope: Scope): readonly Callee[] => expressionsOf(chain).flatMap((e) => callsOf(e, scope))

/** All calls of a binding. */
export const callsWithin = ({ binding: { impl }, scope }: Bound): readonly Callee[] =>
  impl.kind === 'agent'
    ? impl.config.entries.flatMap(({ value }) => (value.kind === 'condition' ? callsOf(value.expression, scope) : []))
    : chainsOf(impl).flatMap((chain) => calledIn(chain, scope))

export interface Callee {
  readonly call: CallExpression
  readonly callee: Bound
}

/** The same of one expression. */
export const callsOf = (e: Expression, scope: Scope): readonly Callee[] =>
  callsIn(e).flatMap((call) => {
    const callee = calleeOf(call, scope)
    return callee ? [{ call, callee }] : []
  })

export const effectInExpression = ({ call, callee }: Callee): Diagnostic => {
  const what = callee.binding.impl.kind === 'tool' ? 'is a tool' : 'calls a tool'
  const help = `call it for each message, as in map(${callee.name}) ; map(…)`
  return error('effect_in_expression', `'${callee.name}' ${what}, and an expression has no effects`, call.function.span, help)
}

/** Whether it uses a tool, directly or indirectly. */
export const mayCallTool = (bound: Bound): boolean => reaches(bound, ({ kind }) => kind === 'tool')

/** Whether it may leave elements of a list out, and report them. */
export const mayLeaveOut = (bound: Bound): boolean => reaches(bound, ({ kind, ...rest }) => kind === 'each' && 'onError' in rest)

/** The same for the calls of an expression. */
export const callsMayLeaveOut = (e: Expression, scope: Scope | undefined): boolean =>
  scope !== undefined && callsOf(e, scope).some(({ callee }) => mayLeaveOut(callee))

const reaches = (bound: Bound, isMeant: (part: Implementation) => boolean): boolean => {
  const seen = new Set([bound])
  // A set iterates over members that are added meanwhile.
  for (const part of seen) {
    const { impl } = part.binding
    if (isMeant(impl) || chainsOf(impl).some(isMeant)) return true
    for (const next of namedBy(part)) seen.add(next)
  }
  return false
}

/** What the chains of a binding name, as processes or in their expressions. */
export const namedBy = ({ binding: { impl }, scope }: Bound): readonly Bound[] => chainsOf(impl).flatMap((chain) => namedIn(chain, scope))

// Whether a single name in a map refers to a binding or a field depends on the types.
const namedIn = (chain: Chain, scope: Scope): readonly Bound[] => {
  const reference = chain.kind === 'field' ? memberOf(chain, scope) : chain.kind === 'reference' ? chain : undefined
  const named = reference ? resolveName(reference.name, scope) : undefined
  return [
    ...(named ? [named] : []),
    ...expressionsOf(chain).flatMap((e) => lone(e, scope) ?? callsIn(e).flatMap((call) => resolveCall(call, scope) ?? [])),
  ]
}

const lone = (e: Expression, scope: Scope): readonly Bound[] | undefined => {
  const name = e.kind === 'field' && e.of.kind === 'name' ? { module: { text: e.of.name, span: e.of.span }, name: e.field } : undefined
  const bound = e.kind === 'name' ? scope.bindings.get(e.name) : name && resolveName({ ...name, span: e.span }, scope)
  return bound && [bound]
}

const resolveCall = ({ module, function: name }: CallExpression, scope: Scope): Bound | undefined =>
  resolveName({ ...(module ? { module } : {}), name, span: name.span }, scope)
