// What the typing rules share: the scope, the way to report, and what has been found out about each sub-expression.

import type { Code } from '@plumb/wire/error'
import { preview } from '@plumb/wire/preview'
import type { Report } from '../../diagnostic/diagnostic.js'
import type { Span } from '../../diagnostic/source.js'
import type { Bound, Param } from '../../names/names.js'
import type { CallExpression, Expression, FieldExpression, Name, NameExpression } from '../../parse/ast.js'
import { printType } from '../../types/print.js'
import type { Type } from '../../types/type.js'
import type { Function } from '../run/function.js'
import type { Environment, Local, Meaning } from './environment.js'

/**
 * 'never': always there. 'maybe': an optional field, to be used only under `??` and `has`. 'checked': a field of a json; when it
 * is not there the expression fails at run time.
 */
export type Absence = 'never' | 'maybe' | 'checked'

export interface Fact {
  readonly type: Type
  readonly absence: Absence
}

export interface Context {
  readonly environment: Environment
  /** The one free name that stands for an input which is no record. */
  freeName?: string
  readonly facts: Map<Expression, Fact>
  readonly meanings: Map<NameExpression, Meaning>
  /** `Module.param` */
  readonly moduleParams: Map<FieldExpression, Param>
  /** Which of the functions of its name a call calls. */
  readonly calls: Map<CallExpression, Function>
  /** The bindings that calls call. */
  readonly callees: Map<CallExpression, Bound>
  /** The locals that are known where a name stands. */
  readonly scopes: Map<NameExpression, Local | undefined>
  /** By the names of `for` and `->`. */
  readonly declared: Map<Name, Local>
  /** Names that stand for a field of a record and for its value. */
  readonly shorthands: Set<NameExpression>
  /** The names that are known here before those of the input, the innermost first. */
  readonly locals: Local | undefined
  readonly report: Report
  readonly complain: (
    code: Code,
    span: Span,
    message: string,
    more?: { help?: string | undefined; related?: { message: string; span: Span }[] },
  ) => undefined
  /** The type of an expression whose value is needed; undefined once an error has been reported in it. */
  readonly infer: (e: Expression) => Type | undefined
  /** As infer, where it may also be absent. */
  readonly inferMaybe: (e: Expression) => Fact | undefined
  /** A name of `for` or `->` in front of those that are known here. */
  readonly declare: (name: Name, type: Type) => Local
  /** What `rule` gives where `locals` are known. */
  readonly within: <T>(locals: Local, rule: () => T) => T
}

export const openContext = (
  environment: Environment,
  report: Report,
  rule: (e: Expression, context: Context, mayBeAbsent: boolean) => Fact | undefined,
): Context => {
  const learn = (e: Expression, mayBeAbsent: boolean): Fact | undefined => {
    const fact = rule(e, context, mayBeAbsent)
    if (fact) context.facts.set(e, fact)
    return fact
  }
  const context: Context & { locals: Local | undefined } = {
    environment,
    facts: new Map(),
    meanings: new Map(),
    moduleParams: new Map(),
    calls: new Map(),
    callees: new Map(),
    scopes: new Map(),
    declared: new Map(),
    shorthands: new Set(),
    locals: environment.locals,
    report,
    complain: (code, span, message, { help, related } = {}) =>
      void report({ severity: 'error', code, message, span, ...(help === undefined ? {} : { help }), ...(related ? { related } : {}) }),
    infer: (e) => {
      const fact = learn(e, false)
      if (fact?.absence !== 'maybe') return fact?.type
      return refuseAbsent(e, context)
    },
    inferMaybe: (e) => learn(e, true),
    declare: (name, type) => {
      const local: Local = { name: name.text, type, declared: name, outer: context.locals }
      context.declared.set(name, local)
      return local
    },
    within: (locals, rule) => {
      const around = context.locals
      context.locals = locals
      const result = rule()
      context.locals = around
      return result
    },
  }
  return context
}

/** What may be absent has no value by itself. */
export const refuseAbsent = (e: Expression, context: Pick<Context, 'complain'>): undefined => {
  const what = sourceOf(e)
  return context.complain('type_mismatch', e.span, `'${what}' may be absent`, {
    help: `give what stands in for it, as in ${what} ?? …, or ask has(${what}) and use it under ??`,
  })
}

/** The expression as written, for messages. */
export const sourceOf = ({ span }: Expression): string => span.source.text.slice(span.start, span.end).replace(/\s+/g, ' ')

/** A type, for messages. */
export const show = (type: Type): string => preview(printType(type), 120)

/** All that an expression names. */
export const paramsIn = ({ meanings, moduleParams }: Pick<Context, 'meanings' | 'moduleParams'>): readonly Param[] => [
  ...[...meanings.values()].flatMap((meaning) => (meaning.kind === 'param' ? [meaning.param] : [])),
  ...moduleParams.values(),
]
