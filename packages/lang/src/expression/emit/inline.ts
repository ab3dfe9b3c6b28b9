// Inlines a call of a bare binding whose maps can be generated in the caller's code: its argument is not written as text and read again.
// Other bindings are called (run/apply.ts). If the code fails, the interpreter, which always calls, reports why.

import type { CallExpression, Expression } from '../../parse/ast.js'
import { isUnbounded } from '../../types/depth.js'
import { hasDefaults } from '../../types/required-fields.js'
import { isWirable } from '../../types/wirable.js'
import { Checked } from '../infer/checked.js'
import { CannotFuse } from './fused-input.js'
import type { Generator } from './generator.js'
import { inputOf, isDeeper } from './input-of.js'

/** `write` generates the body of a binding; the JavaScript expressions `before` are evaluated first. */
export interface Inlined<T> {
  readonly before: readonly string[]
  readonly result: T
}

/** Undefined: it has to be called, or `write` generated nothing. */
export const inlined = <T>(
  e: CallExpression,
  g: Generator,
  write: (body: Expression, g: Generator) => T | undefined,
): Inlined<T> | undefined => {
  try {
    return inline(e, g, write)
  } catch (reason) {
    if (reason instanceof CannotFuse) return undefined
    throw reason
  }
}

const inline = <T>(e: CallExpression, g: Generator, write: (body: Expression, g: Generator) => T | undefined): Inlined<T> | undefined => {
  const steps = g.checked.callee(e)?.steps
  const takes = g.checked.takenBy(e)
  const [argument] = e.arguments
  if (!steps || !takes || !argument || isWirable(g.fact(argument).type, takes) !== 'static') return undefined
  const before: string[] = []
  let body = argument
  let inner = g
  for (const step of steps) {
    const message = inputOf(body, inner, (code) => before.push(code))
    if (hasDefaults(step.input) || (isUnbounded(step.input) && isDeeper(message))) return undefined
    const { span } = step.expression
    if (!inner.takeRoom(span.end - span.start)) return undefined
    inner = inner.behind(new Checked(step.expression, step), message)
    body = step.expression
  }
  // The depth of its result is checked by the caller.
  if (isUnbounded(inner.fact(body).type) && !inner.place(body)) return undefined
  const result = write(body, inner)
  return result === undefined ? undefined : { before, result }
}

/** As one JavaScript expression. */
export const inSequence = ({ before, result }: Inlined<string>): string =>
  before.length > 0 ? `(${[...before, result].join(', ')})` : result
