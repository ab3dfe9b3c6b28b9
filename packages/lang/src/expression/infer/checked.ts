// Static properties of a checked expression, used by the interpreter and the code generator.

import { preview } from '@plumb/wire/preview'
import { unreachable } from '../../diagnostic/unreachable.js'
import type { Callable, Param } from '../../names/names.js'
import type {
  CallExpression,
  Expression,
  IndexExpression,
  MatchExpression,
  Name,
  NameExpression,
  RecordExpression,
} from '../../parse/ast.js'
import type { Path } from '../../scan/scanner.js'
import { isBool, isInt, isJson, isNumber, isString, isUnit, listsOf } from '../../types/kind.js'
import { resolve, type Type } from '../../types/type.js'
import type { Site } from '../run/failure.js'
import type { Function } from '../run/function.js'
import { Picker } from '../run/pick.js'
import { mayLeaveOut } from './callee.js'
import { openInference } from './check.js'
import { type Context, type Fact, literalIndex, sourceOf } from './context.js'
import type { Environment, Local, Meaning } from './environment.js'
import { fieldsOf } from './fields.js'

/** The representation of a type's values: JavaScript's own, or boxed, as `RuntimeValue`. */
export type Form = 'string' | 'int' | 'number' | 'bool' | 'unit' | 'boxed'

const formOf = (type: Type): Form => {
  if (isString(type)) return 'string'
  if (isInt(type)) return 'int'
  if (isNumber(type)) return 'number'
  if (isBool(type)) return 'bool'
  return isUnit(type) ? 'unit' : 'boxed'
}

/** A part of the input, or of the value of a local. */
export interface ValuePosition {
  /** Undefined: the input. */
  readonly root: Local | undefined
  readonly path: Path
}

export class Checked {
  readonly #context: Context
  readonly #forms = new Map<Expression, Form>()
  readonly #sites = new Map<Expression, Site>()
  readonly #pickers = new Map<MatchExpression, Picker>()
  readonly #places = new Map<Expression, ValuePosition | undefined>()

  /** The expression has been checked (checkExpression) in the same environment. */
  constructor(e: Expression, environment: Environment) {
    this.#context = openInference(environment, ({ message, severity }) => {
      if (severity === 'error') throw new TypeError(`not checked: ${message}`)
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

  /** The sub-expression as errors name it. */
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

  /** JSON text of a param that an expression refers to: as constant as a literal. */
  constant(e: Expression): string | undefined {
    const param = this.#paramOf(e)
    if (!param) return undefined
    const { name, text } = param
    if (text === undefined) throw new TypeError(`no value: ${name}`)
    return text
  }

  #paramOf(e: Expression): Param | undefined {
    if (e.kind === 'field') return this.#context.moduleParams.get(e)
    const meaning = e.kind === 'name' ? this.meaning(e) : undefined
    return meaning?.kind === 'param' ? meaning.param : undefined
  }

  /** `has(x)` tests a field and is not a function. */
  isHas(e: CallExpression): boolean {
    return e.function.text === 'has' && !this.#context.callees.has(e)
  }

  /** The bare binding that it calls, ready to be applied. */
  callee(e: CallExpression): Callable | undefined {
    const bound = this.#context.callees.get(e)
    return bound && this.#context.environment.scope?.open(bound)
  }

  /** The input type of the called binding. */
  takenBy(e: CallExpression): Type | undefined {
    return this.#context.callees.get(e)?.inputs[0]
  }

  /** Whether it calls a binding. */
  get hasCallees(): boolean {
    return this.#context.callees.size > 0
  }

  /** Whether a called binding leaves elements out of lists. */
  get mayLeaveOut(): boolean {
    return [...this.#context.callees.values()].some(mayLeaveOut)
  }

  /** The form of a call's result (run/function.ts). */
  resultOf(e: CallExpression): Function['result'] {
    if (this.#context.callees.has(e)) return 'moved'
    return this.isHas(e) ? 'value' : this.called(e).result
  }

  /** The function of the language that it calls. */
  called(e: CallExpression): Function {
    const called = this.#context.calls.get(e)
    if (!called) throw new TypeError(`not checked: ${e.function.text}`)
    return called
  }

  /** `m[k]`: the value of a key. */
  isKeyed(e: IndexExpression): boolean {
    return isString(this.fact(e.index).type)
  }

  /** `j[k]` of a json whose k is one: a key or an index, as the message has it. */
  isOfEither(e: IndexExpression): boolean {
    return isJson(this.fact(e.of).type) && isJson(this.fact(e.index).type)
  }

  /** Chooses the arm of a `match`. */
  picker(e: MatchExpression): Picker {
    const known = this.#pickers.get(e)
    if (known) return known
    const picker = new Picker(
      e.arms.map((arm) => this.#context.arms.get(arm)),
      this.fact(e.of).type,
    )
    this.#pickers.set(e, picker)
    return picker
  }

  /** The name of a `for`, a `->`, a `let` or an arm. */
  local(name: Name): Local {
    const local = this.#context.declared.get(name)
    if (!local) throw new TypeError(`not checked: ${name.text}`)
    return local
  }

  /** Whether it has a `for`, a `->`, a `let` or an arm with a name. */
  get hasLocals(): boolean {
    return this.#context.declared.size > 0
  }

  /** The path, if an expression only names a part of the input, or of a local. */
  place(e: Expression): ValuePosition | undefined {
    if (!this.#places.has(e)) this.#places.set(e, this.#placeOf(e))
    return this.#places.get(e)
  }

  /** The same of the input alone. */
  path(e: Expression): Path | undefined {
    const place = this.place(e)
    return place && !place.root ? place.path : undefined
  }

  #placeOfName(e: NameExpression): ValuePosition | undefined {
    const meaning = this.meaning(e)
    switch (meaning.kind) {
      case 'whole':
        return { root: undefined, path: [] }
      case 'field':
        return { root: undefined, path: [e.name] }
      case 'local':
        return { root: meaning.local, path: [] }
      case 'param':
        return undefined
      default:
        return unreachable(meaning)
    }
  }

  #placeOf(e: Expression): ValuePosition | undefined {
    if (e.kind === 'name') return this.#placeOfName(e)
    if ((e.kind !== 'field' && e.kind !== 'index') || this.#paramOf(e)) return undefined
    const base = this.place(e.of)
    if (!base) return undefined
    const { type } = this.fact(e.of)
    const below = (step: string | number): ValuePosition => ({ root: base.root, path: [...base.path, step] })
    if (e.kind === 'field') return fieldsOf(type) ? below(e.field.text) : undefined
    const at = literalIndex(e.index)
    const areTuples = listsOf(type)?.every((list) => list.kind === 'tuple')
    return at !== undefined && areTuples ? below(at) : undefined
  }
}

/** A literal number, with its sign: like a part of the message it is only moved until it is computed with. */
export const numeralOf = (e: Expression): string | undefined => {
  if (e.kind === 'literal') return typeof e.value === 'number' ? e.text : undefined
  const isNegated = e.kind === 'unary' && e.operator === '-' && e.operand.kind === 'literal'
  return isNegated && typeof e.operand.value === 'number' ? `-${e.operand.text}` : undefined
}

/** Whether its fields are known only at run time: it spreads a value that may have others, or computes a key. */
export const isMerged = (e: RecordExpression, known: Pick<Checked, 'place' | 'fact'>): boolean =>
  e.parts.some((part) => {
    if (part.kind !== 'spread') return part.kind === 'computed'
    const type = resolve(known.fact(part.of).type)
    return !known.place(part.of) || type.kind !== 'record' || type.isOpen === true
  })
