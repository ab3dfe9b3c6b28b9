// Which bindings, branches of `if` and sides of filters the tests of a spec reached: what a run does to expressions is observed as it
// happens, so that nothing is worked out a second time.

import { type Bound, type Expression, observeExpressions, type Program, type Span, visitNodes } from '@plumb/lang'
import { placeOf } from './place.js'
import type { Place } from './report/result.js'
import type { Outcome } from './run-once.js'

export interface Point extends Place {
  readonly kind: 'binding' | 'branch' | 'filter'
  /** Of the binding, or of the one that it stands in with what did not happen: `grade: then`. */
  readonly name: string
  /** How often it was reached; of a binding, at least once or never. */
  readonly hits: number
}

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
  /** The binding that each expression stands in; those of tests stand in none. */
  readonly #ofExpression = new Map<unknown, Tracked>()
  readonly #decisions = new Map<Expression, readonly [whenTrue: Tracked, whenFalse: Tracked]>()

  /** Of the file that was named; bindings of the modules it uses are tested there. */
  constructor({ entry }: Program) {
    for (const bound of entry.bindings.values()) if (bound.category === 'stream' || bound.category === 'base') this.#track(bound)
    this.#points.sort((a, b) => a.span.start - b.span.start)
  }

  /** What is compiled from now on is observed, until `stop`. */
  start(): void {
    observeExpressions({
      evaluated: (e) => this.#reach(e),
      decided: (e, holds) => {
        this.#reach(e)
        const sides = this.#decisions.get(e)
        if (sides) sides[holds ? 0 : 1].hits++
      },
    })
  }

  stop(): void {
    observeExpressions(undefined)
  }

  /** What a run tells besides: its own binding, the agents and tools that were asked, and the ends of wires that carried something. */
  add(of: Bound, { inputs, asked, carried }: Pick<Outcome, 'inputs' | 'asked' | 'carried'>): void {
    if (inputs.length > 0) this.#reachNamed(of.name)
    for (const bound of asked.bounds) this.#reachNamed(bound.name)
    for (const { name, messages } of carried.wires) if (messages.length > 0) for (const word of name.split(/[-.]/)) this.#reachNamed(word)
  }

  get points(): readonly Point[] {
    return this.#points.map(({ kind, name, span, hits }) => ({ ...placeOf(span), kind, name, hits }))
  }

  #track({ name, binding }: Bound): void {
    const own: Tracked = { kind: 'binding', name, span: binding.name.span, hits: 0 }
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
      if (node.kind === 'if') decide('branch', node as unknown as Expression, ['then', spanOf(node.then), 'else', spanOf(node.else)])
      if (node.kind !== 'filter') return
      const condition = node.expression as Expression
      // One that selects by type alone.
      if (condition.kind === 'literal') return
      decide('filter', condition, ['kept', condition.span, 'dropped', condition.span])
    })
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

/** As LCOV has it: lines, functions and branches of each file. */
export const toLcov = (points: readonly Point[]): string =>
  [...new Set(points.map(({ file }) => file))]
    .map((file) =>
      lcovOf(
        file,
        points.filter((point) => point.file === file),
      ),
    )
    .join('')

const lcovOf = (file: string, points: readonly Point[]): string => {
  const functions = points.filter(({ kind }) => kind === 'binding')
  const branches = points.filter(({ kind }) => kind !== 'binding')
  const lines = new Map<number, number>()
  for (const { line, hits } of points) lines.set(line, Math.min(lines.get(line) ?? hits, hits))
  const count = (all: readonly { readonly hits: number }[]) => all.filter(({ hits }) => hits > 0).length
  return `${[
    'TN:',
    `SF:${file}`,
    ...functions.map(({ line, name }) => `FN:${line},${name}`),
    ...functions.map(({ hits, name }) => `FNDA:${hits},${name}`),
    `FNF:${functions.length}`,
    `FNH:${count(functions)}`,
    ...branches.map(({ line, hits }, i) => `BRDA:${line},${Math.floor(i / 2)},${i % 2},${hits}`),
    `BRF:${branches.length}`,
    `BRH:${count(branches)}`,
    ...[...lines].sort(([a], [b]) => a - b).map(([line, hits]) => `DA:${line},${hits}`),
    `LF:${lines.size}`,
    `LH:${[...lines.values()].filter((hits) => hits > 0).length}`,
    'end_of_record',
  ].join('\n')}\n`
}
