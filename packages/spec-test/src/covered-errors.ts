// Records which errors that a spec handles occurred: at ports `error`, after `p + q`, and the codes that its expressions compare with.

import { type Bound, type Edge, type Expression, type Program, planOf, type Span, visitNodes } from '@plumb/lang'
import { isCode, isRecord } from '@plumb/wire'
import type { RunOutcome } from './run-once.js'

export interface CoveredError {
  readonly kind: 'error'
  readonly name: string
  readonly span: Span
  hits: number
}

export class CoveredErrors {
  /** By the place of the process and the output of the failure. */
  readonly #ways = new Map<string, CoveredError>()
  readonly #codes = new Map<string, CoveredError[]>()

  /** For the named file. */
  constructor({ entry }: Program) {
    for (const bound of entry.bindings.values()) {
      if (bound.category !== 'stream' && bound.category !== 'base') continue
      if (bound.category === 'stream') this.#addWays(bound)
      visitNodes(bound.binding.impl, (node) => {
        if (node.kind === 'binary' && (node.operator === '=' || node.operator === '!=')) this.#addCode(bound, node.left, node.right)
      })
    }
  }

  get points(): readonly CoveredError[] {
    return [...this.#ways.values(), ...[...this.#codes.values()].flat()]
  }

  add({ faults, carried, nested }: Pick<RunOutcome, 'faults' | 'carried' | 'nested'>): void {
    for (const { error } of faults) this.#reachCode(String(error))
    for (const { edge, messages } of [carried, ...nested].flatMap(({ typed }) => typed)) {
      const key = messages.length > 0 ? wayOf(edge) : undefined
      if (key === undefined) continue
      const way = this.#ways.get(key)
      if (way) way.hits += messages.length
      if (edge.from.work.kind === 'failures') for (const json of messages) this.#reachCode(codeIn(json))
    }
  }

  #addWays(bound: Bound): void {
    const { impl } = bound.binding
    if (impl.kind === 'agent' || impl.kind === 'tool' || impl.kind === 'object') return
    for (const edge of planOf(bound).edges) {
      const key = wayOf(edge)
      // The parts of a bound chain count there.
      if (key === undefined || this.#ways.has(key) || edge.from.within?.within) continue
      const what = edge.from.work.kind === 'failures' ? edge.from.name : `part ${edge.output + 1} of +`
      this.#ways.set(key, { kind: 'error', name: `${bound.name}: ${what}`, span: edge.from.span, hits: 0 })
    }
  }

  #addCode({ name }: Bound, left: unknown, right: unknown): void {
    for (const [literal, other] of [
      [left, right],
      [right, left],
    ] as [Expression, Expression][]) {
      if (literal.kind !== 'literal' || typeof literal.value !== 'string' || !isCode(literal.value) || !isErrorField(other)) continue
      const points = this.#codes.get(literal.value) ?? []
      points.push({ kind: 'error', name: `${name}: ${literal.value}`, span: literal.span, hits: 0 })
      this.#codes.set(literal.value, points)
    }
  }

  #reachCode(code: string): void {
    for (const point of this.#codes.get(code) ?? []) point.hits++
  }
}

/** `error`, or `failure.error`. */
const isErrorField = (e: Expression): boolean => {
  const { span } = e
  return (e.kind === 'name' || e.kind === 'field') && /(^|\.)error$/.test(span.source.text.slice(span.start, span.end))
}

/** Undefined: it carries no failures. */
const wayOf = ({ from, output }: Edge): string | undefined => {
  const { work, span } = from
  const isWay = work.kind === 'failures' || (work.kind === 'choice' && output > 0)
  return isWay ? `${span.source.path}:${span.start}:${work.kind}:${output}` : undefined
}

const codeIn = (json: string): string => {
  const failure: unknown = JSON.parse(json)
  return isRecord(failure) && typeof failure.error === 'string' ? failure.error : ''
}
