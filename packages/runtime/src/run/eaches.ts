// The each(p) of a graph: their nesting, which of them need no origins for their elements, and the receivers at their ends.

import {
  type Edge,
  type Expansion,
  type Graph,
  type GraphNode,
  type GraphPosition,
  isInExpansion,
  isUnbounded,
  type NodeWork,
} from '@plumb/lang'
import type { Fault } from '@plumb/wire'
import type { Edges } from '../graph/edges.js'
import { type ErrorHandler, inLists } from '../graph/error-handler.js'
import { Each } from '../graph/morphism/each.js'
import { InPlaceEach, InPlaceGather } from '../graph/morphism/each-in-place.js'
import { typeAt } from '../graph/morphism/expression.js'
import { Gather } from '../graph/morphism/gather.js'
import type { Origin } from '../graph/origin.js'
import type { RunContext } from '../graph/run-context.js'
import type { ErrorHandlerSource, ErrorHandlers } from './error-handlers.js'

interface EachForm {
  readonly entrance: GraphNode & { readonly work: NodeWork & { readonly kind: 'each' } }
  readonly exit: GraphNode
  /** Where its elements are split from their list. */
  readonly place: GraphPosition
  /** All of p runs synchronously: an element is done when it has been sent. */
  readonly isInPlace: boolean
  /** p answers asynchronously. */
  readonly hasProcess: boolean
}

export interface EachesOptions {
  readonly context: RunContext
  readonly edges: Edges
  readonly maxInFlight: number
  readonly errorHandlers: ErrorHandlers
  /** The callback for the origin of a list that has failed at its exit. */
  readonly lost: (exit: GraphNode) => (origin: Origin) => void
}

/** Calls of larger ones might go too deep. */
const MAX_IN_PLACE = 50

const IN_PLACE: ReadonlySet<NodeWork['kind']> = new Set(['pass', 'map', 'filter', 'discard', 'flatten', 'each', 'gather'])
const PROCESSES: ReadonlySet<NodeWork['kind']> = new Set(['agent', 'plumb', 'call'])

export class Eaches implements ErrorHandlerSource {
  readonly #o: EachesOptions
  readonly #forms = new Map<Expansion, EachForm>()
  readonly #exits = new Map<EachForm, InPlaceGather | Gather>()

  constructor({ nodes }: Graph, elements: ReadonlyMap<GraphNode, GraphPosition>, options: EachesOptions) {
    this.#o = options
    if (elements.size === 0) return
    const parts = new Map<Expansion, GraphNode[]>()
    for (const node of nodes) {
      for (let around = node.within; around; around = around.within) parts.set(around, [...(parts.get(around) ?? []), node])
    }
    for (const [node, place] of elements) {
      const entrance = node as EachForm['entrance']
      const { inside } = entrance.work
      const within = parts.get(inside) ?? []
      const exit = within.find(({ work }) => work.kind === 'gather' && work.inside === inside) as GraphNode
      const isInPlace = within.length <= MAX_IN_PLACE && within.every(({ work }) => IN_PLACE.has(work.kind))
      this.#forms.set(inside, { entrance, exit, place, isInPlace, hasProcess: within.some(({ work }) => PROCESSES.has(work.kind)) })
    }
  }

  entrance(node: GraphNode, feeds: readonly number[]): InPlaceEach | Each {
    const form = this.#endedBy(node)
    const gather = this.#exitOf(form)
    if (gather instanceof InPlaceGather) return new InPlaceEach(feeds, gather)
    return new Each(feeds, this.#o.context, { place: form.place, gather, waits: form.hasProcess })
  }

  exit(node: GraphNode): InPlaceGather | Gather {
    return this.#exitOf(this.#endedBy(node))
  }

  /** Failures inside an each are failures of its elements. */
  errorHandlersOf(of: GraphNode | Expansion): readonly ErrorHandler[] {
    const form = this.#forms.get(of as Expansion)
    return form ? [this.#exitOf(form)] : []
  }

  // Its parts, and its entrance, ask for its exit before that has been wired.
  #exitOf(form: EachForm): InPlaceGather | Gather {
    const known = this.#exits.get(form)
    if (known) return known
    const { exit, entrance, place, isInPlace } = form
    const { parallel = Number.POSITIVE_INFINITY, skips } = entrance.work
    const { edges, maxInFlight, lost, errorHandlers, context: run } = this.#o
    const context = errorHandlers.contextAt(exit)
    const options = {
      report: context.report,
      skipped: skips ? (fault: Fault) => run.report(inLists(fault, errorHandlers.at(exit))) : undefined,
      lost: lost(exit),
      mayBeDeep: isUnbounded(typeAt(exit)),
    }
    const feeds = [edges.into(exit, 0).length]
    const gather = isInPlace
      ? new InPlaceGather(feeds, context, options)
      : new Gather(feeds, context, { ...options, place, parallel, maxWaiting: maxInFlight })
    this.#exits.set(form, gather)
    return gather
  }

  #endedBy({ work }: GraphNode): EachForm {
    return this.#forms.get((work as EachForm['entrance']['work']).inside) as EachForm
  }

  has(of: Expansion): boolean {
    return this.#forms.has(of)
  }

  /** The eaches around a node, from the innermost. An end is around what is inside. */
  around(node: GraphNode): readonly EachForm[] {
    const { work, within } = node
    if (this.#forms.size === 0) return []
    const forms: EachForm[] = []
    for (let at = work.kind === 'each' || work.kind === 'gather' ? work.inside.within : within; at; at = at.within) {
      const form = this.#forms.get(at)
      if (form) forms.push(form)
    }
    return forms
  }

  /** An edge between parts of one whose elements need no origins, or between such a part and an end of it. */
  isInPlace({ from, to }: Edge): boolean {
    for (let at = from.within; at; at = at.within) {
      if (this.#forms.get(at)?.isInPlace && isInExpansion(to, at)) return true
    }
    return false
  }
}
