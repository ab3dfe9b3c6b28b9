// The shared state of the typing rules: the scope, the reporter, and the results for each sub-expression.

import type { Code } from '@plumb/wire/error'
import { preview } from '@plumb/wire/preview'
import type { Report } from '../../diagnostic/diagnostic.js'
import type { Span } from '../../diagnostic/source.js'
import type { Bound, Param } from '../../names/names.js'
import type { CallExpression, Expression, FieldExpression, MatchArm, Name, NameExpression } from '../../parse/ast.js'
import { printType } from '../../types/print.js'
import type { Type } from '../../types/type.js'
import type { Function } from '../run/function.js'
import type { Environment, Local, Meaning } from './environment.js'

/**
 * 'never': always present. 'maybe': an optional field, allowed only under `??` and `has`. 'checked': a field of a json; if it is absent the
 * expression fails at run time.
 */
export type Absence = 'never' | 'maybe' | 'checked'

export interface Fact {
  readonly type: Type
  readonly absence: Absence
  /** Under `??` and `has`: the value may also be null, which counts as absent. `type` is what is left. */
  readonly mayBeNull?: boolean
  /** A condition around it says that it is there. */
  readonly isNarrowed?: boolean
}

/** What a condition leaves of the fact of one place (narrow.ts). */
export interface Narrowing {
  readonly place: Place
  readonly keep: (fact: Fact) => Fact
  readonly outer: Narrowing | undefined
}

/** Undefined root: the input. */
export interface Place {
  readonly root: Local | undefined
  readonly path: readonly (string | number)[]
}

export interface Context {
  readonly environment: Environment
  /** The one free name for an input that is not a record. */
  freeName?: string
  readonly facts: Map<Expression, Fact>
  readonly meanings: Map<NameExpression, Meaning>
  /** `Module.param` */
  readonly moduleParams: Map<FieldExpression, Param>
  /** The overload that a call selects. */
  readonly calls: Map<CallExpression, Function>
  /** The bindings that calls refer to. */
  readonly callees: Map<CallExpression, Bound>
  /** The locals in scope at a name. */
  readonly scopes: Map<NameExpression, Local | undefined>
  /** The type of the input at a name, where a condition says more of it. */
  readonly inputs: Map<NameExpression, Type>
  /** By the names of `for` and `->`. */
  readonly declared: Map<Name, Local>
  /** Names that stand for a field of a record and for its value. */
  readonly shorthands: Set<NameExpression>
  /** The types of the arms of `match`, and of what it takes apart. */
  readonly arms: Map<MatchArm, Type>
  /** The argument of a `has`: a field of it may be one that only some variants have. */
  asked?: Expression | undefined
  /** What conditions say of names here, the innermost first. */
  readonly narrowed: Narrowing | undefined
  /** Names that take precedence over those of the input, the innermost first. */
  readonly locals: Local | undefined
  readonly report: Report
  readonly complain: (
    code: Code,
    span: Span,
    message: string,
    more?: { help?: string | undefined; related?: { message: string; span: Span }[] },
  ) => undefined
  /** The type of an expression whose value is needed. Undefined: an error was reported in it. */
  readonly infer: (e: Expression) => Type | undefined
  /** As infer, if it may also be absent. */
  readonly inferMaybe: (e: Expression) => Fact | undefined
  /** Adds a name of `for` or `->` to the scope. */
  readonly declare: (name: Name, type: Type) => Local
  /** Applies `rule` with `locals` in scope. */
  readonly within: <T>(locals: Local, rule: () => T) => T
  /** Applies `rule` where more is known of names. */
  readonly under: <T>(narrowed: Narrowing | undefined, rule: () => T) => T
}

interface Scoped {
  locals: Local | undefined
  narrowed: Narrowing | undefined
}

export const openContext = (
  environment: Environment,
  report: Report,
  rule: (e: Expression, context: Context, mayBeAbsent: boolean) => Fact | undefined,
): Context => {
  // Sets what is in scope, for as long as the rule is applied.
  const during = <Key extends keyof Scoped, T>(key: Key, value: Scoped[Key], rule: () => T): T => {
    const scope: Scoped = context
    const around = scope[key]
    scope[key] = value
    const result = rule()
    scope[key] = around
    return result
  }
  const refused = new Map<string, Local | undefined>()
  const learn = (e: Expression, mayBeAbsent: boolean): Fact | undefined => {
    const fact = rule(e, context, mayBeAbsent)
    if (fact) context.facts.set(e, fact)
    return fact
  }
  const context: Context & Scoped = {
    environment,
    facts: new Map(),
    meanings: new Map(),
    moduleParams: new Map(),
    calls: new Map(),
    callees: new Map(),
    scopes: new Map(),
    inputs: new Map(),
    declared: new Map(),
    shorthands: new Set(),
    arms: new Map(),
    narrowed: undefined,
    locals: environment.locals,
    report,
    complain: (code, span, message, { help, related } = {}) =>
      void report({ severity: 'error', code, message, span, ...(help === undefined ? {} : { help }), ...(related ? { related } : {}) }),
    infer: (e) => {
      const fact = learn(e, false)
      if (fact?.absence !== 'maybe') return fact?.type
      // One cause: the same name, or path, of the same place.
      const path = sourceOf(e)
      if (refused.has(path) && refused.get(path) === context.locals) return undefined
      refused.set(path, context.locals)
      return refuseAbsent(e, context)
    },
    inferMaybe: (e) => learn(e, true),
    declare: (name, type) => {
      const local: Local = { name: name.text, type, declared: name, outer: context.locals }
      context.declared.set(name, local)
      return local
    },
    within: (locals, rule) => during('locals', locals, rule),
    under: (narrowed, rule) => during('narrowed', narrowed, rule),
  }
  return context
}

/** Between an expression and its '??'. */
const MAX_GAP = 200

/** What may be absent has no value by itself. */
export const refuseAbsent = (e: Expression, context: Pick<Context, 'complain'>): undefined => {
  const what = sourceOf(e)
  const { source, end } = e.span
  const hasStandIn = /^\s*\?\?/.test(source.text.slice(end, end + MAX_GAP))
  const help = hasStandIn
    ? `what is before it comes first: write (${what} ?? …)`
    : e.kind === 'index'
      ? `a key may always be missing: write ${what} ?? …`
      : `give what stands in for it, as in ${what} ?? …, or ask first: if has(${what}) then … else …`
  return context.complain('type_mismatch', e.span, `'${what}' may be absent`, { help })
}

/** The expression as written, for messages. */
export const sourceOf = ({ span }: Expression): string => span.source.text.slice(span.start, span.end).replace(/\s+/g, ' ')

/** A type, for messages. */
export const show = (type: Type): string => preview(printType(type), 120)

/** All names in an expression. */
export const paramsIn = ({ meanings, moduleParams }: Pick<Context, 'meanings' | 'moduleParams'>): readonly Param[] => [
  ...[...meanings.values()].flatMap((meaning) => (meaning.kind === 'param' ? [meaning.param] : [])),
  ...moduleParams.values(),
]

/** The number of a literal index, negative ones too. */
export const literalIndex = (e: Expression): number | undefined => {
  if (e.kind === 'literal' && typeof e.value === 'number') return e.value
  if (e.kind !== 'unary' || e.operator !== '-') return undefined
  const index = literalIndex(e.operand)
  return index === undefined ? undefined : -index
}
