// What takes the failures of a node in place of the run: ports `error`, and the forms that it stands in, each(p) and p + q.

import type { Expansion, GraphNode } from '@plumb/lang'
import { type Hearer, reportTo } from '../graph/hearer.js'
import type { RunContext } from '../graph/run-context.js'

export interface HearerSource {
  /** What hears of the failures of a node itself, or of all that stands in an expansion. */
  hearersOf(of: GraphNode | Expansion): readonly Hearer[]
}

export class Hearers {
  readonly #known = new Map<GraphNode, readonly Hearer[]>()
  readonly #sources: HearerSource[] = []

  constructor(private readonly context: RunContext) {}

  /** Those of the same node or expansion hear in the order in which they were added. */
  add(source: HearerSource): void {
    this.#sources.push(source)
  }

  /** From the innermost. The ends of a form stand around what is in it. */
  at(node: GraphNode): readonly Hearer[] {
    const known = this.#known.get(node)
    if (known) return known
    const { work, within } = node
    const hearers = [...this.#of(node), ...this.around('inside' in work && work.kind !== 'failures' ? work.inside.within : within)]
    this.#known.set(node, hearers)
    return hearers
  }

  /** Those of an expansion, and of what that stands in. */
  around(expansion: Expansion | undefined): readonly Hearer[] {
    const hearers: Hearer[] = []
    for (let at = expansion; at; at = at.within) hearers.push(...this.#of(at))
    return hearers
  }

  /** Failures there are reported to them first. */
  contextAt(node: GraphNode): RunContext {
    const hearers = this.at(node)
    return hearers.length === 0 ? this.context : { ...this.context, report: reportTo(hearers, this.context.report) }
  }

  #of(of: GraphNode | Expansion): readonly Hearer[] {
    return this.#sources.flatMap((source) => source.hearersOf(of))
  }
}
