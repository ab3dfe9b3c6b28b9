// map, filter, project, .field, discard: applies one compiled stage to each message, and checks its type at the same time.

import {
  compileCheck,
  compileFilter,
  compileFolding,
  compileLift,
  compileMap,
  environmentOf,
  type GraphNode,
  type MessageScanners,
  type Sink,
  type Stage,
  type Type,
  unreachable,
  Verdict,
} from '@plumb/lang'
import type { Fault } from '@plumb/wire'
import { Morphism } from './morphism.js'

export interface StageOptions {
  readonly stage: Stage
  readonly sink: Sink
  /** Messages of another type are dropped without an error: a filter is a typed selector. */
  readonly isSelector: boolean
  readonly report: (fault: Fault) => void
  /** Called for each message that is dropped or fails. */
  readonly lost: (() => void) | undefined
}

export class ExpressionMorphism extends Morphism {
  readonly #stage: Stage
  readonly #sink: Sink
  readonly #report: (fault: Fault) => void
  readonly #isSelector: boolean
  readonly #lost: (() => void) | undefined

  constructor(feeds: readonly number[], { stage, sink, isSelector, report, lost }: StageOptions) {
    super(feeds, 1)
    this.#stage = stage
    this.#sink = sink
    this.#isSelector = isSelector
    this.#lost = lost
    this.#report = report
  }

  receive(_input: number, buf: Buffer, start: number, end: number): void {
    const sink = this.#sink
    const verdict = this.#stage.run(buf, start, end, sink)
    const [outlet] = this.outlets
    if (verdict === Verdict.PASS) outlet?.send(buf, start, end)
    else if (verdict === Verdict.WROTE) outlet?.send(sink.buf, sink.start, sink.end)
    else {
      const isError = verdict === Verdict.FAILED || (verdict === Verdict.MISMATCH && !this.#isSelector)
      if (isError && this.#stage.fault) this.#report(this.#stage.fault)
      this.#lost?.()
    }
  }
}

/**
 * Applies the node's stage to a message at its first input; other inputs only check the type. `report` is called for what is left out of a
 * list.
 */
export const stageOf = (node: GraphNode, scanners: MessageScanners, report: (fault: Fault) => void): Stage => {
  const { work, span } = node
  const environment = { ...environmentOf(node), report }
  const scanner = scanners.of(environment.input)
  switch (work.kind) {
    case 'map':
      return work.lifted ? compileLift(work.lifted, report, scanner) : compileMap(work.expression, environment, scanner)
    case 'filter':
      return compileFilter(work.expression, environment, scanner)
    case 'fold':
      return compileFolding(work, environment, scanner, node.name)
    case 'discard':
      return compileMap({ kind: 'literal', value: null, text: 'null', span }, environment, scanner)
    case 'input':
    case 'output':
    case 'call':
    case 'pass':
    case 'empty':
    case 'barrier':
    case 'join':
    case 'flatten':
    case 'batch':
    case 'each':
    case 'gather':
    case 'choice':
    case 'select':
    case 'failures':
    case 'conversation':
    case 'agent':
    case 'plumb':
      return compileCheck(environment.input, scanner)
    default:
      return unreachable(work)
  }
}

/** The type of its first input; for an entrance, that of its messages. */
export const typeAt = (node: GraphNode): Type => environmentOf(node).input

/** It checks its message itself. */
export const isExpression = ({ work: { kind } }: GraphNode): boolean =>
  kind === 'map' || kind === 'filter' || kind === 'discard' || kind === 'flatten' || kind === 'fold'
