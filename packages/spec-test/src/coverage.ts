// Measures which bindings, branches of `if`, arms of `match`, sides of filters, variants of sums, errors, states of protocols and tools the tests of a spec reached: expressions
// are observed as they run, so that nothing is computed twice.

import {
  type Bound,
  type Expression,
  type MatchExpression,
  observeExpressions,
  type Program,
  type Span,
  type TestPlan,
  visitNodes,
} from '@plumb/lang'
import { CoveredErrors } from './covered-errors.js'
import { CoveredStates } from './covered-states.js'
import { CoveredVariants } from './covered-variants.js'
import { positionIn } from './place.js'
import type { Point } from './report/result.js'
import type { RunOutcome } from './run-once.js'

interface Tracked {
  readonly kind: Point['kind']
  readonly name: string
  readonly span: Span
  hits: number
}

export class Coverage {
  /** In the order of the text. */
  readonly #points: Tracked[] = []
  readonly #bindings = new Map<string, Tracked>()
  /** The binding around each expression; those of tests have none. */
  readonly #ofExpression = new Map<unknown, Tracked>()
  readonly #decisions = new Map<Expression, readonly [whenTrue: Tracked, whenFalse: Tracked]>()
  readonly #arms = new Map<object, Tracked>()
  readonly #variants: CoveredVariants
  readonly #errors: CoveredErrors
  readonly #states: CoveredStates

  /** For the named file; bindings of its modules are tested in their own files. */
  constructor(program: Program) {
    const { entry } = program
    this.#variants = new CoveredVariants(program)
    this.#errors = new CoveredErrors(program)
    this.#states = new CoveredStates(program)
    for (const bound of entry.bindings.values()) if (bound.category === 'stream' || bound.category === 'base') this.#track(bound)
    this.#points.push(...this.#variants.points, ...this.#errors.points, ...this.#states.points)
    this.#points.sort((a, b) => a.span.start - b.span.start)
  }

  /** Observes what is compiled from now on, until `stop`. */
  start(): void {
    observeExpressions({
      evaluated: (e) => this.#reach(e),
      decided: (e, holds) => {
        this.#reach(e)
        const sides = this.#decisions.get(e)
        if (sides) sides[holds ? 0 : 1].hits++
      },
      taken: (e, arm) => {
        this.#reach(e)
        const point = this.#arms.get(arm)
        if (point) point.hits++
      },
    })
  }

  stop(): void {
    observeExpressions(undefined)
  }

  /** Records a run: its messages, the calls of agents and tools, and the ends of wires that carried something. */
  add({ of, inputs: takes, outputs: gives }: TestPlan, outcome: RunOutcome): void {
    const { inputs, outputs, asked, carried, nested } = outcome
    if (inputs.length > 0) this.#reachNamed(of.name)
    for (const bound of asked.bounds) {
      this.#reachNamed(bound.name)
      this.#variants.addInputs(bound, asked.of(bound))
    }
    for (const { name, messages } of [carried, ...nested].flatMap(({ wires }) => wires))
      if (messages.length > 0) for (const word of name.split(/[-.]/)) this.#reachNamed(word)
    for (const { port, json } of inputs) this.#variants.add(takes.find(({ name }) => name === port)?.type, json)
    for (const { name, type } of gives) for (const { json } of outputs.get(name) ?? []) this.#variants.add(type, json)
    for (const { edge, messages } of [carried, ...nested].flatMap(({ typed }) => typed)) {
      // The output of p + q has the types of both.
      const from = edge.from.work.kind === 'select' ? undefined : edge.from.outputs[edge.output]?.type
      const to = edge.to.inputs[edge.input]?.type
      for (const type of new Set([from, to])) for (const json of messages) this.#variants.add(type, json)
    }
    this.#errors.add(outcome)
    this.#states.add(asked)
  }

  get points(): readonly Point[] {
    return this.#points.map(({ kind, name, span, hits }) => ({ ...positionIn(span), kind, name, hits }))
  }

  #track({ name, binding }: Bound): void {
    const own: Tracked = { kind: binding.impl.kind === 'tool' ? 'tool' : 'binding', name, span: binding.name.span, hits: 0 }
    this.#points.push(own)
    this.#bindings.set(name, own)
    const decide = (kind: 'branch' | 'filter', e: Expression, sides: readonly [string, Span, string, Span]): void => {
      const [yes, yesSpan, no, noSpan] = sides
      const pair = [
        { kind, name: `${name}: ${yes}`, span: yesSpan, hits: 0 },
        { kind, name: `${name}: ${no}`, span: noSpan, hits: 0 },
      ] as const
      this.#points.push(...pair)
      this.#decisions.set(e, pair)
    }
    visitNodes(binding.impl, (node) => {
      this.#ofExpression.set(node, own)
      if (node.kind === 'match') for (const arm of (node as unknown as MatchExpression).arms) this.#trackArm(name, arm)
      if (node.kind === 'if') decide('branch', node as unknown as Expression, ['then', spanOf(node.then), 'else', spanOf(node.else)])
      if (node.kind !== 'filter') return
      const condition = node.expression as Expression
      // A filter that selects by type alone.
      if (condition.kind === 'literal') return
      decide('filter', condition, ['kept', condition.span, 'dropped', condition.span])
    })
  }

  #trackArm(name: string, arm: MatchExpression['arms'][number]): void {
    const { source, start, end } = arm.pattern?.type.span ?? { ...arm.span, end: arm.span.start + 1 }
    const point: Tracked = {
      kind: 'branch',
      name: `${name}: ${source.text.slice(start, end).replace(/\s+/g, ' ')}`,
      span: arm.body.span,
      hits: 0,
    }
    this.#points.push(point)
    this.#arms.set(arm, point)
  }

  #reach(expression: Expression): void {
    const point = this.#ofExpression.get(expression)
    if (point) point.hits++
  }

  #reachNamed(name: string): void {
    const point = this.#bindings.get(name)
    if (point) point.hits++
  }
}

const spanOf = (node: unknown): Span => (node as { readonly span: Span }).span
