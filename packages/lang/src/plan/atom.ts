// Structural morphisms as nodes: derives the output types from the input types.

import { elementUnder, isPositiveInteger, parallelOf, refuseParallel } from '../base/each.js'
import { callsTool, liftable } from '../base/lift.js'
import { bindingNamedBy, warnLoneName } from '../base/lone-name.js'
import { readSetting, type SettingRule } from '../base/setting.js'
import { type Diagnostic, error, type Report } from '../diagnostic/diagnostic.js'
import { checkUsed } from '../expression/check-expression.js'
import { sourceOf } from '../expression/infer/context.js'
import { asCondition } from '../expression/infer/operator.js'
import { isFunction } from '../expression/run/function-table.js'
import type { Scope } from '../names/names.js'
import type { BatchAtom, Expression, JoinOptions, MorphismAtom, Node } from '../parse/ast.js'
import { MORPHISM_PORTS } from '../parse/morphism.js'
import { refuseDeepType } from '../types/depth.js'
import { findShared } from '../types/disjoint.js'
import { joinAll } from '../types/join.js'
import { printType } from '../types/print.js'
import { isSubtype } from '../types/subtype.js'
import { BOOL, INT, JSON_TYPE, NUMBER, resolve, type Type, UNIT } from '../types/type.js'
import type { Builder } from './builder.js'
import { foldOf, stateOf } from './fold.js'
import type { GraphNode, NodeWork } from './graph.js'
import { checkKey } from './key.js'

/** Its number of inputs: `many` for two or more. */
export const arityOf = ({ kind }: MorphismAtom): number | 'many' => MORPHISM_PORTS[kind].inputs

/** The node, with an input for each of `types` and the resulting output types. */
export const makeAtom = (
  atom: MorphismAtom,
  types: readonly (Type | undefined)[],
  name: string,
  scope: Scope,
  builder: Builder,
): GraphNode => {
  const inputs = types.map((type, i) => ({ name: portName('input', i), type }))
  const node = (work: NodeWork, outputs: readonly (Type | undefined)[], takes = inputs) =>
    builder.node(
      name,
      atom.span,
      work,
      takes,
      outputs.map((type, i) => ({
        name: portName('output', i),
        type: type && refuseDeepType(type, atom.span, builder.report) ? undefined : type,
      })),
    )
  const [type] = types
  switch (atom.kind) {
    case 'id':
      return node({ kind: 'pass', as: 'id', isSelector: false }, [type])
    case 'endorse':
    case 'declassify':
      return node({ kind: 'pass', as: 'id', isSelector: false, crossing: atom }, [type])
    case 'copy':
      return node({ kind: 'pass', as: 'copy', isSelector: false }, [type, type])
    case 'merge':
      return node({ kind: 'pass', as: 'merge', isSelector: false }, [joined(types, atom, builder.report)])
    case 'discard':
      return node({ kind: 'discard' }, [UNIT])
    case 'empty':
      return node({ kind: 'empty' }, [undefined])
    case 'barrier':
      return node(atom.join ? joinOf(atom, atom.join, types, scope, builder.report) : { kind: 'barrier' }, [
        types.every((t) => t !== undefined) ? { kind: 'tuple', items: types } : undefined,
      ])
    case 'flatten':
      return node({ kind: 'flatten' }, [type && elementUnder(type, 'flatten', atom, builder.report)])
    case 'batch':
      return node({ kind: 'batch', ...batchSettings(atom, scope, builder.report) }, [type && { kind: 'array', item: type }])
    case 'fold': {
      const { expression, from, by } = atom
      const found = type && foldOf(atom, type, scope, builder.report)
      if (type && by) checkKey(by, { input: type, scope }, "'by'", builder.report)
      const state = stateOf(found?.state ?? JSON_TYPE)
      return node({ kind: 'fold', expression, from, by, atEnd: atom.emit !== undefined, scope, state }, [found?.output])
    }
    case 'map': {
      const { expression } = atom
      const parallel = parallelOf(atom.parallel, scope, builder.report) ?? 1
      const named = type && bindingNamedBy(expression, type, scope)
      if (!named) {
        if (type) refuseParallel(atom, builder.report)
        if (type) warnLoneName(expression, type, 'map', scope, builder.report)
        return node({ kind: 'map', expression, scope }, [type && checkUsed(expression, { input: type, scope }, builder.report)])
      }
      const lifted = liftable(named, scope, builder.report)
      if (!lifted) return node({ kind: 'map', expression, scope }, [undefined])
      const takes = [{ name: portName('input', 0), type: lifted.inputs[0] }]
      if (callsTool(lifted)) return node({ kind: 'call', expression, bound: lifted, parallel }, lifted.outputs, takes)
      return node({ kind: 'map', expression, scope, lifted }, lifted.outputs, takes)
    }
    case 'filter':
      if (type) wantBool(atom.expression, type, scope, builder.report)
      return node({ kind: 'filter', expression: atom.expression, scope }, [type])
    case 'project': {
      const expression = partOf(atom)
      return node({ kind: 'map', expression, scope }, [type && projected(atom, expression, type, builder.report)])
    }
  }
}

/** Keys of which two can never be equal join nothing. */
const joinOf = (
  atom: MorphismAtom,
  { by, within, unmatched }: JoinOptions,
  types: readonly (Type | undefined)[],
  scope: Scope,
  report: Report,
): NodeWork => {
  const seconds = within && readSetting(within, WITHIN, scope, report)
  const work = {
    kind: 'join',
    keys: by,
    withinMs: seconds === undefined ? undefined : seconds * 1000,
    drops: unmatched !== undefined,
    scope,
  } as const
  if (by.length !== types.length) {
    const message = `'barrier' joins ${types.length} branches, but 'by' has ${by.length} ${by.length === 1 ? 'key' : 'keys'}`
    report(error('arity_mismatch', message, atom.span, 'give one key for each branch, in their order: barrier(by: (id, order))'))
    return work
  }
  const keys = by.map((e, i) => types[i] && checkKey(e, { input: types[i], scope }, "'by'", report))
  for (const [i, key] of keys.entries()) {
    const other = key && keys.slice(0, i).find((before) => before && findShared(before, key) === undefined)
    if (!other) continue
    const message = `'by' compares ${printType(other, 120)} with ${printType(key, 120)}, which are never equal`
    report(error('type_mismatch', message, by[i]?.span ?? atom.span, 'make them alike, as with text(…) or number(…)'))
    break
  }
  return work
}

/** `input`, `output`, then `input2`… */
export const portName = (word: 'input' | 'output', index: number): string => (index === 0 ? word : `${word}${index + 1}`)

/** The common type of several sources. Undefined: one is unknown, or they clash (then reported). */
export const joined = (types: readonly (Type | undefined)[], at: Node, report: Report): Type | undefined => {
  if (!types.every((t) => t !== undefined)) return undefined
  const type = joinAll(types)
  if (type || types.length === 0) return type
  const shown = types.map((t) => `'${printType(t)}'`).join(' and ')
  const help = 'what is merged has one type, or types that are disjoint'
  report(error('type_mismatch', `cannot merge ${shown}`, at.span, help))
  return undefined
}

const wantBool = (expression: Expression, input: Type, scope: Scope, report: Report): void => {
  const lone: Diagnostic[] = []
  const collect: Report = (d) => (d.code === 'lone_name' && d.severity === 'warning' ? void lone.push(d) : report(d))
  warnLoneName(expression, input, 'filter', scope, collect)
  const type = checkUsed(expression, { input, scope }, collect)
  if (!type || isSubtype(type, BOOL) || resolve(type).kind === 'json') {
    for (const d of lone) report(d)
    return
  }
  const name = expression.kind === 'name' ? expression.name : ''
  const isCallable = lone.length > 0 && (scope.bindings.get(name)?.category === 'base' || isFunction(name))
  const help = isCallable ? `write filter(${name}(value))` : asCondition(sourceOf(expression), type)
  report(error('type_mismatch', `filter needs a bool, this is '${printType(type)}'`, expression.span, help))
}

const partOf = ({ span, index }: MorphismAtom & { kind: 'project' }): Expression => ({
  kind: 'index',
  of: { kind: 'name', name: 'value', span },
  index: { kind: 'literal', value: index, text: String(index), span },
  span,
})

const projected = (atom: MorphismAtom & { kind: 'project' }, expression: Expression, type: Type, report: Report): Type | undefined => {
  const tuple = resolve(type)
  if (tuple.kind === 'json') return checkUsed(expression, { input: type }, report)
  if (tuple.kind === 'tuple' && atom.index < tuple.items.length) return tuple.items[atom.index]
  const message =
    tuple.kind === 'tuple'
      ? `project(${atom.index}) is beyond the ${tuple.items.length} parts of '${printType(type)}'`
      : `project takes a tuple, this is '${printType(type)}'`
  report(error('type_mismatch', message, atom.span, tuple.kind === 'tuple' ? 'parts are counted from 0' : undefined))
  return undefined
}

/** The maximum of `within`, in seconds: the limit of a timer. */
const MAX_WITHIN = 2_000_000

const SIZE: SettingRule = {
  type: INT,
  isRight: isPositiveInteger,
  message: "'batch' takes a whole number from 1: so many messages make a list",
}

const WITHIN: SettingRule = {
  type: NUMBER,
  isRight: (seconds) => seconds > 0 && seconds <= MAX_WITHIN,
  message: "'within' is a number of seconds over 0, at most 2,000,000",
}

/** The values of `batch(n, within: s)`. `withinMs`: a partial list leaves this long after its first message. */
const batchSettings = (
  { size, within }: BatchAtom,
  scope: Scope,
  report: Report,
): { size: number | undefined; withinMs: number | undefined } => {
  const count = size && (readSetting(size, SIZE, scope, report) ?? 1)
  const seconds = within && readSetting(within, WITHIN, scope, report)
  return { size: count, withinMs: seconds === undefined ? undefined : seconds * 1000 }
}
