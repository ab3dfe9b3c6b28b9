// What is known of a checked expression before there is a message: the interpreter and the generator of code ask the same questions of it.

import { preview } from '@plumb/wire/preview'
import { unreachable } from '../../diagnostic/unreachable.js'
import type { Expression, NameExpression, RecordExpression } from '../../parse/ast.js'
import type { Path } from '../../scan/scanner.js'
import { isBool, isInt, isNumber, isString, isUnit, listsOf } from '../../types/kind.js'
import { resolve, type Type } from '../../types/type.js'
import type { Site } from '../run/failure.js'
import { openInference } from './check.js'
import { type Context, type Fact, sourceOf } from './context.js'
import { literalIndex } from './data.js'
import type { Environment, Meaning } from './environment.js'
import { fieldsOf } from './fields.js'

/** How values of a type are computed with: as JavaScript's own, or boxed, as `RuntimeValue`. */
export type Form = 'string' | 'int' | 'number' | 'bool' | 'unit' | 'boxed'

const formOf = (type: Type): Form => {
  if (isString(type)) return 'string'
  if (isInt(type)) return 'int'
  if (isNumber(type)) return 'number'
  if (isBool(type)) return 'bool'
  return isUnit(type) ? 'unit' : 'boxed'
}

export class Checked {
  readonly #context: Context
  readonly #forms = new Map<Expression, Form>()
  readonly #sites = new Map<Expression, Site>()
  readonly #paths = new Map<Expression, Path | undefined>()

  /** The expression has been checked (checkExpression) in the same environment. */
  constructor(e: Expression, environment: Environment) {
    this.#context = openInference(environment, ({ message }) => {
      throw new TypeError(`not checked: ${message}`)
    })
    this.#context.infer(e)
  }

  fact(e: Expression): Fact {
    const fact = this.#context.facts.get(e)
    if (!fact) throw new TypeError(`not checked: ${e.kind}`)
    return fact
  }

  form(e: Expression): Form {
    const form = this.#forms.get(e) ?? formOf(this.fact(e).type)
    this.#forms.set(e, form)
    return form
  }

  /** The sub-expression as it is named in errors. */
  site(e: Expression): Site {
    const site = this.#sites.get(e) ?? preview(sourceOf(e))
    this.#sites.set(e, site)
    return site
  }

  meaning(e: NameExpression): Meaning {
    const meaning = this.#context.meanings.get(e)
    if (!meaning) throw new TypeError(`not checked: ${e.kind}`)
    return meaning
  }

  /** Where an expression only names a part of the input. */
  path(e: Expression): Path | undefined {
    if (!this.#paths.has(e)) this.#paths.set(e, this.#pathOf(e))
    return this.#paths.get(e)
  }

  #pathOfName(e: NameExpression): Path | undefined {
    const meaning = this.meaning(e)
    switch (meaning.kind) {
      case 'whole':
        return []
      case 'field':
        return [e.name]
      case 'local':
        return undefined
      default:
        return unreachable(meaning)
    }
  }

  #pathOf(e: Expression): Path | undefined {
    if (e.kind === 'name') return this.#pathOfName(e)
    if (e.kind !== 'field' && e.kind !== 'index') return undefined
    const base = this.path(e.of)
    if (!base) return undefined
    const { type } = this.fact(e.of)
    if (e.kind === 'field') return fieldsOf(type) ? [...base, e.field.text] : undefined
    const at = literalIndex(e.index)
    const areTuples = listsOf(type)?.every((list) => list.kind === 'tuple')
    return at !== undefined && areTuples ? [...base, at] : undefined
  }
}

/** A number in the program, with its sign: like a part of the message it is only moved until it is computed with. */
export const numeralOf = (e: Expression): string | undefined => {
  if (e.kind === 'literal') return typeof e.value === 'number' ? e.text : undefined
  const isNegated = e.kind === 'unary' && e.operator === '-' && e.operand.kind === 'literal'
  return isNegated && typeof e.operand.value === 'number' ? `-${e.operand.text}` : undefined
}

/** Does a record spread what only the message can tell the fields of? */
export const isMerged = (e: RecordExpression, known: Pick<Checked, 'path' | 'fact'>): boolean =>
  e.parts.some((part) => part.kind === 'spread' && !(known.path(part.of) && resolve(known.fact(part.of).type).kind === 'record'))
