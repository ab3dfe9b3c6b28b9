// The analysis of a whole program: computes the output labels of each binding for its inputs, to a fixed point.

import { planOfBase } from '../base/base-chain.js'
import type { BasePlan } from '../base/base-plan.js'
import type { Span } from '../diagnostic/source.js'
import { unreachable } from '../diagnostic/unreachable.js'
import type { Environment, Local } from '../expression/infer/environment.js'
import type { Bound, Param, Scope } from '../names/names.js'
import type { Expression } from '../parse/ast.js'
import { toolOf } from '../program/tool-plan.js'
import { AgentFlow } from './agent.js'
import type { Analysis, EffectsOf, PlannedTool, ProcessFlow, ToolConfig } from './analysis.js'
import { itemAt, itemShape, joinShapes } from './combine.js'
import { labelledKeys } from './config-labels.js'
import type { LabelledKey } from './config-uses.js'
import { declaredShape, labelled } from './declared.js'
import { shapeOfExpression } from './expression.js'
import { Findings } from './finding.js'
import { GraphFlow } from './graph.js'
import { begin, isSameTags, NO_TAGS, type Tags, type TrailStep, uniteTags } from './label.js'
import { type LabelledRoot, labelledRoots } from './labelled-roots.js'
import { Places } from './places.js'
import { secretParams } from './secret-params.js'
import { crossed, flat, isSame, leaf, listShape, PLAIN, type Shape, through, tupleOf } from './shape.js'
import { ofSignature } from './signature.js'
import { flowThroughTool } from './tool.js'

const MAX_ROUNDS = 20
/** Of processes that call each other as tools, before the parts of what they are given are merged into the whole. */
const MAX_NESTING = 12

export class FlowEngine implements Analysis {
  readonly findings = new Findings()
  /** The bindings that have been analysed, as parts of others or by themselves. */
  readonly reached = new Set<Bound>()
  /** The labels that each agent has read, wherever it is used. */
  readonly read = new Map<Bound, Tags>()
  place: Span | undefined
  readonly #lowered = new Map<string, Lowered>()
  /** How often one of them has changed, on which others may depend. */
  #changes = 0
  #depth = 0
  #errors = NO_TAGS
  readonly #keys = new Map<Bound, readonly LabelledKey[]>()
  readonly #params = new Map<Param, Shape>()
  readonly labelledRoots: readonly LabelledRoot[]
  readonly #secretParams: ReadonlySet<Param>
  readonly #effectsOf: EffectsOf
  readonly #tools = new Map<Bound, PlannedTool>()

  constructor(
    scopes: readonly Scope[],
    effectsOf: EffectsOf,
    /** Of an analysis before, after which places have a label that they had not. */
    readonly places = new Places(labelledRoots(scopes)),
  ) {
    this.#effectsOf = effectsOf
    this.#secretParams = secretParams(scopes)
    this.labelledRoots = labelledRoots(scopes)
  }

  at<T>(place: Span, look: () => T): T {
    const outer = this.place
    this.place = place
    const result = look()
    this.place = outer
    return result
  }

  note(agent: Bound, tags: Tags): void {
    this.read.set(agent, uniteTags(this.read.get(agent) ?? NO_TAGS, tags))
  }

  open(bound: Bound, around?: ToolConfig): ProcessFlow {
    this.reached.add(bound)
    return bound.binding.impl.kind === 'agent' ? new AgentFlow(bound, this, around) : new GraphFlow(bound, this)
  }

  fails(tags: Tags): void {
    this.#errors = uniteTags(this.#errors, tags)
  }

  listen<T>(work: () => T): { readonly result: T; readonly errors: Tags } {
    const outer = this.#errors
    this.#errors = NO_TAGS
    const result = work()
    const errors = this.#errors
    this.#errors = uniteTags(outer, errors)
    return { result, errors }
  }

  expression(e: Expression, input: Shape, environment: Environment, locals?: ReadonlyMap<Local, Shape>): Shape {
    return shapeOfExpression(
      e,
      input,
      environment,
      // What is computed may fail, and quote a param, also where the result has nothing of it.
      { call: (bound, given) => this.call(bound, given), param: (param) => this.#failing(this.param(param)) },
      locals,
    )
  }

  param(param: Param): Shape {
    const known = this.#params.get(param)
    if (known) return known
    const { declaration, scope, name } = param
    const step: TrailStep = { text: `from param '${name}'`, span: declaration.name.span }
    const declared = declaredShape({ type: declaration.type, scope }, 'gives', step)
    const shape = this.#secretParams.has(param) ? joinShapes(declared, leaf({ secret: begin(step) })) : declared
    this.#params.set(param, shape)
    return shape
  }

  keysOf(bound: Bound): readonly LabelledKey[] {
    const known = this.#keys.get(bound) ?? labelledKeys(bound, this)
    this.#keys.set(bound, known)
    return known
  }

  tool(bound: Bound): PlannedTool {
    const known = this.#tools.get(bound)
    if (known) return known
    const plan = toolOf(bound)
    const planned = { plan, effects: this.#effectsOf(plan) }
    this.#tools.set(bound, planned)
    return planned
  }

  call(bound: Bound, given: Shape): Shape {
    this.reached.add(bound)
    if (bound.binding.impl.kind === 'tool') return flowThroughTool(bound, given, this)
    const signature = ofSignature(bound, this)
    const [input = PLAIN] = signature.enter([given])
    const output = through(this.#base(planOfBase(bound), input), { text: `through '${bound.name}'`, span: bound.binding.name.span })
    return signature.leave([output])[0] ?? PLAIN
  }

  #base(plan: BasePlan, given: Shape): Shape {
    // An error quotes what it could do nothing with.
    this.fails(flat(given))
    switch (plan.kind) {
      case 'id':
        return plan.crossing ? crossed(given, plan.crossing) : given
      case 'copy':
        return tupleOf([given, given])
      case 'discard':
        return PLAIN
      case 'flatten':
        return listShape(itemShape(itemShape(given)), uniteTags(given.tags, itemShape(given).tags))
      case 'map':
        return this.#failing(this.expression(plan.expression, given, { input: plan.input, scope: plan.scope }))
      case 'sequence':
        return plan.items.reduce((shape, item) => this.#base(item, shape), given)
      case 'choice':
        return plan.items.map((item) => this.#base(item, given)).reduce(joinShapes)
      case 'product':
        return tupleOf(plan.items.map((item, i) => this.#base(item, plan.isOnParts ? itemAt(given, i) : given)))
      case 'each':
        return listShape(this.#base(plan.body, itemShape(given)), given.tags)
      case 'trace': {
        let shape = given
        for (let round = 0; ; round++) {
          const out = this.#base(plan.body, shape)
          const until = plan.until ? flat(this.expression(plan.until, out, { input: plan.output, scope: plan.scope })) : NO_TAGS
          this.fails(until)
          const next = joinShapes(shape, joinShapes(out, labelled(plan.output, until)))
          const coarse = labelled(plan.output, flat(next))
          if (isSame(next, shape) || (round > MAX_ROUNDS && isSame(coarse, shape))) return shape
          shape = round < MAX_ROUNDS ? next : coarse
        }
      }
      case 'named':
        return this.call(plan.bound, given)
      default:
        return unreachable(plan)
    }
  }

  #failing(shape: Shape): Shape {
    this.fails(flat(shape))
    return shape
  }

  get #version(): number {
    return this.#changes + this.places.changes
  }

  /** One instance for each set of input labels: an agent may call a tool that runs that agent. */
  lower(bound: Bound, exact: Shape, around: ToolConfig): Shape {
    // What is called within itself may have more around its input each time.
    const given = this.#depth < MAX_NESTING ? exact : labelled(bound.inputs[0], flat(exact))
    const key = `${bound.scope.module.path} ${bound.name} ${JSON.stringify([around.sandbox, around.effects])} ${kindOf(given)}`
    const lowered = this.#lowered.get(key) ?? {
      process: this.open(bound, around),
      output: PLAIN,
      seen: NO_TAGS,
      isRunning: false,
      settledAt: -1,
    }
    this.#lowered.set(key, lowered)
    if (!lowered.isRunning && lowered.settledAt !== this.#version) this.#settle(lowered, bound, given)
    this.fails(lowered.seen)
    return lowered.output
  }

  #settle(lowered: Lowered, bound: Bound, given: Shape): void {
    lowered.isRunning = true
    this.#depth++
    for (let round = 0, isSettled = false; !isSettled; round++) {
      const { output, seen } = lowered
      lowered.settledAt = this.#version
      const outcome = lowered.process.run([given])
      const next = joinShapes(output, outcome.outputs[0] ?? PLAIN)
      lowered.output = round < MAX_ROUNDS ? next : labelled(bound.outputs[0], flat(next))
      lowered.seen = uniteTags(seen, outcome.seen)
      // The others run again only when the set of labels changed: a shorter path with the same labels does not affect them.
      if (kindOf(lowered.output) !== kindOf(output) || kindOf({ tags: lowered.seen }) !== kindOf({ tags: seen })) this.#changes++
      isSettled = lowered.settledAt === this.#version && isSame(lowered.output, output) && isSameTags(lowered.seen, seen)
    }
    this.#depth--
    lowered.isRunning = false
  }
}

/** A process that is called as a tool. */
interface Lowered {
  readonly process: ProcessFlow
  output: Shape
  /** The labels of all that its errors may hold. */
  seen: Tags
  isRunning: boolean
  /** At which number of changes, of others and of places, it was last run. */
  settledAt: number
}

/** A shape without the paths. */
const kindOf = (shape: Shape): string => {
  const numbers = new Map([[shape, 0]])
  const numberOf = (part: Shape): number => {
    const number = numbers.get(part) ?? numbers.size
    numbers.set(part, number)
    return number
  }
  let text = ''
  // A map iterates over entries that are added meanwhile.
  for (const [{ tags, fields, item, items, origin }] of numbers) {
    const inner = [...(fields ?? [])].map(([name, field]) => `${JSON.stringify(name)}:${numberOf(field)}`)
    text += `${tags.untrusted ? 'u' : ''}${tags.open ? 'o' : ''}${tags.secret ? 's' : ''}${origin ?? ''}`
    text += `{${inner.join()}}[${item ? numberOf(item) : ''}](${(items ?? []).map(numberOf).join()})`
  }
  return text
}
