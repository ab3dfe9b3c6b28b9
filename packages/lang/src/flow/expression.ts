// The labels of an expression's value: a moved part keeps its own; a computed value has those of all its operands.

import { ignore } from '../diagnostic/diagnostic.js'
import { unreachable } from '../diagnostic/unreachable.js'
import { openInference } from '../expression/infer/check.js'
import type { Context } from '../expression/infer/context.js'
import { literalIndex } from '../expression/infer/context.js'
import type { Environment, Local } from '../expression/infer/environment.js'
import { Picker } from '../expression/run/pick.js'
import type { Bound, Param } from '../names/names.js'
import type { CallExpression, Comprehension, Expression, MatchExpression, Name, NameExpression, RecordExpression } from '../parse/ast.js'
import { isJson, listsOf } from '../types/kind.js'
import type { Type } from '../types/type.js'
import { variantsOf } from '../types/variants.js'
import { itemAt, itemShape, joinShapes } from './combine.js'
import { labelled } from './declared.js'
import { isTagged, NO_TAGS, type Tags, uniteTags } from './label.js'
import { fieldShape, flat, leaf, listShape, PLAIN, recordShape, type Shape, tupleOf, withFields } from './shape.js'

/** The names in an expression other than its input. */
export interface FlowEnvironment {
  /** The labels of a bare binding's output for an input. */
  readonly call: (bound: Bound, argument: Shape) => Shape
  readonly param: (param: Param) => Shape
}

/** `locals`: names that take precedence over those of the input. */
export const shapeOfExpression = (
  e: Expression,
  input: Shape,
  environment: Environment,
  known: FlowEnvironment,
  locals: ReadonlyMap<Local, Shape> = new Map(),
): Shape => new Evaluation(input, openInference(environment, ignore), known, new Map(locals)).whole(e)

class Evaluation {
  constructor(
    private readonly input: Shape,
    private readonly context: Context,
    private readonly known: FlowEnvironment,
    private readonly locals: Map<Local, Shape>,
  ) {}

  whole(e: Expression): Shape {
    this.context.infer(e)
    return this.of(e)
  }

  private of(e: Expression): Shape {
    switch (e.kind) {
      case 'literal':
        return PLAIN
      case 'name':
        return this.name(e)
      case 'field': {
        const param = this.context.moduleParams.get(e)
        return param ? this.known.param(param) : fieldShape(this.of(e.of), e.field.text)
      }
      case 'index': {
        const at = literalIndex(e.index)
        const base = this.of(e.of)
        const key = e.index.kind === 'literal' && typeof e.index.value === 'string' ? e.index.value : undefined
        const item = key !== undefined ? fieldShape(base, key) : at !== undefined && at >= 0 ? itemAt(base, at) : itemShape(base)
        return this.by(e, item, flat(this.of(e.index)))
      }
      case 'slice': {
        const ends = [e.from, e.to].map((end) => (end ? flat(this.of(end)) : NO_TAGS)).reduce(uniteTags)
        const base = this.of(e.of)
        // In a slice each item is in another place.
        return this.by(e, base.items ? listShape(itemShape(base), base.tags) : base, ends)
      }
      case 'unary':
        return this.computed(e, [this.of(e.operand)])
      case 'binary': {
        const [left, right] = [this.of(e.left), this.of(e.right)]
        if (e.operator === '??') return joinShapes(left, right)
        const type = this.typeOf(e)
        const isList = e.operator === '+' && type !== undefined && listsOf(type) !== undefined && !isJson(type)
        return isList
          ? listShape(joinShapes(itemShape(left), itemShape(right)), uniteTags(left.tags, right.tags))
          : this.computed(e, [left, right])
      }
      case 'if':
        return this.by(e, joinShapes(this.of(e.then), this.of(e.else)), flat(this.of(e.condition)))
      case 'let':
        this.bind(e.name, this.of(e.value))
        return this.of(e.body)
      case 'match':
        return this.match(e)
      case 'call':
        return this.call(e)
      case 'record':
        return this.record(e)
      case 'list':
        return tupleOf(e.items.map((item) => this.of(item)))
      case 'comprehension':
        return this.comprehension(e)
      case 'template':
        return this.computed(
          e,
          e.holes.map((hole) => this.of(hole)),
        )
      default:
        return unreachable(e)
    }
  }

  private typeOf(e: Expression): Type | undefined {
    return this.context.facts.get(e)?.type
  }

  private computed(e: Expression, parts: readonly Shape[]): Shape {
    return labelled(this.typeOf(e), parts.map(flat).reduce(uniteTags, NO_TAGS))
  }

  /** A choice also has the labels of its condition. */
  private by(e: Expression, chosen: Shape, tags: Tags): Shape {
    return isTagged(tags) ? joinShapes(chosen, labelled(this.typeOf(e), tags)) : chosen
  }

  private name(e: NameExpression): Shape {
    const meaning = this.context.meanings.get(e)
    switch (meaning?.kind) {
      case 'field':
        return fieldShape(this.input, e.name)
      case 'local':
        return this.locals.get(meaning.local) ?? PLAIN
      case 'param':
        return this.known.param(meaning.param)
      default:
        return this.input
    }
  }

  private record(e: RecordExpression): Shape {
    const type = this.typeOf(e)
    const fields = new Map<string, Shape>()
    let rest: Shape | undefined
    for (const part of e.parts) {
      if (part.kind === 'field') {
        fields.set(part.name.text, this.of(part.value))
        continue
      }
      if (part.kind === 'computed') {
        rest = joinShapes(rest ?? PLAIN, joinShapes(this.of(part.value), leaf(flat(this.of(part.key)))))
        continue
      }
      const spread = this.of(part.of)
      const spreadType = this.typeOf(part.of)
      if (!spreadType || isJson(spreadType)) rest = rest ? joinShapes(rest, spread) : spread
      else
        for (const variant of variantsOf(spreadType)) {
          for (const field of variant.kind === 'record' ? variant.fields : []) {
            const earlier = fields.get(field.name)
            const shape = fieldShape(spread, field.name)
            // An absent field leaves the earlier value.
            const isSure = !field.isOptional && variantsOf(spreadType).length === 1
            fields.set(field.name, earlier && !isSure ? joinShapes(earlier, shape) : shape)
          }
        }
    }
    // The fields of a json are unknown.
    if (rest || (type && isJson(type))) return this.computed(e, [...fields.values(), ...(rest ? [rest] : [])])
    return recordShape(fields)
  }

  private bind(name: Name, shape: Shape): void {
    const local = this.context.declared.get(name)
    if (local) this.locals.set(local, shape)
  }

  /** Which arm is taken tells what the values are told apart by. */
  private match(e: MatchExpression): Shape {
    const of = this.of(e.of)
    const arms = e.arms.map((arm) => {
      if (arm.pattern) this.bind(arm.pattern.name, of)
      return this.of(arm.body)
    })
    const type = this.typeOf(e.of)
    const fields =
      type &&
      new Picker(
        e.arms.map((arm) => this.context.arms.get(arm)),
        type,
      ).fields
    const tags = fields ? fields.map((name) => flat(fieldShape(of, name))).reduce(uniteTags, of.tags) : flat(of)
    return this.by(e, arms.reduce(joinShapes, PLAIN), tags)
  }

  private comprehension(e: Comprehension): Shape {
    let tags = NO_TAGS
    for (const loop of e.loops) {
      const list = this.of(loop.list)
      this.bind(loop.name, itemShape(list))
      tags = uniteTags(tags, list.tags)
      if (loop.condition) tags = uniteTags(tags, flat(this.of(loop.condition)))
    }
    const item = this.by(e.item, this.of(e.item), tags)
    return this.by(e, listShape(item), tags)
  }

  private call(e: CallExpression): Shape {
    const given = e.arguments.map((argument) => this.of(argument))
    const [first = PLAIN, second = PLAIN] = given
    const callee = this.context.callees.get(e)
    if (callee) return this.known.call(callee, first)
    const key = e.key && this.key(e.key.parameter, e.key.body, first)
    const name = e.function.text
    if (callee === undefined && (name === 'omit' || name === 'pick')) {
      const names = new Set(e.arguments.slice(1).map((at) => at.kind === 'literal' && at.value))
      return this.by(
        e,
        withFields(first, (field) => names.has(field) === (name === 'pick')),
        NO_TAGS,
      )
    }
    // What is left out tells of the key; of two numbers either may be the result.
    if (callee === undefined && name === 'without') return this.by(e, first, flat(second))
    const moved = given.length === 2 && (name === 'min' || name === 'max') && !key ? undefined : MOVING.get(name)
    if (moved && this.context.calls.get(e)?.result === 'moved')
      return this.by(e, moved(first, second, key ?? PLAIN), key ? flat(key) : NO_TAGS)
    return this.computed(e, key ? [...given, key] : given)
  }

  private key(parameter: CallExpression['function'], body: Expression, list: Shape): Shape {
    this.bind(parameter, itemShape(list))
    return this.of(body)
  }
}

/** Functions whose results are parts of their arguments. */
const MOVING: ReadonlyMap<string, (first: Shape, second: Shape, key: Shape) => Shape> = new Map([
  ['first', (list) => itemShape(list)],
  ['last', (list) => itemShape(list)],
  ['min', (list) => itemShape(list)],
  ['max', (list) => itemShape(list)],
  ['reverse', (list) => listShape(itemShape(list), list.tags)],
  ['unique', (list) => listShape(itemShape(list), list.tags)],
  ['sort', (list) => listShape(itemShape(list), list.tags)],
  ['values', (map) => listShape(itemShape(map), map.tags)],
  ['flatten', (list) => listShape(itemShape(itemShape(list)), uniteTags(list.tags, itemShape(list).tags))],
  ['zip', (list, other) => listShape(tupleOf([itemShape(list), itemShape(other)]), uniteTags(list.tags, other.tags))],
  [
    'group',
    (list, _, key) =>
      listShape(
        recordShape(
          new Map([
            ['key', key],
            ['items', listShape(itemShape(list), list.tags)],
          ]),
        ),
        list.tags,
      ),
  ],
  [
    'entries',
    (map) =>
      listShape(
        recordShape(
          new Map([
            ['key', leaf(map.tags)],
            ['value', itemShape(map)],
          ]),
        ),
        map.tags,
      ),
  ],
] satisfies [string, (first: Shape, second: Shape, key: Shape) => Shape][])
