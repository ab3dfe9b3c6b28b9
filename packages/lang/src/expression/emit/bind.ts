// Generates `let` and `match`: names for values. A part of the message, or of another local, gets the name without any code; a scalar gets
// a variable; what has parts is scanned for those that are used.

import type { Expression, LetExpression, MatchExpression } from '../../parse/ast.js'
import { isJson } from '../../types/kind.js'
import { isContainer } from '../../types/parts.js'
import type { Type } from '../../types/type.js'
import { variantsOf } from '../../types/variants.js'
import type { Local } from '../infer/environment.js'
import type { Generator } from './generator.js'
import { isComputed } from './input-of.js'
import { scanLocal } from './loop.js'

/** Statements that have to run before the code in `result`. */
export interface Bound {
  readonly before: readonly string[]
  readonly result: string
}

export const bindLet = (e: LetExpression, g: Generator, write: (body: Expression) => string): Bound => {
  const local = g.checked.local(e.name)
  const place = g.place(e.value)
  const input = place ? g.input(place) : g.computed(e.value)
  if (input) {
    g.alias(local, input)
    return { before: [], result: write(e.body) }
  }
  const variable = g.variable()
  if (!isComputed(e.value, g)) return bindBoxed(local, `${variable} = ${g.boxed(e.value)}`, variable, g, () => write(e.body))
  const before = [`${variable} = ${g.value(e.value)}`]
  g.alias(local, { kind: 'value', variable, form: g.form(e.value) })
  return { before, result: write(e.body) }
}

const bindBoxed = (local: Local, assignment: string, variable: string, g: Generator, write: () => string): Bound => {
  if (!hasParts(local.type)) {
    g.alias(local, { kind: 'value', variable, form: 'boxed' })
    return { before: [assignment], result: write() }
  }
  const { item, code } = g.withLocal(local, write)
  return { before: [assignment, `${variable} = R.sliced(${variable})`, ...scanLocal(item, variable, g)], result: code }
}

/** Of a json no part is known before it is there. */
const hasParts = (type: Type): boolean => !isJson(type) && variantsOf(type).some(isContainer)

/** As one JavaScript expression. */
const bound = ({ before, result }: Bound): string => {
  if (before.length === 0) return result
  if (before.every((line) => /^t\d+ = /.test(line))) return `(${[...before, result].join(', ')})`
  return `(() => {\n${before.join('\n')}\nreturn ${result}\n})()`
}

export interface BoundArm extends Bound {
  /** Undefined: the last one. */
  readonly condition: string | undefined
}

export interface BoundMatch {
  /** Chooses the arm. */
  readonly choice: string
  readonly arms: readonly BoundArm[]
}

export const bindMatch = (e: MatchExpression, g: Generator, write: (body: Expression) => string): BoundMatch => {
  const picker = g.constant(g.checked.picker(e))
  const chosen = g.variable()
  const place = isJson(g.fact(e.of).type) ? undefined : g.place(e.of)
  const choice = `${chosen} = ${picker}.pick(${g.boxed(e.of)})`
  const arms = e.arms.map((arm, i): BoundArm => {
    const condition = i < e.arms.length - 1 ? `${chosen} === ${i}` : undefined
    if (!arm.pattern) return { condition, before: [], result: write(arm.body) }
    const local = g.checked.local(arm.pattern.name)
    if (place) {
      g.alias(local, g.input(place))
      return { condition, before: [], result: write(arm.body) }
    }
    const variable = g.variable()
    return { condition, ...bindBoxed(local, `${variable} = ${picker}.value`, variable, g, () => write(arm.body)) }
  })
  return { choice, arms }
}

/** As one JavaScript expression. */
export const emitMatch = (e: MatchExpression, g: Generator, write: (body: Expression) => string): string => {
  const { choice, arms } = bindMatch(e, g, write)
  const code = arms.map((arm) => `${arm.condition === undefined ? '' : `${arm.condition} ? `}${bound(arm)}`).join(' : ')
  return `(${choice}, ${code})`
}

export const emitLet = (e: LetExpression, g: Generator, write: (body: Expression) => string): string => `(${bound(bindLet(e, g, write))})`
