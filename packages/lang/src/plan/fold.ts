// fold(e, from: x): the type of its state is the least that includes x and the results of e for such states. It starts with the type of x
// and grows until it is stable, also where e is right only of what it grows to, as of null or of one variant of a sum. If that is too narrow
// for e to be well-typed, as "on" is if e compares with "off", it starts wider.

import { type Diagnostic, error, type Report } from '../diagnostic/diagnostic.js'
import { checkUsed } from '../expression/check-expression.js'
import { checkExpression, openInference } from '../expression/infer/check.js'
import { paramsIn } from '../expression/infer/context.js'
import type { Environment, Local } from '../expression/infer/environment.js'
import { faultOfEvaluation } from '../expression/run/failure.js'
import { evaluateConstant } from '../expression/stage/fold.js'
import type { Scope } from '../names/names.js'
import type { FoldAtom } from '../parse/ast.js'
import { join } from '../types/join.js'
import { printType } from '../types/print.js'
import { JSON_TYPE, type Type } from '../types/type.js'
import { widened } from '../types/widened.js'
import { isWirable } from '../types/wirable.js'

/** The name of the state in the expression. */
export const stateOf = (type: Type): Local => ({ name: 'state', type })

export interface FoldTypes {
  readonly state: Type
  /** The type of the results, within the type of the state. Undefined: it has an error, already reported. */
  readonly output: Type | undefined
}

/** Undefined: its start has an error, already reported. */
export const foldOf = (atom: FoldAtom, input: Type, scope: Scope, report: Report): FoldTypes | undefined => {
  const first = typeOfConstant(atom, scope, report)
  if (!first) return undefined
  const least = grown(atom, { input, scope }, first)
  const told = ({ warnings, ...types }: FoundTypes): FoldTypes => {
    for (const warning of warnings) report(warning)
    return types
  }
  if (isFound(least)) return told(least)
  const wide = grown(atom, { input, scope }, widened(first))
  if (!isFound(wide)) {
    for (const diagnostic of wide) report(diagnostic)
    return { state: widened(first), output: undefined }
  }
  // The results may be narrower than the start type.
  const between = wide.output && join(first, wide.output)
  const narrow = between && grown(atom, { input, scope }, between)
  return told(narrow && isFound(narrow) ? narrow : wide)
}

interface FoundTypes extends FoldTypes {
  readonly warnings: readonly Diagnostic[]
}

type Grown = FoundTypes | readonly Diagnostic[]

const isFound = (grown: Grown): grown is FoundTypes => 'state' in grown

/** A type that grows in more steps than this would grow for ever. */
const MAX_STEPS = 20

const grown = ({ expression }: FoldAtom, environment: Environment, first: Type): Grown => {
  const refuse = (why: string) => [error('type_mismatch', why, expression.span, "give 'from' the type that the expression gives")]
  const begins = `the state begins as '${printType(first, MAX_SHOWN)}'`
  let state = first
  for (let step = 0; step < MAX_STEPS; step++) {
    const diagnostics: Diagnostic[] = []
    const at = { ...environment, locals: stateOf(state) }
    const right = checkUsed(expression, at, (d) => diagnostics.push(d))
    const given = right ?? checkExpression(expression, { ...at, isGrowing: true }, () => undefined)
    const isWithin = given && isWirable(given, state) === 'static'
    if (right && isWithin) return { state, output: right, warnings: diagnostics }
    if (!given || isWithin) return diagnostics
    const both = join(state, given)
    if (!both && !right) return diagnostics
    if (!both) return refuse(`${begins}, and the expression gives '${printType(given, MAX_SHOWN)}': no type holds both`)
    state = both
  }
  return refuse(`${begins}, and what the expression gives has another type each time, without end`)
}

/** Maximum characters of a type in an error. */
const MAX_SHOWN = 200

/** It names nothing of a message: there is none yet. */
const typeOfConstant = ({ from }: FoldAtom, scope: Scope, report: Report): Type | undefined => {
  const diagnostics: Diagnostic[] = []
  const context = openInference({ input: JSON_TYPE, scope, isConstant: true }, (d) => diagnostics.push(d))
  const type = context.infer(from)
  const named = [...context.meanings].filter(([, { kind }]) => kind === 'whole' || kind === 'field')
  for (const [{ name, span }] of named) {
    report(
      error(
        'unknown_name',
        `'from' is a constant, and '${name}' is not known in it`,
        span,
        'what it begins with is the same for every input',
      ),
    )
  }
  if (named.length > 0) return undefined
  for (const diagnostic of diagnostics) report(diagnostic)
  if (!type) return undefined
  // The value of a param is unknown yet.
  if (paramsIn(context).some(({ text }) => text === undefined)) return type
  try {
    evaluateConstant(from, scope)
    return type
  } catch (failure) {
    const { error: code, detail } = faultOfEvaluation(failure)
    report(error(code, detail, from.span))
    return undefined
  }
}
